"""Finds the text in an answer that speaks to whoever grades it, to leave it out and to flag it."""

import re

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
_PART_4 = (
    r"(?:claim|number|trade-?[ _]?off|next[ _-]?step|overall)"
    r"[\"']?\s*[:=]?\s*[\"']?(?:4|four|met)\b"
)
# An answer on evaluation may speak of judges, scores and injected instructions: what counts is that
# it addresses the grader or asks for a level.
_ALTERNATIVES = (
    rf"\b(?:dear|hey|hello|attention|(?:note|message|memo|instructions?) (?:to|for))"
    rf" (?:the |all |any |my )?{_GRADER}\b",
    r"(?:^|[.!?\]\[<>\-\n]\s*)(?:grader|evaluator|examiner)\s*[:,]",
    r"\b(?:ignore|disregard|forget|override) (?:(?:all|any|the|your|these|my|of|scoring|grading) )*"
    r"(?:rubric|marking criteria|scoring criteria|criteria)\b",
    r"\b(?:ignore|disregard|forget) (?:(?:all|any|the|your|of) )*(?:(?:previous|prior|above) )?"
    r"(?:instructions?|prompts?)(?: and| then|[,.;:])+ (?:just |instead )?"
    r"(?:give|rate|score|mark|output|award|return|record)\b",
    rf"\b(?:give|award|assign|record|grant|rate|score|mark)\b[^.!?\n]{{0,60}}?\b{_BEST}",
    rf"\b{_PART_4}[^\n]{{0,20}}?{_PART_4}",
    r"\b4 ?/ ?4 ?/ ?4\b",
    r"\b(?:full marks|top marks|perfect score|rated outstanding|received (?:a )?4)\b",
    r"\bend of (?:the )?(?:candidate|transcript|candidate's|answer)\b",
    r"\bdo not (?:list|mention) (?:any|this) (?:line|note|red|flag)",
    r"\ball four (?:rubric )?parts? (?:at|as|is|are|deserves?)\b",
    r"\bsystem (?:message|note|override) ?(?:to|for|:)",
)
# For lower case: a pattern that ignores case takes half as long again.
_TALK = re.compile("|".join(_ALTERNATIVES), re.MULTILINE)
_BRACKETED = re.compile(
    r"\[[^\[\]]{10,800}\]|<[^<>]{10,800}>|\{[^{}]{10,800}\}|^---\n.*?^---$",
    re.DOTALL | re.MULTILINE,
)


def grader_talk(text: str) -> tuple[Stretch, ...]:
    """The stretches of a text that speak to the grader, whole sentences and brackets, in order."""
    lower = lowered(text)
    if not _TALK.search(lower):
        return ()
    wholes = [Stretch(m.start(), m.end()) for m in _BRACKETED.finditer(text)]
    talk = [whole for whole in wholes if _TALK.search(lower, whole.start, whole.end)]
    for sentence in sentences(text):
        inside = any(s.start <= sentence.start < s.end for s in talk)
        if not inside and _TALK.search(lower, sentence.start, sentence.end):
            talk.append(sentence)
    return tuple(sorted(talk, key=lambda stretch: stretch.start))
