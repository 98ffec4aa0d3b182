"""Loads the rubric sheets, validates them, and names every fault as file:line."""

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from rubrics.lines import BadYaml, Lined, parse
from rubrics.model import Rubric

SHEETS = Path(__file__).parent / "sheets"


class InvalidRubric(ValueError):
    """One or more sheets are invalid; each fault is 'file:line: what is wrong'."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


@cache
def load_rubrics(folder: Path = SHEETS) -> Mapping[str, Rubric]:
    """The sheets of a folder by id. Raises InvalidRubric with every fault of every sheet."""
    rubrics: dict[str, Rubric] = {}
    faults: list[str] = []
    for file in sorted(folder.glob("*.yaml")):
        try:
            rubric = read_sheet(file)
        except InvalidRubric as error:
            faults.extend(error.faults)
            continue
        if rubric.id != file.stem:
            faults.append(f"{file.name}:1: id {rubric.id!r} must be the file's name, {file.stem!r}")
        rubrics[rubric.id] = rubric
    if faults:
        raise InvalidRubric(tuple(faults))
    return MappingProxyType(rubrics)


def read_sheet(file: Path) -> Rubric:
    """One sheet, with its content hash. Raises InvalidRubric."""
    try:
        document = parse(file.read_text(encoding="utf-8"))
        rubric = Rubric.model_validate(document.value)
    except BadYaml as error:
        raise InvalidRubric((f"{file.name}:{error.line}: {error}",)) from error
    except UnicodeDecodeError as error:
        raise InvalidRubric((f"{file.name}:1: not UTF-8; save the file as UTF-8",)) from error
    except ValidationError as error:
        raise InvalidRubric(_faults(file.name, document, error)) from error
    return rubric.model_copy(update={"hash": content_hash(rubric)})


def content_hash(rubric: Rubric) -> str:
    """16 hex digits over everything that the sheet says; comments and layout do not count."""
    content = rubric.model_dump(mode="json", exclude={"hash"})
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()[:16]


def _faults(name: str, document: Lined, error: ValidationError) -> tuple[str, ...]:
    return tuple(
        f"{name}:{document.line(fault['loc'])}: "
        f"{'.'.join(map(str, fault['loc'])) or 'the sheet'}: {fault['msg']}"
        for fault in error.errors()
    )
