"""Recordings over HTTP: played with ranges, deleted by their owner; and the microphone's check."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import PurePath
from typing import Annotated, BinaryIO

import anyio
from fastapi import APIRouter, Path, Request
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from interviewer.dictations import Dictations
from interviewer.errors import TakeRefused
from interviewer.takes.wav import FRAME_BYTES
from web.audio_desk import NOT_SET_UP
from web.dependencies import RunningViva
from web.rendering import url
from web.views.room import VoicePanel

router = APIRouter(include_in_schema=False)
MEDIA = {".wav": "audio/wav", ".flac": "audio/flac", ".webm": "audio/webm"}
CHECK_BYTES = 60 * FRAME_BYTES
"""A check has three seconds; twice of that is refused."""
TakeId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class Checked(BaseModel):
    """What the microphone's check heard; empty where there were no words."""

    text: str


class OpenFile(FileResponse):
    """A file that is open already, whole or in ranges; closed when it is sent."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        super().__init__(
            file.name,
            media_type=MEDIA[PurePath(file.name).suffix],
            # Not even the browser's cache keeps what the person may delete.
            headers={"cache-control": "no-store"},
            stat_result=os.fstat(file.fileno()),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, or what is asked of it."""
        with self._file:
            await super().__call__(scope, receive, send)

    @asynccontextmanager
    async def _open_file(self) -> AsyncIterator[anyio.AsyncFile[bytes]]:
        # By its name it may be gone.
        yield anyio.wrap_file(self._file)


def voice_panel(request: Request, round_id: str) -> VoicePanel | None:
    """What a round's page needs for spoken answers; None where they are not set up."""
    dictations: Dictations | None = request.app.state.viva.dictations
    if dictations is None:
        return None
    return VoicePanel(
        sound=url(request, "take_sound", round_id=round_id, take_id="x").removesuffix("x"),
        check=url(request, "voice_check"),
        longest=dictations.longest,
        destination=dictations.recogniser.destination,
        days=dictations.shelf.keep_days,
    )


async def kept_sound(viva: RunningViva, round_id: str) -> tuple[str, ...]:
    """The ids of the answers whose sound can be played."""
    return await viva.dictations.shelf.kept(round_id) if viva.dictations else ()


@router.get("/rounds/{round_id}/sound/{take_id}", name="take_sound")
async def sound(viva: RunningViva, round_id: str, take_id: TakeId) -> Response:
    """The recording of an answer, whole or a range of it."""
    session = await viva.rounds.open(round_id)
    file = await dictations_of(viva.dictations).shelf.sound_file(session.id, take_id)
    if file is None:
        raise HTTPException(404, "The sound of this answer is not kept.")
    return OpenFile(file)


@router.post("/rounds/{round_id}/sound/delete", name="delete_sound")
async def delete(request: Request, viva: RunningViva, round_id: str) -> Response:
    """Delete all recordings of a round; its words stay."""
    session = await viva.rounds.open(round_id)
    await dictations_of(viva.dictations).shelf.forget(session.id)
    return RedirectResponse(url(request, "scorecard", round_id=session.id), 303)


@router.post("/voice/check", name="voice_check")
async def check(request: Request, viva: RunningViva) -> Checked:
    """What is heard in three seconds of 16 kHz mono Int16; nothing of it is kept."""
    dictations = dictations_of(viva.dictations)
    sound = await request.body()
    if len(sound) > CHECK_BYTES or len(sound) % 2:
        raise HTTPException(
            422, f"body: {len(sound)} bytes; send up to {CHECK_BYTES} of 16 kHz mono Int16"
        )
    return Checked(text=(await dictations.recogniser.transcribe(sound)).text)


def dictations_of(found: Dictations | None) -> Dictations:
    """Spoken answers; TakeRefused where they are not set up."""
    if found is None:
        raise TakeRefused(NOT_SET_UP)
    return found
