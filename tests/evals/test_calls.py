"""Calls are paid once: logged by content, taken up after a kill, and counted against a budget."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evals.budget import Budget, BudgetSpent
from interviewer.errors import LLMError
from tests.evals.replies import CountingLLM, ask, calls_in, logged
from tests.patience import wait_until


async def test_the_same_call_is_asked_once(tmp_path: Path) -> None:
    llm, calls = CountingLLM(), calls_in(tmp_path)
    first = await logged(calls, llm).reply(ask("hello there"))
    again = await logged(calls, llm).reply(ask("hello there", priority=10))
    assert first == again
    assert llm.asked == ["hello there"]
    assert calls.meter.by_role["judge"].recalled == 1


async def test_a_recalled_reply_streams_in_words_like_any_other(tmp_path: Path) -> None:
    llm, calls = CountingLLM(), calls_in(tmp_path)
    await logged(calls, llm).reply(ask("a b c"))
    heard: list[str] = []
    reply = await logged(calls, llm).reply(ask("a b c"), heard.append)
    assert heard == ["A", " B", " C"]
    assert reply.text == "A B C"


@pytest.mark.parametrize(("scope", "text"), [("case#1", "hello"), ("case#0", "hello!")])
async def test_another_repeat_or_another_word_is_another_call(
    tmp_path: Path, scope: str, text: str
) -> None:
    llm, calls = CountingLLM(), calls_in(tmp_path)
    await logged(calls, llm).reply(ask("hello"))
    await logged(calls, llm, scope).reply(ask(text))
    assert len(llm.asked) == 2


async def test_a_resumed_run_takes_its_replies_from_the_disk(tmp_path: Path) -> None:
    await logged(calls_in(tmp_path), CountingLLM()).reply(ask("hello"))
    llm = CountingLLM()
    reply = await logged(calls_in(tmp_path, resume=True), llm).reply(ask("hello"))
    assert (reply.text, reply.usage.prompt_tokens) == ("HELLO", 10)
    assert llm.asked == []


async def test_without_resume_a_run_begins_anew(tmp_path: Path) -> None:
    await logged(calls_in(tmp_path), CountingLLM()).reply(ask("hello"))
    assert len(calls_in(tmp_path).log) == 0


async def test_a_line_that_was_torn_by_a_kill_is_cut_off(tmp_path: Path) -> None:
    await logged(calls_in(tmp_path), CountingLLM()).reply(ask("hello"))
    with (tmp_path / "calls.jsonl").open("ab") as file:
        file.write(b'{"key": "half a li')
    calls, llm = calls_in(tmp_path, resume=True), CountingLLM()
    await logged(calls, llm).reply(ask("more"))
    assert len(calls_in(tmp_path, resume=True).log) == 2


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    llm, calls = CountingLLM(LLMError("refused", "no")), calls_in(tmp_path)
    with pytest.raises(LLMError):
        await logged(calls, llm).reply(ask("hello"))
    assert (await logged(calls, llm).reply(ask("hello"))).text == "HELLO"


@pytest.mark.parametrize(
    ("limits", "name"),
    [(Budget(calls=2), "calls=2"), (Budget(tokens=30), "tokens=30")],
)
async def test_a_spent_budget_stops_the_next_call_and_no_recalled_one(
    tmp_path: Path, limits: Budget, name: str
) -> None:
    llm, calls = CountingLLM(), calls_in(tmp_path, budget=limits)
    for text in ("one", "two"):
        await logged(calls, llm).reply(ask(text))
    with pytest.raises(BudgetSpent, match=name):
        await logged(calls, llm).reply(ask("three"))
    assert (await logged(calls, llm).reply(ask("one"))).text == "ONE"


def test_money_needs_prices_and_is_counted() -> None:
    budget = Budget.parse("calls=1k, tokens=2M,usd=0.5", "1/2")
    assert (budget.calls, budget.tokens, budget.usd) == (1000, 2_000_000, 0.5)
    with pytest.raises(ValueError, match="--price"):
        Budget.parse("usd=3")


@pytest.mark.parametrize("text", ["calls", "calls=many", "euros=3", "calls=-1"])
def test_a_budget_that_cannot_be_read_says_what_to_give(text: str) -> None:
    with pytest.raises(ValueError, match="give calls="):
        Budget.parse(text)


@pytest.mark.crash
def test_a_killed_run_is_taken_up_and_repeats_only_what_was_in_flight(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.evals.long_run", str(tmp_path)]
    asked, root = tmp_path / "asked.txt", Path(__file__).parents[2]
    run = subprocess.Popen([*command, "12"], cwd=root)
    # Twelve are answered, and four in flight, however late this is seen.
    wait_until(lambda: asked.exists() and asked.read_text().count("\n") == 16)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    subprocess.run([*command, "40"], cwd=root, check=True)
    cases = asked.read_text().split()
    assert set(cases) == {f"case-{n}" for n in range(40)}
    assert len(cases) - 40 == 4  # the four that were in flight when it was killed
    assert (tmp_path / "calls.jsonl").read_bytes().count(b"\n") == 40
