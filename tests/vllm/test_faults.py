"""Whatever the model's server does, a round ends, says what happened, and has lost nothing."""

import asyncio
from pathlib import Path

import pytest

from interviewer.events import ModelFailed, RoundEnded, RoundScored, StatementDropped
from interviewer.session import RoundSession
from tests.vllm.breaker import (
    Fault,
    answering,
    breaking,
    garbles,
    killed,
    silent,
    stalls,
    swells,
    truncates,
)
from tests.vllm.play import ANSWERS, REPLY_S, WRONG, begun, events, opened, play, probes, said
from tests.vllm.server import LENGTH, Running

pytestmark = pytest.mark.anyio
OVERLOADED = answering("429 Too Many Requests", "retry-after: 60\r\n")
DOWN = answering("503 Service Unavailable")
PAGE = answering("200 OK", "content-type: text/html\r\n", "<h1>Login</h1>")


@pytest.fixture(scope="module")
def home(vllm: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One installation for all of these rounds, whose prefix the server has cached."""
    folder = tmp_path_factory.mktemp("faults")

    async def warm() -> None:
        async with opened(vllm.url, folder, vllm.model) as viva:
            await begun(viva)

    asyncio.run(warm())
    return folder


async def through(
    vllm: Running, folder: Path, fault: Fault, times: int = 10_000, timeout_s: float = REPLY_S
) -> RoundSession:
    async with (
        breaking(vllm.root, fault, times) as breaker,
        opened(breaker.url, folder, vllm.model, timeout_s=timeout_s) as viva,
    ):
        session = await play(viva)
        assert breaker.broken
        return session


def is_whole(session: RoundSession, answers: tuple[str, ...] = ANSWERS) -> bool:
    """Ended, scored, and every word of the candidate in the log."""
    heard = said(session)
    wanted = [answers[min(n, len(answers) - 1)] for n in range(len(heard))]
    ended = len(events(session, RoundEnded)) == len(events(session, RoundScored)) == 1
    return ended and session.status == "over" and len(heard) >= 2 and heard == wanted


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param(killed, "truncated", id="fault_09-killed_in_mid_stream"),
        pytest.param(OVERLOADED, "rate_limited", id="429_for_longer_than_anybody_waits"),
        pytest.param(DOWN, "server", id="503_for_a_minute"),
        pytest.param(truncates, "truncated", id="truncated_in_an_event"),
        pytest.param(garbles, "protocol", id="invalid_utf8"),
        pytest.param(swells(1_100_000), "protocol", id="a_delta_over_the_bound"),
        pytest.param(PAGE, "protocol", id="wrong_content_type"),
    ],
)
async def test_a_fault_is_named_and_the_card_goes_on(
    fault: Fault, kind: str, vllm: Running, home: Path
) -> None:
    session = await through(vllm, home, fault)
    assert is_whole(session)
    assert [(f.role, f.kind) for f in events(session, ModelFailed)] == [("interviewer", kind)]
    assert {probe.speaker for probe in probes(session)} == {"card"}


@pytest.mark.parametrize(
    ("fault", "waits_for"),
    [
        pytest.param(stalls, "next token", id="fault_28-stalls_after_ten_tokens"),
        pytest.param(silent, "first token", id="fault_29-the_clock_of_30_s_runs_out"),
    ],
)
async def test_the_clock_of_a_call_ends_it(
    fault: Fault, waits_for: str, vllm: Running, home: Path
) -> None:
    # The clock is VIVA_LLM_TIMEOUT_S, 30 s unless set; the model's first words must come within it.
    session = await through(vllm, home, fault, timeout_s=20)
    assert is_whole(session)
    (failed,) = events(session, ModelFailed)
    assert (failed.kind, waits_for in failed.message) == ("timeout", True)


async def test_a_429_that_asks_for_a_second_is_obeyed_and_forgotten(
    vllm: Running, home: Path
) -> None:
    soon = answering("429 Too Many Requests", "retry-after: 1\r\n")
    session = await through(vllm, home, soon, times=1)
    assert is_whole(session)
    assert events(session, ModelFailed) == []


async def test_a_503_that_passes_within_the_retries_is_not_noticed(
    vllm: Running, home: Path
) -> None:
    session = await through(vllm, home, DOWN, times=2)
    assert is_whole(session)
    assert events(session, ModelFailed) == []


async def test_a_delta_of_a_megabyte_is_left_out_and_the_card_asks(
    vllm: Running, home: Path
) -> None:
    session = await through(vllm, home, swells(1_000_000))
    assert is_whole(session)
    assert {dropped.reason for dropped in events(session, StatementDropped)} == {"too_long"}
    assert max(len(probe.text) for probe in probes(session)) < 1_000


async def test_an_answer_that_overflows_the_context_is_named(vllm: Running, home: Path) -> None:
    # Numbers take a token for each digit: more tokens than the server's whole context.
    long = " ".join(str(number) for number in range(100_000, 100_000 + LENGTH // 5))[:19_000]
    async with opened(vllm.url, home, vllm.model) as viva:
        session = await play(viva, (WRONG, long, *ANSWERS[2:]))
    assert is_whole(session, (WRONG, long, *ANSWERS[2:]))
    (failed,) = events(session, ModelFailed)
    assert (failed.kind, "context length" in failed.message) == ("bad_request", True)


async def test_a_model_that_was_renamed_is_named_before_the_first_answer(
    vllm: Running, home: Path
) -> None:
    async with opened(vllm.url, home, "renamed") as viva:
        session = await play(viva)
    assert is_whole(session)
    (failed,) = events(session, ModelFailed)
    assert (failed.kind, "model's name" in failed.message) == ("bad_request", True)


async def test_a_judge_that_is_killed_is_a_state_and_not_a_score(vllm: Running, home: Path) -> None:
    async with (
        breaking(vllm.root, killed) as breaker,
        opened(breaker.url, home, vllm.model, judge="vllm") as viva,
    ):
        session = await play(viva)
    by_rule, judged = (event.scorecard for event in events(session, RoundScored))
    assert by_rule.scorer.startswith("rule/")
    assert judged.scorer == f"judge/{vllm.model}"
    assert {score.state for score in judged.scores} == {"parse_failed"}
    assert said(session)
