"""The JSON schema for editors is the one of the model at hand."""

from questions.schema import SCHEMA, card_schema


def test_the_schema_in_the_repository_is_fresh() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == card_schema(), "run python -m questions.schema"
