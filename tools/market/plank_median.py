"""`plank_median`: median posted base pay of FDE postings in Plank's census, by group."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from statistics import median
from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.market.boards import MOST_RESPONSE
from tools.market.census import GroupField, Pay, read_census
from tools.market.snapshots import plank
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

FEW = 5
"""A median of fewer postings is said to be of few."""


class PlankArguments(Arguments):
    """Arguments of plank_median."""

    snapshot: Literal["2026-09-12"] | None = Field(
        default=None, description="A dated reading that comes with Viva, instead of response"
    )
    # Not part of the result's inputs: the file has a thousand postings.
    response: str | None = Field(
        default=None,
        max_length=MOST_RESPONSE,
        exclude=True,
        description="The text of Plank's fde-jobs.json",
    )
    fetched: date | None = Field(
        default=None, description="Day on which the response was fetched, YYYY-MM-DD"
    )
    field: GroupField = Field(default="segment", description="What to group by")
    region: str | None = Field(
        default=None, max_length=80, description="Only postings of this region, e.g. United States"
    )


@tool(
    group="plank_median",
    example={"snapshot": "2026-09-12"},
    drawing=Drawing(
        kind="bars",
        title="Median posted base pay by group",
        x="group",
        x_label="group",
        y_label="USD a year",
        series=(Series("median_usd", "median of the midpoints"),),
    ),
)
def plank_median(given: PlankArguments) -> Working:
    """Median of the posted base pay, as midpoints of the ranges, over Plank's FDE postings.

    Only postings that state a range count: about three in ten do, and they may not be like the
    rest. USD a year, base pay alone; by segment or region.
    """
    if (given.snapshot is None) == (given.response is None):
        raise ToolError("response", None, "give either snapshot or response, with its fetched date")
    if given.snapshot is not None:
        return _of_snapshot(given)
    if given.fetched is None:
        raise ToolError("fetched", None, "is required with response: the day it was fetched")
    return _of_response(given, given.response or "", given.fetched)


def _of_snapshot(given: PlankArguments) -> Working:
    if given.region is not None:
        raise ToolError(
            "region", given.region, "the snapshot has no regions; give Plank's file as response"
        )
    data, day = plank(), date.fromisoformat(given.snapshot or "")
    census = data.snapshots[day]
    work = Working(headline="median", source=data.source)
    _put(work, census.median, census.postings, census.paid, day)
    work.put("companies", census.companies, "companies", "companies with such a posting", "count")
    work.formula = f"median over {census.paid} midpoints, as the source states it"
    work.warn("the snapshot holds only the groups that the source names")
    work.table = [
        {"group": group.group, "postings_with_pay": group.paid, "median_usd": group.median}
        for group in census.groups
        if group.field == given.field
    ]
    return work


def _of_response(given: PlankArguments, text: str, day: date) -> Working:
    reading = read_census(text, given.region)
    if not reading.paid:
        raise ToolError("response", f"{reading.postings} postings", "none of them states pay")
    work = Working(headline="median", source=f"Plank, fde-jobs.json (CC BY 4.0), fetched {day}")
    middle = median(pay.midpoint for pay in reading.paid)
    _put(work, middle, reading.postings, len(reading.paid), day)
    if reading.odd:
        work.warn(f"{reading.odd} postings state pay that is no range of numbers; left out")
    if given.region is not None:
        work.assume(f"only postings of the region {given.region}")
    work.formula = f"median over {len(reading.paid):,} midpoints (low + high) / 2 = {plain(middle)}"
    groups = _groups(reading.paid, given.field)
    middles = {group: median(midpoints) for group, midpoints in groups.items()}
    work.table = [
        {"group": group, "postings_with_pay": len(groups[group]), "median_usd": middle}
        for group, middle in sorted(middles.items(), key=lambda pair: pair[1], reverse=True)
    ]
    few = sum(len(midpoints) < FEW for midpoints in groups.values())
    if few:
        work.warn(f"{few} of the groups have fewer than {FEW} postings with pay")
    return work


def _groups(paid: tuple[Pay, ...], field: GroupField) -> Mapping[str, list[float]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for pay in paid:
        groups[pay.segment if field == "segment" else pay.region].append(pay.midpoint)
    return groups


def _put(work: Working, middle: float, postings: int, paid: int, day: date) -> None:
    work.put("median", middle, "USD/year", f"median posted base midpoint on {day}")
    work.put("postings", postings, "postings", f"postings live on {day}", "count")
    work.put("paid", paid, "postings", "postings that state a range", "count")
    work.put("paid_share", paid / postings, "fraction", "share that states a range")
    work.assume(
        "midpoint of the posted range, base pay alone: no equity, no bonus",
        "pay as posted, taken as US dollars; the file does not name the currency",
    )
