"""The judge of preferences beside people: how often they name the same winner, and whom the judge favors."""

from __future__ import annotations

from truegain.preferences.description import JudgedVotes
from truegain.report.facts import Facts
from truegain.report.html import (
    Child,
    Html,
    Section,
    count,
    downloads,
    el,
    figure,
    head,
    heads,
    join,
    label,
    many,
    name,
    names_in,
    num,
    paragraph,
    percent,
    plain,
    scrolls,
    signed,
    table,
    tr,
    true_minus,
)
from truegain.report.sections.values import errors_figure

UNFOLDED = 24  # pairs up to which their table is open
COLUMNS = ("a", "b", "gold", "untied", "agree", "judge_half_wins", "people_half_wins")


def section(facts: Facts, judge: JudgedVotes, scores: Html | None) -> Section:
    """How good a judge of preferences is; scores: corrected ones beside uncorrected."""
    parts: list[Child] = [paragraph(_lede(facts, judge), class_="lede")]
    more = [judge.errors.leaning if judge.errors.gap is not None else "", _worth(judge)]
    parts += [paragraph(names_in(true_minus(x), facts.systems), class_="prose-p") for x in more if x]
    of = judge.errors.by_system
    beside = "Half-wins by judge and by people on the gold comparisons"
    parts += [errors_figure(facts, judge.errors, of, "comparisons of", "gold", beside), scores]
    parts += [_both(judge), _pairs(judge)]
    share, low, high = judge.agreement
    data = {
        "gold": judge.gold,
        "design": facts.gold_design,
        "agreement": {"share": share, "low": low, "high": high, "of": judge.untied},
        "said": dict(judge.counts),
        "errors": [{"system": e.system, "gold": e.labels, "error": e.value, "low": e.low, "high": e.high} for e in of],
        "favored": judge.errors.leaning,
        "correlation": judge.correlation,
        "pairs": [dict(zip(COLUMNS, row, strict=True)) for row in _records(judge)],
    }
    chip = many(judge.gold, "gold comparison")
    return Section("judge", "How good is the judge?", "The judge", join(*parts), data, chip=chip)


def _lede(facts: Facts, judge: JudgedVotes) -> str:
    of = f"{many(judge.gold, 'gold comparison')} ({facts.gold_design})"
    if not judge.untied:
        return f"In none of {of} do judge and people both name a winner."
    share, low, high = judge.agreement
    between = "" if low is None else f" ({facts.level} CI {percent(low)} to {percent(high)})"
    return (
        f"The judge names the same winner as people in {percent(share)} of the {count(judge.untied)} comparisons that "
        f"neither calls a tie{between}, by {of}. By chance it would be 50%."
    )


def _worth(judge: JudgedVotes) -> str:
    """What the judge brings to the corrected scores."""
    tuned = f"its half-wins count {judge.slope:.0%}" if judge.slope < 1 else "its half-wins count in full"
    return (
        f"Within pairs of systems, the correlation of its half-wins with people's is {judge.correlation:z.2f}; in the "
        f"corrected scores {tuned}, and gold comparisons correct the rest."
    )


def _both(judge: JudgedVotes) -> Html:
    """What the judge says where people name a winner, or none."""
    n = judge.counts
    either = el("td", f"{count(n['people tie'])} either of the two", class_="n0", colspan="2")
    rows = [
        tr(label("people name a winner"), *(num(count(n[x])) for x in ("same", "other", "judge ties"))),
        tr(label("people call a tie"), either, num(count(n["both tie"]))),
    ]  # fmt: skip
    about = "The judge's vote, given people's"
    top = [head("gold comparisons"), *heads("judge: the same", "judge: the other", "judge: a tie")]
    made = scrolls(table(about, top, rows, kind="cm"), about)
    take = downloads("judge-and-people", ("said", "gold_comparisons"), list(n.items()))
    caption = "Gold comparisons. If a judge's winner changes with the order of showing, the mean of both is a tie."
    return figure(made, caption, take)


def _pairs(judge: JudgedVotes) -> Html:
    """Agreement and half-wins, pair by pair."""
    rows = []
    for p in judge.pairs:
        agree = f"{percent(p.agree / p.untied)} of {count(p.untied)}" if p.untied else "none untied"
        numbers = num(count(p.gold)), num(agree), num(plain(p.judge, 2)), num(plain(p.people, 2))
        words = el("th", name(p.a), el("span", " against ", class_="m"), name(p.b), scope="row")
        rows.append(tr(words, *numbers, num(signed(p.judge - p.people, 2))))
    about = "Judge and people by pair of systems, on gold comparisons"
    top = [head("pair"), *heads("gold comparisons", "same winner", "half-wins, judge", "half-wins, people", "error")]
    made = scrolls(table(about, top, rows, kind="loose"), about)
    caption = "Half-wins are those of the first system of each pair; error: judge minus people."
    take = downloads("judge-by-pair", COLUMNS, _records(judge))
    fold = f"The judge, pair by pair ({count(len(rows))})" if len(rows) > UNFOLDED else None
    return figure(made, caption, take, fold=fold)


def _records(judge: JudgedVotes) -> list[tuple[str, str, int, int, int, float, float]]:
    return [(p.a, p.b, p.gold, p.untied, p.agree, p.judge, p.people) for p in judge.pairs]
