"""`viva import`, `backup`, `restore` and `purge`. Imports only click until a command runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

FILE = click.Path(path_type=Path, dir_okay=False)
_SPAN = re.compile(r"(\d{1,5})\s*(d|days?|w|weeks?|months?|y|years?)?")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@contextmanager
def told() -> Iterator[None]:
    """Faults as messages: exit 2 for a setting, 1 for the rest."""
    from interviewer.errors import ConfigError, InterviewerError

    try:
        yield
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    except InterviewerError as error:
        raise click.ClickException(str(error)) from None


def database() -> str:
    """The URL of the database that is set."""
    from interviewer.settings import load_settings

    return load_settings().database_url


def export_everything(target: Path) -> None:
    """Write the archive beside its name, then give it its name. Raises what `told` tells."""
    from interviewer.clock import utc_now
    from interviewer.errors import BackupFault
    from interviewer.keeping.archive import write_archive
    from interviewer.store.engines import snapshot

    if target.exists():
        raise BackupFault(f"{target} exists already; name a file that does not")
    part = target.with_name(f"{target.name}.part")
    try:
        with snapshot(database()) as connection, part.open("wb") as file:
            counts = write_archive(connection, file, utc_now())
        part.replace(target)
    except OSError as error:
        raise BackupFault(f"{target} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    click.echo(f"Wrote {target}: {_listed(counts)}.")


@click.command("import")
@click.argument("source", type=FILE, metavar="FILE")
def import_(source: Path) -> None:
    """Add everything of an archive that `viva export --all` wrote; what is here stays.

    All or nothing. A round that is here already must be the same. Stop the server first.

    \b
    Example:
      viva import viva-2026-11-29.zip
    """
    from interviewer.keeping.archive import read_archive
    from interviewer.migrations import migrate
    from interviewer.store.engines import alone

    with told():
        url = database()
        migrate(url)
        with alone(url) as connection:
            counts = read_archive(connection, source)
    click.echo(f"Added {_listed(counts)}.")


@click.command()
@click.argument("target", type=FILE, metavar="FILE")
def backup(target: Path) -> None:
    """Copy the SQLite database to a new file and check the copy; a server may go on running.

    \b
    Example:
      viva backup viva-backup.db
    """
    from interviewer.store import backup as copies

    with told():
        made = copies.backup(database(), target)
    click.echo(f"Wrote {made.path}: {made.rounds:,} rounds, {made.events:,} events, checked.")


@click.command()
@click.argument("source", type=FILE, metavar="FILE")
def restore(source: Path) -> None:
    """Put a backup in the database's place, and keep what was there beside it.

    Stop the server first.

    \b
    Example:
      viva restore viva-backup.db
    """
    from sqlalchemy.engine import make_url

    from interviewer.clock import utc_now
    from interviewer.migrations import migrate
    from interviewer.store import backup as copies
    from interviewer.store.engines import sqlite_path

    with told():
        url = database()
        place = sqlite_path(make_url(url))
        aside = place.with_name(f"{place.name}.before-restore-{utc_now():%Y%m%dT%H%M%S}")
        made = copies.restore(url, source, aside)
        migrate(url)
    click.echo(f"Restored {made.rounds:,} rounds, {made.events:,} events.")
    if aside.exists():
        click.echo(f"What was there before is in {aside}.")


@click.command()
@click.option("--older-than", required=True, metavar="SPAN", help="90d, 12w, 6 months, 2 years.")
@click.option("--yes", is_flag=True, help="Do it; without this, only say what would go.")
def purge(older_than: str, yes: bool) -> None:
    """Delete rounds whose last event is older, for good. Stop the server first.

    A round with a bookmark or a note on a turn is pinned: it stays.

    \b
    Examples:
      viva purge --older-than 90d
      viva purge --older-than "2 years" --yes
    """
    from datetime import timedelta

    from interviewer.clock import utc_now
    from interviewer.keeping.purge import forget, old_rounds
    from interviewer.migrations import migrate
    from interviewer.settings import load_settings
    from interviewer.store.engines import alone
    from interviewer.takes.shelf import forget_sound, sound_folder

    before = utc_now() - timedelta(days=_days(older_than))
    with told():
        url = database()
        migrate(url)
        with alone(url) as connection:
            rounds = old_rounds(connection, before)
            if yes:
                forget(connection, rounds)
                forget_sound(sound_folder(url, load_settings().audio_folder), rounds)
    what = f"{len(rounds):,} rounds from before {before:%Y-%m-%d}"
    click.echo(f"Deleted {what}." if yes else f"Would delete {what}; add --yes to do it.")


def _days(span: str) -> int:
    found = _SPAN.fullmatch(span.strip().lower())
    if not found:
        raise click.BadParameter(
            f"{span!r} is no span; write 90d, 12w, 6 months or 2 years", param_hint="--older-than"
        )
    return int(found[1]) * _DAYS[(found[2] or "d")[0]]


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} rows of {name}" for name, count in counts.items())
