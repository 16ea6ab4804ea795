"""Predicted relevance of unjudged documents, from runs, texts and labels; and scores with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack
from scipy.special import expit, logit

from truegain._version import __version__
from truegain.config import Scoring
from truegain.data.alignment import UNJUDGED, unchecked_labels_note
from truegain.data.checks import check_labels
from truegain.data.id_matching import Unmatched, doubt_messages
from truegain.data.judgments import Judgments, JudgmentsLike, judgments_of_columns
from truegain.data.runs import Runs, RunsLike, read_runs
from truegain.data.scores import Scores
from truegain.errors import EmptyError, TruegainError, some, warn
from truegain.io.columns import Bools, Floats, Ints, frozen
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasuresLike, parse_measures
from truegain.measures.expected import Chances, Expected, check_expected, expected, levels_of
from truegain.measures.scoring import DEPTH, at_level
from truegain.message import NEXT_TO_JUDGE, arg, argname
from truegain.pooling.bounds import ends_of
from truegain.pooling.pools import Filled, with_unjudged
from truegain.text.corpus import Corpus, CorpusLike, unit_vectors

# ---- Predicted relevance: how likely an unjudged document is relevant, from the runs that list it and labels.
#
# logit p = b0 + u_topic + sum beta x + sum over runs s of gamma_s a_ds
#
# a ridge fit to the judged documents, maximum of log likelihood - 1/2 sum of lambda coefficient^2 by Newton's method.

RIDGE = {"b0": 0.01, "beta": 2.0, "topic": 2.0, "gamma": 5.0}
LEAST_JUDGED, LEAST_RELEVANT = 10, 2  # below these nothing is fitted
COLD = -1.2, 0.8  # intercept and slope of the votes where nothing is fitted
NEAREST = 5
_STEPS, _TOLERANCE = 50, 1e-9


@dataclass(frozen=True, eq=False)
class RunVotes:
    """Which of R runs list a document and where: omega = 1 / (10 + rank), in rows of documents and columns of runs.

    >>> votes = RunVotes.of(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1, 2, 1]), np.zeros(3, int), 2)
    >>> votes.omega.toarray().round(3).tolist()  # the third document is in no list
    [[0.091, 0.0], [0.083, 0.091], [0.0, 0.0]]
    """

    omega: csr_array
    best: Ints  # rank in any run
    topic: Ints  # of each document
    topics: int

    @classmethod
    def of(cls, item: Ints, run: Ints, rank: Ints, topic: Ints, runs: int) -> RunVotes:
        """From entries of lists: which document, which run, at which rank; and the topic of each document."""
        omega = csr_array((1 / (10.0 + rank), (item, run)), shape=(len(topic), runs))
        omega.sort_indices()
        best = np.full(len(topic), np.iinfo(np.int64).max)
        np.minimum.at(best, item, rank)
        return cls(omega, frozen(best), frozen(topic.astype(np.int64)), int(topic.max(initial=-1)) + 1)

    @property
    def runs(self) -> int:
        """How many runs vote."""
        return int(self.omega.shape[1])

    @cached_property
    def listed(self) -> Bools:
        """Documents that some run lists."""
        return frozen(np.diff(self.omega.indptr) > 0)

    @cached_property
    def weight(self) -> Floats:
        """Sum of omega of each document."""
        return frozen(np.asarray(self.omega.sum(axis=1), np.float64))

    @cached_property
    def share(self) -> csr_array:
        """A = omega / sum of omega, the part of each run in the votes of a document."""
        return csr_array((self.omega.data / self.weight[self.row], self.omega.indices, self.omega.indptr))

    @cached_property
    def row(self) -> Ints:
        """The document of each vote."""
        return frozen(np.repeat(np.arange(len(self.topic)), np.diff(self.omega.indptr)))

    @cached_property
    def fixed(self) -> Floats:
        """What labels do not change: log(sum omega / R + .001), the share of runs that list it, log best rank."""
        votes = np.diff(self.omega.indptr) / self.runs
        columns = [np.log(self.weight / self.runs + 0.001), votes, np.log(self.best)]
        return frozen(np.column_stack([standard(c, self.listed) for c in columns]))

    def company(self, relevant: Floats) -> Floats:
        """Logit of the mean precision of the runs that list a document, by its votes, its own label left out.

        q_st = (rel_st + 3 q_s) / (n_st + 3), q_s = (rel_s + 5 g) / (n_s + 5), g = (rel + .5) / (n + 1), counts over the
        judged documents of a run's list of the topic, of all its lists, and of all documents; `relevant` is 1, 0 or,
        where not judged, NaN.
        """
        known = ~np.isnan(relevant) & self.listed
        own, good = known.astype(np.float64), np.where(known, relevant, 0.0)
        row, run = self.row, self.omega.indices
        cell = run * self.topics + self.topic[row]
        one, hit = own[row], good[row]

        def left(group: Any, values: Floats) -> Any:  # sums by group, without the document's own
            return np.bincount(group, values, minlength=1)[group] - values

        g = (good.sum() - hit + 0.5) / (own.sum() - one + 1)
        q_run = (left(run, hit) + 5 * g) / (left(run, one) + 5)
        q = (left(cell, hit) + 3 * q_run) / (left(cell, one) + 3)
        total = np.bincount(row, self.omega.data * q, minlength=len(self.topic))
        mean = np.divide(total, self.weight, out=np.full(len(total), 0.5), where=self.listed)
        return np.asarray(logit(np.clip(mean, 0.01, 0.99)), np.float64)


def standard(values: Floats, among: Bools) -> Floats:
    """Values less their mean, over their standard deviation, both among some; 0 for the others and without spread."""
    if not among.any():
        return np.zeros(len(values))
    mean, spread = float(values[among].mean()), float(values[among].std())
    if spread < 1e-12:
        return np.zeros(len(values))
    return np.where(among, (values - mean) / spread, 0.0)


def predicted(votes: RunVotes, relevant: Floats, more: Floats | None = None) -> Floats:
    """How likely each document is relevant; `relevant` is 1, 0 or, where not judged, NaN, `more` further features.

    With fewer than 10 judged documents or 2 relevant ones p = sigma(-1.2 + .8 z), z the standardised votes.  A document
    that no run lists has p = 0 unless it was judged.  Judged ones have a prediction too: what was known beforehand.

    >>> votes = RunVotes.of(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2, 1, 1]), np.zeros(2, int), 2)
    >>> predicted(votes, np.full(2, np.nan)).round(3).tolist()
    [0.119, 0.401]
    """
    fit = Fit.of(votes, relevant, more)
    cold = COLD[0] + COLD[1] * votes.fixed[:, 0]
    return np.where(votes.listed, expit(cold if fit is None else fit.logit), 0.0)


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients of one fit, of columns and of topics, and what they were fitted to."""

    design: csr_array  # document x column
    topic: Ints
    known: Ints  # documents with a label
    ridge: Floats
    theta: Floats
    u: Floats

    @classmethod
    def of(cls, votes: RunVotes, relevant: Floats, more: Floats | None = None) -> Fit | None:
        """To the documents that are judged and listed; None where these are too few."""
        known = np.flatnonzero(~np.isnan(relevant) & votes.listed)
        if len(known) < LEAST_JUDGED or relevant[known].sum() < LEAST_RELEVANT:
            return None
        columns = [votes.fixed, standard(votes.company(relevant), votes.listed)[:, None]]
        if more is not None:
            columns.append(more)
        x = np.column_stack(columns)
        ridge = np.concatenate([[RIDGE["b0"]], np.full(x.shape[1], RIDGE["beta"]), np.full(votes.runs, RIDGE["gamma"])])
        design = hstack([csr_array(np.column_stack([np.ones(len(x)), x])), votes.share], format="csr")
        theta, u = _newton(design[known], relevant[known], votes.topic[known], votes.topics, ridge)
        return cls(design, votes.topic, frozen(known), frozen(ridge), frozen(theta), frozen(u))

    @property
    def logit(self) -> Floats:
        """Of the chance of each document."""
        return np.asarray(self.design @ self.theta + self.u[self.topic])

    def variance(self, pull: Floats) -> float:
        """Of the sum over documents of pull times chance, by what is not known of the coefficients.

        g' H^-1 g, g = sum of pull p (1 - p) x and H the curvature of the penalised likelihood (Laplace).
        """
        p = expit(self.logit)
        away = pull * p * (1 - p)
        s, r = self.design.T @ away, np.bincount(self.topic, away, len(self.u)).astype(np.float64)
        member = _member(self.topic[self.known], len(self.u))
        d, e = _Curvature.of(self.design[self.known], p[self.known], member, self.ridge).solve(s, r)
        return float(s @ d + r @ e)


@dataclass(frozen=True, eq=False)
class _Curvature:
    """[[A, B], [B', C]] of columns and topics, C diagonal."""

    a: Floats
    b: Floats
    c: Floats

    @classmethod
    def of(cls, x: csr_array, p: Floats, member: csr_array, ridge: Floats) -> _Curvature:
        """At chances p of the documents that were fitted."""
        w = p * (1 - p)
        weighted = x * w[:, None]
        a = (x.T @ weighted).toarray() + np.diag(ridge)
        return cls(a, (member @ weighted).toarray().T, np.asarray(member @ w) + RIDGE["topic"])

    def solve(self, s: Floats, r: Floats) -> tuple[Floats, Floats]:
        """(d, e) with [[A, B], [B', C]] (d, e) = (s, r), by blocks: (A - B C^-1 B') d = s - B C^-1 r."""
        found = np.linalg.solve(self.a - (self.b / self.c) @ self.b.T, s - self.b @ (r / self.c))
        d: Floats = found.astype(np.float64)
        return d, (r - self.b.T @ d) / self.c


def _member(group: Ints, groups: int) -> csr_array:
    return csr_array((np.ones(len(group)), (group, np.arange(len(group)))), shape=(groups, len(group)))


def _newton(x: csr_array, y: Floats, group: Ints, groups: int, ridge: Floats) -> tuple[Floats, Floats]:
    """Coefficients of the columns and of the groups; the groups are taken out of each step by blocks."""
    theta, u = np.zeros(x.shape[1]), np.zeros(groups)
    member = _member(group, groups)
    now = _objective(x @ theta + u[group], y, theta, u, ridge)
    for _ in range(_STEPS):
        p = expit(x @ theta + u[group])
        s, r = x.T @ (y - p) - ridge * theta, member @ (y - p) - RIDGE["topic"] * u
        d, e = _Curvature.of(x, p, member, ridge).solve(s, r)
        step = 1.0
        while True:
            there = _objective(x @ (theta + step * d) + (u + step * e)[group], y, theta + step * d, u + step * e, ridge)
            if there >= now or step < 1e-4:
                break
            step /= 2
        theta, u, gained, now = theta + step * d, u + step * e, there - now, there
        if gained < _TOLERANCE:
            break
    return theta, u


def _objective(eta: Floats, y: Floats, theta: Floats, u: Floats, ridge: Floats) -> float:
    likelihood = float((y * eta - np.logaddexp(0, eta)).sum())
    return likelihood - 0.5 * float(ridge @ theta**2) - 0.5 * RIDGE["topic"] * float(u @ u)


def nearest(units: csr_array, topic: Ints, relevant: Floats) -> Floats:
    """The label of the 5 nearest judged documents of the same topic, by similarity, a document's own left out.

    `units` are rows of length 1 whose products are similarities.  Where no judged document is alike it is the mean of
    the labels of the topic, and of all where there is none.

    >>> units = csr_array(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> nearest(units, np.zeros(3, int), np.array([1.0, np.nan, 0.0])).tolist()
    [0.0, 1.0, 1.0]
    """
    known = ~np.isnan(relevant)
    out = np.full(len(relevant), float(relevant[known].mean()) if known.any() else 0.5)
    order = np.argsort(topic, kind="stable")
    for items in np.split(order, np.flatnonzero(np.diff(topic[order])) + 1):
        judged = items[known[items]]
        if not len(judged):
            continue
        alike = (units[items] @ units[judged].T).toarray()
        alike[items[:, None] == judged] = 0.0
        near = np.argsort(-alike, axis=1, kind="stable")[:, :NEAREST]
        weight = np.take_along_axis(alike, near, axis=1)
        total = weight.sum(axis=1)
        label = (weight * relevant[judged][near]).sum(axis=1)
        others = (
            relevant[judged].sum() - np.where(known[items], relevant[items], 0.0),
            len(judged) - known[items],
        )
        mean = np.divide(*others, out=out[items], where=others[1] > 0)
        out[items] = np.divide(label, total, out=mean, where=total > 1e-12)
    return out


@dataclass(frozen=True, eq=False)
class Predictor:
    """All that predicts relevance: votes, and where given text and the labels of another judge."""

    votes: RunVotes
    units: csr_array | None = None  # documents by terms, rows of length 1
    said: Floats | None = None  # the label of another judge, NaN where there is none

    def chances(self, label: Floats, levels: Floats) -> Floats:
        """For each document the chance of a label of at least each level; 0 or 1 where judged, `label` NaN elsewhere.

        One fit a level; a level with fewer than 2 documents takes a share of the chance of the level below.  No chance
        is above that of the level below.
        """
        known = ~np.isnan(label)
        out = np.empty((len(label), len(levels)))
        for number, level in enumerate(levels):
            relevant = np.where(known, (label >= level).astype(np.float64), np.nan)
            reached = relevant[known].sum()
            if number and reached < LEAST_RELEVANT:
                below = (label[known] >= levels[number - 1]).sum()
                p = out[:, number - 1] * min(1.0, (reached + 0.5) / (below + 1))
            else:
                p = predicted(self.votes, relevant, self._more(relevant))
            p = np.minimum(p, out[:, number - 1]) if number else p
            out[:, number] = np.where(known, relevant, p)
        return out

    def unknown(self, label: Floats, levels: Floats, pull: Floats) -> float:
        """The variance of the sum over documents and levels of pull times chance, by coefficients that are fitted.

        pull: document x level.  A level without a fit goes with the one below; levels go together, so that their
        standard deviations add.  Infinite where nothing is fitted.
        """
        known = ~np.isnan(label)
        total, carried = 0.0, np.zeros(len(label))
        for number in range(len(levels) - 1, -1, -1):
            relevant = np.where(known, (label >= levels[number]).astype(np.float64), np.nan)
            fit = Fit.of(self.votes, relevant, self._more(relevant))
            carried = carried + pull[:, number]
            if fit is not None:
                total += float(np.sqrt(fit.variance(carried)))
                carried = np.zeros(len(label))
        return total**2 if not carried.any() else float("inf")

    def _more(self, relevant: Floats) -> Floats | None:
        columns = []
        if self.units is not None:
            columns.append(standard(nearest(self.units, self.votes.topic, relevant), self.votes.listed))
        if self.said is not None:
            columns.append(standard(self.said, ~np.isnan(self.said)))
        return np.column_stack(columns) if columns else None


# ---- Predicted labels for the documents nobody judged, and scores with them.

TOP, OWN = 10, 10  # so many documents that a run alone has in its first ten: some must be judged


@dataclass(frozen=True, eq=False)
class Prediction:
    """Runs against a pool with the documents in question, and what predicts their labels."""

    filled: Filled
    predictor: Predictor

    @classmethod
    def of(
        cls,
        runs: object,
        judgments: object,
        measure: Measure,
        options: Scoring,
        *,
        corpus: object = None,
        llm: object = None,
        unjudged_topics: bool = False,
        jobs: int | None = None,
    ) -> Prediction:
        """In question is what some run lists above the cutoff of the measure, or above rank 100 without one.

        Topics are those of the judgments; with `unjudged_topics`, and where nothing is judged, all that a run answers.
        """
        check_expected(measure)
        loaded = Runs.of(runs)
        labels = judgments_of_input(judgments)
        table = _with_topics(loaded, labels, unjudged_topics)
        depth = options.depth or getattr(measure, "cutoff", None) or DEPTH
        unmatched: Unmatched = "tell" if table is labels else "ignore"  # there need be no judgment yet
        filled = Filled.down_to(depth, loaded, table, measure, options, jobs, unmatched)
        ranked = filled.ranked
        top = ranked.rank <= depth
        topics = max(1, len(ranked.topics))
        votes = RunVotes.of(
            ranked.item[top].astype(np.int64), ranked.list[top] // topics, ranked.rank[top],
            ranked.pool.topic.astype(np.int64), len(ranked.systems),
        )  # fmt: skip
        units = None if corpus is None else unit_vectors(Corpus.of(corpus), ranked.pool.docs)
        return cls(filled, Predictor(votes, units, None if llm is None else _labels_by(llm, filled)))

    @cached_property
    def label(self) -> Floats:
        """The label of each item of the pool, NaN where not judged."""
        return frozen(np.where(self.filled.unjudged, np.nan, self.filled.ranked.item_gain))

    def relabeled(self, label: Floats) -> Prediction:
        """The prediction with other labels of the items of the pool, NaN where not judged."""
        ranked = self.filled.ranked.with_gains(label)
        return replace(self, filled=replace(self.filled, ranked=ranked, unjudged=frozen(np.isnan(label))))

    def chances(self, measure: Measure) -> Chances:
        """For each item the chance of each label that the measure tells apart."""
        levels = levels_of(measure, self.label[~self.filled.unjudged])
        return Chances(levels, self.predictor.chances(self.label, levels))

    def scored(self, measure: Measure) -> Expected:
        """Scores with labels where there are any and chances elsewhere."""
        return expected(measure, self.filled.ranked, self.chances(measure))

    @cached_property
    def newcomers(self) -> dict[str, Ints]:
        """Systems with at least 10 documents in their first ten that no other has there, and none judged; these."""
        ranked = self.filled.ranked
        first = np.flatnonzero(ranked.rank <= TOP)
        times = np.bincount(ranked.item[first], minlength=len(ranked.pool))
        alone = first[times[ranked.item[first]] == 1]
        system = ranked.list[alone] // max(1, len(ranked.topics))
        own = np.bincount(system, minlength=len(ranked.systems))
        judged = np.bincount(system, ~self.filled.unjudged[ranked.item[alone]], minlength=len(ranked.systems))
        new = np.flatnonzero((own >= OWN) & (judged == 0)).tolist()
        return {ranked.systems[s]: ranked.item[alone[system == s]].astype(np.int64) for s in new}


def judgments_of_input(judgments: object) -> Judgments | None:
    """Judgments, or None where there is not one yet: None, an empty file, an empty dict."""
    if judgments is None:
        return None
    try:
        return Judgments.of(judgments)
    except EmptyError:
        return None


def _with_topics(runs: Runs, judgments: Judgments | None, unjudged_topics: bool) -> Judgments:
    """Judgments that also name the topics that only runs have, by one unjudged document each."""
    if judgments is not None and not unjudged_topics:
        check_labels(judgments)
        if (judgments.label >= 0).any() or judgments.are_gains:
            return judgments
    known = set() if judgments is None else set(judgments.topic.values)
    first: dict[str, str] = {}
    for part in runs.parts:
        codes, rows = np.unique(part.topic.code, return_index=True)
        for code, row in zip(codes.tolist(), rows.tolist(), strict=True):
            if part.topic.values[code] not in known:
                first.setdefault(part.topic.values[code], part.docs[row])
    topics, docs = list(first), list(first.values())
    if judgments is None:
        return judgments_of_columns(topics, docs, np.full(len(topics), UNJUDGED), "judgments")
    return with_unjudged(judgments, topics, docs)


def _labels_by(llm: object, filled: Filled) -> Floats:
    """The labels of another judge for the items of the pool, NaN where there is none."""
    labels, pool = Judgments.of(llm, "llm"), filled.ranked.pool
    item = pool.find(labels.topic, labels.docs)
    rows = np.flatnonzero((item >= 0) & (labels.label >= 0))
    if not len(rows):
        raise TruegainError(
            f"{argname('llm')}: none of the {len(labels):,} labels of {labels.source} is of a document in these runs; "
            "check that they belong together"
        )
    if len(np.unique(item[rows])) < len(rows):
        raise TruegainError(f"{argname('llm')}: {labels.source} labels a document more than once; give one label each")
    out = np.full(len(pool), np.nan)
    out[item[rows]] = labels.label[rows]
    if lacking := int((np.isnan(out) & filled.unjudged).sum()):
        warn(
            f"{argname('llm')}: {lacking:,} of {int(filled.unjudged.sum()):,} unjudged documents have no label in "
            f"{labels.source}; they are predicted from the rest"
        )  # fmt: skip
    return frozen(out)


def evaluate_filled(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    scoring: Scoring,
    *,
    llm: JudgmentsLike | None = None,
    corpus: CorpusLike | None = None,
    jobs: int | None = None,
) -> Scores:
    """Scores with predicted labels where nobody judged."""
    loaded, table, named = read_runs(runs), Judgments.of(judgments), parse_measures(measures)
    chosen = [at_level(a.measure, scoring.relevant_from) for a in named]
    of_answered = replace(scoring, all_topics=False)
    values: dict[str, Floats] = {}
    made: dict[int, Prediction] = {}
    for m in chosen:
        depth = _depth(m, scoring)
        if depth not in made:
            made[depth] = Prediction.of(loaded, table, m, of_answered, corpus=corpus, llm=llm, jobs=jobs)
            check_enough(made[depth])
        _check_both(made[depth], m)
        score = made[depth].scored(m).score
        values[str(m)] = np.where(np.isnan(score), 0.0, score) if scoring.all_topics else score
    deepest = made[max(made)]
    ranked, lost = deepest.filled.ranked, _left_out(deepest)
    values = {name: np.where(lost[:, None], np.nan, matrix) for name, matrix in values.items()}
    summaries = {str(m): m.summarize(values[str(m)], ranked, scoring.all_topics) for m in chosen}
    provenance = {"truegain": __version__, "measures": [str(m) for m in chosen], **vars(scoring), "fill": "predicted"}
    names = {a.name: str(m) for a, m in zip(named, chosen, strict=True)}
    at = np.flatnonzero(lost).tolist()
    bounds = {str(m): _ends(loaded, table, m, at, scoring, jobs) for m in chosen} if at else {}
    return Scores(
        ranked.systems, ranked.topics, values, summaries, {str(m): m for m in chosen}, provenance, names, bounds,
        (*unchecked_labels_note(table), *doubt_messages(ranked.doubts)),
    )  # fmt: skip


def _depth(m: Measure, options: Scoring) -> int:
    """Down to which documents are predicted."""
    return options.depth or getattr(m, "cutoff", None) or DEPTH


def _ends(
    loaded: Runs, table: Judgments, m: Measure, systems: list[int], options: Scoring, jobs: int | None
) -> dict[str, tuple[float, float]]:
    """The lowest and the highest score of some systems, whatever the labels of the documents in question.

    These go below a cutoff: relevant documents there raise R, or what the best list would have.
    """
    filled = Filled.down_to(None, loaded, table, m, replace(options, all_topics=False), jobs, "ignore")
    score = m.score(filled.ranked)[systems]
    worst, best = ends_of(filled, m, systems)
    there = np.ones_like(score, np.bool_) if options.all_topics else ~np.isnan(score)
    names = [filled.ranked.systems[s] for s in systems]
    low, high = (np.where(there, np.nan_to_num(x), 0.0).sum(axis=1) / there.sum(axis=1) for x in (worst, best))
    return {name: (float(a), float(b)) for name, a, b in zip(names, low, high, strict=True)}


def check_enough(made: Prediction) -> None:
    """Refuse predictions where no listed document is judged."""
    known = ~made.filled.unjudged & made.predictor.votes.listed
    if not known.any():
        raise TruegainError(
            "no document in the runs is judged, so these scores would show which runs agree, not which are good; "
            f"have some judged: {NEXT_TO_JUDGE} lists them"
        )


def _check_both(made: Prediction, measure: Measure) -> None:
    """Refuse predictions where all that is judged is relevant: everything else would be predicted relevant, too."""
    label = made.label[~made.filled.unjudged & made.predictor.votes.listed]
    if label.min() >= (least := levels_of(measure, label)[0]):
        raise TruegainError(
            f"{arg('fill', 'predicted')}: all {len(label):,} judged documents in the runs have a label of {least:g} "
            f"or more, so nothing shows what is not relevant for {measure}; have more judged, and keep those that "
            "are not relevant"
        )


def _left_out(made: Prediction) -> Bools:
    """Systems whose scores are left out because nobody judged a document that they alone list; tells what is said."""
    unjudged, newcomers = made.filled.unjudged & made.predictor.votes.listed, made.newcomers
    warn(
        f"{int(unjudged.sum()):,} of {int(made.predictor.votes.listed.sum()):,} documents have predicted labels: these "
        "scores rank systems but have no interval"
    )
    if newcomers:
        one = next(iter(newcomers))
        warn(
            f"no score for {some(sorted(newcomers))}: of the documents that it alone has in its first {TOP} "
            f"({len(newcomers[one])} of {one}) none is judged, so its rank would be a guess; instead, the bounds of "
            f"its score are given, for any labels of the unjudged documents in the first {DEPTH} ranks of the runs; "
            "have some of them judged"
        )
    return np.array([name in newcomers for name in made.filled.ranked.systems])
