"""Disjoint collections: whether judgments from one part of a collection order systems on another."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np

from truegain.config import Scoring
from truegain.data.alignment import align
from truegain.data.checks import check_documents
from truegain.data.id_matching import UNCHECKED, Matching
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.pool import Pool
from truegain.data.run import Run
from truegain.data.runs import Runs, RunsLike
from truegain.errors import InputError, TruegainError
from truegain.experiments.incomplete_collections import sd_of, shares_note, shares_of
from truegain.io.columns import Bools, Floats, Ids
from truegain.io.files import read_bytes, shown_path
from truegain.io.plain_text import plain_text
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.catalogue import parse_measure
from truegain.measures.content import Content, ContentScorer
from truegain.measures.scoring import matching_for
from truegain.message import argname
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.stats.other_collections import least_relevant
from truegain.stats.rank_correlation import first_ranks, kendall_tau
from truegain.text.corpus import Corpus, CorpusLike
from truegain.text.divergence import RankedText

ESTABLISHED = ("alpha_nDCG@20", "ERR_IA@20", "NRBP")
CONTENT = ("AbsNB@20", "AbsRB@20", "DeltaNB@20", "DeltaRB@20")
PARTS = ("all", "A", "B")
Cut = Callable[[Ids], Bools]  # whether each document is in part B
Own = str | os.PathLike[str] | Collection[str]


@dataclass(frozen=True, eq=False)
class Draw:
    """Means of the systems for one cut: `established[lists]` and `content[judgments, lists]`, a row a measure."""

    established: dict[str, Floats]
    content: dict[tuple[str, str], Floats]

    def tau(self, on: str, source: str, measure: int, content: int) -> float | None:
        """Kendall's tau-b of the systems on one part, by an established measure and a content one of another part."""
        return _tau(self.established[on][measure], self.content[source, on][content])


@dataclass(frozen=True)
class RankPanel:
    """The ranks of all systems, from 1, by two measures, and tau of the two rankings."""

    measure: str
    other: str
    systems: Sequence[str]
    ranks: Sequence[int]
    other_ranks: Sequence[int]
    tau: float | None
    collection: str = ""


@dataclass(frozen=True, eq=False)
class Disjoint:
    """Orders of the systems by every measure: lists from one part of the collection, judgments from another.

    Parts are 'all', 'A' and 'B'; one draw, or several ways to cut, whose taus are then told with their spread.
    """

    measures: tuple[str, ...]
    content_measures: tuple[str, ...]
    draws: tuple[Draw, ...]
    systems: int
    cut: str  # how, in words
    shares: dict[float, float]  # of the judged documents, those relevant at each level in use
    names: tuple[str, ...] = ()  # of the systems
    collection: str = ""  # its name, where there are several

    @cached_property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {"cut": self.cut, "systems": self.systems, "draws": len(self.draws)}

    def reuse(self) -> Table:
        """Table 1: judgments from A, systems and truth on B."""
        note = (
            f"Kendall's tau-b of {self.systems} systems: rows score the documents of B by the judgments of B, columns "
            f"by the text of relevant documents of A, which holds {self.cut}",
            shares_note(self.shares),
        )
        if len(self.draws) > 1:
            return self._spread([("A", "B")], "Reuse on a disjoint collection", note)
        rows = [(m, *(self.draws[0].tau("B", "A", i, k) for k in range(len(self.content_measures))))
                for i, m in enumerate(self.measures)]  # fmt: skip
        return Table(("measure", *self.content_measures), rows, self.provenance, "Reuse on a disjoint collection", note)

    def impact(self) -> Table:
        """Table 2: every part as the source of judgments, on every part."""
        pairs = [(j, on) for j in PARTS for on in PARTS]
        notes = (f"judgments of X on documents of Y; A holds {self.cut}", shares_note(self.shares))
        if len(self.draws) > 1:
            return self._spread(pairs, "Where the judgments come from", notes)
        rows: list[tuple[Cell, ...]] = [
            (m, c, *(self.draws[0].tau(on, j, i, k) for j, on in pairs))
            for i, m in enumerate(self.measures)
            for k, c in enumerate(self.content_measures)
        ]
        columns = ("measure", "content measure", *(f"{j} on {on}" for j, on in pairs))
        return Table(columns, rows, self.provenance, "Where the judgments come from", notes)

    def among(self) -> Table:
        """Table 3: the established measures among themselves, on the whole collection."""
        return self._whole(self.measures, self.draws[0].established["all"], "Established measures")

    def against(self) -> Table:
        """Table 4: content measures against established ones, on the whole collection."""
        title = "Content measures and established ones"
        return self._whole(self.content_measures, self.draws[0].content["all", "all"], title)

    def ranks(self, show: Literal["reuse", "among", "against"] = "against") -> list[RankPanel]:
        """Figure 2: the rank of every system by two measures, for each pair of measures of a table.

        Parameters
        ----------
        show : {'reuse', 'among', 'against'}
            The table: of the whole collection (figure 2), of established measures among themselves, or of lists of B by
            judgments of A; of several draws the first.

        Returns
        -------
        list of RankPanel
            One a pair of measures.
        """
        on, source = ("B", "A") if show == "reuse" else ("all", "all")
        left, draw = self.draws[0].established[on], self.draws[0]
        names, right = (self.measures, left) if show == "among" else (self.content_measures, draw.content[source, on])
        by_label, by_other = ([first_ranks(row).astype(int).tolist() for row in rows] for rows in (left, right))
        return [
            RankPanel(m, n, self.names, by_label[i], by_other[k], _tau(left[i], right[k]), self.collection)
            for i, m in enumerate(self.measures)
            for k, n in enumerate(names)
            if show != "among" or k < i
        ]

    def _whole(self, columns: Sequence[str], right: Floats, title: str) -> Table:
        left = self.draws[0].established["all"]
        rows = [(m, *(_tau(left[i], other) for other in right)) for i, m in enumerate(self.measures)]
        return Table(("measure", *columns), rows, self.provenance, title, (shares_note(self.shares),))

    def _spread(self, pairs: Sequence[tuple[str, str]], title: str, notes: tuple[str, ...]) -> Table:
        """Tau over the draws: mean, standard deviation, least and greatest; draws without a tau are left out."""
        rows: list[tuple[Cell, ...]] = []
        for source, on in pairs:
            for i, m in enumerate(self.measures):
                for k, c in enumerate(self.content_measures):
                    taus = [t for d in self.draws if (t := d.tau(on, source, i, k)) is not None]
                    mean = float(np.mean(taus)) if taus else None
                    ends = (min(taus, default=None), max(taus, default=None))
                    rows.append((f"{source} on {on}", m, c, mean, sd_of(np.array(taus)), *ends, len(taus)))
        columns = ("judgments", "measure", "content measure", "tau", "sd", "least", "greatest", "draws")
        about = "sd, least and greatest are over ways to split the same documents, not over other collections"
        return Table(columns, rows, self.provenance, title, (*notes, about))


def disjoint(
    runs: RunsLike,
    judgments: JudgmentsLike,
    corpus: CorpusLike,
    *,
    share_a: float = 0.5,
    part_a: Own | None = None,
    repeat: int = 1,
    seed: int = 0,
    established: Sequence[str] = ESTABLISHED,
    content: Sequence[str] = CONTENT,
) -> Disjoint:
    """Split the collection by the MD5 of document ids and score systems on one part by judgments of the other.

    Every measure goes by its own parameters, the level of relevance among them.
    part_a: the documents of part A instead, ids or a file of one a line; one that ends in * is the beginning of ids.
    repeat: cut so many times; the first time by the MD5 of ids, then of ids behind a text made of `seed` and a number.

    Hui, Berberich and Mele 2017, ICTIR, tables 1 to 4.
    """
    if not 0 < share_a < 1:
        raise TruegainError(f"{argname('share_a', share_a, 'g')} leaves a part empty; give a share between 0 and 1")
    cuts = cuts_of(part_a, repeat, seed, partial(in_part_b, share_a=share_a))
    parsed = [parse_measure(m) for m in established]
    reading = [m for m in map(parse_measure, content) if isinstance(m, Content)]
    if not parsed or not reading:
        raise TruegainError("there is nothing to compare; name at least one established and one content measure")
    if len(reading) < len(content):
        raise TruegainError(
            "a measure that reads no text is not a content measure; choose AbsNB, AbsRB, DeltaNB, DeltaRB"
        )
    study = _Study(Runs.of(runs), Judgments.of(judgments), Corpus.of(corpus), parsed, reading)
    draws = tuple(study.draw(cut) for cut in cuts)
    shares = shares_of(study.text["all"], [*map(least_relevant, parsed), *(m.rel for m in reading)])
    how = f"{share_a:.0%} of the documents" if part_a is None else "the documents named"
    how += f", split {repeat} times" if repeat > 1 else ""
    names = tuple(str(m) for m in parsed), tuple(str(m) for m in reading)
    return Disjoint(*names, draws, len(study.runs.systems), how, shares, tuple(study.runs.systems))


def beside(tables: Mapping[str, Table], mean: bool = False) -> Table:
    """The tables of several collections as one, the collection in the first column.

    Parameters
    ----------
    tables : mapping of str to Table
        Tables of the same columns, by the names of their collections.
    mean : bool
        Whether rows of means over the collections follow, as in table 3 of the paper; where one of them has no number
        there is no mean.

    Returns
    -------
    Table
        All rows; notes begin with the collection.

    Examples
    --------
    >>> two = {"2009": Table(("measure", "NRBP"), [("AP", 0.5)]), "2010": Table(("measure", "NRBP"), [("AP", 0.7)])}
    >>> [row[2] for row in beside(two, mean=True).rows]
    [0.5, 0.7, 0.6]
    """
    first = next(iter(tables.values()))
    if len(tables) == 1:
        return first
    rows: list[tuple[Cell, ...]] = [(name, *row) for name, table in tables.items() for row in table.rows]
    for at, row in enumerate(first.rows if mean else ()):
        columns = [[table.rows[at][c] for table in tables.values()] for c in range(len(row))]
        numbers = [[float(v) for v in column if isinstance(v, int | float)] for column in columns]
        means = [float(np.mean(n)) if len(n) == len(tables) else None for n in numbers]
        rows.append(("mean", *(row[c] if isinstance(row[c], str) else means[c] for c in range(len(row)))))
    notes = dict.fromkeys(f"{name}: {note}" for name, table in tables.items() for note in table.notes)
    provenance = {name: table.provenance for name, table in tables.items()}
    return Table(("collection", *first.columns), rows, provenance, first.title, tuple(notes))


@dataclass(frozen=True, eq=False)
class _Study:
    """Lists, judgments and text; the whole collection is read once, whatever the number of draws."""

    runs: Runs
    table: Judgments
    corpus: Corpus
    parsed: Sequence[Measure]
    reading: Sequence[Content]

    @cached_property
    def text(self) -> dict[str, RankedText]:
        """The lists of the whole collection with their text."""
        return {"all": self._text(self.runs)}

    @cached_property
    def whole(self) -> Floats:
        """Means of the systems on the whole collection."""
        return self._established(self.runs, self.table, matching_for(self.parsed, Scoring()))

    def draw(self, cut: Cut) -> Draw:
        """Everything for one way to cut."""
        scored, read = {"all": self.whole}, {}
        for on in PARTS:
            lists, text = self.runs, self.text["all"]
            if on != "all":
                lists = Runs(tuple(_only(part, cut, on) for part in self.runs.parts))
                rows = np.flatnonzero(cut(self.table.docs) == (on == "B"))
                if not len(rows):
                    raise TruegainError(f"part {on} has no judgments; split the collection another way")
                scored[on], text = self._established(lists, self.table.take(rows)), self._text(lists)
            side, scorer = cut(text.pool.docs), ContentScorer.of(text, list(self.reading))
            for source in PARTS:
                mine = np.ones(len(side), np.bool_) if source == "all" else side == (source == "B")
                read[source, on] = np.array(scorer.means(mine))
        return Draw(scored, read)

    def _text(self, lists: Runs) -> RankedText:
        depth = max(m.cutoff for m in self.reading)
        ranked, _ = align(Pool.of(self.table), [lambda: lists.parts], keep_top=depth)
        return RankedText.of(ranked, self.corpus)

    def _established(self, lists: Runs, table: Judgments, matching: Matching = UNCHECKED) -> Floats:
        """Means of the systems by the judgments of the same part."""
        ranked, systems = align(Pool.of(table), [lambda: lists.parts], deepest=matching.deepest)
        check_documents(systems, ranked.pool.ids_of, matching)
        return np.array([mean_of_rows(m.score(ranked)) for m in self.parsed])


def cuts_of(part_a: Own | None, repeat: int, seed: int, in_b: Callable[[bytes], bool]) -> list[Cut]:
    """How the collection is split: as the user says, or repeatedly by the MD5 of a text and each document's id.

    Parameters
    ----------
    part_a : str, path or collection of str, optional
        The documents of part A (see `own_part`); then there is one split.
    repeat : int
        The number of splits.  The first is by the MD5 of the id alone, as anyone can compute it.
    seed : int
        Of the others.
    in_b : callable
        From the MD5 of a document to whether it is in part B.

    Returns
    -------
    list of callable
        From documents to whether each is in part B.
    """
    if repeat < 1:
        raise TruegainError(f"{argname('repeat', repeat, '')} is not a number of splits; give 1 or more")
    if part_a is not None and repeat > 1:
        raise TruegainError(f"{argname('part_a')} fixes how the collection is split; leave out {argname('repeat')}")
    if part_a is not None:
        return [own_part(part_a)]
    return [by_md5(in_b, f"{seed}/{number}/" if number else "") for number in range(repeat)]


def by_md5(in_b: Callable[[bytes], bool], before: str = "") -> Cut:
    """A cut by the MD5 of a text and a document's id; each document is looked at once.

    >>> by_md5(lambda digest: digest[-1] % 2 == 1)(Ids.of(["d1", "d2", "d1"])).tolist()
    [False, True, False]
    """
    known: dict[bytes, bool] = {}

    def side(doc: bytes) -> bool:
        if doc not in known:
            known[doc] = in_b(hashlib.md5(before.encode() + doc, usedforsecurity=False).digest())
        return known[doc]

    def cut(docs: Ids) -> Bools:
        number, first = docs.numbered()
        start, end = docs.start[first], (docs.start + docs.length)[first]
        sides = [side(docs.text[a:b]) for a, b in zip(start.tolist(), end.tolist(), strict=True)]
        return np.array(sides, np.bool_)[number]

    return cut


def in_part_b(digest: bytes, share_a: float) -> bool:
    """Whether a document is in part B, where part A holds a share of all: by the first four bytes of its MD5."""
    return int.from_bytes(digest[:4], "big") >= int(share_a * 2**32)


def own_part(part_a: Own) -> Cut:
    """A cut by the documents of part A: ids, or a file of one a line; one that ends in * is the beginning of ids.

    >>> own_part(["d1", "web-*"])(Ids.of(["d1", "d12", "web-7"])).tolist()
    [False, True, False]
    """
    names = _lines(part_a) if isinstance(part_a, str | os.PathLike) else list(part_a)
    whole = {n for n in names if not n.endswith("*")}
    begins = tuple(n[:-1] for n in names if n.endswith("*"))
    return lambda docs: np.array([not (d in whole or d.startswith(begins)) for d in docs.strings()], np.bool_)


def _lines(path: str | os.PathLike[str]) -> list[str]:
    file = shown_path(path)
    lines = (line.strip() for line in plain_text(read_bytes(path), file).decode().splitlines())
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise InputError("there is no document", file=file, hint="write one id per line, or a prefix such as web-*")
    return names


def _only(part: Run, cut: Cut, on: str) -> Run:
    rows = np.flatnonzero(cut(part.docs) == (on == "B"))
    if not len(rows):
        raise TruegainError(f"{part.system} has no document in part {on} of the collection; split it another way")
    return part.take(rows)


def _tau(x: Floats, y: Floats) -> float | None:
    """Kendall's tau-b; None where all systems are tied."""
    return kendall_tau(x, y, "b") if len(set(x.tolist())) > 1 and len(set(y.tolist())) > 1 else None
