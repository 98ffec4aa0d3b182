"""The cache of fetched job boards: one JSON file with the day of every answer; knows no network."""

import json
from datetime import date
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import BaseModel, ConfigDict, ValidationError

from tools.market.boards import Ats


class UnreadableCache(Exception):
    """The file is not such a cache: the message names it and says what to do."""


class Kept(BaseModel):
    """A value of the cache."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class KeptBoard(Kept):
    """One board's answer with only the fields that counting needs."""

    company: str
    ats: Ats
    slug: str
    fetched: date
    response: str

    @property
    def argument(self) -> dict[str, object]:
        """As fde_postings takes it."""
        return self.model_dump(mode="json", exclude={"slug"})


class KeptCensus(Kept):
    """Plank's file, slimmed."""

    fetched: date
    response: str

    @property
    def argument(self) -> dict[str, object]:
        """As plank_median takes it."""
        return self.model_dump(mode="json")


class MarketCache(Kept):
    """All answers, each with its own day; a board that failed keeps its older answer."""

    version: int = 1
    boards: tuple[KeptBoard, ...] = ()
    plank: KeptCensus | None = None

    @property
    def oldest(self) -> date | None:
        """The day of the oldest answer."""
        days = [board.fetched for board in self.boards]
        return min([*days, *([self.plank.fetched] if self.plank else [])], default=None)

    def with_board(self, board: KeptBoard) -> "MarketCache":
        """The cache with this answer in the place of the older one of the same board."""
        others = [b for b in self.boards if (b.ats, b.slug) != (board.ats, board.slug)]
        return self.model_copy(update={"boards": (*others, board)})


def read_cache(path: Path) -> MarketCache | None:
    """The cache; None where there is none. UnreadableCache for anything else."""
    try:
        return MarketCache.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValidationError, OSError, json.JSONDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise UnreadableCache(
            f"{path} cannot be read as a market cache ({reason}); remove it and fetch again"
        ) from None


def write_cache(path: Path, cache: MarketCache) -> None:
    """Replace the file in one step: a reader sees the old one or the new one."""
    with NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name}", delete=False, encoding="utf-8"
    ) as file:
        file.write(cache.model_dump_json(indent=1))
    Path(file.name).replace(path)
