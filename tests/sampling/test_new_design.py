"""A gold design is one file and one line in the catalogue: a toy one goes through plan, verdict and study files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from tests.worlds import Labels, Runs, study
from truegain.cli.commands import COMPLETERS
from truegain.cli.init import schema_of_studies
from truegain.sampling.catalogue import DESIGNS
from truegain.sampling.gold import GoldDesign

# ---------------------------------------------------------------------- the whole of a new design's file

BY_TOPIC = GoldDesign("by-topic", "drawn by topic", strata=lambda topic, _: topic, by="topic")

# ---------------------------------------------------------------------- through every command

VERDICT = ("verdict", "bronze.qrels", "a.run", "b.run", "-m", "P@5")
SIZES = (2, 5)  # gold pairs of topics with an even number, and of the others
World = tuple[Runs, Labels, Labels]


@pytest.fixture
def world(folder: Path, commands: None, monkeypatch: pytest.MonkeyPatch) -> World:  # noqa: F811
    """Two runs, bronze labels of all pairs and gold labels of some, with the design in the catalogue."""
    monkeypatch.setitem(DESIGNS, BY_TOPIC.name, BY_TOPIC)
    runs, bronze, truth = study(seed=4, topics=20, docs=8)
    rng = np.random.default_rng(5)
    gold = {}
    for topic, labels in truth.items():
        drawn = rng.choice(sorted(labels), SIZES[int(topic) % 2], replace=False).tolist()
        gold[topic] = {doc: labels[doc] for doc in drawn}
    for name, lists in runs.items():
        tg.write_runs({name: lists}, folder / f"{name}.run")
    tg.write_judgments(bronze, folder / "bronze.qrels")
    tg.write_judgments(gold, folder / "gold.qrels")
    return runs, bronze, gold


def test_a_verdict_weighs_gold_by_the_new_design(run: Run, world: World) -> None:  # noqa: F811
    """Guards the whole road of `--design`: the same limits as with 1 over each pair's chance given by hand."""
    runs, bronze, gold = world
    _, out, err = run(*VERDICT, "--gold", "gold.qrels", "--design", "by-topic", "--format", "json")
    assert out, err
    found = json.loads(out)["verdicts"][0]
    chances = [len(labels) / len(bronze[topic]) for topic, labels in gold.items() for _ in labels]
    by_hand = tg.Judge.fit(bronze, gold, "random", weights=1 / np.array(chances))
    same = tg.Study(runs, bronze, "P@5", gold=tg.Gold(by_hand)).verdict("a", "b")
    signs = 1 if (found["a"], found["b"]) == ("a", "b") else -1  # of the two the better one is b
    limits = sorted([signs * found["low"], signs * found["high"]])
    assert [signs * found["difference"], *limits] == pytest.approx([same.difference, same.low, same.high], abs=1e-9)
    at_random = tg.Study(runs, bronze, "P@5", gold=tg.Gold(gold, "random")).verdict("a", "b")
    assert abs(same.difference - at_random.difference) > 1e-3  # the design matters here


def test_choices_are_those_of_the_catalogue(run: Run, world: World, folder: Path) -> None:  # noqa: F811
    """Guards what lists the designs: errors, completion, study files, their schema, and Python."""
    runs, bronze, gold = world
    code, _, err = run(*VERDICT, "--gold", "gold.qrels", "--design", "by-topc")
    assert code == 2
    assert err.strip().endswith("--design by-topc is not known; give one of " + ", ".join(DESIGNS))
    assert COMPLETERS["--design"]("by-t") == COMPLETERS["--draw"]("by-t") == ["by-topic"]
    assert "by-topic" in schema_of_studies()["$defs"]["Gold"]["properties"]["design"]["enum"]
    text = 'judgments = "bronze.qrels"\nruns = ["a.run", "b.run"]\nmeasure = "P@5"\n[gold]\nlabels = "gold.qrels"\n'
    (folder / "study.toml").write_text(text + 'design = "by-topic"\n')
    _, out, _ = run("verdict", "study.toml", "--format", "json")
    found = json.loads(out)["verdicts"][0]
    of_file = tg.read_study(folder / "study.toml").verdict(found["a"], found["b"])
    assert found["difference"] == pytest.approx(of_file.difference)
    with pytest.raises(tg.TruegainError, match=r"design 'by-guess' is not known; give one of .*, by-topic$"):
        tg.Gold(gold, "by-guess")
    with pytest.raises(tg.TruegainError, match=r"how were the gold pairs sampled\? .*, by-topic \(drawn by topic\)$"):
        tg.Study(runs, bronze, "P@5", gold=gold)


def test_a_list_is_drawn_by_the_new_design(run: Run, world: World, folder: Path) -> None:  # noqa: F811
    """Guards `--draw`: strata take turns, and a verdict knows how the list was drawn."""
    _, bronze, _ = world
    code, _, err = run(
        "plan", "labels", "bronze.qrels", "a.run", "b.run", "-m", "P@5", "--draw", "by-topic", "-o", "list.csv"
    )
    assert code == 0, err
    listed = tg.read_gold_list(folder / "list.csv")
    assert sorted(listed.topics[: len(bronze)]) == sorted(bronze)
    pairs = enumerate(zip(listed.topics, listed.docs, strict=True))
    labels = np.array([bronze[t][d] if i < 5 * len(bronze) else np.nan for i, (t, d) in pairs])
    listed.with_labels(labels).write(folder / "filled.csv")
    _, out, err = run(*VERDICT, "--gold", "filled.csv", "--format", "json")
    assert out, err
    assert json.loads(out)["provenance"]["design"] == "by-topic"
