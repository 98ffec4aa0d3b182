"""A story from writing to a telling side by side, with the keyboard alone."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import finish, on_a_phone, say, serious

STORY = re.compile(r"/stories/[0-9a-f]{16}$")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")


def write(page: Page, site: str) -> None:
    page.goto(f"{site}/stories")
    page.get_by_role("link", name="Write a story").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/stories/new$"))
    page.get_by_label("Title").focus()
    page.keyboard.type("Routing tickets")
    page.keyboard.press("Tab")
    page.keyboard.type("lead engineer")
    page.keyboard.press("Tab")
    page.keyboard.type(
        "In March 2024 a bank with 160 support agents asked us to route its tickets."
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("I measured a routing accuracy of 91 percent.")
    page.get_by_role("checkbox", name=re.compile("project of yours that failed")).focus()
    page.keyboard.press("Space")
    press(page, "Keep it")
    page.wait_for_url(STORY)


def test_a_telling_that_contradicts_its_story_stands_beside_it(page: Page, site: str) -> None:
    write(page, site)
    assert serious(page) == []
    press(page, "Tell it in a round")
    page.wait_for_url(re.compile(r"/rounds/[0-9a-f]+$"))
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    say(
        page,
        "As the product manager I built it for a bank with 180 support agents, who asked us to "
        "route tickets in March 2025. The routing accuracy was 91 percent.",
    )
    finish(page)
    page.get_by_role("link", name="Read the scorecard").click()
    page.get_by_role("link", name="3 statements to look at").click()
    page.wait_for_url(re.compile("#told$"))
    rows = page.get_by_role("region", name="Statements side by side").get_by_role("row")
    expect(rows.filter(has_text="Another number")).to_contain_text("180")
    expect(rows.filter(has_text="Another date")).to_contain_text("March 2024")
    expect(rows.filter(has_text="Another role")).to_contain_text("lead engineer")
    expect(rows).to_have_count(4)
    assert serious(page) == []


def test_a_refused_story_says_what_is_missing_beside_the_field(page: Page, site: str) -> None:
    page.goto(f"{site}/stories/new")
    press(page, "Keep it")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Action")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("say what you did")).to_be_visible()
    assert serious(page) == []


def test_the_bank_fits_a_phone_in_the_dark(page: Page, site: str) -> None:
    on_a_phone(page)
    page.emulate_media(color_scheme="dark")
    for path in ("/stories", "/stories/new"):
        page.goto(f"{site}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(page) == []
