"""An answer spoken into the page: recorded, heard, checked, corrected, sent, and every way out."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, expect

from interviewer.dictations import Dictations
from interviewer.errors import VoiceError
from interviewer.heard import Heard, HeardWord, Span
from interviewer.voice.scripted import Script, ScriptedRecogniser
from tests.browser.conftest import watch
from tests.browser.serving import serving
from tests.browser.sound import allowed, hearing, tone, write_wav
from tests.browser.steps import CARD, box, finish, serious, start, turns

HEARD = "I would um batch them. Because 70 GB over 4.8 TB/s is 14.6 ms. Next I wash the p99."


def heard(text: str, seconds: float = 3.0, doubtful: str = "wash") -> Heard:
    words = text.split()
    step = seconds / len(words)
    return Heard(
        text=text,
        words=tuple(
            HeardWord(
                text=word,
                start=n * step,
                end=(n + 1) * step,
                confidence=0.2 if word == doubtful else 0.9,
            )
            for n, word in enumerate(words)
        ),
        speech=(Span(start=0, end=seconds),),
        seconds=seconds,
        recogniser="scripted",
    )


@pytest.fixture(scope="module")
def speaking(
    playwright: Playwright, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser whose microphone hums for ever."""
    wav = write_wav(tmp_path_factory.mktemp("sound") / "hum.wav", tone(2))
    with hearing(playwright, chromium, wav) as browser:
        yield browser


Opened = Callable[..., Page]


@pytest.fixture
def opened(speaking: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Opens a round on a server that hears by this script; the page must raise no error."""
    faults: list[str] = []
    ends: list[Callable[[], object]] = []

    def make(
        *script: Script, checked: bool = True, longest: int | None = None, card: str = CARD
    ) -> Page:
        recogniser = ScriptedRecogniser(*(script or (heard(HEARD),)))
        server = serving(f"sqlite:///{tmp_path / 'viva.db'}", recogniser=recogniser)
        site = server.__enter__()
        context = allowed(speaking, checked=checked)
        page = context.new_page()
        watch(page, site, faults)
        if longest:
            # The bound of half an hour, brought near.
            monkeypatch.setattr(Dictations, "longest", longest)
        ends.extend((context.close, lambda: server.__exit__(None, None, None)))
        start(page, site, card)
        return page

    yield make
    for end in ends:
        end()
    assert faults == []


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def words(page: Page) -> Locator:
    """What the panel says."""
    return page.locator("#voice-words")


def record(page: Page) -> None:
    press(page, "Speak")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#voice-time")).to_have_text(re.compile(r"0:0[1-9]"))


def until(page: Page, expression: str, wanted: object = True) -> None:
    """Wait for a value; the page's policy forbids Playwright's own way of waiting for one."""
    for _ in range(100):
        if page.evaluate(expression) == wanted:
            return
        page.wait_for_timeout(50)
    assert page.evaluate(expression) == wanted


def spoken(page: Page) -> None:
    record(page)
    press(page, "Done")
    expect(page.get_by_role("heading", name="What was heard")).to_be_visible()


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
    until(page, "document.getElementById('review-sound').currentTime > 0.1")


def test_everything_is_done_by_keys(opened: Opened) -> None:
    page = opened()
    page.get_by_role("log").focus()
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_timeout(400)
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
    expect(page.locator("#voice-time")).to_have_text(re.compile(r"0:0[1-9]"))
    page.keyboard.up("v")
    expect(words(page)).to_contain_text("Paused")


def test_a_reload_goes_on_with_the_same_answer(opened: Opened) -> None:
    page = opened()
    record(page)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.locator("#voice-time")).to_have_text(re.compile(r"0:0[1-9]"))
    press(page, "Go on")
    expect(page.locator("#voice-time")).to_have_text(re.compile(r"0:0[2-9]"))
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


def test_what_is_said_while_the_server_is_away_is_handed_over_when_it_is_back(
    speaking: Browser, tmp_path: Path
) -> None:
    database, recogniser = f"sqlite:///{tmp_path / 'viva.db'}", ScriptedRecogniser(heard(HEARD))
    context = allowed(speaking)
    page = context.new_page()
    with serving(database, recogniser=recogniser) as site:
        start(page, site)
        record(page)
        port = urlsplit(site).port or 0
    expect(words(page)).to_contain_text("not on the server yet")
    with serving(database, recogniser=recogniser, port=port):
        press(page, "Done")
        said = page.locator("#voice-time").inner_text()
        expect(box(page)).to_have_value(HEARD, timeout=30_000)
        assert len(recogniser.asked[-1].pcm) / 32_000 > int(said[-2:]) - 1
        assert recogniser.asked[-1].pcm.lstrip(b"\0").count(bytes(320)) == 0
        context.close()


def test_what_was_said_while_the_server_was_away_survives_closing_the_page(
    speaking: Browser, tmp_path: Path
) -> None:
    database, recogniser = f"sqlite:///{tmp_path / 'viva.db'}", ScriptedRecogniser(heard(HEARD))
    context = allowed(speaking)
    page = context.new_page()
    with serving(database, recogniser=recogniser) as site:
        url = start(page, site)
        record(page)
        port = urlsplit(site).port or 0
    expect(words(page)).to_contain_text("not on the server yet")
    said = int(page.locator("#voice-time").inner_text()[-2:])
    page.close(run_before_unload=False)
    with serving(database, recogniser=recogniser, port=port):
        again = context.new_page()
        again.goto(url)
        expect(again.locator("#voice-time")).to_have_text(re.compile(f"0:0[{said - 1}-9]"))
        press(again, "Done")
        expect(box(again)).to_have_value(HEARD)
        assert len(recogniser.asked[-1].pcm) / 32_000 > said - 1
        context.close()


def test_speaking_on_after_the_check_takes_the_words_back(opened: Opened) -> None:
    page = opened(heard("The first half."), heard("The first half. And the second."))
    spoken(page)
    press(page, "Speak on")
    expect(box(page)).to_have_value("")
    page.wait_for_timeout(500)
    press(page, "Done")
    expect(box(page)).to_have_value("The first half. And the second.")


def test_a_discarded_answer_leaves_the_box_as_it_was(opened: Opened) -> None:
    page = opened()
    spoken(page)
    press(page, "Discard")
    expect(box(page)).to_have_value("")
    expect(words(page)).to_be_empty()
    expect(page.get_by_role("button", name="Speak")).to_be_visible()


def test_a_failed_recognition_says_why_and_can_be_tried_again(opened: Opened) -> None:
    page = opened(VoiceError("crashed", "The recogniser stopped. Try again."), heard(HEARD))
    record(page)
    press(page, "Done")
    expect(words(page)).to_contain_text("The recogniser stopped.")
    press(page, "Try again")
    expect(box(page)).to_have_value(HEARD)


def test_the_check_shows_the_level_and_reads_back_what_was_said(opened: Opened) -> None:
    page = opened(heard("The cache grows."), heard(HEARD), checked=False)
    press(page, "Speak")
    dialog = page.get_by_role("dialog", name="Voice")
    expect(dialog).to_be_visible()
    assert serious(page) == []
    press(page, "Check it for three seconds")
    expect(dialog).to_contain_text("Heard: The cache grows.", timeout=10_000)
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
    assert list(tmp_path.glob("viva-audio/*/*.*")) == []
    press(page, "Voice")
    page.get_by_label("Keep the sound of my answers").check()
    press(page, "Close")
    record(page)
    expect(words(page)).to_contain_text("Its sound is kept.")
    press(page, "Done")
    expect(page.get_by_role("heading", name="What was heard")).to_be_visible()
    press(page, "Send")
    expect(turns(page)).to_have_count(5)
    for _ in range(100):  # It is packed by a process of its own.
        if [path.suffix for path in tmp_path.glob("viva-audio/*/*.*")] == [".webm"]:
            break
        page.wait_for_timeout(50)
    assert [path.suffix for path in tmp_path.glob("viva-audio/*/*.*")] == [".webm"]


def test_the_second_tab_has_the_microphone_and_the_first_lets_go_of_it(opened: Opened) -> None:
    page = opened()
    record(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect(page.get_by_role("button", name="Take over here")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    press(other, "Go on")
    expect(other.get_by_role("button", name="Pause")).to_be_visible()
    press(other, "Done")
    expect(box(other)).to_have_value(HEARD)


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
    page.set_viewport_size({"width": 390, "height": 844})
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


def test_a_refused_microphone_is_explained_and_typing_goes_on(
    playwright: Playwright, chromium: str, tmp_path: Path
) -> None:
    recogniser = ScriptedRecogniser(HEARD)
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    with (
        hearing(playwright, chromium, None) as browser,
        serving(database, recogniser=recogniser) as site,
    ):
        page = _refusing(browser)
        start(page, site)
        press(page, "Speak")
        expect(words(page)).to_contain_text(re.compile("microphone", re.IGNORECASE))
        box(page).fill("Typed.")
        press(page, "Send")
        expect(turns(page).nth(1)).to_contain_text("Typed.")


def _refusing(browser: Browser) -> Page:
    context = browser.new_context()
    context.add_init_script("localStorage.setItem('viva:voice-checked', 'yes')")
    return context.new_page()


def test_an_unplugged_microphone_is_said_and_the_answer_stays(opened: Opened) -> None:
    page = opened()
    page.evaluate(STEAL_TRACK)
    record(page)
    page.evaluate("window.stolen.dispatchEvent(new Event('ended'))")
    expect(words(page)).to_contain_text("The microphone is gone")
    press(page, "Done")
    expect(box(page)).to_have_value(HEARD)


def test_a_muted_microphone_is_said(opened: Opened) -> None:
    page = opened()
    page.evaluate(STEAL_TRACK)
    record(page)
    page.evaluate("window.stolen.enabled = false")
    expect(words(page)).to_contain_text("gives no sound", timeout=10_000)


STEAL_TRACK = """() => {
  const devices = navigator.mediaDevices, ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wish) => {
    const stream = await ask(wish);
    window.stolen = stream.getAudioTracks()[0];
    return stream;
  };
}"""


def test_the_longest_answer_stops_by_itself_and_all_of_it_is_kept(opened: Opened) -> None:
    page = opened(longest=12)
    press(page, "Speak")
    expect(words(page)).to_contain_text("All of it is kept: press Done")
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    press(page, "Done")
    expect(box(page)).to_have_value(HEARD)


def test_without_https_the_page_says_why_there_is_no_microphone(
    speaking: Browser, tmp_path: Path
) -> None:
    with serving(f"sqlite:///{tmp_path / 'viva.db'}", recogniser=ScriptedRecogniser("x")) as site:
        context: BrowserContext = allowed(speaking)
        context.add_init_script(
            "Object.defineProperty(window, 'isSecureContext', {get: () => false})"
        )
        page = context.new_page()
        start(page, site)
        expect(words(page)).to_contain_text("over https")
        expect(words(page)).to_contain_text(f"ssh -L {urlsplit(site).port}")
        expect(page.get_by_role("button", name="Speak")).to_be_hidden()
        context.close()


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
        assert page.evaluate("window.said") == ["(silence)", question]
        press(page, "Say it again")
        assert page.evaluate("window.said") == ["(silence)", question] * 2
        spoken(page)
        assert page.evaluate("window.said.at(-1)") == "(silence)"
        press(page, "Send")
        expect(turns(page)).to_have_count(3)
        last = turns(page).nth(2).locator(".said").inner_text()
        until(page, "window.said.at(-1)", last)
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
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
