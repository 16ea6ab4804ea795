"""What may be given as runs, judgments and ratings: files, dicts, frames, others' objects, and tables of ours."""

from truegain.tables.judgments import JudgmentsLike as JudgmentsLike
from truegain.tables.protocols import FrameLike as FrameLike
from truegain.tables.protocols import TableLike as TableLike
from truegain.tables.ratings import RatingsLike as RatingsLike
from truegain.tables.runs import RunsLike as RunsLike
