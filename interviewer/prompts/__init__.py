"""The prompts: Jinja2 files and the library that renders and hashes them.
Knows no model and no round."""

from interviewer.prompts.library import Prompt, PromptLibrary

__all__ = ["Prompt", "PromptLibrary"]
