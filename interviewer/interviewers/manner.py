"""How an interviewer talks: what asks, and where praise, verdicts and asides begin.

For text that is still streaming.
"""

import re
from itertools import product


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_QUALITY = _words(
    """great good excellent solid strong nice impressive clear thoughtful fantastic perfect
    wonderful brilliant insightful helpful reasonable fair valid key"""
)
_PRAISED = _words(
    """point answer start job work explanation observation breakdown insight thinking catch
    response summary reasoning instinct intuition"""
)
_JUDGED = (
    *("that's", "that is", "you're", "you are", "your answer is", "your number is"),
    *("your claim is", "your answer was"),
)
_DEGREE = ("", "absolutely ", "quite ", "exactly ", "not ", "not quite ", "pretty ", "very ")
_VERDICT = _words(
    """correct right wrong incorrect great excellent perfect impressive insightful off missing
    weak incomplete unclear vague"""
)
_TOLD = _words("is was has had said did should must will")
_PHRASES = frozenset(
    (
        *(f"{quality} {praised}" for quality, praised in product(_QUALITY, _PRAISED)),
        *(f"{who} {how}{what}" for who, how, what in product(_JUDGED, _DEGREE, _VERDICT)),
        *("well done", "spot on", "i like", "i love", "i appreciate", "i'm impressed"),
        "thank you",
        # Talk about the candidate, to nobody: a model that repeats its instructions.
        *(f"the candidate {verb}" for verb in _TOLD),
    )
)
_LEADS = frozenset(
    (
        *("a", "an", "such a", "what a", "it's a", "this is a", "that's a", "that is a"),
        *("that was a", "that's", "you make a", "you gave a", "you've given a"),
    )
)
"""What praise likes to begin with; harmless alone, so it is only held back."""
_OPENERS = (
    *_words("great good excellent perfect nice wonderful fantastic impressive awesome brilliant"),
    *_words("exactly correct right wrong incorrect yes no absolutely indeed thanks"),
    *("well said", "not quite", "fair enough", "makes sense"),
)
_OPENINGS = frozenset(f"{opener}{mark}" for opener, mark in product(_OPENERS, ",.!;:"))

_REQUESTS = _words(
    """walk tell explain describe derive give show take name estimate sketch compare defend state
    pick choose put break quantify justify reckon compute"""
)
_BY_TWO_WORDS: dict[str, list[str]] = {}
for _phrase in _PHRASES:
    _BY_TWO_WORDS.setdefault(" ".join(_phrase.split()[:2]), []).append(_phrase)
_PREFIXES = frozenset(p[:size] for p in _PHRASES for size in range(1, len(p) + 1))
_STARTS = frozenset(
    p[:size] for p in _OPENINGS | {f"{lead} " for lead in _LEADS} for size in range(1, len(p) + 1)
)
_WORD = re.compile(r"[\w']+")
_TWO_WORDS = re.compile(r"(?<![\w'])(?=([\w']+ [\w']+))")
_OPENING = re.compile(r"[a-z ]+[,.!;:]")
_END = re.compile(r"\?|[.!…][\"')\]”’]*(?=\s)|\n")
_TAIL = re.compile(r"[.!…][\"')\]”’]*\Z")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|approx|etc|no|cf|fig)\.\Z", re.IGNORECASE)


def opening_praise(text: str) -> int:
    """Length of a word of praise or a verdict that opens this sentence: 'Great, ', 'Exactly. '."""
    folded = _fold(text)
    indent = len(text) - len(text.lstrip())
    opening = _OPENING.match(folded, indent)
    return opening.end() if opening and opening.group() in _OPENINGS else 0


def praises(text: str) -> bool:
    """Whether praise or a verdict stands anywhere in this text."""
    folded = _fold(text)
    for words in _TWO_WORDS.finditer(folded):
        for phrase in _BY_TWO_WORDS.get(words.group(1), ()):
            end = words.start() + len(phrase)
            if folded.startswith(phrase, words.start()) and not folded[end : end + 1].isalnum():
                return True
    return False


def undecided(text: str, *, at_start: bool) -> int:
    """How many characters at the end may still become praise, or the end of the sentence."""
    folded = _fold(text)
    if at_start and _may_open_with_praise(folded.lstrip()):
        return len(text)
    for word in _WORD.finditer(folded):
        if folded[word.start() :] in _PREFIXES:
            return len(text) - word.start()
    return open_end(text)


def may_become_praise(word: str) -> bool:
    """Whether praise or a verdict can begin with this word, in lower case; never of a sentence's
    first word.
    """
    return word in _PREFIXES


def open_end(text: str) -> int:
    """Length of a full stop at the very end: what follows says whether the sentence ends there."""
    tail = _TAIL.search(text)
    return len(tail.group()) if tail else 0


def sentence_end(text: str) -> int | None:
    """Where the first sentence ends; a question mark ends one at once, a dot needs a space."""
    for end in _END.finditer(text):
        if not _ABBREVIATION.search(text[: end.end()]):
            return end.end()
    return None


def sentences(text: str) -> list[str]:
    """The sentences of a finished text."""
    found, rest = [], text
    while (end := sentence_end(rest)) is not None:
        found.append(rest[:end].strip())
        rest = rest[end:]
    return [*found, rest.strip()] if rest.strip() else found


def asks(sentence: str) -> bool:
    """Whether a sentence wants an answer: a question, or a request such as 'Walk me through it.'"""
    words = sentence.lower().split(maxsplit=1)
    return sentence.rstrip().endswith("?") or bool(words and words[0] in _REQUESTS)


def _may_open_with_praise(text: str) -> bool:
    if text in _STARTS or text in _PREFIXES:
        return True
    cuts = (space.start() for space in re.finditer(" ", text[:20]))
    return any(text[:cut] in _LEADS and text[cut + 1 :] in _PREFIXES for cut in cuts)


def _fold(text: str) -> str:
    """Lower case of the same length, so that positions hold."""
    folded = text.lower().replace("’", "'")
    return folded if len(folded) == len(text) else text
