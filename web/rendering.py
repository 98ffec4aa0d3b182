"""Renders the pages: a Jinja environment of their own, apart from the prompts'.

Knows no route and no round.
"""

from functools import partial
from http import HTTPStatus
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from interviewer.visible import visible
from web.views import text
from web.views.tool_form import cell

_HERE = Path(__file__).parent
STATIC = _HERE / "static"
TEMPLATES = _HERE / "templates"


def _made_visible(value: object) -> object:
    """Every string that a template writes; Markup was made visible where it was made."""
    return visible(value) if type(value) is str else value


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_made_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        markdown=text.markdown,
        day=text.day,
        date=text.date,
        minutes=text.minutes,
        cell=cell,
        sentence=text.sentence,
    )
    return made


ENVIRONMENT = _environment()


def url(request: Request, name: str, /, **params: object) -> str:
    """The path of a named route below the sub-path that Viva is served under."""
    path = request.app.url_path_for(name, **params)
    return str(request.scope.get("root_path", "")).rstrip("/") + str(path)


def page(request: Request, template: str, status: int = 200, /, **context: object) -> HTMLResponse:
    """Render a template with objects for its context."""
    locked = getattr(request.app.state, "sessions", None) is not None
    html = ENVIRONMENT.get_template(template).render(
        url=partial(url, request), locked=locked, **context
    )
    return HTMLResponse(html, status_code=status)


_TITLES = {
    403: "Not from here",
    404: "There is nothing here",
    405: "Not in this way",
    413: "That was too long",
    422: "Something is missing",
    500: "Viva made a mistake",
    503: "Not just now",
}
_ADVICE = {
    404: "Nothing lives at this address. The link may be old, or the round may be of another Viva.",
    403: "This request came from another site, or your session has ended.",
    405: "This address cannot be used in this way.",
    413: "That was longer than Viva accepts. Nothing of it was recorded.",
    500: "Viva made a mistake. What you have said so far is stored; the log says what went wrong.",
    503: "The store refused to write. Nothing was recorded; free some disk space and try again.",
}


def error_page(request: Request, status: int, message: str = "") -> HTMLResponse:
    """A page that says what went wrong and where to go next, for the error handlers."""
    phrase = HTTPStatus(status).phrase
    advice = message if message not in ("", phrase) else _ADVICE.get(status, "")
    title = _TITLES.get(status, phrase)
    return page(request, "error.html", status, status=status, title=title, advice=advice)
