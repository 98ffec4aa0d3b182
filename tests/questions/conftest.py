"""A valid card as text, and a way to write variants of it into a folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

TEMPLATE = Path(__file__).parents[2] / "docs" / "card-template.md"

WriteCard = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def write_card(folder: Path) -> WriteCard:
    def write(*changes: tuple[str, str], name: str = "MY-001") -> Path:
        text = TEMPLATE.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = folder / f"{name}.md"
        path.write_text(text, encoding="utf-8")
        return path

    return write
