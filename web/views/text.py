"""Text for people: card Markdown as safe HTML, dates and durations in words."""

from datetime import datetime
from functools import lru_cache
from html import escape

from markdown_it import MarkdownIt
from markupsafe import Markup

from interviewer.visible import visible


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    return parser.enable("table").disable("image")


@lru_cache(maxsize=512)
def markdown(text: str) -> Markup:
    """Card Markdown as HTML: no raw HTML, no images, links only to safe schemes."""
    html = _parser().render(visible(text))
    return Markup(html.replace("<a href=", '<a rel="noreferrer noopener" href='))


def sentence(words: str) -> str:
    """Words as a sentence of their own: a capital first, a full stop last."""
    stop = "" if words.endswith((".", "!", "?", ":")) else "."
    return f"{words[:1].upper()}{words[1:]}{stop}" if words else ""


def day(moment: datetime) -> Markup:
    """A date with its machine-readable form: '29 November 2026, 15:04 UTC'."""
    return Markup(f'<time datetime="{escape(moment.isoformat())}">{day_words(moment)}</time>')


def day_words(moment: datetime) -> str:
    """A date as text: '29 November 2026, 15:04 UTC'."""
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def date(moment: datetime) -> Markup:
    """The day alone: '29 November 2026'."""
    words = f"{moment.day} {moment:%B %Y}"
    return Markup(f'<time datetime="{moment:%Y-%m-%d}">{words}</time>')


def minutes(seconds: float) -> str:
    """A duration on a clock: '3:00'."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"
