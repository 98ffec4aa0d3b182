"""`viva import`, `backup`, `restore` and `purge`. Imports only click until a command runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

FILE = click.Path(path_type=Path, dir_okay=False)
_SPAN = re.compile(r"(\d{1,5})\s*(d|days?|w|weeks?|months?|y|years?)?")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_MOST_DAYS = 100 * 365


def database() -> str:
    """The URL of the database that is set."""
    from interviewer.settings import load_settings

    return load_settings().database_url


def sound() -> Path:
    """The folder of the sound that is kept."""
    from interviewer.settings import load_settings
    from interviewer.takes.shelf import sound_folder

    settings = load_settings()
    return sound_folder(settings.database_url, settings.audio_folder)


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its name when it is whole; BackupFault where one is."""
    from interviewer.errors import BackupFault

    if target.exists():
        raise BackupFault(f"{target} exists already; name a file that does not")
    part = target.with_name(f"{target.name}.part")
    try:
        yield part
        part.replace(target)
    except OSError as error:
        raise BackupFault(f"{target} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def export_everything(target: Path, *, with_sound: bool) -> None:
    """Write the archive. Raises BackupFault."""
    from interviewer.clock import utc_now
    from interviewer.keeping.archive import write_archive
    from interviewer.store.engines import snapshot

    folder = sound() if with_sound else None
    with new_file(target) as part, snapshot(database()) as connection, part.open("wb") as file:
        counts = write_archive(connection, file, utc_now(), folder)
    click.echo(f"Wrote {target}: {_listed(counts.rows, counts.recordings)}.")


@click.command("import")
@click.argument("source", type=FILE, metavar="FILE")
def import_(source: Path) -> None:
    """Add everything of an archive that `viva export --all` wrote; what is here stays.

    All or nothing. A round or a recording that is here already must be the same. Stop the server
    first.

    \b
    Example:
      viva import viva-2026-11-29.zip
    """
    from interviewer.keeping.archive import read_archive
    from interviewer.migrations import migrate
    from interviewer.store.engines import alone

    url = database()
    migrate(url)
    with alone(url) as connection:
        counts = read_archive(connection, source, sound())
    click.echo(f"Added {_listed(counts.rows, counts.recordings)}.")


@click.command()
@click.argument("target", type=FILE, metavar="FILE")
def backup(target: Path) -> None:
    """Copy the SQLite database to a new file and check the copy; a server may go on running.

    Kept sound goes into a file of its own beside it.

    \b
    Example:
      viva backup viva-backup.db
    """
    from interviewer.store import backup as copies

    made = copies.backup(database(), target)
    click.echo(f"Wrote {made.path}: {made.rounds:,} rounds, {made.events:,} events, checked.")
    _backup_sound(target)


def _backup_sound(copy: Path) -> None:
    from zipfile import ZipFile

    from interviewer.keeping.recordings import beside, write_sound
    from interviewer.store.engines import snapshot
    from interviewer.takes.shelf import kept_files

    folder = sound()
    if not any(kept_files(folder)):
        return
    url = f"sqlite:///{copy.absolute()}"
    with new_file(beside(copy)) as part, snapshot(url) as connection, ZipFile(part, "w") as archive:
        count = write_sound(archive, connection, folder)
    click.echo(f"Wrote {beside(copy)}: {_recordings(count)}.")


@click.command()
@click.argument("source", type=FILE, metavar="FILE")
def restore(source: Path) -> None:
    """Put a backup in the database's place, and keep what was there beside it.

    The sound of a backup is added to what is kept. Stop the server first.

    \b
    Example:
      viva restore viva-backup.db
    """
    from sqlalchemy.engine import make_url

    from interviewer.clock import utc_now
    from interviewer.keeping.recordings import beside, read_sound
    from interviewer.keeping.zipped import reading
    from interviewer.migrations import migrate
    from interviewer.store import backup as copies
    from interviewer.store.engines import snapshot, sqlite_path

    url = database()
    place = sqlite_path(make_url(url))
    aside = place.with_name(f"{place.name}.before-restore-{utc_now():%Y%m%dT%H%M%S}")
    made = copies.restore(url, source, aside)
    migrate(url)
    click.echo(f"Restored {made.rounds:,} rounds, {made.events:,} events.")
    if aside.exists():
        click.echo(f"What was there before is in {aside}.")
    if not beside(source).exists():
        return
    with snapshot(url) as connection, reading(beside(source)) as archive:
        recordings = read_sound(archive, connection, sound())
    click.echo(f"Added {_recordings(recordings)}.")


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
    from interviewer.keeping.purge import forget_old, old_rounds
    from interviewer.migrations import migrate
    from interviewer.store.engines import alone

    before = utc_now() - timedelta(days=_days(older_than))
    url = database()
    migrate(url)
    if yes:
        rounds = forget_old(url, sound(), before)
    else:
        with alone(url) as connection:
            rounds = old_rounds(connection, before)
    what = f"{len(rounds):,} rounds from before {before:%Y-%m-%d}"
    click.echo(f"Deleted {what}." if yes else f"Would delete {what}; add --yes to do it.")


def _days(span: str) -> int:
    found = _SPAN.fullmatch(span.strip().lower())
    days = int(found[1]) * _DAYS[(found[2] or "d")[0]] if found else None
    if days is None or days > _MOST_DAYS:
        raise click.BadParameter(
            f"{span!r} is no span; write 90d, 12w, 6 months or 2 years, at most 100 years",
            param_hint="--older-than",
        )
    return days


def _listed(rows: Mapping[str, int], recordings: int) -> str:
    tables = [f"{count:,} rows of {name}" for name, count in rows.items()]
    return ", ".join([*tables, _recordings(recordings)])


def _recordings(count: int) -> str:
    return f"{count:,} recording{'' if count == 1 else 's'}"
