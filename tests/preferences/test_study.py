"""Verdicts from preferences: the numbers of the one engine, gold, assessors, positions, and what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from truegain.preferences.estimators import ByPreferences

SYSTEMS = ("prod", "new", "old")
STRENGTH = {"prod": 0.0, "new": 0.9, "old": -0.6}


def made(
    seed: int = 1, topics: int = 30, people: int = 1, asked: int = 1, gold: float = 0.0, first: float = 0.0
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Votes on all pairs by some of the assessors, and gold comparisons of a share of them."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    some: list[dict[str, Any]] = []
    for t in range(topics):
        strength = {s: x + 0.7 * rng.normal() for s, x in STRENGTH.items()}
        for i, a in enumerate(SYSTEMS):
            for b in SYSTEMS[i + 1 :]:
                d = strength[a] - strength[b] + rng.normal()
                for who in rng.permutation(people)[:asked].tolist():
                    order = 1 if rng.random() < 0.8 else -1
                    shown = {"first": "a" if order > 0 else "b"} if first else {}
                    rows.append({"topic": f"q{t}", "a": a, "b": b, "winner": vote(rng, d + first * order),
                                 "assessor": f"p{who}", **shown})  # fmt: skip
                if rng.random() < gold:
                    some.append({"topic": f"q{t}", "a": a, "b": b, "winner": vote(rng, d)})
    return rows, some


def vote(rng: np.random.Generator, d: float) -> str:
    """Who is liked better."""
    z, drawn = 2 * np.cosh(d / 2) + 0.3, rng.random()
    return "a" if drawn < np.exp(d / 2) / z else "tie" if drawn < (np.exp(d / 2) + 0.3) / z else "b"


def scored(rows: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """By assessor and topic the mean half-win of each system."""
    out: dict[str, dict[str, dict[str, list[float]]]] = {}
    for r in rows:
        y = {"a": 1.0, "b": 0.0, "tie": 0.5}[r["winner"]]
        of = out.setdefault(r["assessor"], {}).setdefault(r["topic"], {})
        of.setdefault(r["a"], []).append(y)
        of.setdefault(r["b"], []).append(1 - y)
    return {p: {t: {s: float(np.mean(x)) for s, x in of.items()} for t, of in ts.items()} for p, ts in out.items()}


def runs_of(topics: int) -> dict[str, dict[str, dict[str, float]]]:
    """Each system retrieves itself."""
    return {s: {f"q{t}": {s: 1.0} for t in range(topics)} for s in SYSTEMS}


def test_half_wins_are_a_plain_score_of_the_study() -> None:
    """Guards the one engine: half-wins as labels of a study of runs give the same verdict, number by number."""
    rows, _ = made()
    study = tg.PreferenceStudy(rows)
    by_runs = tg.Study(runs_of(30), scored(rows)["p0"], "CG@1")
    mine, theirs = study.verdict("prod", "new"), by_runs.verdict("prod", "new")
    assert (mine.difference, mine.low, mine.high, mine.p) == pytest.approx(
        (theirs.difference, theirs.low, theirs.high, theirs.p)
    )
    assert [abs(x.influence) for x in mine.influential["topics"]] == pytest.approx(
        [abs(x.influence) for x in theirs.influential["topics"]]
    )
    assert study.best().tier.tolist() == by_runs.best().tier.tolist()
    assert [e.value for e in study.estimates()] == pytest.approx([e.value for e in by_runs.estimates()])
    assert mine.sentence.startswith("new is better than prod: +")
    assert mine.sentence.endswith(", for topics like these 30.")


def test_assessors_are_crossed_as_those_of_ratings() -> None:
    """Guards assessors: where all voted on all, the same variance as the study has of their ratings' means."""
    rows, _ = made(seed=2, people=5, asked=5)
    ratings = [{"topic": t, "doc": s, "assessor": p, "label": x} for p, ts in scored(rows).items()
               for t, of in ts.items() for s, x in of.items()]  # fmt: skip
    import polars as pl

    by_ratings = tg.Study(
        runs_of(30), pl.DataFrame(ratings), "CG@1", population="topics,assessors", ratings=tg.Ratings("mean")
    )
    study = tg.PreferenceStudy(rows, population="topics,assessors")
    mine, theirs = study.verdict("prod", "new"), by_ratings.verdict("prod", "new")
    assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high))
    assert {x.source: (x.low, x.high) for x in mine.by_source}["assessors"] == pytest.approx(
        {x.source: (x.low, x.high) for x in theirs.by_source}["assessors"]
    )
    assert mine.holds_for == "for topics like these 30, by assessors like these 5"
    assert {x.unit for x in mine.influential["assessors"]} <= {f"p{i}" for i in range(5)}
    alone = tg.PreferenceStudy(rows).verdict("prod", "new")
    assert alone.not_covered == "other assessors"


def test_the_default_measure_follows_the_data() -> None:
    """Guards the choice: half-wins where all pairs are there, else Bradley-Terry, and with orders a column for them."""
    rows, _ = made()
    assert [str(m) for m in tg.PreferenceStudy(rows).measures] == ["half-wins"]
    some = tg.PreferenceStudy(rows[:-1])
    assert [str(m) for m in some.measures] == ["Bradley-Terry"]
    with pytest.raises(tg.TruegainError, match="1 of 90 topics and pairs were not compared; use bradley-terry"):
        tg.PreferenceStudy(rows[:-1], "half-wins")
    rows, _ = made(first=0.8)
    study = tg.PreferenceStudy(rows)
    assert (study.position, [str(m) for m in study.measures]) == (True, ["Bradley-Terry"])
    verdict = study.verdict("prod", "new")
    assert any(
        "Being shown first raises the log-odds of winning by " in note and " over being shown second (95% CI [" in note
        for note in verdict.notes
    )
    with pytest.warns(tg.DataWarning, match="shown in one order, and half-wins ignore it"):
        tg.PreferenceStudy(rows, "half-wins")
    both = [{**r, "first": side} for r in rows for side in "ab"]
    assert not tg.PreferenceStudy(both).position
    pair = [{**r, "first": "a"} for r in rows if r["a"] == "prod" and r["b"] == "new"]
    with pytest.warns(tg.DataWarning, match="one system of each pair was always shown first"):
        assert not tg.PreferenceStudy(pair).position


def test_gold_corrects_the_judge_and_says_how_little_it_brings() -> None:
    """Guards the corrected verdict: interval over topics and gold, agreement, and how much the judge narrows it."""
    rows, gold = made(seed=3, topics=40, gold=0.5)
    votes = tg.read_preferences(rows, model="gpt-x")
    study = tg.PreferenceStudy(votes, gold=gold, design="random")
    verdict = study.verdict("prod", "new")
    assert {x.source for x in verdict.by_source} == {"topics", "gold", "all sources"}
    assert verdict.uncorrected.source == "uncorrected"
    assert not verdict.labels_by
    note = next(n for n in verdict.notes if "The judge agrees with people on" in n)
    assert "% narrower than with the gold comparisons alone" in note
    assert any(step.words == "gold comparisons" for step in verdict.steps)
    estimator = study.variance_model().estimator
    assert isinstance(estimator, ByPreferences)
    assert estimator.gold is not None
    assert 0 < estimator.gold.slope <= 1
    plain = tg.PreferenceStudy(votes, gold=gold, design="random", tuned=False).variance_model().estimator
    assert isinstance(plain, ByPreferences)
    assert plain.gold is not None
    assert plain.gold.slope == 1
    fixed = tg.PreferenceStudy(votes, gold=gold, design="random", population="fixed").verdict("prod", "new")
    assert fixed.holds_for == "for these 40 topics only"
    assert fixed.high - fixed.low < verdict.high - verdict.low  # type: ignore[operator]


def test_a_judge_that_nobody_checked() -> None:
    """Guards trust: a model's preferences decide nothing by themselves, and what gold would bring is said before."""
    rows, _ = made(topics=60)
    votes = tg.read_preferences(rows, model="gpt-x")
    verdict = tg.PreferenceStudy(votes).verdict("old", "new")
    assert verdict.outcome == "unchecked"
    assert verdict.sentence.startswith("By gpt-x's preferences, which no person has checked, new is better than old")
    assert any("agrees with them on 78% makes the interval only 4-9% narrower" in n for n in verdict.notes)
    assert tg.PreferenceStudy(votes, trust_judge=True).verdict("old", "new").outcome == "better"
    mixed = [{**r, "model": "gpt-x" if i < 100 else ""} for i, r in enumerate(rows)]
    assert tg.PreferenceStudy(mixed).unchecked == "preferences of which gpt-x gave 100 of 180"
    own = tg.PreferenceStudy(votes, trust_judge=True, system_models={"new": "GPT-X"}).verdict("old", "new")
    assert own.outcome == "inconclusive"
    assert "possible self-preference: new uses gpt-x" in own.sentence


def test_too_little_gold_of_a_system_withholds_its_verdict() -> None:
    """Guards against calibration that others lend: below 10 gold comparisons nothing is claimed of a system."""
    rows, gold = made(seed=4, topics=40, gold=0.6)
    few = [g for g in gold if "old" not in (g["a"], g["b"])] + [g for g in gold if "old" in (g["a"], g["b"])][:9]
    study = tg.PreferenceStudy(rows, gold=few, design="random")
    verdict = study.verdict("old", "new")
    assert verdict.outcome == "inconclusive"
    assert "too few gold labels: old is in 9 of the gold comparisons, and 10 are needed" in verdict.sentence
    assert "needs at least 10 gold comparisons of each of the two systems" in str(verdict)
    assert study.verdict("prod", "new").low is not None
    assert study.best().open == ("old",)
    rows, gold = made(seed=4, topics=4, gold=1.1)  # all 4 comparisons of each pair: no more are left to be labeled
    with pytest.warns(tg.DataWarning, match="only 4 topics"):
        assert tg.PreferenceStudy(rows, gold=gold, design="random").verdict("old", "new").withheld == ()


def test_gold_must_say_how_it_was_drawn_and_match() -> None:
    """Guards designs and names: refused or told, never guessed."""
    rows, gold = made(gold=0.5)
    with pytest.raises(tg.TruegainError, match="how were the gold pairs sampled"):
        tg.PreferenceStudy(rows, gold=gold)
    with pytest.raises(tg.TruegainError, match="design 'random' applies to gold comparisons; give gold="):
        tg.PreferenceStudy(rows, design="random")
    with pytest.raises(tg.TruegainError, match="gold comparisons are drawn at random"):
        tg.PreferenceStudy(rows, gold=gold, design="by-gold")
    with pytest.raises(tg.InputError, match="no gold comparison is of a topic and pair that the judge compared"):
        tg.PreferenceStudy(rows, gold=[{**g, "topic": f"x{g['topic']}"} for g in gold], design="random")
    with pytest.raises(tg.InputError, match=r"gold topics lack some of the judge's pairs \(q"):
        tg.PreferenceStudy(rows, gold=gold, design="topics")
    rows, every = made(gold=1.0)
    whole = [r for r in every if r["topic"] in {f"q{t}" for t in range(12)}]
    by_topics = tg.PreferenceStudy(rows, gold=whole, design="topics")
    assert by_topics.verdict("prod", "new").steps[-1].words == "gold topics"
    assert by_topics.variance_model().estimator.label_facts.counts == (12, 30)
    more = [*every, {"topic": "zz", "a": "prod", "b": "new", "winner": "a"}]
    with pytest.warns(tg.DataWarning, match="1 of .* gold votes are left out"):
        tg.PreferenceStudy(rows, gold=more, design="random")


def test_gold_by_whole_topics_counts_topics() -> None:
    """Guards the least gold of another design: topics are drawn, so that topics count, and are told as such."""
    rows, every = made(gold=1.0)
    few, enough = ([r for r in every if r["topic"] in {f"q{t}" for t in range(n)}] for n in (9, 12))
    verdict = tg.PreferenceStudy(rows, gold=few, design="topics").verdict("prod", "new")  # of 18 comparisons each
    assert verdict.outcome == "inconclusive"
    assert "prod is in 9 of the gold topics, and 10 are needed" in verdict.sentence
    assert "at least 10 gold topics of each" in str(verdict)
    by_topics = tg.PreferenceStudy(rows, gold=enough, design="topics").verdict("prod", "new")
    assert by_topics.sizes["gold"] == "12 gold topics"
    assert "Most influential gold topics: q" in str(by_topics)
    assert "gold labels" not in str(by_topics)
    at_random = tg.PreferenceStudy(rows, gold=enough, design="random").verdict("prod", "new")
    assert at_random.sizes["gold"] == "36 gold comparisons"
    assert "the uncertainty from gold comparisons; its share" in str(at_random)


def test_gold_that_is_lost_or_of_a_model_is_told() -> None:
    """Guards gold: votes of unknown systems and of unknown topics are told both, and so is a model among people."""
    rows, gold = made(gold=0.6)
    votes = [*gold, {"topic": "q1", "a": "prod", "b": "who", "winner": "a"},
             {"topic": "zz", "a": "prod", "b": "new", "winner": "a"}]  # fmt: skip
    with pytest.warns(tg.DataWarning) as told:
        tg.PreferenceStudy(rows, gold=votes, design="random")
    words = [str(w.message) for w in told]
    assert any("gold comparisons of who are left out" in w for w in words)
    assert any(f"1 of {len(votes)} gold votes are left out" in w for w in words)
    with pytest.warns(tg.DataWarning, match=rf"{len(gold)} of {len(gold)} gold votes name a model \(gpt-x\)"):
        tg.PreferenceStudy(rows, gold=[{**g, "model": "gpt-x"} for g in gold], design="random")
    with pytest.raises(tg.TruegainError, match=r"one of random .*, topics") as refused:
        tg.PreferenceStudy(rows, gold=gold)
    assert "by-bronze" not in str(refused.value)


def test_a_panel_of_models_is_checked_for_each() -> None:
    """Guards self-preference: a system that uses any of the models that voted; and the panel's name."""
    rows, _ = made(topics=60)
    panel = [{**r, "model": ("gpt-x", "mixed")[i % 2]} for i, r in enumerate(rows)]
    own = tg.PreferenceStudy(panel, trust_judge=True, system_models={"new": "mixed"}).verdict("old", "new")
    assert (own.outcome, own.reasons[0].kind) == ("inconclusive", "possible self-preference")
    assert "new uses mixed" in own.sentence
    verdict = tg.PreferenceStudy(panel).verdict("old", "new")
    assert verdict.sentence.startswith("By the preferences of gpt-x and mixed, which no person has checked, ")


def both_orders(topics: int, first: float, seed: int = 5) -> list[dict[str, Any]]:
    """Votes of one judge on all pairs in both orders, of which a share goes to what is shown first."""
    rng = np.random.default_rng(seed)
    rows = []
    for r in made(seed=seed, topics=topics)[0]:
        winner = r["winner"] if r["winner"] != "tie" else "a"
        rows += [{**r, "first": side, "winner": side if rng.random() < first else winner} for side in "ab"]
    return rows


def test_pairs_in_one_order_are_told() -> None:
    """Guards the effect of position of three systems: where each pair has one order, only the model tells it apart."""
    rows, _ = made(topics=30)
    names = sorted({r["a"] for r in rows} | {r["b"] for r in rows})
    one = [{**r, "first": min(r["a"], r["b"], key=names.index)} for r in rows]
    with pytest.warns(tg.DataWarning, match="each pair of systems was always shown in one order.*show both orders"):
        tg.PreferenceStudy(one)
    turned = [{**r, "first": r["b"] if r["first"] == r["a"] else r["a"]} if r["topic"] == "q0" else r for r in one]
    with pytest.warns(tg.DataWarning, match="each pair of systems was always shown in one order"):
        tg.PreferenceStudy(turned)
    some = [{**r, "first": r["b" if int(r["topic"][1:]) % 3 else "a"]} for r in rows]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tg.PreferenceStudy(some)
    assert not any("always shown" in str(w.message) for w in told)


def test_comparisons_that_change_with_the_order_are_told() -> None:
    """Guards against a judge that is all position: it looks like equal systems, and the note says that it is not."""
    notes = " ".join(tg.PreferenceStudy(both_orders(25, 1.0)).verdict("prod", "new").notes)
    assert (
        "The winner was reversed in 75 of 75 comparisons shown in both orders, and 0 became or ceased to be a tie; of "
        "those reversed, 75 favor the one shown first: these" in notes
    )
    rows = both_orders(25, 0.2)
    changed = sum(
        one["winner"] != two["winner"] for one, two in zip(rows[::2], rows[1::2], strict=True)
    )  # the pair stands as it was
    assert 0 < changed < 38
    notes = " ".join(tg.PreferenceStudy(rows).verdict("prod", "new").notes)
    told = f"The winner was reversed in {changed} of 75 comparisons shown in both orders, and 0 became or ceased to be"
    assert f"{told} a tie; of those reversed, {changed} favor the one shown first." in notes
    assert "say little" not in notes
    assert "reversed in" not in " ".join(tg.PreferenceStudy(both_orders(25, 0.0)).verdict("prod", "new").notes)


def test_a_lost_vote_does_not_change_the_measure_in_silence() -> None:
    """Guards the default: half-wins where every topic still has every pair; where one has none, why it is another."""
    rows = both_orders(25, 0.2)
    one = tg.PreferenceStudy(rows[1:])
    assert [str(m) for m in one.measures] == ["half-wins"]
    assert "1 of 75 topics and pairs lack a vote in one of the two orders" in " ".join(one.verdict("prod", "new").notes)
    none = tg.PreferenceStudy(rows[2:])
    assert [str(m) for m in none.measures] == ["Bradley-Terry"]
    said = "Bradley-Terry, not half-wins: 1 of 75 topics and pairs have no vote."
    assert said in " ".join(none.verdict("prod", "new").notes)
    assert said not in " ".join(none.with_measures("win-rate").verdict("prod", "new").notes)
    many = tg.PreferenceStudy(rows[:30:2] + rows[30:])
    assert [str(m) for m in many.measures] == ["Bradley-Terry"]
    assert "15 of 75 topics and pairs were not shown in both" in " ".join(many.verdict("prod", "new").notes)


def test_all_topics_for_one_system_have_a_sign_test() -> None:
    """Guards the clearest of all data: no interval, but the exact sign test beside it."""
    from scipy import stats

    rows = [{"topic": str(t), "a": "old", "b": "new", "winner": "b"} for t in range(30)]
    verdict = tg.PreferenceStudy(rows).verdict("old", "new")
    assert verdict.low is None
    p = stats.binomtest(30, 30).pvalue
    assert f"new wins in all 30 topics that are not tied: by the exact sign test p = {p:.2g}." in verdict.notes[-1]


def test_ties_and_both_bad_are_told() -> None:
    """Guards what a half-win hides: how many ties there are, and how many call both bad."""
    rows, _ = made()
    rows[0]["winner"] = rows[1]["winner"] = "both bad"
    study = tg.PreferenceStudy(rows)
    ties = sum(r["winner"] in ("tie", "both bad") for r in rows)
    assert (
        f"{ties} of 90 votes are ties and count as half-wins, 2 of them 'both bad'."
        in study.verdict("prod", "new").notes[0]
    )
    assert study.provenance["both_bad"] == 2


def test_unequal_pairs_are_told() -> None:
    """Guards the meaning of strengths: where pairs are unbalanced they hold for this mix."""
    rows, _ = made()
    some = [r for i, r in enumerate(rows) if not (r["a"] == "prod" and r["b"] == "old" and i % 2)]
    with pytest.warns(tg.DataWarning, match=r"prod\|new on 30 topics, prod\|old on 15\): if strengths differ by topic"):
        tg.PreferenceStudy(some)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tg.PreferenceStudy(rows, "bradley-terry")
    two = [r for r in rows if {r["a"], r["b"]} != {"prod", "old"}]
    with pytest.warns(tg.DataWarning, match=r"\(2 pairs on 30 topics each; 1 of 3 pairs never\)"):
        tg.PreferenceStudy(two)


def test_what_preferences_do_not_tell_of() -> None:
    """Guards populations and measures: refused in words of preferences."""
    rows, _ = made(people=4, asked=1)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"population": "collection"}, "preferences show how answers vary over topics and assessors"),
        ({"population": "fixed"}, "nothing here is uncertain"),
        ({"population": "topics,assessors"}, "90 of 90 topics and pairs have one vote"),
        ({"measures": "nDCG@10"}, "There are half-wins, bradley-terry, win-rate, davidson"),
        ({"measurs": "half-wins"}, "PreferenceStudy has no option measurs; did you mean measures?"),
    ]
    for options, says in refused:
        with pytest.raises(tg.TruegainError, match=says.replace("?", r"\?")):
            tg.PreferenceStudy(rows, **options)
    rows, _ = made(people=4, asked=3)
    rows[0]["assessor"] = ""
    with pytest.raises(tg.TruegainError, match="1 vote of 270 without an assessor; leave 'assessors' out"):
        tg.PreferenceStudy(rows, population="topics,assessors")
    with pytest.raises(tg.TruegainError, match="too few for a study"):
        tg.PreferenceStudy(rows[:6])


def test_several_measures_and_other_answers() -> None:
    """Guards the rest of the engine on preferences: all measures, all pairs, claims together, steps, a repr."""
    rows, _ = made()
    study = tg.PreferenceStudy(rows, ["half-wins", "bradley-terry", "win-rate", "davidson"])
    outcomes = {str(m): study.verdict("old", "new", m).outcome for m in study.measures}
    assert set(outcomes.values()) == {"better"}
    assert len(study.compare()) == 12
    assert study.verdict("prod", "new", "win-rate").difference == pytest.approx(
        study.verdict("prod", "new", "half-wins").difference, abs=1e-9
    )  # of all pairs alike, Bradley-Terry keeps the mean half-wins
    one = study.with_measures("davidson")
    assert repr(one) == "PreferenceStudy(3 systems, Davidson; for topics like these 30)"
    assert one.together([one.verdict("old", "new"), one.verdict("old", "prod")])[0] == "better"
    assert one.next_steps("prod", "new")[0].what == "topics"
    with pytest.raises(tg.InputError, match="which measure"):
        study.verdict("prod", "new")
    assert len(study.compare_with("prod", "davidson")) == 2


def test_what_is_of_documents_is_refused(tmp_path: Path) -> None:
    """Guards ways of scoring lists that were taken without a word, labels of documents, and runs there are none of."""
    rows, _ = made()
    votes = tg.read_preferences(rows)
    for how in (
        {"depth": 2}, {"judged_only": True}, {"ties": "input"}, {"trec_eval": "9"}, {"no_relevant": "skip"},
        {"relevant_from": 2}, {"all_topics": True},
    ):  # fmt: skip
        config = tg.StudyConfig(scoring=tg.Scoring(**how))
        with pytest.raises(tg.TruegainError, match=f"^{next(iter(how))} applies to labels of documents"):
            tg.PreferenceStudy.from_config(votes, None, config)
    study = tg.PreferenceStudy(votes)
    with pytest.raises(tg.TruegainError, match="a PreferenceStudy has votes, not runs and judgments"):
        _ = study.inputs
    with pytest.raises(tg.TruegainError, match="preferences cannot be settled label by label"):
        study.settle(lambda topic, doc: 1)
    with pytest.raises(tg.TruegainError, match="already has its measures and config; give None for both"):
        tg.write_report(study, None, "half-wins", tmp_path / "a.html")
