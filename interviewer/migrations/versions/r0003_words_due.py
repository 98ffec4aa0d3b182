"""SQLite: a turn is due for the index of words when it is written, and indexed a moment later.

PostgreSQL's index needs no such moment.
"""

from alembic import op

from interviewer.migrations.versions.r0002_read_models import NEW, OLD, WORDS

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TRIGGERS = ("turn_words_insert", "turn_words_delete", "turn_words_update")
INDEXED = "WHEN NOT EXISTS (SELECT 1 FROM turn_words_due WHERE id = old.id)"
"""What is only due has no words in the index that could be taken out."""
DUE = (
    "CREATE TABLE turn_words_due (id INTEGER PRIMARY KEY)",
    """CREATE TRIGGER turn_words_insert AFTER INSERT ON turn
         BEGIN INSERT INTO turn_words_due (id) VALUES (new.id); END""",
    f"CREATE TRIGGER turn_words_delete AFTER DELETE ON turn {INDEXED} BEGIN {OLD} END",
    f"CREATE TRIGGER turn_words_update AFTER UPDATE ON turn {INDEXED} BEGIN {OLD} {NEW} END",
)


def upgrade() -> None:
    """Put a table of what is due between a turn and its words."""
    if op.get_bind().dialect.name == "sqlite":
        _exchange(DUE)


def downgrade() -> None:
    """Index in the turn's own transaction; what is due is indexed by the rebuild."""
    if op.get_bind().dialect.name == "sqlite":
        _exchange(("DROP TABLE turn_words_due", *WORDS["sqlite"][1:]))


def _exchange(statements: tuple[str, ...]) -> None:
    for name in TRIGGERS:
        op.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        op.execute(statement)
