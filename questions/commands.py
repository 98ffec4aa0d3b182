"""`viva questions`: list and show the cards. Imports only click until a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from questions.faults import InvalidCard
    from questions.library import Library
    from questions.model import QuestionCard

_FOLDER = click.Path(path_type=Path)
_WIDTH = 80
_with_folders = click.option(
    "--cards",
    "folders",
    type=_FOLDER,
    multiple=True,
    envvar="VIVA_CARDS",
    help="A folder of your own cards, beside those that come with Viva; may be repeated.",
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for a script.")


@click.group()
def questions() -> None:
    """List, show and check the question cards.

    \b
    Examples:
      viva questions list --kind technical
      viva questions show INF-010
      viva questions check ~/my-cards
    """


@questions.command("list")
@_as_json
@click.option("--kind", help="Only this kind: technical, design, decomposition, ...")
@click.option("--theme", help="Only this theme, as the list shows it.")
@_with_folders
def list_cards(
    as_json: bool, kind: str | None, theme: str | None, folders: tuple[Path, ...]
) -> None:
    """List the cards.

    \b
    Examples:
      viva questions list
      viva questions list --theme inference --json
    """
    known = _library(folders).cards
    _expect("--kind", kind, {card.kind for card in known})
    _expect("--theme", theme, {card.theme for card in known})
    cards = [c for c in known if kind in (None, c.kind) and theme in (None, c.theme)]
    if as_json:
        _print_json([_summary(card) for card in cards])
        return
    width = max((len(card.id) for card in cards), default=0)
    for card in cards:
        minutes = f"{card.limit_s / 60:g} min"
        click.echo(f"{card.id:<{width}}  {card.kind:<13}  {minutes:>7}  {card.title}")


def _expect(flag: str, wanted: str | None, known: set[str]) -> None:
    if wanted is not None and wanted not in known:
        raise click.UsageError(
            f"{flag} {wanted!r}: no card has it; known: {', '.join(sorted(known))}"
        )


@questions.command("show")
@click.argument("card_id", metavar="ID")
@_as_json
@_with_folders
def show(card_id: str, as_json: bool, folders: tuple[Path, ...]) -> None:
    """Show one card, its model answer included.

    \b
    Examples:
      viva questions show INF-010
      viva questions show INF-010 --json
    """
    from questions.faults import UnknownCard

    try:
        card = _library(folders).get(card_id)
    except UnknownCard as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        _print_json(card.model_dump(mode="json"))
    else:
        click.echo("\n".join(map(_folded, _as_text(card).split("\n"))))


def _library(folders: tuple[Path, ...]) -> Library:
    """The bundled cards and those of the folders; at a fault the command ends with 1."""
    from questions.faults import InvalidCard
    from questions.library import CARDS, load

    try:
        return load(CARDS, *folders)
    except InvalidCard as error:
        end_with_faults(error, to_stderr=True)


def end_with_faults(error: InvalidCard, to_stderr: bool = False) -> NoReturn:
    """Print each fault and their number; end the command with 1."""
    for fault in error.faults:
        click.echo(str(fault), err=to_stderr)
    count = len(error.faults)
    click.echo(f"{count} fault{'s' if count > 1 else ''}; docs/cards.md says the rules", err=True)
    raise SystemExit(1)


def _print_json(value: object) -> None:
    import json

    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _summary(card: QuestionCard) -> dict[str, Any]:
    names = ("id", "title", "kind", "theme", "round", "chapter", "difficulty", "limit_s", "hooks")
    fields = {name: getattr(card, name) for name in names}
    return fields | {"lists": card.asked_by.lists, "question": card.question, "hash": card.hash}


def _folded(line: str) -> str:
    """A line that a terminal of 80 columns would break inside a word; tables stay as they are."""
    from textwrap import fill

    if len(line) <= _WIDTH or line.startswith("|"):
        return line
    indent = " " * (len(line) - len(line.lstrip(" -")))
    return fill(
        line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _as_text(card: QuestionCard) -> str:
    head = f"{card.id}  {card.title}\n{card.kind}, {card.difficulty}, {card.limit_s} s"
    parts = [head, card.question, f"What is tested: {card.tests}"]
    if card.scenario:
        parts.append("\n".join(["Given:", *(f"  - {line}" for line in card.scenario)]))
    parts.append("\n".join(["Follow-ups:", *(f"  - {probe.ask}" for probe in card.probes)]))
    flags = (f"  - {rule.flag.rstrip('.')}. {rule.why}" for rule in card.red_flags)
    parts.append("\n".join(["Red flags:", *flags]))
    parts += [f"Model answer:\n{card.model_answer}", f"In sixty seconds:\n{card.short_answer}"]
    parts.append(f"Who asks: {card.asked_by.corroboration}")
    return "\n\n".join(parts)
