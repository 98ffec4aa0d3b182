"""A small card with a real, if tiny, tool registry: what the grounding tests stand on."""

from collections.abc import Mapping
from dataclasses import dataclass

from questions.model import (
    AskedBy,
    Fact,
    KeyPoint,
    KeyPoints,
    Probe,
    QuestionCard,
    RedFlagRule,
    Trigger,
)
from tools.result import Measure, Result, ToolError


@dataclass(frozen=True)
class WeightRead:
    """Time to read a model's weights once: bytes over bandwidth."""

    def call(self, arguments: Mapping[str, object], /) -> Result:
        gigabytes = arguments.get("gigabytes")
        if not isinstance(gigabytes, int | float) or gigabytes <= 0:
            raise ToolError("gigabytes", gigabytes, "give a positive number of GB")
        seconds = gigabytes / 4800
        return Result(
            tool="weight_read",
            value=seconds,
            unit="s",
            label="time to read the weights",
            formula=f"{gigabytes} GB / 4.8 TB/s = {seconds:.4f} s",
            inputs=dict(arguments),
            measures={
                "floor": Measure(value=seconds, unit="s", label="step floor"),
                "speed": Measure(value=1 / seconds, unit="tokens/s", label="speed alone"),
            },
            source="data sheet",
        )


CATALOG = {"weight_read": WeightRead()}
FLOOR = Fact(
    id="floor",
    label="decode floor",
    unit="ms",
    tool="weight_read",
    arguments={"gigabytes": 70},
    scale=1000,
    terms=("step", "read"),
    key=True,
)
SHARE = Fact(id="share", label="share claimed", unit="%", value=92, source="vLLM's default")


def card(*facts: Fact) -> QuestionCard:
    """A card with these facts, or with the floor and the share."""
    point = (KeyPoint(point="a point", cues=("cue",)),)
    probe = Probe(
        id="p", part="number", ask="And at 40 users?", when=Trigger(always=True), good="x"
    )
    rule = RedFlagRule(flag="a flag", why="because")
    return QuestionCard(
        id="T-01",
        title="A card",
        version=1,
        kind="technical",
        theme="inference",
        round="technical screen",
        difficulty="easy",
        rubric="technical",
        question="How fast is one 70B model on 2 GPUs?",
        tests="x",
        asked_by=AskedBy(corroboration="no interview source"),
        scenario=("One H200: 141 GB, 4.8 TB/s.", "8K means 8,192 tokens."),
        facts=facts or (FLOOR, SHARE),
        key_points=KeyPoints(claim=point, number=point, tradeoff=point, nextstep=point),
        probes=(probe,) * 4,
        red_flags=(rule,) * 3,
        model_answer="x",
        short_answer="x",
    )
