"""Reads Plank's file of FDE postings in the shape that its readers rely on; does not fetch it.

An array of postings, or {"jobs": [...]}; of each: salary ([low, high] or null), segment, region.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tools.market.boards import loaded
from tools.result import ToolError

GroupField = Literal["segment", "region"]


@dataclass(frozen=True)
class Pay:
    """A posting with pay: its group fields and the midpoint of its range."""

    segment: str
    region: str
    midpoint: float


@dataclass(frozen=True)
class Reading:
    """What one file holds."""

    postings: int
    paid: tuple[Pay, ...]
    odd: int
    """Postings whose salary is neither null nor two positive numbers in order."""


def read_census(text: str, region: str | None = None) -> Reading:
    """The postings of a region, or all; ToolError where the text is not such a file."""
    jobs = _jobs(text)
    wanted = [job for job in jobs if region is None or job.get("region") == region]
    if not wanted and region is None:
        raise ToolError("response", "[]", "holds no posting")
    if not wanted:
        raise ToolError("region", region, f"has no posting; one of: {', '.join(_regions(jobs))}")
    paid, odd = [], 0
    for job in wanted:
        midpoint = _midpoint(job.get("salary"))
        if midpoint:
            paid.append(Pay(_name(job, "segment"), _name(job, "region"), midpoint))
        odd += midpoint == 0.0
    return Reading(len(wanted), tuple(paid), odd)


def slim(text: str) -> str:
    """The same file with only the fields that the median needs."""
    kept = ("salary", "segment", "region")
    return json.dumps([{name: job.get(name) for name in kept} for job in _jobs(text)])


def _jobs(text: str) -> Sequence[Mapping[str, Any]]:
    data = loaded(text, "response")
    if isinstance(data, dict):
        data = data.get("jobs")
    if not isinstance(data, list) or not all(isinstance(job, dict) for job in data):
        raise ToolError(
            "response",
            type(data).__name__,
            "is not Plank's file: an array of postings, or an object with an array 'jobs'",
        )
    return data


def _midpoint(salary: object) -> float | None:
    """None where no pay is posted, 0 where what is posted is no range."""
    if salary is None or salary == [] or (isinstance(salary, list) and None in salary):
        return None
    if not isinstance(salary, list) or len(salary) != 2:
        return 0.0
    low, high = salary
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in salary):
        return 0.0
    return (low + high) / 2 if 0 < low <= high < 1e9 else 0.0


def _name(job: Mapping[str, Any], field: GroupField) -> str:
    value = job.get(field)
    return value.strip()[:80] if isinstance(value, str) and value.strip() else "not stated"


def _regions(jobs: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({_name(job, "region") for job in jobs})[:12]
