"""Pages for the participants of a track: a page a team, its runs beside the median and the best of all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from truegain._version import __version__
from truegain.pooling.bounds import has_bounds
from truegain.report.claims import by_whom, chip
from truegain.report.html import (
    EN,
    NONE,
    Child,
    Html,
    Section,
    cell,
    count,
    downloads,
    el,
    figure,
    file_name,
    folded,
    head,
    heads,
    join,
    label,
    limits,
    many,
    name,
    named,
    names_in,
    notes,
    num,
    paragraph,
    percent,
    plain,
    plot,
    room,
    scrolls,
    sentence,
    signed,
    soft,
    table,
    tr,
    who,
)
from truegain.report.page.page import document
from truegain.report.page.participant_answers import turned, values_section
from truegain.report.participants import COLUMNS, Difference, Participant, RunResult, Track, TrackMeasure, topic_rows
from truegain.report.svg import Axis, Span, axis_head, bottom_axis, hidden_svg, line, listed, pc, row

INDEX = "index.html"
ROW = 18  # pixels of a topic in its table
SKIP = "To the runs"
BEST, MEDIAN = "best run", "median of all runs"
CHIPS = {"above": ("better", "above"), "below": ("worse", "below"), "open": ("inconclusive", "inconclusive")}
UNJUDGED_ZERO = ", and unjudged documents count as not relevant, since their bounds are not known"
READ_BEST = (
    " The best run has the highest mean score. It was picked by that score, so its outcome is of all pairs of runs "
    "jointly, and the interval of this pair alone."
)
DIGITS = 16  # of a digest


@dataclass(frozen=True)
class PageStyle:
    """What pages show beside the results.

    Attributes
    ----------
    named : bool
        Whether other teams' runs are named.
    title : str
        What stands beside the brand, such as the name of the track.
    digests : mapping of str to (str, str or None)
        By system, the file and its SHA-256; shown for own runs alone.
    common : mapping of str to str or None
        Files that have all runs, or are about all, with their SHA-256; shown to everyone.
    """

    named: bool = False
    title: str = ""
    digests: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    common: Mapping[str, str | None] = field(default_factory=dict)


def participant_page(track: Track, team: str, style: PageStyle | None = None) -> str:
    """The page of one team.

    Parameters
    ----------
    track : Track
        All runs.
    team : str
        The team.
    style : PageStyle, optional
        Whether other runs are named, and a title.

    Returns
    -------
    str
        HTML that loads nothing.

    Examples
    --------
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> page = participant_page(Track(runs, qrels, "P@2", teams={"good": "ada", "poor": "bell"}), "ada")
    >>> "good" in page, "poor" in page
    (True, False)
    """
    style = style or PageStyle()
    own = track.participant(team)
    of_values = _pool(track, own) if track.items is None else values_section(track, own)
    sections = [_runs(track, own, style), _topics(track, own, style), of_values, _made(track, own, style)]
    about = style.title or f"{many(len(track.study.systems), 'run')}, {many(len(track.teams.names), 'team')}"
    return document(sections, __version__, about, SKIP, "participant")


# ---------------------------------------------------------------------- the runs


def _runs(track: Track, own: Participant, style: PageStyle) -> Section:
    m, results = track.measures[0], own.results[0]
    first, n, labels_by = results[0], len(m.systems), m.ranking.labels_by
    which = "" if len(own.runs) == 1 else f", the best of {own.team}'s {len(own.runs)} runs,"
    rank = f"ranks {first.rank} of {n} runs by {m.name}"
    possible = f"; ranks {first.low_rank} to {first.high_rank} cannot be ruled out"
    headline = by_whom(labels_by, f"{first.run}{which} {rank}{possible if first.low_rank < first.high_rank else ''}.")
    best, middle = float(m.means.max()), float(np.median(m.means))
    top = "no run scores higher" if first.to_best is None else f"the best run scores {plain(best)}"
    lede = (
        f"It scores {plain(first.estimate.value)}; {top}, and half of all runs score {plain(middle)} or more. "
        f"{_on_median(first)}{turned(track)}"
    )
    others = (
        folded(f"The same by {other.name}", *_of_measure(track, other, of, style))
        for other, of in zip(track.measures[1:], own.results[1:], strict=True)
    )
    body = join(
        el("h1", names_in(headline, own.runs), id="h-runs"),
        paragraph(lede, class_="lede"),
        *_of_measure(track, m, results, style),
        *others,
    )
    rail = [
        many(len(own.runs), "run"), f"{many(n, 'run')} in all", many(len(track.teams.names), "team"),
        many(len(m.topics), "topic"), *(x.name for x in track.measures),
    ]  # fmt: skip
    data = {
        "headline": headline, "team": own.team, "runs": list(own.runs), "all_runs": n,
        "measures": {m.name: _data(m, of) for m, of in zip(track.measures, own.results, strict=True)},
    }  # fmt: skip
    return Section("runs", join("Runs of ", name(own.team)), "Runs", body, data, tuple(rail), heads=True)


def _on_median(r: RunResult) -> str:
    """On which side of the median a run lies, and whether unjudged documents keep that open."""
    if r.on_median != "open":
        return f"On average over topics it lies {r.on_median} the median."
    if r.to_median_by_labels.verdict != "open":
        return (
            f"By the existing labels, it lies {r.to_median_by_labels.verdict} the median on average over topics, but "
            "unjudged documents could change that."
        )
    return "The data cannot show whether it is above or below the median on topics like these."


def _data(m: TrackMeasure, results: Sequence[RunResult]) -> dict[str, object]:
    return {
        "best": float(m.means.max()), "median": float(np.median(m.means)),
        "runs": [
            {
                "run": r.run, "score": r.estimate.value, "low": r.estimate.low, "high": r.estimate.high, "rank": r.rank,
                "may_rank_from": r.low_rank, "may_rank_to": r.high_rank, "to_median": vars(r.to_median),
                "to_best": None if r.to_best is None else vars(r.to_best), "worse_than_best": r.told_from_best,
                "above": r.above, "equal": r.equal, "below": r.below, "at_best": r.at_best, "at_worst": r.at_worst,
            }
            for r in results
        ],
    }  # fmt: skip


def _of_measure(track: Track, m: TrackMeasure, results: Sequence[RunResult], style: PageStyle) -> list[Html]:
    return [_scores(track, m, results, style), _against(track, m, results, style), _counted(m, results)]


def _level(track: Track) -> str:
    return f"{100 * track.study.confidence:g}%"


def _for(m: TrackMeasure, counted: bool = True) -> str:
    """For what intervals hold."""
    if m.clusters:
        return f"for topics from {many(len(set(m.clusters)), 'cluster')} like these"
    return f"for topics like these{f' {len(m.topics)}' if counted else ''}"


def _scores(track: Track, m: TrackMeasure, results: Sequence[RunResult], style: PageStyle) -> Html:
    """Own runs with intervals and ranks, between the best run and the median of all."""
    best, middle = float(m.means.max()), float(np.median(m.means))
    axis = Axis.of([x for r in results for x in (r.estimate.low, r.estimate.high)] + [best, middle])
    lines = [(r.estimate.value, _own_row(r, axis)) for r in results]
    leads = any(r.to_best is None for r in results)
    if not leads:
        lines.append((best, _other_row(axis, _best_name(track, m, style), best, "1")))
    lines.append((middle, _other_row(axis, MEDIAN, middle, NONE)))
    rows = [drawn for _, drawn in sorted(lines, key=lambda pair: -pair[0])]
    level = _level(track)
    top = [head("run"), head(soft(m.name), "n0"), head(axis_head(axis), "p"), head(f"{level} interval", "n0 o")]
    top += heads("rank", "possible ranks")
    cols = ("cs", "cv", None, "ci o", "cr", "cr")
    step = 100 * axis.step / (axis.high - axis.low)
    inside = table(f"Runs by {m.name}", top, rows, cols=cols, kind="lb sort", unseen=True, step=step)
    data = [
        (r.run, r.estimate.value, r.estimate.low, r.estimate.high, r.rank, r.low_rank, r.high_rank) for r in results
    ]
    take = downloads(
        f"runs-{file_name(m.name)}", ("run", "score", "low", "high", "rank", "may_rank_from", "may_rank_to"), data
    )
    held = {
        "": "", "zero": "; unjudged documents count as not relevant",
        "bound": ", whatever the labels of unjudged documents",
        "first": f", whatever the labels of unjudged documents in {m.ranking.first_ranks}; those below count as not "
        "relevant",
    }[m.ranking.unjudged_policy]  # fmt: skip
    words = (
        f"Mean scores with {level} intervals, {_for(m)}. Possible ranks hold for all "
        f"{count(len(m.systems))} runs jointly at {level}{held}: a rank is at least 1 + the number of runs "
        "significantly better, and at most the number of runs minus those significantly worse."
    )
    remarks = [f"run {r.run}: {note}" for r in results for note in r.estimate.notes]
    below = notes(map(sentence, remarks), [r.run for r in results])
    names = [*(r.run for r in results), *([] if leads else [_best_name(track, m, style)]), MEDIAN]
    return el("figure", inside, el("figcaption", words, take), below, class_=f"lbf {room(names)}")


def _best_name(track: Track, m: TrackMeasure, style: PageStyle) -> str:
    return f"{BEST}: {m.best_run} ({track.teams.of[m.best_run]})" if style.named else BEST


def _own_row(r: RunResult, axis: Axis) -> Html:
    e = r.estimate
    drawn: Child = "; ".join(e.notes) if e.refused else row(axis, [Span(e.value, e.low, e.high)], height=ROW)
    cells = [who(r.run), num(plain(e.value)), plot(drawn, "g"), num(limits(e.low, e.high), more="o"), num(str(r.rank))]
    return tr(*cells, num(f"{r.low_rank}{EN}{r.high_rank}"), kind="on")


def _other_row(axis: Axis, words: str, value: float, rank: str) -> Html:
    drawn = row(axis, [Span(value, None, None, is_open=True)], height=ROW)
    return tr(label(words), num(plain(value)), plot(drawn, "g"), num(NONE, more="o"), num(rank), num(NONE))


def _against(track: Track, m: TrackMeasure, results: Sequence[RunResult], style: PageStyle) -> Html:
    """The mean difference of each run to the median of topics, and to the best run."""
    lines: list[tuple[RunResult, str, Difference, tuple[str, str]]] = []
    for r in results:
        lines.append((r, "median", r.to_median, CHIPS[r.on_median]))
        if r.to_best is not None:
            lines.append((r, "best", r.to_best, ("worse", "worse") if r.told_from_best else CHIPS["open"]))
    axis = Axis.over([_span(d) for _, _, d, _ in lines], zero=True)
    rows = []
    for r, what, d, (outcome, words) in lines:
        against = "the topics' medians" if what == "median" else _best_name(track, m, style)
        cells = [
            el("th", name(r.run), el("br"), el("span", "against ", against, class_="of2"), scope="row"),
            cell(chip(outcome, words), kind="vv"), plot(row(axis, [_span(d)], zero=True)), num(signed(d.value)),
            num(limits(d.low, d.high, signs=True), more="o"),
        ]  # fmt: skip
        rows.append(tr(*cells))
    level = _level(track)
    top = [head("run"), head("outcome", "vv"), head(axis_head(axis, signs=True, words="difference plot"), "p")]
    top += [head("difference", "n0"), head(f"{level} interval", "n0 o")]
    data = [(r.run, what, d.value, d.low, d.high, words) for r, what, d, (_, words) in lines]
    columns = ("run", "against", "difference", "low", "high", "outcome")
    take = downloads(f"against-{file_name(m.name)}", columns, data)
    held = " and whatever the labels of unjudged documents" if m.bounds is not None else ""
    zero = "" if m.bounds is not None or not any(r.unjudged for r in results) else UNJUDGED_ZERO
    bests = READ_BEST if any(what == "best" for _, what, _, _ in lines) else " This team has the best run."
    words = (
        f"Mean differences over topics with {level} intervals, {_for(m, False)}{held}. Against the topics' "
        "medians: Student's t of the differences to the median of all runs, these among them; the runs of the track "
        f"are taken as they are{zero}.{bests}"
    )
    turned = [
        f"run {r.run}: by the existing labels, the interval against the topics' medians is "
        f"{limits(r.to_median_by_labels.low, r.to_median_by_labels.high, signs=True)}; unjudged documents could change "
        "that"
        for r in results
        if r.on_median == "open" != r.to_median_by_labels.verdict
    ]
    inside = table(
        f"Against the median and the best, by {m.name}", top, rows, cols=("w2", "vv", None, "x", "y o"), kind="pl"
    )
    below = notes(map(sentence, turned), [r.run for r in results])
    return el("figure", inside, el("figcaption", words, take), below)


def _span(d: Difference) -> Span:
    return Span(d.value, d.low, d.high)


def _counted(m: TrackMeasure, results: Sequence[RunResult]) -> Html:
    """How many topics of each run lie above, at and below the median."""
    top = [head("run"), *heads("above the median", "at it", "below it", "at the best", "at the worst")]
    rows = [
        tr(who(r.run), *(num(count(x)) for x in (r.above, r.equal, r.below, r.at_best, r.at_worst))) for r in results
    ]
    words = (
        f"Of {many(len(m.topics), 'topic')}. At the best and at the worst: no run of the track scores higher, or "
        "lower, there; where all runs score the same, both."
    )
    return figure(table(f"Topics by {m.name}", top, rows, kind="loose"), words, kind=room(r.run for r in results))


# ---------------------------------------------------------------------- topic by topic


def _topics(track: Track, own: Participant, style: PageStyle) -> Section:
    parts, data = list[Html](), {}
    for m, results in zip(track.measures, own.results, strict=True):
        for r in results:
            inside = _topic_figure(m, r, style)
            words = join(name(r.run), f" by {m.name}")
            parts.append(join(el("h3", words), inside) if not parts else folded(words, inside))
        data[m.name] = [dict(zip(COLUMNS, cells, strict=True)) for r in results for cells in topic_rows(m, r.run)]
    m, n = track.measures[0], len(track.measures[0].systems)
    lede = (
        f"The best, the median and the worst of a topic are over all {count(n)} runs. They are not one run: a run that "
        f"had the best {m.name} on every topic would score {plain(float(m.best.mean()))}, the best run scores "
        f"{plain(float(m.means.max()))}."
    )
    chip_words = f"{many(len(m.topics), 'topic')}, {many(len(own.runs), 'run')}"
    return Section(
        "topics", "Topic by topic", "Topics", join(paragraph(lede, class_="lede"), *parts), data, chip=chip_words
    )


def _topic_figure(m: TrackMeasure, r: RunResult, style: PageStyle) -> Html:
    """A row a topic: the range of all runs, their median, and this run."""
    axis = Axis.of([*m.worst.tolist(), *m.best.tolist()])
    lines = topic_rows(m, r.run)
    order = sorted(range(len(lines)), key=lambda t: -(r.values[t] - m.median[t]))
    rows, drawn = [], []
    for t in order:
        spread = (float(m.worst[t]), float(m.median[t]), float(m.best[t]), float(r.values[t]))
        cells = [
            who(m.topics[t]), num(plain(spread[3])), num(signed(spread[3] - spread[1])),
            plot(hidden_svg(_drawn(axis, *spread), ROW), "g"), num(plain(spread[0]), more="o"), num(plain(spread[1])),
            num(plain(spread[2])), num(str(lines[t][7]), more="o"),
            *([cell(name(m.best_of_topic(t)), kind="o bn")] if style.named else []),
        ]  # fmt: skip
        rows.append(tr(*cells))
        drawn.append((m.topics[t], _drawn(axis, *spread, y=10.0)))
    mean = [float(x.mean()) for x in (m.worst, m.median, m.best)]
    spread = (mean[0], mean[1], mean[2], float(r.values.mean()))
    top = [head("topic"), *heads("this run", "less the median"), head(axis_head(axis, words="range of all runs"), "p")]
    top += [head("worst", "n0 o"), *heads("median", "best"), head("rank", "n0 o")]
    top += [head("best run", "o bn")] if style.named else []
    last = [
        label("mean"), num(plain(spread[3])), num(signed(spread[3] - spread[1])), plot("", "g"),
        num(plain(mean[0]), more="o"), num(plain(mean[1])), num(plain(mean[2])), num("", more="o"),
        *([cell("", kind="o bn")] if style.named else []),
    ]  # fmt: skip
    cols = ("cs", "tn", "cv", None, "tn o", "tn", "tn", "ck o", *(["cs o bn"] if style.named else []))
    inside = el(
        "table",
        el("caption", f"{r.run} topic by topic, {m.name}", class_="vh"),
        el("colgroup", *(el("col", class_=c) for c in cols)),
        el("thead", tr(*top)),
        el("tbody", *rows),
        el("tfoot", tr(*last)),
        class_="lb sort own",
        style=f"--step:{100 * axis.step / (axis.high - axis.low):.4f}%",
    )
    columns = (*COLUMNS, *(["best_run"] if style.named else []))
    data = [(*lines[t], *([m.best_of_topic(t)] if style.named else [])) for t in range(len(lines))]
    title = f"{r.run}, {m.name}: worst to best of {len(m.systems)} runs, median, and this run"
    svg = listed(drawn, title, bottom_axis(axis, 0, signs=False))
    take = downloads(f"topics-{file_name(r.run)}-{file_name(m.name)}", columns, data, svg)
    words = (
        "Bar: from the worst to the best of all runs on this topic. Tick: their median. Dot: this run. Topics are in "
        "the order of the difference to the median; a head sorts by its column. The last row has means over topics."
    )
    return figure(inside, words, take, kind=f"lbf {room(m.topics)}")


def _drawn(axis: Axis, worst: float, median: float, best: float, own: float, y: float = ROW / 2) -> Html:
    left, right = axis.at(worst), axis.at(best)
    bar = el("rect", class_="mb", x=pc(left), y=f"{y - 1.5:g}", width=pc(max(right - left, 0.3)), height="3", rx="1.5")
    tick = line(axis.at(median), y - 7, y + 7, "zero")
    return join(bar, tick, el("circle", class_="cp", cx=pc(axis.at(own)), cy=f"{y:g}", r="4.5"))


# ---------------------------------------------------------------------- the pool


def _pool(track: Track, own: Participant) -> Section:
    parts = [_unjudged(track, own), _heading("Found by this team alone"), _unique(own)]
    parts += [_heading("The pool without this team"), _left_out(track, own)]
    data = {
        "unjudged": {
            m.name: [{"run": r.run, "unjudged": r.unjudged, "documents": r.documents, "bounds": r.bounds} for r in of]
            for m, of in zip(track.measures, own.results, strict=True)
        },
        "unique_relevant": len(own.unique.rows), "brought_alone": own.brought,
        "brought_alone_relevant": None if own.brought is None else own.brought_relevant,
        "left_out": [vars(x) for x in own.left_out],
    }  # fmt: skip
    return Section("pool", "Judged and unjudged", "Judged", join(*parts), data)


def _unjudged(track: Track, own: Participant) -> Html:
    """Unjudged documents in the first ranks, and what they could do."""
    rows, total = [], 0
    for m, results in zip(track.measures, own.results, strict=True):
        for r in results:
            total += r.unjudged
            share = f"{count(r.unjudged)} of {count(r.documents)} ({percent(r.unjudged / max(r.documents, 1), 1)})"
            held = NONE if r.bounds is None else limits(*r.bounds)
            cells = [who(r.run), cell(soft(m.name)), num(f"{track.looks_at(m.measure)}"), num(share)]
            rows.append(tr(*cells, num(plain(r.estimate.value)), num(held)))
    top = [head("run"), head("measure"), *heads("first ranks", "unjudged", "score", "score can be")]
    lede = (
        "Every document in the first ranks of these runs was judged."
        if total == 0
        else "Some documents in the first ranks of these runs were not judged. Scores count them as not relevant, "
        "which nobody has checked."
    )
    unknown = [m.name for m in track.measures if not has_bounds(m.measure)]
    words = "Possible score: the lowest and the highest over all labels of the unjudged documents of all runs."
    words += f" Unknown for {named(unknown)}." if unknown and total else ""
    caption = "Unjudged documents in the first ranks"
    inside = scrolls(table(caption, top, rows, kind="loose"), caption)
    return join(paragraph(lede, class_="lede"), figure(inside, words, kind=room(own.runs)))


def _heading(words: str) -> Html:
    return el("h3", words, class_="two-best")


def _unique(own: Participant) -> Html:
    """Relevant documents that only this team retrieved."""
    n = len(own.unique.rows)
    if not n:
        return paragraph(
            "Every relevant document in these runs was retrieved by a run of another team as well.", class_="prose-p"
        )
    topics = [str(r[0]) for r in own.unique.rows]
    most = sorted({t: topics.count(t) for t in topics}.items(), key=lambda pair: (-pair[1], pair[0]))
    words = (
        f"{many(n, 'relevant document')} of {many(len(most), 'topic')} in these runs, at any rank, "
        f"{'is' if n == 1 else 'are'} in no run of another team. Most: {named([f'{t} ({k})' for t, k in most], 5)}."
    )
    take = downloads(f"only-{file_name(own.team) or 'team'}", own.unique.columns, own.unique.rows)
    return paragraph(words, take, class_="prose-p")


def _left_out(track: Track, own: Participant) -> Html:
    """What the pool would be without this team."""
    if track.pool_depth is None:
        return paragraph("The pool depth was not given, so what this team contributed to it is unknown.", class_="note")
    if own.brought is None:
        return paragraph("No run of this team was pooled, so it contributed no judgments.", class_="prose-p")
    top = [head("run"), head("measure"), *heads("score", "left out", "change", "rank", "rank left out")]
    rows = [
        tr(
            who(x.run), cell(soft(x.measure)), num(plain(x.score)), num(plain(x.without)),
            num(signed(x.without - x.score)), num(str(x.rank)), num(str(x.rank_without)),
        )
        for x in own.left_out
    ]  # fmt: skip
    lede = (
        f"This team's pooled runs alone brought {many(own.brought, 'judgment')} to the pool of depth "
        f"{count(track.pool_depth)}, {count(own.brought_relevant)} of them of relevant documents."
    )
    if not own.left_out:
        lede = f"{lede} No judgment is of another team: without this team there is no pool, and no score."
        return paragraph(lede, class_="prose-p")
    words = (
        "Left out: the score without these judgments, as that of a team which was not pooled (Zobel 1998; by team "
        "Voorhees and Harman 1999)."
    )
    caption = "Without what only this team contributed to the pool"
    inside = scrolls(table(caption, top, rows, kind="loose"), caption)
    return join(paragraph(lede, class_="prose-p"), figure(inside, words, kind=room(own.runs)))


# ---------------------------------------------------------------------- how it was made


def _made(track: Track, own: Participant, style: PageStyle) -> Section:
    study, m = track.study, track.measures[0]
    options = {
        "measures": ", ".join(x.name for x in track.measures),
        "runs": count(len(study.systems)),
        "teams": count(len(track.teams.names)),
        "topics": count(len(study.topics)),
        "confidence": f"{study.confidence:g}",
        "seed": str(study.seed),
    }
    if track.items is None:
        options |= {
            "all topics": "yes" if study.config.scoring.all_topics else "no",
            "relevant from": f"{study.relevant_from or 1:g}",
            "unjudged": study.unjudged_policy,
            "pool depth": NONE if track.pool_depth is None else count(track.pool_depth),
        }
    options |= {name: str(study.provenance[name]) for name in ("ties", "trec_eval") if name in study.provenance}
    shown = [*style.common.items(), *(style.digests[run] for run in own.runs if run in style.digests)]
    files = [tr(label(el("bdi", f)), cell(el("code", d[:DIGITS]) if d else "no digest")) for f, d in shown]
    method = (
        f"Scores are means over {many(len(m.topics), 'topic')}. Their intervals are over "
        f"{'clusters of topics' if m.clusters else 'topics'}, by Student's t or, where a measure has bounds, Wilson's "
        "with Student's quantile, as `truegain report` has them; possible ranks come from simultaneous tests of all "
        "pairs of runs by the largest t (Westfall and Young 1993; Al Mohamad, Goeman and van Zwet 2018). "
    )
    if track.items is not None:
        method += "Topics for which some run has no value are left out for all; a missing value never counts as 0. "
    elif study.config.scoring.all_topics:
        method += "A topic that a run does not answer counts 0. "
    else:
        method += "Topics that some run does not answer are left out for all. "
    method += "Names of other teams' runs are left out." if not style.named else ""
    rows = (tr(label(k), cell(v)) for k, v in options.items())
    body = el(
        "div",
        paragraph(method),
        paragraph(f"Not covered: {study.not_covered}."),
        folded(f"Options ({len(options)})", table("Options", (), rows, kind="kv", unseen=True)),
        folded(
            f"Input files ({len(files)} shown), first {DIGITS} digits of SHA-256",
            table("Files and digests", (), files, kind="kv", unseen=True),
        )
        if files
        else None,
        paragraph(f"truegain {__version__}. The same files, options and version make the same page, byte for byte."),
        class_="prose",
    )
    return Section("made", "How it was made", "How it was made", body, {"options": options, "inputs": dict(shown)})
