"""The live figures in a browser: by keyboard, without scripts, accessible, on a phone, as link."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.steps import on_a_phone, serious
from web.figures.gallery import FIGURES

PATHS = (
    "/figures",
    *(f"/figures/{slug}" for slug in FIGURES),
    "/figures/decode-step?batch=0",
    "/compare?models=Llama-3.3-70B%0ADeepSeek-V4-Flash%0AKimi-K3",
    "/market",
    "/tools/engine_sim/trace?step=3",
)


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """A page in a browser that runs no scripts."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Page, site: str, path: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(site + path)
    assert serious(page) == []


@pytest.mark.parametrize("path", PATHS)
def test_the_page_fits_a_phone(page: Page, site: str, path: str) -> None:
    on_a_phone(page)
    page.goto(site + path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("slug", FIGURES)
def test_one_drawing_is_seen_at_a_time(page: Page, site: str, slug: str) -> None:
    page.goto(f"{site}/figures/{slug}")
    expect(page.get_by_role("img")).to_have_count(1)
    on_a_phone(page)
    expect(page.get_by_role("img")).to_have_count(1)


def test_a_slider_moves_by_keyboard_redraws_and_keeps_the_focus(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/decode-step")
    slider = page.get_by_role("slider", name="Batch")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("does not fit")).to_be_visible()
    expect(slider).to_be_focused()
    expect(page.locator("output").first).to_have_text("21 sequences")
    page.wait_for_url(re.compile("batch=21"))


def test_home_and_end_reach_both_ends(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/wilson-intervals")
    slider = page.get_by_role("slider", name="Interviews")
    slider.press("End")
    expect(page.locator("#said")).to_contain_text("640 interviews")
    slider.press("Home")
    expect(page.locator("#said")).to_contain_text("32 interviews")


def test_a_radio_redraws_at_once(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/kv-capacity")
    page.get_by_role("radio", name="FP8").check()
    expect(page.locator("#said")).to_contain_text("40.8 sequences")


def test_many_moves_end_with_the_last_one(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/decode-step?batch=1")
    slider = page.get_by_role("slider", name="Batch")
    for _ in range(30):
        slider.press("ArrowRight")
    expect(page.locator("#said")).to_contain_text("At batch 31 ")
    page.wait_for_url(re.compile("batch=31"))


def test_the_same_address_shows_the_same_picture(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/decode-step?batch=60&kv=fp8")
    seen = page.get_by_role("img").get_attribute("aria-labelledby")
    page.reload()
    assert page.get_by_role("img").get_attribute("aria-labelledby") == seen


def test_steps_are_walked_by_links_that_keep_their_place(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/batching-slots?step=3")
    page.get_by_role("link", name="Next").press("Enter")
    expect(page.get_by_text("Step 4 of 13")).to_be_visible()
    expect(page.get_by_role("link", name="Next")).to_be_focused()
    expect(page.get_by_role("slider", name="Iteration")).to_have_value("4")


def test_other_lengths_move_the_end_of_the_step_slider(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/batching-slots")
    box = page.get_by_label("Tokens of each request")
    box.fill("3,3")
    box.press("Enter")
    expect(page.get_by_text("Step 3 of 3")).to_be_visible()
    expect(page.get_by_role("slider", name="Iteration")).to_have_attribute("max", "3")


def test_a_bad_text_is_explained_beside_its_field(page: Page, site: str) -> None:
    page.goto(f"{site}/figures/batching-slots")
    box = page.get_by_label("Tokens of each request")
    box.fill("many")
    box.press("Enter")
    expect(page.locator("#lengths-fault")).to_contain_text("whole numbers from 1 to 20")


def test_the_link_that_is_copied_holds_the_settings(
    page: Page, context: BrowserContext, site: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site}/figures/decode-step?batch=33")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert "batch=33" in page.evaluate("navigator.clipboard.readText()")


def test_without_scripts_the_form_and_the_steps_work(plain: Page, site: str) -> None:
    plain.goto(f"{site}/figures/batching-slots?step=3")
    plain.get_by_role("link", name="Next").click()
    expect(plain.get_by_text("Step 4 of 13")).to_be_visible()
    plain.get_by_role("slider", name="Slots").fill("2")
    plain.get_by_role("button", name="Show").click()
    expect(plain.locator("#said")).to_contain_text("through 2 slots")
    expect(plain.get_by_role("button", name="Copy link")).to_have_count(0)


def test_a_config_is_uploaded_without_scripts(plain: Page, site: str) -> None:
    config = (
        b'{"model_type": "llama", "num_hidden_layers": 95, "hidden_size": 8192,'
        b' "num_attention_heads": 64, "num_key_value_heads": 8}'
    )
    plain.goto(f"{site}/compare")
    plain.get_by_label("Add a config.json file").set_input_files(
        {"name": "config.json", "mimeType": "application/json", "buffer": config}
    )
    plain.get_by_role("button", name="Add", exact=True).click()
    expect(plain.get_by_role("cell", name="389,120")).to_be_visible()


def test_a_trace_is_walked_by_keyboard(page: Page, site: str) -> None:
    page.goto(f"{site}/tools/engine_sim/trace")
    slider = page.get_by_role("slider", name="Step")
    slider.press("ArrowRight")
    expect(page.get_by_text("Step 2 of 5", exact=True)).to_be_visible()
    expect(slider).to_be_focused()
    page.get_by_role("link", name="Last").press("Enter")
    expect(page.get_by_text("Step 5 of 5", exact=True)).to_be_visible()
    expect(slider).to_have_value("5")


def test_a_trace_is_walked_without_scripts(plain: Page, site: str) -> None:
    plain.goto(f"{site}/tools/block_manager_sim/trace")
    plain.get_by_role("link", name="Next").click()
    expect(plain.get_by_text("Step 2 of 6", exact=True)).to_be_visible()
    plain.get_by_role("slider", name="Step").fill("5")
    plain.get_by_role("button", name="Show").click()
    expect(plain.get_by_text("Step 5 of 6", exact=True)).to_be_visible()


def test_a_calculators_link_is_copied_too(page: Page, context: BrowserContext, site: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site}/tools/stats?successes=8&trials=11")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert "trials=11" in page.evaluate("navigator.clipboard.readText()")
