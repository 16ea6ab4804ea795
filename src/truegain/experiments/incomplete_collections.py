"""Incomplete judgments: how fast each way of scoring loses the order of the systems."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truegain.config import Scoring
from truegain.data.alignment import align, aligned
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import Pool, RankedGains
from truegain.data.runs import Runs, RunsLike
from truegain.errors import TruegainError, counted, warn
from truegain.io.columns import Bools, Coded, Floats
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.catalogue import parse_measure, parse_measures
from truegain.measures.content import Content, ContentScorer, relevant_items
from truegain.measures.expected import is_expected
from truegain.measures.scoring import matching_for
from truegain.message import arg
from truegain.parallel.jobs import Engine, engine_for
from truegain.pooling.prediction import Prediction
from truegain.results.base import Table
from truegain.stats.other_collections import least_relevant
from truegain.stats.rank_correlation import kendall_tau
from truegain.text.corpus import CorpusLike
from truegain.text.divergence import RankedText

KEEP = (1.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0)
RAW, CONDENSED, PREDICTED = "raw", "condensed", "predicted"
TEXT = ("AbsRB@20", "DeltaRB@20")
MOST = 0.5  # beyond this share of relevant documents, a list without unjudged ones is mostly relevant by itself


@dataclass(frozen=True, eq=False)
class Incomplete:
    """Kendall's tau with the ranking by all judgments, for every way of scoring, share kept and repetition."""

    against: str
    ways: tuple[str, ...]
    keep: tuple[float, ...]
    tau: Floats  # ways x keep x repetitions
    systems: int
    topics: int
    shares: dict[float, float]  # of the judged documents, those relevant at each level in use
    confidence: float = 0.95
    unpredicted: str = ""  # why there is no way with predicted labels
    collection: str = ""  # its name, where there are several

    def table(self) -> Table:
        """One row for each share kept and way: mean tau, and where most repetitions lie."""
        tail = 100 * (1 - self.confidence) / 2
        low, high = np.percentile(self.tau, [tail, 100 - tail], axis=2)
        mean = self.tau.mean(axis=2)
        rows = [
            (p, way, float(mean[w, k]), float(low[w, k]), float(high[w, k]), sd_of(self.tau[w, k]))
            for k, p in enumerate(self.keep)
            for w, way in enumerate(self.ways)
        ]
        notes = (
            f"Kendall's tau-b with the ranking of {self.systems} systems by {self.against} on all judgments, "
            f"{self.topics} topics; mean of {counted(self.tau.shape[2], 'draw')}, low and high are the quantiles of "
            f"the draws between which the middle {self.confidence:.0%} lie",
            shares_note(self.shares),
            *((self.unpredicted,) if self.unpredicted else ()),
        )
        return Table(("keep %", "way", "tau", "low", "high", "sd"), rows, {"against": self.against}, notes=notes)

    def wide(self) -> Table:
        """One row for each share kept, one column a way."""
        mean = self.tau.mean(axis=2)
        rows = [(p, *(float(mean[w, k]) for w in range(len(self.ways)))) for k, p in enumerate(self.keep)]
        return Table(("keep %", *self.ways), rows, {"against": self.against}, notes=self.table().notes)


def sd_of(draws: Floats) -> float | None:
    """Standard deviation of draws, over their number less 1: 0 where all are equal, None of a single one.

    >>> sd_of(np.array([1.0, 2.0, 3.0])), sd_of(np.full(3, 0.1)), sd_of(np.array([0.5]))
    (1.0, 0.0, None)
    """
    if len(draws) < 2:
        return None
    return 0.0 if draws.min() == draws.max() else float(draws.std(ddof=1))


def together(results: Sequence[Incomplete], wide: bool = False) -> Table:
    """The tables of several experiments as one, whose first columns say the collection and what it is held against."""
    tables = [one.wide() if wide else one.table() for one in results]
    if len(results) == 1:
        return tables[0]
    columns = list(dict.fromkeys(name for table in tables for name in table.columns))  # of predictions: where known
    named = any(one.collection for one in results)
    rows = [
        (*((one.collection,) if named else ()), one.against, *(row.get(name) for name in columns))
        for one, table in zip(results, tables, strict=True)
        for row in table.records()
    ]
    notes = dict.fromkeys(
        f"{one.collection}: {note}" if named else note
        for one, table in zip(results, tables, strict=True)
        for note in table.notes
    )
    against = {"against": list(dict.fromkeys(one.against for one in results))}
    first = ("collection", "against") if named else ("against",)
    return Table((*first, *columns), rows, against, notes=tuple(notes))


@dataclass(frozen=True, eq=False)
class _Ranked:
    """The ranking by all judgments of one established measure."""

    established: Measure
    level: float  # a label that the measure calls relevant
    relevant: Bools  # per item of the pool, at that level
    full: Floats
    prediction: Prediction | None  # where the established measure is known with predicted labels


@dataclass(frozen=True, eq=False)
class _Shared:
    """What every repetition needs and none changes."""

    runs: Runs
    judgments: Judgments
    ranked: RankedGains
    content: ContentScorer | None
    rankings: tuple[_Ranked, ...]


def incomplete(
    runs: RunsLike,
    judgments: JudgmentsLike,
    corpus: CorpusLike | None = None,
    *,
    against: str | None = None,
    measures: Sequence[str] | None = None,
    keep: Sequence[float] = KEEP,
    repeat: int = 30,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> Incomplete:
    """Judgments thinned out at random, and the order of the systems compared with that by all judgments.

    Of every topic max(1, ceil(p% of the relevant documents)) and p% of the others keep their labels, relevant being
    what `against` calls so.  `against` scores the lists as they are (raw), without documents that lost their labels
    (condensed), and where it is linear in gain, nDCG, AP or R with labels that are predicted from the runs and those
    kept (predicted); `measures` read the text of `corpus`, each by its own parameters (AbsRB@20 and DeltaRB@20).
    Without a corpus there are none.  `against` is alpha_nDCG@20, without a corpus and subtopics nDCG@20.
    `incomplete_rankings` takes several at once.

    Hui, Berberich and Mele 2017, ICTIR, figure 1; Buckley and Voorhees 2004, SIGIR.
    """
    return incomplete_rankings(
        runs,
        judgments,
        corpus,
        against=None if against is None else [against],
        measures=measures,
        keep=keep,
        repeat=repeat,
        seed=seed,
        engine=engine,
        progress=progress,
    )[0]


def incomplete_rankings(
    runs: RunsLike,
    judgments: JudgmentsLike,
    corpus: CorpusLike | None = None,
    *,
    against: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    keep: Sequence[float] = KEEP,
    repeat: int = 30,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Incomplete]:
    """`incomplete` against several rankings, one answer each, from the same draws: a column of figure 1 in one pass.

    Measures that call the same documents relevant share the thinned judgments and the scores by text, so that each
    further one costs its own scores alone.

    Hui, Berberich and Mele 2017, ICTIR, figure 1.

    >>> from truegain.experiments.worlds import simulate
    >>> world = simulate(topics=8, systems=4, seed=1)
    >>> found = incomplete_rankings(world.runs, world.gold, against=["nDCG@20", "P@10"], keep=[50, 100], repeat=2)
    >>> [(one.against, one.ways) for one in found]
    [('nDCG@20', ('raw', 'condensed', 'predicted')), ('P@10', ('raw', 'condensed', 'predicted'))]
    """
    if corpus is None and measures:
        raise TruegainError(f"{measures[0]} reads text; give its corpus ({arg('corpus')}), or leave it out")
    loaded, table = Runs.of(runs), Judgments.of(judgments)
    usual = "alpha_nDCG@20" if corpus is not None or table.has_subtopics else "nDCG@20"
    reading = () if corpus is None else TEXT if measures is None else measures
    checked = [_checked(name, reading, keep) for name in dict.fromkeys(against or [usual])]
    established, content = [one for one, _ in checked], checked[0][1]
    depth = max((m.cutoff for m in content), default=1)
    gains = aligned(loaded, table, Scoring(), keep_top=depth, matching=matching_for(established, Scoring()))
    ranked = gains if corpus is None else RankedText.of(gains, corpus)
    rankings = tuple(_ranked(loaded, table, ranked, measure) for measure in established)
    scorer = ContentScorer.of(ranked, content) if isinstance(ranked, RankedText) else None
    shared = _Shared(loaded, table, ranked, scorer, rankings)
    pieces = [(p, r) for p in keep for r in range(repeat)]
    engine = engine or engine_for(1)
    taus = list(engine.run(_one, pieces, shared=shared, seed=seed, progress=progress))
    answers = []
    for at, one in enumerate(rankings):
        ways = (RAW, CONDENSED, *((PREDICTED,) if one.prediction else ()), *(str(m) for m in content))
        tau = np.array([drawn[at] for drawn in taus]).reshape(len(keep), repeat, len(ways)).transpose(2, 0, 1)
        counts = len(loaded.systems), len(ranked.topics)
        shares = shares_of(ranked, [one.level, *(m.rel for m in content)])
        why = f"no scores with predicted labels: {one.established} does not support them; nDCG, AP and P do"
        unpredicted = "" if one.prediction else why
        answers.append(
            Incomplete(str(one.established), ways, tuple(keep), tau, *counts, shares, unpredicted=unpredicted)
        )
    return answers


def _ranked(runs: Runs, table: Judgments, ranked: RankedGains, established: Measure) -> _Ranked:
    """The ranking by all judgments; a warning where nearly all judged documents are relevant to the measure."""
    level = least_relevant(established)
    share = shares_of(ranked, [level])[level]
    if share > MOST:
        warn(
            f"{share:.0%} of the judged documents are relevant to {established}: rankings without unjudged "
            "documents (condensed) are then nearly all relevant, and show little; use a stricter level too"
        )
    full = mean_of_rows(established.score(ranked))
    return _Ranked(established, level, relevant_to_any(ranked, level), full, _prediction(runs, table, established))


def _prediction(runs: Runs, judgments: Judgments, measure: Measure) -> Prediction | None:
    """What predicts labels, with all judgments in place; None where scores with predicted labels are not known."""
    if judgments.has_subtopics or judgments.assessor is not None or not is_expected(measure):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told when the runs were first read
        return Prediction.of(runs, judgments, measure, Scoring())


def relevant_to_any(ranked: RankedGains, level: float) -> Bools:
    """Which items of the pool are relevant to a subtopic, or to the topic."""
    relevant = np.zeros(len(ranked.pool), np.bool_)
    for groups in relevant_items(ranked, level):
        for items in groups:
            relevant[items] = True
    return relevant


def shares_of(ranked: RankedGains, levels: Iterable[float]) -> dict[float, float]:
    """Of the judged documents, the share that is relevant at each level."""
    facets = ranked.facets
    judged = len(np.unique(facets.item[facets.label >= 0]))
    return {level: float(relevant_to_any(ranked, level).sum()) / max(1, judged) for level in sorted({*levels})}


def shares_note(shares: dict[float, float]) -> str:
    """The shares as a note.

    >>> shares_note({1.0: 0.71, 5.0: 0.118})
    'of the judged documents 71% have a label of at least 1, 12% a label of at least 5'
    """
    least = {level: "above 0" if level < 1e-300 else f"of at least {level:g}" for level in shares}
    parts = [
        f"{share:.0%} {'a' if n else 'have a'} label {least[level]}" for n, (level, share) in enumerate(shares.items())
    ]
    return f"of the judged documents {', '.join(parts)}"


def _checked(against: str, measures: Sequence[str], keep: Sequence[float]) -> tuple[Measure, tuple[Content, ...]]:
    established = parse_measure(against)
    if isinstance(established, Content) or not hasattr(established, "judged_only"):
        raise TruegainError(f"{against} has no condensed form; name a measure with judged_only, such as alpha_nDCG@20")
    if getattr(established, "judged_only", False):
        raise TruegainError(f"{against} is condensed already, and would be listed as raw; leave judged_only out")
    content = [named.measure for named in parse_measures(measures)] if measures else []
    if wrong := [str(m) for m in content if not isinstance(m, Content)]:
        raise TruegainError(f"{wrong[0]} reads no text; choose from AbsNB, AbsRB, DeltaNB, DeltaRB")
    if bad := [p for p in keep if not 0 < p <= 100]:
        raise TruegainError(f"{bad[0]:g} is not a percentage of judgments to keep; give numbers above 0, up to 100")
    return established, tuple(m for m in content if isinstance(m, Content))


def kept_items(ranked: RankedGains, relevant: Bools, percent: float, rng: np.random.Generator) -> Bools:
    """Which documents of the pool keep their labels."""
    kept = np.zeros(len(ranked.pool), np.bool_)
    for t in range(len(ranked.topics)):
        here = np.arange(ranked.pool.begin[t], ranked.pool.begin[t + 1])
        good, bad = here[relevant[here]], here[~relevant[here]]
        # a share such as 15% of 20 is 3, not 4, whatever 0.15 is in binary
        count = max(1, math.ceil(round(percent * len(good) / 100, 9))) if len(good) else 0
        kept[rng.choice(good, count, replace=False)] = True
        kept[rng.choice(bad, round(percent * len(bad) / 100), replace=False)] = True
    return kept


def _one(shared: _Shared, piece: tuple[float, int], seed: np.random.SeedSequence) -> list[list[float]]:
    """One draw: for each ranking by all judgments tau of every way with it."""
    drawn: dict[float, tuple[Bools, RankedGains, list[Floats]]] = {}
    taus = []
    for one in shared.rankings:
        if one.level not in drawn:  # the same documents are relevant: the same judgments are left
            kept = kept_items(shared.ranked, one.relevant, piece[0], np.random.default_rng(seed))
            rows = np.flatnonzero(kept[shared.ranked.pool.row_item])
            thin, _ = align(Pool.of(shared.judgments.take(rows)), [lambda: shared.runs.parts])
            drawn[one.level] = kept, thin, [] if shared.content is None else shared.content.means(kept)
        kept, thin, by_text = drawn[one.level]
        condensed = replace(one.established, judged_only=True)  # type: ignore[call-arg]
        means = [mean_of_rows(m.score(thin)) for m in (one.established, condensed)]
        if one.prediction is not None:
            means.append(_predicted(one.prediction, one.established, shared.ranked.pool, kept))
        taus.append([kendall_tau(one.full, m, "b") if len(set(m.tolist())) > 1 else 0.0 for m in (*means, *by_text)])
    return taus


def _predicted(prediction: Prediction, measure: Measure, pool: Pool, kept: Bools) -> Floats:
    """Means of the systems with predicted labels for documents that lost theirs."""
    filled = prediction.filled.ranked.pool
    lost = filled.find(Coded(pool.topics, pool.topic[~kept]), pool.docs.take(np.flatnonzero(~kept)))
    label = prediction.label.copy()
    label[lost] = np.nan
    return mean_of_rows(prediction.relabeled(label).scored(measure).score)
