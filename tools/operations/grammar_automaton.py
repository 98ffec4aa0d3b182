"""`grammar_automaton`: the token masks of a small automaton, state by state, and forced text."""

from collections.abc import Sequence
from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.operations.automaton import Automaton, characters, trie, trimmed
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MARKS, Cell, Lane, Recording
from tools.working import Working, counted, plain

MOST_WALKED = 3_000_000
"""States x characters of the vocabulary."""
MOST_MOVES = 50_000
LONGEST = 64
"""Characters of a token."""
TRIED = 16
"""Forced runs that are tried for tokens that reach over their end."""
SHOWN = 24
"""Tokens of a mask that a step of the trace shows."""


class Edge(Arguments):
    """One move of the automaton."""

    source: int = Field(ge=0, le=500, description="State it starts in; 0 is the first")
    chars: str = Field(min_length=1, max_length=100, description="Characters, e.g. 0-9a-f or \\-")
    target: int = Field(ge=0, le=500, description="State it leads to")


class AutomatonArguments(Arguments):
    """Arguments of grammar_automaton."""

    choices: list[str] | None = Field(
        default=None, min_length=1, max_length=50, description="Texts to choose from, or edges"
    )
    edges: list[Edge] | None = Field(
        default=None, min_length=1, max_length=500, description="Moves: source, chars, target"
    )
    accepting: list[int] | None = Field(
        default=None, min_length=1, max_length=500, description="States in which the text may end"
    )
    vocab: list[str] = Field(
        min_length=1, max_length=1000, description="Tokens as text; the end of text is not one"
    )
    text: str = Field(
        default="", max_length=500, description="Text to walk: by the longest tokens allowed"
    )


@tool(
    group="grammar",
    example={
        "choices": ['{"ok": true}', '{"ok": false}'],
        "vocab": ['{"', "ok", '":', ' "', " t", "rue", "true", " false", "}", " tr", "ue}", "fal"],
        "text": '{"ok": true}',
    },
    drawing=Drawing(
        kind="bars",
        title="Tokens that each state allows",
        x="state",
        x_label="state",
        y_label="tokens",
        series=(Series("allowed", "allowed"),),
    ),
    marks={
        **MARKS,
        "free": "masked out",
        "held": "allowed",
        "new": "taken",
    },
)
def grammar_automaton(given: AutomatonArguments) -> Working:
    """Which tokens a grammar allows in each state, the mask's bytes, and runs that are forced.

    A token is allowed where all of its characters lead on to an end, not only the first. Where one
    character alone may follow, the text is forced and could be appended without the model; a token
    that reaches over the end of such a run says that this would change the tokenization.
    """
    if len(set(given.vocab)) < len(given.vocab):
        raise ToolError("vocab", "…", "holds a token twice")
    if not all(0 < len(token) <= LONGEST for token in given.vocab):
        raise ToolError("vocab", "…", f"a token has 1 to {LONGEST} characters")
    automaton = _automaton(given)
    if len(automaton.moves) * sum(map(len, given.vocab)) > MOST_WALKED:
        raise ToolError("vocab", len(given.vocab), "with so many states it takes too long: fewer")
    work = Working(headline="mask_bytes", source="character automaton over token texts")
    words = ceil(len(given.vocab) / 32)
    work.put("mask_bytes", words * 4, "B/request", "bitmask: one bit a token, in words of 32 bits")
    masks = automaton.masks(given.vocab)
    work.put("states", len(masks), "states", "that tokens reach", "count")
    allowed = sum(map(len, masks.values()))
    share = allowed / len(masks) / len(given.vocab)
    work.put("allowed_share", share, "fraction", "of the vocabulary, mean over the states")
    work.table = [_row(automaton, state, mask, given.vocab) for state, mask in masks.items()]
    _warn_of_stuck(work, automaton, masks)
    _put_forced(work, automaton, masks, given.vocab)
    _walk(work, automaton, given)
    work.formula = (
        f"ceil({len(given.vocab):,} / 32) x 4 = {words * 4} B; "
        f"{counted(len(masks), 'state')}, {plain(share * 100)} % of the tokens allowed on the mean"
    )
    work.assume("tokens are texts; the end of text is allowed in accepting states alone")
    return work


def _automaton(given: AutomatonArguments) -> Automaton:
    if (given.choices is None) == (given.edges is None):
        raise ToolError("choices", None, "give either choices, or edges and accepting")
    if given.choices is not None:
        if "" in given.choices or sum(map(len, given.choices)) > 2000:
            raise ToolError("choices", "…", "an empty text, or more than 2,000 characters in all")
        return trie(given.choices)
    if given.accepting is None:
        raise ToolError("accepting", None, "is needed with edges: the states in which it may end")
    moves: dict[int, dict[str, int]] = {}
    for number, edge in enumerate(given.edges or ()):
        for character in characters(edge.chars):
            out = moves.setdefault(edge.source, {})
            if out.setdefault(character, edge.target) != edge.target:
                raise ToolError(
                    f"edges.{number}.chars",
                    edge.chars,
                    f"{character!r} already leads from {edge.source} to {out[character]}",
                )
        if sum(map(len, moves.values())) > MOST_MOVES:
            raise ToolError(
                f"edges.{number}.chars", edge.chars, f"over {MOST_MOVES:,} moves in all"
            )
    return trimmed(moves, given.accepting)


def _row(
    automaton: Automaton, state: int, mask: list[int], vocab: Sequence[str]
) -> dict[str, float | str]:
    bits = sum(1 << number for number in mask)
    return {
        "state": str(state),
        "allowed": len(mask),
        "tokens": " ".join(repr(vocab[number]) for number in mask[:8]),
        "mask": f"{bits & 0xFFFFFFFF:#010x}",
        "may_end": "yes" if state in automaton.accepting else "no",
        "forced": automaton.forced(state),
    }


def _warn_of_stuck(work: Working, automaton: Automaton, masks: dict[int, list[int]]) -> None:
    stuck = [s for s, mask in masks.items() if not mask and s not in automaton.accepting]
    work.put(
        "stuck_states", len(stuck), "states", "that no token of the vocabulary leaves", "count"
    )
    if stuck:
        work.warn(f"no token leads on from state {stuck[0]}: generation would hang there")


def _put_forced(
    work: Working, automaton: Automaton, masks: dict[int, list[int]], vocab: Sequence[str]
) -> None:
    run = automaton.forced(automaton.start)
    work.put("forced_start", len(run), "characters", "forced from the start", "count")
    runs = {state: automaton.forced(state) for state in masks}
    work.put("forced_states", sum(map(bool, runs.values())), "states", "with forced text", "count")
    forced = [(state, text) for state, text in runs.items() if text]
    for state, text in forced[:TRIED]:
        over = _reaches_over(automaton, state, text, vocab)
        if over is not None:
            work.warn(
                f"after {text!r} from state {state} the token {over!r} reaches on: appending the "
                "forced text alone would rule it out, so tokenize again across the boundary"
            )
            break


def _reaches_over(automaton: Automaton, state: int, run: str, vocab: Sequence[str]) -> str | None:
    """A token that starts within the run, ends after it, and is allowed there."""
    longest = max(map(len, vocab))
    for index in range(max(0, len(run) - longest), len(run)):
        rest = run[index:]
        here = automaton.walk(state, run[:index])
        for token in vocab:
            longer = len(token) > len(rest) and token.startswith(rest)
            if longer and here is not None and automaton.walk(here, token) is not None:
                return token
    return None


def _walk(work: Working, automaton: Automaton, given: AutomatonArguments) -> None:
    """Walk the text by the longest allowed token, recording each step's mask."""
    recording, state, at, single = Recording(), automaton.start, 0, 0
    while at < len(given.text):
        mask = automaton.allowed(state, given.vocab)
        fitting = [n for n in mask if given.text.startswith(given.vocab[n], at)]
        if not fitting:
            raise ToolError("text", given.text[at : at + 20], f"no token allows it at {at}")
        taken = max(fitting, key=lambda n: len(given.vocab[n]))
        single += len(mask) == 1
        if recording.open:
            cells = [
                Cell(text=given.vocab[n], mark="new" if n == taken else "held", width=2)
                for n in ([taken] + [m for m in mask if m != taken])[:SHOWN]
            ]
            said = f"state {state}: {counted(len(mask), 'token')} allowed; {given.vocab[taken]!r}"
            recording.add(
                f"after {given.text[:at]!r}", said, [Lane(label="mask", cells=tuple(cells))]
            )
        at += len(given.vocab[taken])
        after = automaton.walk(state, given.vocab[taken])
        state = state if after is None else after
    if given.text:
        work.put(
            "steps", len(recording.steps) + recording.left_out, "steps", "of the text", "count"
        )
        work.put("single_choice", single, "steps", "with a single token allowed", "count")
        ends = state in automaton.accepting
        work.put("complete", float(ends), "yes (1) or no (0)", "the text may end here", "count")
    work.show(recording)
