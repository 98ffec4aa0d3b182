"""A plan as text to read and to paste into a shell, and as plain data for programs."""

import shlex
from collections.abc import Iterator
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from interviewer.models.findings import Report
from interviewer.models.plan import Plan
from interviewer.visible import visible

WIDTH = 96


def as_shell(plan: Plan) -> str:
    """Bash that runs as it stands: each flag in an array, under a comment with its arithmetic."""
    lines = [*_comments(verdict(plan), "#"), "args=("]
    for flag in plan.flags:
        lines += _comments(flag.why, "  #")
        lines.append("  " + shlex.join([flag.name, *([flag.value] if flag.value else [])]))
    lines += [")", f'vllm serve {shlex.quote(plan.wish.model)} "${{args[@]}}"']
    return "\n".join([*lines, *_rest(plan)])


def verdict(plan: Plan) -> str:
    """In a line: does it fit?"""
    wish = plan.wish
    if plan.sequences is None:
        return f"{wish.model}: not sized; name a GPU with --gpu"
    asked = f"{wish.users} people with {wish.context:,} tokens each"
    on = f"{wish.model} on {wish.gpus} x {wish.gpu}"
    if plan.fits:
        return f"{on}: fits. {asked}; there is room for {plan.sequences}."
    if not plan.sequences:
        return f"{on}: does NOT fit: no room for a single context beside the weights."
    return f"{on}: does NOT fit. {asked}; there is room for {plan.sequences}."


def as_data(plan: Plan) -> dict[str, Any]:
    """For --json."""
    return {
        "fits": plan.fits,
        "verdict": verdict(plan),
        "command": ["vllm", "serve", plan.wish.model, *plan.arguments()],
        **asdict(plan),
    }


def _comments(text: str, mark: str) -> list[str]:
    return [f"{mark} {line}" for line in wrap(text, WIDTH - len(mark))]


def _rest(plan: Plan) -> Iterator[str]:
    if plan.remedies:
        yield ""
        yield "# What to change, each by itself:"
    for remedy in plan.remedies:
        outcome = "fits" if remedy.fits else "does not fit"
        note = f"; {remedy.note}" if remedy.note else ""
        yield f"#   {remedy.change:<26} room for {remedy.sequences}, {outcome}{note}"
    if plan.expected:
        yield ""
        yield "# What to expect:"
    for line in (*plan.expected, *plan.notes):
        yield from _comments(line, "#  ")


def report_text(report: Report) -> str:
    """A report as lines: the state, the ability, what was seen."""
    head = f"{report.model} at {report.base_url}, version {report.version or 'not told'}"
    rows = [f"{f.state:<8} {f.ability:<15} {visible(f.detail)}" for f in report.findings]
    flags = ", ".join(name for name, on in asdict(report.capabilities).items() if on)
    return "\n".join([visible(head), *rows, f"Viva relies on: {flags or 'plain text only'}"])
