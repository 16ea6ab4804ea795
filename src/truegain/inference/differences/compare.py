"""Which systems differ: a test of all pairs, or of all against one, on one measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truegain.errors import TruegainError, some
from truegain.inference.differences.anova import check_confidence
from truegain.inference.differences.catalogue import FamilyTest, PairTest, Settings, find_test
from truegain.inference.differences.families import Answers, all_at_once, pair_by_pair
from truegain.inference.differences.groups import groups_of, is_complete, marks
from truegain.inference.differences.multiple import METHODS
from truegain.inference.differences.multiple import adjust as adjusted
from truegain.inference.results import Comparison, table_of
from truegain.measures.base import mean_of_rows
from truegain.measures.evaluate import evaluate
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Floats
from truegain.tables.scores import Scores
from truegain.tables.table import Table


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Systems, best first, and every pair that was compared, the better system second.

    `p` is the matrix of (adjusted) p-values in the order of `systems`; pairs that were not asked for are NaN in it.
    `low` and `high` limit each system's mean; `interval` says how.
    """

    measure: str
    test: str
    adjustment: str
    confidence: float
    systems: tuple[str, ...]
    means: Floats
    low: Floats
    high: Floats
    p: Floats
    pairs: tuple[Comparison, ...]
    baseline: str | None = None
    interval: str = ""
    made_by: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.pairs)

    @property
    def alpha(self) -> float:
        """Pairs with p below this differ."""
        return round(1 - self.confidence, 12)

    @property
    def differ(self) -> Bools:
        """Which pairs differ, in the order of `systems`."""
        with np.errstate(invalid="ignore"):
            return self.p < self.alpha

    @property
    def significant(self) -> int:
        """How many of the pairs differ."""
        return int(np.triu(self.differ, 1).sum())

    def between(self, a: str, b: str) -> Comparison:
        """The comparison of two systems, in whichever order it was made."""
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair
        raise TruegainError(f"{a} and {b} were not compared; there are {some(self.systems)}")

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems that cannot be told apart, best first; a system may be in several (see `groups_of`)."""
        self._all_pairs()
        return tuple(tuple(self.systems[i] for i in group) for group in groups_of(self.differ))

    def table(self) -> Table:
        """The pairs, a row each."""
        title = f"{self.measure}: {self._count()}"
        whole = table_of(self.pairs, leave_out=("notes", "test", "adjustment", "effect_name", "level"))
        effect = next((pair.effect_name for pair in self.pairs), "effect")
        columns = tuple(effect if name == "effect" else name for name in whole.columns)
        return Table(columns, whole.rows, self.made_by, title, (*whole.notes, *self.notes))

    def group_table(self) -> Table:
        """The systems, a row each, best first, with the groups they are in and how many others they differ from."""
        self._all_pairs()
        differ = self.differ
        groups = groups_of(differ)
        columns = ("system", "mean", "low", "high", "group", "differs_from")
        numbers = zip(self.means.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        counts = differ.sum(axis=1).tolist()
        signs = marks(groups, len(self.systems))
        rows = [
            (system, *three, mark, count)
            for system, three, mark, count in zip(self.systems, numbers, signs, counts, strict=True)
        ]
        said = "systems that share a group do not differ significantly"
        if is_complete(differ, groups):
            said += ", those that share none do"
        else:
            said += (
                "; groups are stretches of the ranking, so some that share none do not differ either (see the pairs)"
            )
        title = f"{self.measure}: {self._count()}"
        return Table(columns, rows, self.made_by, title, (said, self.interval, *self.notes))

    def _count(self) -> str:
        adjusted_by = f", {self.adjustment}" if self.adjustment else ""
        return f"{self.significant:,} of {len(self):,} pairs differ ({self.test}{adjusted_by}, p < {self.alpha:g})"

    def _all_pairs(self) -> None:
        if self.baseline is not None:
            raise TruegainError("only pairs with the baseline were compared; groups need all pairs: leave baseline off")

    def __str__(self) -> str:
        many = self.baseline is None and len(self.systems) > 6
        return str(self.group_table() if many else self.table())


def compare(
    runs: object,
    judgments: object = None,
    measure: object = None,
    *,
    test: str = "tukey-hsd",
    adjust: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    jobs: int | None = None,
    confidence: float = 0.95,
    baseline: str | None = None,
    **options: Any,
) -> Comparisons:
    """Compare systems on a measure: all pairs, or all against a baseline.

    `runs` and `judgments` are what `evaluate` takes, as are further keywords; or `runs` is the `Scores` it gave.
    `test` is one of 'tukey-hsd' (two-way, topics as blocks; for two systems this is the paired t test),
    'randomised-tukey-hsd', 'one-way-tukey-hsd', 'paired-t', 'wilcoxon', 'sign', 'randomisation', 'bootstrap', 'welch'.
    Tests of one pair at a time are adjusted for the number of pairs, by Holm unless `adjust` says 'bonferroni',
    'hochberg', 'holm-sidak', 'bh', 'by' or 'none'; Tukey's tests need no adjustment.  A topic that a system lacks is
    left out of its pairs, by Tukey's tests of all pairs, with a warning.

    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    >>> poor = {str(t): {"a": 1.0, "b": 2.0 if t < 5 else 0.0} for t in range(6)}
    >>> print(tg.compare({"good": good, "poor": poor}, qrels, "AP").pairs[0])
    good - poor AP +0.4167 [0.2025, 0.6309] p = 0.0041 (tukey-hsd, n = 6)
    """
    chosen = find_test(test)
    check_confidence(confidence)
    scores = _scores(runs, judgments, measure, jobs, options)
    name = scores._measure(measure if isinstance(runs, Scores) else None)
    x = _matrix(scores, name)
    if baseline is not None and baseline not in scores.systems:
        raise TruegainError(f"there is no system {baseline!r} to be the baseline; there are {some(scores.systems)}")
    how = _adjustment(chosen, adjust, test)
    settings = Settings(trials, seed, confidence, jobs)
    pairs_wanted = len(scores.systems) - 1 if baseline else len(scores.systems) * (len(scores.systems) - 1) // 2
    if how is not None and chosen.resamples:
        _check_resolution(test, trials, pairs_wanted, how, 1 - confidence)
    order = np.argsort(-mean_of_rows(x), kind="stable")
    systems = tuple(scores.systems[i] for i in order)
    x = x[order]
    first, second = _wanted(len(systems), None if baseline is None else systems.index(baseline))
    if isinstance(chosen, FamilyTest):
        found = all_at_once(chosen, x, first, second, settings)
    else:
        found = pair_by_pair(chosen, x, first, second, settings, systems)
    shown = found.p if how is None else adjusted(found.p, how)
    p = np.full((len(systems), len(systems)), np.nan)
    np.fill_diagonal(p, 1.0)
    p[first, second] = p[second, first] = shown
    pairs = _pairs(found, systems, first, second, name, test, shown, how, confidence)
    made_by = {**scores.made_by, "test": test, "adjust": how, "confidence": confidence, "baseline": baseline}
    if chosen.resamples:
        made_by |= {"trials": trials, "seed": seed}
    return Comparisons(
        name, test, how or "", confidence, systems, found.means, found.low_mean, found.high_mean, p, pairs, baseline,
        found.interval, made_by, found.notes,
    )  # fmt: skip


def _scores(runs: object, judgments: object, measure: object, jobs: int | None, options: Mapping[str, Any]) -> Scores:
    if isinstance(runs, Scores):
        if judgments is not None or options:
            raise TruegainError("scores are made already: judgments and options of evaluate have no place here")
        return runs
    if judgments is None:
        raise TruegainError("judgments are missing; give them after the runs, or give Scores")
    if measure is None:
        raise TruegainError("which measure? Give one, such as 'AP'")
    return evaluate(runs, judgments, measure, jobs=jobs, **options)


def _matrix(scores: Scores, name: str) -> Floats:
    """Systems by topics, if the measure is a mean over topics."""
    values = scores.values[name]
    if values.dtype == object:
        raise TruegainError(f"{name} gives text, not numbers; compare systems on another measure")
    if len(scores.systems) < 2:
        raise TruegainError(f"a comparison needs at least 2 systems; there is 1 ({scores.systems[0]})")
    x: Floats = np.asarray(values, dtype=np.float64)
    means = mean_of_rows(x)
    if name not in scores.counts and not np.allclose(means, scores.summaries[name], equal_nan=True, atol=1e-9):
        raise TruegainError(
            f"{name} is not a mean over topics, and the tests compare means; take the measure behind it"
        )
    return x


def _adjustment(chosen: PairTest | FamilyTest, adjust: str | None, test: str) -> str | None:
    """The adjustment that applies; None for tests that need none."""
    if adjust is not None and adjust not in METHODS:
        raise TruegainError(f"adjustment {adjust!r} is not known; there are {', '.join(METHODS)}")
    if isinstance(chosen, FamilyTest):
        if adjust not in (None, "none"):
            warn(f"{test} takes the number of pairs into account itself; {adjust} is not applied on top of it")
        return None
    return adjust or "holm"


def _check_resolution(test: str, trials: int, pairs: int, how: str, alpha: float) -> None:
    """Tell when so few trials cannot give p-values as small as the adjustment asks for."""
    if how in ("bonferroni", "holm", "hochberg", "holm-sidak") and pairs > 1 and trials * alpha < pairs:
        warn(
            f"{trials:,} trials cannot tell p-values below {1 / trials:.1g} from 0, and {how} over {pairs:,} pairs "
            f"asks for {alpha / pairs:.1g}; give at least {round(pairs / alpha):,} trials, "
            f"or take randomised-tukey-hsd instead of {test}"
        )


def _wanted(systems: int, baseline: int | None) -> tuple[Any, Any]:
    """Pairs as first and second: the worse system first, or the baseline first."""
    if baseline is None:
        better, worse = np.triu_indices(systems, 1)
        return worse, better
    others = np.array([i for i in range(systems) if i != baseline])
    return np.full(len(others), baseline), others


def _pairs(
    found: Answers,
    systems: Sequence[str],
    first: Any,
    second: Any,
    measure: str,
    test: str,
    shown: Floats,
    how: str | None,
    confidence: float,
) -> tuple[Comparison, ...]:
    limits: list[tuple[float | None, float | None]] = [(None, None)] * len(first)
    if found.low is not None and found.high is not None:
        limits = list(zip(found.low.tolist(), found.high.tolist(), strict=True))
    return tuple(
        Comparison(
            systems[a], systems[b], measure, float(found.first[i]), float(found.second[i]),
            float(found.second[i] - found.first[i]),
            *limits[i],
            p=float(found.p[i]), p_adjusted=None if how is None else float(shown[i]), test=test, adjustment=how or "",
            effect=None if np.isnan(found.effect[i]) else float(found.effect[i]), effect_name=found.effect_name,
            level=confidence, n=int(found.n[i]),
        )
        for i, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    )  # fmt: skip
