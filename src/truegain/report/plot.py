"""The chart of every answer: one line of a catalogue each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from truegain.data.judgments import Judgments
from truegain.data.label_lists import GoldList
from truegain.data.runs import Runs
from truegain.data.scores import Scores
from truegain.errors import TruegainError
from truegain.io.files import PathLike
from truegain.judge_error.judge import Judge
from truegain.judge_error.label_tables import SharesOfLabels
from truegain.measures.base import mean_of_rows
from truegain.pooling.bounds import UnjudgedReport
from truegain.pooling.next_to_judge import Next
from truegain.preferences.table import Preferences
from truegain.reliability.agree import AgreementReport
from truegain.report.agreement_figures import agreement_chart, assessor_chart, label_chart
from truegain.report.charts import (
    Row,
    altair,
    check_ending,
    dressed,
    limits_chart,
    lines_chart,
    save,
    shares_chart,
    table_chart,
)
from truegain.report.figures import comparisons_chart, intervals_chart, scatter_chart
from truegain.results.base import Result, Table
from truegain.results.table import Cell
from truegain.stats.rank_correlation import RankAgreement
from truegain.stats.results import Comparison, Estimate, Plan, ResultList
from truegain.stats.significance.comparisons import Comparisons, ComparisonsByMeasure
from truegain.study.correlate import Correlation
from truegain.study.ranking import Ranking
from truegain.study.verdict import Verdict

MOST = 40  # pairs that are drawn as lines; more are a matrix
LISTED = 60  # documents that are drawn
POINTS = 200  # of a curve


def plot(answer: Result, path: PathLike | None = None) -> Any:
    """The chart of an answer, also written to a file where one is named.

    >>> plot(Estimate("bm25", "AP", 0.25, 0.2, 0.31)).to_dict()["data"]["values"][0]["value"]
    0.25
    """
    if path is not None:
        check_ending(path)
    altair()  # says what to install, before anything is drawn
    chart = chart_of(answer)
    if path is not None:
        save(chart, path)
    return chart


@singledispatch
def chart_of(answer: Any) -> Any:
    """The chart of an answer; that of its table, where it has none of its own."""
    return table_chart(answer.table())


@chart_of.register
def _(answer: Runs) -> Any:
    counted: list[tuple[Cell, ...]] = [(run.system, len(run)) for run in answer.parts]
    return table_chart(Table(("system", "documents"), counted, title=answer.in_short()))


@chart_of.register
def _(answer: Judgments) -> Any:
    labels = zip(*np.unique(answer.label, return_counts=True), strict=True)
    counted: list[tuple[Cell, ...]] = [(f"{answer.label_name} {x:g}", int(n)) for x, n in labels]
    return table_chart(Table(("label", "documents"), counted, title=answer.in_short()))


@chart_of.register
def _(answer: Preferences) -> Any:
    shown = np.concatenate([answer.a, answer.b])
    won = np.concatenate([answer.wins, 1 - answer.wins])
    systems = np.bincount(shown, won, len(answer.systems)) / np.bincount(shown, minlength=len(answer.systems))
    rows: list[tuple[Cell, ...]] = [(name, float(x)) for name, x in zip(answer.systems, systems, strict=True)]
    return table_chart(Table(("system", "share of votes won"), rows, title=answer.in_short()))


@chart_of.register
def _(answer: Scores) -> Any:
    rows: list[Row] = []
    for measure, values in answer.values.items():
        if values.dtype == object:
            continue
        for s in np.argsort(-answer.summaries[measure], kind="stable").tolist():
            low, high = np.nanquantile(values[s], [0.25, 0.75]) if not np.isnan(values[s]).all() else (np.nan, np.nan)
            at = float(answer.summaries[measure][s])
            limits = (None, None) if measure in answer.counts else (float(low), float(high))
            rows.append({"name": answer.systems[s], "value": at, "low": limits[0], "high": limits[1], "panel": measure})
    about = "means over topics; lines cover the middle half of the topics"
    return limits_chart(rows, ", ".join(answer.measures), "score", subtitle=about)


@chart_of.register
def _(answer: Estimate) -> Any:
    return intervals_chart(_drawable([answer]))


@chart_of.register
def _(answer: Comparison) -> Any:
    return _differences([answer])


@chart_of.register
def _(answer: ResultList) -> Any:  # type: ignore[type-arg]
    if answer.items and isinstance(answer.items[0], Estimate):
        return intervals_chart(_drawable(answer.items))
    measures = {c.measure for c in answer}
    if len(answer) <= MOST * max(1, len(measures)):
        return _differences(answer.items)
    if len(measures) > 1:
        parts = [[c for c in answer if c.measure == m] for m in dict.fromkeys(c.measure for c in answer)]
        return _beside([comparisons_chart(part, title=part[0].measure) for part in parts])
    return comparisons_chart(answer.items)


@chart_of.register
def _(answer: Comparisons) -> Any:
    if len(answer) <= MOST or answer.baseline is not None:
        return _differences(answer.items)
    return comparisons_chart(answer.items, title=answer.in_short())


@chart_of.register
def _(answer: ComparisonsByMeasure) -> Any:
    if len(answer.parts[0]) <= MOST or answer.parts[0].baseline is not None:
        return _differences(list(answer))
    return _beside([comparisons_chart(part.items, title=part.items.measure) for part in answer.parts])


@chart_of.register
def _(answer: Verdict) -> Any:
    rows: list[Row] = [
        {"name": source, "value": value, "low": low, "high": high}
        for source, value, low, high, *_ in answer.table().rows
    ]
    c = answer.comparison
    return limits_chart(rows, f"{c.b} - {c.a}, {c.measure}: {answer.outcome}", "difference", zero=True)


@chart_of.register
def _(answer: Ranking) -> Any:
    rows: list[Row] = [
        {"name": s, "value": place + 1, "low": low, "high": high}
        for place, (s, low, high) in enumerate(
            zip(answer.systems, answer.low.tolist(), answer.high.tolist(), strict=True)
        )
    ]
    about = f"limits of ranks, {100 * answer.confidence:g}%, all pairs at once"
    return limits_chart(rows, answer.measure or "Ranks", "rank", whole=True, subtitle=about)


@chart_of.register
def _(answer: AgreementReport) -> Any:
    return agreement_chart(answer.topics, answer.assessors)


@chart_of.register
def _(answer: RankAgreement) -> Any:
    most = [name for name, _, _ in answer.moves(5)]
    names, title = (answer.a, answer.b), f"{answer.measure or 'Measures'}: {answer.tau}"
    same = bool(answer.measure)
    return scatter_chart(
        answer.systems, answer.scores_a, answer.scores_b, names=names, title=title, same_scale=same, name_most=most
    )


@chart_of.register
def _(answer: Correlation) -> Any:
    if len(answer.agreements) == 1:
        return chart_of(answer.agreements[0])
    if answer.halves:
        table = answer.table()
        rows: list[Row] = [
            {"name": r["statistic"], "value": r["mean"], "low": r["low"], "high": r["high"], "panel": r["measure"]}
            for r in table.records()
        ]
        return limits_chart(rows, "Halves of the topics", "over splits")
    taus: list[Row] = [
        {"name": f"{a.measure} {a.a} and {a.b}".strip(), "value": a.tau.value, "low": a.tau.low, "high": a.tau.high}
        for a in answer.agreements
    ]
    return limits_chart(taus, "How similarly the systems are ranked", "tau")


@chart_of.register
def _(answer: UnjudgedReport) -> Any:
    means = [mean_of_rows(m).tolist() for m in (answer.score, answer.worst, answer.best)]
    rows: list[Row] = [
        {"name": s, "value": value, "low": low, "high": high}
        for s, value, low, high in zip(answer.systems, *means, strict=True)
    ]
    rows.sort(key=lambda r: -float(r["value"] or 0.0))
    return limits_chart(rows, f"{answer.measure}: what unjudged documents could do", "score", subtitle="worst and best")


@chart_of.register
def _(answer: Next) -> Any:
    rows: list[Row] = [
        {"name": f"{d.topic} {d.doc}", "value": d.predicted, "low": None, "high": None}
        for d in answer.documents[:LISTED]
    ]
    return limits_chart(rows, f"{answer.measure}: judge next", "predicted probability of relevance")


@chart_of.register
def _(answer: GoldList) -> Any:
    share = np.cumsum(answer.size)
    places = np.unique(np.linspace(0, len(share) - 1, min(len(share), POINTS)).astype(int))
    rows = [(i + 1, float(share[i])) for i in places.tolist()]
    table = Table(("pairs judged", "share of what can move it"), rows)
    return lines_chart(table, f"{answer.measure}: contents of the first rows", answer.in_short())


@chart_of.register
def _(answer: Judge) -> Any:
    c = answer.confusion
    rows: list[Row] = [
        {"row": f"{g:g}", "column": f"{b:g}", "share": float(x)}
        for g, line in zip(c.gold, c.matrix, strict=True)
        for b, x in zip(c.bronze, line.tolist(), strict=True)
    ]
    return shares_chart(rows, f"Judge: {answer.in_short()}", ("gold label", "bronze label"))


@chart_of.register
def _(answer: SharesOfLabels) -> Any:
    gold, _, *bronze = answer.columns
    rows: list[Row] = [
        {"row": row[gold], "column": name.removeprefix("bronze "), "share": row[name]}
        for row in answer.records()
        for name in bronze
        if row[name] is not None
    ]
    return shares_chart(rows, answer.title, ("gold label", "bronze label"))


@chart_of.register
def _(answer: Plan) -> Any:
    if "half width" in answer.details.columns:
        return label_chart(answer)
    if "assessors" in answer.needed:
        return assessor_chart(answer)
    return lines_chart(answer.details, "What it takes", str(answer))


def _drawable(estimates: Sequence[Estimate]) -> list[Estimate]:
    kept = [e for e in estimates if not e.refused]
    if not kept:
        raise TruegainError("no estimate has a value to draw; see the notes for the reasons")
    return kept


def _differences(comparisons: Sequence[Comparison]) -> Any:
    """Every difference with its interval."""
    rows: list[Row] = [
        {"name": f"{c.b} - {c.a}", "value": c.difference, "low": c.low, "high": c.high, "panel": c.measure}
        for c in comparisons
    ]
    title = f"Differences, {', '.join(dict.fromkeys(c.measure for c in comparisons))}"
    subtitle = f"{100 * comparisons[0].confidence:g}% intervals"
    return limits_chart(rows, title, "difference", zero=True, subtitle=subtitle)


def _beside(charts: Sequence[Any]) -> Any:
    """Charts side by side, each with its own colors; what dresses a chart is for the whole."""
    alt = altair()
    parts = [chart.copy(deep=False) for chart in charts]
    for part in parts:
        part.config = alt.Undefined
    return dressed(alt.hconcat(*parts).resolve_scale(color="independent"), "")
