"""ZIP files as Viva writes them, and the distrust with which it reads one."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sqlalchemy.exc import SQLAlchemyError

from interviewer.errors import BackupFault

_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNREADABLE = 0x1 | 0x20 | 0x40
"""The flags of a member that is encrypted or a patch."""


def entry(name: str, compression: int = ZIP_DEFLATED) -> ZipInfo:
    """A member without a date, so that equal data are equal bytes."""
    made = ZipInfo(name, _EPOCH)
    made.compress_type = compression
    made.external_attr = 0o600 << 16
    return made


@contextmanager
def reading(source: Path) -> Iterator[ZipFile]:
    """A ZIP file to read in; what can be wrong with it is a BackupFault, also while it is read."""
    try:
        with ZipFile(source) as archive:
            _check_members(archive)
            yield archive
    except (BadZipFile, EOFError, zlib.error) as error:
        raise BackupFault(f"{source} is no archive of Viva: {error}") from error
    except OSError as error:
        raise BackupFault(f"{source} cannot be read in: {error}") from error
    except SQLAlchemyError as error:
        raise BackupFault(f"{source} does not fit into the database: {error}") from error


def _check_members(archive: ZipFile) -> None:
    for member in archive.infolist():
        known = member.compress_type in (ZIP_STORED, ZIP_DEFLATED)
        if not known or member.flag_bits & _UNREADABLE:
            raise BackupFault(f"{member.filename!r} is encrypted, or packed as no archive is")
