"""Someone of a team may pause, and keeps their way without a unit: it is then another's to take."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_BEFORE = "('consent', 'practice', 'away', 'none', 'paused', 'crowded')"


def upgrade() -> None:
    """One session at a unit, but for those that have none."""
    holding = sa.text(f"outcome IS NULL AND NOT beside AND state NOT IN {_BEFORE}")
    op.drop_index("one_at_a_unit", "sessions")
    op.create_index("one_at_a_unit", "sessions", ["unit"], unique=True, sqlite_where=holding, postgresql_where=holding)
