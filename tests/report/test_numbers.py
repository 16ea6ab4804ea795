"""Numbers on the page are those of the study, to the printed digit, and those of scipy where it can tell."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.report import worlds
from tests.report.reading import Tag, data_of, read, rows_of
from truegain.data.runs import Runs
from truegain.report.claims import rests_on
from truegain.report.gather import gather
from truegain.report.html import EN, MINUS, limits, plain, signed
from truegain.report.page.page import page
from truegain.report.sections.pairwise import classes
from truegain.stats.results import Comparison


def scores(systems: int, holes: int = 0, measure: str = "P@10") -> np.ndarray:
    """Systems by topics, by the evaluation itself."""
    runs, judged = worlds.world(systems, holes)
    return np.asarray(tg.evaluate(runs, judged, measure).values[measure])


def section(tree: Tag, name: str) -> Tag:
    """A section of a page."""
    return tree.one("section", id=name)


def test_the_lede_is_the_paired_t_test() -> None:
    """Guards the numbers one reads first: difference, both scores and limits, by scipy."""
    tree = read(page(worlds.plain(2)[1]))
    x = scores(2)
    low, high = stats.ttest_rel(x[1], x[0]).confidence_interval()
    lede = section(tree, "verdict").one("p", class_="lede").text
    assert f"difference is {signed(float((x[1] - x[0]).mean()))} P@10" in lede
    assert f"({plain(float(x[1].mean()))} against {plain(float(x[0].mean()))})" in lede
    assert f"95% CI {limits(float(low), float(high), signs=True)}, for topics like these 24" in lede


@pytest.mark.parametrize("outcome", ["better", "inconclusive"])
def test_the_headline_says_what_the_verdict_says(outcome: str) -> None:
    """Guards the h1 and its chip: the verdict's own answer, with the measure."""
    study, facts = worlds.plain(2, 0 if outcome == "better" else 4)
    verdict = study.verdict("sys-1", "sys-2")
    tree = read(page(facts))
    head = tree.one("h1").text
    assert verdict.outcome == outcome == section(tree, "verdict").one("span", class_="v").text[2:]
    assert "than sys-1 on P@10" in head
    assert head == verdict.headline


@pytest.mark.slow
def test_systems_have_their_intervals_and_ranks() -> None:
    """Guards the table of systems: scores by the evaluation, limits by Student's t, ranks by the study."""
    study, facts = worlds.plain(5, 4, ("P@10", "nDCG@10"))
    tree = read(page(facts))
    for m, table in zip(("P@10", "nDCG@10"), section(tree, "systems").every("table", class_="lb"), strict=True):
        x, ranking = scores(5, 4, m), study.best(m)
        by_name = dict(zip(study.systems, x, strict=True))
        rows = rows_of(table)
        assert [r[1] for r in rows] == list(ranking.systems)
        for i, (rank, system, value, _, span, may, tier) in enumerate(rows):
            row = by_name[system]
            half = stats.t.ppf(0.975, len(row) - 1) * stats.sem(row)
            e = study.estimates(m)[system, m]
            assert (rank, value, tier) == (str(i + 1), plain(float(row.mean())), str(ranking.tier[i]))
            assert span == limits(e.low, e.high)
            assert e.high - e.low == pytest.approx(2 * half, rel=0.25)  # scores keep inside 0 to 1
            assert may == f"{ranking.low[i]}{EN}{ranking.high[i]}"


def test_pairs_are_those_of_the_study() -> None:
    """Guards who is told apart: cells have the study's differences and p, their kind that of the ranking."""
    study, facts = worlds.plain(5)
    tree, ranking = read(page(facts)), study.best()
    assert ranking.ahead is not None
    kinds = classes(facts.main)
    found = study.compare()
    table = section(tree, "apart").one("table", class_="cells")
    for i, row in enumerate(rows_of(table)):
        for j in range(i + 1, 5):
            c = found.between(ranking.systems[i], ranking.systems[j])
            assert isinstance(c, Comparison)
            told = row[j].replace(MINUS, "-")
            assert float(re.split("p", told)[0]) == pytest.approx(abs(c.difference), abs=5.1e-4)
            assert kinds[i, j] == (2 if ranking.ahead[i, j] else 1 if (c.p or 1) < 0.05 else 0)
    said = section(tree, "apart").one("p", class_="lede").text
    assert said.startswith(f"{int(ranking.ahead.sum())} of 10 pairs")


def test_the_triangle_has_a_cell_for_every_pair() -> None:
    """Guards the paths of the matrix: their cells, counted, are the pairs of each kind."""
    facts = worlds.many(60)
    tree = read(page(facts))
    kinds = classes(facts.main)[np.triu_indices(60, 1)]
    drawing = section(tree, "apart").one("svg", class_="cells-svg")
    for k, path in enumerate(drawing.every("path")):
        drawn = sum(int(w) for w in re.findall(r"h(\d+)v1", str(path.attributes["d"])))
        assert drawn == int((kinds == k).sum())
    digits = "".join(data_of(tree)["sections"]["apart"]["AP"]["pairs"])
    assert [digits.count(str(k)) for k in (0, 1, 2)] == np.bincount(kinds, minlength=3).tolist()


def test_what_was_not_asked_is_not_0() -> None:
    """Guards the leaders of many systems: pairs alone were not asked about, so no column counts them."""
    few, lots = (section(read(page(worlds.many(n))), "apart").one("table", class_="ld") for n in (60, 401))
    assert [len(r) for r in (rows_of(few)[0], rows_of(lots)[0])] == [4, 3]


def test_a_borrowed_calibration_tells_nobody_apart() -> None:
    """Guards a system of the judge's own model: no pair of its is told, nor said to be if it were asked alone."""
    runs, judged = worlds.world(3)
    study = worlds.study_of(runs, judged, system_models={"sys-3": "m"}, judge_model="m")
    facts = gather(study, runs, judged)
    at = facts.main.ranking.systems.index("sys-3")
    assert facts.main.ranking.open == ("sys-3",)
    assert not classes(facts.main)[at].any()
    part = section(read(page(facts)), "apart")
    assert part.one("p", class_="note").text.startswith("Not compared with any other: sys-3;")


@pytest.mark.slow
def test_claims_are_the_verdicts() -> None:
    """Guards the table of claims and the data: each is the study's own verdict, gold and all."""
    study, facts = worlds.with_gold()
    tree = read(page(facts))
    rows = rows_of(section(tree, "verdict").one("figure", class_="claims"))
    assert len(rows) == 4
    for (who, outcome, _, naive, corrected, span, on), claim in zip(rows, facts.claims, strict=True):
        v = study.verdict(claim.a, claim.b)
        assert who.startswith(f"{claim.b}against {claim.a}")
        assert outcome[2:] == v.outcome
        assert (naive, corrected) == (signed(v.comparison.uncorrected), signed(v.comparison.difference))
        assert span == limits(v.comparison.low, v.comparison.high, signs=True)
        assert on == rests_on(v) != ""
    told = data_of(tree)["sections"]["verdict"]["claims"]
    assert [c["sentence"] for c in told] == [study.verdict(c.a, c.b).sentence for c in facts.claims]


def test_what_decides_is_the_verdicts_own() -> None:
    """Guards shares, sources and units: those of the study, for the first claim."""
    study, facts = worlds.with_gold()
    claim = facts.claims[0]
    v = study.verdict(claim.a, claim.b)
    card = section(read(page(facts)), "decides").one("div", class_="claim-body")
    bar = str(card.one("svg", class_="share").attributes["aria-label"])
    assert all(str(x.share) in bar for x in v.by_source if x.share is not None)
    rows = rows_of(card.one("table", class_="src"))
    assert [r[-1] for r in rows] == [limits(r[6], r[7], signs=True) for r in v.table(words=False).rows]  # type: ignore[arg-type]
    units = rows_of(card.one("table", class_="mv"))
    assert [u[0] for u in units] == [p.unit for p in v.influential["topics"]]


def test_the_judge_is_the_judge() -> None:
    """Guards rates and favor: those of the gold pairs, counted by hand, and of the test of homogeneity."""
    _, facts = worlds.with_gold()
    _, judged = worlds.world(4)
    bronze, gold = worlds.noisy(judged)
    truth = {(g, d): x for g, d, x in zip(gold.topic.code, gold.docs.strings(), gold.label, strict=True)}
    names = zip(bronze.topic.code, bronze.docs.strings(), bronze.label, strict=True)
    both = [(truth[t, d] >= 1, x >= 1) for t, d, x in names if (t, d) in truth]
    found = sum(g and b for g, b in both) / sum(g for g, _ in both)
    part = section(read(page(facts)), "judge")
    assert f"accepts {100 * found:.0f}% of the relevant" in part.one("p", class_="lede").text
    assert facts.judge is not None
    assert facts.judge.by_system is not None
    rows = {r[0]: r for r in rows_of(part.one("table", class_="jd"))}
    for f in facts.judge.by_system.favors:
        assert rows[f.system][4:] == [signed(f.value), limits(f.low, f.high, signs=True)]


def test_agreement_is_that_of_the_ratings() -> None:
    """Guards alpha: that of `agree` on the same ratings."""
    study, facts = worlds.rated()
    assert study.raters is not None
    alpha = tg.agreement(study.raters.ratings.judgments).overall.rows[0][1]
    assert isinstance(alpha, float)
    part = section(read(page(facts)), "agreement")
    assert f"is {plain(alpha)} (95% interval" in part.one("p", class_="lede").text


def test_holes_are_counted() -> None:
    """Guards data health: unjudged documents in the first ten, counted by hand, and what reading warned of."""
    runs, judged = worlds.world(5, 4)
    known = {(judged.topic.values[t], d) for t, d in zip(judged.topic.code, judged.docs.strings(), strict=True)}
    missing = 0
    for run in runs.parts:
        names = run.docs.strings()
        for t in range(len(run.topic.values)):
            at = np.flatnonzero(run.topic.code == t)
            first = at[np.argsort(-run.score[at])][:10]
            missing += sum((run.topic.values[t], names[i]) not in known for i in first)
    checks = data_of(read(page(worlds.plain(5, 4, ("P@10", "nDCG@10"))[1])))["sections"]["health"]["checks"]
    by_name = {c["name"]: c for c in checks}
    holes = by_name["Unjudged documents in the top 10"]
    assert holes["value"].startswith(f"{missing:,} of 1,200 (")
    assert holes["state"] == "look"
    assert by_name["Warnings while reading"]["about"] == "Something was odd."


@pytest.mark.parametrize("every", [True, False])
def test_topics_that_a_system_lacks_are_told(every: bool) -> None:
    """Guards data health where all topics count: it said that all systems answered what one of them lacks."""
    runs, judged = worlds.world(3)
    lacked = {("sys-1", "03"), ("sys-2", "03"), ("sys-2", "07")}
    lists = {run.system: {t: {"d01": 1.0} for t in run.topic.values} for run in runs.parts}
    short = Runs.of({s: {t: docs for t, docs in of.items() if (s, t) not in lacked} for s, of in lists.items()})
    study = worlds.study_of(short, judged, "P@10", all_topics=every)
    checks = data_of(read(page(gather(study, short, judged))))["sections"]["health"]["checks"]
    check = next(c for c in checks if c["name"] == "Topics")
    assert (check["state"], check["value"]) == ("look", "24" if every else "22")
    assert check["about"].startswith(
        "All systems answered 22 of these 24. A missing answer counts as 0: sys-2 (2) and sys-1 (1) on 03 and 07. Fewer"
        if every
        else "All systems answered these 22. 2 judged topics left out, because some system lacks them: 03 and 07. Fewer"
    )


def test_a_ranking_says_what_it_takes_for_granted() -> None:
    """Guards the headline of a ranking: what was taken of unjudged documents stands right below it."""
    study, facts = worlds.plain(5, 4, ("P@10", "nDCG@10"))
    note = study.best("P@10").notes[1]
    assert "are unjudged: tiers and ranks hold whatever their labels; scores count them as not relevant." in note
    tree = read(page(facts))
    assert note in section(tree, "verdict").text
    assert note in section(tree, "systems").text
    holes, of = facts.main.unjudged
    assert note.startswith(f"{holes:,} of the {of:,} documents")
    said = f"{holes:,} of {of:,}; the ranking holds for any labels of these"
    assert said in section(tree, "verdict").one("dl").text
    runs, judged = worlds.world(5, 4)
    ap = page(gather(worlds.study_of(runs, judged, "AP"), runs, judged))
    said = "for any labels of those in the first 10 ranks, and counts those below as not relevant"
    assert said in section(read(ap), "verdict").one("dl").text


def test_the_bar_with_holes_has_the_limits_that_hold_whatever_they_are() -> None:
    """Guards the number line: its faint bar is the interval of `compare`, wider than labels and their bounds alone."""
    study, facts = worlds.plain(2, 4)
    verdict, (whole,) = study.verdict("sys-1", "sys-2"), study.compare("sys-1", "sys-2")
    hidden, c = verdict.unjudged_bounds, verdict.comparison
    assert hidden is not None
    assert None not in (c.low, c.high, whole.low, whole.high)
    assert max(hidden.wider) > 0.005  # else the bar could be drawn without it
    tree = read(page(facts))
    figure = section(tree, "verdict").one("figure").text
    by_labels, wide = (limits(x.low, x.high, signs=True) for x in (c, whole))
    assert f"Difference{signed(c.difference)} ({by_labels})" in figure
    assert f"With unjudged documents{signed(c.difference)} ({wide})" in figure
    assert "The bar “Difference” lies above 0; but the faint one includes 0." in figure
    assert f"interval with them: {wide}" in section(tree, "verdict").one("dl").text
    assert f"widen its interval to {wide}; the verdict assumes the worst case." in section(tree, "decides").text


def test_chances_are_told_only_where_something_was_not_relevant() -> None:
    """Guards documents to judge next: where all judged documents are relevant every chance would be 1."""
    runs, judged = worlds.world(3, 3)
    for table, tells in ((judged, True), (judged.take(np.flatnonzero(judged.label > 0)), False)):
        facts = gather(worlds.study_of(runs, table, "P@10"), runs, table)
        assert facts.next is not None
        assert facts.next.tells_chance is tells
        assert (min(d.predicted for d in facts.next.documents) > 0.99) is not tells
        shown = section(read(page(facts)), "next")
        assert ("probability of relevance" in shown.text) is tells
        assert ("How likely they are to be relevant is not estimated" in shown.text) is not tells


def test_ties_and_twins_are_seen() -> None:
    """Guards two checks: lists with equal scores where the measure looks, and one run under two names."""
    runs, judged = worlds.world(3)
    flat = runs.parts[0].score.copy()
    flat[runs.parts[0].topic.code < 2] = 1.0
    new = Runs((replace(runs.parts[0], score=flat), *runs.parts[1:], replace(runs.parts[2], system="twin")))
    checks = {c.name: c for c in gather(worlds.study_of(new, judged), new, judged).checks}
    assert checks["Tied scores"].value == "2 of 96 lists"
    assert checks["Identical runs"].about[0].endswith("sys-3, twin.")


def test_next_steps_are_the_studys() -> None:
    """Guards what to do next: widths of the study's steps, and unjudged documents alone."""
    _, facts = worlds.plain(5, 4, ("P@10", "nDCG@10"))
    data = data_of(read(page(facts)))["sections"]["next"]
    assert data["steps"] == []  # unjudged documents could turn it, whatever topics say
    whole, judged_all = worlds.plain(5)
    claim = judged_all.claims[0]
    steps = data_of(read(page(judged_all)))["sections"]["next"]["steps"]
    assert steps == [s.to_dict() for s in whole.next_steps(claim.a, claim.b)]
    assert data["documents"]
    _, judged = worlds.world(5, 4)
    known = set(zip((judged.topic.values[c] for c in judged.topic.code), judged.docs.strings(), strict=True))
    assert not {(d["topic"], d["doc"]) for d in data["documents"]} & known


@pytest.mark.parametrize("systems", [2, 3])
def test_a_number_stays_on_its_side(systems: int) -> None:
    """Guards the sentence beside its number: a limit just below 0 is no 0, in the lede, the drawing and the tables."""
    facts = worlds.plain(systems)[1]
    claim = facts.claims[0]
    c = replace(claim.first.comparison, difference=0.014, low=-0.000076, high=0.028)
    verdict = replace(claim.first, comparison=c, outcome="inconclusive")
    tree = read(page(replace(facts, claims=(replace(claim, verdicts=(verdict,)),), claims_requested=systems == 2)))
    found = section(tree, "verdict")
    assert f"{MINUS}0.0001 to +0.028" in found.text
    assert f"{MINUS}0.0001 to +0.028" in str(found.one("svg", class_="big").attributes["aria-label"])
    assert "+0.000 " not in found.text


def test_a_number_stays_on_its_side_of_what_matters() -> None:
    """Guards --min-effect: a limit just below it is not shown as equal to it."""
    facts = replace(worlds.plain(2)[1], min_effect=0.01)
    claim = facts.claims[0]
    c = replace(claim.first.comparison, difference=0.005, low=0.001, high=0.0099996)
    verdict = replace(claim.first, comparison=c, outcome="not better", min_effect=0.01)
    tree = read(page(replace(facts, claims=(replace(claim, verdicts=(verdict,)),), claims_requested=True)))
    assert "+0.001 to +0.0099996" in section(tree, "verdict").one("p", class_="lede").text


def test_what_holes_could_do_is_never_plus_nothing() -> None:
    """Guards unjudged documents that move next to nothing, or nothing: the number, or that they cannot."""
    facts = worlds.plain(2, 4)[1]
    claim = facts.claims[0]
    assert claim.first.unjudged_bounds is not None
    for scale, said in ((1e-6, f"by {MINUS}0.0000"), (0.0, "cannot change the difference")):
        hidden = replace(
            claim.first.unjudged_bounds,
            low=claim.first.unjudged_bounds.low * scale,
            high=claim.first.unjudged_bounds.high * scale,
        )
        verdict = replace(claim.first, unjudged_bounds=hidden)
        tree = read(page(replace(facts, claims=(replace(claim, verdicts=(verdict,)),), claims_requested=True)))
        assert said in section(tree, "decides").text
        assert "+0.000 to +0.000" not in tree.one("main").text
