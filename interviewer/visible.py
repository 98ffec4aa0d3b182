"""Hostile text made harmless to look at: control, bidi and lone surrogate characters, replaced one for one.

For pages, exports and terminals alike. Every offset stays as it was, so that quotes still fit.
"""

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t\r"}
# Overrides and isolates make a line read otherwise than it was said.
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_UNSHOWN = (*range(0x80, 0xA0), *_BIDI, *range(0xD800, 0xE000))
_VISIBLE = {**_PICTURES, 0x0D: " ", 0x7F: "\u2421", **dict.fromkeys(_UNSHOWN, "\ufffd")}


def visible(text: str) -> str:
    """The text with nothing in it that moves a cursor, colours a terminal or turns a line around."""
    return text.translate(_VISIBLE)
