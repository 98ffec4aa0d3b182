"""Every question hook has the tools that its row names."""

import json
from pathlib import Path

import pytest

from tools.catalog import CATALOG

NEEDED: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "hook_tools.json").read_text("utf-8")
)
GROUPS = {tool.group for tool in CATALOG.values()}


@pytest.mark.parametrize("hook", NEEDED)
def test_a_hook_has_the_tools_that_it_names(hook: str) -> None:
    assert set(NEEDED[hook]) <= GROUPS


def test_all_hooks_of_the_list_are_looked_at() -> None:
    assert len(NEEDED) == 163
