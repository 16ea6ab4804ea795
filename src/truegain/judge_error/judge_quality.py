"""How good a cheap judge is, or each of several assessors behind the labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from truegain._version import __version__
from truegain.aggregation.aggregate import aggregate
from truegain.aggregation.rules import Rule
from truegain.config import Gold, Resampling, Scoring
from truegain.data.alignment import aligned
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import Pool
from truegain.data.rating_groups import CHANCE, INVERTED, POOLED, item_keys
from truegain.data.ratings import RatingsLike, read_ratings
from truegain.data.runs import RunsLike
from truegain.errors import InputError, MeasureError, TruegainError, check_one_of, counted, some, warn
from truegain.io.columns import Floats
from truegain.judge_error.diagnostics import homogeneity, rank_notes
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.gold_pairs import Unmatched, on_scale, scale_of
from truegain.judge_error.judge import Judge
from truegain.judge_error.judges import judges_of, tell_unlike_design
from truegain.judge_error.label_tables import count, label_table, share
from truegain.keywords import checked_keywords
from truegain.measures.base import mean_of_rows
from truegain.measures.catalogue import MeasureLike, parse_measure
from truegain.measures.label_weights import level_of, levels_of
from truegain.measures.scoring import at_level, heeded, matching_for
from truegain.message import JUDGE_QUALITY, Message, arg, argname, gold_drawn, value_of, with_marks
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.sampling.catalogue import design_of, draws_topics
from truegain.stats.student_t import quantile_of, wilson

# ---- Several assessors behind the bronze labels: one label made of theirs, and how accurate each of them is.

FEW = 10  # gold pairs of a kind, below which an assessor's accuracy is a guess


def bronze_of(data: Any, rule: str | Rule | None = None) -> tuple[Judgments, tuple[str, ...]]:
    """One bronze label a document, and what must be said about it.

    With a rule it is made of the ratings, as in `aggregate`; without one there must be one label a document.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"topic": "1", "doc": "a", "assessor": list("xyz"), "label": [0, 1, 1]})
    >>> labels, said = bronze_of(frame, "majority")
    >>> labels.label.tolist(), said
    ([1.0], ('The bronze label of a document is the majority of its ratings: 3 by 3 assessors, of 1 document.',))
    """
    if rule is not None:
        ratings = read_ratings(data)
        assert ratings.assessor is not None
        made = aggregate(ratings, rule)
        documents = f"{len(made):,} document{'' if len(made) == 1 else 's'}"
        by = f"{len(ratings):,} by {counted(len(ratings.assessor.values), 'assessor')}, of {documents}"
        return made, (f"The bronze label of a document is the {rule} of its ratings: {by}.",)
    table = Judgments.of(data)
    if table.assessor is None or len(table.assessor.values) < 2:
        return table, ()
    who = len(table.assessor.values)
    if several := rated_by_several(table):
        raise InputError(
            f"{several:,} documents were labeled by several of {who:,} assessors",
            file=table.source,
            hint=f"choose how their ratings become one label ({arg('aggregate', 'majority')}, or supermajority, mean, "
            f"...); {JUDGE_QUALITY} shows how accurate each of them is",
        )
    return table, (f"The bronze labels are by {who:,} assessors, measured together as one judge.",)


def is_ratings(data: object) -> bool:
    """Whether documents have labels of several assessors."""
    table = Judgments.of(data)
    return table.assessor is not None and rated_by_several(table) > 0


def rated_by_several(table: Judgments) -> int:
    """How many documents have more than one rating."""
    return int((np.unique(item_keys(table), return_counts=True)[1] > 1).sum())


@dataclass(frozen=True)
class _RightShare:
    """A share of right labels, and how many independent labels would know it as well."""

    right: float
    all: float
    effective: float

    @property
    def value(self) -> float | None:
        return self.right / self.all if self.all else None

    def limits(self, z: float) -> tuple[float, float]:
        """Wilson's interval."""
        assert self.value is not None
        low, high = wilson(self.value, self.effective, z)
        return float(low), float(high)


def assessor_table(
    ratings: RatingsLike,
    gold: JudgmentsLike,
    *,
    design: str | None = None,
    levels: tuple[float, float] = (1.0, 1.0),
    confidence: float = 0.95,
) -> Table:
    """How accurate each assessor is on the gold pairs they labeled, worst first.

    Informedness, D = mR + mN - 1 of sensitivity mR and specificity mN, is a difference of two shares.  Its interval is
    Newcombe's, with as many labels as would be as sure if labels of a topic were independent (Kish).  Assessors with
    fewer than ten gold pairs of a kind are marked and listed after the others.

    Newcombe 1998, Statistics in Medicine 17(8), method 10.

    >>> import polars as pl
    >>> said = {"good": [1, 1, 0, 0], "spam": [1, 1, 1, 1]}
    >>> rows = [(d, who, label) for who, labels in said.items() for d, label in zip("abcd", labels)]
    >>> frame = pl.DataFrame(rows, schema=["doc", "assessor", "label"], orient="row").with_columns(topic=pl.lit("1"))
    >>> table = assessor_table(frame, {"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, design="random")
    >>> [(r["assessor"], r["sensitivity"], r["specificity"], r["informedness"]) for r in table.records()]
    [('spam', 1.0, 0.0, 0.0), ('good', 1.0, 1.0, 1.0), ('(all)', 1.0, 0.5, 0.5)]
    """
    if design_of(design).of_labels:
        raise TruegainError(
            "gold sampled by bronze label favors assessors who gave the sampled label; make one label of the "
            f"ratings ({arg('aggregate')}) to measure that, or sample gold pairs at random to measure each assessor"
        )
    table = read_ratings(ratings)
    assert table.assessor is not None
    truth, topic = _gold_of_rows(table, Judgments.of(gold, "gold"), levels[1])
    seen = ~np.isnan(truth) & (table.label >= 0)
    if not seen.any():
        raise InputError("no assessor labeled a gold pair", file=table.source, hint="do they belong together?")
    right = (table.label >= levels[0]) == (truth == 1)
    code, z = table.assessor.code, quantile_of(confidence)
    rows = [
        _row(name, _rates(right[mine], truth[mine], topic[mine]), int((code == i).sum()), z)
        for i, name in enumerate(table.assessor.values)
        for mine in [seen & (code == i)]
    ]
    rows.sort(key=_worst_first)
    everyone = _row(POOLED, _rates(right[seen], truth[seen], topic[seen]), len(table), z)
    columns = (
        "assessor",
        "labels",
        "gold relevant",
        "sensitivity",
        "gold non-relevant",
        "specificity",
        "informedness",
        "low",
        "high",
        "note",
    )
    provenance = {"truegain": __version__, "design": design, "levels": list(levels), "confidence": confidence}
    title = f"accuracy by assessor, worst first (informedness with {confidence:.0%} interval)"
    return Table(columns, [*rows, everyone], provenance, title, _said(rows))


def _gold_of_rows(table: Judgments, gold: Judgments, level: float) -> tuple[Floats, np.ndarray]:
    """For each rating 1 or 0 by the gold label of its document, NaN where there is none; and its topic."""
    pool = Pool.of(gold)
    item = pool.find(table.topic, table.docs)
    label = np.where(item >= 0, pool.labels[item], -1.0)
    return np.where(label < 0, np.nan, label >= level), table.topic.code


def _rates(right: np.ndarray, truth: Floats, topic: np.ndarray) -> tuple[_RightShare, _RightShare]:
    """Sensitivity and specificity."""

    def one(kind: float) -> _RightShare:
        mine = truth == kind
        n, k = int(mine.sum()), int(right[mine].sum())
        if n == 0:
            return _RightShare(0.0, 0.0, 0.0)
        p = (k + 0.5) / (n + 1)
        moves = np.bincount(topic[mine], right[mine] - k / n)
        topics = len(np.unique(topic[mine]))
        over = float(moves @ moves) / n**2 * topics / (topics - 1) if topics > 1 else 0.0
        return _RightShare(k, n, n / max(1.0, over / (p * (1 - p) / n)))

    return one(1.0), one(0.0)


def _row(name: str, rates: tuple[_RightShare, _RightShare], labels: int, z: float) -> tuple[Cell, ...]:
    r, n = rates
    d = low = high = None
    note = ""
    if r.value is None or n.value is None:
        lacking = [kind for kind, rate in (("relevant", r), ("non-relevant", n)) if rate.value is None]
        note = f"no gold-{' or '.join(lacking)} pair"
    else:
        d = r.value + n.value - 1
        (l_r, u_r), (l_n, u_n) = r.limits(z), n.limits(z)
        low = d - math.hypot(r.value - l_r, n.value - l_n)
        high = d + math.hypot(u_r - r.value, u_n - n.value)
        if min(r.all, n.all) < FEW:
            note = "few gold pairs"
        elif high < 0:
            note = INVERTED
        elif low <= 0:
            note = CHANCE
    return name, labels, int(r.all), r.value, int(n.all), n.value, d, low, high, note


def _worst_first(row: tuple[Cell, ...]) -> tuple[int, float, str]:
    d, note = row[6], str(row[-1])
    return (2, 0.0, str(row[0])) if d is None else (int(note == "few gold pairs"), float(d), str(row[0]))


def _said(rows: list[tuple[Cell, ...]]) -> tuple[str, ...]:
    """What the table comes to."""
    few = [str(r[0]) for r in rows if r[6] is None or r[-1] == "few gold pairs"]
    chance = [str(r[0]) for r in rows if r[-1] in (CHANCE, INVERTED)]
    lost = sum(int(r[1] or 0) for r in rows if r[-1] in (CHANCE, INVERTED))
    notes: list[str] = []
    if chance:
        whole = sum(int(r[1] or 0) for r in rows)
        notes.append(
            Message(
                f"{len(chance)} of {len(rows)} assessors are not clearly better than chance ({some(chance)}); they "
                f"gave {lost / whole:.0%} of the labels. Leave them out, or make the bronze label by a rule that "
                f"weighs assessors ({arg('aggregate', 'dawid-skene')})."
            )
        )
    if few:
        notes.append(
            f"{len(few)} of {len(rows)} assessors have fewer than {FEW} gold pairs of a kind: too few to rate them "
            "one by one; the last line includes them."
        )
    return tuple(notes)


# ---- How good a cheap judge is, or each of several assessors: one question, whatever the data are.

ShowOf = Literal["labels", "topics", "systems", "assessors"]
PERMUTATIONS = 2000  # of the test over systems
WITHOUT_RUNS = "Add the runs to test whether the judge is equally accurate for all systems."


@checked_keywords()
def judge_quality(
    judgments: JudgmentsLike,
    gold: JudgmentsLike | Judge | Gold,
    *,
    runs: RunsLike | None = None,
    measure: MeasureLike = "P@10",
    scoring: Scoring | None = None,
    show: ShowOf | None = None,
    aggregate: str | None = None,
    scale: str | Sequence[float] | None = None,
    unmatched: Unmatched = "refuse",
    resampling: Resampling | None = None,
) -> Table:
    """Tell how good a judge is, where, whether the data fit together, and whether it favors some systems.

    Parameters
    ----------
    judgments : path-like, frame, mapping or Judgments
        The labels of the judge, or ratings by several assessors, of whom each is then measured.
    gold : Gold, path-like, frame, mapping, Judgments or Judge
        Trusted labels of some pairs and how these were sampled, `Gold("people.csv", design="random")`; or a judge that
        was fitted on such labels.
    runs : path-like, frame or mapping, optional
        The systems' rankings, to tell whether the judge is equally good for the documents of all.
    measure : str or Measure, default 'P@10'
        Which documents of the runs count, and what is relevant.
    scoring : Scoring, optional
        The smallest label that counts as relevant (`relevant_from`), where the measure does not say.
    show : {'labels', 'topics', 'systems', 'assessors'}, optional
        Accuracy by gold label, topic, system or assessor; by default what the data allow, the last first.
    aggregate : str, optional
        The rule that makes one label of several assessors' ratings, who are then one judge; see `aggregate`.
    scale : str or sequence of float, optional
        The labels that there are, such as '0:3'.
    unmatched : {'refuse', 'drop'}, default 'refuse'
        Gold pairs that the judge did not label: refused, or left out.
    resampling : Resampling, optional
        Permutations of the test over systems (2,000 by default), their seed, and processes.

    Returns
    -------
    Table
        A row for each label, topic, system or assessor; what is found of the whole stands in `notes`.

    Notes
    -----
    Columns by gold label: `gold label`, `pairs` (how many have it), and `bronze 0`, `bronze 1`, ..., the share of
    these pairs that the judge gave each bronze label.

    By topic, system or assessor: `topic`, `system` or `assessor`; `gold relevant` and `gold non-relevant`, the pairs of
    either kind; `sensitivity` and `specificity`, the shares of these that the judge got right.  By system and assessor
    also `informedness` (sensitivity + specificity - 1).  By assessor its limits `low` and `high`, `labels` (how many
    the assessor gave) and a `note`.  By system `favor`, what the judge's errors add to the score more than to the
    others', at equal gold labels, with its limits `low` and `high`.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018.
    .. [2] R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in
           Medicine 17(8), 1998: the interval of informedness.

    Examples
    --------
    >>> import truegain as tg
    >>> bronze = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    >>> gold = tg.Gold({"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}, design="random")
    >>> tg.judge_quality(bronze, gold=gold).columns
    ('gold label', 'pairs', 'bronze 0', 'bronze 1')
    """
    sample = gold if isinstance(gold, Gold) else Gold(gold)
    design, gold_relevant_from, draws = sample.design, sample.relevant_from, resampling or Resampling()
    for name, is_given in (("gold_aggregate", sample.aggregate is not None), ("sequential", sample.sequential)):
        if is_given:
            raise TruegainError(f"{argname(name)} is for a study; leave it out")
    if show is not None:
        check_one_of("show", show, get_args(ShowOf))
    if show == "assessors" and aggregate is not None:
        raise TruegainError(
            f"{arg('aggregate')} makes one judge of all assessors, {arg('show', 'assessors')} rates each; give one"
        )
    weighing = at_level(parse_measure(measure), heeded(scoring, "relevant_from").relevant_from)
    allowed_labels = scale_of(scale)
    judged = on_scale(Judgments.of(judgments), allowed_labels)
    labels: Any = sample.labels
    trusted = labels if isinstance(labels, Judge) else on_scale(Judgments.of(labels, "gold"), allowed_labels)
    if show == "assessors" or (show is None and aggregate is None and is_ratings(judged)):
        return assessor_table(judged, trusted, design=design, levels=levels_of(weighing, gold_relevant_from))
    bronze, about = bronze_of(judged, aggregate)
    if runs is not None and not weighing.linear_in_gains:
        raise MeasureError(
            f"{weighing} does not weigh ranks: the judge's accuracy by system needs a measure that does, such as P@10, "
            "CG@10, DCG@10 or RBP"
        )
    allowed = allowed_labels if aggregate is None else None
    fitted = judges_of(trusted, bronze, design, weighing, gold_relevant_from, unmatched=unmatched, scale=allowed)
    judge = fitted.single_for("accuracy by label, topic or system").at_levels(level_of(weighing), gold_relevant_from)
    inverted = judge.inverted()
    notes = [*about, str(judge), *judge.consistency(), *(() if inverted is None else (inverted,))]
    if draws_topics(judge.design):
        _tell_partly_judged(judge)
    if show == "systems" and runs is None:
        raise TruegainError("accuracy by system needs the runs; give them after the gold labels")
    if runs is None:
        tell_unlike_design(judge)
        notes += [WITHOUT_RUNS] if design_of(judge.design).here else []
    else:
        matching = matching_for([weighing], Scoring())
        ranked = aligned(runs, bronze, Scoring(), jobs=draws.jobs, matching=matching)
        tell_unlike_design(judge, ranked.topics)
        lists = JudgedLists.of(ranked, judge, weighing, gold_relevant_from=gold_relevant_from)
        for system, mean in zip(ranked.systems, mean_of_rows(lists.naive).tolist(), strict=True):
            notes += [Message(f"{system}: {with_marks(why)}") for why in lists.impossible_means(system, mean)]
        notes += rank_notes(lists, always=True, rectified=fitted.rectifier("default") is not None)
        if len(ranked.systems) > 1:
            differences = homogeneity(lists, trials=draws.n or PERMUTATIONS, seed=draws.seed)
            if show in (None, "systems"):
                return replace(differences.table(), notes=(*notes, *differences.table().notes))
            notes.append(differences.sentence)
    provenance = {"truegain": __version__, "design": judge.design, "levels": list(judge.levels)}
    chosen = accuracy_by_topic(judge) if show == "topics" else label_table(judge.confusion)
    return replace(chosen, provenance=provenance, notes=tuple(notes))


def _tell_partly_judged(judge: Judge) -> None:
    """Warn of gold topics that are not whole: which of their pairs were judged is then part of the design."""
    pairs = judge.pairs
    if pairs is None or pairs.pool is None or pairs.item is None:
        return
    begin, has = pairs.pool.begin, np.bincount(pairs.pool.topic[pairs.item], minlength=len(pairs.pool.topics))
    partly = np.flatnonzero((has > 0) & (has < np.diff(begin)))
    if len(partly):
        names = [f"{pairs.pool.topics[t]}: {has[t]} of {np.diff(begin)[t]}" for t in partly]
        remedy = (
            "label the rest of it"
            if len(partly) == 1  # as whoever labels topic by topic leaves it
            else f"if pairs were sampled, give {gold_drawn('random')} or {value_of('design', 'by-bronze')}"
        )
        warn(
            f"the design is 'topics', but {len(partly)} of {int((has > 0).sum())} gold topics have gold labels for "
            f"only some of their pairs ({some(names)}); {remedy}"
        )


def accuracy_by_topic(judge: Judge) -> Table:
    """Where the judge is right: each gold topic's pairs and rates."""
    b = judge.binary
    rows: list[tuple[Cell, ...]] = []
    for topic, ((nn, nr), (rn, rr)) in zip(b.topics, b.table.tolist(), strict=True):
        rows.append((topic, count(rr + rn), share(rr, rr + rn), count(nn + nr), share(nn, nn + nr)))
    return Table(
        ("topic", "gold relevant", "sensitivity", "gold non-relevant", "specificity"), rows, title="accuracy by topic"
    )
