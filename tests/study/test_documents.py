"""Which documents decide a difference over other collections."""

from __future__ import annotations

import numpy as np
import pytest

import truegain as tg
from tests.worlds import there
from truegain.stats.student_t import quantile_of

Runs = dict[str, dict[str, dict[str, float]]]
Labels = dict[str, dict[str, int]]
TOPICS, DOCS = 5, 24


def world() -> tuple[Runs, Labels]:
    """Three systems that lack some documents, labels of some; graded, one topic with a single relevant document."""
    rng = np.random.default_rng(51)
    docs = [f"d{i:02}" for i in range(DOCS)]
    runs: Runs = {s: {} for s in ("a", "b", "c")}
    labels: Labels = {}
    for t in map(str, range(TOPICS)):
        for lists in runs.values():
            lists[t] = {d: float(rng.normal()) for d in docs if rng.random() < 0.9}
        graded = rng.integers(1, 3, DOCS) * (rng.random(DOCS) < (0.04 if t == "0" else 0.4))
        labels[t] = {d: int(g) for d, g in zip(docs, graded, strict=True) if g or rng.random() < 0.6}
    labels["0"] = dict.fromkeys(labels["0"], 0) | {"d03": 2}
    return runs, labels


def left_out(runs: Runs, labels: Labels, topic: str, doc: str) -> tuple[Runs, Labels]:
    """Runs and labels without a document of a topic."""

    def rest(table: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        return {t: {d: x for d, x in row.items() if (t, d) != (topic, doc)} for t, row in table.items()}

    return {s: rest(lists) for s, lists in runs.items()}, rest(labels)  # type: ignore[arg-type, return-value]


@pytest.mark.few(2)
@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "P(rel=2)@5", "RBP(p=0.8)", "P(judged_only=True)@5", "Bpref"])
@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_every_document_left_out_and_scored_again(measure: str) -> None:
    """Guards each move against removing the document from runs and judgments, and that none that moves is missed."""
    runs, labels = world()
    study = tg.Study(runs, labels, measure, population="topics,collection", resampling=tg.Resampling(n=100))
    told = dict(study.influential("a", "c", most=10_000)["collection"])

    def difference(lists: Runs, judged: Labels) -> float:
        scores = tg.evaluate(lists, judged, measure)
        return there(scores.mean("c")) - there(scores.mean("a"))

    now = difference(runs, labels)
    by_hand = {f"{t} {d}": now - difference(*left_out(runs, labels, t, d)) for t in labels for d in labels[t]}
    for name, move in told.items():
        assert move == pytest.approx(by_hand[name], abs=1e-12)
    missed = {name: abs(move) for name, move in by_hand.items() if name not in told and abs(move) > 1e-12}
    # without a cutoff, non-relevant documents below rank 20 are not looked at: they move next to nothing
    assert max(missed.values(), default=0.0) < (2e-3 if measure in ("AP", "RBP(p=0.8)") else 1e-12)
    moves = study._study_data.documents(study.measures[0], study.variance_model(), 0, 2)
    assert (moves.source, moves.df) == ("collection", len(moves.units) - 1.0)
    first = study.verdict("a", "c").influential["collection"][0]
    assert abs(first.influence) == pytest.approx(max(map(abs, by_hand.values())))
    assert first.without == pytest.approx(now - by_hand[first.unit], abs=1e-12)
    assert f"Most influential documents: {first.unit} (difference without it: " in str(study.verdict("a", "c"))


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_documents_are_named_only_where_collections_are_spoken_of() -> None:
    """Guards other studies: no documents without 'collection'; with gold, only moves, by the judge's labels."""
    runs, labels = world()
    assert "collection" not in tg.Study(runs, labels, "AP").influential("a", "c")
    many = {f"{t}{i}": row for i in range(4) for t, row in labels.items()}
    more = {s: {f"{t}{i}": row for i in range(4) for t, row in lists.items()} for s, lists in runs.items()}
    bronze = {t: {d: g if hash_of(t, d) else 0 for d, g in row.items()} for t, row in many.items()}
    gold = {t: many[t] for t in sorted(many)[:8]}
    study = tg.Study(more, bronze, "nDCG@5", population=["topics", "collection"], gold=tg.Gold(gold, design="topics"))
    verdict = study.verdict("a", "c")
    most = verdict.influential["collection"][0].unit
    assert f"Most influential documents, by the uncorrected labels: {most} (change in the difference: " in str(verdict)
    assert all(pull.without is None for pull in verdict.influential["collection"])


def hash_of(topic: str, doc: str) -> bool:
    """Whether the judge is right, in three of four cases."""
    return (int(topic) * 31 + int(doc[1:]) * 17) % 4 != 0


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_what_more_would_bring_begins_at_the_interval_there_is() -> None:
    """Guards next steps where topics hardly differ and documents are the wider source: half the width now is that."""
    rng = np.random.default_rng(6)
    docs = [f"d{i:02}" for i in range(DOCS)]
    labels = {str(t): {d: int(x) for d, x in zip(docs, rng.random(DOCS) < 0.3, strict=True)} for t in range(12)}
    runs = {s: {t: {d: float(rng.normal() + g) for d, g in row.items()} for t, row in labels.items()} for s in "ab"}
    wider = 0
    for measure in ("AP", "nDCG@5", "P@5", "RBP(p=0.5)", "nDCG@10"):
        study = tg.Study(runs, labels, measure, population="topics,collection", resampling=tg.Resampling(n=200))
        found = study.compare("a", "b")[0]
        assert found.low is not None
        assert found.high is not None
        now = study.precision("a", "b")
        assert now.half == pytest.approx((found.high - found.low) / 2, rel=1e-9)
        surer = quantile_of(0.95, now.df * 23 / 11) / quantile_of(0.95, now.df)
        assert now.after(topics=2) == pytest.approx(surer * now.half / np.sqrt(2), rel=1e-9)
        wider += "topics" in now.parts and not now.parts["topics"]
    assert wider  # such a case was among them
