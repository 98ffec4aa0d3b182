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
    wilson,
)
from web.figures.figure import Figure

SECTIONS: Mapping[str, tuple[Figure, ...]] = MappingProxyType(
    {
        "Serving": (decode.FIGURE, batching.FIGURE, prefill.FIGURE),
        "Memory": (capacity.FIGURE, generations.FIGURE),
        "Interviews": (loops.FIGURE, question_map.FIGURE, wilson.FIGURE),
        "Market": (capital.FIGURE,),
    }
)
FIGURES: Mapping[str, Figure] = MappingProxyType(
    {figure.slug: figure for figures in SECTIONS.values() for figure in figures}
)
