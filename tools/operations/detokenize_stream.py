"""`detokenize_stream`: token bytes to text as a client sees it, with stop strings held back."""

import re

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.operations.stream_text import REPLACEMENT, StopHoldback, WindowDecoder
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MARKS, Cell, Lane, Recording
from tools.working import Working

LONGEST = 1000
"""Characters of a token."""
BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class StreamArguments(Arguments):
    """Arguments of detokenize_stream."""

    tokens: list[str] = Field(
        min_length=1,
        max_length=2000,
        description="Tokens as text; single bytes as <0xE2>, as byte-fallback vocabularies do",
    )
    stops: list[str] = Field(default=[], max_length=16, description="Stop strings")
    include_stop: bool = Field(default=False, description="Whether the stop string is sent too")


@tool(
    group="streaming",
    example={
        "tokens": ["It costs ", "<0xE2><0x82>", "<0xAC>", "5", ".\n", "#", "#", "# End", " more"],
        "stops": ["###"],
    },
    drawing=Drawing(
        kind="line",
        title="Characters sent and held after each token",
        x="token",
        x_label="token",
        y_label="characters",
        series=(Series("sent", "sent so far"), Series("held_chars", "held back")),
    ),
    marks={
        **MARKS,
        "free": "the token decoded alone",
        "cached": "bytes of an unfinished character",
        "held": "held: could become a stop",
        "shared": "sent before",
        "new": "sent now",
        "lost": "decoded alone it is broken",
    },
)
def detokenize_stream(given: StreamArguments) -> Working:
    """Stream tokens as text: whole characters alone, and nothing that could become a stop string.

    Tokens are decoded from an offset window, so a character split over tokens waits for its end;
    of the text, the longest end that begins a stop string is held. The stop that is complete first
    counts, wherever tokens are cut.
    """
    if any(not stop or len(stop) > 200 for stop in given.stops):
        raise ToolError("stops", "…", "each is 1 to 200 characters")
    if any(len(token) > LONGEST for token in given.tokens):
        raise ToolError("tokens", "…", f"each has at most {LONGEST} characters")
    pieces = [_bytes(token) for token in given.tokens]
    decoder, holdback = WindowDecoder(), StopHoldback(given.stops, given.include_stop)
    recording, sent, used, longest = Recording(), "", 0, 0
    source = "offset-window detokenizing; holdback by the longest suffix-prefix"
    work = Working(headline="sent_chars", source=source)
    for number, piece in enumerate(pieces, 1):
        new = holdback.feed(decoder.feed(piece))
        used, longest = number, max(longest, len(holdback.held))
        alone = piece.decode("utf-8", "replace")
        work.table.append(
            {
                "token": number,
                "text": alone,
                "new": new,
                "held": holdback.held,
                "held_chars": len(holdback.held),
                "sent": len(sent) + len(new),
            }
        )
        _record(recording, work.table[-1], sent, decoder)
        sent += new
        if holdback.stopped is not None:
            break
    if holdback.stopped is None:
        sent += holdback.feed(decoder.close())
        sent += holdback.close()
    _put(work, given, sent, used)
    work.put("longest_held", longest, "characters", "held back at most", "count")
    work.formula = f"sent {_shown(sent)}" + (
        f"; stopped at {holdback.stopped!r}" if holdback.stopped is not None else ""
    )
    work.assume("tokens are bytes that concatenate, as in byte-level BPE; UTF-8")
    work.show(recording)
    return work


def _bytes(token: str) -> bytes:
    parts = BYTE.split(token)
    return b"".join(
        bytes([int(part, 16)]) if index % 2 else part.encode() for index, part in enumerate(parts)
    )


def _put(work: Working, given: StreamArguments, sent: str, used: int) -> None:
    total = len(given.tokens)
    work.put("sent_chars", len(sent), "characters", "sent to the client", "count")
    work.put("tokens_used", used, "tokens", f"of {total:,}, until the stop", "count")
    work.put("tokens_after_stop", total - used, "tokens", "generated in vain after it", "count")
    naive = sum(str(row["text"]).count(REPLACEMENT) for row in work.table)
    alone = "replaced if each token is decoded alone"
    work.put("broken_chars", naive, "characters", alone, "count")
    delayed = sum(1 for row in work.table if row["text"] and not row["new"])
    work.put("silent_tokens", delayed, "tokens", "that sent nothing at once", "count")
    if total > used:
        work.warn(f"{total - used:,} tokens came after the stop: cancel the request in the engine")


def _record(
    recording: Recording, row: dict[str, object], sent: str, decoder: WindowDecoder
) -> None:
    if not recording.open:
        return
    waiting = b"".join(decoder.tokens[decoder.read :])
    alone = "lost" if REPLACEMENT in str(row["text"]) else "free"
    lanes = [
        Lane(label="token", cells=(_cell(str(row["text"]), alone),)),
        Lane(label="bytes", cells=tuple(_cell(f"{byte:02x}", "cached") for byte in waiting[-12:])),
        Lane(label="held", cells=(_cell(str(row["held"]), "held"),) if row["held"] else ()),
        Lane(
            label="client",
            cells=tuple(
                _cell(text[-24:], mark)
                for text, mark in ((sent, "shared"), (str(row["new"]), "new"))
                if text
            ),
        ),
    ]
    said = f"sent {_shown(str(row['new']))}, holds {_shown(str(row['held']))}"
    recording.add(f"token {row['token']}", said, lanes, held=len(str(row["held"])))


def _cell(text: str, mark: str) -> Cell:
    return Cell.model_validate(
        {"text": _shown(text)[1:-1] or " ", "mark": mark, "width": max(2.0, len(text) / 2)}
    )


def _shown(text: str) -> str:
    """As Python writes it, so that line ends are seen; shortened."""
    return repr(text if len(text) <= 200 else f"{text[:200]}…")
