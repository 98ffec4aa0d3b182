"""What an endpoint can do is told by effect: whatever is ignored comes with status 200."""

from itertools import chain, count

import httpx2
import pytest

from interviewer.errors import ConfigError
from interviewer.models.findings import Ability, Report, State
from interviewer.models.trials import check
from interviewer.models.wire import Answer, Wire
from tests.interviewer.models.endpoint import Pretender

pytestmark = pytest.mark.anyio


async def report(endpoint: Pretender, model: str | None = None) -> Report:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(endpoint))
    async with Wire("http://gpu:8001/v1/", client=client) as wire:
        return await check(wire, model)


@pytest.mark.parametrize(
    ("endpoint", "ability", "state"),
    [
        (Pretender(), "tools_forced", "yes"),
        (Pretender(), "tools_strict", "yes"),
        (Pretender(), "tools_free", "yes"),
        (Pretender(), "json_schema", "yes"),
        (Pretender(), "cache_salt", "yes"),
        (Pretender(), "priority", "unknown"),
        (Pretender(), "messages_api", "no"),
        (Pretender(calls_tools=False), "tools_forced", "ignored"),
        (Pretender(calls_tools=False), "tools_free", "unknown"),
        (Pretender(calls_in_text=True), "tools_free", "ignored"),
        (Pretender(refuses_auto=True), "tools_free", "no"),
        (Pretender(holds_schema=False), "tools_strict", "ignored"),
        (Pretender(holds_schema=False), "json_schema", "ignored"),
        (Pretender(tells_cached=False), "prompt_details", "no"),
        (Pretender(tells_cached=False), "cache_salt", "unknown"),
        (Pretender(heeds_salt=False), "cache_salt", "ignored"),
    ],
)
async def test_an_ability_is_found_by_its_effect(
    endpoint: Pretender, ability: Ability, state: State
) -> None:
    assert (await report(endpoint)).state(ability) == state


@pytest.mark.parametrize(
    ("first_s", "gap_s", "state"),
    [
        (0.05, 0.02, "yes"),
        (30.0, 0.02, "yes"),
        (30.0, 0.001, "yes"),
        (30.0, 0.000_005, "ignored"),
        (0.05, 0.000_005, "ignored"),
    ],
)
async def test_a_stream_is_told_from_a_buffered_one_by_the_time_between_its_words(
    first_s: float, gap_s: float, state: State
) -> None:
    """However long the request stood in a queue. The clock is read at the start and a word."""
    times = chain([0.0], count(first_s, gap_s))
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(Pretender()))
    async with Wire("http://gpu:8001", client=client, now=lambda: next(times)) as wire:
        assert (await check(wire)).state("streaming") == state


async def test_what_is_ignored_is_not_relied_on() -> None:
    found = await report(Pretender(heeds_salt=False, holds_schema=False, calls_in_text=True))
    relied = found.capabilities
    assert (relied.tools, relied.json_schema, relied.cache_salt) == (False, False, False)


async def test_the_version_is_noted_with_the_model() -> None:
    found = await report(Pretender())
    assert (found.model, found.version, found.base_url) == ("m-1", "0.32.0", "http://gpu:8001/v1")


async def test_a_model_that_is_not_served_is_refused_with_those_that_are() -> None:
    with pytest.raises(ConfigError, match="m-1"):
        await report(Pretender(), "renamed")


async def test_a_connection_that_breaks_leaves_its_ability_unknown() -> None:
    def broken(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            raise httpx2.ReadError("cut off")
        return Pretender()(request)

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(broken))
    async with Wire("http://gpu:8001", client=client) as wire:
        found = await check(wire)
    assert {finding.state for finding in found.findings} == {"unknown"}
    assert len(found.findings) == 10


@pytest.mark.parametrize("calls", [["x"], [None], [{"function": "y"}], [{}], [7]])
async def test_tool_calls_that_are_no_objects_are_read_without_a_fault(calls: list[object]) -> None:
    answer = Answer(200, {"choices": [{"message": {"tool_calls": calls}}]})
    assert answer.calls == [("None", "None")]
