"""What documents without a label, and tied scores, could do to the answers of a study, and what is said of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from truegain.data.alignment import of_systems
from truegain.data.pool import RankedGains
from truegain.data.runs import Run, Runs
from truegain.errors import TruegainError, some
from truegain.io.columns import Ints
from truegain.measures.base import Measure
from truegain.message import UNJUDGED, Message, with_marks
from truegain.pooling.bounds import is_known
from truegain.pooling.first_ranks import FirstRanks, Held, has_ends, unjudged_down_to
from truegain.stats.contrasts import NONE, Contrasts
from truegain.stats.results import Comparison
from truegain.stats.student_t import quantile_of
from truegain.study.estimates import MeasureEstimates, UnjudgedTreatment
from truegain.study.study_data import StudyData
from truegain.study.unjudged_bounds import UnjudgedBounds, UnjudgedPairBounds, unjudged_bounds_of, unjudged_pair_bounds
from truegain.study.variance import VarianceModel
from truegain.study.withheld import UNJUDGED_FIRST, Reason

DEEP = 100  # ranks looked at for unjudged documents where a measure has no cutoff
TOP = 10  # and for ties, and where nothing bounds what unjudged documents could do: they matter most there
UNJUDGED_SHARE = 0.01  # share of a system's documents from which on it is told
OPEN = 0.05  # share of a system's first documents from which on nothing is claimed of it where nothing bounds them
TIES = 0.1  # share of a system's lists


def unjudged_in_words(ranked: RankedGains, measure: Measure) -> str:
    """Who has unjudged documents where a measure looks, from 1 in 100 of a system's on; empty where nobody has.

    >>> import truegain as tg
    >>> runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(10)}}
    >>> unjudged_in_words(tg.Study(runs, {str(t): {"x": 1} for t in range(10)}, "P@2").ranked, tg.parse_measure("P@2"))
    '50% of the top 2 of a are unjudged (10 of 20), and 1% or more for 1 of 1 system: see tg.unjudged'
    """
    depth = _cutoff(measure) or DEEP
    open_, there = (x.sum(axis=1) for x in unjudged_down_to(ranked, depth))
    share = open_ / np.maximum(there, 1)
    most, many = int(share.argmax()), int((share >= UNJUDGED_SHARE).sum())
    if not many:
        return ""
    return Message(
        f"{share[most]:.0%} of the top {depth} of {ranked.systems[most]} are unjudged ({open_[most]:,} of "
        f"{there[most]:,}), and {UNJUDGED_SHARE:.0%} or more for {_of(many, len(share))}: see {UNJUDGED}"
    )


def open_at_the_top(ranked: RankedGains, systems: Sequence[int]) -> str:
    """Whose first ten documents lack labels, from 1 in 20 on, in words; empty where nobody's do.

    >>> import truegain as tg
    >>> runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(10)}}
    >>> open_at_the_top(tg.Study(runs, {str(t): {"x": 1} for t in range(10)}, "P@1").ranked, [0])
    '10 of the 20 documents in the first 10 ranks of a have no label'
    """
    open_, there = (x.sum(axis=1) for x in unjudged_down_to(ranked, TOP))
    who = [s for s in systems if open_[s] >= OPEN * there[s] > 0]
    if not who:
        return ""
    return (
        f"{int(open_[who].sum()):,} of the {int(there[who].sum()):,} documents in the first {TOP} ranks of "
        f"{some([ranked.systems[s] for s in who])} have no label"
    )


def ties_in_words(runs: Runs, measure: Measure) -> str:
    """Who has equal scores where a measure looks, from a tenth of a system's lists on; empty where nobody has.

    >>> import truegain as tg
    >>> runs = Runs.of({"a": {"1": {"x": 1.0, "y": 1.0}, "2": {"x": 2.0, "y": 1.0}}})
    >>> print(ties_in_words(runs, tg.parse_measure("AP")).partition(":")[0])
    50% of the topics of a have tied scores in the top 10 (1 of 2), and 10% or more for 1 of 1 system
    """
    depth = _cutoff(measure) or TOP
    tied, lists = dict.fromkeys(runs.systems, 0), dict.fromkeys(runs.systems, 0)
    for part in runs.parts:
        here, of = tied_lists(part, depth)
        tied[part.system] += here
        lists[part.system] += of
    share = {s: tied[s] / max(1, lists[s]) for s in runs.systems}
    most, many = max(share, key=lambda s: share[s]), sum(x >= TIES for x in share.values())
    if not many:
        return ""
    return Message(
        f"{share[most]:.0%} of the topics of {most} have tied scores in the top {depth} ({tied[most]:,} of "
        f"{lists[most]:,}), and {TIES:.0%} or more for {_of(many, len(share))}: document ids break the ties"
    )


def tied_lists(run: Run, depth: int) -> tuple[int, int]:
    """In how many lists of a run equal scores reach into the first ranks, and how many lists there are."""
    topic, score = run.topic.code, run.score
    lower = (topic[1:] == topic[:-1]) & (score[1:] <= score[:-1])
    if not np.all((topic[1:] > topic[:-1]) | lower):  # most files are in order
        order: Ints = np.lexsort((-score, topic))
        topic, score = topic[order], score[order]
    first = np.flatnonzero(np.r_[True, np.diff(topic) != 0])
    rank = np.arange(len(topic)) - np.repeat(first, np.diff(np.r_[first, len(topic)]))
    same = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1]) & (rank[:-1] < depth)
    return len(np.unique(topic[:-1][same])), len(first)


def _cutoff(measure: Measure) -> int | None:
    return getattr(measure, "cutoff", None)


def _of(some: int, every: int) -> str:
    return f"{some:,} of {every:,} {'system' if every == 1 else 'systems'}"


# ---- How unjudged documents hold back the answers of one study.


@dataclass(frozen=True, eq=False)
class UnjudgedDocuments:
    """Of one study; `taken_as` says whether they hold answers back ('bound') or count as not relevant."""

    study_data: StudyData
    taken_as: str
    confidence: float
    _known: dict[str, tuple[UnjudgedPairBounds | None, str]] = field(default_factory=dict)
    _ranks: dict[str, FirstRanks | None] = field(default_factory=dict)

    @property
    def _is_bound(self) -> bool:
        return self.taken_as == "bound"

    def note(self, m: Measure, contrasts: Contrasts | None) -> str:
        """What was taken of them, in words; empty where there are none, or a sample stands for them.

        contrasts: the differences, which are held against them.
        """
        systems = None if contrasts is None else _systems(contrasts)
        bound = contrasts is not None and self._is_bound and (is_known(m) or self._first_ranks(m) is not None)
        return self._in_words(m, systems, "low, high and p hold" if bound else "", contrasts)

    def note_on_ranks(self, m: Measure) -> str:
        """The same of all systems, where tiers and ranks hold whatever their labels, or not."""
        return self._in_words(m, None, "" if self.bounds_of(m)[0] is None else "tiers and ranks hold")

    def _in_words(self, m: Measure, systems: list[int] | None, holds: str, contrasts: Contrasts | None = None) -> str:
        if self.study_data.sample is not None:
            return ""
        held = self.held_ranks(m, contrasts) if holds else None
        return self.study_data.unjudged_note(m, systems, holds, "" if held is None else str(held))

    def held_ranks(self, m: Measure, contrasts: Contrasts | None = None) -> Held | None:
        """Down to which ranks differences, or all, hold whatever the labels; None where nothing counts as 0 below."""
        ranks = None if is_known(m) else self._first_ranks(m)
        if ranks is None:
            return None
        contrasts = Contrasts.all_pairs(len(self.study_data.ranked.systems)) if contrasts is None else contrasts
        held = ranks.held(contrasts.a, contrasts.b)
        return held if held.below else None

    def _first_ranks(self, m: Measure) -> FirstRanks | None:
        """None where they bound nothing."""
        if str(m) not in self._ranks:
            try:
                self._ranks[str(m)] = FirstRanks(self.study_data.ranked, m)
            except TruegainError:
                self._ranks[str(m)] = None
        return self._ranks[str(m)]

    def held(self, m: Measure) -> UnjudgedTreatment:
        """How a ranking takes them."""
        if self.bounds_of(m)[0] is not None:
            return "bound" if self.held_ranks(m) is None else "first"
        none = self.study_data.sample is not None or m.leaves_out_unjudged or not self.study_data.unjudged(m)[0]
        return "" if none else "zero"

    def bounds_of(self, m: Measure) -> tuple[UnjudgedPairBounds | None, str]:
        """What they could do to all pairs, where answers shall hold whatever their labels.

        None where there are none, or they are counted as not relevant: in words where nothing else is known.
        """
        if not self._is_bound or self.study_data.sample is not None or not self.study_data.unjudged(m)[0]:
            return None, ""
        if str(m) not in self._known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # told when the runs were first read
                try:
                    own, over_topics = self.study_data.unjudged_by_system(m) > 0, "topics" in self.study_data.over
                    self._known[str(m)] = unjudged_pair_bounds(self.study_data.ranked, m, own, over_topics), ""
                except TruegainError as error:
                    self._known[str(m)] = None, _not_known(m, error)
        return self._known[str(m)]

    def reasons(self, m: Measure, system: int) -> list[Reason]:
        """Why nothing is claimed of a system: top documents lack labels, and m has no smallest or largest value."""
        bounded = not self._is_bound or self.study_data.sample is not None or is_known(m) or has_ends(m)
        if bounded or m.leaves_out_unjudged:
            return []
        open_ = open_at_the_top(self.study_data.ranked, [system])
        return [Reason(UNJUDGED_FIRST, f"{open_}, and {m} has no smallest or no largest value")] if open_ else []

    def bounds_of_pair(self, m: Measure, contrasts: Contrasts) -> UnjudgedPairBounds | None:
        """The same of one pair."""
        found = self.unjudged_bounds(m, contrasts)[0] if self._is_bound else None
        systems = len(self.study_data.ranked.systems)
        return (
            None
            if found is None
            else UnjudgedPairBounds.of_pair(found, contrasts, systems, "topics" in self.study_data.over)
        )

    def widened(
        self, measure_estimates: MeasureEstimates, contrasts: Contrasts, unjudged_bounds: UnjudgedBounds | None
    ) -> Comparison | None:
        """The difference of a pair with limits that hold whatever they are; None where these are those by labels."""
        if unjudged_bounds is None or not unjudged_bounds.documents or not self._is_bound:
            return None
        bounds = UnjudgedPairBounds.of_pair(
            unjudged_bounds, contrasts, len(self.study_data.ranked.systems), "topics" in self.study_data.over
        )
        return measure_estimates.widened(contrasts, bounds)[0]

    def unjudged_bounds(self, m: Measure, contrasts: Contrasts) -> tuple[UnjudgedBounds | None, list[str]]:
        """What they could do to one pair, and what must be said where that is not known."""
        ranked, pair = self.study_data.ranked, (int(contrasts.a[0]), int(contrasts.b[0]))
        none = np.zeros(len(ranked.topics))
        nothing = UnjudgedBounds(none, none, 0, len(none))
        if (
            self.study_data.sample is not None or not self.study_data.unjudged(m, list(pair))[0]
        ):  # a sample stands for them
            return nothing, []
        if m.leaves_out_unjudged:
            return nothing, [f"What unjudged documents could change is unknown: {m} leaves them out."]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the runs were first read
            try:
                return unjudged_bounds_of(of_systems(ranked, pair), m), []
            except TruegainError as error:
                said = _not_known(m, error)
        return None, [said]

    def bounds_with_limits(
        self, m: Measure, contrasts: Contrasts, variance_model: VarianceModel
    ) -> tuple[UnjudgedBounds | None, list[str]]:
        """The same, with how sure that is over topics."""
        found, notes = self.unjudged_bounds(m, contrasts)
        if found is None or not found.documents or "topics" not in self.study_data.over:
            return found, notes
        variance = variance_model.variance(contrasts, self.confidence)
        return found.with_limits(
            float(variance.variance[0]), quantile_of(self.confidence, float(variance.df[0]))
        ), notes

    def left_out_note(self, m: Measure, contrasts: Contrasts) -> str:
        """That documents of the systems asked about have no label at all, in words; empty where all have one."""
        unjudged, shown = self.study_data.unjudged(m, _systems(contrasts))
        if not unjudged:
            return ""
        return (
            f"{unjudged:,} of the {shown:,} documents that {m} counts in these runs have no label, and this list "
            "leaves them out: what they could change is unknown (see `unjudged`)."
        )


def _systems(contrasts: Contrasts) -> list[int]:
    return sorted({*contrasts.a.tolist(), *contrasts.b.tolist()} - {NONE})


def _not_known(m: Measure, error: TruegainError) -> str:
    why = with_marks(error).removeprefix(f"{m}: ")
    return Message(f"What unjudged documents could change in {m} is unknown: {why}.")
