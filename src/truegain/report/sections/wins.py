"""Who was preferred to whom: votes for each of two systems, ties, and half-wins, pair by pair."""

from __future__ import annotations

from truegain.preferences.description import PairVotes
from truegain.report.facts import Facts, PreferenceFacts
from truegain.report.html import (
    Html,
    Section,
    count,
    downloads,
    el,
    figure,
    head,
    heads,
    join,
    many,
    name,
    names_in,
    num,
    paragraph,
    percent,
    plot,
    room,
    table,
    tr,
)
from truegain.report.svg import hidden_svg, line, listed, pc

UNFOLDED = 24  # pairs up to which the table is open
ROWS = 300  # beyond which only the CSV has the others
NAMED = 8
COLUMNS = ("system", "against", "topics", "votes", "wins", "ties", "losses", "half_wins")


def section(facts: Facts) -> Section | None:
    """Only of preferences."""
    about = facts.preferences
    if about is None:
        return None
    place = {s: i for i, s in enumerate(facts.main.ranking.systems)}
    pairs = [p.of(min(p.a, p.b, key=place.__getitem__)) for p in about.pairs]
    pairs.sort(key=lambda p: (place[p.a], place[p.b]))
    body = join(paragraph(names_in(_lede(facts, about), facts.systems), class_="lede"), _figure(facts, pairs))
    data = {"pairs": [dict(zip(COLUMNS, _record(p), strict=True)) for p in pairs]}
    chip = many(len(pairs), "pair")
    return Section("wins", "Who was preferred to whom?", "Wins", body, data, chip=chip)


def _lede(facts: Facts, about: PreferenceFacts) -> str:
    """The share that each system won, by the votes as they are."""
    won = {s: [p.of(s) for p in about.pairs if s in (p.a, p.b)] for s in facts.main.ranking.systems}
    topics = {s: sum(p.topics for p in of) for s, of in won.items()}
    shares = [f"{s} {percent(sum(p.half_wins * p.topics for p in of) / topics[s])}" for s, of in won.items()]
    shown = ", ".join(shares[:NAMED]) + (f" and {count(len(shares) - NAMED)} more" if len(shares) > NAMED else "")
    whose = ", before gold comparisons correct them" if about.judge is not None else ""
    return (
        f"{many(facts.labels, 'vote')} on {many(sum(p.topics for p in about.pairs), 'comparison')}. Share of "
        f"comparisons won, with ties as half, by the uncorrected votes{whose}: {shown}."
    )


def _figure(facts: Facts, pairs: list[PairVotes]) -> Html:
    rows, drawn = [], []
    for p in pairs[:ROWS]:
        bar = _bar(p)
        drawn.append((f"{p.a} against {p.b}", bar))
        words = el("th", name(p.a), el("span", " against ", class_="m"), name(p.b), scope="row")
        numbers = num(count(p.wins)), num(count(p.ties)), num(count(p.losses)), num(percent(p.half_wins))
        rows.append(tr(words, num(count(p.topics), more="o"), plot(hidden_svg(bar, 20)), *numbers))
    top = [head("pair"), head("topics", "n0 o"), head("votes", "p"), *heads("wins", "ties", "losses", "half-wins")]
    made = table(
        "Votes of each pair, better-ranked system first", top, rows, cols=("cs", "x o", None, "x", "x", "x", "x"),
        kind=f"sort own wn {room(f'{p.a} against {p.b}' for p in pairs)}", unseen=True,
    )  # fmt: skip
    left = len(pairs) - ROWS
    caption = (
        "Wins, ties and losses are votes, of the first system of each pair, which is the better ranked one. Bar: wins, "
        "ties (light) and losses. Half-wins are the mean over topics of the votes on each."
        f"{f' {count(left)} more pairs: the CSV has them.' if left > 0 else ''}"
    )
    svg = listed(drawn, f"Votes of each pair: wins, ties and losses of the first system, {facts.main.name}")
    take = downloads("wins", COLUMNS, [_record(p) for p in pairs], svg)
    fold = f"{many(len(pairs), 'pair')} of systems" if len(pairs) > UNFOLDED else None
    return figure(made, caption, take, fold=fold)


def _bar(p: PairVotes) -> Html:
    """Three parts of one bar, and the middle of it."""
    parts, at = [], 0.0
    for n, kind in ((p.wins, "wa"), (p.ties, "wt"), (p.losses, "wb")):
        wide = 100 * n / p.votes
        if n:
            parts.append(el("rect", class_=kind, x=pc(at), y=4, width=pc(max(wide - 0.3, 0.2)), height=12))
        at += wide
    return join(*parts, line(50, 0, 20, "zero"))


def _record(p: PairVotes) -> tuple[str, str, int, int, int, int, int, float]:
    return p.a, p.b, p.topics, p.votes, p.wins, p.ties, p.losses, p.half_wins
