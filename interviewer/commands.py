"""`viva score`, `export`, `config`, `questions check`. Imports only click until a command runs."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from interviewer.scoring.material import Scorer
    from questions.library import Library


@click.command()
@click.argument("answers", type=click.File("rb"), metavar="FILE|-")
@click.option("--card", "card_id", metavar="ID", help="The card that the answer is for.")
@click.option(
    "--scorer",
    type=click.Choice(["rule", "judge"]),
    default="rule",
    show_default=True,
    help="Score by rules without a model, or with the model of VIVA_JUDGE.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole scorecard as JSON.")
@click.option(
    "--jsonl",
    "as_lines",
    is_flag=True,
    help="Score many answers: read and write a JSON object a line.",
)
@click.option(
    "--cards",
    "folders",
    type=click.Path(path_type=Path),
    multiple=True,
    envvar="VIVA_CARDS",
    help="A folder of your own cards, beside those that come with Viva; may be repeated.",
)
def score(
    answers: BinaryIO,
    card_id: str | None,
    scorer: str,
    as_json: bool,
    as_lines: bool,
    folders: tuple[Path, ...],
) -> None:
    """Score an answer: four parts with reasons, quotes and what to say instead.

    With --jsonl each line holds id, card, question, mode and answer. A line that cannot be scored
    is reported with its number, the others are still written, and the command ends with 1.

    \b
    Examples:
      viva score --card INF-010 answer.txt
      pbpaste | viva score --card FDE-01 -
      viva score --jsonl answers.jsonl > scores.jsonl
      viva score --card FDE-18 --scorer judge --json answer.txt
    """
    import asyncio

    if as_lines:
        failed = asyncio.run(_score_lines(answers, scorer, folders))
        raise SystemExit(1 if failed else 0)
    if card_id is None:
        raise click.UsageError("--card: name the card that the answer is for, or give --jsonl")
    asyncio.run(_score_one(answers, card_id, scorer, folders, as_json))


async def _score_one(
    answers: BinaryIO, card_id: str, scorer: str, folders: tuple[Path, ...], as_json: bool
) -> None:
    from interviewer.errors import InvalidUtterance, UtteranceTooLong
    from interviewer.scoring.report import as_text
    from interviewer.scoring.rows import answer_material
    from questions.faults import UnknownCard
    from rubrics.library import load_rubrics

    try:
        card = _library(folders).get(card_id)
        text = answers.read().decode("utf-8-sig")
        material = answer_material(text, card, load_rubrics())
    except (UnknownCard, UtteranceTooLong, InvalidUtterance) as error:
        raise click.UsageError(str(error)) from None
    except UnicodeDecodeError as error:
        raise click.UsageError(f"the answer is not UTF-8 at byte {error.start + 1}") from None
    async for judge in _scorer(scorer):
        scorecard = await judge.score(material)
        click.echo(
            scorecard.model_dump_json(indent=2) if as_json else as_text(scorecard, material.rubric)
        )


async def _score_lines(answers: BinaryIO, scorer: str, folders: tuple[Path, ...]) -> int:
    """Score line by line; the number of lines that could not be scored."""
    import json

    from interviewer.errors import InvalidUtterance, UtteranceTooLong
    from interviewer.scoring.rows import BadRow, answer_material, card_for, read_row, result
    from interviewer.visible import visible
    from rubrics.library import load_rubrics

    library, rubrics, failed = _library(folders), load_rubrics(), 0
    async for judge in _scorer(scorer):
        for number, line in enumerate(answers, start=1):
            if not line.strip():
                continue
            try:
                row = read_row(line)
                material = answer_material(row.answer, card_for(row, library), rubrics, row.mode)
                scorecard = await judge.score(material)
            except (BadRow, UtteranceTooLong, InvalidUtterance) as error:
                failed += 1
                click.echo(visible(f"line {number}: {error}"), err=True)
                continue
            click.echo(json.dumps(result(row.id, scorecard), ensure_ascii=False))
            states = {s.state for s in scorecard.scores} - {"scored", "not_assessed"}
            if states:
                failed += 1
                click.echo(f"line {number}: not scored: {', '.join(sorted(states))}", err=True)
    return failed


async def _scorer(name: str) -> AsyncIterator[Scorer]:
    """The scorer of this name, once; a model is closed when the caller is done."""
    if name == "rule":
        from interviewer.scoring.rule_scorer import RuleScorer

        yield RuleScorer()
        return
    from interviewer.llm.build import build_llm
    from interviewer.prompts import PromptLibrary
    from interviewer.scoring.panel import judge_of
    from interviewer.settings import load_settings

    settings = load_settings()
    ends = settings.judge_endpoints()
    if not ends:
        raise click.UsageError(
            "--scorer judge: no model is set; set VIVA_JUDGE and VIVA_JUDGE_MODEL, or VIVA_LLM"
        )
    wait = settings.llm_timeout_s
    async with AsyncExitStack() as stack:
        llms = []
        for end in ends:
            llms.append(
                build_llm(end.provider, end.base_url, end.model, end.api_key, timeout_s=wait)
            )
            stack.push_async_callback(llms[-1].aclose)
        yield judge_of(llms, PromptLibrary(), settings.judge_repeats)


def _library(folders: tuple[Path, ...]) -> Library:
    from questions.faults import InvalidCard
    from questions.library import CARDS, load

    try:
        return load(CARDS, *folders)
    except InvalidCard as error:
        raise click.ClickException(
            f"the cards have faults; see `viva questions check`: {error}"
        ) from None


@click.command()
@click.argument("round_id", metavar="ROUND", required=False)
@click.option(
    "--format", "form", type=click.Choice(["md", "json"]), default="md", show_default=True
)
@click.option(
    "--all", "everything", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write all that Viva holds of you into one new file, for `viva import`.",
)  # fmt: skip
@click.option("--no-sound", is_flag=True, help="With --all: leave the recordings out.")
@click.option("--anki", is_flag=True, help="Write the cards as notes for Anki's text import.")
def export(
    round_id: str | None, form: str, everything: Path | None, no_sound: bool, anki: bool
) -> None:
    """Write a round to standard output: Markdown to read, or JSON with every event.

    Works while a server runs. The web page of a round shows its id, and so does `viva practice`.
    For --anki make a note type with the fields Id, Question and Answer once; a note's id stays,
    so that importing again updates it.

    \b
    Examples:
      viva export 3f2a9c0d11e84b76 > round.md
      viva export 3f2a9c0d11e84b76 --format json > round.json
      viva export --all viva.zip
      viva export --anki > viva.txt
    """
    from interviewer.keeping.commands import export_everything

    if sum((round_id is not None, everything is not None, anki)) != 1:
        raise click.UsageError("name a ROUND, or --all FILE, or --anki")
    if everything:
        export_everything(everything, with_sound=not no_sound)
    elif round_id:
        click.echo(_round_text(round_id, form), nl=False)
    else:
        click.echo(_anki_text(), nl=False)


def _anki_text() -> str:
    from interviewer.assembly import load_cards
    from interviewer.grounding.facts import compute_facts
    from interviewer.keeping.anki import HEADER, card_notes
    from interviewer.settings import load_settings

    cards = load_cards(load_settings()).cards
    return HEADER + "".join(
        note for card in cards for note in card_notes(card, compute_facts(card))
    )


def _round_text(round_id: str, form: str) -> str:
    import asyncio

    from interviewer.export import as_json, as_markdown
    from interviewer.settings import load_settings
    from interviewer.store import EventReader

    reader = EventReader(load_settings().database_url)
    log = asyncio.run(reader.read(round_id))
    reader.close()
    return {"md": as_markdown, "json": as_json}[form](round_id, log)


@click.group()
def config() -> None:
    """Show the settings that are in force."""


@config.command("show")
@click.option("--json", "as_json", is_flag=True, help="As an array of name, value and source.")
def config_show(as_json: bool) -> None:
    """Show each setting, its value and where it came from; secrets are hidden.

    A flag beats the environment, which beats the file .env, which beats the default. A secret may
    also be read from a file: VIVA_PASSWORD_FILE=/run/secrets/viva.

    \b
    Examples:
      viva config show
      viva config show --json
    """
    import json
    from dataclasses import asdict

    from interviewer.settings import show_settings

    shown = show_settings()
    if as_json:
        click.echo(json.dumps([asdict(origin) for origin in shown], indent=2))
        return
    for origin in shown:
        click.echo(f"{origin.name:<22} {origin.value:<36} {origin.source}")


@click.command("check")
@click.argument(
    "folders",
    metavar="[FOLDER]...",
    type=click.Path(path_type=Path),
    nargs=-1,
    envvar="VIVA_CARDS",
)
def check_cards(folders: tuple[Path, ...]) -> None:
    """Check cards by all rules; print file:line for each fault and exit with 1.

    A FOLDER holds your own cards; they are checked together with those that come with Viva. Every
    fact is computed, and every number that a card states must rest on one of its facts.

    \b
    Examples:
      viva questions check
      viva questions check ~/my-cards
    """
    from interviewer.grounding.card_faults import card_faults
    from questions.commands import end_with_faults
    from questions.faults import InvalidCard
    from questions.library import CARDS, load

    try:
        library = load(CARDS, *folders, fresh=True, rule=card_faults)
    except InvalidCard as error:
        end_with_faults(error)
    click.echo(f"{len(library.cards)} cards, no fault")
