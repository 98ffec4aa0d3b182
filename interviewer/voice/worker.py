"""The process that listens: `python -m interviewer.voice.worker MODEL THREADS`.

Reads a JSON line and Int16 audio from standard input, answers in JSON lines. It loads the model
when it is first needed, ends when its input ends, and knows nothing of Viva but this.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from interviewer.voice.doubt import Said, is_loop, is_speech, missed
from interviewer.voice.pieces import Piece, pieces

if TYPE_CHECKING:
    import numpy as np
    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment

    Audio = np.ndarray[Any, np.dtype[np.int16]]

RATE = 16_000
VAD_WINDOW_S = 60
"""Of audio at a time, for the memory's sake."""
LEAST_PAUSE_S = 0.25
LOOKED_BACK = 600
"""Characters in which a loop is looked for."""
FILES = ("model.bin", "config.json", "tokenizer.json")


class Unavailable(Exception):
    """The model cannot be loaded; the message says what to do."""


class Listener:
    """Voice activity detection (Silero) and recognition (Whisper in int8)."""

    def __init__(self, model: str, threads: int) -> None:
        self._name, self._threads = model, threads
        self._model: WhisperModel | None = None

    def answer(self, request: dict[str, Any], audio: "Audio") -> Iterator[dict[str, Any]]:
        """Progress, then the answer."""
        speech, seconds = find_speech(audio), len(audio) / RATE
        if request["op"] == "speech":
            yield {"speech": speech}
            return
        self._loaded()  # what is missing is told for silence too
        said: list[Said] = []
        for piece in pieces(speech, seconds):
            for segment in self._heard(audio, piece, speech, request["prompt"]):
                yield {"done": min(1.0, segment.end / seconds)}
                said.append(segment)
        said.sort(key=lambda segment: segment.start)
        yield {
            "heard": {
                "text": " ".join(segment.text for segment in said),
                "words": [word for segment in said for word in shown(segment)],
                "speech": [{"start": start, "end": end} for start, end in speech],
                "seconds": seconds,
            },
            "peak_bytes": peak_bytes(),
        }

    def _heard(
        self, audio: "Audio", piece: Piece, speech: list[tuple[float, float]], prompt: str
    ) -> Iterator[Said]:
        """The segments of a piece, and then those of speech in it that got no words."""
        segments = [s for s in self._said(audio, piece, prompt) if is_speech(s, speech)]
        yield from segments
        for start, end in missed(segments, speech, piece):
            gap = Piece(max(piece.start, start - 0.1), min(piece.end, end + 0.1))
            yield from (s for s in self._said(audio, gap, prompt) if is_speech(s, speech))

    def _said(self, audio: "Audio", piece: Piece, prompt: str) -> Iterator[Said]:
        """Segments as they come. From a loop on, what is left is heard again, without repeats."""
        start, said = piece.start, ""
        for segment in self._segments(audio, piece, prompt):
            said = f"{said} {segment.text}"[-LOOKED_BACK:]
            if is_loop(said):
                rest = Piece(start, piece.end)
                yield from self._segments(audio, rest, prompt, no_repeats=3)
                return
            start = segment.end
            yield segment

    def _segments(
        self, audio: "Audio", piece: Piece, prompt: str, no_repeats: int = 0
    ) -> Iterator[Said]:
        first, last = round(piece.start * RATE), round(piece.end * RATE)
        segments, _ = self._loaded().transcribe(
            as_floats(audio[first:last]),
            language="en",
            beam_size=1,
            best_of=1,
            temperature=[0.0, 0.4],
            word_timestamps=True,
            initial_prompt=prompt or None,
            no_repeat_ngram_size=no_repeats,
        )
        for segment in segments:
            if segment.text.strip():
                yield moved(segment, piece.start)

    def _loaded(self) -> "WhisperModel":
        if self._model is None:
            self._model = load_model(self._name, self._threads)
        return self._model


def load_model(name: str, threads: int) -> "WhisperModel":
    """The Whisper model in a folder, or of a name in the hub's cache. Raises Unavailable."""
    from faster_whisper import WhisperModel

    folder = Path(name)
    missing = [file for file in FILES if not (folder / file).is_file()]
    if folder.is_dir() and missing:
        raise Unavailable(f"{name} is no model folder: it lacks {', '.join(missing)}")
    try:
        return WhisperModel(
            name, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise Unavailable(
            f"the model {name} cannot be loaded ({error}): run `viva voice setup`, or name a "
            "folder with VIVA_VOICE_MODEL"
        ) from error


def find_speech(audio: "Audio") -> list[tuple[float, float]]:
    """Where there is speech, in seconds; pauses of a quarter of a second and more part it."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(min_silence_duration_ms=round(LEAST_PAUSE_S * 1000), speech_pad_ms=0)
    spans: list[tuple[float, float]] = []
    for first in range(0, len(audio), VAD_WINDOW_S * RATE):
        window = as_floats(audio[first : first + VAD_WINDOW_S * RATE])
        for found in get_speech_timestamps(window, options):
            start, end = ((first + found[edge]) / RATE for edge in ("start", "end"))
            if spans and start - spans[-1][1] < LEAST_PAUSE_S:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
    return spans


def as_floats(audio: "Audio") -> "np.ndarray[Any, np.dtype[np.float32]]":
    """Samples between -1 and 1."""
    import numpy as np

    return audio.astype(np.float32) / 32768.0


def moved(segment: "Segment", by: float) -> Said:
    """A segment of a piece as one of the whole audio."""
    words = tuple(
        (word.word.strip(), word.start + by, word.end + by, word.probability)
        for word in segment.words or ()
    )
    text, doubt = segment.text.strip(), segment.no_speech_prob
    return Said(text, segment.start + by, segment.end + by, doubt, words)


def shown(segment: Said) -> Iterator[dict[str, Any]]:
    """The words for `Heard`; a time never runs backwards."""
    for text, start, end, confidence in segment.words:
        begun = max(0.0, start)
        sure = min(1.0, max(0.0, confidence))
        yield {"text": text, "start": begun, "end": max(begun, end), "confidence": sure}


def peak_bytes() -> int:
    """The most memory that this process has held; 0 where the system does not tell (not Linux).

    Not getrusage: that counts what the parent held when it started this process.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) * 1024


def serve(listener: Listener, source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer until the input ends."""
    import numpy as np

    while line := source.readline():
        request = json.loads(line)
        audio = np.frombuffer(_read(source, request["bytes"]), dtype="<i2")
        try:
            for message in listener.answer(request, audio):
                _say(sink, message)
        except Unavailable as error:
            _say(sink, {"error": str(error), "kind": "unavailable"})


def _read(source: IO[bytes], count: int) -> bytearray:
    """So many bytes, held once; fewer only where the input ends."""
    held = bytearray(count)
    at = 0
    with memoryview(held) as view:
        while at < count and (read := source.readinto(view[at:])):  # type: ignore[attr-defined]
            at += read
    return held


def _say(sink: IO[bytes], message: dict[str, Any]) -> None:
    sink.write(json.dumps(message).encode() + b"\n")
    sink.flush()


def end_with(parent: int) -> None:
    """End when the server has: its pipe alone would be noticed only after the work at hand."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def main(model: str, threads: str) -> None:
    """Serve on the standard streams; what libraries print goes to standard error."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)  # the round's own process goes first
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    serve(Listener(model, int(threads)), sys.stdin.buffer, sink)


if __name__ == "__main__":
    main(*sys.argv[1:3])
