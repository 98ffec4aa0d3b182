"""An answer spoken into the page: recorded, heard, checked, corrected, sent and scored."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from interviewer.takes.wav import frames_in
from interviewer.voice.scripted import ScriptedRecogniser
from tests.browser.serving import serving
from tests.browser.sound import allowed
from tests.browser.speaking import (
    HEARD,
    Opened,
    at_least,
    becomes,
    heard,
    press,
    record,
    spoken,
    words,
)
from tests.browser.steps import box, finish, on_a_phone, serious, start, turns, until


def test_what_is_said_is_heard_corrected_and_sent(opened: Opened) -> None:
    page = opened()
    spoken(page)
    expect(box(page)).to_have_value(HEARD)
    box(page).fill(HEARD.replace("wash", "watch"))
    press(page, "Send")
    expect(turns(page).nth(1)).to_contain_text("Next I watch the p99.")
    expect(page.get_by_role("heading", name="What was heard")).to_be_hidden()
    expect(page.get_by_role("button", name="Speak")).to_be_visible()
    expect(page.get_by_role("button", name="Discard")).to_be_hidden()


def test_doubtful_words_numbers_and_fillers_are_marked_as_what_they_are(opened: Opened) -> None:
    page = opened()
    spoken(page)
    review = page.locator("#review-sentences")
    expect(review.locator(".doubtful")).to_have_text(["wash"])
    expect(review.locator(".number").filter(has_text="14.6 ms")).to_be_visible()
    expect(review.get_by_role("listitem")).to_have_count(3)


def test_a_unit_that_was_put_back_is_shown_with_its_reason(opened: Opened) -> None:
    page = opened(heard("It is 320 KV bytes per token."), card="INF-010")
    spoken(page)
    expect(box(page)).to_have_value("It is 320 KiB per token.")
    expect(page.locator("#review-changes")).to_contain_text("“KiB” was put back")


def test_a_doubtful_word_is_found_and_corrected_without_a_mouse(opened: Opened) -> None:
    page = opened()
    spoken(page)
    page.locator("#review-sentences .doubtful").focus()
    page.keyboard.press("Enter")
    expect(box(page)).to_be_focused()
    page.keyboard.type("watch")
    expect(box(page)).to_have_value(HEARD.replace("wash", "watch"))


def test_a_sentence_is_played(opened: Opened) -> None:
    page = opened()
    spoken(page)
    press(page, "Play sentence 1")
    becomes(page, "document.getElementById('review-sound').currentTime > 0.1")


def test_everything_is_done_by_keys(opened: Opened) -> None:
    page = opened()
    page.get_by_role("log").focus()
    page.keyboard.press("s")
    expect(page.locator("#voice-time")).to_have_text(at_least(1))
    page.keyboard.press("s")
    expect(words(page)).to_contain_text("Paused")
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("d")
    expect(box(page)).to_have_value(HEARD)
    expect(box(page)).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(turns(page).nth(1)).to_contain_text("batch them")


def test_a_key_that_is_held_records_until_it_is_let_go(opened: Opened) -> None:
    page = opened()
    page.get_by_role("log").focus()
    page.keyboard.down("v")
    expect(page.locator("#voice-time")).to_have_text(at_least(1))
    page.keyboard.up("v")
    expect(words(page)).to_contain_text("Paused")


def test_a_reload_goes_on_with_the_same_answer(opened: Opened, tmp_path: Path) -> None:
    page = opened()
    record(page)
    # What is shown may still be on its way; this is what a reload must not lose.
    sound = next(tmp_path.glob("viva-audio/*/*.wav"))
    until(page, lambda: frames_in(sound) >= 10)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.locator("#voice-time")).to_have_text(at_least(1))
    press(page, "Go on")
    expect(page.locator("#voice-time")).to_have_text(at_least(2))
    press(page, "Done")
    expect(box(page)).to_have_value(HEARD)


def test_a_reload_in_the_check_keeps_the_correction(opened: Opened) -> None:
    page = opened()
    spoken(page)
    box(page).fill("Corrected already.")
    page.reload()
    expect(page.get_by_role("heading", name="What was heard")).to_be_visible()
    expect(box(page)).to_have_value("Corrected already.")
    press(page, "Send")
    expect(turns(page).nth(1)).to_contain_text("Corrected already.")


def test_speaking_on_after_the_check_takes_the_words_back(opened: Opened) -> None:
    page = opened(heard("The first half."), heard("The first half. And the second."))
    spoken(page)
    press(page, "Speak on")
    expect(box(page)).to_have_value("")
    expect(page.locator("#voice-time")).to_have_text(at_least(2))
    press(page, "Done")
    expect(box(page)).to_have_value("The first half. And the second.")


def test_a_discarded_answer_leaves_the_box_as_it_was(opened: Opened) -> None:
    page = opened()
    spoken(page)
    press(page, "Discard")
    expect(box(page)).to_have_value("")
    expect(words(page)).to_be_empty()
    expect(page.get_by_role("button", name="Speak")).to_be_visible()


def test_the_check_shows_the_level_and_reads_back_what_was_said(opened: Opened) -> None:
    page = opened(heard("The cache grows."), heard(HEARD), checked=False)
    press(page, "Speak")
    dialog = page.get_by_role("dialog", name="Voice")
    expect(dialog).to_be_visible()
    assert serious(page) == []
    press(page, "Check it for three seconds")
    expect(dialog).to_contain_text("Heard: The cache grows.")
    press(page, "Start speaking")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    press(page, "Done")
    expect(box(page)).to_have_value(HEARD)
    press(page, "Speak on")
    expect(dialog).to_be_hidden()


def test_sound_is_kept_only_where_the_person_says_so(opened: Opened, tmp_path: Path) -> None:
    page = opened()
    spoken(page)
    press(page, "Send")
    expect(turns(page)).to_have_count(3)
    until(page, lambda: not list(tmp_path.glob("viva-audio/*/*.*")))
    press(page, "Voice")
    page.get_by_label("Keep the sound of my answers").check()
    press(page, "Close")
    record(page)
    expect(words(page)).to_contain_text("Its sound is kept.")
    press(page, "Done")
    expect(page.get_by_role("heading", name="What was heard")).to_be_visible()
    press(page, "Send")
    expect(turns(page)).to_have_count(5)
    # It is packed by a process of its own.
    until(page, lambda: [path.suffix for path in tmp_path.glob("viva-audio/*/*.*")] == [".webm"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_while_an_answer_is_checked(opened: Opened, scheme: str) -> None:
    page = opened()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    record(page)
    assert serious(page) == []
    press(page, "Done")
    expect(page.get_by_role("heading", name="What was heard")).to_be_visible()
    assert serious(page) == []


def test_the_check_fits_a_phone(opened: Opened) -> None:
    page = opened()
    on_a_phone(page)
    spoken(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.get_by_role("button", name="Send")).to_be_in_viewport()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()


def test_hostile_words_are_shown_as_words(opened: Opened) -> None:
    text = "<img src=x onerror=\"document.title='owned'\"> </li> \u202e 70 GB {{7*7}}"
    page = opened(heard(text))
    title = page.title()
    spoken(page)
    expect(page.locator("#review-sentences img")).to_have_count(0)
    press(page, "Send")
    expect(turns(page).nth(1)).to_contain_text("<img")
    assert page.title() == title


def test_the_page_says_where_sound_goes(speaking: Browser, tmp_path: Path) -> None:
    recogniser = ScriptedRecogniser("x", destination="gpu-host:8000")
    with serving(f"sqlite:///{tmp_path / 'viva.db'}", recogniser=recogniser) as site:
        context = allowed(speaking)
        page = context.new_page()
        start(page, site)
        press(page, "Voice")
        expect(page.get_by_role("dialog")).to_contain_text("is sent to gpu-host:8000")
        context.close()


SPY = """
window.said = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
  speak: (utterance) => window.said.push(utterance.text),
  cancel: () => window.said.push("(silence)"),
  getVoices: () => [{ name: "Ada", lang: "en-GB", voiceURI: "ada" }],
  addEventListener: () => undefined,
} });
localStorage.setItem("viva:speaker", "on");
"""


def test_the_interviewer_speaks_and_falls_silent_when_the_person_starts(
    speaking: Browser, tmp_path: Path
) -> None:
    recogniser = ScriptedRecogniser(heard(HEARD))
    with serving(f"sqlite:///{tmp_path / 'viva.db'}", recogniser=recogniser) as site:
        context = allowed(speaking)
        context.add_init_script(SPY)
        page = context.new_page()
        start(page, site)
        question = turns(page).first.locator(".said").inner_text()
        becomes(page, "window.said", ["(silence)", question])
        press(page, "Say it again")
        becomes(page, "window.said", ["(silence)", question] * 2)
        spoken(page)
        becomes(page, "window.said.at(-1)", "(silence)")
        press(page, "Send")
        expect(turns(page)).to_have_count(3)
        last = turns(page).nth(2).locator(".said").inner_text()
        becomes(page, "window.said.at(-1)", last)
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_scorecard_of_a_spoken_answer_has_its_delivery_in_reach_of_all(
    opened: Opened, scheme: str
) -> None:
    page = opened(heard(f"{HEARD} {HEARD}", 20.0))
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    spoken(page)
    box(page).fill(f"{HEARD} {HEARD}".replace("wash", "watch"))
    press(page, "Send")
    expect(turns(page)).to_have_count(3)
    finish(page)
    page.get_by_role("link", name="Read the scorecard").click()
    expect(page.get_by_role("article")).to_have_count(4)
    expect(page.get_by_role("img", name="Timeline of answer 1")).to_be_visible()
    expect(page.get_by_role("table").filter(has_text="As heard")).to_be_visible()
    assert serious(page) == []
    on_a_phone(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
