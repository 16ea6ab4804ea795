"""Models judge beside people: their sessions take nobody's place.  Those that took one before keep it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_HOLDING = sa.text("outcome IS NULL AND NOT beside")


def upgrade() -> None:
    """Tell which sessions stand beside, and let them be at a unit that someone holds."""
    op.add_column("sessions", sa.Column("beside", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_index("one_at_a_unit", "sessions")
    op.create_index(
        "one_at_a_unit", "sessions", ["unit"], unique=True, sqlite_where=_HOLDING, postgresql_where=_HOLDING
    )
