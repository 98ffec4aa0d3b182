"""`spec_trace`, `prompt_lookup`: accepted, emitted and computed tokens of greedy verification."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.trace import Cell, Lane, Mark, Recording
from tools.working import Working, plain

MOST = 2048
"""Tokens of a traced text."""
SOURCE = "greedy verification: the longest prefix of the draft that the target would have written"
STEPS = Drawing(
    kind="bars",
    title="Tokens of each verification",
    x="step",
    x_label="verification",
    y_label="tokens",
    series=(Series("emitted", "emitted"), Series("rolled_back", "KV slots rolled back")),
    marker=Series("computed", "positions computed"),
)


@dataclass(frozen=True)
class Round:
    """One verification."""

    drafted: int
    accepted: int
    emitted: int
    end: str
    """'', 'eos' or 'limit'."""


Draft = Callable[[Sequence[str], int], Sequence[str]]
"""The text so far and the number of the step; what is drafted."""


def verify(target: Sequence[str], prompt: Sequence[str], draft: Draft, eos: str) -> list[Round]:
    """Run until the target ends. Its first token comes from prefill, not from a round."""
    rounds: list[Round] = []
    done = 1
    while done < len(target) and target[done - 1] != eos:
        guess = draft([*prompt, *target[:done]], len(rounds))
        rest = target[done:]
        accepted = 0
        while accepted < min(len(guess), len(rest)) and guess[accepted] == rest[accepted]:
            accepted += 1
        take = list(rest[: accepted + 1])
        end = "limit" if len(take) == len(rest) else ""
        if eos in take:
            take, end = take[: take.index(eos) + 1], "eos"
        rounds.append(Round(len(guess), accepted, len(take), end))
        done += len(take)
    return rounds


MARKS: dict[Mark, str] = {
    "held": "accepted",
    "new": "bonus, correction",
    "lost": "given back",
    "free": "pending",
}


def _cells(done: Round) -> tuple[Cell, ...]:
    """Positions that a pass computes, and the token beyond the accepted ones."""
    kept = min(done.accepted, done.emitted)
    cells = [Cell(text="p", mark="free"), *[Cell(text="a", mark="held")] * kept]
    if done.emitted > done.accepted:
        cells.append(Cell(text="+1", mark="new"))
    return (*cells, *[Cell(text="x", mark="lost")] * (done.drafted - kept))


def put_rounds(work: Working, rounds: Sequence[Round], prompt: int) -> None:
    """Totals and one row a round; `prompt` tokens are in the cache before the first."""
    drafted, accepted = sum(r.drafted for r in rounds), sum(r.accepted for r in rounds)
    emitted, count = sum(r.emitted for r in rounds), len(rounds)
    computed = drafted + count
    work.put("tokens_per_pass", emitted / count, "tokens/pass", "emitted per target pass")
    work.put("passes", count, "passes", "target passes after prefill", "count")
    work.put("drafted", drafted, "tokens", "drafted", "count")
    work.put("accepted", accepted, "tokens", "drafts that matched", "count")
    work.put("emitted", emitted, "tokens", "given to the request after prefill", "count")
    work.put("computed", computed, "positions", "computed by the target: drafts + 1 each", "count")
    kept, recording = prompt, Recording()
    for step, r in enumerate(rounds, 1):
        valid = min(r.emitted, r.accepted + 1)
        kept += valid
        if recording.open:
            said = f"{r.accepted} of {r.drafted} drafts accepted, {r.emitted} emitted"
            shown = rounds[max(0, step - 12) : step]
            lanes = [
                Lane(label=f"pass {step - len(shown) + i}", cells=_cells(one))
                for i, one in enumerate(shown, 1)
            ]
            recording.add(f"Verification {step}", said, lanes, kv_valid=kept)
        work.table.append(
            {
                "step": step,
                "drafted": r.drafted,
                "computed": r.drafted + 1,
                "accepted": r.accepted,
                "emitted": r.emitted,
                "rolled_back": r.drafted + 1 - valid,
                "kv_valid": kept,
                "end": r.end,
            }
        )
    work.show(recording)
    rolled = computed - (kept - prompt)
    work.put("rolled_back", rolled, "slots", "KV slots written and given back", "count")
    work.put("kv_valid", kept, "tokens", "in the cache at the end; the last token is not", "count")
    work.formula = f"{emitted:,} tokens / {count:,} passes = {plain(emitted / count)} tokens/pass"
    work.assume(
        "a pass computes the pending token and every draft; it emits the accepted drafts and one "
        "more token, whose own KV the next pass writes",
        "prefill emits the first token, which is not counted here",
    )


Token = Annotated[int, Field(ge=0, le=10_000_000)]
"""A token's id."""


class SpecTraceArguments(Arguments):
    """Arguments of spec_trace."""

    target: list[Token] = Field(
        min_length=2, max_length=MOST, description="Tokens that the target writes greedily"
    )
    drafts: list[list[Token]] = Field(
        max_length=MOST, description="Draft of each verification in turn; missing ones are empty"
    )
    prompt_tokens: int = Field(default=0, ge=0, le=10_000_000, description="Tokens of the prompt")
    eos: Token | None = Field(default=None, description="Token that ends the text")
    max_tokens: int | None = Field(
        default=None, ge=2, le=MOST, description="Most tokens that are emitted, prefill's included"
    )


@tool(
    group="spec_decode",
    example={
        "target": [11, 12, 13, 14, 15, 16, 17, 2],
        "drafts": [[12, 13, 99], [15, 16, 17]],
        "prompt_tokens": 100,
        "eos": 2,
    },
    drawing=STEPS,
    marks=MARKS,
)
def spec_trace(given: SpecTraceArguments) -> Working:
    """Trace greedy verification: drafted, computed, accepted, emitted, and KV slots rolled back.

    Accepted, emitted and computed are three counts. A full acceptance gives a bonus token; EOS or
    the output limit cuts what was verified behind it, although its KV was written.
    """
    target = [str(token) for token in given.target][: given.max_tokens]
    drafts = [[str(token) for token in draft] for draft in given.drafts]

    def draft(_text: Sequence[str], step: int) -> Sequence[str]:
        return drafts[step] if step < len(drafts) else ()

    eos = "" if given.eos is None else str(given.eos)
    rounds = verify(target, (), draft, eos)
    if not rounds:
        raise ToolError("target", given.target[:8], "ends with its first token: nothing to verify")
    work = Working(headline="tokens_per_pass", source=SOURCE)
    put_rounds(work, rounds, given.prompt_tokens)
    if len(drafts) > len(rounds):
        work.warn(f"{len(drafts) - len(rounds)} drafts were not used: the text had ended")
    return work


class PromptLookupArguments(Arguments):
    """Arguments of prompt_lookup."""

    prompt: str = Field(max_length=20_000, description="Text in which drafts are looked up")
    output: str = Field(max_length=20_000, description="Text that the target writes")
    match: int = Field(
        default=2, ge=1, le=8, description="Words that must match before a draft is copied"
    )
    gamma: int = Field(default=4, ge=1, le=32, description="Words that are copied as the draft")


@tool(
    group="spec_decode",
    example={
        "prompt": "def total ( items ) : return sum ( item . price for item in items )",
        "output": "def total ( rows ) : return sum ( row . price for row in rows )",
    },
    drawing=STEPS,
    marks=MARKS,
)
def prompt_lookup(given: PromptLookupArguments) -> Working:
    """Trace n-gram drafting: the last words are looked up in the text and what followed is drafted.

    Words stand for tokens. The latest earlier match is used. Needs no drafter and no training;
    yields nothing where the output repeats nothing.
    """
    prompt, output = given.prompt.split(), given.output.split()
    if not 2 <= len(output) <= MOST:
        raise ToolError("output", given.output[:40], f"needs 2 to {MOST:,} words")
    if len(prompt) > MOST:
        raise ToolError("prompt", given.prompt[:40], f"has more than {MOST:,} words")
    work = Working(headline="tokens_per_pass", source=f"prompt lookup decoding; {SOURCE}")
    put_rounds(work, _run(prompt, output, given.match, given.gamma), len(prompt))
    for match in (1, 2, 3):
        rounds = _run(prompt, output, match, given.gamma)
        accepted, drafted = sum(r.accepted for r in rounds), sum(r.drafted for r in rounds)
        said = f"with a match of {match}"
        work.put(f"accepted_match_{match}", accepted, "tokens", f"accepted {said}", "count")
        work.put(f"drafted_match_{match}", drafted, "tokens", f"drafted {said}", "count")
        work.put(f"passes_match_{match}", len(rounds), "passes", f"passes {said}", "count")
    work.assume("words, split at white space, stand for tokens")
    if not work.measures["accepted"].value:
        work.warn("nothing was accepted: the output repeats nothing, so only the cost remains")
    return work


def _run(prompt: Sequence[str], output: Sequence[str], match: int, gamma: int) -> list[Round]:
    text = [*prompt, *output]
    follows: dict[tuple[str, ...], int] = {}
    read = match

    def draft(so_far: Sequence[str], _step: int) -> Sequence[str]:
        nonlocal read
        for end in range(read, len(so_far)):
            follows[tuple(text[end - match : end])] = end
        read = max(read, len(so_far))
        start = follows.get(tuple(so_far[-match:]))
        return so_far[start : start + gamma] if start is not None else ()

    return verify(output, prompt, draft, "")
