"""The log of events, append-only by trigger, and the installation's secrets."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SECRETS = ("cache_salt", "session")
"""The salt of the prefix cache, and what session cookies are signed with."""

REFUSALS = {
    "sqlite": """
        CREATE TRIGGER event_no_{verb} BEFORE {verb} ON event
        BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
    "postgresql": """
        CREATE TRIGGER event_no_{verb} BEFORE {verb} ON event
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()""",
}


def upgrade() -> None:
    """Make the tables and the triggers that refuse changes."""
    op.create_table(
        "event",
        sa.Column("round_id", sa.String(32), primary_key=True, nullable=False),
        sa.Column("seq", sa.Integer, primary_key=True, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.CheckConstraint("seq >= 1", name="event_seq_from_1"),
        sa.CheckConstraint("length(body) >= 2", name="event_body_is_json"),
    )
    op.create_index("event_type_at", "event", ["type", "at"])
    secret = op.create_table(
        "secret",
        sa.Column("name", sa.String(32), primary_key=True, nullable=False),
        sa.Column("value", sa.String(128), nullable=False),
    )
    op.bulk_insert(secret, [{"name": name, "value": secrets.token_urlsafe(32)} for name in SECRETS])
    dialect = op.get_bind().dialect.name
    if dialect == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'events are append-only'; END $$"
        )
    for verb in ("UPDATE", "DELETE"):
        op.execute(REFUSALS[dialect].format(verb=verb))


def downgrade() -> None:
    """Drop everything."""
    op.drop_table("secret")
    op.drop_table("event")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_event_change()")
