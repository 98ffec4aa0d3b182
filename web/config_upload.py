"""Takes a model's config.json as a file: read once, reduced to the fields that decide sizes."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, UploadFile
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse

from tools.catalog import CATALOG
from tools.config_json import MAX_BYTES, parse
from tools.result import ToolError
from web.rendering import url

router = APIRouter(include_in_schema=False)
MOST_STATE = 400_000
"""Characters of the address that an upload adds to."""


class NotAConfig(ValueError):
    """The file cannot be read as a config.json; the message is for a person."""


async def kept_config(file: UploadFile) -> str:
    """The file's known fields as JSON text, fit for an address. NotAConfig for anything else."""
    try:
        config = parse((await file.read(MAX_BYTES + 1)).decode("utf-8"))
    except UnicodeDecodeError:
        raise NotAConfig("The file is not text; choose a model's config.json.") from None
    except ToolError as error:
        raise NotAConfig(f"{error.field}: {error.remedy}") from None
    return config.model_dump_json(exclude_unset=True)


@router.post("/tools/{name}/config", name="tool_config")
async def upload(
    request: Request,
    name: str,
    file: Annotated[UploadFile, File()],
    state: Annotated[str, Form(max_length=MOST_STATE)] = "",
) -> RedirectResponse:
    """Put a file's config in the place of the model in a tool's address."""
    if name not in CATALOG or "config" not in CATALOG[name].input_model.model_fields:
        raise HTTPException(404, f"{name} takes no config.json.")
    try:
        config = await kept_config(file)
    except NotAConfig as error:
        raise HTTPException(422, str(error)) from None
    given = [(k, v) for k, v in QueryParams(state).multi_items() if k not in ("model", "config")]
    return RedirectResponse(
        f"{url(request, 'tool', name=name)}?{urlencode([*given, ('config', config)])}", 303
    )
