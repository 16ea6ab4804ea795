"""The tables of a study's database; `migrations/` holds how each version became the next."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

metadata = MetaData()
_id = BigInteger().with_variant(Integer, "sqlite")

GOING = text("outcome IS NULL")
HOLDING = text(
    "outcome IS NULL AND NOT beside AND state NOT IN ('consent', 'practice', 'away', 'none', 'paused', 'crowded')"
)

settings = Table(  # digest of the study, paused or not and why, keyed-hash secret
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", JSON, nullable=False),
)
assessors = Table(
    "assessors",
    metadata,
    Column("id", Text, primary_key=True),  # opaque, as exported
    Column("platform", Text, nullable=False),
    Column("platform_id", Text, nullable=False),
    Column("kind", Text, nullable=False),  # human, model
    Column("about", JSON, nullable=False),
    Column("came", Float, nullable=False),
    Column("excluded", Text),  # why; NULL: not
    UniqueConstraint("platform", "platform_id"),
)
units = Table(
    "units",
    metadata,
    Column("id", Text, primary_key=True),
    Column("topic", Text, nullable=False),
    Column("place", Integer, nullable=False),  # the order in which units are given out
    Column("items", JSON, nullable=False),
    Column("high", Integer),
    Column("low", Integer),
    Column("state", Text, nullable=False),  # free, held, done
    Column("session", Text),  # who holds it, or did it
    Index("units_by_state", "state", "place"),
)
sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token", Text, nullable=False, unique=True),
    Column("assessor", Text, ForeignKey("assessors.id"), nullable=False),
    Column("unit", Text, ForeignKey("units.id"), nullable=False),
    # what nobody has twice: the topic, or where it may be seen again the unit; the id until a unit is taken
    Column("turn", Text, nullable=False),
    Column("about", JSON, nullable=False),  # the platform's submission
    Column("state", Text, nullable=False),  # the step the person is at
    Column("number", Integer, nullable=False),
    Column("plan", JSON, nullable=False),  # order of items, lines, options: drawn once, kept
    Column("tries", JSON, nullable=False),  # used: practice, question, checks
    Column("flags", JSON, nullable=False),
    Column("began", Float, nullable=False),
    Column("notice", Text, nullable=False),  # what the next page tells: saved, again, ...
    Column("saved", Integer, nullable=False),  # which item was
    Column("lease", Float, nullable=False),  # until when the unit is held: by the clock on the wall,
    Column("steady", Float, nullable=False),  # by the clock that is never set,
    Column("boot", Text, nullable=False),  # and since which start of the machine that one runs
    Column("lease_key", Text, nullable=False),  # pages are signed with it; a new one after a lease ran out
    Column("ended", Float),
    Column("outcome", Text),  # done, screened, failed, left, withdrawn, declined, passed; NULL: going on
    Column("code", LargeBinary),  # digest of the completion code
    Column("beside", Boolean, nullable=False, server_default=false()),  # a model's, which takes nobody's place
    Column("origin", Text),  # keyed digest of the address, while it goes on: so many units are held from one
    Column("topic", Text, nullable=False, server_default=""),
    UniqueConstraint("assessor", "turn"),
    CheckConstraint("(code IS NOT NULL) = (coalesce(outcome, '') = 'done')", name="code_if_done"),
    CheckConstraint("(ended IS NULL) = (outcome IS NULL)", name="ended_if_outcome"),
    Index("one_at_a_unit", "unit", unique=True, sqlite_where=HOLDING, postgresql_where=HOLDING),
    Index("one_a_person", "assessor", unique=True, sqlite_where=GOING, postgresql_where=GOING),
    Index("sessions_by_lease", "outcome", "lease"),
)
answers = Table(  # append only: the highest revision counts
    "answers",
    metadata,
    Column("id", _id, primary_key=True, autoincrement=True),
    Column("session", Text, ForeignKey("sessions.id"), nullable=False),
    Column("kind", Text, nullable=False),  # practice, question, item
    Column("number", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("value", Float),  # NULL: cannot judge
    Column("typed", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("cannot", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("seconds", Float, nullable=False),  # on this item so far, all visits
    Column("late", Boolean, nullable=False),
    Column("fields", JSON, nullable=False),  # the form as it came
    Column("at", Float, nullable=False),
    Column("event", _id, ForeignKey("events.id"), nullable=False),  # no answer without its line in the audit trail
    UniqueConstraint("session", "kind", "number", "revision"),
)
drafts = Table(  # typed, not sent to go on, or not accepted
    "drafts",
    metadata,
    Column("session", Text, ForeignKey("sessions.id"), primary_key=True),
    Column("step", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("fields", JSON, nullable=False),
    Column("notice", Text, nullable=False),  # refused, resumed, reported, twice; '': only typed
    Column("at", Float, nullable=False),
)
visits = Table(  # when an item was the current one, by the server's clock
    "visits",
    metadata,
    Column("id", _id, primary_key=True, autoincrement=True),
    Column("session", Text, ForeignKey("sessions.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("began", Float, nullable=False),
    Column("steady", Float, nullable=False),
    Column("boot", Text, nullable=False),
    Column("ended", Float),
    Column("seconds", Float),  # NULL: going on
    Index("visits_by_session", "session", "number"),
)
sent = Table(  # pages sent once, and what was answered
    "sent",
    metadata,
    Column("session", Text, ForeignKey("sessions.id"), primary_key=True),
    Column("once", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("step", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("counted", Boolean, nullable=False),  # whether an answer came of it
    Column("at", Float, nullable=False),
)
events = Table(  # the audit trail: append only
    "events",
    metadata,
    Column("id", _id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("session", Text),
    Column("assessor", Text),
    Column("kind", Text, nullable=False),
    Column("about", JSON, nullable=False),
    Index("events_by_session", "session"),
)
invitations = Table(
    "invitations",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("assessor", Text),
)
