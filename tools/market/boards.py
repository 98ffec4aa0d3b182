"""Reads the answers of public job boards in their documented shapes; does not fetch them.

Ashby: {"jobs": [{"title", "isListed"}]}. Greenhouse: {"jobs": [{"title"}], "meta": {"total"}}.
Lever: [{"text"}], in pages. What is not of that shape is an error, never an empty board.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tools.arguments import shorten
from tools.result import ToolError

Ats = Literal["ashby", "greenhouse", "lever"]

KEPT: Mapping[Ats, tuple[str, ...]] = {
    "ashby": ("title", "isListed", "publishedAt"),
    "greenhouse": ("title", "updated_at"),
    "lever": ("text", "createdAt"),
}
"""The fields that a cache needs to keep of a posting."""

MOST_RESPONSE = 16_000_000
"""Characters of one answer."""

LEVER_PAGE = 100
"""Postings that Lever sends where no limit is asked for."""


@dataclass(frozen=True)
class Address:
    """Where a company's public board is read."""

    company: str
    ats: Ats
    slug: str

    @property
    def url(self) -> str:
        """The address of the documented JSON answer; Lever's takes skip and limit besides."""
        return URLS[self.ats].format(slug=self.slug)


URLS: Mapping[Ats, str] = {
    "ashby": "https://api.ashbyhq.com/posting-api/job-board/{slug}",
    "greenhouse": "https://boards-api.greenhouse.io/v1/boards/{slug}/jobs",
    "lever": "https://api.lever.co/v0/postings/{slug}?mode=json",
}
PLANK_URL = "https://joinplank.com/fde-jobs.json"

BOARDS = (
    Address("OpenAI", "ashby", "openai"),
    Address("Sierra", "ashby", "sierra"),
    Address("Cohere", "ashby", "cohere"),
    Address("Anthropic", "greenhouse", "anthropic"),
    Address("Databricks", "greenhouse", "databricks"),
    Address("Scale AI", "greenhouse", "scaleai"),
    Address("Palantir", "lever", "palantir"),
)
"""The boards of chapter 1's counts."""


@dataclass(frozen=True)
class Board:
    """What one answer lists."""

    titles: tuple[str, ...]
    untitled: int
    """Postings without a title."""
    unlisted: int
    """Ashby's postings that are reached by direct link only."""
    doubt: str = ""
    """Why the answer may not be the whole board."""


def read_board(ats: Ats, text: str, field: str = "response") -> Board:
    """The board in an answer's text; ToolError where it is no JSON, not whole or of no known shape.

    `field` is what the errors call the text.
    """
    data = loaded(text, field)
    postings = _postings(ats, data, field)
    key = "text" if ats == "lever" else "title"
    titles = [posting.get(key) for posting in postings]
    named = tuple(title.strip() for title in titles if isinstance(title, str) and title.strip())
    return Board(
        titles=named,
        untitled=len(titles) - len(named),
        unlisted=sum(posting.get("isListed") is False for posting in postings),
        doubt=_doubt(ats, len(postings)),
    )


def slim(ats: Ats, text: str, field: str = "response") -> str:
    """The same answer with only the fields that counting needs, in the same documented shape."""
    data = loaded(text, field)
    kept = [
        {name: posting[name] for name in KEPT[ats] if name in posting}
        for posting in _postings(ats, data, field)
    ]
    if ats == "lever":
        return json.dumps(kept)
    rest = {"meta": data["meta"]} if ats == "greenhouse" and "meta" in data else {}
    return json.dumps({"jobs": kept, **rest})


def loaded(text: str, field: str) -> Any:  # noqa: ANN401 (any JSON)
    """JSON that was fetched; ToolError tells a web page, half an answer and other text apart."""
    start = text.lstrip()[:200].lower()
    if start.startswith("<"):
        raise ToolError(
            field,
            shorten(start.partition("\n")[0]),
            "is a web page, not the board's JSON: the board may have moved or want a browser",
        )
    try:
        return json.loads(text)
    except ValueError as error:
        end = text.rstrip()[-40:]
        cut = start[:1] in ("{", "[") and end[-1:] not in ("}", "]")
        remedy = "ends in the middle: only part of the answer arrived" if cut else "is not JSON"
        raise ToolError(field, shorten(end), f"{remedy}; fetch it again ({error})") from None
    except RecursionError:
        raise ToolError(field, "…", "is nested too deeply for a job board") from None


def _postings(ats: Ats, data: object, field: str) -> Sequence[Mapping[str, Any]]:
    found = data if ats == "lever" else data.get("jobs") if isinstance(data, dict) else None
    if not isinstance(found, list):
        wanted = "an array of postings" if ats == "lever" else "an object with an array 'jobs'"
        raise ToolError(field, shorten(data), f"{ats} answers with {wanted}; {_said(data)}")
    if not all(isinstance(posting, dict) for posting in found):
        raise ToolError(field, shorten(data), f"{ats}: every posting is an object; one is not")
    if ats == "greenhouse":
        _check_total(data, len(found), field)
    return found


def _said(data: object) -> str:
    """The board's own words on what went wrong."""
    if isinstance(data, dict):
        words = data.get("error") or data.get("message") or data.get("errors")
        if words:
            return f"it says: {shorten(words)}"
    return "check the name of the board"


def _check_total(data: object, found: int, field: str) -> None:
    meta = data.get("meta") if isinstance(data, dict) else None
    total = meta.get("total") if isinstance(meta, dict) else None
    if isinstance(total, int) and total != found:
        raise ToolError(
            field,
            found,
            f"is only part of the board: meta.total says {total:,} postings; fetch it again",
        )


def _doubt(ats: Ats, found: int) -> str:
    if ats == "lever" and found and found % LEVER_PAGE == 0:
        return f"exactly {found:,} postings: Lever answers in pages, so this may be only the first"
    return ""
