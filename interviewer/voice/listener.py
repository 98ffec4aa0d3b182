"""The process that turns speech into words: `python -m interviewer.voice.listener MODEL THREADS`.

It loads the model when it is first needed, and knows nothing of Viva but this.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interviewer.voice.doubt import Said, is_loop, is_speech, missed
from interviewer.voice.pieces import Piece
from interviewer.voice.worker import RATE, Unavailable, as_floats, peak_bytes, run

if TYPE_CHECKING:
    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment

    from interviewer.voice.worker import Audio

LOOKED_BACK = 600
"""Characters in which a loop is looked for."""
FILES = ("model.bin", "config.json", "tokenizer.json")


class Listener:
    """Recognition (Whisper in int8)."""

    def __init__(self, model: str, threads: int) -> None:
        self._name, self._threads = model, threads
        self._model: WhisperModel | None = None

    def answer(self, request: dict[str, Any], audio: "Audio") -> Iterator[dict[str, Any]]:
        """Progress, then the segments of one piece; `speech` is where somebody speaks in it.

        No audio gives no segments, but loads the model.
        """
        self._loaded()
        said: list[Said] = []
        whole = Piece(0.0, len(audio) / RATE)
        for segment in self._heard(audio, whole, request["speech"], request["prompt"]):
            yield {"done": min(1.0, segment.end / whole.end)}
            said.append(segment)
        said.sort(key=lambda segment: segment.start)
        segments = [{"text": one.text, "words": [*shown(one)]} for one in said]
        yield {"segments": segments, "peak_bytes": peak_bytes()}

    def _heard(
        self, audio: "Audio", piece: Piece, speech: list[tuple[float, float]], prompt: str
    ) -> Iterator[Said]:
        """The segments of a piece, and then those of speech in it that got no words."""
        if not speech:
            return
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
        raise Unavailable(
            f"{name} is no model folder: it lacks {', '.join(missing)}; run `viva voice setup`"
        )
    try:
        return WhisperModel(
            name, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise Unavailable(
            f"the model {name} cannot be loaded ({error}): run `viva voice setup`, or name a "
            "folder with VIVA_VOICE_MODEL"
        ) from error


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


if __name__ == "__main__":
    run(Listener(sys.argv[1], int(sys.argv[2])))
