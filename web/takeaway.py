"""Makes one self-contained file of a page: its styles inside, nothing that a reader elsewhere could
press, load or follow into this Viva.
"""

import re
from html.parser import HTMLParser
from pathlib import PurePosixPath

from web.rendering import STATIC

_VOID = frozenset(["area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"])
_DROPPED = frozenset(["script", "form", "nav", "dialog", "button", "audio", "noscript"])
_DROPPED_CLASSES = frozenset(["screen-only", "top", "foot", "skip"])
_HREF = re.compile(r'\shref="[^"]*"')

Attributes = list[tuple[str, str | None]]


def self_contained(page: str) -> str:
    """The page as a file that reads the same without a server."""
    taking = _Taking()
    taking.feed(page)
    taking.close()
    return "".join(taking.kept)


class _Taking(HTMLParser):
    """Copies a page that our own templates made, part by part."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.kept: list[str] = []
        self._dropping = 0
        """Open elements inside one that is left out, itself included."""

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if self._dropping or _is_dropped(tag, attrs):
            self._dropping += tag not in _VOID
        elif tag == "link":
            self.kept.append(_style(dict(attrs)))
        else:
            text = self.get_starttag_text() or ""
            self.kept.append(_HREF.sub("", text) if _leads_here(tag, attrs) else text)

    def handle_endtag(self, tag: str) -> None:
        if self._dropping:
            self._dropping -= 1
        else:
            self.kept.append(f"</{tag}>")

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        if not self._dropping:
            self.kept.append(self.get_starttag_text() or "")

    def handle_data(self, data: str) -> None:
        self._keep(data)

    def handle_entityref(self, name: str) -> None:
        self._keep(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._keep(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        self._keep(f"<!{decl}>")

    def _keep(self, text: str) -> None:
        if not self._dropping:
            self.kept.append(text)


def _is_dropped(tag: str, attrs: Attributes) -> bool:
    classes = (dict(attrs).get("class") or "").split()
    return tag in _DROPPED or not _DROPPED_CLASSES.isdisjoint(classes)


def _leads_here(tag: str, attrs: Attributes) -> bool:
    """True for a link to a page of this Viva; one within the page or to a source stays."""
    href = dict(attrs).get("href") or "#"
    return tag == "a" and not href.startswith(("#", "https://", "http://"))


def _style(attrs: dict[str, str | None]) -> str:
    """A style sheet's text in place of its link; other links are of no use in a file."""
    if attrs.get("rel") != "stylesheet":
        return ""
    name = PurePosixPath(attrs.get("href") or "").name
    return f"<style>\n{(STATIC / 'css' / name).read_text('utf-8')}</style>"
