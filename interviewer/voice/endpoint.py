"""Recognition by an OpenAI-compatible /audio/transcriptions; this machine finds where speech is."""

import io
import json
import wave
from typing import Any, Protocol

import httpx2

from interviewer.errors import VoiceError
from interviewer.heard import SAMPLE_BYTES, SAMPLE_RATE, Heard, HeardWord, Span, seconds_of
from interviewer.voice.doubt import NOT_SPEECH
from interviewer.voice.local import Ears
from interviewer.voice.pieces import Piece, pieces
from interviewer.voice.recogniser import Tell

PATIENCE_S = 120.0
LONGEST_REPLY = 4 * 1024 * 1024
LONGEST_TEXT = 20_000
"""Characters of one reply; nobody says more in the 45 seconds of a piece."""


class Listens(Protocol):
    """Tells where speech is."""

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Where there is speech."""
        ...

    async def aclose(self) -> None:
        """End it."""
        ...


class EndpointRecogniser:
    """vLLM, speaches, OpenAI and their like. Asks for word times, and does without."""

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str = "none",
        *,
        ears: Listens | None = None,
        client: httpx2.AsyncClient | None = None,
    ) -> None:
        self.name = model
        self.destination: str | None = base_url.rstrip("/")
        self._url = f"{self.destination}/audio/transcriptions"
        self._ears = ears or Ears()
        self._client = client or httpx2.AsyncClient(timeout=PATIENCE_S)
        self._headers = {"Authorization": f"Bearer {api_key}"}
        self._form = "verbose_json"

    async def transcribe(
        self, pcm: bytes, prompt: str = "", *, tell: Tell | None = None, caption: bool = False
    ) -> Heard:
        """What was said; see Recogniser."""
        speech, seconds = await self._ears.speech(pcm), seconds_of(pcm)
        texts: list[str] = []
        words: list[HeardWord] = []
        timed = True
        for piece in pieces([(span.start, span.end) for span in speech], seconds):
            text, found = _read(await self._post(_cut(pcm, piece), prompt), piece)
            texts.append(text)
            words += found
            timed = timed and (bool(found) or not text)
            if tell is not None:
                tell(min(1.0, piece.end / seconds))
        return Heard(
            text=" ".join(filter(None, texts)),
            words=tuple(words) if timed else (),
            speech=speech,
            seconds=seconds,
            recogniser=self.name,
        )

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Where there is speech."""
        return await self._ears.speech(pcm)

    async def aclose(self) -> None:
        """Close the connections, and end the process that finds speech."""
        await self._client.aclose()
        await self._ears.aclose()

    async def _post(self, audio: bytes, prompt: str) -> dict[str, Any]:
        """The reply to a piece; plain JSON is asked for where times are refused."""
        status, body = await self._sent(audio, prompt)
        if status == 400 and self._form == "verbose_json":
            self._form = "json"
            status, body = await self._sent(audio, prompt)
        if status != 200:
            raise VoiceError("endpoint", f"{self._url} refused with HTTP {status}: {_reason(body)}")
        try:
            found = json.loads(body)
        except ValueError:
            found = None
        if not isinstance(found, dict) or not isinstance(found.get("text"), str):
            raise VoiceError(
                "endpoint", f"{self._url} did not answer with JSON that has a text: {_reason(body)}"
            )
        return found

    async def _sent(self, audio: bytes, prompt: str) -> tuple[int, bytes]:
        fields = {"model": self.name, "language": "en", "response_format": self._form}
        if prompt:
            fields["prompt"] = prompt
        form: dict[str, Any] = dict(fields)
        if self._form == "verbose_json":
            form["timestamp_granularities[]"] = ["word", "segment"]
        request = self._client.stream(
            "POST",
            self._url,
            data=form,
            files={"file": ("answer.wav", audio, "audio/wav")},
            headers=self._headers,
        )
        try:
            async with request as response:
                return response.status_code, await _bounded(response)
        except httpx2.TimeoutException:
            raise VoiceError("timeout", f"{self._url} did not answer; the audio is kept") from None
        except httpx2.HTTPError as error:
            raise VoiceError(
                "endpoint", f"{self._url} cannot be reached ({error}); the audio is kept, try again"
            ) from error


async def _bounded(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LONGEST_REPLY:
            raise VoiceError("endpoint", "the endpoint's reply is longer than a transcript can be")
    return bytes(body)


def _cut(pcm: bytes, piece: Piece) -> bytes:
    """A piece as a WAV file."""
    first, last = (round(edge * SAMPLE_RATE) * SAMPLE_BYTES for edge in piece)
    sink = io.BytesIO()
    with wave.open(sink, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(SAMPLE_BYTES)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(pcm[first:last])
    return sink.getvalue()


def _read(reply: dict[str, Any], piece: Piece) -> tuple[str, list[HeardWord]]:
    """Text and words of a reply, on the whole audio's clock; no words where one has no time."""
    segments = _objects(reply.get("segments"))
    if segments and all(_doubt(segment) > NOT_SPEECH for segment in segments):
        return "", []
    text = _clean(reply["text"])[:LONGEST_TEXT]
    words = [_word(word, piece) for word in _objects(reply.get("words"))]
    return text, [word for word in words if word] if all(words) else []


def _clean(text: str) -> str:
    """Single spaces, and no lone surrogate, which JSON may hold and nothing can store."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def _objects(found: object) -> list[dict[str, Any]]:
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _doubt(segment: dict[str, Any]) -> float:
    doubt = segment.get("no_speech_prob")
    return float(doubt) if isinstance(doubt, int | float) else 0.0


def _word(found: dict[str, Any], piece: Piece) -> HeardWord | None:
    text, start, end = found.get("word"), found.get("start"), found.get("end")
    if not isinstance(text, str) or not isinstance(start, int | float):
        return None
    if not isinstance(end, int | float) or not 0 <= start <= end <= 3600:
        return None
    sure = found.get("probability")
    confidence = float(sure) if isinstance(sure, int | float) and 0 <= sure <= 1 else 1.0
    return HeardWord(
        text=_clean(text), start=piece.start + start, end=piece.start + end, confidence=confidence
    )


def _reason(body: bytes) -> str:
    return body[:160].decode("utf-8", "replace") or "no reason given"
