"""Renders prompt templates strictly and names each by a hash of its source."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jinja2 import BaseLoader, Environment, FileSystemLoader, StrictUndefined, meta

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt. `hash` names the template that made it, not the data put in."""

    text: str
    hash: str


class PromptLibrary:
    """The templates `<name>.jinja` of a folder; a name that a template uses must be given.

    `tojson` writes data as JSON with <, > and & escaped, so that no text can close a delimiter.
    """

    def __init__(self, loader: BaseLoader | None = None) -> None:
        self._environment = Environment(
            loader=loader or FileSystemLoader(TEMPLATES),
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
        self._hashes: dict[str, str] = {}

    def render(self, name: str, /, **context: object) -> Prompt:
        """Fill in a template. Raises jinja2.UndefinedError for a missing name."""
        text = self._environment.get_template(f"{name}.jinja").render(context)
        return Prompt(text.strip(), self.hash(name))

    def hash(self, *names: str) -> str:
        """16 hex digits over the sources of templates and of all that they include."""
        digest = sha256()
        for name in names:
            if name not in self._hashes:
                sources = "\0".join(self._sources(f"{name}.jinja", []))
                self._hashes[name] = sha256(sources.encode()).hexdigest()[:16]
            digest.update(self._hashes[name].encode())
        return self._hashes[names[0]] if len(names) == 1 else digest.hexdigest()[:16]

    def _sources(self, file: str, seen: list[str]) -> list[str]:
        loader = self._environment.loader
        assert loader is not None
        source, _, _ = loader.get_source(self._environment, file)
        seen.append(file)
        found = [source]
        referenced = meta.find_referenced_templates(self._environment.parse(source))
        for other in sorted(name for name in referenced if name and name not in seen):
            found.extend(self._sources(other, seen))
        return found
