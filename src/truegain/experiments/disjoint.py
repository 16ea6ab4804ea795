"""The experiment of disjoint collections: whether judgments from one collection order systems on another."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truegain.errors import TruegainError
from truegain.experiments.incomplete import shares_of, told_shares
from truegain.inference.collection.expansion import least_relevant
from truegain.inference.ranks.tau import kendall_tau
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.content import Content, ContentScorer
from truegain.measures.parse import parse_measure
from truegain.tables.align import align
from truegain.tables.columns import Bools, Floats, Ids
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool
from truegain.tables.runs import Run, Runs
from truegain.tables.table import Table
from truegain.text.corpus import Corpus
from truegain.text.divergence import RankedText

ESTABLISHED = ("alpha_nDCG@20", "ERR_IA@20", "NRBP")
CONTENT = ("AbsNB@20", "AbsRB@20", "DeltaNB@20", "DeltaRB@20")
PARTS = ("all", "A", "B")


@dataclass(frozen=True, eq=False)
class Disjoint:
    """Means of the systems by every measure: lists from one part of the collection, judgments from another.

    `established[lists]` and `content[judgments, lists]` hold a row a measure; parts are 'all', 'A' and 'B'.
    """

    measures: tuple[str, ...]
    content_measures: tuple[str, ...]
    established: dict[str, Floats]
    content: dict[tuple[str, str], Floats]
    systems: int
    split: float
    shares: dict[float, float]  # of the judged documents, those relevant at each level in use

    @cached_property
    def made_by(self) -> dict[str, object]:
        """How it was made."""
        return {"split": self.split, "systems": self.systems}

    def reuse(self) -> Table:
        """Table 1: judgments from A, systems and truth on B."""
        note = (
            f"Kendall's tau-b of {self.systems} systems: rows score the documents of B by the judgments of B, columns "
            f"by the text of relevant documents of A, which holds {self.split:.0%} of the documents",
            told_shares(self.shares),
        )
        return Table(
            ("measure", *self.content_measures), self._rows(self.established["B"], self.content["A", "B"]),
            self.made_by, "Reuse on a disjoint collection", note,
        )  # fmt: skip

    def impact(self) -> Table:
        """Table 2: every part as the source of judgments, on every part."""
        pairs = [(j, on) for j in PARTS for on in PARTS]
        rows: list[tuple[str | float, ...]] = [
            (m, c, *(_tau(self.established[on][i], self.content[j, on][k]) for j, on in pairs))
            for i, m in enumerate(self.measures)
            for k, c in enumerate(self.content_measures)
        ]
        columns = ("measure", "content measure", *(f"{j} on {on}" for j, on in pairs))
        notes = ("judgments of X on documents of Y", told_shares(self.shares))
        return Table(columns, rows, self.made_by, "Where the judgments come from", notes)

    def among(self) -> Table:
        """Table 3: the established measures among themselves, on the whole collection."""
        return self._whole(self.measures, self.established["all"], "Established measures")

    def against(self) -> Table:
        """Table 4: content measures against established ones, on the whole collection."""
        return self._whole(self.content_measures, self.content["all", "all"], "Content measures and established ones")

    def _whole(self, columns: Sequence[str], right: Floats, title: str) -> Table:
        rows = self._rows(self.established["all"], right)
        return Table(("measure", *columns), rows, self.made_by, title, (told_shares(self.shares),))

    def _rows(self, left: Floats, right: Floats) -> list[tuple[str | float, ...]]:
        return [(m, *(_tau(left[i], other) for other in right)) for i, m in enumerate(self.measures)]


def disjoint(
    runs: object,
    judgments: object,
    corpus: object,
    *,
    split: float = 0.5,
    established: Sequence[str] = ESTABLISHED,
    content: Sequence[str] = CONTENT,
) -> Disjoint:
    """Split the collection by the MD5 of document ids and score systems on one part by judgments of the other.

    Every measure goes by its own parameters, the level of relevance among them.

    Hui, Berberich and Mele 2017, ICTIR, tables 1 to 4.
    """
    if not 0 < split < 1:
        raise TruegainError(f"split {split:g} leaves a part empty; give a share between 0 and 1")
    known = [parse_measure(m) for m in established]
    reading = [m for m in map(parse_measure, content) if isinstance(m, Content)]
    if not known or not reading:
        raise TruegainError("there is nothing to compare; name at least one established and one content measure")
    if len(reading) < len(content):
        raise TruegainError("a measure that reads no text is no content measure; choose AbsNB, AbsRB, DeltaNB, DeltaRB")
    loaded, table, opened = Runs.of(runs), Judgments.of(judgments), Corpus.of(corpus)
    parts = {"all": 2, "A": 0, "B": 1}
    scored: dict[str, Floats] = {}
    read: dict[tuple[str, str], Floats] = {}
    for on in PARTS:
        lists = Runs(tuple(_only(part, parts[on], split) for part in loaded.parts))
        ranked = _ranked(lists, table, opened, max(m.cutoff for m in reading))
        scored[on] = _established(lists, table, known, parts[on], split)
        shares = shares_of(ranked, [*map(least_relevant, known), *(m.rel for m in reading)])
        side, scorer = sides(ranked.pool.docs, split), ContentScorer.of(ranked, reading)
        for source in PARTS:
            mine = np.ones(len(side), np.bool_) if source == "all" else side == (source == "B")
            read[source, on] = np.array(scorer.means(mine))
    names = tuple(str(m) for m in known), tuple(str(m) for m in reading)
    return Disjoint(*names, scored, read, len(loaded.systems), split, shares)


def sides(docs: Ids, split: float) -> Bools:
    """Whether each document is in part B, which holds all but a share `split`, by the MD5 of its id."""
    edge = int(split * 2**32)
    digests = (hashlib.md5(name.encode(), usedforsecurity=False).digest()[:4] for name in docs.strings())
    return np.array([int.from_bytes(d, "big") >= edge for d in digests], np.bool_)


def _only(part: Run, side: int, split: float) -> Run:
    if side == 2:
        return part
    rows = np.flatnonzero(sides(part.docs, split) == bool(side))
    if not len(rows):
        raise TruegainError(f"{part.system} has no document in one part of the collection; try another split")
    return part.take(rows)


def _ranked(lists: Runs, table: Judgments, corpus: Corpus, depth: int) -> RankedText:
    ranked, _ = align(Pool.of(table), [lambda: lists.parts], keep_top=depth)
    return RankedText.of(ranked, corpus)


def _established(lists: Runs, table: Judgments, measures: Sequence[Measure], side: int, split: float) -> Floats:
    """Means of the systems by the judgments of the same part."""
    rows = np.arange(len(table)) if side == 2 else np.flatnonzero(sides(table.docs, split) == bool(side))
    ranked, _ = align(Pool.of(table.take(rows)), [lambda: lists.parts])
    return np.array([mean_of_rows(m.score(ranked)) for m in measures])


def _tau(x: Floats, y: Floats) -> float:
    return kendall_tau(x, y, "b") if len(set(x.tolist())) > 1 and len(set(y.tolist())) > 1 else 0.0
