"""SVG from shapes: pure, no script, no style attribute; colours come from classes.

Legible without CSS too: currentColor with opacity and dashes. Each figure is drawn at two widths.
"""

from dataclasses import dataclass, field
from hashlib import blake2b
from html import escape
from typing import Literal

Anchor = Literal["start", "middle", "end"]
Ink = Literal["ink", "soft", "on"]
Tone = Literal["one", "two", "three", "soft", "warn", "none"]
FILL: dict[Tone, float] = {
    "one": 0.9,
    "two": 0.5,
    "three": 0.28,
    "soft": 0.12,
    "warn": 0.75,
    "none": 0.0,
}
WIDE, COMPACT = 720, 350
"""Pixels of the two widths: for a page and for a phone."""
GLYPH = 6.9
"""Pixels of a character at size 13, on average."""


@dataclass
class Canvas:
    """Shapes on a drawing of a given width; the height is set at the end."""

    width: int
    parts: list[str] = field(default_factory=list)

    @property
    def compact(self) -> bool:
        """Whether this is the drawing for a phone."""
        return self.width < WIDE

    def box(
        self,
        corner: tuple[float, float],
        size: tuple[float, float],
        tone: Tone = "one",
        *,
        dashed: bool = False,
        said: str = "",
    ) -> None:
        """A filled box with a thin edge; a dashed edge tells it apart without colour."""
        title = f"<title>{escape(said)}</title>" if said else ""
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<rect class="draw-box draw-{tone}" x="{corner[0]:.1f}" y="{corner[1]:.1f}" '
            f'width="{max(0.0, size[0]):.1f}" height="{size[1]:.1f}" rx="2" fill="currentColor" '
            f'fill-opacity="{FILL[tone]}" stroke="currentColor" stroke-opacity="0.55"{dashes}>'
            f"{title}</rect>"
        )

    def text(
        self,
        at: tuple[float, float],
        words: str,
        anchor: Anchor = "start",
        *,
        tone: Ink = "ink",
        size: int = 13,
    ) -> None:
        """Words with their baseline at a point; 'on' is for words on a filled box."""
        self.parts.append(
            f'<text class="draw-text draw-text-{tone}" x="{at[0]:.1f}" y="{at[1]:.1f}" '
            f'text-anchor="{anchor}" font-size="{size}" fill="currentColor">{escape(words)}</text>'
        )

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        tone: Literal["axis", "grid", "mark", "one"] = "axis",
        *,
        dashed: bool = False,
    ) -> None:
        """A straight line."""
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        faint = ' stroke-opacity="0.2"' if tone == "grid" else ""
        self.parts.append(
            f'<line class="draw-line draw-{tone}-line" x1="{start[0]:.1f}" y1="{start[1]:.1f}" '
            f'x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="currentColor" '
            f'stroke-width="{2 if tone in ("one", "mark") else 1}"{dashes}{faint}/>'
        )

    def path(self, points: list[tuple[float, float]], *, dashed: bool = False) -> None:
        """A line through points."""
        through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<polyline class="draw-line draw-one-line" points="{through}" fill="none" '
            f'stroke="currentColor" stroke-width="2"{dashes}/>'
        )

    def dot(self, at: tuple[float, float], *, said: str = "", hollow: bool = False) -> None:
        """A point."""
        self.parts.append(
            f'<circle class="draw-dot{" draw-hollow" if hollow else ""}" cx="{at[0]:.1f}" '
            f'cy="{at[1]:.1f}" r="5" fill="currentColor" fill-opacity="{0 if hollow else 1}" '
            f'stroke="currentColor" stroke-width="2"><title>{escape(said)}</title></circle>'
        )

    def wrapped(self, at: tuple[float, float], words: str, room: float) -> float:
        """Soft words in lines of at most `room` pixels; returns the y below them."""
        y = at[1]
        for line in fitted(words, room):
            self.text((at[0], y), line, tone="soft")
            y += 17
        return y

    def svg(self, height: float, title: str, description: str) -> str:
        """The drawing, as an image with a title and a description."""
        body = "".join(self.parts)
        seed = f"{self.width}{title}{description}{body}".encode()
        key = blake2b(seed, digest_size=5).hexdigest()
        kind = "compact" if self.compact else "wide"
        return (
            f'<svg class="drawing drawing-{kind}" xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {self.width} {height:.0f}" role="img" '
            f'aria-labelledby="d{key}t d{key}d"><title id="d{key}t">{escape(title)}</title>'
            f'<desc id="d{key}d">{escape(description)}</desc>{body}</svg>'
        )


def fitted(words: str, room: float) -> list[str]:
    """The words in lines of at most `room` pixels."""
    most, lines = max(8, int(room / GLYPH)), [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) > most and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def shortened(words: str, room: float) -> str:
    """The words, cut with an ellipsis where they would not fit."""
    most = max(3, int(room / GLYPH))
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"
