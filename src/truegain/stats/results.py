"""Results of statistics: estimates, differences, plans, and lists of them as one wide table for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Generic, Self, TypeVar, Unpack, overload

from truegain.errors import TruegainError, counted, some
from truegain.results.base import PaperStyle, PaperWords, Result, Table
from truegain.results.paper_table import Column, Wide
from truegain.results.table import listed, new_names
from truegain.stats.student_t import p_in_words

# ---- The two kinds of answers: a value with an interval, and a difference.


@dataclass(frozen=True, repr=False)
class Estimate(Result):
    """A value with an interval.

    Attributes
    ----------
    system : str
        Whose value it is; empty where it is of all systems.
    measure : str
        On which measure.
    value : float
        The score, or the coefficient; NaN where there is no sound one, and `notes` say why.
    low, high : float
        The ends of the interval.
    confidence : float
        How often such intervals hold the true value.
    population : str
        What it holds for: 'topics', 'collection', 'topics+collection', or several sources of a study.
    method : str
        How the interval was made.
    se : float, optional
        The standard error of the value.
    n : int, optional
        The number of topics, or of items.
    topic : str
        The topic, where the value is of one; else 'all'.
    uncorrected : float, optional
        What the judge's labels say as they are, where gold labels correct the value.
    gold : str
        How gold labels were sampled.
    gold_pairs : int, optional
        How many gold labels there are.
    notes : tuple of str
        What a reader must know of it.

    Examples
    --------
    >>> print(Estimate("bm25", "AP", 0.25, 0.2, 0.31, confidence=0.95, population="topics", method="percentile"))
    bm25 AP 0.2500 [0.2000, 0.3100] 95% over topics, percentile
    """

    system: str
    measure: str
    value: float
    low: float
    high: float
    confidence: float = 0.95
    population: str = "topics"
    method: str = ""
    se: float | None = None
    n: int | None = None
    topic: str = "all"
    uncorrected: float | None = None
    gold: str = ""  # how gold labels were sampled, and how many there are
    gold_pairs: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {"method": self.method, "population": self.population, "confidence": self.confidence}

    def table(self) -> Table:
        """One row."""
        return table_of([self], provenance=self.provenance)

    def in_short(self) -> str:
        """The value with its interval."""
        return str(self)

    @property
    def refused(self) -> bool:
        """Whether there is no sound value (NaN): the notes say why."""
        return math.isnan(self.value)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval together, `low` and `high`."""
        return self.low, self.high

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.high - self.low

    def __str__(self) -> str:
        name = f"{self.system} {self.measure}".lstrip()
        if self.refused:
            return f"{name}: undefined, {'; '.join(self.notes)}"
        value = f"{name} {self.value:z.4f}"
        if math.isnan(self.low):
            return value
        how = f"{100 * self.confidence:g}% over {self.population}, {self.method}"
        return f"{value} [{self.low:z.4f}, {self.high:z.4f}] {how}"


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """A difference b - a of two systems on one measure.

    Attributes
    ----------
    a, b : str
        The two systems.
    measure : str
        On which measure.
    value_a, value_b : float
        Their scores.
    difference : float
        value_b - value_a, or what gold labels say of it; NaN where it is not known, and `notes` say why.
    low, high : float, optional
        The ends of its interval; None where the test has none.
    p : float, optional
        Two-sided, that there is no difference.
    p_adjusted : float, optional
        The same, adjusted for the number of pairs.
    test : str
        By which test.
    adjustment : str
        How p is adjusted for the number of pairs.
    effect : float, optional
        The effect size, as `effect_name` calls it: dz, Hedges' g, or Sakai's ES_HSD.
    effect_name : str
        What the effect size is.
    confidence : float
        Of the interval; a difference with p (adjusted, where it is) below 1 - confidence is significant.
    n : int, optional
        The number of topics.
    uncorrected, uncorrected_p : float, optional
        Difference and p by the judge's labels as they are, where gold labels correct them.
    notes : tuple of str
        What a reader must know of it.

    Examples
    --------
    >>> c = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired t", n=50)
    >>> print(c)
    b - a AP +0.0500 [0.0100, 0.0900] p = 0.0200 (paired t, n = 50)
    """

    a: str
    b: str
    measure: str
    value_a: float
    value_b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None = None
    test: str = ""
    adjustment: str = ""
    effect: float | None = None
    effect_name: str = ""
    confidence: float = 0.95
    n: int | None = None
    uncorrected: float | None = None
    uncorrected_p: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def provenance(self) -> dict[str, object]:
        """How it was made."""
        return {"test": self.test, "adjustment": self.adjustment, "confidence": self.confidence}

    def table(self) -> Table:
        """One row."""
        return table_of([self], provenance=self.provenance)

    def in_short(self) -> str:
        """The difference with its interval."""
        return str(self)

    @property
    def p_shown(self) -> float:
        """The adjusted p where there is one, else p; NaN where there is none."""
        p = self.p if self.p_adjusted is None else self.p_adjusted
        return math.nan if p is None else p

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the interval together, `low` and `high`; None where there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def differs(self) -> bool:
        """Whether the difference is significant: by p, or where there is none by the limits and no notes."""
        if self.p is None and self.p_adjusted is None and self.low is not None and self.high is not None:
            return not self.notes and (self.low > 0 or self.high < 0)
        return self.p_shown < 1 - self.confidence

    def turned(self) -> Self:
        """The comparison the other way round, a - b: the differences, their interval and the effect change sign.

        Returns
        -------
        Comparison
            Of the same two systems.

        Examples
        --------
        >>> c = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired t", n=50)
        >>> print(c.turned())
        a - b AP -0.0500 [-0.0900, -0.0100] p = 0.0200 (paired t, n = 50)
        """
        return replace(
            self, a=self.b, b=self.a, value_a=self.value_b, value_b=self.value_a, difference=0.0 - self.difference,
            low=_less(self.high), high=_less(self.low), effect=_less(self.effect), uncorrected=_less(self.uncorrected),
        )  # fmt: skip

    def __str__(self) -> str:
        if math.isnan(self.difference) and self.notes:
            return f"{self.b} - {self.a} {self.measure}: not known, {'; '.join(self.notes)}"
        interval = "" if self.low is None or self.high is None else f" [{self.low:z.4f}, {self.high:z.4f}]"
        p = "" if self.p is None else f" {p_in_words(self.p)}"
        n = "" if self.n is None else f", n = {self.n}"
        unless = f"; {'; '.join(self.notes)}" if self.notes and self.p is None and interval else ""
        return f"{self.b} - {self.a} {self.measure} {self.difference:+z.4f}{interval}{p} ({self.test}{n}){unless}"


def _less(x: float | None) -> float | None:
    """Its negative, where there is one; zero stays zero, without a sign."""
    return None if x is None else 0.0 - x


def table_of(
    answers: Sequence[Estimate] | Sequence[Comparison],
    *,
    provenance: Mapping[str, object] | None = None,
    title: str = "",
    leave_out: Iterable[str] = ("notes",),
) -> Table:
    """Answers of one kind as a table: a column a field, without columns that hold nothing."""
    left_out = set(leave_out)
    names = [f.name for f in fields(answers[0]) if f.name not in left_out] if answers else []
    names = [n for n in names if any(getattr(a, n) not in (None, "") for a in answers)]
    notes = tuple(dict.fromkeys(note for a in answers for note in a.notes))
    rows = [tuple(getattr(a, n) for n in names) for a in answers]
    return Table(tuple(names), rows, provenance or {}, title, notes)


# ---- Estimates and comparisons as one wide table for a paper: systems by measures.

TESTS = {
    "tukey-hsd": "Tukey's HSD test of all pairs at once, topics as blocks",
    "randomized-tukey-hsd": "the randomized Tukey HSD test of all pairs at once",
    "one-way-tukey-hsd": "Tukey's HSD test of all pairs at once, one-way",
    "paired-t": "paired t tests",
    "wilcoxon": "Wilcoxon's signed rank tests",
    "sign": "sign tests",
    "randomization": "paired randomization tests",
    "bootstrap": "paired bootstrap tests",
    "welch": "Welch's t tests",
}
CORRECTIONS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "hochberg": "Hochberg's correction",
    "holm-sidak": "the Holm-Sidak correction",
    "bh": "Benjamini and Hochberg's correction",
    "by": "Benjamini and Yekutieli's correction",
    "largest t": "Westfall and Young's correction",
    "none": "no correction",
}


def by_which_test(
    test: str, adjustment: str, pairs: int, level: float, *, measures: int = 1, trials: object = None
) -> str:
    """Test, correction and alpha, as a caption says them.

    >>> by_which_test("paired-t", "holm", 28, 0.95, measures=2)
    "by paired t tests, Holm's correction for 28 pairs of each measure, alpha = 0.05"
    """
    words = [f"by {TESTS.get(test, f'a test of differences ({test})')}"] if test else []
    each = " of each measure" if measures > 1 else ""
    if adjustment:
        words.append(f"{CORRECTIONS.get(adjustment, adjustment)} for {counted(pairs, 'pair')}{each}")
    elif each:
        words.append("each measure by itself")
    if isinstance(trials, int):
        words.append(f"{trials:,} trials")
    return ", ".join([*words, f"alpha = {round(1 - level, 12):g}"])


def wide_estimates(
    estimates: Sequence[Estimate], provenance: Mapping[str, object], notes: tuple[str, ...] = ()
) -> Wide:
    """A row a system with all its intervals: a column a measure, and one a source where there are several.

    Values that nothing corrected have a column of their own.
    """
    several = len({e.population for e in estimates}) > 1
    columns: dict[str, dict[str, Estimate]] = {}
    for e in estimates:
        columns.setdefault(f"{e.measure} ({e.population})" if several else e.measure, {})[e.system] = e
    made: list[Column] = []
    for name, by_system in columns.items():
        if any(e.uncorrected is not None for e in by_system.values()):
            made.append(Column(f"{name} uncorrected", {s: e.uncorrected for s, e in by_system.items()}))
        value, low, high = ({s: getattr(e, end) for s, e in by_system.items()} for end in ("value", "low", "high"))
        made.append(Column(name, value, low, high))
    systems = tuple(dict.fromkeys(e.system for e in estimates))
    measures = list(dict.fromkeys(e.measure for e in estimates))
    levels = {f"{100 * e.confidence:g}%" for e in estimates}
    kinds = dict.fromkeys((e.population, e.method) for e in estimates)
    sources = listed([f"over {over} ({method})" if method else f"over {over}" for over, method in kinds])
    limits = f"{' and '.join(sorted(levels))} intervals {sources}"
    caption = f"{listed(measures)} of {counted(len(systems), 'system')}." + _corrected(provenance)
    return Wide(systems, tuple(made), caption, limits=limits, with_limits=True, provenance=provenance, notes=notes)


def wide_comparisons(
    comparisons: Sequence[Comparison], provenance: Mapping[str, object], notes: tuple[str, ...] = ()
) -> Wide:
    """A row a system, best first by the first measure, with the systems that it is told to be better than."""
    value: dict[str, dict[str, float]] = {}
    beats: dict[str, dict[str, list[str]]] = {}
    for c in comparisons:
        value.setdefault(c.measure, {}).update({c.a: c.value_a, c.b: c.value_b})
        if c.differs and c.difference != 0:
            better, worse = (c.b, c.a) if c.difference > 0 else (c.a, c.b)
            beats.setdefault(c.measure, {}).setdefault(better, []).append(worse)
    columns = tuple(Column(m, dict(v), beats=beats.get(m, {})) for m, v in value.items())
    baseline = provenance.get("baseline")
    first = next(iter(value.values()))
    systems = best_first({s: first.get(s, math.nan) for v in value.values() for s in v}, baseline)
    one, pairs = comparisons[0], max(sum(c.measure == m for c in comparisons) for m in value)
    topics = sorted({c.n for c in comparisons if c.n is not None})
    marked = by_which_test(one.test, one.adjustment, pairs, one.confidence, measures=len(value))
    caption = about(list(value), len(systems), topics) + _corrected(provenance)
    named = baseline if isinstance(baseline, str) else None
    return Wide(systems, columns, caption, marked, baseline=named, provenance=provenance, notes=notes)


def about(measures: Sequence[str], systems: int, topics: Sequence[int]) -> str:
    """What the scores are, as a caption says it.

    >>> about(["AP", "P@10"], 8, [50])
    'AP and P@10 of 8 systems, means over 50 topics.'
    """
    over = "" if not topics else f", means over {topics[0]:,} topics"
    if len(topics) > 1:
        over = f", means over {topics[0]:,} to {topics[-1]:,} topics"
    return f"{listed(list(measures))} of {systems:,} systems{over}."


def best_first(value: Mapping[str, float], baseline: object = None) -> tuple[str, ...]:
    """The baseline, where there is one, then the others by their values; those without one last.

    >>> best_first({"x": 0.1, "y": 0.3, "z": 0.2}, "x")
    ('x', 'y', 'z')
    """
    return tuple(sorted(value, key=lambda s: (s != baseline, math.isnan(value[s]), -value[s], s)))


def _corrected(provenance: Mapping[str, object]) -> str:
    """That scores are not those of the judge, where gold labels set them right."""
    design = provenance.get("design")
    return f" Scores are without the judge's errors (gold labels: {design})." if design else ""


# ---- What inference answers with: estimates and comparisons, plans, and one container of many; each shows itself.

__all__ = ["Comparison", "Estimate", "Plan", "ResultList", "table_of"]

FEW = 2  # answers that a repr names


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """What to buy next: how many of what, for which aim; and a table of it, with other aims and what it rests on.

    Attributes
    ----------
    needed : mapping of str to int
        How many of what to buy, such as ``{"topics": 35}``; empty where no number is enough.
    aim : str
        What they are for, or why no number is enough.
    details : Table
        What other numbers would bring; its columns are those of the function that made the plan.

    Examples
    --------
    >>> print(Plan({"topics": 35, "gold pairs": 1200}, "a difference of 0.1 is found", Table((), [])))
    35 topics, 1,200 gold pairs: a difference of 0.1 is found
    """

    needed: Mapping[str, int]
    aim: str
    details: Table

    @property
    def provenance(self) -> Mapping[str, object]:
        """How it was made, and what it rests on."""
        return self.details.provenance

    def table(self) -> Table:
        """What other numbers would bring."""
        return self.details

    def to_dict(self) -> dict[str, object]:
        """What is needed, for what, and the table."""
        return {"needed": dict(self.needed), "aim": self.aim, **super().to_dict()}

    def in_short(self) -> str:
        """What is needed, for what."""
        needed = ", ".join(f"{n:,} {kind}" for kind, n in self.needed.items())
        return f"{needed}: {self.aim}" if needed else self.aim

    def __str__(self) -> str:
        """What is needed; the table, where no difference to detect was asked for."""
        asked = self.needed or self.details.provenance.get("min_effect") or not self.details.notes
        return self.in_short() if asked else str(self.details)


Answer = TypeVar("Answer", Estimate, Comparison)


@dataclass(frozen=True, repr=False)
class ResultList(Result, Sequence[Answer], Generic[Answer]):
    """Many estimates, or many comparisons, with how they were made and what holds for all of them.

    A sequence; `frame()`, `to_pandas()`, `to_dict()`, `latex()` and others show it, a row an item, a column an
    attribute of `Estimate` or `Comparison`, without columns that hold nothing: of estimates `system`, `measure`,
    `value`, `low`, `high`, `population`, `method`, `se`, `n`, `topic`, `uncorrected`, `gold`, `gold_pairs`,
    `confidence`; of comparisons `a`, `b`, `measure`, `value_a`, `value_b`, `difference`, `low`, `high`, `p`,
    `p_adjusted`, `effect`, `uncorrected`, `uncorrected_p`, `n`, `test`, `adjustment`, `confidence`.

    Attributes
    ----------
    items : sequence of Estimate or Comparison
        The estimates or comparisons.
    provenance : dict
        How they were made: options, seed, version.
    notes : tuple of str
        What holds for all of them.

    Examples
    --------
    >>> one = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired t", n=50)
    >>> ResultList((one,)).between("a", "b").difference, ResultList((one,)).between("b", "a").difference
    (0.05, -0.05)
    """

    items: Sequence[Answer]
    provenance: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.items)

    @overload
    def __getitem__(self, at: int | tuple[str, str]) -> Answer: ...

    @overload
    def __getitem__(self, at: slice) -> ResultList[Answer]: ...

    def __getitem__(self, at: int | tuple[str, str] | slice) -> Answer | ResultList[Answer]:
        """An answer by number, several by a slice, or an estimate by system and measure."""
        if isinstance(at, slice):
            return ResultList(tuple(self.items[at]), self.provenance, self.notes)
        if not isinstance(at, tuple):
            return self.items[at]
        for one in self.items:
            if isinstance(one, Estimate) and (one.system, one.measure) == at:
                return one
        there = [f"{e.system}, {e.measure}" for e in self.items if isinstance(e, Estimate)]
        raise TruegainError(f"there is no answer for {at}; there are {some(there)}")

    @property
    def pairs(self) -> Sequence[Answer]:
        """The comparisons."""
        return self.items

    @property
    def significant(self) -> int:
        """How many of the pairs differ, by the adjusted p where there is one."""
        return sum(isinstance(one, Comparison) and one.differs for one in self.items)

    def between(self, a: str, b: str, measure: str | None = None) -> Answer:
        """The difference b - a, in whichever order it was made.

        Parameters
        ----------
        a, b : str
            The two systems.
        measure : str, optional
            On which measure, where there are several.

        Returns
        -------
        Comparison
            b - a.
        """
        pairs = [one for one in self.items if isinstance(one, Comparison) and {one.a, one.b} == {a, b}]
        measures = list(dict.fromkeys(one.measure for one in pairs))
        if pairs and (len(measures) > 1 if measure is None else measure not in measures):
            raise TruegainError(f"on which measure? There are {', '.join(measures)}")
        for one in pairs:
            if measure in (None, one.measure):
                return one if one.a == a else one.turned()
        there = sorted({name for c in self.items if isinstance(c, Comparison) for name in (c.a, c.b)})
        raise TruegainError(f"{a} and {b} were not compared; there are {some(there)}")

    def table(self) -> Table:
        """A row an answer."""
        made: Table = table_of(self.items, provenance=self.provenance)
        return Table(made.columns, made.rows, made.provenance, made.title, (*self.notes, *made.notes))

    def paper(self, **style: Unpack[PaperWords]) -> Table:
        """Systems by measures: estimates with their intervals, comparisons with the systems that each one beats.

        Parameters
        ----------
        **style
            Keywords of `PaperStyle`.

        Returns
        -------
        Table
            What `latex`, `markdown` and `html` write.

        Examples
        --------
        >>> one = Comparison("a", "b", "AP", 0.2, 0.25, 0.05, 0.01, 0.09, p=0.02, test="paired-t", n=50)
        >>> print(ResultList((one,)).markdown(caption=""))
        | # | system | AP |
        | --- | --- | --- |
        | a | b | **0.2500**<sup>b</sup> |
        | b | a | 0.2000 |
        <BLANKLINE>
        """
        estimates = [one for one in self.items if isinstance(one, Estimate)]
        if not self.items or any(e.topic != "all" for e in estimates):
            return super().paper(**style)
        if estimates:
            return wide_estimates(estimates, self.provenance, self.notes).table(PaperStyle.of(style))
        pairs = [one for one in self.items if isinstance(one, Comparison)]
        return wide_comparisons(pairs, self.provenance, self.notes).table(PaperStyle.of(style))

    @classmethod
    def joined(cls, parts: Sequence[ResultList[Answer]]) -> ResultList[Answer]:
        """The answers of several lists, such as of one measure each, one after the other.

        Parameters
        ----------
        parts : sequence of ResultList
            What is joined; notes that all have are kept once.

        Returns
        -------
        ResultList
            All of their answers.
        """
        notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
        provenance = {name: value for name, value in parts[0].provenance.items() if name != "measure"}
        items = tuple(one for part in parts for one in part)
        return ResultList(items, {**provenance, "measures": list(dict.fromkeys(one.measure for one in items))}, notes)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that the answers are about, in their order."""
        named = ((one.system,) if isinstance(one, Estimate) else (one.a, one.b) for one in self.items)
        return tuple(dict.fromkeys(name for names in named for name in names))

    def renamed(self, names: Mapping[str, str] | None = None, strip: str = "") -> Self:
        """These answers under other names of systems, and without a prefix of them.

        Parameters
        ----------
        names : mapping of str to str, optional
            By name of a system what it is called instead.
        strip : str
            A prefix to leave out of all names.

        Returns
        -------
        ResultList
            The same numbers.

        Examples
        --------
        >>> ResultList((Estimate("input.x", "AP", 0.2, 0.1, 0.3),)).renamed(strip="input.")[0].system
        'x'
        """
        new = new_names(self.systems, names, strip)
        items = tuple(_renamed(one, new) for one in self.items)
        baseline = self.provenance.get("baseline")
        provenance = {**self.provenance, "baseline": new[baseline]} if isinstance(baseline, str) else self.provenance
        return replace(self, items=items, provenance=provenance)

    def in_short(self) -> str:
        """How many, and the first of them."""
        if not self.items:
            return "none"
        kind = "comparison" if self.items and isinstance(self.items[0], Comparison) else "estimate"
        first = "; ".join(str(one) for one in self.items[:FEW])
        more = f" and {len(self) - FEW:,} more" if len(self) > FEW else ""
        return f"{len(self):,} {kind}{'' if len(self) == 1 else 's'}: {first}{more}"


def _renamed(one: Answer, new: Mapping[str, str]) -> Answer:
    if isinstance(one, Estimate):
        return replace(one, system=new[one.system])
    return replace(one, a=new[one.a], b=new[one.b])
