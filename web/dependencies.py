"""What a route may ask for: the running Viva. Knows neither routes nor pages."""

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

if TYPE_CHECKING:
    from interviewer.assembly import Viva


def running_viva(connection: HTTPConnection) -> "Viva":
    """The application behind this server, opened when the server started."""
    return cast("Viva", connection.app.state.viva)


RunningViva = Annotated["Viva", Depends(running_viva)]
