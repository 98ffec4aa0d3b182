"""The rules of a card that its types cannot say: yields (path of the field, message).

Touches no file.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from questions.front_matter import Malformed, Path
from questions.model import Fact, KeyPoint, Probe, QuestionCard, Trigger

WORDS_PER_MINUTE = 150
MODEL_ANSWER_WORDS = (250, 420)
SHORT_ANSWER_WORDS = (70, 170)
NEEDS_CURVEBALL = ("design", "decomposition")

Complaint = tuple[Path, str]

OWN_VALUES = ("stated with the question", "set by this card", "the model answer's")
"""How the source begins of a value that no document gives."""

_ID = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z0-9]+)+")
_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
# Control characters but tab and newline, and the marks that reorder or hide text.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)

# Two figures with an operation between them, a share of one, or a figure that was rounded.
_ARITHMETIC = re.compile(
    r"\d[%\w]*(?:\s[a-zA-Z/]+)?\s(?:[x×*/+-]|over|less|plus|times|minus|(?:%|percent)\sof)\s\$?\d"
    r"|%\sof\s\$?\d|\b(?:half|third|quarter|tenth)\sof\s\$?\d|\d\s?\^\s?\d"
    r"|to the power|\brounded (?:up|down)\b"
)


def of_card(card: QuestionCard, file_name: str) -> Iterator[Complaint]:
    """Every rule, on a card whose fields have the right types."""
    yield from _identity(card, file_name)
    yield from _lengths(card)
    yield from _facts(card)
    yield from _probes(card)
    yield from _key_points(card)
    yield from _red_flags(card)


def dotted(path: Iterable[str | int]) -> str:
    """('probes', 0, 'ask') as probes[0].ask."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "card"


def walk(probes: tuple[Probe, ...], path: Path = ("probes",)) -> Iterator[tuple[Path, Probe]]:
    """Every probe with its path, the nested ones too."""
    for index, probe in enumerate(probes):
        here = (*path, index)
        yield here, probe
        yield from walk(probe.then, (*here, "then"))


def refuse_hidden_characters(text: str) -> None:
    """Raises Malformed at the first control, zero-width or direction mark."""
    if (found := _HIDDEN.search(text)) is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise Malformed(line, f"hidden character U+{ord(found.group()):04X}; delete it")


def _identity(card: QuestionCard, file_name: str) -> Iterator[Complaint]:
    if not _ID.fullmatch(card.id):
        yield ("id",), f"id: {card.id!r}: use capitals, digits and hyphens, such as INF-010"
    if card.id != file_name:
        yield ("id",), f"id: {card.id!r}: must equal the file's name, {file_name!r}"
    for name in ("title", "theme", "round", "question", "tests"):
        if not getattr(card, name).strip():
            yield (name,), f"{name}: empty; write it"
    if card.kind in NEEDS_CURVEBALL and not card.curveball:
        message = (
            f"curveball: missing; a {card.kind} card changes a requirement in mid-conversation"
        )
        yield ("curveball",), message


def _lengths(card: QuestionCard) -> Iterator[Complaint]:
    for name, (least, most) in (
        ("model_answer", MODEL_ANSWER_WORDS),
        ("short_answer", SHORT_ANSWER_WORDS),
    ):
        words = len(getattr(card, name).split())
        if not least <= words <= most:
            yield (name,), f"{name}: {words} words; write {least} to {most}"
    seconds = len(card.model_answer.split()) * 60 / WORDS_PER_MINUTE
    if seconds > card.limit_s:
        pace = f"{seconds:.0f} s at {WORDS_PER_MINUTE} words a minute"
        message = f"model_answer: takes {pace}; limit_s is {card.limit_s}"
        yield ("model_answer",), message


def _facts(card: QuestionCard) -> Iterator[Complaint]:
    yield from _unique("facts", ((("facts", i), fact.id) for i, fact in enumerate(card.facts)))
    titles = tuple(title for source in card.sources if (title := source.title.strip()))
    for index, fact in enumerate(card.facts):
        for name, message in _fact(fact, titles):
            yield ("facts", index, *name), f"facts[{index}] ({fact.id}): {message}"
    if card.rubric == "technical" and not any(fact.key for fact in card.facts):
        yield ("facts",), "facts: none has 'key: true'; mark the numbers that carry the answer"


def _fact(fact: Fact, titles: tuple[str, ...]) -> Iterator[Complaint]:
    if not _NAME.fullmatch(fact.id):
        yield ("id",), f"id {fact.id!r}: use lower case, digits and hyphens"
    if (fact.tool is None) == (fact.value is None):
        yield (), "give exactly one of 'tool' (with 'arguments') and 'value' (with 'source')"
    if fact.value is not None:
        yield from _source((fact.source or "").strip(), titles)
    if fact.tool is None and (fact.arguments or fact.scale != 1.0 or fact.field != "value"):
        yield (), "'arguments', 'field' and 'scale' belong to a fact with a tool; remove them"
    for term in fact.terms:
        if term != term.lower() or not term.strip():
            yield ("terms",), f"terms: {term!r}: write it in lower case"
    if fact.story and fact.slips:
        yield ("slips",), "slips: nobody's number is held against a story's own; remove them"
    for slip in fact.slips:
        if abs(slip.factor - 1) <= fact.tolerance:
            message = f"slips: factor {slip.factor:g} is within the tolerance, {fact.tolerance:g}"
            yield ("slips",), f"{message}; it could not be told from the right value"


def _source(text: str, titles: tuple[str, ...]) -> Iterator[Complaint]:
    """Of a value that was typed in: an input, a choice or a figure of a listed document."""
    if not text:
        yield (), "source: missing; say where the value comes from"
    elif not text.startswith((*OWN_VALUES, *titles)):
        own = ", ".join(map(repr, OWN_VALUES))
        remedy = f"begin with {own} or the title of one of the card's sources"
        yield ("source",), f"source: {text!r}: {remedy}"
    if _ARITHMETIC.search(text):
        remedy = "let 'tool: calculate' work it out, with an 'expression'"
        yield ("source",), f"source: {text!r} is arithmetic; {remedy}"


def _probes(card: QuestionCard) -> Iterator[Complaint]:
    found = tuple(walk(card.probes))
    yield from _unique("probes", ((path, probe.id) for path, probe in found))
    facts = {fact.id: fact for fact in card.facts}
    for path, probe in found:
        for message in _probe(probe, facts):
            yield path, f"{dotted(path)} ({probe.id}): {message}"
    if not any(path.count("then") >= 2 for path, _ in found):
        yield ("probes",), "probes: none drills two levels deep; nest a 'then' in a 'then'"


def _can_be_wrong(fact: Fact) -> bool:
    """True if a slip of it is known: the card's own, or those of any key number with a unit."""
    return bool(fact.slips) or (fact.key and bool(fact.unit))


def _probe(probe: Probe, facts: Mapping[str, Fact]) -> Iterator[str]:
    if not _NAME.fullmatch(probe.id):
        yield f"id {probe.id!r}: use lower case, digits and hyphens"
    chosen = [name for name in Trigger.model_fields if getattr(probe.when, name)]
    if len(chosen) != 1:
        fields, given = ", ".join(Trigger.model_fields), ", ".join(chosen) or "none"
        yield f"when: exactly one of {fields} must be set; set are: {given}"
    for name in ("wrong", "unstated"):
        fact = getattr(probe.when, name)
        if fact is not None and fact not in facts:
            yield f"when.{name}: {fact!r}: no fact of this card has this id"
        elif fact is not None and facts[fact].story:
            yield f"when.{name}: {fact!r} is of the model answer's own story; nobody else states it"
        elif fact is not None and name == "wrong" and not _can_be_wrong(facts[fact]):
            yield f"when.wrong: {fact!r} has no slips, so nothing is known to be wrong; list them"
    if not probe.ask.strip().endswith(("?", ".")):
        yield "ask: end it as a sentence, with '?' or '.'"


def _key_points(card: QuestionCard) -> Iterator[Complaint]:
    for part in type(card.key_points).model_fields:
        points: tuple[KeyPoint, ...] = getattr(card.key_points, part)
        if not points:
            message = "empty; say what an outstanding answer contains"
            yield ("key_points", part), f"key_points.{part}: {message}"
        for index, point in enumerate(points):
            where: Path = ("key_points", part, index)
            for message in _cues(point):
                yield where, f"{dotted(where)}: {message}"


def _cues(point: KeyPoint) -> Iterator[str]:
    if not point.cues:
        yield "cues: empty; write the words that show the point"
    for cue in point.cues:
        if cue != cue.lower() or not cue.strip():
            yield f"cue {cue!r}: write it in lower case"


def _red_flags(card: QuestionCard) -> Iterator[Complaint]:
    for index, rule in enumerate(card.red_flags):
        if not rule.why.strip():
            yield (
                ("red_flags", index),
                f"red_flags[{index}]: why: empty; say why it sinks the answer",
            )
    for index, phrase in (
        (i, phrase) for i, rule in enumerate(card.red_flags) for phrase in rule.phrases
    ):
        if phrase != phrase.lower() or not phrase.strip():
            yield (
                ("red_flags", index),
                f"red_flags[{index}]: phrase {phrase!r}: write it in lower case",
            )


def _unique(what: str, ids: Iterable[tuple[Path, str]]) -> Iterator[Complaint]:
    found = tuple(ids)
    counts = Counter(name for _, name in found)
    seen: set[str] = set()
    for path, name in found:
        if counts[name] > 1 and name in seen:
            yield path, f"{dotted(path)}: id {name!r} is taken; {what} need ids of their own"
        seen.add(name)
