"""A text cut into words, numbers and signs, each with its span; what lies between them is kept."""

import re
from dataclasses import dataclass

SPACE = " \t\n\r\f\v\u00a0\u2009\u202f"

_TOKEN = re.compile(
    r"[A-Za-z\u00b5\u03bc]+(?:['\u2019][A-Za-z]+)?"
    r"|[0-9]{1,3}(?:[, \u00a0\u2009\u202f][0-9]{3})+(?![0-9])(?:\.[0-9]+)?"
    r"|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4}(?![0-9A-Za-z]))?"
    r"|\.[0-9]+(?![0-9])"
    r"|[%$\u20ac\u00a3\u00d7\u00bd\u00bc\u00be]"
    r"|[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207b]+"
)


def word_set(words: str) -> frozenset[str]:
    """The words of a list written as one string."""
    return frozenset(words.split())


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens as parallel lists; `words` is lower case, `raw` as written."""

    text: str
    raw: list[str]
    words: list[str]
    starts: list[int]
    ends: list[int]

    def __len__(self) -> int:
        return len(self.raw)

    def word(self, index: int) -> str:
        """The token in lower case; '' past either end."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def gap(self, index: int) -> str:
        """What stands before a token, back to the token before it; a full stop past the end."""
        if not 0 <= index < len(self.raw):
            return "."
        return self.text[self.ends[index - 1] if index else 0 : self.starts[index]]

    def joined(self, index: int) -> bool:
        """True when only white space or one hyphen parts a token from the one before it."""
        if not 0 < index < len(self.raw):
            return False
        between = self.text[self.ends[index - 1] : self.starts[index]]
        return between in (" ", "", "-") or not between.strip(SPACE)

    def near(self, index: int) -> str:
        """The token in lower case if it follows the one before it directly; else ''."""
        return self.words[index] if self.joined(index) else ""

    def is_digits(self, index: int) -> bool:
        """True for a number in digits."""
        return 0 <= index < len(self.raw) and self.raw[index][-1] in "0123456789"


def tokenise(text: str) -> Tokens:
    """Cut a text into tokens, in linear time."""
    matches = list(_TOKEN.finditer(text))
    raw = [match[0] for match in matches]
    starts, ends = [match.start() for match in matches], [match.end() for match in matches]
    return Tokens(text, raw, [word.lower() for word in raw], starts, ends)
