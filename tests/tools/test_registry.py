"""One typed function becomes a tool: schema, checked call and a result that is complete."""

import json
import math
from contextlib import suppress
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tools.arguments import Arguments
from tools.catalog import CATALOG
from tools.registry import Tool, tool
from tools.result import ToolError
from tools.working import Working


class Step(BaseModel):
    """One operation of a simulator."""

    kind: Literal["admit", "free"]
    blocks: int = Field(ge=1, le=100, description="Blocks to take")


class SimulatorArguments(Arguments):
    """What a simulator takes: a list of operations and a seed."""

    ops: list[Step] = Field(max_length=50, description="Operations in order")
    seed: int = Field(default=0, ge=0, description="Seed of the run")
    size: int | None = Field(default=None, ge=1, description="Blocks in the pool")


@tool(group="simulators", example={"ops": [{"kind": "admit", "blocks": 2}]})
def pool(given: SimulatorArguments) -> Working:
    """Run operations on a pool.

    The trace is the table.
    """
    work = Working(headline="steps", source="test")
    work.put("steps", len(given.ops), "steps", "operations run", "count")
    work.table = [{"step": i, "taken": op.blocks} for i, op in enumerate(given.ops)]
    if given.size == 13:
        work.put("bad", math.inf, "x", "not a number")
    return work


def test_a_function_gives_its_name_docstring_and_types() -> None:
    assert (pool.name, pool.group, pool.summary) == (
        "pool",
        "simulators",
        "Run operations on a pool.",
    )
    assert pool.description == "Run operations on a pool. The trace is the table."


def test_a_simulator_takes_operations_and_returns_its_trace() -> None:
    result = pool.call({"ops": [{"kind": "admit", "blocks": 2}, {"kind": "free", "blocks": 1}]})
    assert [row["taken"] for row in result.table] == [2, 1]


def test_operations_may_come_as_json_text_from_a_form() -> None:
    assert pool.call({"ops": '[{"kind": "admit", "blocks": 2}]'}).value == 1


def test_a_wrong_operation_is_named_by_its_place() -> None:
    with pytest.raises(ToolError) as caught:
        pool.call({"ops": [{"kind": "admit", "blocks": 0}]})
    assert caught.value.field == "ops.0.blocks"


def test_nested_definitions_stand_in_place_of_references() -> None:
    schema = pool.schema()
    assert "$ref" not in json.dumps(schema)
    assert schema["properties"]["ops"]["items"]["properties"]["kind"]["enum"] == ["admit", "free"]


def test_an_optional_argument_is_just_its_type() -> None:
    size = pool.schema()["properties"]["size"]
    assert size == {"type": "integer", "minimum": 1, "description": "Blocks in the pool"}


def test_a_result_that_is_not_finite_is_an_error() -> None:
    with pytest.raises(ToolError, match="not finite"):
        pool.call({"ops": [], "size": 13})


@pytest.mark.parametrize("each", CATALOG.values(), ids=CATALOG)
def test_every_argument_is_described_and_every_number_bounded(each: Tool) -> None:
    schema = each.schema()
    assert schema["additionalProperties"] is False
    for part in schema["properties"].values():
        assert part["description"]
        numeric = part.get("type") in ("integer", "number")
        assert not numeric or {"maximum", "exclusiveMaximum"} & set(part)


@pytest.mark.parametrize("each", CATALOG.values(), ids=CATALOG)
def test_every_example_runs_and_its_headline_is_a_measure(each: Tool) -> None:
    result = each.call(each.example)
    assert result.value in [m.value for m in result.measures.values() if m.label == result.label]
    assert result.formula
    assert result.source
    assert result.table
    json.dumps(result.model_dump(mode="json"), allow_nan=False)


@pytest.mark.parametrize("each", CATALOG.values(), ids=CATALOG)
def test_every_tool_says_in_one_sentence_what_it_does(each: Tool) -> None:
    assert each.summary.endswith(".")
    assert len(each.summary) <= 100


def values(part: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in part:
        return st.sampled_from(part["enum"])
    if part["type"] in ("integer", "number"):
        low = part.get("minimum", part.get("exclusiveMinimum", 0))
        high = part.get("maximum", part.get("exclusiveMaximum", 0))
        if part["type"] == "integer":
            return st.integers(low, high) | st.integers(low, min(high, low + 64))
        return st.floats(low, high) | st.sampled_from([low, high])
    if part["type"] == "boolean":
        return st.booleans()
    if part["type"] == "array":
        least, most = part.get("minItems", 0), min(part.get("maxItems", 6), 6)
        return st.lists(values(part["items"]), min_size=least, max_size=max(least, most))
    if part["type"] == "object" and part.get("properties"):
        return st.fixed_dictionaries({n: values(p) for n, p in part["properties"].items()})
    return st.sampled_from(
        ["Llama-3.3-70B", "DeepSeek-V3.2", "Kimi-K3", "H100", "H200", "gpt-oss-20b", ""]
    )


@settings(derandomize=True, max_examples=60, deadline=None, database=None)
@given(st.data())
@pytest.mark.parametrize("each", CATALOG.values(), ids=CATALOG)
def test_any_arguments_within_the_schema_give_a_result_or_a_tool_error(
    each: Tool, data: st.DataObject
) -> None:
    properties = each.schema()["properties"]
    chosen = {
        name: data.draw(values(part))
        for name, part in properties.items()
        if name in each.input_model.model_fields and data.draw(st.booleans())
    }
    with suppress(ToolError):
        result = each.call({**each.example, **chosen})
        json.dumps(result.model_dump(mode="json"), allow_nan=False)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "gap_dilution",
            {
                "claimed": 2600,
                "measured": 1250,
                "factors": [{"name": f"f{n}", "share": 5e-324} for n in range(19)],
            },
        ),
        (
            "selective_dispatch",
            {
                "dispatch_us": 0,
                "shapes": [
                    {"name": "s", "calls": 1, "correct": True, "new_us": 5e-324, "old_us": 5e-324}
                ],
            },
        ),
    ],
)
def test_arithmetic_that_leaves_the_floats_is_the_inputs_fault(
    name: str, arguments: dict[str, object]
) -> None:
    with pytest.raises(ToolError, match=r"too extreme|not finite"):
        CATALOG[name].call(arguments)
