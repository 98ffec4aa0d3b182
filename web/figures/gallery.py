"""All live figures: an explicit list, in the order in which people read it."""

from collections.abc import Mapping
from types import MappingProxyType

from web.figures import (
    batching,
    capacity,
    capital,
    decode,
    generations,
    loops,
    prefill,
    question_map,
    roles,
    wilson,
)
from web.figures.figure import LiveFigure

SECTIONS: Mapping[str, tuple[LiveFigure, ...]] = MappingProxyType(
    {
        "Serving": (decode.FIGURE, batching.FIGURE, prefill.FIGURE),
        "Memory": (capacity.FIGURE, generations.FIGURE),
        "Interviews": (loops.FIGURE, question_map.FIGURE, wilson.FIGURE),
        "The role and its market": (roles.FIGURE, capital.FIGURE),
    }
)
FIGURES: Mapping[str, LiveFigure] = MappingProxyType(
    {figure.slug: figure for figures in SECTIONS.values() for figure in figures}
)
