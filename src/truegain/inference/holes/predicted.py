"""Predicted labels for the documents nobody judged, and scores with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain._version import __version__
from truegain.config import Scoring
from truegain.errors import EmptyError, TruegainError, some
from truegain.gains.predicted import Predictor, RunVotes
from truegain.inference.holes.ends import ends_of
from truegain.inference.holes.filled import DEPTH, Filled, with_unjudged
from truegain.measures.base import Measure
from truegain.measures.evaluate import at_level, by_whom
from truegain.measures.expected import Chances, Expected, check_expected, expected, levels_of
from truegain.measures.parse import MeasuresLike, parse_measures
from truegain.message import NEXT_TO_JUDGE, arg, argname
from truegain.tables.by_key import UNJUDGED
from truegain.tables.checks import check_labels, warn
from truegain.tables.columns import Bools, Floats, Ints, frozen
from truegain.tables.judgments import Judgments, judgments_of_columns
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.matched import Unmatched, doubts_told
from truegain.tables.runs import Runs, read_runs
from truegain.tables.scores import Scores
from truegain.text.corpus import Corpus, CorpusLike
from truegain.text.similar import unit_vectors

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
        labels = labels_of(judgments)
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
        return frozen(np.where(self.filled.hole, np.nan, self.filled.ranked.item_gain))

    def relabelled(self, label: Floats) -> Prediction:
        """The same lists with other labels of the items of the pool, NaN where not judged."""
        ranked = self.filled.ranked.with_gains(label)
        return replace(self, filled=replace(self.filled, ranked=ranked, hole=frozen(np.isnan(label))))

    def chances(self, measure: Measure) -> Chances:
        """For each item the chance of each label that the measure tells apart."""
        levels = levels_of(measure, self.label[~self.filled.hole])
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
        judged = np.bincount(system, ~self.filled.hole[ranked.item[alone]], minlength=len(ranked.systems))
        found = np.flatnonzero((own >= OWN) & (judged == 0)).tolist()
        return {ranked.systems[s]: ranked.item[alone[system == s]].astype(np.int64) for s in found}


def labels_of(judgments: object) -> Judgments | None:
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
    said, pool = Judgments.of(llm, "llm"), filled.ranked.pool
    item = pool.find(said.topic, said.docs)
    rows = np.flatnonzero((item >= 0) & (said.label >= 0))
    if not len(rows):
        raise TruegainError(
            f"{argname('llm')}: none of the {len(said):,} labels of {said.source} is of a document that these runs "
            "list; check that they belong together"
        )
    if len(np.unique(item[rows])) < len(rows):
        raise TruegainError(f"{argname('llm')}: {said.source} labels a document more than once; give one label each")
    out = np.full(len(pool), np.nan)
    out[item[rows]] = said.label[rows]
    if lacking := int((np.isnan(out) & filled.hole).sum()):
        warn(
            f"{argname('llm')}: {lacking:,} of {int(filled.hole.sum()):,} unjudged documents have no label in "
            f"{said.source}; they are predicted from the rest"
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
    loaded, table, asked = read_runs(runs), Judgments.of(judgments), parse_measures(measures)
    chosen = [at_level(a.measure, scoring.relevant_from) for a in asked]
    of_answered = replace(scoring, all_topics=False)
    values: dict[str, Floats] = {}
    made: dict[int, Prediction] = {}
    for m in chosen:
        depth = _depth(m, scoring)
        if depth not in made:
            made[depth] = Prediction.of(loaded, table, m, of_answered, corpus=corpus, llm=llm, jobs=jobs)
            check_enough(made[depth])
        _check_both(made[depth], m)
        found = made[depth].scored(m).score
        values[str(m)] = np.where(np.isnan(found), 0.0, found) if scoring.all_topics else found
    deepest = made[max(made)]
    ranked, lost = deepest.filled.ranked, _left_out(deepest)
    values = {name: np.where(lost[:, None], np.nan, matrix) for name, matrix in values.items()}
    summaries = {str(m): m.summarise(values[str(m)], ranked, scoring.all_topics) for m in chosen}
    made_by = {"truegain": __version__, "measures": [str(m) for m in chosen], **vars(scoring), "fill": "predicted"}
    names = {a.name: str(m) for a, m in zip(asked, chosen, strict=True)}
    at = np.flatnonzero(lost).tolist()
    bounds = {str(m): _ends(loaded, table, m, at, scoring, jobs) for m in chosen} if at else {}
    return Scores(
        ranked.systems, ranked.topics, values, summaries, {str(m): m for m in chosen}, made_by, names, bounds,
        (*by_whom(table), *doubts_told(ranked.doubts)),
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
    known = ~made.filled.hole & made.predictor.votes.listed
    if not known.any():
        raise TruegainError(
            "no document that the runs list is judged, so these scores would say which runs agree, not which are good; "
            f"have some judged: {NEXT_TO_JUDGE} lists them"
        )


def _check_both(made: Prediction, measure: Measure) -> None:
    """Refuse predictions where all that is judged is relevant: everything else would be predicted relevant, too."""
    label = made.label[~made.filled.hole & made.predictor.votes.listed]
    if label.min() >= (least := levels_of(measure, label)[0]):
        raise TruegainError(
            f"{arg('fill', 'predicted')}: all {len(label):,} documents that runs list and somebody judged have a label "
            f"of {least:g} or more, and nothing tells what is not relevant for {measure}; have some judged, and keep "
            "the judgments of those that are not relevant"
        )


def _left_out(made: Prediction) -> Bools:
    """Systems whose scores are left out because nobody judged a document that they alone list; tells what is said."""
    hole, found = made.filled.hole & made.predictor.votes.listed, made.newcomers
    warn(
        f"{int(hole.sum()):,} of {int(made.predictor.votes.listed.sum()):,} documents have predicted labels: these "
        "scores rank systems, and have no interval"
    )
    if found:
        one = next(iter(found))
        warn(
            f"no score for {some(sorted(found))}: of the documents that it alone has in its first {TOP} "
            f"({len(found[one])} of {one}) none is judged, so its rank would be a guess: it has the lowest and the "
            f"highest that its score can be by any labels of the unjudged documents in the first {DEPTH} ranks of the "
            "runs; have some of them judged"
        )
    return np.array([name in found for name in made.filled.ranked.systems])
