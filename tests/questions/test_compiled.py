"""Cards that are kept as they were read are those that their files hold, and nothing else."""

from pathlib import Path

import pytest

from questions import compiled
from questions.library import CARDS, load


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cards-0.json"
    monkeypatch.setattr(compiled, "_place", lambda: place)
    return place


def test_the_first_load_keeps_what_the_second_one_reads(place: Path) -> None:
    first = load()
    assert set(compiled.read()) == {card.hash for card in first.cards}
    assert load() == load(fresh=True) == first


def test_a_file_that_changed_is_read_itself(place: Path) -> None:
    cards = load().cards
    stale = cards[0].model_copy(update={"hash": "0" * 64, "title": "stale"})
    compiled.write([stale, *cards[1:]])
    assert load().cards == cards
    assert set(compiled.read()) == {card.hash for card in cards}


@pytest.mark.parametrize("content", ["", "{", '{"a": {}}', "[]"])
def test_a_file_that_cannot_be_used_is_made_anew(content: str, place: Path) -> None:
    place.write_text(content)
    assert load() == load(fresh=True)
    assert len(compiled.read()) == len(load().cards)


def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(compiled, "_place", lambda: tmp_path / "file" / "cards-0.json")
    assert load() == load(fresh=True)


def test_a_persons_own_cards_are_never_kept(place: Path, write_card: object, folder: Path) -> None:
    write_card()  # type: ignore[operator]
    load(CARDS, folder)
    assert "MY-001" not in {card.id for card in compiled.read().values()}
