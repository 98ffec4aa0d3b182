"""Alembic's environment: runs on the connection that `migrate` hands in."""

from alembic import context
from sqlmodel import SQLModel

import interviewer.store.tables

assert interviewer.store.tables.EventRow.__tablename__ == "event"
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
