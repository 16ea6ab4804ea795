"""What the functions of truegain take and give, for annotations of your own: one name for each kind of thing.

>>> from truegain.data.judgments import JudgmentsLike; from truegain.data.runs import RunsLike
>>> def score(runs: RunsLike, judgments: JudgmentsLike) -> float: ...
>>> from truegain.stats.results import Comparison; from truegain.study.verdict import Verdict
>>> def told(verdict: Verdict, difference: Comparison) -> str: ...
"""

from truegain.data.judgments import JudgmentsLike
from truegain.data.ratings import RatingsLike
from truegain.data.runs import RunsLike
from truegain.io.frames import FrameLike
from truegain.judge_error.judges import GoldLike
from truegain.measures.catalogue import MeasureLike, MeasuresLike
from truegain.results.base import Table
from truegain.results.settlement import Settlement
from truegain.stats.results import Comparison, Estimate, Plan, ResultList
from truegain.stats.significance.comparisons import Comparisons
from truegain.study.settled import LabelError, SettleResult
from truegain.study.verdict import Verdict
from truegain.text.corpus import CorpusLike

__all__ = [
    "Comparison",
    "Comparisons",
    "CorpusLike",
    "Estimate",
    "FrameLike",
    "GoldLike",
    "JudgmentsLike",
    "LabelError",
    "MeasureLike",
    "MeasuresLike",
    "Plan",
    "RatingsLike",
    "ResultList",
    "RunsLike",
    "SettleResult",
    "Settlement",
    "Table",
    "Verdict",
]
