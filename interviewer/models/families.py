"""Which of vLLM's parsers and templates belong to which models; names of vLLM 0.32.

Source: vLLM's pages on tool calling and reasoning outputs, and its parser registries.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """Parsers of one family of models; None where vLLM needs none, or has none."""

    tool_parser: str | None = None
    reasoning_parser: str | None = None
    template: str | None = None
    """A chat template to prefer to the model's own, in vLLM's repository."""


_TEMPLATES = "examples/tool_chat_template_"
_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("llama-4", Family("llama4_pythonic", None, f"{_TEMPLATES}llama4_pythonic.jinja")),
    ("llama-3", Family("llama3_json", None, f"{_TEMPLATES}llama3.1_json.jinja")),
    ("qwen3-coder", Family("qwen3_xml")),
    ("qwen3", Family("hermes", "qwen3")),
    ("qwq", Family("hermes", "deepseek_r1")),
    ("qwen2.5", Family("hermes")),
    ("hermes", Family("hermes")),
    ("smollm2", Family("hermes")),
    ("magistral", Family("mistral", "mistral")),
    ("mistral", Family("mistral")),
    ("ministral", Family("mistral")),
    ("deepseek-v3.1", Family("deepseek_v31", "deepseek_v3")),
    ("deepseek-v3.2", Family("deepseek_v32", "deepseek_v3")),
    ("deepseek-v3", Family("deepseek_v3", None, f"{_TEMPLATES}deepseekv3.jinja")),
    ("deepseek-r1", Family("deepseek_v3", "deepseek_r1", f"{_TEMPLATES}deepseekr1.jinja")),
    ("gpt-oss", Family("openai", "openai_gptoss")),
    ("glm-4.7", Family("glm47", "glm47")),
    ("glm-4", Family("glm45", "glm45")),
    ("kimi-k2", Family("kimi_k2", "kimi_k2")),
    ("gemma-4", Family("gemma4", "gemma4")),
    ("granite-4", Family("granite4", "granite")),
    ("granite", Family("granite", "granite")),
    ("phi-4-mini", Family("phi4_mini_json")),
    ("minimax-m2", Family("minimax_m2", "minimax_m2")),
)


def family_of(model: str) -> Family:
    """The family by the model's name; an empty one where the name is not known."""
    name = model.lower().replace("_", "-")
    return next((family for part, family in _FAMILIES if part in name), Family())


def families() -> tuple[Family, ...]:
    """All that are known, for checks against a real vLLM."""
    return tuple(family for _, family in _FAMILIES)
