"""Hostile text made harmless to look at: control, bidi and lone surrogate characters replaced.

For pages, exports and terminals alike. One for one, so that every quote still fits its span.
"""

import re

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t\r"}
# Overrides and isolates make a line read otherwise than it was said.
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_UNSHOWN = (*range(0x80, 0xA0), *_BIDI, *range(0xD800, 0xE000))
_VISIBLE = {**_PICTURES, 0x0D: " ", 0x7F: "\u2421", **dict.fromkeys(_UNSHOWN, "\ufffd")}
_HOSTILE = re.compile("[" + "".join(map(re.escape, map(chr, _VISIBLE))) + "]")


def visible(text: str) -> str:
    """The text without anything that moves a cursor, colours a terminal or turns a line."""
    return text.translate(_VISIBLE) if _HOSTILE.search(text) else text
