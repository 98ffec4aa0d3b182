"""The catalogue as an MCP server over stdio: names, descriptions and schemas are the registry's.

Imported only by `viva tools mcp`; the SDK is the optional extra `mcp`.
"""

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from tools.catalog import CATALOG
from tools.result import ToolError

INSTRUCTIONS = (
    "Pure calculators and simulators for LLM inference, statistics and fleets. GB is 1e9 bytes and "
    "GiB 2^30; every result states its unit, formula, assumptions, warnings and source. A bad "
    "argument is answered with the field, the value given and the remedy. Nothing is guessed."
)


def server() -> Server[Any]:
    """A server that lists and calls the tools of the catalogue; it holds no state."""
    return Server(
        "viva-tools",
        version=version("viva"),
        title="Viva's calculators",
        instructions=INSTRUCTIONS,
        on_list_tools=_list,
        on_call_tool=_call,
    )


def serve() -> None:
    """Serve on stdin and stdout until the client closes them."""
    anyio.run(_serve)


async def _serve() -> None:
    made = server()
    async with stdio_server() as (reading, writing):
        await made.run(reading, writing, made.create_initialization_options())


async def _list(context: object, params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(
        tools=[
            Tool(
                name=tool.name,
                title=tool.summary,
                description=tool.description,
                input_schema=tool.schema(),
                annotations=ToolAnnotations(
                    read_only_hint=True, idempotent_hint=True, open_world_hint=False
                ),
            )
            for tool in CATALOG.values()
        ]
    )


async def _call(context: object, params: CallToolRequestParams) -> CallToolResult:
    if params.name not in CATALOG:
        raise MCPError(
            INVALID_PARAMS, f"No tool is named {params.name[:100]!r}; tools/list names them all."
        )
    # A long simulation must not keep the server from answering a ping.
    return await anyio.to_thread.run_sync(_answer, params.name, params.arguments or {})


def _answer(name: str, arguments: Mapping[str, object]) -> CallToolResult:
    try:
        result = CATALOG[name].call(arguments)
    except ToolError as error:
        return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
    # A simulator's trace is large, and the same call gives it again on its page.
    kept = result.model_dump(mode="json", exclude={"trace"})
    return CallToolResult(content=[TextContent(text=json.dumps(kept))], structured_content=kept)
