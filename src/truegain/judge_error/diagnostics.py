"""Whether the judge is equally good for all systems and at all ranks, and how much it favors one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain._version import __version__
from truegain.errors import TruegainError, some
from truegain.io.columns import Bools, Floats, Ints
from truegain.judge_error.confusion import corrected_mean
from truegain.judge_error.favor import ALPHA, NO_SPREAD, ONE_TOPIC, SAME, SAME_LISTS, Favor
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.gold_pairs import Pairs
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import Judges
from truegain.message import Message, arg, by_surface, value_of
from truegain.results.base import Table
from truegain.results.table import Cell, cells
from truegain.sampling.catalogue import DESIGNS, is_sample
from truegain.sampling.streams import generator
from truegain.stats.student_t import p_in_words, p_of, quantile_of

# ---- How much a judge favors a system: what its errors add to one score more than to the others.

# Gold pairs of a system, relevant or not and of each grade, by which its favor is measured: a few may agree by luck.
LEAST_OF_KIND, LEAST_OF_LABEL = 10, 3
NO_SHARES = "the gold labels do not show how many documents of the lists are relevant"
NO_OTHERS = "the other systems have too few gold labels"


def favors(lists: JudgedLists) -> tuple[Favor, ...]:
    """How much more the judge's errors add to each system's score than to the mean of the others.

    With e the worth of a gold pair's bronze label less that of its gold label, and E_sg the mean of e over the pairs of
    gold label g in the lists of s, each counting what its rank does: favor of s = W sum over g of P_g (E_sg - mean
    over the others of E_og), where P_g is the share of gold label g in all lists and W what a whole list counts.  The
    variance is that of the pairs' moves summed by topic, no less than that of independent pairs; P is taken as known.

    A system with fewer than 10 relevant or 10 other gold pairs, or 3 of a grade, is left out, of the mean of the others
    too: a few pairs that all agree have no variance.  20 systems, 40 topics, 10% gold, a judge equally good for all
    (200 simulated studies): with 20% of documents relevant a favored system was "shown" in 14% of the studies where
    all systems are tested, in 2% by this rule; with labels 0 to 3, 40% above 0, in 18% and 2% (150 studies).
    """
    assert lists.judge_and_pairs is not None
    (judge, pairs), weights = lists.judge_and_pairs, lists.weights
    names = lists.ranked.systems
    gold, bronze = judge.codes(weights.classes, binary=lists.binary)
    load = np.stack([lists.pair_counts([s]) * pairs.weight for s in range(len(names))])
    behind = _behind(lists, load.sum(axis=0), gold)
    used: list[int] = [] if behind is None else np.flatnonzero(behind).tolist()
    needed = _needed(judge, gold, used, lists)
    counts = [[(int(np.count_nonzero(row[of])), kind, least) for kind, of, least in needed] for row in load]
    lacks = [next((f"{n} {kind}" for n, kind, least in row if n < least), "") for row in counts]
    measured = np.array([not why for why in lacks])
    if behind is None or measured.sum() < 2:
        unknown = NO_SHARES if behind is None else NO_OTHERS
        return tuple(
            Favor(name, lacks=why, unknown="" if why else unknown) for name, why in zip(names, lacks, strict=True)
        )
    error = weights.value[bronze] - weights.value[gold]
    k = int(measured.sum())
    value, moves = np.zeros(k), np.zeros((k, len(error)))
    for g in used:
        mine = load[measured] * (gold == g)
        total = mine.sum(axis=1)
        mean = mine @ error / total
        value += behind[g] * mean
        moves += behind[g] * mine * (error - mean[:, None]) / total[:, None]
    own, pull = k / (k - 1) * (value - value.mean()), k / (k - 1) * (moves - moves.mean(axis=0))
    rounding = SAME * float(np.abs(behind).sum() * np.abs(error).max(initial=0.0))  # no move is as small as that
    none = NO_SPREAD if np.abs(moves).sum() <= rounding else SAME_LISTS
    estimated = iter(_favor("", float(v), m, pairs.topic, rounding, none) for v, m in zip(own, pull, strict=True))
    return tuple(
        Favor(name, lacks=why) if why else replace(next(estimated), system=name)
        for name, why in zip(names, lacks, strict=True)
    )


def _needed(judge: Judge, gold: Ints, used: Sequence[int], lists: JudgedLists) -> list[tuple[str, Bools, int]]:
    """Which gold pairs a favor is measured by, and how many of them a system needs: of either kind, and of a grade."""
    classes = lists.weights.classes
    relevant = [g for g in used if (g > 0 if lists.binary else classes[g] >= judge.levels[1])]
    kinds = {"relevant": relevant, "non-relevant": [g for g in used if g not in relevant]}
    needed = [(kind, np.isin(gold, labels), LEAST_OF_KIND) for kind, labels in kinds.items() if labels]
    grades = () if lists.binary else used
    return [*needed, *((f"of label {classes[g]:g}", gold == g, LEAST_OF_LABEL) for g in grades)]


def _favor(
    system: str, value: float, moves: Floats, topic: Ints, rounding: float = 0.0, none: str = NO_SPREAD
) -> Favor:
    """By the moves of the pairs; `none` says why there are none, where all of them together are mere rounding."""
    by_topic, used = np.bincount(topic, moves), np.bincount(topic, np.abs(moves))
    if used.sum() <= rounding:
        return Favor(system, unknown=none)
    m = float(used.sum() ** 2 / (used @ used))  # topics, as many as an even share of the moves would take
    if m < 2:  # it rests on one topic, whose spread nobody saw
        return Favor(system, unknown=ONE_TOPIC)
    variance = max(float(by_topic @ by_topic) * m / (m - 1), float(moves @ moves))
    return Favor(system, value, math.sqrt(variance), m - 1)


def _behind(lists: JudgedLists, load: Floats, gold: Ints) -> Floats | None:
    """How much each gold label counts in a list, on average over the systems; None where it cannot be told.

    The share of the gold pairs, where they are a sample of the same population, else what the matrix says.
    """
    weights = lists.weights
    whole = np.nanmean(weights.weight, axis=(0, 1))
    if is_sample(lists.judges.design):
        share = np.bincount(gold, load, len(weights.classes)).astype(np.float64)
    else:
        assert lists.judge_and_pairs is not None
        try:
            judges = Judges.of(lists.judge_and_pairs[0].reweighted(lists.pair_counts()))
            matrix = judges.matrices(lists.ranked.topics, binary=lists.binary)[0]
        except TruegainError:
            return None
        share = np.clip(corrected_mean(matrix.confusion, whole, weights.value).shares, 0.0, None)
    return np.asarray(share / share.sum() * whole.sum()) if share.any() else None


# ---- Does the judge err alike at all ranks? Accuracy as a measure weighs ranks, beside that of all gold pairs
# alike.


@dataclass(frozen=True)
class RankShift:
    """How often the judge gives a bronze label, given a gold one: as a measure weighs ranks, and all pairs alike."""

    gold: str
    bronze: str
    by_rank: float
    unweighted: float
    se: float
    df: float

    @property
    def change(self) -> float:
        """By rank less unweighted."""
        return self.by_rank - self.unweighted

    def p(self, tests: int) -> float:
        """Adjusted for so many tests, by Bonferroni."""
        return min(1.0, tests * p_of(self.change / self.se, self.df))

    def sentence(self, tests: int) -> str:
        """Both shares, the change with its interval and p, adjusted for so many tests."""
        half = quantile_of(1 - ALPHA / tests, self.df) * self.se
        return (
            f"of {self.gold} documents it calls {self.by_rank:.1%} {self.bronze} if gold pairs are weighted by rank, "
            f"{self.unweighted:.1%} if all weigh the same (change {self.change:+z.3f}, {1 - ALPHA:.0%} interval "
            f"{self.change - half:+z.3f} to {self.change + half:+z.3f}, {p_in_words(self.p(tests))}; Bonferroni over "
            f"{tests})"
        )


def rank_shifts(lists: JudgedLists) -> tuple[RankShift, ...]:
    """The change of every share of the confusion matrix, clearest first; empty where no gold pair has a rank.

    With c the weight of a pair's ranks, summed over the systems, x whether its label is b, and both sums over the gold
    pairs of label g: change = sum of c x / sum of c - sum of x / n; its variance is that of the moves of both, summed
    by topic.  A test of weights: DuMouchel and Duncan 1983, Journal of the American Statistical Association 78.
    """
    if lists.judge_and_pairs is None:
        return ()
    (judge, pairs), counts = lists.judge_and_pairs, lists.pair_counts()
    if lists.binary:
        g = (pairs.gold >= judge.levels[1]).astype(np.float64)
        b = (pairs.bronze >= judge.levels[0]).astype(np.float64)
        names, labels = {0.0: "gold-non-relevant", 1.0: "gold-relevant"}, [1.0]
    else:
        g, b = pairs.gold, pairs.bronze
        names, labels = {x: f"gold-{x:g}" for x in np.unique(g).tolist()}, np.unique(b).tolist()
    shifts = []
    for label, name in names.items():
        of = g == label
        for label_b in labels:
            word = "relevant" if lists.binary else f"{label_b:g}"
            one = _shift(pairs.weight[of], counts[of], b[of] == label_b, pairs.topic[of], name, word)
            shifts += [] if one is None else [one]
    return tuple(sorted(shifts, key=lambda s: s.p(1)))


def _shift(weight: Floats, counts: Floats, says: Bools, topic: Floats, gold: str, bronze: str) -> RankShift | None:
    heavy = weight * counts
    if not heavy.any():
        return None
    by_rank, unweighted = float(heavy @ says / heavy.sum()), float(weight @ says / weight.sum())
    moves = heavy * (says - by_rank) / heavy.sum() - weight * (says - unweighted) / weight.sum()
    by_topic = np.bincount(topic, moves)
    m = len(np.unique(topic))
    se = math.sqrt(float(by_topic @ by_topic) * m / (m - 1)) if m > 1 else 0.0
    return RankShift(gold, bronze, by_rank, unweighted, se, m - 1.0) if se > 1e-12 else None


def rank_notes(lists: JudgedLists, *, always: bool = False, rectified: bool = False) -> list[str]:
    """What is to be said of accuracy and rank: where it changes, and where that all ranks are alike is an assumption.

    always: also where nothing was found and nothing rests on it; rectified: no matrix is inverted, so none is weighed.
    """
    shifts = rank_shifts(lists)
    all_alike = lists.accuracy == "given"
    if not shifts:
        if not all_alike:
            return []
        no_ranks = "the gold pairs have no ranks in these runs, or all the same"
        why = no_ranks if lists.judges.single is not None else "it can be tested for one judge, not for several"
        return [
            f"Assumed, not tested: the judge is as accurate on the documents that {lists.measure} weighs as on the "
            f"gold pairs: {why}."
        ]
    tests, sentence = len(shifts), shifts[0].sentence(len(shifts))
    if shifts[0].p(tests) >= ALPHA:
        head = f"These gold pairs do not show that accuracy changes with the ranks that {lists.measure} weighs"
        return [f"{head}; the clearest change: {sentence}."] if all_alike or always else []
    so = (
        f" All gold pairs weigh the same here (accuracy 'given'), so {lists.measure} is corrected with the wrong "
        f"accuracy: {arg('accuracy', 'lists')} (or {value_of('accuracy', 'system')}) weighs them by rank."
        if all_alike
        else " Gold pairs are weighted by rank."
    )
    return [Message(f"The judge's accuracy changes with rank ({lists.measure}): {sentence}.{'' if rectified else so}")]


# ---- Is the judge equally good for all systems? Where it is not, its errors do not cancel in a comparison.

OWN_ACCURACY = by_surface("accuracy='system' of tg.correct", "`truegain correct --accuracy system`")
CORRECT = by_surface("tg.correct", "`truegain correct`")
LEFT_OUT = 10  # systems that are named, at most


def advice_for(design: str) -> str:
    """What to do about a judge that is not equally good for all systems, by how gold was drawn."""
    if is_sample(design):
        return f"To account for this, correct the scores with these gold labels ({CORRECT})."
    default = ", the default" if DESIGNS[design].here else ""
    return f"Correct each system with the judge's accuracy on its own documents ({OWN_ACCURACY}{default})."


@dataclass(frozen=True, eq=False)
class Homogeneity:
    """Sensitivity and specificity on each system's documents, and whether they differ more than by chance."""

    systems: tuple[str, ...]
    right: Floats  # system x (gold non-relevant, gold relevant): pairs the bronze judge got right
    pairs: Floats  # system x the same: pairs
    p_n: float | None  # None where there are no such pairs, or all are right or all wrong; not adjusted
    p_r: float | None
    trials: int
    measure: str
    favors: tuple[Favor, ...]  # a system each
    design: str = "random"  # how gold was drawn

    @property
    def clearest(self) -> Favor | None:
        """The favor furthest from 0 in standard errors; the first of equals, as two systems are; None if none."""
        estimated = [f for f in self.favors if f.value is not None and f.se is not None]
        return max(estimated, key=lambda f: round(abs((f.value or 0.0) / (f.se or 1.0)), 9), default=None)

    @property
    def adjusted(self) -> dict[str, float | None]:
        """The p-values of sensitivity, specificity and the clearest favor, by Bonferroni over those testable."""
        favor = None if self.clearest is None else self.clearest.p(self._systems)
        three = {"sensitivity": self.p_r, "specificity": self.p_n, "favor": favor}
        return {name: None if p is None else min(1.0, self._tests * p) for name, p in three.items()}

    @property
    def _tests(self) -> int:
        return sum(x is not None for x in (self.p_r, self.p_n, self.clearest))

    @property
    def _systems(self) -> int:
        """How many favors the clearest was picked from; with two systems each mirrors the other."""
        return 1 if len(self.systems) == 2 else len(self.systems)

    @property
    def differs(self) -> bool:
        """Whether the judge is clearly better for some systems than for others (all tests together at 0.05)."""
        return bool(self.rejected)

    @property
    def rejected(self) -> tuple[str, ...]:
        """The tests that show a difference between systems."""
        return tuple(name for name, p in self.adjusted.items() if p is not None and p < ALPHA)

    @property
    def adjusted_interval(self) -> tuple[float, float] | None:
        """Of the clearest favor, for all tests and systems together."""
        return None if self.clearest is None else self.clearest.interval(self._tests * self._systems)

    @property
    def left_out(self) -> str:
        """Which systems were not tested for favor, and why; nothing where all were."""
        few = [f"{f.system} ({f.lacks})" for f in self.favors if f.lacks]
        grades = f", {LEAST_OF_LABEL} of each label" if any("label" in f.lacks for f in self.favors) else ""
        needs = f"{LEAST_OF_KIND} relevant and {LEAST_OF_KIND} non-relevant gold documents of a system{grades}"
        return f"Left out of the test of favor, which needs {needs}: {some(few, LEFT_OUT)}." if few else ""

    @property
    def sentence(self) -> str:
        """What it means, plainly, and what to do."""
        return Message(f"{self.finding} {advice_for(self.design)}") if self.differs else self.finding

    @property
    def finding(self) -> str:
        """What it means, plainly."""
        shown = ", ".join(f"{n}: {'not testable' if p is None else p_in_words(p)}" for n, p in self.adjusted.items())
        systems = f" and {self._systems} systems" if self._systems > 1 else ""
        tests = f"{self._tests} test{'' if self._tests == 1 else 's'}{systems}"
        by = (
            "; error rates tested by permutation within topics, favor by t over topics, all with Bonferroni over "
            f"{tests}"
        )
        how = f"{shown}{by if self._tests else ''}"
        if not self.differs:
            return (
                f"These gold pairs do not show that the judge treats systems differently ({how}). That does not "
                f"prove that it treats them alike. {self._size}"
            )
        so = "its errors may not cancel"
        if "favor" in self.rejected:
            so = "it favors some of them, so its errors do not cancel"
        *first, last = self.rejected
        shows = f"tests of {', '.join(first)} and {last}" if first else f"test of {last}"
        return (
            f"The judge is NOT equally accurate for all systems, by the {shows} ({how}): {so}, and a difference in "
            f"bronze scores may come from the judge. {self._size}"
        )

    @property
    def _size(self) -> str:
        """The clearest favor, as a fact only where the test shows it; and who was left out."""
        most, left_out = self.clearest, f" {self.left_out}" if self.left_out else ""
        if most is None:
            why = "too few gold pairs." if left_out else "no errors are seen, or in one topic only."
            return f"How much it favors a system is unknown: {why}{left_out}"
        low, high = self.adjusted_interval or (math.nan, math.nan)
        who, value = f"{most.system}'s {self.measure}", most.value or 0.0
        side = "lower" if value < 0 else "higher"
        others = "the other system" if len(self.systems) == 2 else "the other systems"
        interval = f"95% interval of the difference, adjusted: {low:+z.3f} to {high:+z.3f}"
        if "favor" in self.rejected:
            said = f"At equal gold labels, the judge scores {who} {abs(value):z.3f} {side} than that of {others}"
            return f"{said} ({interval}).{left_out}"
        estimate = f"{who} {abs(value):z.3f} {side} ({interval})"
        return f"No favored system is shown; the largest estimate has {estimate}.{left_out}"

    def table(self) -> Table:
        """A row a system."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.right / self.pairs
        rows: list[tuple[Cell, ...]] = [
            (s, int(self.pairs[i, 1]), *cells([share[i, 1]]), int(self.pairs[i, 0]), *cells([share[i, 0]]),
             *cells([share[i].sum() - 1]), favor.value, favor.low, favor.high)
            for i, (s, favor) in enumerate(zip(self.systems, self.favors, strict=True))
        ]  # fmt: skip
        provenance = {"truegain": __version__, "measure": self.measure, "replicates": self.trials}
        columns = (
            "system",
            "gold relevant",
            "sensitivity",
            "gold non-relevant",
            "specificity",
            "informedness",
            "favor",
            "low",
            "high",
        )
        return Table(columns, rows, provenance, "the judge, by the documents each system retrieved", (self.sentence,))


def homogeneity(lists: JudgedLists, *, trials: int = 2000, seed: int = 0) -> Homogeneity:
    """Test whether sensitivity and specificity differ between the documents that different systems retrieved.

    Statistic, for each gold class: sum over systems of (right - expected)^2 / expected variance, as in Pearson's
    chi-square; systems share documents, so its distribution is found by permuting right and wrong among the gold pairs
    of the same topic and gold class, which keeps who retrieved what, and how hard each topic is.
    """
    if lists.judge_and_pairs is None:
        raise TruegainError(
            "the test of homogeneity needs the gold pairs, not counts; give the gold labels pair by pair"
        )
    if len(lists.ranked.systems) < 2:
        raise TruegainError("there is one system; homogeneity over systems needs at least two")
    rng = generator(seed, "right and wrong among gold pairs")
    judge = lists.judge_and_pairs[0]
    member, pairs = _members(lists, lists.judge_and_pairs[1])
    relevant, says = pairs.gold >= judge.levels[1], pairs.bronze >= judge.levels[0]
    right, pairs_of = np.zeros((len(member), 2)), np.zeros((len(member), 2))
    p: list[float | None] = []
    for g in (0, 1):
        of_class = np.flatnonzero(relevant == bool(g))
        good = (says[of_class] == bool(g)).astype(np.float64)
        inside = member[:, of_class]
        right[:, g], pairs_of[:, g] = inside @ good, inside.sum(axis=1)
        p.append(_permuted(inside, good, pairs.topic[of_class], trials, rng))
    measure, design = str(lists.measure), lists.judges.design
    return Homogeneity(lists.ranked.systems, right, pairs_of, p[0], p[1], trials, measure, favors(lists), design)


def _members(lists: JudgedLists, pairs: Pairs) -> tuple[Floats, Pairs]:
    """System by gold pair: 1 where the system retrieved it where the measure looks; pairs nobody did are dropped."""
    item = pairs.items_in(lists.ranked.pool)
    column = np.full(len(lists.ranked.pool), -1)
    column[item[item >= 0]] = np.flatnonzero(item >= 0)
    at = column[lists.weights.item]
    member = np.zeros((len(lists.ranked.systems), len(pairs)))
    member[lists.weights.system[at >= 0], at[at >= 0]] = 1.0
    keep = np.asarray(member.any(axis=0), np.bool_)
    if not keep.any():
        raise TruegainError(
            f"no system retrieved a gold pair where {lists.measure} looks", remedy="label documents that systems return"
        )
    return member[:, keep], pairs.only(keep)


def _permuted(member: Floats, good: Floats, topic: Ints, trials: int, rng: np.random.Generator) -> float | None:
    if len(good) < 2 or good.min() == good.max():
        return None
    order = np.argsort(topic, kind="stable")
    member, good, topic = member[:, order], good[order], topic[order]
    begin = np.flatnonzero(np.r_[True, topic[1:] != topic[:-1]])
    size = np.diff(np.r_[begin, len(topic)])
    expected = np.repeat(np.add.reduceat(good, begin) / size, size)
    spread = np.maximum(member @ (expected * (1 - expected)), 1e-9)  # where all are right or all wrong nothing is off

    def statistic(labels: Floats) -> Floats:
        off = (labels - expected) @ member.T
        return np.asarray((off**2 / spread).sum(axis=-1))

    observed, above = float(statistic(good)), 0
    block = max(1, 2_000_000 // len(good))
    for start in range(0, trials, block):
        count = min(block, trials - start)
        # sort random keys within topics: a permutation of each topic's pairs
        keys = topic[None, :] + rng.random((count, len(topic)))
        above += int(np.count_nonzero(statistic(good[np.argsort(keys, axis=1)]) >= observed - 1e-9))
    return (1 + above) / (1 + trials)
