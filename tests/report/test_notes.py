"""What a page says of ratings, baselines and unjudged documents: all that it knows, and once."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

import truegain as tg
from tests.report import worlds
from tests.report.reading import Tag, data_of, read
from truegain.data.judgments import Judgments
from truegain.experiments.worlds import noisy_ratings
from truegain.judge_error.diagnostics import Homogeneity
from truegain.report.facts import Facts
from truegain.report.gather import gather
from truegain.report.html import EN
from truegain.report.page.page import page
from truegain.study.decision import Reason


def rated(holes: int = 4, long: bool = False, **options: object) -> Facts:
    """Ratings by three assessors of what is judged; `long`: one of them rates 50 times as high."""
    runs, judged = worlds.world(3, holes)
    table = noisy_ratings(judged, assessors=3, highest=2, seed=5)
    if long:
        assert table.assessor is not None
        table = replace(table, label=np.where(table.assessor.code == 0, 50 * table.label, table.label))
    study = worlds.study_of(runs, table, "P@10", aggregate="mean")
    return gather(study, runs, table, **options)  # type: ignore[arg-type]


def health(facts: Facts) -> dict[str, dict[str, str]]:
    """The checks of a page by name."""
    checks = data_of(read(page(facts)))["sections"]["health"]["checks"]
    return {c["name"]: c for c in checks}


@pytest.mark.slow
def test_scales_that_mix_are_told() -> None:
    """Guards ratings of 0 to 2 beside ratings of 0 to 100: a check of its own, and not a second time as a warning."""
    said = "2 of 3 assessors rate up to 2, others up to 100: scales seem to mix"
    checks = health(rated(0, long=True, messages=[said]))
    found = checks["Scales of the assessors"]
    assert (found["state"], found["value"]) == ("look", "scales seem to mix")
    assert "up to 2 (" in found["about"]
    assert "others up to 100" in found["about"]
    assert checks["Warnings while reading"]["value"] == "none"
    assert health(rated(0))["Scales of the assessors"]["state"] == "fine"
    assert "Scales of the assessors" not in health(worlds.plain(3)[1])


def test_ratings_have_holes_content_and_a_list() -> None:
    """Guards pages of ratings: what unjudged documents could turn, what to judge, and text, by one label a document."""
    runs, judged = worlds.world(3, 4)
    docs = sorted({d for part in runs.parts for d in part.docs.strings()})
    texts = {d: f"{'word ' * (1 + i % 3)} w{i % 7} other{i}" for i, d in enumerate(docs)}
    facts = rated(corpus=texts)
    table = noisy_ratings(judged, assessors=3, highest=2, seed=5)
    labels = tg.aggregate(table, "mean")
    bounds = tg.unjudged(runs, labels, "P@10")
    opened = int(np.triu(bounds.open_order, 1).sum())
    assert f"{3 - opened} of 3 pairs" in health(facts)["Unjudged documents in the top 10"]["about"]
    assert facts.next is not None
    expected = tg.next_to_judge(runs, labels, "P@10", most=25)
    assert [(d.topic, d.doc) for d in facts.next.documents] == [(d.topic, d.doc) for d in expected.documents]
    assert facts.content is not None
    scores = tg.evaluate(runs, labels, "AbsRB@20", corpus=texts)
    for e in facts.content.estimates["AbsRB@20"]:
        assert e.value == pytest.approx(scores.mean(e.system))


def test_topics_are_no_step_where_holes_block() -> None:
    """Guards what to do next: where unjudged documents could turn the difference itself, topics are not offered."""
    seen = set()
    for facts in (rated(), worlds.plain(2, 4)[1], worlds.plain(5, 4, ("P@10", "nDCG@10"))[1]):
        hidden, d = facts.claims[0].first.unjudged_bounds, facts.claims[0].first.comparison.difference
        assert hidden is not None
        blocked = d + hidden.least <= 0 <= d + hidden.most
        part = read(page(facts)).one("section", id="next")
        steps = data_of(read(page(facts)))["sections"]["next"]["steps"]
        assert ("Judge the unjudged documents first" in part.one("h3").text) == blocked
        assert ("topics" in [s["what"] for s in steps]) != blocked
        seen.add(blocked)
    assert seen == {True, False}


def two_baselines() -> Facts:
    """Systems from weak to strong, and whether any is better than both of the two weakest."""
    runs, judged = worlds.world(5)
    return gather(worlds.study_of(runs, judged), runs, judged, baselines=["sys-1", "sys-2"])


def test_several_baselines_have_one_answer() -> None:
    """Guards headline and chip: about all baselines, which are no candidates of each other."""
    facts = two_baselines()
    assert len(facts.claims) == 6
    assert not {c.b for c in facts.claims} & {"sys-1", "sys-2"}
    by: dict[str, set[str]] = {}
    for c in facts.claims:
        by.setdefault(c.b, set()).add(c.at_once)
    both = sum(x == {"better"} for x in by.values())
    assert 1 < both <= 3
    tree = read(page(facts))
    assert tree.one("h1").text == f"{both} of 3 systems are shown to be better than both sys-1 and sys-2 on P@10."
    assert tree.one("section", id="verdict").one("span", class_="v").text[2:] == f"{both} of 3 better than both"


def test_a_system_must_beat_every_baseline() -> None:
    """Guards the count: better than one of two is not better than both, and is said to be so."""
    facts = two_baselines()
    claims = [replace(c, together="inconclusive") if (c.a, c.b) == ("sys-2", "sys-3") else c for c in facts.claims]
    tree = read(page(replace(facts, claims=tuple(claims))))
    assert tree.one("h1").text.startswith("2 of 3 systems are shown to be better than both")
    assert "inconclusive against one or both: sys-3" in tree.one("p", class_="lede").text


def test_a_baseline_needs_a_candidate() -> None:
    """Guards the case that every system is named as a baseline: refused, for nothing is asked."""
    runs, judged = worlds.world(3)
    with pytest.raises(tg.TruegainError, match="every system is a baseline"):
        gather(worlds.study_of(runs, judged), runs, judged, baselines=["sys-1", "sys-2", "sys-3"])


def without_one() -> tuple[tg.Study, Facts, Tag]:
    """Far apart systems, and one document not judged, which the weakest alone has among its first ten."""
    runs, judged = worlds.world(3)
    weak, strong = runs.parts[0], runs.parts[2]
    docs = weak.docs.strings()

    def first(part: object) -> set[str]:
        names = part.docs.strings()  # type: ignore[attr-defined]
        at = np.flatnonzero(part.topic.code == 0)  # type: ignore[attr-defined]
        return {names[i] for i in at[np.argsort(-part.score[at])][:10]}  # type: ignore[attr-defined]

    alone = sorted(first(weak) - first(strong) - first(runs.parts[1]))[0]
    assert alone in docs
    keep = [
        not (judged.topic.values[t] == weak.topic.values[0] and d == alone)
        for t, d in zip(judged.topic.code, judged.docs.strings(), strict=True)
    ]
    fewer: Judgments = judged.take(np.flatnonzero(keep))
    study = worlds.study_of(runs, fewer)
    facts = gather(study, runs, fewer)
    return study, facts, read(page(facts))


def test_a_hole_that_turns_nothing_is_told_once() -> None:
    """Guards against noise: one unjudged document that changes no order is a fine check, no note, list or table."""
    study, facts, tree = without_one()
    assert any("unjudged" in n for n in study.best().notes)
    check = health(facts)["Unjudged documents in the top 10"]
    assert (check["state"], check["value"].partition(" (")[0]) == ("fine", "1 of 720")
    assert "all pairs of systems keep their order" in check["about"]
    assert not any("unjudged" in n for n in facts.main.notes)
    assert facts.next is None
    assert "Documents to judge first" not in tree.one("main").text


def test_a_tier_of_one_has_one_score() -> None:
    """Guards the fold of a tier: no range from a score to itself."""
    ends = [t.text for t in read(page(worlds.many(30))).every("span", class_="te")]
    tiers = np.bincount(worlds.many(30).main.ranking.tier)[1:]
    assert 1 in tiers
    assert [EN in e for e in ends] == [n > 1 for n in tiers[: len(ends)]]


def test_captions_hold_in_light_and_dark() -> None:
    """Guards words for what is drawn: what is pale in the light is dark in the dark."""
    for facts in (worlds.many(60), worlds.plain(2, 4)[1]):
        assert not any("pale" in c.text for c in read(page(facts)).every("figcaption"))


def test_a_caption_folds_with_its_table() -> None:
    """Guards figures that fold: no caption stands outside a closed fold without what it explains."""
    for facts in (worlds.rated()[1], worlds.with_gold()[1], worlds.many(60)):
        for figure in read(page(facts)).every("figure"):
            inside = [t for d in figure.every("details", class_="again") for t in d.every("table")]
            if inside and len(inside) == len(figure.every("table")):
                assert figure.one("details").every("figcaption")


def judged_alike(favor: float, p: float) -> Tag:
    """The section of a judge whose clearest favor has a size and a p; rates differ in any case."""
    facts = worlds.with_gold()[1]
    assert facts.judge is not None
    assert facts.judge.by_system is not None

    class Fixed(Homogeneity):
        @property
        def adjusted(self) -> dict[str, float | None]:
            return {"sensitivity": 0.5, "specificity": 0.001, "favor": p}

    found = facts.judge.by_system
    favors = tuple(replace(f, value=favor if i == 1 else 0.0, se=0.01) for i, f in enumerate(found.favors))
    values = {f.name: getattr(found, f.name) for f in fields(found)} | {"favors": favors}
    judge = replace(facts.judge, by_system=Fixed(**values))
    return read(page(replace(facts, judge=judge)))


def test_a_favor_is_a_fact_only_where_it_is_shown() -> None:
    """Guards the judge's headline: the favor with its size where the test shows it, else that it is not shown."""
    shown, not_shown = judged_alike(0.153, 0.01), judged_alike(0.093, 0.127)
    ledes = [t.one("section", id="judge").one("p", class_="lede").text for t in (shown, not_shown)]
    assert "It favors sys-2: +0.153 P@10 relative to the others, at equal gold labels." in ledes[0]
    assert ledes[1].endswith("It is not equally accurate for all systems, but no favored system is shown.")
    for tree in (shown, not_shown):
        words = tree.one("main").text
        assert "NOT" not in words
        assert words.count("adjusted by Bonferroni") == 1
    assert "its errors add" not in not_shown.one("main").text


def by_model(**words: object) -> Facts:
    """Five systems by the labels of a model, and whether any is better than the first."""
    runs, judged = worlds.world(5)
    labeled = replace(judged, extra={"model": ["gpt-4o-mini"] * len(judged)})
    return gather(worlds.study_of(runs, labeled, **words), runs, labeled, baselines=["sys-1"])


def test_what_a_model_decides_is_not_green() -> None:
    """Guards a green 'is better ... settled' by labels nobody checked: chips, headline, health, what to do."""
    facts = by_model()
    assert {c.first.outcome for c in facts.claims} <= {"unchecked", "inconclusive"}
    tree, checks = read(page(facts)), health(facts)
    whole = tree.one("main").text
    assert tree.one("h1").text == (
        "None of 4 systems is shown to be better than sys-1 on P@10: no person has checked gpt-4o-mini's labels."
    )
    chips = tree.one("section", id="verdict").every("span", class_="v")
    assert chips[0].text == "! unchecked"
    assert any(x.text == "! unchecked: better" for x in chips)
    assert not any("v-ok" in str(x.attributes["class"]) for x in tree.one("main").every("span", class_="v"))
    assert "settled" not in whole
    assert "shown to be better than sys-1 on P@10, of" not in whole
    assert checks["Labels checked by a person"]["state"] == "fails"
    assert "checks failed" in tree.one("section", id="health").text
    steps = tree.one("section", id="next")
    assert steps.one("h3").text == "First have a person check gpt-4o-mini's labels"
    assert "truegain plan labels JUDGMENTS RUN RUN -m P@10 -o LIST.csv" in steps.text
    assert "By gpt-4o-mini's labels, which no person has checked" in tree.one("section", id="systems").text


def test_a_trusted_model_is_still_named() -> None:
    """Guards --trust-judge: the rule decides, and headline and health say by whose labels all the same."""
    facts = by_model(trust_judge=True)
    head = read(page(facts)).one("h1").text
    assert head.startswith("By gpt-4o-mini's labels, which no person has checked, ")
    assert "shown" not in head
    assert health(facts)["Labels checked by a person"]["state"] == "fails"


def test_the_headline_holds_for_all_claims_at_once() -> None:
    """Guards '2 of 7 are shown to be better' of claims tested each alone: the largest t decides, the rows stay."""
    runs, judged = worlds.world(5)
    study = worlds.study_of(runs, judged)
    facts = gather(study, runs, judged, baselines=["sys-3"])
    verdicts = [study.verdict("sys-3", c.b) for c in facts.claims]
    assert [c.at_once for c in facts.claims] == list(study.together(verdicts))
    assert [c.first.outcome for c in facts.claims] == [v.outcome for v in verdicts]
    first = facts.claims[0]
    assert first.first.outcome == "better"
    one = replace(facts, claims=(replace(first, together="inconclusive"), *facts.claims[1:]))
    tree = read(page(one))
    better = sum(c.at_once == "better" for c in one.claims)
    assert tree.one("section", id="verdict").one("span", class_="v").text[2:] == f"{better} of 4 better"
    assert f"Tested alone, {first.b} would be better" in tree.one("p", class_="lede").text
    assert data_of(tree)["sections"]["verdict"]["together"][0]["outcome"] == "inconclusive"
    table = tree.one("figure", class_="claims")
    marks = [x.text[2:] for x in table.every("span", class_="v")]
    assert marks == [c.at_once for c in one.claims]  # as the headline, and beside it what differs alone
    assert [x.text for x in table.every("span", class_="of2")] == ["alone: better"]
    assert f"{len(marks)} claims: {better} better" in table.one("figcaption").text


def test_a_withheld_claim_names_its_own_reason() -> None:
    """Guards 'too little is known of the judge' of claims that are withheld for ids or for unjudged documents."""
    runs, judged = worlds.world(5)
    facts = gather(worlds.study_of(runs, judged), runs, judged, baselines=["sys-3"])
    first = facts.claims[0]
    verdict = replace(first.first, outcome="inconclusive", reasons=(Reason("ids in doubt", "no id is judged"),))
    open_ = replace(first, verdicts=(verdict, *first.verdicts[1:]), together="inconclusive")
    table = read(page(replace(facts, claims=(open_, *facts.claims[1:])))).one("figure", class_="claims")
    caption = table.one("figcaption").text
    assert "1 claim with an interval above 0 is inconclusive, even if tested alone: ids in doubt." in caption
    assert "ids in doubt" in table.one("tbody").text
    assert "judge" not in table.text


def test_who_is_worse_reads_worse() -> None:
    """Guards 'does not hold' of a system that is surely worse: its row, its chip and the headline say so."""
    runs, judged = worlds.world(5)
    tree = read(page(gather(worlds.study_of(runs, judged), runs, judged, baselines=["sys-5"])))
    found = tree.one("section", id="verdict")
    assert any(x.text == "✕ worse" and "v-no" in str(x.attributes["class"]) for x in found.every("span", class_="v"))
    assert "worse: " in tree.one("p", class_="lede").text.lower()
    assert "does not hold" not in tree.one("main").text
