"""What an utterance may be: text of bounded length that can be stored as UTF-8."""

from interviewer.errors import InvalidUtterance, UtteranceTooLong
from interviewer.events import Mode

LONGEST = 20_000
"""Characters of an utterance; longer ones are refused whole, never cut."""
LONGEST_SPOKEN = 40_000
"""Of one that was said aloud: half an hour at 150 words a minute is some 24,000, at 240 all."""


def longest_of(mode: Mode) -> int:
    """Characters of an answer that is given in this way."""
    return LONGEST_SPOKEN if mode == "spoken" else LONGEST


def check_text(text: str, what: str = "answer", longest: int = LONGEST) -> None:
    """Raise UtteranceTooLong or InvalidUtterance, with the place at fault."""
    if len(text) > longest:
        raise UtteranceTooLong(
            f"the {what} has {len(text):,} characters; shorten it to {longest:,} at most"
        )
    if (nul := text.find("\0")) >= 0:
        raise InvalidUtterance(f"character {nul + 1} of the {what} is a NUL; remove it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidUtterance(
            f"character {error.start + 1} of the {what} is not valid text; remove it"
        ) from error
