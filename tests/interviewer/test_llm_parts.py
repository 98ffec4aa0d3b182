"""The parts below the adapters: event decoding, thinking, retries, the script, the builder."""

import asyncio
import subprocess
import sys
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.errors import ConfigError, LLMError
from interviewer.llm.build import build_llm
from interviewer.llm.protocol import Message, Request, ToolCall
from interviewer.llm.retries import Retrying, RetryPolicy
from interviewer.llm.scripted import Say, ScriptedLLM, ScriptEnded
from interviewer.llm.sse import LONGEST_EVENT, EventDecoder
from interviewer.llm.thinking import ThinkingFilter

REQUEST = Request(messages=(Message("user", "Go on."),))


def fed(*chunks: bytes) -> list[bytes]:
    decoder = EventDecoder()
    return [payload for chunk in chunks for payload in decoder.feed(chunk)]


# The example streams of the HTML standard, section "Interpreting an event stream".
def test_the_standards_stock_example_is_one_event_of_three_lines() -> None:
    assert fed(b"data: YHOO\ndata: +2\ndata: 10\n\n") == [b"YHOO\n+2\n10"]


def test_the_standards_example_with_a_comment_and_an_unfinished_event() -> None:
    stream = b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third"
    assert fed(stream) == [b"first event", b"second event"]


def test_one_space_after_the_colon_is_not_content() -> None:
    assert fed(b"data:test\n\ndata: test\n\ndata:  test\n\n") == [b"test", b"test", b" test"]


@given(st.lists(st.binary(min_size=1).map(lambda b: b.hex().encode()), max_size=8), st.data())
def test_any_cutting_of_a_stream_gives_the_same_events(
    payloads: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(b"data: %b\r\n\r\n" % payload for payload in payloads)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert fed(*pieces) == payloads


@pytest.mark.parametrize("pieces", [1, 2, 100])
def test_an_event_over_the_bound_is_refused_however_it_is_cut(pieces: int) -> None:
    longest = b"data: " + b"x" * (LONGEST_EVENT - 6)
    size = LONGEST_EVENT // pieces + 3
    for event, is_over in ((longest, False), (longest + b"x", True)):
        stream = event + b"\n\n"
        chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
        with pytest.raises(LLMError, match="over") if is_over else nullcontext():
            assert fed(*chunks) == [longest[6:]]


def test_an_event_of_many_lines_is_bounded_as_a_whole() -> None:
    lines = [b"data: " + b"x" * 1000 + b"\n"] * (2 + LONGEST_EVENT // 1000)
    with pytest.raises(LLMError, match="over"):
        fed(*lines)


@pytest.mark.parametrize(
    ("deltas", "shown"),
    [
        (["Why", " now?"], "Why now?"),
        (["<think>", "secret", "</think>", "\n\nWhy?"], "Why?"),
        (["<th", "ink>sec</thi", "nk> ", "Why", " now?"], "Why now?"),
        (["\n<think>\n</think>\n\nWhy?"], "Why?"),
        (["<", "3 users?"], "<3 users?"),
        (["<think>never closed"], ""),
        (["Is x <think> y?"], "Is x <think> y?"),
        (["<thin"], "<thin"),
    ],
)
def test_thinking_at_the_start_is_left_out(deltas: list[str], shown: str) -> None:
    thinking = ThinkingFilter()
    assert "".join([*map(thinking.feed, deltas), thinking.close()]) == shown


class Naps:
    """Sleeps in no time and keeps count."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def busy(retry_after_s: float | None = None) -> LLMError:
    return LLMError("rate_limited", "busy", retryable=True, retry_after_s=retry_after_s)


@pytest.mark.anyio
async def test_a_retryable_failure_is_tried_again() -> None:
    llm, naps = ScriptedLLM(busy(), busy(), "Why?"), Naps()
    assert (await Retrying(llm, sleep=naps).reply(REQUEST)).text == "Why?"
    assert len(llm.requests) == 3
    assert 0.25 <= naps.taken[0] <= 0.5 <= naps.taken[1] <= 1.0


@pytest.mark.anyio
async def test_the_last_attempt_raises_its_failure() -> None:
    llm = ScriptedLLM(busy(), busy(), busy())
    with pytest.raises(LLMError, match="busy"):
        await Retrying(llm, sleep=Naps()).reply(REQUEST)


@pytest.mark.anyio
async def test_a_wish_to_wait_is_obeyed_up_to_the_bound() -> None:
    naps = Naps()
    await Retrying(ScriptedLLM(busy(3.0), "Why?"), sleep=naps).reply(REQUEST)
    assert naps.taken == [3.0]


@pytest.mark.anyio
async def test_an_endpoint_that_wants_a_long_pause_is_given_up() -> None:
    llm, policy = ScriptedLLM(busy(60.0)), RetryPolicy(longest_wait_s=8.0)
    with pytest.raises(LLMError):
        await Retrying(llm, policy, sleep=Naps()).reply(REQUEST)
    assert len(llm.requests) == 1


@pytest.mark.anyio
async def test_fault_27_nothing_is_tried_again_once_a_word_was_heard() -> None:
    llm = ScriptedLLM(Say(("Wh",), fails=busy()), "Why?")
    with pytest.raises(LLMError):
        await Retrying(llm, sleep=Naps()).reply(REQUEST)
    assert len(llm.requests) == 1


@pytest.mark.anyio
async def test_what_cannot_help_is_not_tried_again() -> None:
    llm = ScriptedLLM(LLMError("auth", "bad key"), "Why?")
    with pytest.raises(LLMError):
        await Retrying(llm, sleep=Naps()).reply(REQUEST)
    assert len(llm.requests) == 1


@pytest.mark.anyio
async def test_cancelling_a_retried_call_cancels_the_models_own() -> None:
    llm = ScriptedLLM(Say(("One ", "two")))

    def leave(_: str) -> None:
        asking.cancel()

    asking = asyncio.create_task(Retrying(llm).reply(REQUEST, leave))
    await asyncio.wait([asking])
    assert llm.cancelled == 1


@pytest.mark.anyio
async def test_a_script_plays_words_tool_calls_and_answers_to_the_request() -> None:
    call = ToolCall("c1", "stats", "{}")
    llm = ScriptedLLM(
        Say.words("One two three?"),
        Say(tool_calls=(call,)),
        lambda request: f"You said {request.messages[-1].text}",
    )
    assert (await llm.reply(REQUEST)).text == "One two three?"
    assert (await llm.reply(REQUEST)).tool_calls == (call,)
    assert (await llm.reply(REQUEST)).text == "You said Go on."


@pytest.mark.anyio
async def test_a_script_that_ended_is_not_mistaken_for_a_failing_model() -> None:
    with pytest.raises(ScriptEnded, match="1 times"):
        await ScriptedLLM().reply(REQUEST)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["vllm", "openai", "anthropic"])
async def test_each_kind_is_built_with_its_models_name(kind: str) -> None:
    llm = build_llm(kind, "http://127.0.0.1:9/v1", "m-1", "key", cache_salt="s")  # type: ignore[arg-type]
    await llm.aclose()
    assert llm.name == "m-1"
    assert llm.capabilities.priority is (kind == "vllm")


def test_a_provider_without_its_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="API key"):
        build_llm("openai", None, "m-1", None)


def test_importing_the_builder_imports_no_sdk() -> None:
    code = (
        "import sys, interviewer.llm.build, interviewer.llm.scripted;"
        "print({'openai', 'anthropic', 'aiohttp'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
