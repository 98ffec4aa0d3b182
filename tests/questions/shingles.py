"""Hashed runs of eight words: tells whether a text repeats another one that is not kept here.

`python -m tests.questions.shingles FILE... > tests/golden/seed-shingles.bin` makes the set anew.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

RUN = 8
SIZE = 5
"""Bytes of a hash; with 25,000 of them a chance match has a probability of 2e-8 a run."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def runs(text: str) -> Iterator[str]:
    """Every run of eight words in lower case; figures and marks between them do not count."""
    words = _WORD.findall(text.lower().replace("’", "'"))
    for start in range(len(words) - RUN + 1):
        yield " ".join(words[start : start + RUN])


def digest(run: str) -> bytes:
    """A run as a hash from which it cannot be read."""
    return blake2b(run.encode(), digest_size=SIZE).digest()


def pack(texts: Iterable[str]) -> bytes:
    """All runs of the texts as sorted hashes, one after the other."""
    return b"".join(sorted({digest(run) for text in texts for run in runs(text)}))


def unpack(data: bytes) -> frozenset[bytes]:
    """The hashes of `pack`."""
    return frozenset(data[at : at + SIZE] for at in range(0, len(data), SIZE))


if __name__ == "__main__":
    sources = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
    sys.stdout.buffer.write(pack(sources))
