"""Who is told apart from whom: cells with numbers, a triangle, or a staircase, by how many systems there are."""

from __future__ import annotations

import numpy as np

from truegain.report.facts.facts import Facts, MeasureFacts
from truegain.report.parts.files import csv_link, links, svg_link
from truegain.report.parts.html import Child, Html, el, join, name, paragraph
from truegain.report.parts.numbers import count, many, p_value, signed
from truegain.report.parts.section import Section
from truegain.report.parts.svg import alone
from truegain.tables.columns import Ints

CELLS = 10  # systems up to which every pair has numbers
TRIANGLE = 400  # systems up to which every pair has a cell
CLASSES = ("not told apart", "would be, had only that pair been asked", "told apart")


def section(facts: Facts) -> Section | None:
    """With three systems or more."""
    if len(facts.systems) < 3:
        return None
    first, *others = facts.measures
    more = (
        el("details", el("summary", f"The same by {m.name}"), _one(facts, m), class_="again") for m in others
    )
    body = join(paragraph(_words(facts, first), class_="lede"), _one(facts, first), *more)
    data = {m.name: {"systems": list(m.ranking.systems), "pairs": _digits(m), "classes": list(CLASSES)}
            for m in facts.measures if len(m.estimates) <= TRIANGLE}  # fmt: skip
    pairs = len(facts.systems) * (len(facts.systems) - 1) // 2
    return Section("apart", "Who is told apart from whom", "Told apart", body, data, chip=f"{first.name}, {many(pairs, 'pair')}")


def classes(m: MeasureFacts) -> Ints:
    """System by system, best first: 0 not told apart, 1 only if asked alone, 2 told apart."""
    return np.where(m.apart, 2, np.where(m.alone, 1, 0))


def _digits(m: MeasureFacts) -> list[str]:
    """For each system a digit for every one below it."""
    c = classes(m)
    return ["".join(map(str, c[i, i + 1 :].tolist())) for i in range(len(c))]


def _counts(m: MeasureFacts) -> list[int]:
    c = classes(m)[np.triu_indices(len(m.estimates), 1)]
    return np.bincount(c, minlength=3).tolist()


def _words(facts: Facts, m: MeasureFacts) -> str:
    n = len(m.estimates)
    told = _counts(m)[2]
    return (
        f"{count(told)} of {many(n * (n - 1) // 2, 'pair')} of systems are told apart by {m.name} ({facts.level}, all "
        "pairs at once)."
    )


def _one(facts: Facts, m: MeasureFacts) -> Html:
    n = len(m.estimates)
    if n <= CELLS:
        return _cells(facts, m)
    return _triangle(facts, m) if n <= TRIANGLE else _staircase(m)


# ---------------------------------------------------------------------- few systems: numbers


def _cells(facts: Facts, m: MeasureFacts) -> Html:
    """A cell a pair, with the difference and its p, adjusted for all pairs."""
    names, kinds = m.ranking.systems, classes(m)
    by = {frozenset((c.a, c.b)): c for c in m.pairs}
    head = el("tr", el("th", "better by score", scope="col"), *(el("th", name(s), scope="col", class_="n0") for s in names[1:]))
    rows, data = [], []
    for i, s in enumerate(names[:-1]):
        cells: list[Child] = [el("td", class_="none") for _ in names[1 : i + 1]]
        for j in range(i + 1, len(names)):
            c = by[frozenset((s, names[j]))]
            d = c.difference if c.b == s else -c.difference
            p = c.p if c.p_adjusted is None else c.p_adjusted
            cells.append(el("td", el("b", signed(d)), el("br"), el("span", p_value(p)), class_=f"k{kinds[i, j]}"))
            data.append((s, names[j], d, c.p, c.p_adjusted, CLASSES[kinds[i, j]]))
        rows.append(el("tr", el("th", name(s), scope="row"), *cells))
    table = el("table", el("caption", f"Differences in {m.name}, row less column", class_="vh"), el("thead", head), el("tbody", *rows), class_="cells")
    told = csv_link("pairs.csv", ("better", "worse", "difference", "p", "p_adjusted", "told"), data)
    caption = el(
        "figcaption", el("b", "Row less column."), " p is adjusted for all pairs (the largest t of all, Westfall and"
        " Young 1993). A pair is told apart where the whole interval that holds all pairs at once leaves out 0.",
        links(told),
    )  # fmt: skip
    region = el("div", table, class_="scroll", role="region", tabindex="0", aria_label=f"Differences in {m.name} of all pairs")
    return el("figure", region, _legend(m), caption)


def _legend(m: MeasureFacts) -> Html:
    none, single, told = _counts(m)
    items = ((2, told, "told apart"), (1, single, "would be, had only that pair been asked"), (0, none, "not told apart"))
    return el("ul", *(
        el("li", el("span", class_=f"sw s{k}", aria_hidden="true"), el("b", count(x)), f" {words}")
        for k, x, words in items if x or k != 1
    ), class_="leg")  # fmt: skip


# ---------------------------------------------------------------------- many: a triangle of cells


def _triangle(facts: Facts, m: MeasureFacts) -> Html:
    n, kinds = len(m.estimates), classes(m)
    paths = join(*(el("path", class_=f"m{k}", d=_path(kinds, k)) for k in (0, 1, 2)))
    example = _example(m)
    told = _counts(m)
    words = (
        f"Triangle of {count(n * (n - 1) // 2)} pairs of systems, best first: {count(told[2])} told apart, {count(told[1])} "
        f"only if asked alone, {count(told[0])} not told apart. The nearer to the diagonal, the fewer are told apart."
    )
    outline = None if example is None else el("rect", class_="exr", x=example + 1, y=example, width=n - example - 1, height=1,
                                              vector_effect="non-scaling-stroke")  # fmt: skip
    drawing = el("svg", paths, outline, viewBox=f"0 0 {n} {n}", role="img", aria_label=words, shape_rendering="crispEdges",
                 class_="cells-svg", data_measure=m.name)  # fmt: skip
    every = next(s for s in (5, 10, 20, 25, 50, 100) if n / s <= 8)
    ticks = [1, *range(every, n + 1, every)]
    top = (el("span", str(t), class_="tt", style=f"left:{100 * (t - 0.5) / n:.2f}%") for t in ticks)
    file = svg_link("pairs.svg", alone(el("svg", paths, viewBox=f"0 0 {n} {n}", width=860, height=860), 860, 860, words))
    data = csv_link("pairs.csv", ("rank", "system", "pairs_below"), [(i + 1, s, f"|{d}") for i, (s, d) in enumerate(zip(m.ranking.systems, _digits(m), strict=True))])
    caption = el(
        "figcaption", el("b", "Read along a row:"), " a row is a system, best on top; its cells are the systems below it by"
        " score, numbered along the top. ", _gap_words(m), " The CSV has a digit a pair: 2 told apart, 1 only if asked"
        " alone, 0 not.", links(data, file),
    )  # fmt: skip
    right = el("div", el("h3", "Read along a row"), _example_words(m, example), _legend(m), _leaders(m))
    left = el("div", el("div", drawing, *top, *_leader_labels(m), class_="mx"))
    return el("figure", el("div", left, right, class_="mxg"), caption)


def _path(kinds: Ints, kind: int) -> str:
    """One path a class: runs of equal cells joined."""
    n, parts = len(kinds), []
    for i in range(n - 1):
        here = kinds[i, i + 1 :] == kind
        edge = np.flatnonzero(np.diff(np.r_[False, here, False].astype(np.int8)))
        parts += [f"M{i + 1 + a} {i}h{b - a}v1h-{b - a}z" for a, b in zip(edge[::2], edge[1::2], strict=True)]
    return "".join(parts)


def _told_below(m: MeasureFacts) -> Ints:
    return np.triu(m.apart, 1).sum(axis=1)


def _example(m: MeasureFacts) -> int | None:
    """A row to read aloud: near a tenth of the way down, with something told apart."""
    below = _told_below(m)
    return next((i for i in range(len(below) // 10, len(below)) if below[i]), None)


def _example_words(m: MeasureFacts, i: int | None) -> Html:
    if i is None:
        return paragraph("No system is told apart from one below it.")
    first = i + 1 + int(np.argmax(m.apart[i, i + 1 :]))
    below, n = int(_told_below(m)[i]), len(m.estimates)
    return paragraph(
        "The outlined row is ", name(m.ranking.systems[i]), f", rank {i + 1}: it is told apart from {count(below)} of the "
        f"{count(n - i - 1)} below it, first from ", name(m.ranking.systems[first]), f" at rank {first + 1}.",
    )  # fmt: skip


def _gap_words(m: MeasureFacts) -> str:
    """How far apart two ranks are before they are told apart, where anything is."""
    n = len(m.estimates)
    gaps = [int(np.argmax(m.apart[i, i + 1 :])) + 1 for i in range(n - 1) if m.apart[i, i + 1 :].any()]
    if not gaps:
        return "No two systems are told apart."
    return f"Half of the systems are told apart only from systems {count(float(np.median(gaps)))} or more ranks below."


def _tier_leaders(m: MeasureFacts) -> list[int]:
    tier = m.ranking.tier
    return [int(np.flatnonzero(tier == t)[0]) for t in range(1, int(tier.max()) + 1)][:7]


def _leader_labels(m: MeasureFacts) -> list[Html]:
    """Leaders of tiers, in the empty half beside the diagonal; those that would overlap are left to the table."""
    n, out, last = len(m.estimates), [], -1.0
    for i in _tier_leaders(m):
        at = 100 * (i + 0.5) / n
        if at < 12 or at - last < 5:
            continue
        out.append(el("span", name(m.ranking.systems[i][:24]), " ", el("b", str(i + 1)), class_="dl", style=f"right:{100 - at:.2f}%;top:{at:.2f}%"))
        last = at
    return out


def _leaders(m: MeasureFacts) -> Html:
    rows = []
    for i in _tier_leaders(m):
        told, single = int(m.apart[i].sum()), int((m.alone[i] & ~m.apart[i]).sum())
        rows.append(el("tr", el("th", name(m.ranking.systems[i]), scope="row"), el("td", str(i + 1), class_="n0"),
                       el("td", count(told), class_="n0"), el("td", count(single), class_="n0")))  # fmt: skip
    heads = ("system", "rank", "told apart from", "more if asked alone")
    return el("table", el("caption", "Leaders of the tiers"),
              el("thead", el("tr", *(el("th", h, scope="col", class_="n0" if i else None) for i, h in enumerate(heads)))),
              el("tbody", *rows), class_="ld")  # fmt: skip


# ---------------------------------------------------------------------- a thousand: a staircase


def _staircase(m: MeasureFacts) -> Html:
    """For every rank the first rank below that it is told apart from."""
    n = len(m.estimates)
    first = [i + 1 + int(np.argmax(m.apart[i, i + 1 :])) if m.apart[i, i + 1 :].any() else n for i in range(n - 1)]
    steps = f"M0 {first[0]}" + "".join(f"H{i}V{y}" for i, y in enumerate(first) if i) + f"H{n - 1}"
    area = f"{steps}V{n}H0z"
    inner = join(el("path", class_="m1", d=area), el("path", class_="stair", d=steps, vector_effect="non-scaling-stroke"),
                 el("path", class_="axl", d=f"M0 0L{n} {n}", fill="none", vector_effect="non-scaling-stroke"))  # fmt: skip
    words = f"Staircase over {count(n)} systems: for every rank the first rank below it that it is told apart from."
    drawing = el("svg", inner, viewBox=f"0 0 {n} {n}", role="img", aria_label=words)
    every = next(s for s in (50, 100, 200, 250, 500, 1000, 2500, 5000, 10**6) if n / s <= 6)
    ticks = (el("span", str(t), class_="tt", style=f"left:{100 * t / n:.2f}%") for t in range(every, n + 1, every))
    rows = [(i + 1, s, y + 1 if y < n else None) for i, (s, y) in enumerate(zip(m.ranking.systems, first, strict=False))]
    caption = el(
        "figcaption", el("b", "Across: rank. Down: the first rank it is told apart from."), " The line on the diagonal is the"
        f" rank itself; the further the stairs lie below it, the less is told. {_gap_words(m)}",
        links(csv_link("told.csv", ("rank", "system", "first_rank_told_apart_from"), rows),
              svg_link("told.svg", alone(el("svg", inner, viewBox=f"0 0 {n} {n}", width=860, height=860), 860, 860, words))),
    )  # fmt: skip
    right = el("div", _legend(m), _leaders(m))
    return el("figure", el("div", el("div", el("div", drawing, *ticks, class_="mx")), right, class_="mxg"), caption)
