"""The calculators over HTTP, from the definitions behind every other surface."""

from copy import deepcopy
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from tools.catalog import CATALOG
from tools.result import Result
from web.failures import documented
from web.strict import StrictRoute

PREFIX = "/api/tools"
router = APIRouter(prefix=PREFIX, route_class=StrictRoute, tags=["tools"])


class ToolView(BaseModel):
    """A calculator with the JSON schema of its arguments."""

    name: str
    group: str
    summary: str
    description: str
    arguments: dict[str, Any]


@router.get("", name="api_tools")
async def tools() -> list[ToolView]:
    """Every calculator."""
    return [
        ToolView(
            name=tool.name,
            group=tool.group,
            summary=tool.summary,
            description=tool.description,
            arguments=tool.schema(),
        )
        for tool in CATALOG.values()
    ]


@router.post("/{name}", responses=documented(404, 422))
def call(name: str, arguments: Annotated[dict[str, Any], Body()]) -> Result:
    """Compute; a bad argument is answered with its field, the value given and the remedy."""
    # Not a coroutine: a slow simulation runs in a thread and no round waits for it.
    if name not in CATALOG:
        raise HTTPException(404, "No calculator has this name; GET /api/tools lists them.")
    return CATALOG[name].call(arguments)


def describe_each(openapi: dict[str, Any]) -> None:
    """Put a path for every calculator in the place of the one with a parameter.

    A reader of the API then sees each one's arguments, and a fuzzer can make them.
    """
    pattern = openapi["paths"].pop(f"{PREFIX}/{{name}}", None)
    if pattern is None:
        return
    for tool in CATALOG.values():
        operation = deepcopy(pattern["post"])
        operation |= {"summary": tool.summary, "description": tool.description}
        operation |= {"operationId": f"tool_{tool.name}", "parameters": []}
        body = operation["requestBody"]["content"]["application/json"]
        body |= {"schema": tool.schema(), "example": dict(tool.example)}
        openapi["paths"][f"{PREFIX}/{tool.name}"] = {"post": operation}
