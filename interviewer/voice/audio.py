"""Audio files of any kind to 16 kHz mono Int16, in a process of its own."""

import asyncio
import json
from pathlib import Path
from typing import NamedTuple

from interviewer.child import PIPE
from interviewer.errors import VoiceError
from interviewer.voice.local import check_installed
from interviewer.voice.process import started

PATIENCE_S = 300.0


class Decoded(NamedTuple):
    """Samples of a file, and what a person should know of it ('' for nothing)."""

    pcm: bytes
    note: str


async def read_file(path: Path) -> Decoded:
    """The samples of any audio file. Raises VoiceError('bad_audio')."""
    try:
        raw = await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise VoiceError("bad_audio", f"{path}: cannot be read ({error.strerror})") from error
    return await decode(raw)


async def decode(raw: bytes) -> Decoded:
    """The samples of an audio file's bytes. Raises VoiceError('bad_audio')."""
    check_installed()
    process = await started("-P", "-m", "interviewer.voice.decoder", stderr=PIPE)
    try:
        async with asyncio.timeout(PATIENCE_S):
            out, told = await process.communicate(raw)
    except TimeoutError:
        raise VoiceError("timeout", "the audio file takes too long to read; shorten it") from None
    finally:
        await process.end()
    said = _said(told)
    if "note" not in said:
        reason = said.get("error") or f"the file stopped its reader ({process.returncode})"
        raise VoiceError("bad_audio", reason)
    return Decoded(out, said["note"])


def _said(told: bytes) -> dict[str, str]:
    """The JSON object of the last line of standard error; {} where there is none."""
    last = told.strip().rpartition(b"\n")[2]
    try:
        found = json.loads(last)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
