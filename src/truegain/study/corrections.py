"""Corrected scores beside uncorrected ones, which system may be the best, and those of a study of answers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.config import Gold
from truegain.data.items import Items
from truegain.data.judgments import JudgmentsLike
from truegain.errors import TruegainError, some
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike
from truegain.message import Message, with_marks
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.sampling.catalogue import draws_pairs
from truegain.stats.contrasts import Contrasts
from truegain.stats.results import Comparison, Estimate, ResultList
from truegain.study.estimators import ByGoldTopics
from truegain.study.gold import NO_GOLD
from truegain.study.judge_by_system import value_errors
from truegain.study.study import Study

COLUMNS = ("system", "measure", "uncorrected", "value", "low", "high", "se", "method", "gold", "n", "gold_pairs")
FEW = 5
NAMED = 10  # systems that may be the best, at most


def sentence_of(answer: Estimate, of_answers: bool = False) -> str:
    """What a manager can read; of_answers: labels are a judge's values of answers, or of their nuggets.

    >>> one = Estimate("new", "faithfulness", 0.72, 0.65, 0.79, uncorrected=0.78)
    >>> print(sentence_of(one, of_answers=True))
    new: by the judge's labels faithfulness is 0.780; corrected it is 0.720, with 95% confidence between 0.650 and \
0.790, which includes the judge's score, too.
    """
    whose = "judge's" if of_answers else "bronze"
    head = f"{answer.system}: by the {whose} labels {answer.measure} is {answer.uncorrected:z.3f}"
    if answer.refused:
        return Message(f"{head}; it cannot be corrected ({'; '.join(map(with_marks, answer.notes))}).")
    is_inside = answer.uncorrected is not None and answer.low <= answer.uncorrected <= answer.high
    score = f"the {whose} score"
    so = f"which includes {score}, too" if is_inside else f"which excludes {score}"
    return (
        f"{head}; corrected it is {answer.value:z.3f}, with {answer.confidence:.0%} confidence between "
        f"{answer.low:z.3f} and {answer.high:z.3f}, {so}."
    )


@dataclass(frozen=True, repr=False)
class Corrections(ResultList[Estimate]):
    """Corrected scores (`value`) beside the uncorrected ones.

    Attributes
    ----------
    items : sequence of Estimate
        A corrected score for each system and measure.
    provenance : dict
        How they were made.
    notes : tuple of str
        What was measured of the judge.
    best : tuple of str
        For each measure a sentence: which system is best, or which may be.
    of_answers : bool
        Whether a judge's values of answers, or of their nuggets, were corrected.
    """

    best: tuple[str, ...] = ()  # by measure: which system is the best, or which may be
    of_answers: bool = False

    def table(self) -> Table:
        """A row a system and measure; notes below."""
        rows: list[tuple[Cell, ...]] = [
            (a.system, a.measure, a.uncorrected, *((None,) * 3 if a.refused else (a.value, a.low, a.high)), a.se,
             a.method, a.gold, a.n, a.gold_pairs)
            for a in self
        ]  # fmt: skip
        return Table(COLUMNS, rows, self.provenance, "", (*self.notes, *self.sentences(), *self._notes_by_system()))

    def sentences(self) -> tuple[str, ...]:
        """What a manager can read: each system where there are few, and which of them may be the best.

        Returns
        -------
        tuple of str
            A sentence each.
        """
        each = tuple(sentence_of(a, self.of_answers) for a in self) if len(self) <= FEW else ()
        return (*each, *self.best)

    def _notes_by_system(self) -> tuple[str, ...]:
        systems: dict[str, list[str]] = {}
        several = len({a.measure for a in self}) > 1
        for a in self:
            for note in a.notes:
                systems.setdefault(note, []).append(f"{a.system}, {a.measure}" if several else a.system)
        return tuple(Message(f"{_who(names, len(self))}: {with_marks(note)}") for note, names in systems.items())


def _who(names: Sequence[str], of: int) -> str:
    if len(names) == of and of > 1:
        return "all systems"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


@dataclass(frozen=True)
class Leaders:
    """The systems of which one is the best, the highest first, and how many of the pairs there are were in question."""

    measure: str
    systems: tuple[str, ...]
    worse: int
    refused: int
    pairs: int
    confidence: float

    @property
    def sentence(self) -> str:
        """The best by name, or those that may be."""
        by = f", Bonferroni over all {self.pairs} pairs" if self.pairs > 1 else ""
        sure = f"{self.confidence:.0%} confidence{by}"
        left = f"; without an answer, so compared with none: {self.refused}" if self.refused else ""
        if len(self.systems) == 1 and not self.worse:
            return f"Which system is best on {self.measure} is inconclusive: only {self.systems[0]} has an answer."
        if len(self.systems) == 1:
            of = " of those with an answer" if self.refused else ""
            return (
                f"Best on {self.measure}{of}: {self.systems[0]}, significantly better than all others ({sure}{left})."
            )
        are = "other is" if self.worse == 1 else "others are"
        worse = f"; {self.worse} {are} worse than {self.systems[0]}" if self.worse else ""
        may = some(self.systems, most=NAMED)
        return f"Which system is best on {self.measure} is inconclusive: {may} may be{worse} ({sure}{left})."


def leaders_of(
    answers: Sequence[Estimate], difference: Callable[[int, int], tuple[float, float]], confidence: float
) -> Leaders | None:
    """The systems not significantly different from the one with the highest corrected score; None where none has one.

    difference: of two systems by number, the first less the second, with its two-sided p.  A system is significantly
    worse where p times the number of all pairs of systems is below 1 - confidence: whichever system came out highest,
    what is said of the best is then wrong no more often than that.  A pair that cannot be compared is not different.

    Hsu 1981, Annals of Statistics 9(5), has the sharper form for comparisons with the best only; this one never says
    more than the table of all pairs.

    >>> three = [Estimate(s, "P@10", v, 0, 1) for s, v in zip("abc", (0.2, 0.6, 0.5))]
    >>> leaders_of(three, lambda i, j: (0.1, 0.3 if j == 2 else 0.001), 0.95).systems
    ('b', 'c')
    """
    sound = [i for i, a in enumerate(answers) if not a.refused]
    if not sound:
        return None
    order = sorted(sound, key=lambda i: -answers[i].value)
    top, pairs = order[0], max(1, len(answers) * (len(answers) - 1) // 2)
    may = [top, *(i for i in order[1:] if not _worse(difference, top, i, (1 - confidence) / pairs))]
    return Leaders(
        answers[top].measure, tuple(answers[i].system for i in may), len(sound) - len(may), len(answers) - len(sound),
        pairs, confidence,
    )  # fmt: skip


def _worse(difference: Callable[[int, int], tuple[float, float]], top: int, other: int, alpha: float) -> bool:
    try:
        by, p = difference(top, other)
    except TruegainError:
        return False
    return by > 0 and p < alpha


# ---- Of answers: a study's own numbers, in the table of corrected scores.


def corrected_answers(
    items: Items, judgments: JudgmentsLike | None, measures: MeasuresLike | None, gold: Gold, confidence: float
) -> Corrections:
    """The corrected score of each system of answers or nuggets; one none of whose answers people judged is refused.

    The others are then corrected as if it were not there: people's labels are a sample of their answers.
    """
    study = Study(items, judgments, measures, gold=gold, confidence=confidence)
    assert study.judge is not None
    labeled = value_errors(study).systems
    lacking = [system for system in study.systems if system not in labeled]
    if not lacking or not labeled or study.gold_list is not None or not draws_pairs(study.judge.design):
        return _of_study(study)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all has been said of all systems
        others = Study(items.without(lacking), None, measures, gold=gold, confidence=confidence)
    return _of_study(others, [_without_gold(study, system, m) for m in study.measures for system in lacking])


def _without_gold(study: Study, system: str, measure: Measure) -> Estimate:
    """The row of a system that is refused because none of its answers has a gold label."""
    assert study.judge is not None
    uncorrected = float(measure.score(study.ranked)[study.systems.index(system)].mean())
    return Estimate(
        system, str(measure), math.nan, math.nan, math.nan, study.confidence, uncorrected=uncorrected,
        method="refused", gold=study.judge.design, gold_pairs=0, n=len(study.topics),
        notes=(NO_GOLD.format(system),),
    )  # fmt: skip


def _of_study(study: Study, lacking: Sequence[Estimate] = ()) -> Corrections:
    """The corrected score of each system of a study that has gold labels; lacking: rows of systems without any.

    One engine answers: values and intervals are those of `Study.estimates`, and so the difference of two of them is
    that of a verdict.
    """
    assert study.judge is not None
    answers: list[Estimate] = []
    best: list[str] = []
    about: list[str] = []
    estimates, errors = study.estimates(), value_errors(study)
    labels = {e.system: e.labels for e in errors.by_system}
    for measure in study.measures:
        if str(measure) in study.refused:
            continue  # the notes of the estimates say why
        found = [_beside_uncorrected(e, study, measure, labels) for e in estimates if e.measure == str(measure)]
        found += [e for e in lacking if e.measure == str(measure)]
        answers += found
        estimator = study.variance_model(measure).estimator
        if isinstance(estimator, ByGoldTopics):
            about.append(on_slopes(estimator, measure))
        if len(found) > 1:
            pairs = {(c.a, c.b): c for c in study.compare(measure=measure)} if len(study.systems) > 1 else {}
            leaders = leaders_of(found, _differences_in(pairs, study.systems), study.confidence)
            best += [] if leaders is None else [leaders.sentence]
    if all(e.refused for e in answers):
        first = answers[0]
        raise TruegainError(f"{first.system}, {first.measure}: {'; '.join(map(with_marks, first.notes))}")
    notes = (*filter(None, (errors.bias, errors.leaning, errors.not_at_random)), *about, *estimates.notes)
    provenance = {**study.provenance, "design": study.judge.design}
    return Corrections(tuple(answers), provenance, tuple(dict.fromkeys(notes)), tuple(best), of_answers=True)


def _beside_uncorrected(e: Estimate, study: Study, measure: Measure, labels: dict[str, int]) -> Estimate:
    """A score of a study beside the judge's own, and the gold labels behind it; labels: by system, of all answers."""
    assert study.judge is not None
    at, model = study.systems.index(e.system), study.variance_model(measure)
    label_counts = model.estimator.labels_for_rule(Contrasts.scores(len(study.systems)))
    return replace(
        e, uncorrected=float(model.uncorrected.value[at]), gold=study.judge.design,
        gold_pairs=labels.get(e.system, 0) if label_counts is None else int(label_counts[at]),
        method="refused" if e.refused else model.estimator.NAME,
    )  # fmt: skip


def _differences_in(
    pairs: dict[tuple[str, str], Comparison], systems: Sequence[str]
) -> Callable[[int, int], tuple[float, float]]:
    """Of two systems by number, the first less the second, with its p; an error where it is not known."""

    def difference(first: int, second: int) -> tuple[float, float]:
        a, b = systems[first], systems[second]
        c, sign = (pairs[b, a], 1.0) if (b, a) in pairs else (pairs[a, b], -1.0)
        if c.p is None:
            raise TruegainError(f"{a} - {b} is not known", remedy="leave out one of them")
        return sign * c.difference, c.p

    return difference


def on_slopes(estimator: ByGoldTopics, measure: Measure) -> str:
    """How much whole gold topics make use of bronze scores."""
    fit = estimator.fit
    if not fit.share:
        return f"{measure}: all {fit.n} topics have gold labels, so bronze scores are not used."
    used = fit.slopes(Contrasts.scores(len(fit.bronze)))
    weights = f"Weight of the score: {used[0]:.2f}"
    if len(used) > 1:
        weights = f"Weights of the scores: {used.min():.2f} to {used.max():.2f}, median {np.median(used):.2f}"
    return (
        f"{measure}: {fit.n} of {fit.topics} topics have gold labels. Bronze scores get a weight from 0 to 1, the "
        "slope of gold scores on bronze scores. The slope is fitted for each score and each difference; for a gold "
        f"topic, on the other gold topics. {weights}."
    )
