"""The budgets of ARCHITECTURE.md: sizes, names, docstrings and broad excepts."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("interviewer", "rubrics", "questions", "tools", "web", "evals")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
BROAD = {"web/connection.py", "evals/runner.py"}
"""The two edges where anything may be caught: the socket loop and the eval worker."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
NESTING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[Function]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, Function))


def body_lines(function: Function) -> int:
    body = function.body[1:] if ast.get_docstring(function) and function.body[1:] else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def depth(node: ast.AST) -> int:
    """Nested statements; an `elif` does not count as deeper."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            continue
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and child in node.orelse
        step = 1 if isinstance(child, NESTING) and not is_elif else 0
        deepest = max(deepest, step + depth(child))
    return deepest


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {name(path): path.read_text(encoding="utf-8").count("\n") for path in SOURCES + TESTS}
    assert {path: lines for path, lines in lengths.items() if lines > 500} == {}


def test_the_median_file_has_at_most_120_lines() -> None:
    assert median(path.read_text(encoding="utf-8").count("\n") for path in SOURCES) <= 120


def test_no_function_body_is_longer_than_50_lines() -> None:
    sizes = {f"{name(p)}:{f.name}": body_lines(f) for p in SOURCES for f in functions(p)}
    assert {where: lines for where, lines in sizes.items() if lines > 50} == {}


def test_the_median_function_body_has_at_most_10_lines() -> None:
    assert median(body_lines(f) for path in SOURCES for f in functions(path)) <= 10


def test_no_function_nests_deeper_than_three() -> None:
    depths = {f"{name(p)}:{f.name}": depth(f) for p in SOURCES for f in functions(p)}
    assert {where: d for where, d in depths.items() if d > 3} == {}


def test_every_module_says_what_it_holds_in_one_to_four_lines() -> None:
    docs = {name(path): ast.get_docstring(tree(path)) or "" for path in SOURCES + TESTS}
    assert {path: doc for path, doc in docs.items() if not 1 <= len(doc.splitlines()) <= 4} == {}


def test_everything_is_caught_only_at_the_two_named_edges() -> None:
    pattern = re.compile(r"except\s*(\(?.*\b(Exception|BaseException)\b.*\)?)?:")
    broad = {name(path) for path in SOURCES if pattern.search(path.read_text(encoding="utf-8"))}
    assert broad <= BROAD


@pytest.mark.parametrize("word", ["Manager", "Helper", "Util", "Factory", "Processor"])
def test_no_class_has_a_name_that_says_nothing(word: str) -> None:
    classes = (n for path in SOURCES for n in ast.walk(tree(path)) if isinstance(n, ast.ClassDef))
    assert [node.name for node in classes if word in node.name] == []


def test_tests_wait_as_long_as_tests_patience_says() -> None:
    pattern = re.compile(r"asyncio\.timeout\(\d|wait_for\(.*, \d")
    assert [name(path) for path in TESTS if pattern.search(path.read_text("utf-8"))] == []


def test_scripts_in_the_pages_have_at_most_200_lines() -> None:
    scripts = {name(p): p.read_text("utf-8").count("\n") for p in (ROOT / "web").rglob("*.js")}
    assert {path: lines for path, lines in scripts.items() if lines > 200} == {}
