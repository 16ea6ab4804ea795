"""Split halves: the split itself, the table, and the paper's finding on real runs."""

from __future__ import annotations

import gzip
import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from truegain.experiments.halves import Sides, SplitHalf, split_half, split_topics
from truegain.experiments.worlds import simulate
from truegain.io.columns import Ids
from truegain.results.base import Table


def test_a_document_is_always_on_the_same_side() -> None:
    """Guards the split: the lowest bit of the MD5 of the id, as anyone can compute it."""
    docs = [f"FT921-{i}" for i in range(200)]
    sides = Sides().of(Ids.of(docs + docs[::-1]))
    expected = [int(hashlib.md5(d.encode()).hexdigest(), 16) % 2 == 0 for d in docs]
    assert sides.tolist() == expected + expected[::-1]
    assert 70 < sum(expected) < 130


@pytest.fixture(scope="module")
def halves() -> SplitHalf:
    """A simulated evaluation, split."""
    world = simulate(topics=60, systems=6, docs=400, depth=200, pool_depth=80, seed=3)
    return split_half(world.runs, world.gold, replicates=400, seed=1)


@pytest.mark.slow
def test_simulated_collections_behave_as_the_model_says(halves: SplitHalf) -> None:
    """Guards the whole experiment where the model is true: near 83.5% inside, as often below as above."""
    below, inside, above, n = halves.shares("logit", True, 0, False)
    assert n > 300
    assert 0.78 < inside < 0.89
    assert abs(below - above) < 0.06
    z = halves.normalized()
    assert 0.8 < z.std() < 1.25
    assert abs(np.median(z)) < 0.25


def test_the_table_is_the_papers(halves: SplitHalf) -> None:
    """Guards the print: every method with and without small-R limits, both directions, all and R > 5, and the model."""
    table = halves.table()
    assert table.columns == ("method", "lists", "direction", "below %", "inside %", "above %", "n")
    assert len(table.rows) == 4 * 2 * 2 * 2 + 1
    assert table.rows[-1][:3] == ("model", "", "")
    assert table.rows[-1][4] == pytest.approx(83.42, abs=0.01)
    for row in table.rows:
        assert sum(float(x or 0) for x in row[3:6]) == pytest.approx(100, abs=0.02)


def test_split_topics_on_a_simulated_world() -> None:
    """Guards the same question over topics."""
    world = simulate(topics=40, systems=4, docs=150, depth=50, pool_depth=20, seed=2)
    table = split_topics(world.runs, world.gold, "nDCG@10", seed=1)
    assert isinstance(table, Table)
    inside = {row[0]: float(row[2] or 0) for row in table.rows}
    assert 75 < inside["t"] < 92
    with pytest.raises(tg.TruegainError, match="cannot be split"):
        split_topics({"1": {"a": 1.0}}, {"1": {"a": 1}}, "AP")


@pytest.mark.slow
def test_the_paper_holds_on_the_trec8_runs(shared_data: Path, unpacked: Callable[[Path], Path], tmp_path: Path) -> None:
    """Guards the published finding on all 129 TREC-8 runs: logit with small-R limits holds, linear is biased."""
    folder = shared_data / "trec8_adhoc"
    (tmp_path / "qrels").write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
    runs = sorted(str(p) for p in unpacked(folder / "inputs_129runs.tar.xz").rglob("input.*"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        halves = split_half(runs, tmp_path / "qrels", replicates=300, jobs=2)
    for half in (0, 1):
        below, inside, above, n = halves.shares("logit", True, half, False)
        assert n > 6000
        assert 0.81 <= inside <= 0.86
        assert abs(below - above) <= 0.03
        below, _, above, _ = halves.shares("linear", True, half, False)
        assert above - below > 0.05
