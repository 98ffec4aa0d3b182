"""`viva voice`: transcribe a file, get a model, measure this machine. Imports only click."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from interviewer.heard import Heard
    from interviewer.settings import Settings
    from interviewer.voice.audio import Decoded
    from interviewer.voice.measure import Measured
    from interviewer.voice.recogniser import Recogniser
    from questions.model import QuestionCard


@click.group()
def voice() -> None:
    """Spoken answers: transcribe a file, get a model, check this machine."""


@voice.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--card", "card_id", metavar="ID", help="Spell its terms, restore its units.")
@click.option("--model", metavar="NAME|FOLDER", help="Default: as the settings say, else base.")
@click.option("--json", "as_json", is_flag=True, help="Everything that was found, as JSON.")
def transcribe(file: Path, card_id: str | None, model: str | None, as_json: bool) -> None:
    """Turn an audio file into text, with words, fillers, pauses and quantities.

    Any format that FFmpeg reads, up to 45 minutes. Without speech there is no text.

    \b
    Examples:
      viva voice transcribe answer.webm
      viva voice transcribe answer.wav --card INF-001 --json
    """
    import asyncio
    import json

    from interviewer.visible import visible
    from interviewer.voice.account import account, as_text
    from interviewer.voice.delivery import delivery

    card = _card(card_id)
    heard, decoded = asyncio.run(_heard(file, _recogniser(model), card))
    made = account(heard, card, decoded.note)
    if as_json:
        click.echo(json.dumps(made, indent=2, ensure_ascii=False))
        return
    click.echo(visible(as_text(made, delivery(heard))))


@voice.command()
@click.argument("model", default="base")
def setup(model: str) -> None:
    """Get a Whisper model, by name (from the Hugging Face hub) or as a folder that you have.

    tiny.en 78 MB, base 148 MB, small 490 MB; larger ones need more than two cores. Without a
    network, copy a folder with model.bin, config.json and tokenizer.json here and name it.

    \b
    Examples:
      viva voice setup
      viva voice setup small.en
      viva voice setup ~/models/faster-whisper-base
    """
    settings = _settings()
    folder = Path(model).expanduser()
    if not folder.is_dir():
        folder = settings.voice_models / model
        _fetch(model, folder)
    found = _measured(_whisper(str(folder), settings))
    from interviewer.visible import visible
    from interviewer.voice.measure import as_text

    click.echo(visible(as_text(found)))
    click.echo(f"\nSet VIVA_VOICE=whisper and VIVA_VOICE_MODEL={folder.resolve()}")


@voice.command()
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def check(as_json: bool) -> None:
    """Try the recogniser of the settings on a known sentence: right, how fast, how much memory.

    Ends with 1 where it does not suffice: a number not understood, no pauses, or slower than a
    third of an answer's length.

    \b
    Examples:
      viva voice check
      VIVA_VOICE=whisper VIVA_VOICE_MODEL=tiny.en viva voice check --json
    """
    import json

    from interviewer.visible import visible
    from interviewer.voice.measure import as_text

    found = _measured(_recogniser(None))
    if as_json:
        shown = found._asdict() | {"suffices": found.suffices}
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        click.echo(visible(as_text(found)))
    raise SystemExit(0 if found.suffices else 1)


def _fetch(model: str, folder: Path) -> None:
    """Download in a process of its own, so that nothing of the hub stays in this one."""
    import os
    import subprocess
    import sys

    from interviewer.visible import visible
    from interviewer.voice.local import check_installed

    check_installed()
    click.echo(f"Fetching {model} into {folder}", err=True)
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "interviewer.voice.fetch", model, str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HF_HUB_DISABLE_TELEMETRY": "1"},
    )
    if ran.returncode:
        reason = ran.stderr.strip().rpartition("\n")[2][:300]
        raise click.ClickException(
            visible(
                f"{model} could not be fetched ({reason}). Without a way to the hub, copy the "
                "model's folder here and run `viva voice setup FOLDER`"
            )
        )


def _measured(recogniser: Recogniser) -> Measured:
    import asyncio

    from interviewer.voice.measure import measure

    async def closed() -> Measured:
        try:
            return await measure(recogniser)
        finally:
            await recogniser.aclose()

    return asyncio.run(closed())


async def _heard(
    file: Path, recogniser: Recogniser, card: QuestionCard | None
) -> tuple[Heard, Decoded]:
    from interviewer.voice.audio import read_file
    from interviewer.voice.prompt import prompt_for

    try:
        decoded = await read_file(file)
        return await recogniser.transcribe(decoded.pcm, prompt_for(card)), decoded
    finally:
        await recogniser.aclose()


def _recogniser(model: str | None) -> Recogniser:
    """The one of the settings; where spoken answers are off, or a model is named, Whisper here."""
    from interviewer.voice.build import build_recogniser, whisper_model

    settings = _settings()
    built = build_recogniser(settings) if model is None else None
    return built or _whisper(model or whisper_model(settings), settings)


def _whisper(model: str, settings: Settings) -> Recogniser:
    from interviewer.voice.local import WhisperRecogniser

    return WhisperRecogniser(model, threads=settings.voice_threads)


def _settings() -> Settings:
    from interviewer.settings import load_settings

    return load_settings()


def _card(card_id: str | None) -> QuestionCard | None:
    if card_id is None:
        return None
    from questions.faults import InvalidCard, UnknownCard
    from questions.library import CARDS, load

    try:
        return load(CARDS, *_settings().cards).get(card_id)
    except UnknownCard as error:
        raise click.UsageError(str(error)) from None
    except InvalidCard as error:
        raise click.ClickException(f"the cards have faults: {error}") from None
