"""YAML with line numbers: plain values plus the line of every path; no aliases, no doubled keys."""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

Path = tuple[str | int, ...]


class BadYaml(ValueError):
    """The text is no YAML that we accept; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True, slots=True)
class Lined:
    """A parsed document: its value, and the line of each path in it."""

    value: object
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line of a path, or of its nearest parent that is in the file."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


def parse(text: str) -> Lined:
    """Parse one document. Raises BadYaml on bad syntax, aliases and keys given twice."""
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        lines: dict[Path, int] = {}
        if node is not None:
            _note(node, (), lines, loader, set())
        value = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadYaml(mark.line + 1 if mark else 1, error.problem or "not YAML") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, BadYaml):
            raise
        raise BadYaml(1, str(error)) from error
    finally:
        loader.dispose()
    return Lined(value, lines)


def _note(
    node: yaml.Node, path: Path, lines: dict[Path, int], loader: yaml.SafeLoader, seen: set[int]
) -> None:
    line = node.start_mark.line + 1
    if id(node) in seen:
        raise BadYaml(line, "aliases are not accepted; write the value out")
    seen.add(id(node))
    lines.setdefault(path, line)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note(item, (*path, index), lines, loader, seen)
    elif isinstance(node, yaml.MappingNode):
        for key_node, item in node.value:
            key = loader.construct_object(key_node)
            child = (*path, key)
            if child in lines:
                raise BadYaml(key_node.start_mark.line + 1, f"the key {key!r} is given twice")
            lines[child] = key_node.start_mark.line + 1
            _note(item, child, lines, loader, seen)
