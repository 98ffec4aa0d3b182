"""Reading a page as a person would: its text without its tags."""

import re
from html import unescape


def text_of(html: str) -> str:
    """The words of a page, one blank between them."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
