"""Stories are kept in every version, told in rounds, and taken out without being lost."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from interviewer.errors import LLMError, UnknownStory
from interviewer.events import StoryWritten
from interviewer.llm.scripted import ScriptedLLM
from interviewer.migrations import migrate
from interviewer.prompts import PromptLibrary
from interviewer.store import EventStore
from interviewer.stories.contradictions import Source
from interviewer.stories.coverage import coverage, fit
from interviewer.stories.second_look import look
from interviewer.stories.shelf import Stories
from questions.library import load

FIRST = StoryWritten(title="Routing", action="I built it.", covers=("BEH-FAIL",))
SAID = ((2, "I decided alone to stop it. The team was for it."),)
SOURCES = (Source("story", "My manager decided to stop it. I was against that."),)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EventStore]:
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    opened = EventStore(url)
    yield opened
    opened.close()


async def test_a_story_is_kept_and_found_again(store: EventStore) -> None:
    kept = await Stories(store).write(FIRST)
    assert await Stories(store).list() == [kept]
    assert kept.written == FIRST


async def test_the_newest_version_counts_and_the_older_ones_stay(store: EventStore) -> None:
    stories = Stories(store)
    kept = await stories.write(FIRST)
    await stories.write(FIRST.model_copy(update={"action": "I stopped it."}), kept.id)
    assert (await stories.open(kept.id)).written.action == "I stopped it."
    assert len(await store.of_type(StoryWritten)) == 2


async def test_tellings_are_kept_in_order(store: EventStore) -> None:
    stories = Stories(store)
    kept = await stories.write(FIRST)
    for round_id in ("r1", "r2"):
        await stories.tell(kept.id, round_id, "BEH-FAIL")
    assert [one.round for one in (await stories.open(kept.id)).tellings] == ["r1", "r2"]


async def test_a_removed_story_leaves_the_bank_but_can_be_written_anew(store: EventStore) -> None:
    stories = Stories(store)
    kept = await stories.write(FIRST)
    await stories.remove(kept.id)
    assert await stories.list() == []
    assert (await stories.open(kept.id)).removed
    await stories.write(FIRST, kept.id)
    assert len(await stories.list()) == 1


async def test_an_unknown_story_is_told(store: EventStore) -> None:
    with pytest.raises(UnknownStory, match="no story 'nope'"):
        await Stories(store).tell("nope", "r1", "BEH-FAIL")


async def test_questions_without_a_story_come_first(store: EventStore) -> None:
    kept = await Stories(store).write(FIRST)
    covered = coverage(load().cards, [kept])
    assert covered[0].by == ()
    assert [one.card.id for one in covered if one.by] == ["BEH-FAIL"]


async def test_a_model_answer_fits_its_own_question(store: EventStore) -> None:
    library = load()
    for card_id in ("BEH-FAIL", "BEH-CONFLICT", "BEH-PRIORITY"):
        card = library.get(card_id)
        written = FIRST.model_copy(update={"action": card.model_answer, "covers": ()})
        assert fit(card, await Stories(store).write(written)) >= 0.5


def reply(*pairs: tuple[str, str]) -> str:
    found = [{"telling_quote": ours, "story_quote": theirs} for ours, theirs in pairs]
    return json.dumps({"contradictions": found})


async def test_the_judge_finds_what_stands_word_for_word_in_both() -> None:
    llm = ScriptedLLM(reply(("I decided alone to stop it.", "My manager decided to stop it.")))
    check = await look(llm, PromptLibrary(), "r1", SAID, SOURCES)
    assert [(one.said, one.stated, one.turn) for one in check.found] == [
        ("I decided alone to stop it.", "My manager decided to stop it.", 2)
    ]


@pytest.mark.parametrize(
    "pair",
    [
        ("I never said this.", "My manager decided to stop it."),
        ("I decided alone to stop it.", "This is not in the story."),
        ("", ""),
    ],
)
async def test_a_quote_that_nobody_said_is_dropped(pair: tuple[str, str]) -> None:
    check = await look(ScriptedLLM(reply(pair)), PromptLibrary(), "r1", SAID, SOURCES)
    assert (check.found, check.failed) == ((), "")


@pytest.mark.parametrize("text", ["no JSON", '{"contradictions": 3}', "", "{" * 5000])
async def test_a_reply_that_cannot_be_read_is_told(text: str) -> None:
    check = await look(ScriptedLLM(text), PromptLibrary(), "r1", SAID, SOURCES)
    assert "could not be read" in check.failed


async def test_a_judge_that_cannot_be_asked_is_told() -> None:
    llm = ScriptedLLM(LLMError("timeout", "too slow"))
    check = await look(llm, PromptLibrary(), "r1", SAID, SOURCES)
    assert check.failed == "the judge could not be asked: too slow (timeout)"
