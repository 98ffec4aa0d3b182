"""The rules that a card's types cannot say: each change of the valid template breaks one."""

from pathlib import Path

import pytest

from questions.faults import InvalidCard
from questions.library import load
from tests.questions.conftest import WriteCard

BROKEN = {
    "a fact with neither tool nor value": (
        "    value: 600              # a stated input: a value with its source\n",
        "",
        "give exactly one of 'tool'",
    ),
    "a fact with both": (
        "    value: 60\n",
        "    value: 60\n    tool: kv_cache\n",
        "give exactly one of 'tool'",
    ),
    "a value without source": (
        "    value: 60\n    source: stated with the question\n",
        "    value: 60\n",
        "say where the value comes",
    ),
    "a value that was worked out by hand": (
        "    value: 60\n    source: stated with the question\n",
        "    value: 60\n    source: half of 120 minutes\n",
        "'half of 120 minutes' is arithmetic",
    ),
    "a choice that was worked out by hand": (
        "    value: 60\n    source: stated with the question\n",
        "    value: 60\n    source: set by this card, half of 120 minutes\n",
        "half of 120 minutes' is arithmetic",
    ),
    "a source that the card does not list": (
        "    value: 60\n    source: stated with the question\n",
        "    value: 60\n    source: the disk's data sheet\n",
        "begin with 'stated with the question', 'set by this card'",
    ),
    "arguments without a tool": (
        "    value: 60\n",
        "    value: 60\n    arguments: {a: 1}\n",
        "belong to a fact with a tool",
    ),
    "a slip that is right": ("factor: 0.125", "factor: 1.04", "is within the tolerance, 0.05"),
    "a fact's id twice": ("  - id: disk", "  - id: data", "id 'data' is taken"),
    "a fact's id with a space": ("  - id: disk", "  - id: the disk", "use lower case"),
    "a slip of a story's own figure": (
        "    tolerance: 0.05 ",
        "    story: true\n    tolerance: 0.05 ",
        "nobody's number is held against a story's own",
    ),
    "a term in capitals": ("[reads, data, table]", "[Reads]", "write it in lower case"),
    "a probe's id twice": ("- id: who-splits", "- id: bound", "id 'bound' is taken"),
    "a trigger without a field": ("when: {missing: nextstep}", "when: {}", "set are: none"),
    "a trigger with two fields": (
        "when: {missing: nextstep}",
        "when: {missing: nextstep, always: true}",
        "set are: missing, always",
    ),
    "a trigger on no fact": ("wrong: read-time}", "wrong: reading}", "no fact of this card"),
    "a trigger on a number of which no slip is known": (
        "wrong: read-time}",
        "wrong: half}",
        "'half' has no slips",
    ),
    "a question without its mark": ("Would more machines help?", "Would more", "end it as a"),
    "an empty list of cues": ("cues: [tonight, measure, profile]", "cues: []", "cues: empty"),
    "a cue in capitals": ("cues: [tonight,", "cues: [Tonight,", "write it in lower case"),
    "a red flag without why": ("why: The disk does not read faster for it.", "why: ''", "why:"),
    "a phrase in capitals": ("[easily under", "[Easily under", "write it in lower case"),
    "too few words": (
        "\n## In sixty seconds\n\n",
        "\n## In sixty seconds\n\n" + "so " * 200,
        "words; write",
    ),
    "an answer beyond the clock": ("limit_s: 180", "limit_s: 60", "limit_s is 60"),
    "an id in lower case": ("id: MY-001", "id: my-001", "use capitals"),
    "a design case without curveball": ("kind: technical", "kind: design", "curveball: missing"),
    "an empty title": ("title: A nightly report that takes three hours", "title: ' '", "empty"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_card_is_refused_for(case: str, write_card: WriteCard, folder: Path) -> None:
    old, new, expected = BROKEN[case]
    write_card((old, new))
    with pytest.raises(InvalidCard, match="MY-001") as caught:
        load(folder)
    assert expected in str(caught.value)


def test_a_technical_card_needs_a_key_fact(write_card: WriteCard, folder: Path) -> None:
    write_card(("    key: true               #", "    #"), ("    key: true\n", ""))
    with pytest.raises(InvalidCard, match="none has 'key: true'"):
        load(folder)


def test_no_probe_waits_for_a_number_of_the_model_answers_own_story(
    write_card: WriteCard, folder: Path
) -> None:
    story = "    source: half of 600 GB\n"
    write_card((story, f"{story}    story: true\n"), ("wrong: read-time}", "unstated: half}"))
    with pytest.raises(InvalidCard, match="'half' is of the model answer's own story"):
        load(folder)


def test_one_probe_must_drill_two_levels_deep(write_card: WriteCard, folder: Path) -> None:
    text = write_card().read_text(encoding="utf-8")
    start, end = text.index("        then:\n          - id: merge"), text.index("  - id: first-ev")
    write_card((text[start:end], ""))
    with pytest.raises(InvalidCard, match="none drills two levels deep"):
        load(folder)


def test_four_probes_are_the_least(write_card: WriteCard, folder: Path) -> None:
    text = write_card().read_text(encoding="utf-8")
    start, end = text.index("  - id: first-evening"), text.index("red_flags:")
    write_card((text[start:end], ""))
    with pytest.raises(InvalidCard, match="at least 4 items"):
        load(folder)


def test_the_fault_of_a_nested_probe_stands_at_its_line(
    write_card: WriteCard, folder: Path
) -> None:
    path = write_card(("          - id: merge-bound", "          - id: Merge"))
    with pytest.raises(InvalidCard) as caught:
        load(folder)
    line = path.read_text(encoding="utf-8").splitlines().index("          - id: Merge") + 1
    assert str(caught.value).startswith(f"{path}:{line}: probes[2].then[0].then[0] (Merge)")
