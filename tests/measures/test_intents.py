"""Measures over intents: views of one intent, means over intents, one subtopic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import truegain as tg
from tests.measures.facets import FACETS, aligned_run, frame
from truegain.measures.intents import IA, by_intent


def test_one_subtopic_is_the_topic() -> None:
    """Guards numbers of subtopics where there is but one: each intent-aware measure is the plain one of the topic."""
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    labels = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 2, "b": 0, "c": 1}}
    rows = [(t, "only", d, g) for t, row in labels.items() for d, g in row.items()]
    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")
    for aware, plain in (
        ("AP_IA", "AP"),
        ("P_IA@2", "P@2"),
        ("IA-nDCG@3", "nDCG@3"),
        ("D-Q@3", "Q@3"),
        ("P+Q", "Q"),
        ("IA-ERR@2", "ERR(max_rel='topic',rule='gain')@2"),
        ("StRecall@1", "Success@1"),
        ("I-rec@1", "Success@1"),
    ):
        want = tg.evaluate(run, labels, plain).matrix()
        assert tg.evaluate(run, frame, aware).matrix() == pytest.approx(want), aware
        assert tg.evaluate(run, labels, aware).matrix() == pytest.approx(want), aware


def test_what_an_intent_says_of_each_document() -> None:
    """Guards the views of intents: a label of 0 is a judgment, a negative or missing one is none."""
    ranked = aligned_run({"1": {"a": 1.0}, "2": {"a": 1.0}}, frame(FACETS))
    names = [(ranked.topics[t], str(ranked.pool.docs[i])) for i, t in enumerate(ranked.pool.topic.tolist())]
    views = list(by_intent(ranked))
    assert len(views) == 2
    for (view, share, target), subtopic in zip(views, ("i", "j"), strict=True):
        label = {(t, d): x for t, s, d, x in FACETS if s == subtopic and x >= 0}
        assert view.item_judged.tolist() == [n in label for n in names]
        assert [g for g, n in zip(view.item_gain.tolist(), names, strict=True) if n in label] == [
            label[n] for n in names if n in label
        ]
        assert share.tolist() == ([0.5, 1.0] if subtopic == "i" else [0.5, 0.0])
        assert not target.any()


def test_documents_judged_for_an_intent_count_as_judged() -> None:
    """Guards a label of 0 in IA by hand: for intent i x alone is unjudged, for intent j b, of label -1, is as well."""
    run, probable = {"1": {"b": 3.0, "a": 2.0, "x": 1.0}}, {"1": {"i": 0.75, "j": 0.25}}
    found = tg.evaluate(run, frame(FACETS[:5]), "IA(of='Unjudged@3')", intents=probable).mean()
    assert found == pytest.approx(0.75 / 3 + 0.25 * 2 / 3)


def test_only_measures_are_averaged_over_intents() -> None:
    """Guards IA(of=...): what is no measure, and a measure of intents, are refused as such."""
    for wrong in (3, tg.parse_measure("I-rec@5")):
        with pytest.raises(tg.MeasureError, match="measure without intents"):
            IA(of=wrong)  # type: ignore[arg-type]


def test_intents_do_not_go_in_batches(tmp_path: Path) -> None:
    """Guards probabilities of intents beside files larger than memory: refused, where batches would pass them over."""
    topics, docs = range(200), range(30)
    judged = [f"{t} {s} doc-{t}-{i} {int(i % (s + 1) == 0)}" for t in topics for i in docs for s in (1, 2)]
    (tmp_path / "q").write_text("\n".join(judged))
    (tmp_path / "a.run").write_text("\n".join(f"{t} Q0 doc-{t}-{i} {i + 1} {30 - i} a" for t in topics for i in docs))
    intents = {str(t): {"1": 0.8, "2": 0.2} for t in topics}

    def mean(**options: Any) -> Any:
        return tg.evaluate(tmp_path / "a.run", tmp_path / "q", "D-nDCG@10", **options).mean("a", "D-nDCG@10")

    assert mean(memory="1 MB") == pytest.approx(mean())
    assert mean(intents=intents) != pytest.approx(mean(), abs=1e-3)
    with pytest.raises(tg.InputError, match=r"needs about .* MB of memory"):
        mean(intents=intents, memory="1 MB")
