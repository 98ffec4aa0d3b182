"""The rated answers, played as people would: every round ends in a stored scorecard."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.candidate import Candidate
from tests.servers import VivaServer

ANSWERS = Path(__file__).parents[1] / "golden" / "rated-answers.jsonl"
ROWS = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
MORE = "I have nothing to add to that."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VivaServer]:
    with VivaServer(tmp_path_factory.mktemp("viva")) as server:
        yield server


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
async def test_a_rated_answer_ends_in_a_stored_scorecard(
    server: VivaServer, row: dict[str, Any]
) -> None:
    answer = str(row["answer"])
    candidate = Candidate(server, row["card"], lambda number: MORE if number else answer)
    await candidate.play()
    events = [item["event"] for item in await candidate.events()]
    assert next(e["text"] for e in events if e["type"] == "CandidateSpoke") == answer
    scorecard = events[-1]["scorecard"]
    assert {score["part"] for score in scorecard["scores"]} == {
        "claim",
        "number",
        "tradeoff",
        "nextstep",
    }
    assert all_quotes_are_theirs(scorecard, events)


def all_quotes_are_theirs(scorecard: dict[str, Any], events: list[dict[str, Any]]) -> bool:
    """Every span of evidence is exactly the quoted words in the turn that it names."""
    turns = [e for e in events if e["type"] in ("InterviewerSpoke", "CandidateSpoke")]
    evidence = [item for score in scorecard["scores"] for item in score["evidence"]]
    assert evidence or scorecard["overall"] in (None, 1)
    return all(
        turns[item["turn"] - 1]["type"] == "CandidateSpoke"
        and turns[item["turn"] - 1]["text"][item["start"] : item["end"]] == item["quote"]
        for item in evidence
    )
