"""The first version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "assessors",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("platform_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("came", sa.Float(), nullable=False),
        sa.Column("excluded", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("platform", "platform_id"),
    )
    op.create_table(
        "events",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("session", sa.Text(), nullable=True),
        sa.Column("assessor", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("events_by_session", "events", ["session"], unique=False)
    op.create_table(
        "invitations",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("assessor", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "units",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("items", sa.JSON(), nullable=False),
        sa.Column("high", sa.Integer(), nullable=True),
        sa.Column("low", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("units_by_state", "units", ["state", "place"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("assessor", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("tries", sa.JSON(), nullable=False),
        sa.Column("flags", sa.JSON(), nullable=False),
        sa.Column("began", sa.Float(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=False),
        sa.Column("saved", sa.Integer(), nullable=False),
        sa.Column("lease", sa.Float(), nullable=False),
        sa.Column("steady", sa.Float(), nullable=False),
        sa.Column("boot", sa.Text(), nullable=False),
        sa.Column("lease_key", sa.Text(), nullable=False),
        sa.Column("ended", sa.Float(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("code", sa.LargeBinary(), nullable=True),
        sa.CheckConstraint("(code IS NOT NULL) = (coalesce(outcome, '') = 'done')", name="code_if_done"),
        sa.CheckConstraint("(ended IS NULL) = (outcome IS NULL)", name="ended_if_outcome"),
        sa.ForeignKeyConstraint(["assessor"], ["assessors.id"]),
        sa.ForeignKeyConstraint(["unit"], ["units.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("assessor", "topic"),
        sa.UniqueConstraint("token"),
    )
    op.create_index(
        "one_a_person",
        "sessions",
        ["assessor"],
        unique=True,
        sqlite_where=sa.text("outcome IS NULL"),
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.create_index(
        "one_at_a_unit",
        "sessions",
        ["unit"],
        unique=True,
        sqlite_where=sa.text("outcome IS NULL"),
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.create_index("sessions_by_lease", "sessions", ["outcome", "lease"], unique=False)
    op.create_table(
        "answers",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("typed", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("cannot", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("event", _ID, nullable=False),
        sa.ForeignKeyConstraint(["event"], ["events.id"]),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("session", "kind", "number", "revision"),
    )
    op.create_table(
        "drafts",
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"]),
        sa.PrimaryKeyConstraint("session", "step", "number"),
    )
    op.create_table(
        "sent",
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("once", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"]),
        sa.PrimaryKeyConstraint("session", "once"),
    )
    op.create_table(
        "visits",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("began", sa.Float(), nullable=False),
        sa.Column("steady", sa.Float(), nullable=False),
        sa.Column("boot", sa.Text(), nullable=False),
        sa.Column("ended", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("visits_by_session", "visits", ["session", "number"], unique=False)
