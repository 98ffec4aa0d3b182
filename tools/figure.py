"""Draws a result's table as SVG: pure, no script, no style attribute; colours come from classes."""

from dataclasses import dataclass
from typing import Literal

from tools.result import Result

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 40, 56
OPACITY = (0.85, 0.5, 0.3, 0.15)
"""Fill of the n-th series where the page's CSS gives no colour."""


@dataclass(frozen=True)
class Series:
    """A column of the table and its name in the legend."""

    column: str
    label: str


@dataclass(frozen=True)
class Drawing:
    """How to draw a table. 'interval' reads the series as (low, middle, high)."""

    kind: Literal["bars", "line", "interval"]
    title: str
    x: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    marker: Series | None = None
    """A column drawn as a tick over each bar."""


def draw(result: Result, drawing: Drawing) -> str:
    """SVG text; ValueError where the table lacks a column that the drawing names."""
    raise NotImplementedError
