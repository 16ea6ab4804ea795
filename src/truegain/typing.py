"""What the functions of truegain take and give, for annotations of your own: one name for each kind of thing.

>>> from truegain.typing import JudgmentsLike, RunsLike
>>> def score(runs: RunsLike, judgments: JudgmentsLike) -> float: ...
>>> from truegain.typing import Comparison, Verdict
>>> def told(verdict: Verdict, difference: Comparison) -> str: ...
"""

from truegain.gains.panel import GoldLike
from truegain.inference.differences.comparisons import Comparisons
from truegain.inference.results import Answers, Comparison, Estimate, Plan
from truegain.inference.study.verdict import Verdict
from truegain.measures.parse import MeasureLike, MeasuresLike
from truegain.tables.likes import FrameLike, JudgmentsLike, RatingsLike, RunsLike
from truegain.tables.table import Table
from truegain.text.corpus import CorpusLike

__all__ = [
    "Answers",
    "Comparison",
    "Comparisons",
    "CorpusLike",
    "Estimate",
    "FrameLike",
    "GoldLike",
    "JudgmentsLike",
    "MeasureLike",
    "MeasuresLike",
    "Plan",
    "RatingsLike",
    "RunsLike",
    "Table",
    "Verdict",
]
