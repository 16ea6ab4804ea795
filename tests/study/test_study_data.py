"""The data of a study: topics that all systems answer, gold labels of these, runs deep enough."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.flat import flat_study
from tests.worlds import study as world
from truegain.aggregation.aggregate import rule_of
from truegain.aggregation.magnitudes import normalized
from truegain.data.rating_groups import Grouped
from truegain.data.ratings import Scale
from truegain.study.assessors import Raters

Lists = dict[str, dict[str, dict[str, float]]]


def study_of(labels: dict[str, dict[str, int]], runs: Lists, measure: str = "P@2", **options: object) -> tg.Study:
    """A study of few topics, of which nothing is told."""
    with pytest.warns(tg.DataWarning):
        return flat_study(runs, labels, measure, **options)


def lists(depth: int, short: int = 0) -> Lists:
    """Two systems over four topics; the first list of the first system may be shorter."""
    made: Lists = {s: {str(t): {f"d{i}": float(i % (2 + t) + w) for i in range(depth)} for t in range(4)}
                   for s, w in (("a", 0), ("b", 1))}  # fmt: skip
    if short:
        made["a"]["0"] = {f"d{i}": float(-i) for i in range(short)}
    return made


def test_unjudged_documents_are_counted_as_a_loop_does() -> None:
    """Guards the count behind the note of a ranking: by a loop over both lists, to the cutoff."""
    labels = {str(t): {f"d{i}": int(i > 2) for i in range(0, 6, 1 + t % 2)} for t in range(4)}
    runs = lists(6)
    study = study_of(labels, runs)
    holes = dict.fromkeys(runs, 0)
    for s, found in runs.items():
        for t, row in found.items():
            top = sorted(row, key=lambda d: (row[d], d), reverse=True)[:2]
            holes[s] += sum(d not in labels[t] for d in top)
    study_data, m = study._study_data, study.measures[0]
    assert study_data.unjudged(m) == (sum(holes.values()), 16)
    assert study_data.unjudged(m, [1]) == (holes["b"], 8)
    assert any(f"{sum(holes.values())} of the 16 documents" in note for note in study.best().notes)


def test_only_runs_that_were_cut_are_too_shallow() -> None:
    """Guards collections: one short list in a deep run found no more; a run all of whose lists are short was cut."""
    labels = {str(t): {f"d{i}": int(i % 3 == 0) for i in range(8)} for t in range(4)}
    study_of(labels, lists(8, short=3), population=["topics", "collection"]).variance_model()
    cut = study_of(labels, lists(3), population=["topics", "collection"])
    with pytest.raises(tg.TruegainError, match=r"needs rankings of 4 documents, and 2 of 2 runs have no more than 3"):
        cut.variance_model()


def without(table: dict[str, dict[str, int]], topics: set[str]) -> dict[str, dict[str, int]]:
    """Labels of the other topics."""
    return {t: row for t, row in table.items() if t not in topics}


@pytest.mark.parametrize("design", [None, "random", "topics"])
def test_topics_that_a_system_lacks_are_left_out_everywhere(design: str | None) -> None:
    """Guards runs that answer some topics: the study is that of files without the other topics, gold and all."""
    runs, bronze, gold = world(5)
    lacking = {"3", "7", "20"}
    fewer = {**runs, "a": {t: row for t, row in runs["a"].items() if t not in lacking}}
    both = {s: {t: row for t, row in lists.items() if t not in lacking} for s, lists in runs.items()}
    sample = {t: {d: g for d, g in row.items() if design == "topics" or int(d[1:]) % 2 == int(t) % 2}
              for t, row in gold.items() if design == "random" or int(t) < 20}  # fmt: skip
    options = {} if design is None else {"design": design}
    with pytest.warns(tg.DataWarning, match="3 of 40 judged topics are not answered by all systems"):
        found = flat_study(fewer, bronze, "P@10", gold=sample if design else None, **options)
    trusted = without(sample, lacking) if design else None
    wanted = flat_study(both, without(bronze, lacking), "P@10", gold=trusted, **options)
    assert len(found.topics) == 37
    one, other = ({**study.verdict("a", "b").to_dict(), "provenance": None} for study in (found, wanted))
    assert one == other


def test_gold_of_other_topics_stays_where_it_is_asked_for() -> None:
    """Guards gold from elsewhere: topics that no system answers still tell the judge's rates."""
    runs, bronze, gold = world(6)
    apart = {str(t) for t in range(10)}
    scored = {s: {t: row for t, row in lists.items() if t not in apart} for s, lists in runs.items()}
    elsewhere = {t: row for t, row in gold.items() if t in apart}
    with pytest.warns(tg.DataWarning, match="10 of 40 judged topics are not answered"):
        study = tg.Study(scored, bronze, "P@10", gold=tg.Gold(elsewhere, design="elsewhere"))
    assert study.judge is not None
    assert (len(study.topics), study.judge.size) == (30, 400)


def test_few_gold_labels_are_told_by_name() -> None:
    """Guards refusals about gold: the systems without any, or with those of one topic, are named."""
    runs, bronze, gold = world(7)
    of_b = {t: {d: g for d, g in row.items() if d[0] == "b"} for t, row in gold.items()}
    none = tg.Study(runs, bronze, "P@10", gold=tg.Gold(of_b, design="random")).compare("a", "b")[0]
    assert none.low is None
    assert none.notes == ("there is no gold label of what a retrieved: draw some from it",)
    of_b["4"] = gold["4"]
    with pytest.raises(tg.TruegainError, match="gold labels of what a retrieved are all in one topic"):
        tg.Study(runs, bronze, "P@10", gold=tg.Gold(of_b, design="random")).compare("a", "b")
    of_b |= {"5": {**of_b["5"], "a0": gold["5"]["a0"]}, "4": {"a0": gold["4"]["a0"]}}
    told = tg.Study(runs, bronze, "P@10", gold=tg.Gold(of_b, design="random")).verdict("a", "b")
    assert told.outcome == "inconclusive"
    assert told.withheld == ("too few gold labels: a retrieved 2 of the labeled documents, and 10 are needed",)


@pytest.mark.parametrize("how", ["geometric", "median"])
def test_magnitudes_come_to_one_scale_without_the_one_left_out(how: str) -> None:
    """Guards assessors of magnitudes as a source: gains without one are those of the table without his rows."""
    rng = np.random.default_rng(2)
    rows = [
        (t, d, who, float(scale * 10 ** rng.normal()))
        for t in ("1", "2")
        for d in "abcd"
        for who, scale in (("x", 1.0), ("y", 10.0), ("z", 0.2))
    ]
    table = tg.read_ratings(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "label"], orient="row"))
    rule, scale = rule_of("median"), Scale.of(None)
    raters = Raters.of(table, rule, scale, how)
    assert raters.gains() == pytest.approx(rule.fit(Grouped.of(normalized(table, how)), scale))
    for code, name in enumerate(raters.names):
        left = table.take(np.flatnonzero(np.array([row[2] != name for row in rows])))
        without = (raters.ratings.assessor != code).astype(np.float64)
        assert raters.gains(without) == pytest.approx(rule.fit(Grouped.of(normalized(left, how)), scale))
