"""Everything that is not derived, in one ZIP file: a header, each table as JSON lines, kept sound.

The same data give the same bytes but for the header's date. What is read in is not trusted.
"""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from sqlalchemy import Connection, Table, insert, select

from interviewer.errors import BackupFault
from interviewer.events import EVENT, VERSION
from interviewer.keeping.recordings import FOLDER, LIST, read_sound, write_sound
from interviewer.keeping.zipped import entry, reading
from interviewer.store.read_models import rebuild
from interviewer.store.tables import KEPT, EventRow

FORMAT = "viva-archive/2"
READ = ("viva-archive/1", FORMAT)
"""The formats that can be read; the first holds no sound."""
HEADER = "viva.json"
LONGEST_LINE = 8 * 2**20
LARGEST = 64 * 2**30
_BATCH = 500
_PATTERNS = {"round_id": r"^[A-Za-z0-9_-]+$"}
"""A log's name stands in addresses, in headers and for a folder."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was written or added."""

    rows: Mapping[str, int]
    """By table."""
    recordings: int


def write_archive(
    connection: Connection, target: IO[bytes], now: datetime, sound: Path | None = None
) -> Counts:
    """Write all kept tables, and the kept sound of the folder where one is given."""
    rows: dict[str, int] = {}
    with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=6) as archive:
        for table in _tables():
            with archive.open(entry(f"{table.name}.jsonl"), "w", force_zip64=True) as member:
                rows[table.name] = _write_rows(connection, table, member)
        recordings = write_sound(archive, connection, sound) if sound else 0
        header = {"format": FORMAT, "exported": now.astimezone(UTC).isoformat(), "rows": rows}
        archive.writestr(entry(HEADER), json.dumps(header, indent=2))
    return Counts(rows, recordings)


def read_archive(connection: Connection, source: Path, sound: Path) -> Counts:
    """Add the rows of an archive that are not here yet, and the sound to its folder.

    The caller commits; sound comes last, so that a fault leaves none. Raises BackupFault for
    anything that is not an archive of this format, for a row or a recording that differs from the
    one here, and for a log with a fault.
    """
    with reading(source) as archive:
        _check_header(archive)
        rows = {table.name: _read_rows(connection, table, archive) for table in _tables()}
        rebuild(connection)
        return Counts(rows, read_sound(archive, connection, sound))


def _tables() -> list[Table]:
    return [kept.__table__ for kept in KEPT]  # type: ignore[attr-defined]


@cache
def _row_model(name: str) -> type[BaseModel]:
    """What a line of a table must be: its columns, each of its type, none beside them."""
    (kept,) = (kept for kept in KEPT if kept.__tablename__ == name)
    columns = kept.__table__.columns  # type: ignore[attr-defined]
    fields: dict[str, Any] = {
        column: (
            field.annotation,
            Field(
                max_length=getattr(columns[column].type, "length", None),
                pattern=_PATTERNS.get(column),
            ),
        )
        for column, field in kept.model_fields.items()
    }
    strict = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    return create_model(name, __config__=strict, **fields)


def _write_rows(connection: Connection, table: Table, member: IO[bytes]) -> int:
    rows = connection.execution_options(yield_per=_BATCH).execute(
        select(table).order_by(*table.primary_key.columns)
    )
    count = 0
    for row in rows.mappings():
        line = json.dumps(dict(row), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        member.write(line.encode() + b"\n")
        count += 1
    return count


def _check_header(archive: ZipFile) -> None:
    names = [entry.filename for entry in archive.infolist()]
    wanted = {HEADER, LIST, *(f"{table.name}.jsonl" for table in _tables())}
    if HEADER not in names:
        raise BackupFault(f"it is no archive of Viva: {HEADER} is missing")
    with archive.open(HEADER) as member:
        text = member.read(LONGEST_LINE)
    try:
        found = json.loads(text).get("format")
    except (ValueError, AttributeError) as error:
        raise BackupFault(f"{HEADER} cannot be read: {error}") from error
    if found not in READ:
        raise BackupFault(f"{HEADER}: the format is {found!r}; this Viva reads {', '.join(READ)}")
    odd = sorted(name for name in set(names) - wanted if not name.startswith(FOLDER))
    if len(names) != len(set(names)) or odd:
        raise BackupFault(f"it holds what no archive holds: {odd[:3]}")
    if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
        raise BackupFault("it is larger than any archive may be")


def _read_rows(connection: Connection, table: Table, archive: ZipFile) -> int:
    name = f"{table.name}.jsonl"
    if name not in archive.namelist():
        return 0
    with archive.open(name) as member:
        rows = _rows(member, table)
        checked = _whole_logs(rows) if table.name == EventRow.__tablename__ else rows
        return sum(_add(connection, table, batch) for batch in _batches(checked))


def _rows(member: IO[bytes], table: Table) -> Iterator[Row]:
    model, buffered, number = _row_model(table.name), io.BufferedReader(member), 0  # type: ignore[type-var]
    while line := buffered.readline(LONGEST_LINE + 1):
        number += 1
        where = f"{table.name}.jsonl:{number}"
        if len(line) > LONGEST_LINE:
            raise BackupFault(f"{where}: longer than {LONGEST_LINE} bytes")
        try:
            yield model.model_validate_json(line).model_dump()
        except ValidationError as error:
            fault = error.errors()[0]
            place = ".".join(map(str, fault["loc"]))
            raise BackupFault(f"{where}: {place}: {fault['msg']}") from error


def _batches(rows: Iterator[Row]) -> Iterator[Sequence[Row]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _whole_logs(rows: Iterator[Row]) -> Iterator[Row]:
    """Events that are valid and stand in their log without a gap."""
    for round_id, log in groupby(rows, key=lambda row: row["round_id"]):
        for seq, row in enumerate(log, start=1):
            if row["seq"] != seq:
                raise BackupFault(f"round {round_id}: event {seq} is missing")
            _check_event(row)
            yield row


def _check_event(row: Row) -> None:
    where = f"round {row['round_id']}, event {row['seq']}"
    if row["version"] > VERSION:
        raise BackupFault(f"{where}: written by a newer Viva; upgrade this one")
    try:
        event = EVENT.validate_json(row["body"])
        at = datetime.fromisoformat(row["at"])
    except (ValidationError, ValueError) as error:
        raise BackupFault(f"{where}: {error}") from error
    if event.type != row["type"] or at.utcoffset() is None:
        raise BackupFault(f"{where}: its type or its time does not fit its body")


def _add(connection: Connection, table: Table, batch: Sequence[Row]) -> int:
    """Insert those of a batch that are not here; those that are must be the same."""
    names = [column.name for column in table.primary_key.columns]
    keys = {tuple(row[name] for name in names): row for row in batch}
    if len(keys) != len(batch):
        raise BackupFault(f"{table.name}.jsonl: the same row stands there twice")
    # By the first column alone: SQLite finds no index for a list of pairs.
    first = table.columns[names[0]]
    here = select(table).where(first.in_({key[0] for key in keys}))
    for known in connection.execute(here).mappings():
        key = tuple(known[name] for name in names)
        if key in keys and dict(known) != dict(keys.pop(key)):
            shown = "/".join(map(str, key))
            raise BackupFault(
                f"{table.name} {shown} is here already and differs; "
                "import into a database of its own (VIVA_DATABASE_URL)"
            )
    if keys:
        connection.execute(insert(table), [dict(row) for row in keys.values()])
    return len(keys)
