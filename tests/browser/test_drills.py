"""Each drill as a person plays it, with the keyboard alone, and the slips of the number drill."""

import re

import pytest
from playwright.sync_api import Page, expect

from interviewer.events import NumberAsked
from interviewer.reckoning.draw import again
from interviewer.reckoning.model import Reckoning
from tests.browser.steps import STRONG, box, finish, say, scored, serious, start, turns

CARD = "INF-010"
ROUND = re.compile(r"/rounds/[0-9a-f]+$")
OPENINGS = {
    "Claim in one sentence": "In one sentence, your answer:",
    "Trade-off": "Only the trade-off:",
    "Next step": "Only the next step:",
    "Follow-up chain": "Now in depth.",
    "Sixty seconds": "In sixty seconds, with all four parts:",
    "Curveball": "Now it changes.",
}


def begin(page: Page, site: str, label: str) -> None:
    page.goto(f"{site}/drills?card={CARD}")
    page.get_by_role("radio", name=re.compile(f"^{label}")).check()
    page.get_by_role("button", name="Start the drill").click()
    page.wait_for_url(ROUND)
    expect(page.get_by_role("status")).to_have_text("Your turn.")


def number_at_hand(page: Page) -> Reckoning:
    """What the newest number of the round is checked against, from the log."""
    round_id = page.url.rpartition("/")[2]
    origin = page.url.partition("/rounds/")[0]
    log = page.request.get(f"{origin}/api/rounds/{round_id}/events").json()["events"]
    asked = [item["event"]["number"] for item in log if item["event"].get("number")]
    number = NumberAsked.model_validate(asked[-1])
    found = again(number.template, number.arguments)
    assert found is not None
    return found


@pytest.mark.parametrize("label", OPENINGS)
def test_a_drill_opens_with_its_question_and_ends_with_a_scorecard(
    page: Page, site: str, label: str
) -> None:
    begin(page, site, label)
    expect(turns(page).first).to_contain_text(OPENINGS[label])
    for n in range(3):
        say(page, STRONG)
        reply = turns(page).nth(2 * n + 2)
        expect(reply).to_be_visible()
        if "Your scorecard follows." in reply.inner_text():
            break
        expect(page.get_by_role("status")).to_have_text("Your turn.")
    page.get_by_role("link", name="Read the scorecard").click()
    expect(page.get_by_text(re.compile(f"drill: {label}"))).to_be_visible()


def test_the_number_drill_names_a_slip_and_shows_the_tool_behind_the_right_value(
    page: Page, site: str
) -> None:
    begin(page, site, "Numbers, rapid fire")
    expect(turns(page).first).to_contain_text("Number 1 of 10.")
    asked = number_at_hand(page)
    say(page, f"{asked.slips[0].value:.6g}")
    feedback = turns(page).nth(2)
    expect(feedback).to_contain_text(f"A known slip: {asked.slips[0].reason}.")
    feedback.get_by_role("button", name=asked.shown).click()
    expect(page.get_by_text("Formula").first).to_be_visible()
    expect(page.get_by_role("link", name=asked.result.tool)).to_be_visible()


def test_ten_numbers_in_a_row_end_with_a_summary_and_each_tool_call(page: Page, site: str) -> None:
    begin(page, site, "Numbers, rapid fire")
    for n in range(10):
        asked = number_at_hand(page)
        answer = f"{asked.slips[0].value:.6g}" if n % 5 == 0 else f"it is {asked.shown}"
        say(page, answer)
        expect(turns(page).nth(2 * n + 2)).to_be_visible()
        if n < 9:
            expect(page.get_by_role("status")).to_have_text("Your turn.")
    expect(turns(page).nth(20)).to_contain_text("8 of 10 right, 2 by a known slip.")
    page.get_by_role("link", name="Read the scorecard").click()
    expect(page.get_by_text("How it was checked")).to_have_count(10)
    expect(page.get_by_text("off by a known slip")).to_have_count(2)
    assert serious(page) == []


def test_a_drill_is_chosen_and_started_with_the_keyboard_alone(page: Page, site: str) -> None:
    page.goto(site)
    page.clock.set_fixed_time("2026-01-01")  # Of the second key's time none passes.
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_url(re.compile(r"/drills$"))
    page.get_by_role("radio", name=re.compile("^Claim")).focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name=re.compile("^Sixty"))).to_be_checked()
    page.keyboard.press("Enter")
    page.wait_for_url(ROUND)
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    expect(box(page)).to_be_focused()


def test_the_weak_part_is_said_again_from_the_scorecard(page: Page, site: str) -> None:
    scored(page, site, "I would batch them, and then I would see what happens with the users.")
    page.get_by_role("button", name="Say it again, better").click()
    page.wait_for_url(ROUND)
    expect(turns(page).first).to_contain_text("Once more, and better:")
    say(page, STRONG)
    page.get_by_role("link", name="Read the scorecard").click()
    expect(page.get_by_text(re.compile(r"\d before, \d now"))).to_be_visible()


def test_a_weak_part_comes_back_and_its_rating_can_be_corrected(page: Page, site: str) -> None:
    start(page, site, "FDE-09")  # which no other test plays
    say(page, "I would batch them, and then I would see what happens with the users.")
    finish(page)
    page.get_by_role("link", name="Read the scorecard").click()
    page.get_by_role("link", name="When it comes back").click()
    later = page.get_by_role("region", name="Later")
    item = later.get_by_role("listitem").filter(has_text="FDE-09").filter(has_text="Trade-off")
    expect(item).to_contain_text("last: again")
    item.get_by_text("Correct the rating").click()
    item.get_by_role("button", name="Easy").click()
    expect(item).to_have_count(0)
    assert serious(page) == []
