"""A run and judgments in the wrong order are refused, and nothing else is."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.worlds import there

Values = dict[str, dict[str, float]]


def labels(topics: int, docs: int, seed: int, top: int = 3) -> Values:
    """Grades as assessors give them."""
    draw = random.Random(seed)
    return {str(t): {f"d{d}": draw.randint(0, top) for d in range(docs)} for t in range(topics)}


def scores(topics: int, docs: int, seed: int, sort: bool = True, digits: int = 4) -> Values:
    """Scores as systems give them, best first or as they come."""
    draw = random.Random(seed + 1)
    found: Values = {}
    for t in range(topics):
        row = [(f"d{d}", round(draw.gauss(10, 4), digits)) for d in draw.sample(range(docs), docs)]
        found[str(t)] = dict(sorted(row, key=lambda pair: -pair[1]) if sort else row)
    return found


QRELS, RUN = labels(6, 8, 1), scores(6, 8, 1)
GOLD = {t: dict(list(row.items())[:4]) for t, row in QRELS.items()}
CALLS: dict[str, Callable[[Any, Any], object]] = {
    "evaluate": lambda runs, judgments: tg.evaluate(runs, judgments, "nDCG@5"),
    "intervals": lambda runs, judgments: tg.intervals(runs, judgments, "P@5", population="topics"),
    "unjudged": lambda runs, judgments: tg.unjudged(runs, judgments, "P@5"),
    "compare": lambda runs, judgments: tg.compare(runs, judgments, "P@5"),
    "compare with gold": lambda runs, judgments: tg.compare(
        runs, judgments, "P@5", gold=tg.Gold(GOLD, design="random")
    ),
    "correct": lambda runs, judgments: tg.correct(runs, judgments, "P@5", gold=tg.Gold(GOLD, design="random")),
    "Study": lambda runs, judgments: tg.Study(runs, judgments, "P@5"),
    "correlate": lambda runs, judgments: tg.correlate(runs, judgments, "P@5", against=QRELS),
    "gold_list": lambda runs, judgments: tg.sample_gold(runs, judgments, "P@5"),
    "plan_labels": lambda runs, judgments: tg.plan_labels(
        runs, judgments, "P@5", config=tg.StudyConfig(gold=tg.Gold(GOLD, design="random"))
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_every_function_refuses_swapped_dicts(call: Callable[[Any, Any], object]) -> None:
    """Guards the public face: every function of runs and judgments says that they are swapped, and the right order."""
    with pytest.raises(tg.InputError, match=r"runs and judgments look swapped.*in Python the runs come first"):
        call(QRELS, RUN)
    with pytest.raises(tg.InputError, match=r"like runs of several systems.*in Python the runs come first"):
        call(QRELS, {"x": RUN, "y": scores(6, 8, 2), "z": scores(6, 8, 3)})


def of_ranx(kind: str, values: Values) -> Any:
    """An object as ranx has them; its own take minutes to compile."""
    return type(kind, (), {"__module__": "ranx.data_structures", "to_dict": lambda _: values})()


def test_typed_tables_say_what_they_are() -> None:
    """Guards objects and frames, whose kind is known: refused whatever their values, with the order of Python."""
    swapped: list[tuple[Any, Any]] = [
        (tg.Judgments.of(QRELS), tg.Runs.of(RUN)),
        (of_ranx("Qrels", QRELS), of_ranx("Run", RUN)),
        (RUN, of_ranx("Run", RUN)),
        (of_ranx("Qrels", QRELS), QRELS),
        (RUN, tg.Runs.of(RUN)),
        (RUN, tg.Runs.of(RUN).parts[0]),
        (tg.Judgments.of(QRELS), QRELS),
        (tg.Judgments.of(QRELS).frame(), tg.Runs.of(RUN).frame()),
    ]
    for runs, judgments in swapped:
        with pytest.raises(tg.InputError, match="in Python the runs come first"):
            tg.evaluate(runs, judgments, "P@5")


sizes = st.tuples(st.integers(4, 8), st.integers(6, 20), st.integers(0, 10_000))


@given(sizes, st.integers(1, 3), st.booleans(), st.integers(3, 6))
def test_swapped_grades_and_scores_are_refused(size: tuple[int, int, int], top: int, sort: bool, digits: int) -> None:
    """Guards the property: grades of any scale as the run and scores as judgments are refused.

    Exempt are grades that descend in every topic by chance, as a run does, beside scores that do not, and scores more
    than a tenth of which are whole numbers by chance.
    """
    grades, numbers = labels(*size, top=top), scores(*size, sort=sort, digits=digits)
    rows = [list(row.values()) for row in grades.values()]
    assume(sort or any(row != sorted(row, reverse=True) for row in rows))
    fractional = [value % 1 != 0 for row in numbers.values() for value in row.values()]
    assume(sum(fractional) >= 0.9 * len(fractional))
    with pytest.raises(tg.InputError, match="swapped"):
        tg.evaluate(grades, numbers, "P@5")


def means(topics: int, docs: int, seed: int) -> Values:
    """Gains that are means of three ratings."""
    draw = random.Random(seed)
    return {str(t): {f"d{d}": sum(draw.choices(range(4), k=3)) / 3 for d in range(docs)} for t in range(topics)}


def whole(topics: int, docs: int, seed: int) -> Values:
    """A run whose scores are ranks, counted from the end."""
    return {t: {d: docs - r for r, d in enumerate(row)} for t, row in scores(topics, docs, seed).items()}


def magnitudes(topics: int, docs: int, seed: int) -> Values:
    """Labels of any number, as magnitude estimation gives them."""
    return scores(topics, docs, seed, sort=False)


def votes(topics: int, docs: int, seed: int) -> Values:
    """A run of few whole scores, in descending order: how many query terms a document holds."""
    found = labels(topics, docs, seed)
    return {t: dict(sorted(row.items(), key=lambda pair: -pair[1])) for t, row in found.items()}


LEGAL: dict[str, tuple[Callable[..., Values], Callable[..., Values]]] = {
    "scores, grades": (scores, labels),
    "scores, magnitudes": (scores, magnitudes),
    "scores, means of ratings": (scores, means),
    "ranks, grades": (whole, labels),
    "ranks, magnitudes": (whole, magnitudes),
    "votes, grades": (votes, labels),
    "votes, magnitudes": (votes, magnitudes),
    "grades, grades": (labels, labels),
    "grades, means of ratings with ties": (votes, means),
}


@pytest.mark.few(5)
@pytest.mark.parametrize("kinds", LEGAL.values(), ids=LEGAL)
@settings(max_examples=25, deadline=None)
@given(sizes)
def test_legal_input_is_never_refused(
    kinds: tuple[Callable[..., Values], Callable[..., Values]], size: tuple[int, int, int]
) -> None:
    """Guards the property the other way round: whole scores, fractional labels, and both alike are scored."""
    run, judgments = (kind(*size) for kind in kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        tg.evaluate(run, judgments, "DCG@5")


def test_what_is_declared_is_believed() -> None:
    """Guards the way out: a named run, or frames with the columns score and label, hold whatever they hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        named = tg.evaluate({"votes": QRELS}, RUN, "DCG@5").mean("votes")
        frames = [
            pl.DataFrame([(t, d, v) for t, row in values.items() for d, v in row.items()], ["topic", "doc", name], orient="row")  # noqa: E501
            for values, name in ((QRELS, "score"), (RUN, "label"))
        ]  # fmt: skip
        assert tg.evaluate(frames[0], frames[1], "DCG@5").mean() == pytest.approx(named)


def test_qrels_of_one_document_a_topic() -> None:
    """Guards the commonest judgments there are: one relevant document a topic, all labels 1."""
    qrels: Values = {str(t): {"d3": 1} for t in range(12)}
    with pytest.raises(tg.InputError, match="holds 1 whole number \\(1\\)"):
        tg.evaluate(qrels, scores(12, 8, 4), "RR")
    assert there(tg.evaluate(scores(12, 8, 4), qrels, "RR").mean()) > 0


def test_few_rows_tell_nothing() -> None:
    """Guards small examples, in which anything may be anything: 9 rows on either side are not judged."""
    nine = {"1": {f"d{i}": float(i % 2) for i in range(9)}}
    ten = {"1": {f"d{i}": float(i % 2) for i in range(10)}}
    fractions = {"1": {f"d{i}": i + 0.5 for i in range(10)}}
    assert there(tg.evaluate(nine, fractions, "DCG@5").mean()) > 0
    with pytest.raises(tg.InputError, match="swapped"):
        tg.evaluate(ten, fractions, "DCG@5")


def test_soft_labels_of_one_document_a_topic_are_labels() -> None:
    """Guards against a false refusal: a run of one document a topic, all scored 1, beside one soft label each."""
    run = {f"q{i}": {"d1": 1} for i in range(200)}
    labels = {f"q{i}": {"d1": (i + 0.5) / 200} for i in range(200)}
    assert tg.evaluate(run, labels, "CG@1").mean() == pytest.approx(0.5)


def test_topic_and_doc_swapped_in_columns(tmp_path: Path) -> None:
    """Guards numbers of nothing: judgments read with topic and doc swapped are told of, others are not."""
    rows = [(f"q{t}", f"u{t}-{d}", (t + d) % 3) for t in range(4) for d in range(6)]
    (tmp_path / "j.csv").write_text("query_no,url,grade\n" + "".join(f"{t},{d},{g}\n" for t, d, g in rows))
    with pytest.warns(tg.DataWarning, match="24 topics have one judged document each, and there are only 4 documents"):
        tg.read_judgments(tmp_path / "j.csv", columns="topic=url,doc=query_no,label=grade")
    tg.read_judgments(tmp_path / "j.csv", columns="topic=query_no,doc=url,label=grade")
    relevant = pl.DataFrame({"q": [f"q{n}" for n in range(30)], "faq": [f"a{n % 3}" for n in range(30)], "y": [1] * 30})
    tg.read_judgments(relevant, columns="topic=q,doc=faq,label=y")  # questions that share answers
