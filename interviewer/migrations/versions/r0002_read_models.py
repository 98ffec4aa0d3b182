"""Read models of rounds, turns and scores, with an index of the turns' words.

They follow from the log, and are filled from it after every upgrade.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

COUNTED = ["scorer", "rubric_hash", "part", "newest", "card", "day", "drill", "level"]
BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
OLD = (
    "INSERT INTO turn_words(turn_words, rowid, text, note) "
    "VALUES ('delete', old.id, old.text, old.note);"
)
NEW = "INSERT INTO turn_words(rowid, text, note) VALUES (new.id, new.text, new.note);"
WORDS = {
    "sqlite": (
        """CREATE VIRTUAL TABLE turn_words USING fts5(text, note, content='turn',
             content_rowid='id', columnsize=0, tokenize='porter unicode61 remove_diacritics 2')""",
        f"CREATE TRIGGER turn_words_insert AFTER INSERT ON turn BEGIN {NEW} END",
        f"CREATE TRIGGER turn_words_delete AFTER DELETE ON turn BEGIN {OLD} END",
        f"CREATE TRIGGER turn_words_update AFTER UPDATE ON turn BEGIN {OLD} {NEW} END",
    ),
    # Stems, but keeps the words that PostgreSQL's own configuration stops: 'to be' can be found.
    "postgresql": (
        "CREATE TEXT SEARCH DICTIONARY viva_stem (TEMPLATE = snowball, Language = english)",
        "CREATE TEXT SEARCH CONFIGURATION viva (COPY = simple)",
        """ALTER TEXT SEARCH CONFIGURATION viva ALTER MAPPING FOR asciiword, asciihword,
             hword_asciipart, word, hword, hword_part WITH viva_stem""",
        r"""ALTER TABLE turn ADD COLUMN words tsvector GENERATED ALWAYS AS
             (to_tsvector('viva'\:\:regconfig, left(text || ' ' || note, 200000))) STORED""",
        "CREATE INDEX turn_words ON turn USING gin (words)",
    ),
}


def upgrade() -> None:
    """Make the tables; `migrate` fills them."""
    _round()
    op.create_table(
        "turn",
        sa.Column("id", BIG, primary_key=True, autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("speaker", sa.String(16), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("bookmarked", sa.Integer, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
    )
    op.create_table(
        "score",
        sa.Column("round_no", sa.Integer, primary_key=True, nullable=False),
        sa.Column("seq", sa.Integer, primary_key=True, nullable=False),
        sa.Column("part", sa.String(16), primary_key=True, nullable=False),
        sa.Column("level", sa.Integer),
        sa.Column("scorer", sa.Text, nullable=False),
        sa.Column("rubric", sa.Text, nullable=False),
        sa.Column("rubric_hash", sa.Text, nullable=False),
        sa.Column("card", sa.Text, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("drill", sa.String(16), nullable=False),
        sa.Column("newest", sa.Integer, nullable=False),
    )
    op.create_index("score_counts", "score", COUNTED)
    for statement in WORDS[op.get_bind().dialect.name]:
        op.execute(statement)


def _round() -> None:
    texts = ("card", "title", "question", "kind", "interviewer")
    counts = ("events", "turns", "answers", "spoken", "marks", "scorecards")
    op.create_table(
        "round",
        sa.Column("no", sa.Integer, primary_key=True, nullable=False),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("last_at", sa.String(32), nullable=False),
        sa.Column("last_type", sa.String(32), nullable=False),
        sa.Column("part", sa.String(16), nullable=False),
        sa.Column("ended", sa.String(16), nullable=False),
        sa.Column("overall", sa.Integer),
        *(sa.Column(name, sa.Text, nullable=False) for name in texts),
        *(sa.Column(name, sa.Integer, nullable=False) for name in counts),
    )
    op.create_index("round_at", "round", ["at"])
    op.create_index("round_card", "round", ["card"])


def downgrade() -> None:
    """Drop them."""
    for table in ("score", "turn", "round"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE turn_words")
    else:
        op.execute("DROP TEXT SEARCH CONFIGURATION viva")
        op.execute("DROP TEXT SEARCH DICTIONARY viva_stem")
