"""The catalogue over MCP: the SDK's own client against a real `viva tools mcp` on stdio."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

from tools.catalog import CATALOG

VIVA = str(Path(sys.executable).parent / "viva")
EXAMPLE = {"model": "Llama-3.3-70B", "tokens": 8192}


@asynccontextmanager
async def connected(*flags: str) -> AsyncIterator[Client]:
    started = StdioServerParameters(command=VIVA, args=["tools", *flags])
    async with Client(stdio_client(started)) as client:
        yield client


def words(answer: CallToolResult) -> str:
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return content.text


def structure(answer: CallToolResult) -> dict[str, Any]:
    assert not answer.is_error
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


@pytest.mark.parametrize("flag", ["mcp", "--mcp"])
async def test_every_tool_is_listed_with_the_schema_of_the_registry(flag: str) -> None:
    async with connected(flag) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == list(CATALOG)
    assert all(tool.input_schema == CATALOG[tool.name].schema() for tool in listed)
    assert all(tool.description == CATALOG[tool.name].description for tool in listed)


async def test_a_call_answers_with_the_whole_result_as_text_and_as_structure() -> None:
    async with connected("mcp") as client:
        answer = await client.call_tool("kv_cache", EXAMPLE)
    # 2 x 80 layers x 8 KV heads x 128 x 2 B, from the model's config.json.
    assert structure(answer)["value"] == 327_680
    assert json.loads(words(answer)) == structure(answer)


async def test_a_simulators_trace_is_left_out_for_its_size() -> None:
    async with connected("mcp") as client:
        answer = await client.call_tool("static_vs_continuous", {"lengths": "2,8", "slots": 2})
    assert structure(answer)["measures"]["static"]["value"] == 8
    assert "trace" not in structure(answer)


async def test_a_bad_argument_is_a_tool_error_with_field_value_and_remedy() -> None:
    async with connected("mcp") as client:
        answer = await client.call_tool("kv_cache", {**EXAMPLE, "tokenz": 5})
    assert answer.is_error
    assert "tokenz" in words(answer)
    assert "did you mean tokens?" in words(answer)


async def test_the_server_goes_on_after_a_bad_argument() -> None:
    async with connected("mcp") as client:
        await client.call_tool("stats", {"successes": 12, "trials": 11})
        answer = await client.call_tool("stats", {"successes": 8, "trials": 11})
    assert structure(answer)["measures"]["rate"]["value"] == pytest.approx(8 / 11)


async def test_an_unknown_tool_is_a_protocol_error_that_names_it() -> None:
    async with connected("mcp") as client:
        with pytest.raises(MCPError, match="crystal_ball"):
            await client.call_tool("crystal_ball", {})


def test_the_flag_does_not_go_with_another_command() -> None:
    out = subprocess.run([VIVA, "tools", "--mcp", "list"], capture_output=True, text=True)
    assert out.returncode == 2
    assert "--mcp" in out.stderr


def test_without_the_sdk_the_command_says_how_to_install_it() -> None:
    code = "import sys; sys.modules['mcp'] = None\nfrom viva import main; main(['tools', 'mcp'])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.returncode == 1
    assert "uv sync --extra mcp" in out.stderr
