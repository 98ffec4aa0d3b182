"""Every page: accessible, at home on a phone and in the dark, and harmless whatever was said."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hostile import HOSTILE
from tests.browser.steps import finish, on_a_phone, say, scored, serious, start, turns

PATHS = {
    "home": "/",
    "questions": "/questions",
    "no question fits": "/questions?q=zebra&weak=any&list=none",
    "question": "/questions/FDE-01",
    "drills": "/drills",
    "due": "/due",
    "loops": "/loops",
    "stories": "/stories",
    "new story": "/stories/new",
    "drills of a question": "/drills?card=INF-010&drill=number",
    "rounds": "/rounds",
    "operator": "/operator",
    "progress": "/progress",
    "attempts": "/questions/FDE-01/attempts",
    "no attempts": "/questions/FDE-36/attempts",
    "rounds found": "/rounds?q=cache",
    "no older rounds": "/rounds?page=100000",
    "no round fits": "/rounds?q=zebra&level=9&since=today&theme=nothing",
    "tools": "/tools",
    "tool": "/tools/decode_roofline",
    "result": "/tools/decode_roofline?model=Llama-3.3-70B&gpu=H200&weights_gb=70&batch=20",
    "bad argument": "/tools/decode_roofline?model=Llama-3.3-70B&gpu=H200&batch=-3",
}
MISSING = {"no such page": "/nope", "no such round": "/rounds/ffffffffffffffff"}


@pytest.fixture(scope="package")
def played(browser: Browser, site: str) -> dict[str, str]:
    """Addresses of a round in each of its states, played once."""
    page = browser.new_page()
    card = scored(page, site)
    live = start(page, site)
    say(page, "The KV cache is 320 KiB per token.")
    empty = start(page, site)
    finish(page)
    page.close()
    return {
        "scorecard": card,
        "round": live,
        "round over": empty,
        "unassessed": f"{empty}/scorecard",
    }


@pytest.fixture(params=[*PATHS, "scorecard", "round", "round over", "unassessed"])
def address(request: pytest.FixtureRequest, site: str, played: dict[str, str]) -> str:
    name: str = request.param
    return played[name] if name in played else site + PATHS[name]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, address: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert serious(page) == []


def test_the_page_fits_a_phone(page: Page, address: str) -> None:
    on_a_phone(page)
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("path", MISSING.values(), ids=MISSING)
def test_a_page_that_is_not_there_says_so_and_leads_home(
    browser: Browser, site: str, path: str
) -> None:
    page = browser.new_page()
    answer = page.goto(site + path)
    assert answer is not None
    assert answer.status == 404
    assert serious(page) == []
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("button", name="Start a round")).to_be_visible()
    page.close()


def test_the_overlay_of_keys_is_accessible(page: Page, site: str) -> None:
    page.goto(site)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert serious(page) == []


def test_dark_mode_is_dark(page: Page, site: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(site)
    assert brightness(page) < 64


def test_dark_mode_can_be_switched_on_and_stays_on(page: Page, site: str) -> None:
    page.goto(site)
    assert brightness(page) > 192
    page.keyboard.press("?")
    page.get_by_role("radio", name="On").check()
    page.goto(f"{site}/questions")
    assert brightness(page) < 64


def brightness(page: Page) -> float:
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    parts = [float(part) for part in colour.strip("rgba()").split(",")[:3]]
    return sum(parts) / 3


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_fault_39_hostile_text_renders_harmlessly_on_every_page(
    page: Page, site: str, text: str
) -> None:
    url = start(page, site)
    title = page.title()
    say(page, text)
    live = turns(page).nth(1).inner_text()
    page.reload()
    assert turns(page).nth(1).inner_text() == live
    finish(page)
    page.goto(f"{url}/scorecard")
    expect(page.get_by_role("article")).to_have_count(4)
    page.goto(f"{site}/rounds")
    page.goto(site)
    page.goto(url)
    assert page.title() == title
    assert page.get_by_role("heading", level=1).count() == 1


def test_fault_39_hostile_words_in_a_url_render_harmlessly(page: Page, site: str) -> None:
    for path in ("/questions?q=", "/questions?theme=", "/tools/decode_roofline?model="):
        for text in HOSTILE.values():
            page.goto(site + path + quote(text[:150]))
            assert "Viva" in page.title()


def test_a_result_says_its_value_its_formula_and_its_source(page: Page, site: str) -> None:
    page.goto(f"{site}/tools/decode_roofline")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_text("25.7681").first).to_be_visible()
    expect(page.get_by_text("Source:")).to_be_visible()
    expect(page.get_by_role("img").first).to_be_visible()


def test_a_bad_argument_is_explained_beside_its_field(page: Page, site: str) -> None:
    page.goto(site + PATHS["bad argument"])
    field = page.get_by_label("batch", exact=False).first
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#batch-fault")).not_to_be_empty()
