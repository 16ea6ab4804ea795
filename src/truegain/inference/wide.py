"""Estimates and comparisons as one wide table for a paper: systems by measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from truegain.inference.kinds import Comparison, Estimate
from truegain.tables.paper import Column, Wide, counted, listed

TESTS = {
    "tukey-hsd": "Tukey's HSD test of all pairs at once, topics as blocks",
    "randomised-tukey-hsd": "the randomised Tukey HSD test of all pairs at once",
    "one-way-tukey-hsd": "Tukey's HSD test of all pairs at once, one-way",
    "paired-t": "paired t tests",
    "wilcoxon": "Wilcoxon's signed rank tests",
    "sign": "sign tests",
    "randomisation": "paired randomisation tests",
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
    said = [f"by {TESTS.get(test, f'a test of differences ({test})')}"] if test else []
    each = " of each measure" if measures > 1 else ""
    if adjustment:
        said.append(f"{CORRECTIONS.get(adjustment, adjustment)} for {counted(pairs, 'pair')}{each}")
    elif each:
        said.append("each measure by itself")
    if isinstance(trials, int):
        said.append(f"{trials:,} trials")
    return ", ".join([*said, f"alpha = {round(1 - level, 12):g}"])


def wide_estimates(
    found: Sequence[Estimate], made_by: Mapping[str, object], notes: tuple[str, ...] = (), naive: str = "naive"
) -> Wide:
    """A row a system with all its intervals: a column a measure, and one a source where there are several.

    naive: what the values that nothing corrected are called; they have a column of their own.
    """
    several = len({e.over for e in found}) > 1
    columns: dict[str, dict[str, Estimate]] = {}
    for e in found:
        columns.setdefault(f"{e.measure} ({e.over})" if several else e.measure, {})[e.system] = e
    made: list[Column] = []
    for name, by_system in columns.items():
        if any(e.naive is not None for e in by_system.values()):
            made.append(Column(f"{name} {naive}", {s: e.naive for s, e in by_system.items()}))
        value, low, high = ({s: getattr(e, end) for s, e in by_system.items()} for end in ("value", "low", "high"))
        made.append(Column(name, value, low, high))
    systems = tuple(dict.fromkeys(e.system for e in found))
    measures = list(dict.fromkeys(e.measure for e in found))
    levels, kinds = {f"{100 * e.confidence:g}%" for e in found}, dict.fromkeys((e.over, e.method) for e in found)
    sources = listed([f"over {over} ({method})" if method else f"over {over}" for over, method in kinds])
    limits = f"{' and '.join(sorted(levels))} intervals {sources}"
    told = f"{listed(measures)} of {counted(len(systems), 'system')}." + _corrected(made_by)
    return Wide(systems, tuple(made), told, limits=limits, with_limits=True, made_by=made_by, notes=notes)


def wide_comparisons(found: Sequence[Comparison], made_by: Mapping[str, object], notes: tuple[str, ...] = ()) -> Wide:
    """A row a system, best first by the first measure, with the systems that it is told to be better than."""
    value: dict[str, dict[str, float]] = {}
    beats: dict[str, dict[str, list[str]]] = {}
    for c in found:
        value.setdefault(c.measure, {}).update({c.a: c.value_a, c.b: c.value_b})
        if c.differs and c.difference != 0:
            better, worse = (c.b, c.a) if c.difference > 0 else (c.a, c.b)
            beats.setdefault(c.measure, {}).setdefault(better, []).append(worse)
    columns = tuple(Column(m, dict(v), beats=beats.get(m, {})) for m, v in value.items())
    baseline = made_by.get("baseline")
    first = next(iter(value.values()))
    systems = best_first({s: first.get(s, math.nan) for v in value.values() for s in v}, baseline)
    one, pairs = found[0], max(sum(c.measure == m for c in found) for m in value)
    topics = sorted({c.n for c in found if c.n is not None})
    marked = by_which_test(one.test, one.adjustment, pairs, one.confidence, measures=len(value))
    told = about(list(value), len(systems), topics) + _corrected(made_by)
    named = baseline if isinstance(baseline, str) else None
    return Wide(systems, columns, told, marked, baseline=named, made_by=made_by, notes=notes)


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


def _corrected(made_by: Mapping[str, object]) -> str:
    """That scores are not those of the judge, where gold labels set them right."""
    design = made_by.get("design")
    return f" Scores are without the judge's errors (gold labels: {design})." if design else ""
