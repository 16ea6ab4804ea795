"""Agreement and the verdict so far, against other tools and against a study of the whole."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import krippendorff
import numpy as np
import pytest

import truegain as tg
from truegain.aggregation.assessors import APART, FAR_RULE
from truegain.cli.annotate_insight import _table, agreement_so_far, far_people, insight_of, together, verdict_so_far
from truegain.judging.status import Rating
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import JudgingStudy, Words
from truegain.judging.tasks.base import Item, Level, Unit
from truegain.judging.tasks.catalogue import task_of

TOPICS, ITEMS, PEOPLE = ("1", "2"), 10, 6


def crowd(level: str, seed: int = 3, models: int = 1) -> list[Rating]:
    """Six people and a model who judge ten items of two topics; ratios are on scales of their own."""
    rng = np.random.default_rng(seed)
    found = []
    for topic in TOPICS:
        truth = rng.normal(size=ITEMS)
        for who in range(PEOPLE + models):
            said = truth + rng.normal(0, 0.5, ITEMS)
            values = np.exp(said + rng.normal()) if level == "ratio" else np.clip(np.round(said + 1), 0, 3)
            name = f"a{who}" if who < PEOPLE else f"m{who}"
            found += [
                Rating(topic, f"d{i}", name, float(v), f"u{who}-{topic}", 30.0, who >= PEOPLE)
                for i, v in enumerate(values)
            ]
    return found


def matrix(ratings: list[Rating]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Assessors by items, as the other tool takes them."""
    people, items = (sorted({f(r) for r in ratings}) for f in (lambda r: r.assessor, lambda r: f"{r.topic} {r.item}"))
    found = np.full((len(people), len(items)), np.nan)
    for r in ratings:
        found[people.index(r.assessor), items.index(f"{r.topic} {r.item}")] = r.value
    return found


def centered(ratings: list[Rating]) -> list[Rating]:
    """Geometric averaging, written out: each unit's logarithms moved to the mean of its topic."""
    units: dict[str, list[float]] = {}
    topics: dict[str, list[float]] = {}
    for r in ratings:
        units.setdefault(r.unit, []).append(math.log(r.value))
        topics.setdefault(r.topic, []).append(math.log(r.value))
    mean = {name: sum(x) / len(x) for name, x in {**units, **{f"t{t}": x for t, x in topics.items()}}.items()}
    return [r._replace(value=math.exp(math.log(r.value) - mean[r.unit] + mean[f"t{r.topic}"])) for r in ratings]


@pytest.mark.parametrize("level", ["ordinal", "nominal", "interval", "ratio"])
def test_alpha_of_people_is_krippendorffs(level: Level) -> None:
    """Guards the number on the page: the task's level, people alone, magnitudes on one scale; each topic's own too."""
    ratings = crowd(level)
    found = agreement_so_far(ratings, level=level)
    people = [r for r in ratings if not r.is_model]
    people = centered(people) if level == "ratio" else people
    alpha = krippendorff.alpha(reliability_data=matrix(people), level_of_measurement=level)
    assert found.overall.value == pytest.approx(alpha, abs=1e-9)
    assert found.overall.is_estimated
    assert found.overall.low is not None
    assert found.overall.low < alpha
    for topic in TOPICS:
        own = matrix([r for r in people if r.topic == topic])
        one = krippendorff.alpha(reliability_data=own, level_of_measurement=level)
        assert found.topics[topic].value == pytest.approx(one, abs=1e-9)
    assert set(found.alike) == {f"a{i}" for i in range(PEOPLE)}


@pytest.mark.parametrize("level", ["ordinal", "nominal", "ratio"])
def test_a_model_is_held_against_what_people_say_together(level: Level) -> None:
    """Guards judge against people: alpha of two raters, one of them all people, and no model among the people."""
    ratings = crowd(level, models=2)
    moved = centered(ratings) if level == "ratio" else ratings
    found = agreement_so_far(ratings, level=level)
    assert set(found.models) == {"m6", "m7"}
    rows = []
    for r in moved:
        said = [o.value for o in moved if (o.topic, o.item) == (r.topic, r.item) and not o.is_model]
        if r.assessor == "m7" and (one := together(said, level)) is not None:
            rows += [r, r._replace(assessor="people", value=one)]
    alpha = krippendorff.alpha(reliability_data=matrix(rows), level_of_measurement=level)
    assert found.models["m7"].value == pytest.approx(alpha, abs=1e-9)
    assert found.overall == agreement_so_far([r for r in ratings if not r.is_model], level=level).overall


def test_too_few_have_no_number() -> None:
    """Guards the first hours of a study: nobody, one person, one item, all the same; never an error, never a number."""
    some = crowd("ordinal", models=0)
    same = [r._replace(value=1.0) for r in some]
    alone = [r for r in some if r.assessor == "a0"]
    model = [r._replace(is_model=True) for r in alone]
    for ratings in ([], alone, same, some[:1], model, [some[0], some[0]._replace(assessor="b")]):
        found = agreement_so_far(ratings, level="ordinal")
        assert not found.overall.is_estimated
        assert not any(c.is_estimated for c in (*found.topics.values(), *found.models.values()))


def test_a_careless_person_is_worth_a_look() -> None:
    """Guards the flags: who says one thing throughout and is done in no time is named, honest people are not."""
    ratings = crowd("ordinal", models=0)
    careless = [r._replace(assessor="z", unit=f"uz-{r.topic}", value=2.0, seconds=1.0) for r in ratings[:ITEMS]]
    careless += [r._replace(topic="2") for r in careless]
    found = agreement_so_far([*ratings, *careless], level="ordinal")
    assert "quick" in found.looks["z"]
    assert set(found.looks) == {"z"}


def test_who_is_far_is_so_by_the_rule_that_is_told() -> None:
    """Guards the words beside a correlation: below the usual by what the page tells, status names the same people."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=200)
    found = []
    for who, noise in enumerate([0.2] * 8 + [1.2]):  # the last one is off the mark, and right on the whole
        values = np.clip(np.round(2 * (truth + rng.normal(0, noise, 200)) + 4), 0, 8)
        found += [Rating("1", f"d{i}", f"a{who}", float(v), f"u{who}", 30.0) for i, v in enumerate(values)]
    said = agreement_so_far(found, level="ordinal")
    assert {name: looks for name, looks in said.looks.items() if "far" in looks} == {"a8": ("far",)}
    assert said.apart == APART
    assert 0.5 < said.alike["a8"] <= np.median(list(said.alike.values())) - APART
    assert far_people("ordinal", _table(found)) == (["a8"], FAR_RULE)
    assert f"{APART:g} or more below" in FAR_RULE


# ---------------------------------------------------------------------- verdict


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, a judge that errs, the truth, and an ordered list of pairs to be judged."""
    folder = tmp_path_factory.mktemp("world")
    rng = np.random.default_rng(11)
    gold: list[str] = []
    llm: list[str] = []
    runs: dict[str, list[str]] = {"one": [], "two": []}
    for t in range(20):
        label = (rng.random(30) < 0.4).astype(int)
        for i, x in enumerate(label):
            gold.append(f"{t} 0 d{i} {x}")
            llm.append(f"{t} 0 d{i} {x if rng.random() < 0.85 else 1 - x}")
        for name, skill in (("one", 0.3), ("two", 2.0)):
            scores = skill * label + rng.normal(size=30)
            runs[name] += [f"{t} Q0 d{i} 0 {s:.6f} {name}" for i, s in enumerate(scores)]
    for name, lines in {"gold.qrels": gold, "llm.qrels": llm, **{f"{r}.run": x for r, x in runs.items()}}.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    tg.sample_gold([folder / "one.run", folder / "two.run"], folder / "llm.qrels", "P@10").write(folder / "list.csv")
    return folder


def study_of(world: Path, listed: str = "list.csv", people: int = 1, bronze: str = "llm.qrels") -> JudgingStudy:
    """A study of the list's pairs, a unit for each and each of several people."""
    drawn = tg.read_gold_list(world / "list.csv")
    pairs = enumerate(zip(drawn.topics, drawn.docs, strict=True))
    units = [Unit(f"{row}-{who}", t, (Item((d,)),)) for row, (t, d) in pairs for who in range(people)]
    runs = tuple(str(world / f"{name}.run") for name in ("one", "two"))
    listed = str(world / listed) if listed else ""
    drawn_with = str(world / bronze) if bronze else ""
    made = JudgingStudy(world, "s", task_of("graded"), {}, {}, tuple(units), Words("Of a list"), runs=runs)
    return replace(made, gold_list=listed, bronze=drawn_with)


def said(world: Path, rows: int, people: int = 1, **more: object) -> list[dict[str, object]]:
    """The truth about the list's first rows, as people say it."""
    drawn = tg.read_gold_list(world / "list.csv")
    truth = {tuple(x.split()[::2]): float(x.split()[3]) for x in (world / "gold.qrels").read_text().splitlines()}
    pairs = list(zip(drawn.topics, drawn.docs, strict=True))[:rows]
    usual = {"item": 0, "outcome": "done", "excluded": None, "kind": "human"}
    return [
        {"topic": t, "unit": f"{row}-{who}", "value": truth[t, d], **usual, **more}
        for row, (t, d) in enumerate(pairs) for who in range(people)
    ]  # fmt: skip


def test_the_verdict_so_far_is_that_of_an_anytime_study(world: Path) -> None:
    """Guards the one number that is shown while the study runs: that of a sequential study on the list's first rows."""
    insight = insight_of(study_of(world))
    assert insight.verdict is not None
    (found,) = insight.verdict(said(world, 60))
    listed = tg.read_gold_list(world / "list.csv").filled(world / "gold.qrels", 60)
    runs = [world / "one.run", world / "two.run"]
    whole = tg.Study(runs, world / "llm.qrels", "P@10", gold=tg.Gold(listed, sequential=True)).verdict("one", "two")
    c = whole.comparison
    assert (found.a, found.b, found.measure, found.labels) == ("one", "two", "P@10", 60)
    assert (found.difference, found.low, found.high) == (c.difference, c.low, c.high)
    assert (found.outcome, found.sentence, found.why) == (whole.outcome, whole.sentence, "")
    once = tg.Study(runs, world / "llm.qrels", "P@10", gold=listed).verdict("one", "two").comparison
    limits = (found.low, found.high, once.low, once.high)
    low, high, low_once, high_once = (float(x) for x in limits if x is not None)
    assert high - low > high_once - low_once


def test_a_gap_ends_what_counts(world: Path) -> None:
    """Guards missing labels: rows after one that lacks a judgment, or has a model's alone, do not count yet."""
    study = study_of(world, people=2)
    rows = said(world, 40, people=2)
    assert verdict_so_far(study, rows)[0].labels == 40
    assert verdict_so_far(study, rows[:61] + rows[62:])[0].labels == 30
    by_model = [{**row, "kind": "model"} if i in (60, 61) else row for i, row in enumerate(rows)]
    assert verdict_so_far(study, by_model)[0].labels == 30
    excluded = [{**row, "excluded": "why"} if i == 61 else row for i, row in enumerate(rows)]
    assert verdict_so_far(study, excluded)[0].labels == 30
    (none,) = verdict_so_far(study, rows[:1])
    assert (none.why, none.difference) == ("verdict.no_labels", None)


def test_no_number_where_looks_are_not_known_to_hold(world: Path) -> None:
    """Guards repeated looks: no list, a list drawn otherwise, no labels of the judge: a reason and never a number."""
    other = tg.sample_gold([world / "one.run", world / "two.run"], world / "llm.qrels", "P@10", draw="random")
    other.write(world / "random.csv")
    for listed, bronze, why in (
        ("", "llm.qrels", "verdict.not_known"),
        ("random.csv", "llm.qrels", "verdict.design"),
        ("list.csv", "", "verdict.no_bronze"),
        ("gone.csv", "llm.qrels", "verdict.refused"),
    ):
        (found,) = verdict_so_far(study_of(world, listed, bronze=bronze), said(world, 60))
        assert (found.why, found.difference, found.low, found.sentence) == (why, None, None, "")


def test_labels_off_the_lists_scale_are_refused_with_why(world: Path) -> None:
    """Guards magnitudes put through a list of grades: the reason is shown, no number is made."""
    (found,) = verdict_so_far(study_of(world), said(world, 20, value=37.5))
    assert found.why == "verdict.refused"
    assert "37.5" in found.about
    assert found.difference is None


def test_a_study_without_runs_has_no_verdict(tmp_path: Path) -> None:
    """Guards the page of a study that compares nothing: it says so, and shows no number."""
    insight = insight_of(simulated_study(tmp_path, task="graded", topics=2, docs=8, judgments=2, size=4))
    assert insight.verdict is not None
    (found,) = insight.verdict([])
    assert (found.why, found.difference) == ("verdict.no_runs", None)
    assert insight.agreement([]).level == "ordinal"
