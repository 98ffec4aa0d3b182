"""A spoken answer as a picture: speech, pauses, fillers, first claim and first number over time."""

from dataclasses import dataclass

from interviewer.heard import Heard
from interviewer.voice.delivery import LONG_PAUSE_S, Delivery
from web.figures.canvas import COMPACT, WIDE, Anchor, Canvas
from web.views.text import minutes

LEFT, RIGHT = 4.0, 12.0
BAND, BAND_HEIGHT = 44.0, 26.0
HEIGHT = 104.0
STEPS_S = (5, 10, 15, 30, 60, 120, 300, 600)
MOST_TICKS = {False: 12, True: 6}


@dataclass(frozen=True, slots=True)
class Timeline:
    """The drawing at two widths, and the pixels in which a script finds the seconds."""

    drawings: tuple[str, str]
    seconds: float
    left: float = LEFT
    right: float = RIGHT


def timeline(heard: Heard, found: Delivery, name: str) -> Timeline:
    """Draw one answer."""
    wide, compact = (_drawn(heard, found, name, width) for width in (WIDE, COMPACT))
    return Timeline((wide, compact), heard.seconds)


def _drawn(heard: Heard, found: Delivery, name: str, width: int) -> str:
    canvas = Canvas(width)
    scale = (width - LEFT - RIGHT) / max(heard.seconds, 0.1)

    def x(seconds: float) -> float:
        return LEFT + scale * seconds

    _axis(canvas, heard.seconds, x(0), scale)
    for span in heard.speech:
        said = f"speech, {span.start:.1f} to {span.end:.1f} s"
        canvas.box((x(span.start), BAND), (scale * span.seconds, BAND_HEIGHT), "two", said=said)
    for pause in found.pauses:
        if pause.seconds >= LONG_PAUSE_S:
            said = f"pause of {pause.seconds:.1f} s, {pause.place}"
            size = (scale * pause.seconds, BAND_HEIGHT - 8)
            canvas.box((x(pause.start), BAND + 4), size, "none", dashed=True, said=said)
    for filler in found.fillers:
        if filler.said is not None:
            at = (x(filler.said.start), BAND + BAND_HEIGHT + 9)
            canvas.dot(at, said=filler.text, hollow=filler.kind == "soft")
    _firsts(canvas, found, LEFT, scale)
    ends = f'y1="{BAND - 6}" y2="{BAND + BAND_HEIGHT + 6}"'
    canvas.parts.append(f'<line class="playhead" x1="{LEFT}" x2="{LEFT}" {ends}/>')
    return canvas.svg(HEIGHT, f"Timeline of {name}", _described(heard, found))


def _axis(canvas: Canvas, seconds: float, left: float, scale: float) -> None:
    most = MOST_TICKS[canvas.compact]
    step = next((step for step in STEPS_S if seconds / step <= most), STEPS_S[-1])
    canvas.line((left, HEIGHT - 16), (left + scale * seconds, HEIGHT - 16))
    for at in range(0, int(seconds) + 1, step):
        canvas.line((left + scale * at, HEIGHT - 20), (left + scale * at, HEIGHT - 16))
        anchor: Anchor = "start" if at == 0 else "middle"
        canvas.text((left + scale * at, HEIGHT - 2), minutes(at), anchor, tone="soft", size=12)


def _firsts(canvas: Canvas, found: Delivery, left: float, scale: float) -> None:
    """The first claim and the first number, on two lines so that they never cover each other."""
    for words, at, row in (
        ("first claim", found.first_claim_s, 14.0),
        ("first number", found.first_number_s, 31.0),
    ):
        if at is None:
            continue
        place = left + scale * at
        late = place > canvas.width - 110
        canvas.line((place, row - 8), (place, BAND + BAND_HEIGHT), "mark")
        words = f"{words}, {at:.0f} s"
        canvas.text((place + (-5 if late else 5), row), words, "end" if late else "start", size=12)


def _described(heard: Heard, found: Delivery) -> str:
    claim, number = found.first_claim_s, found.first_number_s
    parts = [
        f"{heard.seconds:.0f} seconds, {found.speech_s:.0f} of them speech",
        f"{len(found.pauses)} pauses, the longest {found.longest_pause_s:.1f} s",
        f"{len(found.fillers)} fillers",
        f"first claim at {claim:.0f} s" if claim is not None else "no claim found",
        f"first number at {number:.0f} s" if number is not None else "no number found",
    ]
    return "; ".join(parts) + "."
