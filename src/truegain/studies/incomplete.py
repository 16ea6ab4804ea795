"""The study of incomplete judgments: how fast each way of scoring loses the order of the systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from truegain.engine import Engine, Local
from truegain.errors import TruegainError
from truegain.inference.ranks.tau import kendall_tau
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.content import Content, covered_topic, relevant_items
from truegain.measures.evaluate import Options, aligned
from truegain.measures.parse import parse_measure
from truegain.tables.align import align
from truegain.tables.columns import Bools, Floats, Ints
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool
from truegain.tables.runs import Runs
from truegain.tables.table import Table
from truegain.text.divergence import RankedText, TopicText

KEEP = (1.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0)
RAW, CONDENSED = "raw", "condensed"


@dataclass(frozen=True, eq=False)
class Incomplete:
    """Kendall's tau with the ranking by all judgments, for every way of scoring, share kept and repetition."""

    against: str
    ways: tuple[str, ...]
    keep: tuple[float, ...]
    tau: Floats  # ways x keep x repetitions
    systems: int
    topics: int
    confidence: float = 0.95

    def table(self) -> Table:
        """One row for each share kept and way: mean tau, and where most repetitions lie."""
        tail = 100 * (1 - self.confidence) / 2
        low, high = np.percentile(self.tau, [tail, 100 - tail], axis=2)
        mean, spread = self.tau.mean(axis=2), self.tau.std(axis=2)
        rows = [
            (p, way, float(mean[w, k]), float(low[w, k]), float(high[w, k]), float(spread[w, k]))
            for k, p in enumerate(self.keep)
            for w, way in enumerate(self.ways)
        ]
        notes = (
            f"Kendall's tau-b with the ranking of {self.systems} systems by {self.against} on all judgments, "
            f"{self.topics} topics; mean of {self.tau.shape[2]} draws, low and high hold {self.confidence:.0%} of them",
        )
        return Table(("keep %", "way", "tau", "low", "high", "sd"), rows, {"against": self.against}, notes=notes)

    def wide(self) -> Table:
        """One row for each share kept, one column a way."""
        mean = self.tau.mean(axis=2)
        rows = [(p, *(float(mean[w, k]) for w in range(len(self.ways)))) for k, p in enumerate(self.keep)]
        return Table(("keep %", *self.ways), rows, {"against": self.against}, notes=self.table().notes)


@dataclass(frozen=True, eq=False)
class _Shared:
    """What every repetition needs and none changes."""

    runs: Runs
    judgments: Judgments
    ranked: RankedText
    established: Measure
    content: tuple[Content, ...]
    full: Floats
    groups: list[list[Ints]]
    lists: dict[tuple[float, int], list[TopicText]] = field(default_factory=dict)


def incomplete(
    runs: object,
    judgments: object,
    corpus: object,
    *,
    against: str = "alpha_nDCG@20",
    measures: Sequence[str] = ("AbsRB@20", "DeltaRB@20"),
    keep: Sequence[float] = KEEP,
    repeat: int = 30,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> Incomplete:
    """Judgments thinned out at random, and the order of the systems compared with that by all judgments.

    Of every topic max(1, ceil(p% of the relevant documents)) and p% of the others keep their labels.  `against` scores
    the lists as they are (raw) and without documents that lost their labels (condensed); `measures` read text.

    Hui, Berberich and Mele 2017, ICTIR, figure 1; Buckley and Voorhees 2004, SIGIR.
    """
    established, content = _checked(against, measures, keep)
    loaded, table = Runs.of(runs), Judgments.of(judgments)
    depth = max(m.cutoff for m in content) if content else 1
    plain = aligned(loaded, table, Options(), keep_top=depth)
    ranked = RankedText.of(plain, corpus)
    shared = _Shared(
        loaded,
        table,
        ranked,
        established,
        content,
        mean_of_rows(established.score(ranked)),
        relevant_items(ranked, 1),
    )
    for measure in content:
        texts, key = ranked.texts, (measure.mu, measure.cutoff)
        if key not in shared.lists:
            shared.lists[key] = [TopicText.of(texts, t, *key) for t in range(len(ranked.topics))]
    pieces = [(p, r) for p in keep for r in range(repeat)]
    engine = engine or Local(1)
    taus = list(engine.run(_one, pieces, shared=shared, seed=seed, progress=progress))
    ways = (RAW, CONDENSED, *(str(m) for m in content))
    tau = np.array(taus).reshape(len(keep), repeat, len(ways)).transpose(2, 0, 1)
    return Incomplete(str(established), ways, tuple(keep), tau, len(loaded.systems), len(ranked.topics))


def _checked(against: str, measures: Sequence[str], keep: Sequence[float]) -> tuple[Measure, tuple[Content, ...]]:
    established = parse_measure(against)
    if isinstance(established, Content) or not hasattr(established, "judged_only"):
        raise TruegainError(f"{against} has no condensed form; name a measure with judged_only, such as alpha_nDCG@20")
    content = [parse_measure(m) for m in measures]
    if wrong := [str(m) for m in content if not isinstance(m, Content)]:
        raise TruegainError(f"{wrong[0]} reads no text; choose from AbsNB, AbsRB, DeltaNB, DeltaRB")
    if bad := [p for p in keep if not 0 < p <= 100]:
        raise TruegainError(f"{bad[0]:g} is not a percentage of judgments to keep; give numbers above 0, up to 100")
    return established, tuple(m for m in content if isinstance(m, Content))


def kept_items(ranked: RankedText, relevant: Bools, percent: float, rng: np.random.Generator) -> Bools:
    """Which documents of the pool keep their labels."""
    kept = np.zeros(len(ranked.pool), np.bool_)
    for t in range(len(ranked.topics)):
        here = np.arange(ranked.pool.begin[t], ranked.pool.begin[t + 1])
        good, bad = here[relevant[here]], here[~relevant[here]]
        # a share such as 15% of 20 is 3, not 4, whatever 0.15 is in binary
        wanted = max(1, math.ceil(round(percent * len(good) / 100, 9))) if len(good) else 0
        kept[rng.choice(good, wanted, replace=False)] = True
        kept[rng.choice(bad, round(percent * len(bad) / 100), replace=False)] = True
    return kept


def _one(shared: _Shared, piece: tuple[float, int], seed: np.random.SeedSequence) -> list[float]:
    """One draw: tau of every way with the full ranking."""
    ranked = shared.ranked
    relevant = np.zeros(len(ranked.pool), np.bool_)
    relevant[[int(i) for groups in shared.groups for items in groups for i in items]] = True
    kept = kept_items(ranked, relevant, piece[0], np.random.default_rng(seed))
    rows = np.flatnonzero(kept[ranked.pool.row_item])
    thin, _ = align(Pool.of(shared.judgments.take(rows)), [lambda: shared.runs.parts])
    condensed = replace(shared.established, judged_only=True)  # type: ignore[call-arg]
    means = [mean_of_rows(m.score(thin)) for m in (shared.established, condensed)]
    thinned = [[kept_of for items in groups if len(kept_of := items[kept[items]])] for groups in shared.groups]
    means += content_means(ranked, shared.content, shared.lists, thinned)
    return [kendall_tau(shared.full, m, "b") if len(set(m.tolist())) > 1 else 0.0 for m in means]


def content_means(
    ranked: RankedText,
    measures: Sequence[Content],
    lists: dict[tuple[float, int], list[TopicText]],
    groups: list[list[Ints]],
) -> list[Floats]:
    """The mean of each system by each content measure, with these documents relevant to the subtopics."""
    means = []
    covered: dict[tuple[float, int], list[Any]] = {}
    for measure in measures:
        key = (measure.mu, measure.cutoff)
        if key not in covered:
            covered[key] = [covered_topic(ranked.texts, of, g) for of, g in zip(lists[key], groups, strict=True)]
        values = np.full((len(ranked.systems), len(ranked.topics)), np.nan)
        for t, of_topic in enumerate(covered[key]):
            if of_topic is not None:
                values[:, t] = measure.of_covered(of_topic)
        present = ranked.present.reshape(values.shape)
        means.append(mean_of_rows(np.where(present, values, np.nan)))
    return means
