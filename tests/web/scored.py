"""A scored round as a log, in whatever words a test wants, and an application that holds it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fastapi.testclient import TestClient

from interviewer.events import CandidateSpoke, Event, InterviewerSpoke, RoundEnded, RoundScored
from interviewer.events import RoundStarted as Started
from interviewer.scoring.material import Scorer
from interviewer.settings import Settings
from interviewer.store import EventStore
from questions.library import Library
from rubrics.scorecard import Evidence, NumberFinding, Part, RedFlag, Score, Scorecard
from tests.web.rig import CARD, LIBRARY, Script, viva_of
from web.app import create_app

AT = datetime(2026, 11, 29, 15, 0, tzinfo=UTC)
ROUND = "0123456789abcdef"
ANSWER = "It takes 14.6 ms, because 70 GB of weights are read. Next I would measure it."
QUOTE = "because 70 GB of weights are read"
START = ANSWER.index(QUOTE)


@dataclass(frozen=True)
class App:
    """An application under test with its in-process client."""

    client: TestClient
    store: EventStore

    def add(self, *events: Event, round_id: str = ROUND) -> str:
        """Write the events as a round; its path."""
        append = partial(self.store.append, round_id, 1, *events, at=AT)
        assert self.client.portal is not None
        self.client.portal.call(append)
        return f"/rounds/{round_id}"


@contextmanager
def application(
    store: EventStore,
    library: Library = LIBRARY,
    root_path: str = "",
    scorers: Sequence[Scorer] = (),
) -> Iterator[App]:
    settings = Settings(root_path=root_path, hosts=("testserver",))
    app = create_app(settings, viva_of(settings, store, Script(), library, *scorers))
    headers = {"accept": "text/html"}
    with TestClient(app, headers=headers, root_path=root_path, follow_redirects=False) as client:
        yield App(client, store)


def started(**changes: Any) -> Started:
    card = LIBRARY.get(CARD)
    event = Started(
        card=card.id,
        card_hash=card.hash,
        title=card.title,
        question=card.question,
        kind=card.kind,
        rubric=card.rubric,
        limit_s=card.limit_s,
        interviewer="card",
    )
    return event.model_copy(update=changes)


def asked(text: str = "How fast?") -> InterviewerSpoke:
    return InterviewerSpoke(text=text, purpose="question", speaker="card", limit_s=180)


def answered(text: str = ANSWER, **changes: Any) -> CandidateSpoke:
    return CandidateSpoke(client_id="c1", text=text).model_copy(update=changes)


def evidence(quote: str = QUOTE, start: int = START) -> Evidence:
    return Evidence(turn=2, quote=quote, start=start, end=start + len(quote))


def score(part: Part, level: int | None, **changes: Any) -> Score:
    given: dict[str, Any] = {
        "part": part,
        "level": level,
        "reason": f"why {part}",
        "evidence": (evidence(),),
    }
    if level is None:
        given |= {"state": "not_assessed", "evidence": ()}
    return Score.model_validate(given | changes)


def scorecard(**changes: Any) -> Scorecard:
    scores = (
        score(Part.CLAIM, 3),
        score(Part.NUMBER, 2, improve="say where it comes from"),
        score(Part.TRADEOFF, 1, evidence=()),
        score(Part.NEXTSTEP, None, reason="nothing was said"),
    )
    made = Scorecard(
        rubric="technical",
        rubric_hash="0000000000000000",
        scorer="rule/5",
        card=CARD,
        card_hash="1111111111111111",
        scores=scores,
        overall=2,
        numbers=(number("14.6 ms", "right", "14.58 ms"), number("70 GB", "slip", "140 GB")),
        red_flags=(RedFlag(flag="Invented source", why="It cannot be checked."),),
        say_instead="The trade-off is latency for throughput.",
    )
    return made.model_copy(update=changes)


def number(said: str, verdict: str, right: str, **changes: Any) -> NumberFinding:
    start = ANSWER.index(said)
    given = {
        "said": said,
        "turn": 2,
        "start": start,
        "end": start + len(said),
        "verdict": verdict,
        "right": right,
        "tool": "decode_roofline",
        "arguments": {"gpu": "H200", "weights_gb": 70.0},
        "formula": "70 GB / 4.8 TB/s",
        "source": "roofline",
    }
    return NumberFinding.model_validate(given | changes)


def scored_events(card: Scorecard | None = None, **changes: Any) -> tuple[Event, ...]:
    """A whole round: asked, answered, ended, scored."""
    ended = RoundEnded(reason="finished")
    verdict = RoundScored(scorecard=card or scorecard(**changes))
    return started(), asked(), answered(), ended, verdict
