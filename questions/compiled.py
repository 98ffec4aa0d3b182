"""Viva's own cards as they were last read, kept beside the bytecode: a twentieth of the time.

A card counts only while its file and the code that reads cards are the same bytes.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from questions.model import QuestionCard

_HERE = Path(__file__).parent
_READERS = ("model.py", "checks.py", "front_matter.py", "library.py")
_CARDS: TypeAdapter[dict[str, QuestionCard]] = TypeAdapter(dict[str, QuestionCard])


def read() -> Mapping[str, QuestionCard]:
    """The cards by the hash of their file; empty where nothing usable is kept."""
    try:
        return _CARDS.validate_json(_place().read_bytes())
    except (OSError, ValidationError):
        return {}


def write(cards: Iterable[QuestionCard]) -> None:
    """Keep these for the next start; an installation that cannot be written does without."""
    place = _place()
    part = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        for older in place.parent.glob("cards-*.json*"):
            older.unlink(missing_ok=True)
        part.write_bytes(_CARDS.dump_json({card.hash: card for card in cards}))
        part.replace(place)


@cache
def _place() -> Path:
    code = sha256(b"".join((_HERE / name).read_bytes() for name in _READERS))
    return _HERE / "__pycache__" / f"cards-{code.hexdigest()[:16]}.json"
