"""A round in the browser, from the home page to the scorecard."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import STRONG, box, finish, say, scored, start, turns


def test_the_first_question_is_at_most_two_clicks_from_home(page: Page, site: str) -> None:
    page.goto(site)
    # Which one is offered hangs on what other tests have practised here.
    question = page.get_by_role("heading", level=1).inner_text()
    page.get_by_role("button", name="Start a round").click()
    expect(turns(page).first).to_contain_text(question)


def test_a_typed_answer_is_followed_up(page: Page, site: str) -> None:
    start(page, site)
    say(page, "I would batch them.")
    expect(turns(page).nth(1)).to_contain_text("I would batch them.")
    expect(turns(page).nth(2)).to_contain_text("Interviewer")


def test_the_question_and_the_clock_stay_in_sight(page: Page, site: str) -> None:
    start(page, site)
    for _ in range(2):
        say(page, "I would batch them. " * 60)
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    expect(page.get_by_role("timer")).to_be_in_viewport()
    expect(box(page)).to_be_in_viewport()


def test_a_reload_in_mid_round_shows_the_same_conversation(page: Page, site: str) -> None:
    start(page, site)
    say(page, STRONG)
    expect(turns(page)).to_have_count(3)
    before = turns(page).all_inner_texts()
    page.reload()
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    assert turns(page).all_inner_texts() == before


def test_a_draft_survives_a_reload(page: Page, site: str) -> None:
    start(page, site)
    box(page).fill("Half a thought about")
    page.reload()
    expect(box(page)).to_have_value("Half a thought about")


def test_time_left_survives_a_reload(page: Page, site: str) -> None:
    start(page, site)
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"2:(5[0-8]|[0-4]\d)|[01]:\d\d"))
    left = page.get_by_role("timer").inner_text()
    page.reload()
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    assert page.get_by_role("timer").inner_text() <= left


def test_an_answer_over_the_limit_is_refused_with_the_limit_named_and_left_in_the_box(
    page: Page, site: str
) -> None:
    start(page, site)
    long = "x" * 20_001
    box(page).fill(long)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("20,000")
    expect(box(page)).to_have_value(long)
    expect(turns(page)).to_have_count(1)


def test_twenty_thousand_emoji_are_accepted_whole(page: Page, site: str) -> None:
    start(page, site)
    say(page, "\U0001f600" * 20_000)
    expect(turns(page).nth(1)).to_contain_text("\U0001f600" * 100)


def test_let_me_think_is_noted_and_the_clock_runs_on(page: Page, site: str) -> None:
    start(page, site)
    page.get_by_role("button", name="Let me think").click()
    expect(turns(page).nth(1)).to_contain_text("time to think")
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"\d:\d\d"))


def test_move_on_is_accepted_and_noted(page: Page, site: str) -> None:
    start(page, site)
    page.get_by_role("button", name="Move on").click()
    expect(turns(page).nth(1)).to_contain_text("You moved on.")


def test_finishing_asks_once_and_says_what_was_not_sent(page: Page, site: str) -> None:
    start(page, site)
    box(page).fill("not sent yet")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("dialog")).to_contain_text("has not been sent")
    page.get_by_role("button", name="Go on").click()
    expect(box(page)).to_have_value("not sent yet")


def test_the_scorecard_shows_four_parts_and_quotes_that_lead_to_the_transcript(
    page: Page, site: str
) -> None:
    scored(page, site)
    expect(page.get_by_role("article")).to_have_count(4)
    quote = page.get_by_role("blockquote").first.get_by_role("link")
    target = quote.get_attribute("href") or ""
    assert page.locator(target).count() == 1
    words = quote.inner_text().strip("“”")
    assert words in STRONG


def test_a_part_can_be_drilled_from_the_scorecard(page: Page, site: str) -> None:
    scored(page, site, "I would batch them and then see.")
    page.get_by_role("button", name=re.compile("^Drill this part: ")).first.click()
    page.wait_for_url(re.compile(r"/rounds/[0-9a-f]+$"))
    expect(page.get_by_text("drill:")).to_be_visible()


def test_a_round_without_an_answer_is_not_assessed(page: Page, site: str) -> None:
    start(page, site)
    finish(page)
    page.get_by_role("link", name="Read the scorecard").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Not assessed")


def test_the_model_answer_stays_hidden_until_it_is_asked_for(page: Page, site: str) -> None:
    page.goto(f"{site}/questions/FDE-01")
    answer = page.get_by_text("In sixty seconds")
    expect(answer).to_be_hidden()
    page.get_by_text("Show the model answer").click()
    expect(answer).to_be_visible()


def test_a_second_tab_takes_the_floor_and_the_first_can_take_it_back(page: Page, site: str) -> None:
    url = start(page, site)
    box(page).fill("kept here")
    other = page.context.new_page()
    other.goto(url)
    taken = page.get_by_role("button", name="Take over here")
    expect(taken).to_be_visible()
    expect(box(page)).to_have_value("kept here")
    taken.click()
    expect(taken).to_be_hidden()
    expect(other.get_by_role("button", name="Take over here")).to_be_visible()


def test_going_offline_is_said_and_the_text_stays(page: Page, site: str) -> None:
    start(page, site)
    box(page).fill("still here")
    page.context.set_offline(True)
    expect(page.get_by_role("status")).to_contain_text("offline")
    page.context.set_offline(False)
    expect(page.get_by_role("status")).to_have_text("Your turn.")
    expect(box(page)).to_have_value("still here")
