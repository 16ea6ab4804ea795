"""Read in batches or at once: the same scores to the last bit, the same warnings, the same refusals."""

from __future__ import annotations

import gzip
import lzma
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.streams.outcomes import outcome, tiny
from truegain.data import batches as batches_module
from truegain.data.batches import Batches

MEASURES = ["nDCG@3", "RR", "AP", "map", "NumRel", "NumQ", "GMAP", "RelString@4"]
TOPICS = ["1", "2", "10", "11", "101", "é", "q-7", "9", "zz", "A"]
PACKED = {"": bytes, ".gz": lambda data: gzip.compress(data, mtime=0), ".xz": lzma.compress}
SPOILT = [
    b"1 Q0 d1 1\n", b"10 Q0 d1 1 high x\n", b"zz 0 d2 nan\n", b"9 Q0 d3 1 nan x\n", b"1 Q0 \xff 1 2.0 x\n",
    b"2 0 d\x00 1\n",
    b"1 0 d9 1e200\n", b"1 0 d9 inf\n", b"11 0 d1 2e16\n", b"9 0 d4 0.5\n", b"1 0 d1 2\n1 0 d1 1\n",
    b"2 Q0 d1 1 2.0 x\n2 Q0 d1 2 1.0 x\n", b"9 Q0 d7 1 inf x y\n", b"5 Q0 d7 1 3.0 x\n", b"\n", b"# 2 0\n",
    b"a\rb 0 d 1\n",
]  # fmt: skip


def shuffled(lines: list[bytes], how: str, seed: int) -> bytes:
    """Lines in one of the orders in which files come."""
    by_topic = {"bytes": lambda line: line.split()[0], "numbers": lambda line: (len(line.split()[0]), line.split()[0])}
    if how in by_topic:
        lines = sorted(lines, key=by_topic[how])
    else:
        random.Random(seed).shuffle(lines)
    return b"".join(lines)


@st.composite
def studies(draw: st.DrawFn) -> tuple[dict[str, bytes], dict[str, object]]:
    """Judgments and two runs, sorted in some way or not, compressed or not, one of them perhaps with a bad line."""
    seed = draw(st.integers(0, 1 << 20))
    rng = random.Random(seed)
    judged = rng.sample(TOPICS, rng.randint(1, 9))
    pairs = [(topic, doc) for topic in judged for doc in rng.sample(range(9), rng.randint(1, 4))]
    labels = [f"{topic} 0 d{doc} {rng.choice([-1, 0, 1, 2])}\n".encode() for topic, doc in pairs]
    tables = {"qrels": labels}
    for name in ("a.run", "b.run"):
        rows = []
        for topic in rng.sample(TOPICS, rng.randint(1, 9)):
            docs = rng.sample(range(9), rng.randint(1, 5))
            scores = [rng.choice([1, 2, 2.5, 3 + 1e-12, 3]) for _ in docs]
            listed = enumerate(zip(docs, scores, strict=True), 1)
            rows += [f"{topic} Q0 d{doc} {rank} {score} {name[0]}\n".encode() for rank, (doc, score) in listed]
        tables[name] = rows
    files = {}
    for name, rows in tables.items():
        data = shuffled(rows, draw(st.sampled_from(["bytes", "numbers", "not"])), seed)
        files[name] = data
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from(sorted(files)))
        lines = files[name].splitlines(keepends=True)
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(SPOILT)))
        files[name] = b"".join(lines)
    ends = draw(st.lists(st.sampled_from(sorted(PACKED)), min_size=3, max_size=3))
    bare = {}
    for (name, data), end in zip(files.items(), ends, strict=True):
        bare[name + end] = PACKED[end](data.rstrip(b"\n") if draw(st.booleans()) else data)
    options: dict[str, object] = {
        "all_topics": draw(st.booleans()), "no_relevant": draw(st.sampled_from(["zero", "skip"])),
        "trec_eval": draw(st.sampled_from(["9", "10"])), "name_by": draw(st.sampled_from(["file", "tag"])),
        "jobs": draw(st.sampled_from([1, 2])), "ties": draw(st.sampled_from(["descending", "ascending", "input"])),
    }  # fmt: skip
    return bare, options


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(studies(), st.integers(1, 400), st.integers(1, 300), st.sampled_from([0, 1 << 20]))
def test_the_same_in_batches(
    tmp_path_factory: pytest.TempPathFactory, study: tuple[dict[str, bytes], dict[str, object]], part: int, chunk: int,
    stretches: int,
) -> None:  # fmt: skip
    """Guards all that is said: scores, means, warnings and errors do not depend on how much is read at a time."""
    files, options = study
    folder = tmp_path_factory.mktemp("files")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    judgments, *runs = (folder / name for name in files)
    at_once = outcome(runs, judgments, MEASURES, **options)
    with tiny(part, chunk, stretches):
        assert outcome(runs, judgments, MEASURES, memory=1, **options) == at_once


@pytest.mark.parametrize(
    ("judgments", "run", "said"),
    [
        # the ids of a topic come in an order that does not depend on the topics before it
        ("1 0 d3 1\n2 0 d5 1\n2 0 d3 1\n", "2 Q0 d7 1 1.0 x\n", "it has d7, and judged are d3, d5"),
        # a pair that is judged twice is told before ids that do not match
        (
            "1 0 d1 1\n1 0 d1 1\n2 0 d2 1\n",
            "2 Q0 d8 1 2.0 x\n2 Q0 d1 2 1.0 x\n",
            "two labels (1 and 1) for topic 1, document d1",
        ),
    ],
)
def test_refusals_are_alike(tmp_path: Path, judgments: str, run: str, said: str) -> None:
    """Guards what is refused: reading at once and in batches tell of the same fault, in the same words."""
    (tmp_path / "q").write_text(judgments)
    (tmp_path / "r").write_text(run)
    at_once = outcome([tmp_path / "r"], tmp_path / "q", MEASURES)
    assert said in str(at_once[1])
    with tiny(1, 1, 0):
        assert outcome([tmp_path / "r"], tmp_path / "q", MEASURES, memory=1) == at_once


def test_progress_of_batches_adds_up_to_the_runs(tmp_path: Path) -> None:
    """Guards the bar: read in batches, every run is counted once, in several steps."""
    topics = [str(t) for t in range(6)]
    (tmp_path / "q").write_text("".join(f"{t} 0 d1 1\n{t} 0 d2 0\n" for t in topics))
    for name in "abcd":
        (tmp_path / name).write_text("".join(f"{t} Q0 d{i} {i} {3 - i} {name}\n" for t in topics for i in (1, 2)))
    steps: list[int] = []
    with tiny(1, 1, 0):
        tg.evaluate([tmp_path / name for name in "abcd"], tmp_path / "q", "AP", memory=1, progress=steps.append)
    assert (sum(steps), len([n for n in steps if n]) > 1) == (4, True), steps


def test_topics_without_relevant_documents_are_told_at_the_lowest_level(tmp_path: Path) -> None:
    """Guards the warning in batches: measures of several levels count topics without a document at the lowest."""
    best = {"1": 3, "2": 2, "3": 1, "4": 0, "5": 2}
    (tmp_path / "q").write_text("".join(f"{t} 0 a {label}\n{t} 0 b 0\n" for t, label in best.items()))
    (tmp_path / "r").write_text("".join(f"{t} Q0 a 1 2.0 x\n{t} Q0 c 2 1.0 x\n" for t in best))
    measures = ["AP(rel=3)", "RR(rel=2)", "P(rel=1)@2"]
    at_once = outcome([tmp_path / "r"], tmp_path / "q", measures)
    assert "1 of 5 topics has no relevant document" in str(at_once[-1])
    with tiny(1, 1, 0):
        assert outcome([tmp_path / "r"], tmp_path / "q", measures, memory=1) == at_once


def test_only_large_files_are_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the tests above: with little memory there are batches, several of them, and without a limit none."""
    (tmp_path / "q").write_text("".join(f"{t} 0 a 1\n" for t in range(40)))
    (tmp_path / "r").write_text("".join(f"{t} Q0 a 1 1.0 x\n" for t in range(40)))
    made: list[int] = []
    init = Batches.__init__

    def noted(self: Batches, *given: object) -> None:
        init(self, *given)  # type: ignore[arg-type]
        made.append(len(self))

    monkeypatch.setattr(batches_module.Batches, "__init__", noted)
    tg.evaluate(tmp_path / "r", tmp_path / "q", "AP")
    assert made == []
    with tiny():
        tg.evaluate(tmp_path / "r", tmp_path / "q", "AP", memory="1KB")
    assert len(made) == 1
    assert made[0] > 5
