"""What the functions of truegain take, for annotations of your own: one name for each kind of thing.

>>> from truegain.typing import JudgmentsLike, RunsLike
>>> def score(runs: RunsLike, judgments: JudgmentsLike) -> float: ...
"""

from truegain.gains.panel import GoldLike
from truegain.measures.parse import MeasureLike, MeasuresLike
from truegain.tables.likes import FrameLike, JudgmentsLike, RatingsLike, RunsLike
from truegain.text.corpus import CorpusLike

__all__ = [
    "CorpusLike",
    "FrameLike",
    "GoldLike",
    "JudgmentsLike",
    "MeasureLike",
    "MeasuresLike",
    "RatingsLike",
    "RunsLike",
]
