"""What a study takes in Python, and how it refuses values that cannot be meant."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.flat import flat_study
from truegain.study import estimates
from truegain.study.ranking import largest_t

TOPICS = 12


def world(systems: tuple[str, ...] = ("a", "b", "c"), seed: int = 2) -> tuple[dict[str, Any], dict[str, Any]]:
    """Systems, each better than the one before, and labels 0 and 1 of 30 documents a topic."""
    rng = np.random.default_rng(seed)
    truth = {f"t{t}": {f"d{i}": int(rng.random() < 0.3) for i in range(30)} for t in range(TOPICS)}
    runs = {
        name: {t: {d: k * g + float(rng.normal()) for d, g in row.items()} for t, row in truth.items()}
        for k, name in enumerate(systems)
    }
    return runs, truth


RUNS, LABELS = world()
ERRING = {t: {d: g if i % 7 else 1 - g for i, (d, g) in enumerate(row.items())} for t, row in LABELS.items()}


def test_a_measure_answers_to_the_words_it_was_asked_by() -> None:
    """Guards measures by name: RBP(p=0.8), which prints as RBP, trec_eval's names, and a level of relevance."""
    study = tg.Study(RUNS, LABELS, ["P_5", "RBP(p=0.8)"])
    assert study.verdict("a", "b", "RBP(p=0.8)").comparison.measure == study.verdict("a", "b", "RBP").comparison.measure
    assert study.verdict("a", "b", "P_5").comparison == study.verdict("a", "b", "P@5").comparison
    with pytest.warns(tg.DataWarning, match="no label reaches 2"):
        assert tg.Study(RUNS, LABELS, "P@5", scoring=tg.Scoring(relevant_from=2)).best("P@5").measure == "P(rel=2)@5"
    with pytest.raises(tg.TruegainError, match=r"the study has no measure RBP\(p=0.5\); it has P@5, RBP"):
        study.verdict("a", "b", "RBP(p=0.5)")


def test_of_several_measures_one_is_asked_for() -> None:
    """Guards against the first of several measures taken silently; what answers for all of them still does."""
    study, which = tg.Study(RUNS, LABELS, ["P@5", "AP"]), "which measure\\? The study has P@5, AP; give measure="
    for asked in (study.verdict, study.shares, study.influential, study.next_steps, study.precision):
        with pytest.raises(tg.InputError, match=which):
            asked("a", "b")
        assert asked("a", "b", measure="AP")
    for alone in (study.best, study.variance_model, study.next_steps):
        with pytest.raises(tg.InputError, match=which):
            alone()
    for found in (study.compare("a", "b"), study.estimates()):
        assert {one.measure for one in found} == {"P@5", "AP"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"confidence": "x"}, "confidence 'x' is not a number"),
        ({"min_effect": None}, "min_effect None: give the smallest difference that matters"),
        ({"min_effect": -1}, "min_effect -1: give"),
        ({"resamples": 1}, r"Resampling\.n 1: give a whole number of at least 100"),
        ({"resamples": 200.5}, r"Resampling\.n 200.5: give a whole number"),
        ({"seed": -1}, "seed -1: give a whole number of at least 0"),
        ({"unjudged": "zero"}, "unjudged 'zero' is not known; give one of bound"),
        ({"population": "fixed,topics"}, "'fixed' means these topics only and cannot be combined"),
        ({"population": "topics,moon"}, "'moon' is not known"),
        ({"population": 3}, r"population 3: give one name or several, such as population=\['topics', 'collection'\]"),
    ],
    ids=str,
)
def test_words_that_cannot_be_meant(words: dict[str, Any], said: str) -> None:
    """Guards against raw TypeErrors, and against numbers from which no honest answer follows."""
    with pytest.raises(tg.TruegainError, match=said):
        flat_study(RUNS, LABELS, "P@5", **words)


def test_what_pulls_most_is_at_least_one() -> None:
    """Guards most_influential(most=-3), which left out the wrong end of the list."""
    with pytest.raises(tg.TruegainError, match="most -3: give a whole number of at least 1"):
        tg.Study(RUNS, LABELS, "P@5").influential("a", "b", most=-3)


def test_populations_as_on_the_command_line() -> None:
    """Guards commas in population, and 'fixed', which leaves the topics out."""
    assert tg.Study(RUNS, LABELS, "P@5", population="topics,collection").over == {"topics", "collection"}
    words: dict[str, Any] = {"gold": {t: LABELS[t] for t in sorted(LABELS)[:8]}, "design": "topics"}
    fixed = flat_study(RUNS, ERRING, "P@5", population="fixed", **words)
    assert fixed.population.startswith(f"For these {TOPICS} topics only")
    assert fixed.verdict("a", "b").sentence == (
        flat_study(RUNS, ERRING, "P@5", population=[], **words).verdict("a", "b").sentence
    )


def test_models_are_compared_without_case() -> None:
    """Guards borrowed calibration against spelling: GPT-4o is gpt-4o; and a judge's model of no system is told."""
    lent = tg.Study(
        tg.read_runs(RUNS, models={"b": "GPT-4o "}), tg.read_judgments(LABELS, model="gpt-4o"), "P@5"
    ).verdict("a", "b")
    assert lent.outcome == "inconclusive"
    assert "possible self-preference: b uses gpt-4o" in lent.sentence
    with pytest.warns(tg.DataWarning, match="no system uses gpt-4o, the judge's model; there are GPT-4, e5"):
        tg.Study(tg.read_runs(RUNS, models={"b": ["GPT-4", "e5"]}), tg.read_judgments(LABELS, model="gpt-4o"), "P@5")


def test_refusals_name_what_was_asked_and_what_can_be_done() -> None:
    """Guards remedies that a study does not take (unmatched='drop'), and a study in which nothing was sampled."""
    half = {t: {d: g for d, g in row.items() if int(d[1:]) % 2} for t, row in ERRING.items()}
    with pytest.raises(tg.InputError, match=r"have no bronze label.*relevance, leave them out of the gold labels\)$"):
        tg.Study(RUNS, half, "P@5", gold=tg.Gold(LABELS, design="random"))
    with pytest.raises(tg.TruegainError, match=r"^With population='fixed', nothing here is uncertain"):
        tg.Study(RUNS, LABELS, "P@5", population="fixed")


def test_nothing_is_claimed_of_borrowed_calibration() -> None:
    """Guards numbers beside a verdict that cannot be told: a mark on each, no p, nobody told apart, nothing to buy."""
    study = tg.Study(tg.read_runs(RUNS, models={"b": "m", "c": "m"}), tg.read_judgments(LABELS, model="m"), "P@5")
    plain, lent = tg.Study(RUNS, LABELS, "P@5").compare(), study.compare()
    assert [c.notes[0].partition(":")[0] for c in lent] == ["possible self-preference"] * 3
    assert any(c.differs for c in plain)
    assert [(c.p, c.p_adjusted, c.differs) for c in lent] == [(None, None, False)] * 3
    assert [(c.low, c.high) for c in lent] == [(c.low, c.high) for c in plain]
    assert "possible self-preference: c uses m" in str(study.compare("a", "c")[0])
    assert [[n.partition(":")[0] for n in e.notes] for e in study.estimates()] == [
        [],
        *[["possible self-preference"]] * 2,
    ]
    told = study.verdict("b", "c")
    assert told.with_unjudged == study.compare("b", "c")[0]
    assert "possible self-preference: b uses m, its judge" in told.sentence
    assert "how much that favors b; c uses m, its judge" in told.sentence
    assert (told.to_dict()["p"], told.to_dict()["with_unjudged"]["p"]) == (None, None)  # type: ignore[index]
    assert told.text().count("possible self-preference") == 1
    with pytest.raises(tg.TruegainError, match=r"^the data cannot show whether b is better than a on P@5: possible"):
        study.next_steps("a", "b")
    assert study.shares("a", "b") == {"topics": 1.0}  # which the verdict tells too


def test_a_difference_that_is_refused_has_no_numbers_beside_it() -> None:
    """Guards shares, steps and units of a pair that few gold labels touch: the refusal of the verdict, and no value."""
    gold = {t: {d: g for d, g in row.items() if (int(t[1:]) + int(d[1:])) % 4 == 0} for t, row in LABELS.items()}
    runs = {**RUNS, "near": {t: dict(row) for t, row in RUNS["a"].items()}}
    for t in ("t0", "t1", "t2"):
        runs["near"][t] = {d: -x for d, x in runs["a"][t].items()}
    study = tg.Study(runs, ERRING, "P@5", gold=tg.Gold(gold, design="random"))
    why = "gold labels? affects? it; at least 10 are needed"
    told = study.verdict("a", "near")
    assert re.search(why, told.sentence)
    whole = told.to_dict()
    assert (whole["difference"], whole["value_a"], whole["value_b"], whole["p"]) == (None, None, None, None)
    for asked in (study.shares, study.influential, study.next_steps):
        with pytest.raises(
            tg.TruegainError, match=f"^the data cannot show whether near is better than a on P@5: .*{why}"
        ):
            asked("a", "near")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"system_models": "b=m", "judge_model": "m"}, "models 'b=m': give the models by system, such as"),
        ({"system_models": {"z": "m"}, "judge_model": "m"}, "models: z is not a system here"),
        ({"system_models": {"b": 3}, "judge_model": "m"}, "models: the model of b is 3"),
    ],
    ids=str,
)
def test_models_that_cannot_be_meant(words: dict[str, Any], said: str) -> None:
    """Guards the models of systems: a text is no table, and a system that is not there is told."""
    with pytest.raises(tg.TruegainError, match=said):
        flat_study(RUNS, LABELS, "P@5", **words)


def test_models_of_systems_alone_are_told() -> None:
    """Guards models of systems without that of the judge: nothing can be looked at, and what to give is named."""
    with pytest.warns(tg.DataWarning, match=r"self-preference is not checked; give `model` to tg.read_judgments"):
        tg.Study(tg.read_runs(RUNS, models={"b": "m"}), LABELS, "P@5")


@pytest.mark.parametrize(("measure", "design"), [("P@5", "random"), ("nDCG@5", "topics"), ("AP", "topics")])
def test_all_labels_gold_is_exact(measure: str, design: str) -> None:
    """Guards gold of every pair, topics fixed: the difference is that of the gold labels, without limits to doubt."""
    words: dict[str, Any] = {"gold": LABELS, "design": design, "population": "fixed"}
    told = flat_study(RUNS, ERRING, measure, **words).verdict("a", "c")
    scores = tg.evaluate(RUNS, LABELS, measure).values[measure].mean(axis=1)
    assert told.outcome == "better"
    assert told.comparison.low == told.comparison.high == told.comparison.difference
    assert told.comparison.difference == pytest.approx(scores[2] - scores[0], abs=1e-12)
    assert "; exact, because all labels are gold" in told.sentence
    twins = flat_study({"a": RUNS["a"], "b": RUNS["a"]}, ERRING, measure, **words).verdict("a", "b")
    assert (twins.outcome, twins.comparison.p) == ("not better", None)
    assert flat_study(RUNS, ERRING, measure, **words).best().tier.tolist() == [1, 2, 3]
    sampled = flat_study(RUNS, ERRING, measure, **words | {"population": "topics"}).verdict("a", "c")
    truth = tg.Study(RUNS, LABELS, measure).verdict("a", "c").comparison
    assert (sampled.comparison.low, sampled.comparison.high) == pytest.approx((truth.low, truth.high), rel=0.01)
    assert [x.why for x in sampled.by_source if x.source == "gold"] == ["all labels are gold"]
    assert [str(x.share) for x in sampled.by_source] == ["all", "none", "None"]
    assert "Shares of the variance" not in sampled.text()


def test_a_measure_that_gold_cannot_set_right_is_refused_at_once() -> None:
    """Guards nDCG by single gold pairs, and no means over topics: no study is made; of several the others are told."""
    few = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 2} for t, row in LABELS.items()}
    for measure, design, why in (
        ("nDCG@5", "random", "cannot be corrected from scattered gold labels.*label whole topics"),
        ("AP", "by-bronze", "cannot be corrected from scattered gold labels.*label whole topics"),
        ("nDCG@5", "by-gold", "inverting a confusion matrix cannot correct it; use P@k"),
        ("GMAP", "topics", "not a mean over topics"),
    ):
        with pytest.raises(tg.MeasureError, match=why):
            tg.Study(RUNS, ERRING, measure, gold=tg.Gold(few, design=design))
    both = tg.Study(RUNS, ERRING, ["P@5", "nDCG@5"], gold=tg.Gold(few, design="random"))
    for found in (both.estimates(), both.compare("a", "b")):
        assert {one.measure for one in found} == {"P@5"}
        assert found.notes[-1].startswith("Not estimated: nDCG@5 cannot be corrected from scattered gold labels")
    with pytest.raises(tg.MeasureError, match="nDCG@5 cannot be corrected from scattered gold labels"):
        both.verdict("a", "b", "nDCG@5")


@pytest.mark.parametrize("measure", ["P@5", "AP", "RBP"])
def test_all_judged_topics_may_count(measure: str) -> None:
    """Guards all_topics: a topic that a run lacks counts 0, as in trec_eval -c and the paired t test of such scores."""
    short = {**RUNS, "c": {t: row for t, row in RUNS["c"].items() if t not in ("t1", "t7")}}
    with pytest.warns(tg.DataWarning, match="2 of 12 judged topics are not answered by all systems; a missing one"):
        study = tg.Study(
            short,
            LABELS,
            measure,
            population="topics,collection",
            scoring=tg.Scoring(all_topics=True),
            resampling=tg.Resampling(n=100),
        )
    assert (len(study.topics), study.provenance["all_topics"]) == (TOPICS, True)
    with pytest.warns(tg.DataWarning, match="lacks judged topics"):
        scores = tg.evaluate(short, LABELS, measure, scoring=tg.Scoring(all_topics=True))
    assert [x.value for x in study.estimates()] == pytest.approx([scores.mean(s, measure) for s in "abc"], abs=1e-12)
    right = tg.compare(scores, test="paired-t", adjust="none")
    over_topics = next(x for x in study.verdict("a", "c").by_source if x.source == "topics")
    one = next(p for p in right.pairs if (p.a, p.b) == ("a", "c"))
    assert (over_topics.low, over_topics.high) == pytest.approx((one.low, one.high), abs=1e-12)


def test_identical_runs_are_told_so() -> None:
    """Guards two equal runs: on these topics they do not differ, whatever the labels; of others nothing is known."""
    twins = {"a": RUNS["a"], "b": RUNS["a"], "c": RUNS["c"]}
    some: dict[str, Any] = {"gold": {t: LABELS[t] for t in sorted(LABELS)[:8]}, "design": "topics"}
    for words in ({}, some, {"population": "collection", "resamples": 100}):
        told = flat_study(twins, ERRING, "P@5", **words).verdict("a", "b")
        assert (told.outcome, told.comparison.low) == ("inconclusive", None)
        assert told.sentence.endswith(
            "; both rank the judged documents identically in every topic, so these data cannot separate them."
        )
    fixed = flat_study(twins, ERRING, "nDCG@5", **some, population="fixed", min_effect=0.01)
    told = fixed.verdict("a", "b")
    assert (told.outcome, told.comparison.low, told.comparison.high) == ("not better", 0.0, 0.0)
    assert told.sentence == (
        f"b is not better than a: +0.0000 nDCG@5, for these {TOPICS} topics only; both rank the judged documents "
        "identically in every topic."
    )
    assert (told.steps, told.influential) == ((), {})
    tier = dict(zip(fixed.best().systems, fixed.best().tier.tolist(), strict=True))
    assert tier["a"] == tier["b"]
    assert (fixed.compare("a", "b")[0].low, fixed.compare()[0].low) == (0.0, 0.0)


def test_equal_scores_of_other_documents_are_no_identical_runs() -> None:
    """Guards two that score alike by other documents, topics fixed: gold labels could tell them apart."""
    topics = [str(t) for t in range(12)]
    runs = {s: {t: {d: float(d == top) for d in "xy"} for t in topics} for s, top in (("a", "x"), ("b", "y"))}
    labels = {t: {"x": 1, "y": 1} for t in topics}
    few = {t: labels[t] for t in topics[:8]}
    told = tg.Study(runs, labels, "P@1", population="fixed", gold=tg.Gold(few, design="topics")).verdict("a", "b")
    assert (told.outcome, told.comparison.low) == ("inconclusive", None)
    assert told.sentence.endswith("; the two score the same in every topic, so these data cannot separate them.")


def test_only_pairs_without_a_difference_are_looked_at_for_being_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the time of an exact study: of a hundred systems, five thousand pairs were looked at line by line."""
    asked: list[tuple[int, int]] = []

    def noted(_: object, a: int, b: int) -> bool:
        asked.append((a, b))
        return False

    monkeypatch.setattr(estimates.MeasureEstimates, "are_alike", noted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        study = tg.Study(
            RUNS | {"copy": RUNS["a"]}, LABELS, "P@5", population="fixed", gold=tg.Gold(LABELS, design="random")
        )
        study.compare()
    assert asked == [(0, 3)]


def test_holes_may_tell_two_apart_that_rank_judged_documents_alike() -> None:
    """Guards the bound beside identical runs: other unjudged documents could be relevant, and the sentence says so."""
    other = {t: {f"{d}'" if int(d[1:]) % 5 == 0 else d: x for d, x in row.items()} for t, row in RUNS["a"].items()}
    judged = {t: {d: g for d, g in row.items() if int(d[1:]) % 5} for t, row in LABELS.items()}
    words: dict[str, Any] = {
        "gold": {t: judged[t] for t in sorted(judged)[:8]},
        "design": "topics",
        "population": "fixed",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        study = flat_study({"a": RUNS["a"], "b": other}, judged, "P@5", **words)
        told, whole = study.verdict("a", "b"), study.compare("a", "b")[0]
    assert (told.outcome, told.comparison.low) == ("inconclusive", 0.0)
    assert "; both rank the judged documents identically in every topic, but " in told.sentence
    assert told.unjudged_bounds is not None
    assert (whole.low, whole.high) == pytest.approx((told.unjudged_bounds.least, told.unjudged_bounds.most))
    assert told.with_unjudged == whole


def test_short_words_for_a_study_and_a_ranking() -> None:
    """Guards repr and frame in a notebook: one line each, and the ranks as rows."""
    study = tg.Study(RUNS, LABELS, ["P@5", "AP"])
    assert repr(study) == "Study(3 systems, P@5, AP; for topics like these 12)"
    ranks = study.best("P@5")
    assert repr(ranks) == f"Ranking({ranks.sentence})"
    assert ranks.frame()["system"].to_list() == list(ranks.systems)


def test_what_first_ranks_could_do_to_ap_is_told() -> None:
    """Guards AP: how many documents of the first ten lack labels, each once, and that the verdict takes the worst."""
    some = {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 3} for t, row in LABELS.items()}
    first = {
        (t, d) for run in ("a", "c") for t, row in RUNS[run].items() for d in sorted(row, key=lambda x: -row[x])[:10]
    }
    lacking = sum(d not in some[t] for t, d in first)
    told = tg.Study(RUNS, some, "AP").verdict("a", "c")
    assert told.unjudged_bounds is not None
    assert told.unjudged_bounds.documents == lacking > 0
    assert f"{lacking} unjudged documents in the first 10 ranks could change the difference by" in str(told)
    assert told.outcome == "inconclusive"


def test_gold_of_whole_topics_is_not_drawn_pair_by_pair() -> None:
    """Guards design='random' with gold that is all of some topics and none of others: told, with the right design."""
    whole = {t: LABELS[t] for t in sorted(LABELS)[:5]}
    with pytest.warns(tg.DataWarning, match="all those of 5 of 12 topics: whole topics seem to have been sampled"):
        tg.Study(RUNS, ERRING, "P@5", gold=tg.Gold(whole, design="random"))
    tg.Study(RUNS, ERRING, "P@5", gold=tg.Gold(whole, design="topics"))
    tg.Study(RUNS, ERRING, "P@5", gold=tg.Gold(LABELS, design="random"))


def test_topics_that_systems_lack_name_the_systems() -> None:
    """Guards topics left out: who lacks them stands in the warning, and in the error where none is left."""
    runs = {**RUNS, "d": {t: row for t, row in RUNS["a"].items() if t not in ("t1", "t2")}}
    with pytest.warns(tg.DataWarning, match=r"left out \(t1, t2\); d lacks 2"):
        tg.Study(runs, LABELS, "P@5")
    half = {
        name: {t: row for i, (t, row) in enumerate(RUNS[name].items()) if i % 2 == k} for k, name in enumerate("ab")
    }
    with (
        pytest.warns(tg.DataWarning, match="12 of 12 judged topics"),
        pytest.raises(tg.TruegainError, match="leave out systems that answer few: a lacks 6, b 6"),
    ):
        tg.Study({**RUNS, **half}, LABELS, "P@5")


def test_swapped_runs_and_judgments(tmp_path: Path) -> None:
    """Guards Study(judgments, runs): a folder in the place of judgments is told with the order."""
    tg.write_runs(RUNS, f"{tmp_path}/runs/")
    tg.write_judgments(LABELS, tmp_path / "labels.qrels")
    with pytest.raises(tg.TruegainError, match=r"only runs may be a folder: .*in Python the runs come first"):
        tg.Study(tmp_path / "labels.qrels", tmp_path / "runs", "P@5")
    with pytest.raises(tg.TruegainError, match=r"this looks like a run: gold labels are judgments of some pairs\)"):
        tg.Study(RUNS, LABELS, "P@5", gold=tg.Gold(tmp_path / "runs" / "a.run", design="random"))


def test_warnings_stand_at_the_line_of_the_user() -> None:
    """Guards where a warning points: to the caller's file, not into truegain."""
    few = {t: LABELS[t] for t in sorted(LABELS)[:5]}
    runs = {name: {t: row[t] for t in few} for name, row in RUNS.items()}
    with pytest.warns(tg.DataWarning, match="with only 5 topics") as caught:
        tg.Study(runs, few, "P@5")
    assert {w.filename for w in caught} == {__file__}


def test_one_of_a_thing_is_one() -> None:
    """Guards the singular: one assessor, one unjudged document."""
    said = [(t, d, "x", g) for t, row in LABELS.items() for d, g in row.items()]
    ratings = pl.DataFrame(said, schema=["topic", "doc", "assessor", "label"], orient="row")
    with pytest.raises(tg.TruegainError, match=r"^1 assessor is too few to generalize to other assessors"):
        tg.Study(RUNS, ratings, "P@5", population="assessors", ratings="mean")
    top = max(RUNS["c"]["t0"], key=RUNS["c"]["t0"].__getitem__)
    labels = {**LABELS, "t0": {d: g for d, g in LABELS["t0"].items() if d != top}}
    of = "1 of the 36 documents that P@1 counts in all runs is unjudged"
    assert f"{of} and counts as not relevant here" in str(tg.Study(RUNS, labels, "P@1", unjudged="non-relevant").best())
    assert f"{of}: tiers and ranks hold whatever its label; scores count it as" in str(
        tg.Study(RUNS, labels, "P@1").best()
    )


def test_draws_are_made_once_a_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the dearest step of many systems: rankings and adjusted p of a measure take the same draws."""
    made: list[int] = []

    def counted(*given: Any) -> Any:
        made.append(1)
        return largest_t(*given)

    monkeypatch.setattr(estimates, "largest_t", counted)
    study = tg.Study(RUNS, LABELS, ["P@5", "P@1"])
    study.best("P@5")
    study.compare(measure="P@5")
    study.best("P@5")
    assert len(made) == 1
    study.best("P@1")
    assert len(made) == 2


def test_a_share_has_a_range() -> None:
    """Guards shares of few units: the range holds the estimate, is wider with fewer topics, and all of one source."""
    gold = {t: {d: g for d, g in row.items() if (int(t[1:]) + int(d[1:])) % 3 == 0} for t, row in LABELS.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole, half = (
            tg.Study(
                {s: dict(list(run.items())[:n]) for s, run in RUNS.items()},
                ERRING,
                "P@10",
                gold=tg.Gold(gold, design="random"),
            )
            for n in (12, 6)
        )
        ranges, fewer = whole.share_ranges("a", "c"), half.share_ranges("a", "c")
    assert set(ranges) == {"topics", "gold"}
    for source, share in whole.shares("a", "c").items():
        low, high = ranges[source]
        assert share is None or (0 < share < 1 and low - 0.05 <= share <= high + 0.05)
        assert 0 <= low <= high <= 1
        assert high - low > 0.1
    assert np.mean([high - low for low, high in fewer.values()]) > np.mean(
        [high - low for low, high in ranges.values()]
    )
    assert tg.Study(RUNS, LABELS, "P@5").share_ranges("a", "b") == {"topics": (1.0, 1.0)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": {"relevant_from": 2}}, "scoring: cannot use a dict; give a Scoring"),
        (
            {"resampling": 100},
            r"resampling: cannot use an integer; give a Resampling, such as tg\.Resampling\(n=1000\)",
        ),
        (
            {"unjudged": "boud"},
            r"unjudged 'boud' is not known; did you mean bound\? Give one of bound, non-relevant, or a file",
        ),
    ],
)
def test_what_is_no_config_is_refused_with_how_it_is_written(options: dict[str, Any], message: str) -> None:
    """Guards against errors from within: a dict or number in place of a config, a misspelt word taken for a file."""
    with pytest.raises(tg.TruegainError, match=message):
        tg.Study(RUNS, LABELS, "P@5", **options)
