"""A unit is taken after consent and practice: who holds one before gives it back, and takes the next one later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_BEFORE = "('consent', 'practice', 'none', 'paused', 'crowded')"
_HOLDING = sa.text(f"outcome IS NULL AND NOT beside AND state NOT IN {_BEFORE}")


def upgrade() -> None:
    """Keep while a unit is held what its holder's address is counted by, and free what is held too early."""
    op.add_column("sessions", sa.Column("origin", sa.Text(), nullable=True))
    early = f"SELECT id FROM sessions WHERE outcome IS NULL AND NOT beside AND state IN {_BEFORE}"
    op.execute(f"UPDATE units SET state = 'free', session = NULL WHERE state = 'held' AND session IN ({early})")
    op.drop_index("one_at_a_unit", "sessions")
    op.create_index(
        "one_at_a_unit", "sessions", ["unit"], unique=True, sqlite_where=_HOLDING, postgresql_where=_HOLDING
    )
