"""The JSON schema of a card's front matter, for editors; `python -m questions.schema` writes it."""

import json
from pathlib import Path

from questions.library import BODY
from questions.model import QuestionCard

SCHEMA = Path(__file__).parent / "card.schema.json"


def card_schema() -> str:
    """The schema as text; the answers, which stand in the body, and the hash are not part of it."""
    schema = QuestionCard.model_json_schema()
    for name in ("hash", *BODY.values()):
        del schema["properties"][name]
    schema["required"] = [name for name in schema["required"] if name not in BODY.values()]
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Front matter of a Viva question card"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(card_schema(), encoding="utf-8")
