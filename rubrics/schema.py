"""The JSON schema of a rubric sheet, for editors: `python -m rubrics.schema` writes it anew."""

import json
from pathlib import Path

from rubrics.model import Rubric

FILE = Path(__file__).parent / "sheets" / "schema.json"


def schema_text() -> str:
    """The schema as the file must hold it; `hash` is left out, since no sheet states it."""
    schema = Rubric.model_json_schema()
    del schema["properties"]["hash"]
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(schema_text(), encoding="utf-8")
