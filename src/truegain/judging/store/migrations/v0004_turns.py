"""People may see a topic again, where the study lets them: what nobody has twice is a turn, not the topic."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """The constraint goes with the column that it is on; the topic stands beside it."""
    op.execute("ALTER TABLE sessions RENAME COLUMN topic TO turn")
    op.add_column("sessions", sa.Column("topic", sa.Text(), nullable=False, server_default=""))
    op.execute("UPDATE sessions SET topic = turn")
