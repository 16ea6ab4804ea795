"""Which systems differ significantly: cells with numbers, a triangle, or a staircase, by how many systems there are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from truegain.io.columns import Ints
from truegain.report.claims import by_whom
from truegain.report.facts import Facts, MeasureFacts
from truegain.report.html import (
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
    many,
    name,
    named,
    notes,
    num,
    p_value,
    paragraph,
    scrolls,
    signed,
    table,
    tr,
    who,
)
from truegain.report.svg import standalone

CELLS = 10  # systems up to which every pair has numbers
TRIANGLE = 400  # systems up to which every pair has a cell
LEADERS = 7
GRID = 220, 92, 38  # pixels of the names, of a cell and of a row, in a grid that leaves the page
SIDE = 860  # pixels of a drawing that leaves the page
STEPS = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2500, 5000, 10**6)
CLASSES = ("not significantly different", "different only if tested alone", "significantly different")


def section(facts: Facts) -> Section | None:
    """With three systems or more."""
    if len(facts.systems) < 3:
        return None
    first, *others = facts.measures
    n = len(facts.systems)
    pairs = many(n * (n - 1) // 2, "pair")
    differ = (
        f"{count(_counts(first)[2])} of {pairs} of systems differ significantly on {first.name} (simultaneous "
        f"{facts.level} confidence)."
    )
    lede = paragraph(by_whom(first.ranking.labels_by, differ), class_="lede")
    more = (folded(f"The same by {m.name}", _figure(m), _open(facts, m)) for m in others)
    body = join(lede, _figure(first), _open(facts, first), *more)
    data = {
        m.name: {"systems": list(m.ranking.systems), "pairs": _digits(m), "classes": list(CLASSES)}
        for m in facts.measures
        if n <= TRIANGLE
    }
    return Section("apart", "Which systems differ?", "Differences", body, data, chip=f"{first.name}, {pairs}")


def classes(m: MeasureFacts) -> Ints:
    """System by system, best first: 0 not different, 1 only if tested alone, 2 significantly different."""
    return np.where(m.apart, 2, np.where(m.alone, 1, 0))


def _digits(m: MeasureFacts) -> list[str]:
    """For each system a digit for every one below it."""
    c = classes(m)
    return ["".join(map(str, c[i, i + 1 :].tolist())) for i in range(len(c))]


def _counts(m: MeasureFacts) -> list[int]:
    """How many pairs there are of each class."""
    return [int(n) for n in np.bincount(classes(m)[np.triu_indices(len(m.estimates), 1)], minlength=3)]


def _figure(m: MeasureFacts) -> Html:
    n = len(m.estimates)
    if n <= CELLS:
        return _cells(m)
    return _triangle(m) if n <= TRIANGLE else _staircase(m)


def _open(facts: Facts, m: MeasureFacts) -> Html | None:
    """Systems of which no pair can be told, whatever p says."""
    if not m.ranking.open:
        return None
    few = "documents have gold labels" if facts.preferences is None else "comparisons are gold"
    why = f"the judge may favor them, or too few of their {few}"
    return notes([f"Not compared with any other: {named(m.ranking.open, 5)}; {why}."], m.ranking.open)


def _legend(m: MeasureFacts) -> Html:
    kinds = [(k, n) for k, n in reversed(list(enumerate(_counts(m)))) if n or k != 1]
    swatches = {k: el("span", class_=f"sw s{k}", aria_hidden="true") for k, _ in kinds}
    return el("ul", *(el("li", swatches[k], el("b", count(n)), f" {CLASSES[k]}") for k, n in kinds), class_="leg")


# ---------------------------------------------------------------------- few systems: numbers


def _cells(m: MeasureFacts) -> Html:
    """A cell a pair, with the difference and its p, adjusted for all pairs."""
    names, kinds = m.ranking.systems, classes(m)
    by = {frozenset((c.a, c.b)): c for c in m.pairs}
    rows, data = [], []
    numbers: dict[tuple[int, int], tuple[str, str]] = {}  # the difference and its p
    for i, s in enumerate(names[:-1]):
        cells: list[Child] = [cell() for _ in names[1 : i + 1]]
        for j in range(i + 1, len(names)):
            c = by[frozenset((s, names[j]))]
            d = c.difference if c.b == s else -c.difference
            difference, p = numbers[i, j] = signed(d), p_value(c.p_shown)
            words = el("b", difference), el("br"), el("span", p)
            cells.append(el("td", *words, class_=f"k{kinds[i, j]}", data_s=names[j]))  # which a phone says
            data.append((s, names[j], d, c.p, c.p_adjusted, CLASSES[kinds[i, j]]))
        rows.append(tr(who(s), *cells))
    top = [head("higher score"), *(head(name(s), "n0") for s in names[1:])]
    about = f"Differences in {m.name}, row minus column"
    columns = ("better", "worse", "difference", "p", "p_adjusted", "told")
    caption = (
        " p is adjusted for all pairs (the largest t of all, Westfall and Young 1993). A pair differs significantly if "
        "its simultaneous interval excludes 0."
    )
    stem = f"pairs-{file_name(m.name)}"
    take = downloads(stem, columns, data, _grid(m, kinds, numbers))
    inside = scrolls(table(about, top, rows, kind="cells", unseen=True), about)
    return figure((inside, _legend(m)), el("b", "Row minus column."), caption, take)


def _grid(m: MeasureFacts, kinds: Ints, numbers: Mapping[tuple[int, int], tuple[str, str]]) -> str:
    """The differences of all pairs as a drawing that leaves the page; their columns have the numbers of the rows."""
    names, (left, wide, high) = m.ranking.systems, GRID
    parts = [el("text", f"Differences in {m.name}, row minus column", class_="b", x=8, y=18)]
    for i, s in enumerate(names):
        if i < len(names) - 1:
            parts.append(el("text", f"{i + 1} {s[:26]}", x=8, y=50 + high * i + 22))
        if i:
            parts.append(el("text", f"{i + 1} {s[:9]}", x=left + wide * (i - 1) + wide - 8, y=42, text_anchor="end"))
    for (i, j), (difference, p) in numbers.items():
        x, y, kind = left + wide * (j - 1), 50 + high * i, int(kinds[i, j])
        at = x + wide - 8
        words = (
            el("text", difference, class_="b", x=at, y=y + 16, text_anchor="end"),
            el("text", p, class_="p", x=at, y=y + 30, text_anchor="end"),
        )
        box = el("rect", class_=f"m{kind}", x=x, y=y, width=wide - 2, height=high - 2)
        parts.append(el("g", box, el("g", *words, class_=f"k{kind}")))
    size = left + wide * (len(names) - 1) + 8, 60 + high * (len(names) - 1)
    return standalone(join(*parts), *size, f"Differences in {m.name}, row minus column")


# ---------------------------------------------------------------------- many: a triangle of cells


def _triangle(m: MeasureFacts) -> Html:
    n, kinds, counts = len(m.estimates), classes(m), _counts(m)
    paths = join(*(el("path", class_=f"m{k}", d=_path(kinds, k)) for k in (0, 1, 2)))
    words = (
        f"Triangle of {many(n * (n - 1) // 2, 'pair')} of systems, best first: {count(counts[2])} significantly "
        f"different, {count(counts[1])} only if tested alone, {count(counts[0])} not."
    )
    example = _example(m)
    outline = None
    if example is not None:
        place = {"x": example + 1, "y": example, "width": n - example - 1, "height": 1}
        outline = el("rect", class_="exr", vector_effect="non-scaling-stroke", **place)
    looks = {"shape_rendering": "crispEdges", "class_": "cells-svg", "data_measure": m.name}
    drawing = el("svg", paths, outline, viewBox=f"0 0 {n} {n}", role="img", aria_label=words, **looks)
    left = el("div", el("div", drawing, *_ticks(n), *_beside_diagonal(m), class_="mx"))
    right = el("div", el("h3", "Read along a row"), _example_words(m, example), _legend(m), _leaders(m))
    bold = el("b", "The plain band along the diagonal has the pairs that do not differ significantly.")
    caption = (
        " A row is a system, best on top; its cells are the systems below it by score, numbered along the top. "
        f"{_gap_words(m)} The CSV has a digit per pair: 2 significantly different, 1 only if tested alone, 0 not."
    )
    rows = [(i, s, f"|{d}") for i, (s, d) in enumerate(zip(m.ranking.systems, _digits(m), strict=True), 1)]
    stem = f"pairs-{file_name(m.name)}"
    take = downloads(stem, ("rank", "system", "pairs_below"), rows, _square(paths, n, words))
    return figure(el("div", left, right, class_="mxg"), bold, caption, take)


def _square(inner: Html, n: int, words: str) -> str:
    return standalone(el("svg", inner, viewBox=f"0 0 {n} {n}", width=SIDE, height=SIDE), SIDE, SIDE, words)


def _ticks(n: int) -> list[Html]:
    """Ranks along the top."""
    every = next(s for s in STEPS if n / s <= 8)
    at = [1, *range(every, n + 1, every)]
    return [el("span", count(t), class_="tt", style=f"left:{100 * (t - 0.5) / n:.2f}%") for t in at]


def _path(kinds: Ints, kind: int) -> str:
    """One path a class: runs of equal cells joined."""
    n, parts = len(kinds), []
    for i in range(n - 1):
        here = kinds[i, i + 1 :] == kind
        edge = np.flatnonzero(np.diff(np.r_[False, here, False].astype(np.int8)))
        parts += [f"M{i + 1 + a} {i}h{b - a}v1h-{b - a}z" for a, b in zip(edge[::2], edge[1::2], strict=True)]
    return "".join(parts)


def _first_below(m: MeasureFacts) -> list[int | None]:
    """For every rank the first below it that it is told apart from."""
    n = len(m.estimates)
    return [i + 1 + int(np.argmax(m.apart[i, i + 1 :])) if m.apart[i, i + 1 :].any() else None for i in range(n - 1)]


def _example(m: MeasureFacts) -> int | None:
    """A row to read aloud: near a tenth of the way down, with something told apart."""
    first = _first_below(m)
    return next((i for i in range(len(first) // 10, len(first)) if first[i] is not None), None)


def _example_words(m: MeasureFacts, i: int | None) -> Html:
    if i is None:
        return paragraph("No system is significantly better than one below it.")
    first, n = _first_below(m)[i] or 0, len(m.estimates)
    below = int(m.apart[i, i + 1 :].sum())
    of = f"{count(below)} of the {count(n - i - 1)} below it, first from "
    differs = f", rank {i + 1}: it differs significantly from {of}"
    systems = m.ranking.systems
    return paragraph("The outlined row is ", name(systems[i]), differs, name(systems[first]), f" at rank {first + 1}.")


def _gap_words(m: MeasureFacts) -> str:
    """How many ranks two systems are apart before they differ significantly, where any do."""
    gaps = [first - i for i, first in enumerate(_first_below(m)) if first is not None]
    if not gaps:
        return "No two systems differ significantly."
    far = count(float(np.median(gaps)))
    return f"Half of the systems that differ from any below differ only from those {far} or more ranks below."


def _tier_leaders(m: MeasureFacts) -> list[int]:
    return [m.ranking.systems.index(head_) for head_ in m.ranking.heads[:LEADERS]]


def _beside_diagonal(m: MeasureFacts) -> list[Html]:
    """Heads of tiers, in the empty half; those that would overlap are left to the table."""
    n, labels, last = len(m.estimates), [], -9.0
    for i in _tier_leaders(m):
        at = 100 * (i + 0.5) / n
        if at < 12 or at > 95 or at - last < 5:
            continue
        place = f"right:{100 - at:.2f}%;top:{at:.2f}%"
        labels.append(el("span", name(m.ranking.systems[i][:24]), " ", el("b", str(i + 1)), class_="dl", style=place))
        last = at
    return labels


def _leaders(m: MeasureFacts) -> Html:
    rows, singly = [], len(m.estimates) <= TRIANGLE  # of more, no pair was tested alone
    for i in _tier_leaders(m):
        differs, more = int(m.apart[i].sum()), int((m.alone[i] & ~m.apart[i]).sum())
        numbers = [num(str(i + 1)), num(count(differs)), *([num(count(more))] if singly else [])]
        rows.append(tr(who(m.ranking.systems[i]), *numbers))
    top = [head("system"), *heads("rank", "differs from", *(["more if tested alone"] if singly else []))]
    return table("Best of each tier", top, rows, kind="ld")


# ---------------------------------------------------------------------- a thousand: a staircase


def _staircase(m: MeasureFacts) -> Html:
    """For every rank the first rank below that it is told apart from; no cells."""
    n, first = len(m.estimates), _first_below(m)
    y = [n if f is None else f for f in first]
    steps = f"M0 {y[0]}" + "".join(f"H{i}V{at}" for i, at in enumerate(y) if i) + f"H{n - 1}"
    still = {"fill": "none", "vector_effect": "non-scaling-stroke"}
    inner = join(
        el("path", class_="m0", d=f"M0 0L{n} {n}H0z"),
        el("path", class_="m2", d=f"{steps}V{n}H0z"),
        el("path", class_="axl", d=f"M0 0L{n} {n}", **still),
    )
    words = f"Staircase over {count(n)} systems: for every rank, the first rank below that differs significantly."
    drawing = el("svg", inner, viewBox=f"0 0 {n} {n}", role="img", aria_label=words)
    left = el("div", el("div", drawing, *_ticks(n), class_="mx"))
    rows = [
        (i, s, None if f is None else f + 1) for i, (s, f) in enumerate(zip(m.ranking.systems, first, strict=False), 1)
    ]
    stem = f"told-{file_name(m.name)}"
    take = downloads(stem, ("rank", "system", "first_rank_told_apart_from"), rows, _square(inner, n, words))
    bold = el("b", "Across: rank. Down: the first rank that differs significantly from it.")
    caption = (
        " The diagonal is the rank itself; the further the stairs lie below it, the fewer systems differ. "
        f"{_gap_words(m)} With this many systems, pairs were not tested alone."
    )
    return figure(el("div", left, el("div", _legend(m), _leaders(m)), class_="mxg"), bold, caption, take)
