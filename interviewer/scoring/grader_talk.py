"""Finds the text in an answer that speaks to whoever grades it, to leave it out and to flag it."""

import re
from collections.abc import Sequence

from interviewer.scoring.sentences import Stretch, lowered, sentences

_BEST = (
    r"(?:full marks|full score|full points|maximum (?:marks|score|points)|top (?:marks|score)"
    r"|all (?:fours|4s?)|highest (?:marks|score|level|rating)|perfect score|level (?:4|four)"
    r"|4 ?(?:/|out of) ?4|four out of four|a (?:4|four)\b)"
)
_GRADER = (
    r"(?:(?:human |ai |llm )?(?:grader|evaluator|examiner|judge|rater|assessor|reviewer)s?"
    r"|(?:evaluation|scoring|grading) (?:system|model|engine|assistant|bot)|whoever grades)"
)
_GRADERS = (
    *("grader", "evaluator", "examiner", "judge", "rater", "assessor", "reviewer", "whoever"),
    *("evaluation ", "scoring ", "grading "),
)
_PART_4 = (
    r"(?:claim|number|trade-?[ _]?off|next[ _-]?step|overall)"
    r"[\"']?\s*[:=]?\s*[\"']?(?:4|four|met)\b"
)
# An answer on evaluation may speak of judges, scores and injected instructions: what counts is that
# it addresses the grader or asks for a level.
_ALTERNATIVES = {
    _GRADERS: rf"\b(?:dear|hey|hello|attention|(?:note|message|memo|instructions?) (?:to|for))"
    rf" (?:the |all |any |my )?{_GRADER}\b",
    ("grader", "evaluator", "examiner"): (
        r"(?:^|[.!?\]\[<>\-\n]\s*)(?:grader|evaluator|examiner)\s*[:,]"
    ),
    ("rubric", "criteria"): (
        r"\b(?:ignore|disregard|forget|override) "
        r"(?:(?:all|any|the|your|these|my|of|scoring|grading) )*"
        r"(?:rubric|marking criteria|scoring criteria|criteria)\b"
    ),
    ("instruction", "prompt"): (
        r"\b(?:ignore|disregard|forget) (?:(?:all|any|the|your|of) )*"
        r"(?:(?:previous|prior|above) )?(?:instructions?|prompts?)(?: and| then|[,.;:])+ "
        r"(?:just |instead )?(?:give|rate|score|mark|output|award|return|record)\b"
    ),
    ("full ", "maximum ", "top ", "highest ", "perfect ", "4", "four"): (
        r"\b(?:give|award|assign|record|grant|rate|score|mark)\b[^.!?\n]{0,60}?\b" + _BEST
    ),
    ("4", "four", "met"): rf"\b{_PART_4}[^\n]{{0,20}}?{_PART_4}",
    ("/4", "/ 4"): r"\b4 ?/ ?4 ?/ ?4\b",
    ("full marks", "top marks", "perfect score", "rated outstanding", "received "): (
        r"\b(?:full marks|top marks|perfect score|rated outstanding|received (?:a )?4)\b"
    ),
    ("end of ",): r"\bend of (?:the )?(?:candidate|transcript|candidate's|answer)\b",
    ("do not ",): r"\bdo not (?:list|mention) (?:any|this) (?:line|note|red|flag)",
    ("all four ",): r"\ball four (?:rubric )?parts? (?:at|as|is|are|deserves?)\b",
    ("system ",): r"\bsystem (?:message|note|override) ?(?:to|for|:)",
}
"""Patterns by words of which each needs one: a plain look for those costs a tenth of a search."""
# For lower case: a pattern that ignores case takes half as long again.
_TALK = {needed: re.compile(pattern, re.MULTILINE) for needed, pattern in _ALTERNATIVES.items()}
_BRACKETED = re.compile(
    r"\[[^\[\]]{10,800}\]|<[^<>]{10,800}>|\{[^{}]{10,800}\}|^---\n.*?^---$",
    re.DOTALL | re.MULTILINE,
)


def grader_talk(text: str) -> tuple[Stretch, ...]:
    """The stretches of a text that speak to the grader, whole sentences and brackets, in order."""
    lower = lowered(text)
    likely = [talk for needed, talk in _TALK.items() if any(words in lower for words in needed)]
    if not _speaks(likely, lower):
        return ()
    wholes = [Stretch(m.start(), m.end()) for m in _BRACKETED.finditer(text)]
    talk = [whole for whole in wholes if _speaks(likely, lower, whole)]
    for sentence in sentences(text):
        inside = any(s.start <= sentence.start < s.end for s in talk)
        if not inside and _speaks(likely, lower, sentence):
            talk.append(sentence)
    return tuple(sorted(talk, key=lambda stretch: stretch.start))


def _speaks(patterns: Sequence[re.Pattern[str]], lower: str, inside: Stretch | None = None) -> bool:
    start, end = (inside.start, inside.end) if inside else (0, len(lower))
    return any(pattern.search(lower, start, end) for pattern in patterns)
