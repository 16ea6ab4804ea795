"""Pools that also hold the documents nobody judged, and who is hurt by a pool it did not contribute to."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from truegain.config import Scoring
from truegain.data.alignment import UNJUDGED, aligned, named_by_key, without_items
from truegain.data.id_matching import UNCHECKED, Unmatched
from truegain.data.judgments import Judgments, judgments_of_columns
from truegain.data.pool import RankedGains
from truegain.data.runs import Runs
from truegain.data.teams import Teams, TeamsLike, read_teams
from truegain.errors import MeasureError, TruegainError, counted, some, there_are, warn
from truegain.io.columns import Bools, Coded, Codes, Floats, Ints, frozen
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measure, parse_measures
from truegain.measures.scoring import at_level, in_question, matching_for, score, scored
from truegain.message import arg, argname
from truegain.results.base import Table
from truegain.results.table import Cell

NONE_JUDGED = "no document is judged, so bounds would span everything; have some judged"


@dataclass(frozen=True, eq=False)
class Filled:
    """Runs against a pool that also holds every document in question, with a label below 0, which is none."""

    ranked: RankedGains
    unjudged: Bools  # per item of the pool
    depth: int  # down to which documents are in question

    @classmethod
    def of(cls, runs: object, judgments: object, measure: Measure, options: Scoring, jobs: int | None = None) -> Filled:
        """Runs and judgments with all documents in question; some must be judged."""
        made = cls.down_to(None, runs, judgments, measure, options, jobs)
        if made.unjudged.all():
            raise TruegainError(NONE_JUDGED)
        return made

    @classmethod
    def down_to(
        cls, depth: int | None, runs: object, judgments: object, measure: Measure, options: Scoring,
        jobs: int | None = None, unmatched: Unmatched = "tell",
    ) -> Filled:  # fmt: skip
        """Align twice: once to see what is unjudged down to a depth, once with that in the pool.

        unmatched: what is done about systems without a judged document (see `Matching`).
        """
        _refuse_condensed(measure, options)
        if options.all_topics or options.no_relevant != "zero":
            raise TruegainError(
                "unjudged documents are counted on the topics that a run answers, as eval scores them; leave "
                f"{argname('all_topics')} and {argname('no_relevant')} out"
            )
        loaded, table = Runs.of(runs), Judgments.of(judgments)
        if table.are_gains and (table.label < 0).any():
            raise TruegainError(
                f"{int((table.label < 0).sum())} gains are below 0, and a label below 0 means unjudged; give the "
                "labels, or gains of 0 and above"
            )
        depth = depth or in_question(measure, options) or _lowest(loaded)
        first = aligned(
            loaded, table, options, jobs=jobs, keep_top=depth, matching=matching_for([measure], options, unmatched)
        )
        known = _unjudged(first, depth)
        first.pool.labels  # noqa: B018  one a document, or an error that names the place
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told the first time
            filled = with_unjudged(table, *known)
            ranked = aligned(loaded, filled, options, jobs=jobs, matching=UNCHECKED)
            ranked = replace(ranked.cut(options.depth), doubts=first.doubts)
        return cls(ranked, ~ranked.item_judged, depth)

    @classmethod
    def by_key(cls, ranked: RankedGains, measure: Measure, depth: int | None = None) -> Filled:
        """Fill lists that know their documents by key (`keys_in_question`): no run is read again.

        Unjudged documents have no names here, and lists end at the depth that is in question, below which the measure
        does not look, or at `depth`.
        """
        _refuse_condensed(measure, Scoring())
        near = ranked.cut(depth or in_question(measure, Scoring()))
        wide = named_by_key(near)
        unjudged = ~wide.item_judged
        if unjudged.all():
            raise TruegainError(NONE_JUDGED)
        return cls(wide, unjudged, int(near.depth.max(initial=0)))

    @cached_property
    def levels(self) -> Floats:
        """The labels an unjudged document may have: 0 and all that were given."""
        labels = self.ranked.item_gain[~self.unjudged]
        return frozen(np.unique(np.append(labels[labels > 0], 0.0)))

    def share(self, depth: int) -> Floats:
        """Share of the first documents of each list that are unjudged; of those there are, if fewer."""
        ranked = self.ranked
        inside = (ranked.rank <= depth) & ranked.judged
        judged = np.bincount(ranked.list[inside], minlength=ranked.lists)
        size = np.minimum(ranked.depth, depth)
        share = np.divide(size - judged, size, out=np.full(len(size), np.nan), where=size > 0)
        return np.asarray(share.reshape(len(ranked.systems), len(ranked.topics)), np.float64)

    def topic(self, number: int, within: Bools) -> UnjudgedOfTopic:
        """The lists of one topic, of their entries those that count."""
        ranked, systems = self.ranked, len(self.ranked.systems)
        lists = np.arange(systems) * len(ranked.topics) + number
        sizes = ranked.begin[lists + 1] - ranked.begin[lists]
        entry = np.repeat(ranked.begin[lists] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        system = np.repeat(np.arange(systems), sizes)[within[entry]]
        entry = entry[within[entry]]
        open_ = self.unjudged[ranked.item[entry]]
        pool = np.arange(ranked.pool.begin[number], ranked.pool.begin[number + 1])
        every = Entries(system, entry, ranked.rank[entry], ranked.item[entry])
        judged, unjudged = every.at(np.flatnonzero(~open_)), every.at(np.flatnonzero(open_))
        return UnjudgedOfTopic(systems, judged, unjudged, pool[~self.unjudged[pool]], int(self.unjudged[pool].sum()))


@dataclass(frozen=True, eq=False)
class Entries:
    """Documents in lists, system by system and from the top."""

    system: Ints
    entry: Ints
    rank: Ints
    item: Codes

    def at(self, rows: Ints) -> Entries:
        """Some of them."""
        return Entries(self.system[rows], self.entry[rows], self.rank[rows], self.item[rows])


@dataclass(frozen=True, eq=False)
class UnjudgedOfTopic:
    """One topic: judged documents and unjudged documents in the lists, and in the pool.

    Behind the systems stands one more without a document, which scores 0 whatever the labels.
    """

    systems: int
    judged: Entries
    unjudged: Entries
    judged_items: Ints
    count: int  # of unjudged documents, those in no list above the cutoff too

    def of_systems(self, kept: Ints) -> UnjudgedOfTopic:
        """Some systems alone, and the one without a document; what the pool holds stays."""
        place = np.full(self.systems + 1, -1)
        place[kept] = np.arange(len(kept))

        def some(of: Entries) -> Entries:
            kept = of.at(np.flatnonzero(place[of.system] >= 0))
            return replace(kept, system=place[kept.system])

        return replace(self, systems=len(kept), judged=some(self.judged), unjudged=some(self.unjudged))

    @cached_property
    def column(self) -> Ints:
        """The number of each unjudged document in a list among those that any list has above the cutoff."""
        return np.unique(self.unjudged.item, return_inverse=True)[1]

    @cached_property
    def own(self) -> Ints:
        """The columns of each system's unjudged documents from the top, then the column without a document."""
        per_system = np.bincount(self.unjudged.system, minlength=self.systems + 1)
        place = np.arange(len(self.column)) - np.repeat(np.cumsum(per_system) - per_system, per_system)
        own = np.full((self.systems + 1, int(per_system.max(initial=0))), self.columns)
        own[self.unjudged.system, place] = self.column
        return own

    @property
    def columns(self) -> int:
        """How many unjudged documents some list has above the cutoff."""
        return int(self.column.max(initial=-1)) + 1

    def table(self, values: Floats) -> Floats:
        """System by column: a value of each unjudged document of a list, else 0; one more column is empty."""
        out = np.zeros((self.systems + 1, self.columns + 1))
        out[self.unjudged.system, self.column] = values
        return out

    def fixed(self, values: Floats) -> Floats:
        """The sum of a value of each judged document over each list."""
        return np.bincount(self.judged.system, weights=values, minlength=self.systems + 1).astype(np.float64)


def _refuse_condensed(measure: Measure, options: Scoring) -> None:
    if getattr(measure, "judged_only", False) or options.judged_only:
        raise MeasureError(f"{measure}: judged_only removes the unjudged documents; leave it out")


def _lowest(runs: Runs) -> int:
    return max(int(np.bincount(part.topic.code).max(initial=1)) for part in runs.parts)


def _unjudged(ranked: RankedGains, depth: int) -> tuple[list[str], list[str]]:
    """The distinct pairs of topic and document within a depth that the judgments do not name."""
    assert ranked.top is not None
    top = ranked.top.cut(depth)
    lists = np.repeat(np.arange(ranked.lists), np.diff(top.begin))
    key = np.unique(ranked.list_topic[lists] * max(1, len(top.docs)) + top.doc)
    topic, docs = key // max(1, len(top.docs)), top.docs.take(key % max(1, len(top.docs)))
    items = ranked.pool.find(Coded(ranked.topics, frozen(topic.astype(np.int32))), docs)
    rows = np.flatnonzero(items < 0)
    return [ranked.topics[t] for t in topic[rows].tolist()], docs.take(rows).strings()


def with_unjudged(judgments: Judgments, topics: list[str], docs: list[str]) -> Judgments:
    """Judgments and, behind them, pairs without a label."""
    labels = np.concatenate([judgments.label, np.full(len(topics), UNJUDGED)])
    every = [*judgments.topic.strings(), *topics], [*judgments.docs.strings(), *docs]
    return judgments_of_columns(*every, labels, judgments.source)


# ---- Who is hurt by a pool it did not contribute to.


def held_alone(ranked: RankedGains, owners: Sequence[str | None], depth: int | None = None) -> dict[str, Ints]:
    """The documents of the pool that one owner alone has in its lists.

    Parameters
    ----------
    ranked : RankedGains
        Runs aligned with judgments.
    owners : sequence of str or None
        Whose each system is: a team's, or its own.  Systems of None do not count.
    depth : int, optional
        Down to which rank; by default to the end of the lists.

    Returns
    -------
    dict of str to ndarray of int
        By owner the numbers of these documents in `ranked.pool`.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"x": 1, "y": 1} for t in range(12)}
    >>> runs = {"a": dict.fromkeys(qrels, {"x": 2.0, "y": 1.0}), "b": dict.fromkeys(qrels, {"y": 2.0, "x": 1.0})}
    >>> alone = held_alone(tg.Study(runs, qrels, "P@1").ranked, ["ada", "bell"], 1)
    >>> {team: len(items) for team, items in alone.items()}
    {'ada': 12, 'bell': 12}
    """
    names = list(dict.fromkeys(owner for owner in owners if owner is not None))
    code = np.array([-1 if owner is None else names.index(owner) for owner in owners], np.int64)
    of_entry = code[ranked.list // len(ranked.topics)]
    counted = of_entry >= 0 if depth is None else (of_entry >= 0) & (ranked.rank <= depth)
    pairs = np.unique(of_entry[counted] * len(ranked.pool) + ranked.item[counted])
    owner, item = pairs // len(ranked.pool), pairs % len(ranked.pool)
    alone = np.bincount(item, minlength=len(ranked.pool))[item] == 1
    return {name: item[alone & (owner == number)] for number, name in enumerate(names)}


def tell_shallower(ranked: RankedGains, is_pooled: Sequence[bool], depth: int) -> None:
    """Warn where the first documents of pooled runs are not all judged: the pool of this depth would have them.

    >>> import truegain as tg
    >>> from truegain.errors import heard
    >>> qrels = {str(t): {"x": 1} for t in range(12)}
    >>> runs = {"a": dict.fromkeys(qrels, {"x": 2.0}), "b": dict.fromkeys(qrels, {"x": 2.0, "y": 1.0})}
    >>> ranked = tg.Study(runs, qrels, "P@1").ranked
    >>> with heard() as told:
    ...     tell_shallower(ranked, [True, False], 2)
    ...     tell_shallower(ranked, [True, True], 2)
    >>> told
    ['12 documents in the first 2 ranks of pooled runs are unjudged; was the pool shallower than pool_depth=2?']
    """
    sizes = np.diff(ranked.known_keys.begin)
    seen = int(sizes.max()) if (sizes < np.minimum(ranked.depth, depth)).any() else depth  # as far as keys are known
    wide = named_by_key(ranked.cut(seen))
    of_pool = np.array(is_pooled, np.bool_)[wide.list // len(wide.topics)]
    n = len(np.unique(wide.item[of_pool & ~wide.judged]))
    if n:
        ranks = "rank" if seen == 1 else f"{seen:,} ranks"
        warn(
            f"{counted(n, 'document')} in the first {ranks} of pooled runs {'is' if n == 1 else 'are'} unjudged; was "
            f"the pool shallower than {arg('pool_depth', depth)}?"
        )


@dataclass(frozen=True)
class LeftOutSystem:
    """A system's score with the judgments that it, or its team, alone brought to the pool, and without."""

    system: str
    score: float
    without: float
    rank: int
    rank_without: int
    lost: int  # judgments that it, or its team, alone had in the pool
    lost_relevant: int
    team: str | None = None  # left out as a whole, where teams are given
    measure: str = ""


def leave_out(
    runs: object,
    judgments: object,
    measure: str | Measure = "nDCG@10",
    *,
    pool_depth: int,
    pooled: Collection[str] | None = None,
    teams: TeamsLike | None = None,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> list[LeftOutSystem]:
    """What each pooled system would score had it, or its team, not been pooled.

    The first `pool_depth` documents of the `pooled` systems (all by default) made the pool.  Judgments that one system
    alone brought in are taken away, and all systems are scored again: how far it falls is what a new system, which
    never had the chance to bring documents in, may lose.  Runs of one team are alike, and keep one another's documents
    in the pool: with `teams`, judgments that one team alone brought in are taken away, and its pooled runs are told.

    Zobel 1998, SIGIR; by team Voorhees and Harman 1999, Overview of TREC-8.

    >>> runs = {"a": {"1": {"x": 3.0}}, "b": {"1": {"y": 3.0}}, "c": {"1": {"y": 1.0}}}
    >>> found = leave_out(runs, {"1": {"x": 1, "y": 1}}, "P@1", pool_depth=1)
    >>> [(f.system, f.score, f.without, f.rank, f.rank_without, f.lost) for f in found]
    [('a', 1.0, 0.0, 1, 3, 1), ('b', 1.0, 1.0, 1, 1, 0), ('c', 1.0, 1.0, 1, 1, 0)]
    >>> by_team = leave_out(runs, {"1": {"x": 1, "y": 1}}, "P@1", pool_depth=1, teams={"a": "s", "b": "t", "c": "t"})
    >>> [(f.system, f.team, f.without, f.lost) for f in by_team]
    [('a', 's', 0.0, 1), ('b', 't', 0.0, 1), ('c', 't', 0.0, 1)]
    """
    loaded, table, how = Runs.of(runs), Judgments.of(judgments), scoring or Scoring()
    known = None if teams is None else read_teams(teams).among(loaded.systems, loaded.tags)
    names = _pooled(loaded, known, pooled)
    asked = parse_measures(at_level(parse_measure(measure), how.relevant_from))
    matching = matching_for([a.measure for a in asked], how, "tell")
    ranked = aligned(loaded, table, how, keep_keys=pool_depth, jobs=jobs, matching=matching)
    full = next(iter(score(ranked, asked, how).summaries.values()))
    level, name = getattr(asked[0].measure, "rel", None) or 1, str(asked[0].measure)
    owners = [_of(known, system) if system in names else None for system in ranked.systems]
    tell_shallower(ranked, [owner is not None for owner in owners], pool_depth)
    left_out = {}
    for who, items in held_alone(ranked, owners, pool_depth).items():
        rows = np.isin(ranked.pool.row_item, items)
        without = full
        if rows.any() and not rows.all():
            without = next(iter(scored(without_items(ranked, items), asked, how).summaries.values()))
        left_out[who] = without, int(rows.sum()), int(np.sum(ranked.pool.judgments.label[rows] >= level))
    answers = []
    for number, system in enumerate(ranked.systems):
        if system not in names:
            continue
        without, lost, relevant = left_out[_of(known, system)]
        rank, rank_without = (int(np.sum(m > m[number])) + 1 for m in (full, without))
        scores = float(full[number]), float(without[number])
        team = None if known is None else known.of[system]
        answers.append(LeftOutSystem(system, *scores, rank, rank_without, lost, relevant, team, name))
    return answers


def _of(teams: Teams | None, system: str) -> str:
    """Who is left out with a system: its team, or it alone."""
    return system if teams is None else teams.of[system]


def _pooled(runs: Runs, teams: Teams | None, pooled: Collection[str] | None) -> set[str]:
    """The systems that the pool was made of, as named or as the teams say."""
    if teams is not None and pooled is not None and len(teams.pooled) < len(teams.of):
        raise TruegainError(
            f"{teams.source} has a column that says which runs were pooled; leave out {argname('pooled')}"
        )
    names = set(pooled) if pooled is not None else set(runs.systems) if teams is None else set(teams.pooled)
    if not names:
        raise TruegainError(f"none of the runs was pooled; check {'the list' if teams is None else teams.source}")
    if unknown := sorted(names - set(runs.systems)):
        named = there_are(unknown, runs.systems)
        raise TruegainError(f"pooled systems without a run: {some(unknown)}; give theirs too; {named}")
    return names


def left_out_table(found: Sequence[LeftOutSystem]) -> Table:
    """As a table, the system that loses most first; the measure, the mean change and the worst stand below."""
    name = next((f.measure for f in found), "")
    ordered = sorted(found, key=lambda f: f.without - f.score)
    by_team = any(f.team is not None for f in found)
    rows: list[tuple[Cell, ...]] = [
        (
            f.system, *([f.team] if by_team else []), f.score, f.without, f.without - f.score, f.rank, f.rank_without,
            f.lost, f.lost_relevant,
        )
        for f in ordered
    ]  # fmt: skip
    columns = (
        "system", *(["team"] if by_team else []), "score", "left out", "change", "rank", "rank left out",
        "judgments lost", "relevant lost",
    )  # fmt: skip
    whose = "'s team" if by_team else ""
    notes = [f"{name}; left out: without the judgments that only this system{whose} brought to the pool"]
    if ordered:
        mean, worst = sum(f.without - f.score for f in ordered) / len(ordered), ordered[0]
        teams = f", {counted(len({f.team for f in found}), 'team')}" if by_team else ""
        notes.append(
            f"change over {counted(len(ordered), 'system')}{teams}: mean {mean:+z.4f}, "
            f"worst {worst.without - worst.score:+z.4f} ({worst.system})"
        )
    return Table(columns, rows, {"measure": name}, notes=tuple(notes))
