"""`fde_postings`: FDE-titled and FDE-family postings on public boards, by company, all dated."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.market.boards import MOST_RESPONSE, Ats, Board, read_board
from tools.market.snapshots import Count, postings
from tools.market.titles import RULES, kind
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted


class BoardResponse(Arguments):
    """One board's answer, as it came."""

    company: str = Field(min_length=1, max_length=80, description="Company, e.g. OpenAI")
    ats: Ats = Field(description="Whose board it is: ashby, greenhouse or lever")
    fetched: date = Field(description="Day on which the answer was fetched, YYYY-MM-DD")
    # Not part of the result's inputs: an answer has megabytes.
    response: str = Field(
        max_length=MOST_RESPONSE, exclude=True, description="The answer's JSON as text"
    )


class PostingsArguments(Arguments):
    """Arguments of fde_postings."""

    snapshot: Literal["2026-10-07"] | None = Field(
        default=None, description="A dated count that comes with Viva, instead of boards"
    )
    boards: tuple[BoardResponse, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=40,
        description="Answers of job boards: company, ats, fetched (a date), response (JSON text)",
    )


@dataclass(frozen=True)
class Row:
    """One company's count and its day."""

    day: date
    count: Count


@tool(
    group="fde_postings",
    example={"snapshot": "2026-10-07"},
    drawing=Drawing(
        kind="bars",
        title="Live postings by title rule and company",
        x="company",
        x_label="company",
        y_label="postings",
        series=(Series("titled", "FDE-titled"), Series("family_only", "others of the family")),
    ),
)
def fde_postings(given: PostingsArguments) -> Working:
    """Count FDE-titled and wider FDE-family postings on public job boards, by title alone.

    A stock: postings live on the day of each answer, not the postings of a period. The family
    includes the titled ones. Ashby, Greenhouse and Lever in their documented shapes.
    """
    if (given.snapshot is None) == (given.boards is None):
        raise ToolError(
            "boards",
            None if given.boards is None else "…",
            "give either snapshot or boards (one object each with company, ats, fetched, response)",
        )
    work = Working(headline="titled", source="")
    rows = _counted(given.boards, work) if given.boards else _snapshot(given, work)
    _put(work, rows)
    work.assume(
        RULES,
        "a posting counts once for each listing: one job in three cities is three postings",
        "a title rule misses roles under other names and takes in what only sounds alike",
    )
    work.table = [_row(row) for row in rows]
    return work


def _snapshot(given: PostingsArguments, work: Working) -> list[Row]:
    data, day = postings(), date.fromisoformat(given.snapshot or "")
    work.source = data.source
    return [Row(day, count) for count in data.snapshots[day]]


def _counted(boards: Sequence[BoardResponse], work: Working) -> list[Row]:
    work.source = "public job boards: " + "; ".join(
        f"{board.company} ({board.ats}), fetched {board.fetched}" for board in boards
    )
    rows = []
    for number, given in enumerate(boards):
        board = read_board(given.ats, given.response, f"boards.{number}.response")
        _doubt(work, given.company, board)
        kinds = [kind(title) for title in board.titles]
        titled = kinds.count("titled")
        total = len(board.titles) + board.untitled
        family = titled + kinds.count("family")
        count = Count(
            company=given.company, ats=given.ats, total=total, titled=titled, family=family
        )
        rows.append(Row(given.fetched, count))
    return rows


def _doubt(work: Working, company: str, board: Board) -> None:
    if board.doubt:
        work.warn(f"{company}: {board.doubt}")
    if board.untitled:
        work.warn(
            f"{company}: {counted(board.untitled, 'posting')} without a title, counted as other"
        )
    if board.unlisted:
        work.warn(f"{company}: {counted(board.unlisted, 'posting')} unlisted, counted all the same")


def _put(work: Working, rows: Sequence[Row]) -> None:
    days = sorted({row.day.isoformat() for row in rows})
    when = " and ".join(dict.fromkeys((days[0], days[-1])))
    total = sum(row.count.total for row in rows)
    titled = sum(row.count.titled for row in rows)
    work.put("titled", titled, "postings", f"FDE-titled postings live on {when}", "count")
    work.put("total", total, "postings", f"all postings on these boards on {when}", "count")
    if total:
        work.put("titled_share", titled / total, "fraction", "titled share of all postings")
    known = [row.count.family for row in rows if row.count.family is not None]
    if len(known) == len(rows):
        work.put("family", sum(known), "postings", "FDE family, the titled ones included", "count")
    else:
        work.warn("the source gives no family count for some boards, so there is no sum of it")
    work.formula = (
        f"{' + '.join(str(row.count.titled) for row in rows)} = {titled:,} of {total:,} postings"
    )
    if len(days) > 1:
        work.warn("the boards were read on different days: the sum is of no single day")


def _row(row: Row) -> dict[str, object]:
    count = row.count
    shown: dict[str, object] = {
        "company": count.company,
        "date": row.day.isoformat(),
        "board": count.ats,
        "total": count.total,
        "titled": count.titled,
        "titled_share": count.titled / count.total if count.total else 0.0,
    }
    if count.family is not None:
        shown |= {"family": count.family, "family_only": count.family - count.titled}
    return shown
