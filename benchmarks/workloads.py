"""TREC files to time contestants on: made from a seed, kept, and made anew only when their parameters change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.racing.contest import kept

FOLDER = Path(__file__).parent / "work"
COLLECTION = 528_155  # documents on TREC disks 4 and 5 without the Congressional Record
PASSAGES = 8_841_823  # passages of MS MARCO
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AdHoc:
    """Many systems on few topics with deep pools, as in a TREC ad hoc track.

    Of `systems` simulated systems the first `written` are written; all of them fill the pool.
    """

    systems: int
    written: int
    topics: int = 50
    depth: int = 1000
    candidates: int = 12000  # documents per topic that some system may find
    relevant: int = 145
    judged: int = 1730
    seed: int = 8
    version: int = 1


@dataclass(frozen=True)
class Passages:
    """One system on many topics with one or two judgments each, as in the MS MARCO development set."""

    topics: int = 6980
    depth: int = 1000
    seed: int = 9
    version: int = 1


WORKLOADS: dict[str, AdHoc | Passages] = {
    "small": AdHoc(systems=24, written=1),
    "large": AdHoc(systems=129, written=129),
    "topics": Passages(),
}


def make(name: str, folder: Path = FOLDER) -> Path:
    """The folder of a workload: qrels.txt, runs/*.txt and made.json; made now unless it is there already."""
    return write(WORKLOADS[name], folder / name)


def write(wanted: AdHoc | Passages, place: Path) -> Path:
    """The same for any parameters, at any place."""

    def written(at: Path) -> dict[str, int]:
        (at / "runs").mkdir()
        return _ad_hoc(wanted, at) if isinstance(wanted, AdHoc) else _passages(wanted, at)

    return kept(place, asdict(wanted), written)


# ---------------------------------------------------------------------- many systems, few topics


def _ad_hoc(wanted: AdHoc, place: Path) -> dict[str, int]:
    rng = np.random.default_rng(wanted.seed)
    ids = _newspaper_ids(rng)
    docs = np.stack([rng.choice(len(ids), wanted.candidates, replace=False) for _ in range(wanted.topics)])
    grade = _grades(rng, wanted)
    # what every system can see of a document: its relevance, its length, its words
    common = rng.standard_normal(grade.shape) + np.array([0.0, 1.8, 2.5])[grade]
    seen = np.zeros(grade.shape, np.int64)
    skill = rng.uniform(0.5, 1.2, wanted.systems)
    topics = [str(401 + t) for t in range(wanted.topics)]
    for system in range(wanted.systems):
        belief = skill[system] * common + rng.standard_normal(grade.shape)
        best = _best(belief, wanted.depth)
        np.put_along_axis(seen, best[:, :100], np.take_along_axis(seen, best[:, :100], 1) + 1, 1)
        if system < wanted.written:
            found = np.take_along_axis(docs, best, 1)
            name = f"sys{system + 1:03d}"
            _write_run(place / "runs" / f"{name}.txt", topics, ids, found, _scores(rng, found.shape), name)
    return {
        "lines": wanted.written * wanted.topics * wanted.depth,
        "runs": wanted.written,
        **_write_pool(rng, wanted, place, topics, ids, docs, grade, seen),
    }


def _grades(rng: np.random.Generator, wanted: AdHoc) -> Ints:
    """A grade for each candidate: few topics have very many relevant documents, most have some dozens."""
    grade = np.zeros((wanted.topics, wanted.candidates), np.int64)
    for topic in range(wanted.topics):
        relevant = int(np.clip(rng.lognormal(np.log(wanted.relevant) - 0.32, 0.8), 6, 500))
        grade[topic, :relevant] = rng.choice([1, 2], relevant, p=[0.75, 0.25])
    return grade


def _best(belief: Floats, depth: int) -> Ints:
    """Columns of the highest values of each row, best first."""
    top = np.argpartition(-belief, depth, axis=1)[:, :depth]
    order = np.argsort(-np.take_along_axis(belief, top, 1), axis=1)
    return np.take_along_axis(top, order, 1)


def _write_pool(
    rng: np.random.Generator,
    wanted: AdHoc,
    place: Path,
    topics: list[str],
    ids: pl.Series,
    docs: Ints,
    grade: Ints,
    seen: Ints,
) -> dict[str, int]:
    """Judge the documents that most systems have among their first 100; the rest stays unjudged."""
    rows = []
    for t in range(wanted.topics):
        pool = int(np.clip(rng.normal(wanted.judged, 350), 900, 2900))
        chosen = np.argsort(-(seen[t] + rng.random(wanted.candidates)))[:pool]
        rng.shuffle(chosen)
        rows.append((np.full(len(chosen), t), docs[t, chosen], grade[t, chosen]))
    topic, doc, label = (np.concatenate(column) for column in zip(*rows, strict=True))
    _write_qrels(place / "qrels.txt", pl.Series(topics).gather(topic), ids.gather(doc), label)
    return {"judgments": len(label), "relevant": int((label > 0).sum())}


def _newspaper_ids(rng: np.random.Generator) -> pl.Series:
    """Ids as on TREC disks 4 and 5: FT921-15860, LA010189-0001, FBIS3-20472, FR940104-0-00012."""
    year, month, day = (
        rng.integers(91, 95, COLLECTION),
        rng.integers(1, 13, COLLECTION),
        rng.integers(1, 29, COLLECTION),
    )
    number, part = np.arange(COLLECTION), rng.integers(1, 5, COLLECTION)
    forms: list[Callable[[int], str]] = [
        lambda i: f"FT{year[i]}{part[i]}-{number[i] % 20000}",
        lambda i: f"LA{month[i]:02d}{day[i]:02d}{89 + part[i] % 2}-{number[i] % 10000:04d}",
        lambda i: f"FBIS{3 + part[i] % 2}-{number[i] % 70000}",
        lambda i: f"FR{year[i]}{month[i]:02d}{day[i]:02d}-{part[i] % 3}-{number[i] % 100000:05d}",
    ]
    form = rng.choice(len(forms), COLLECTION, p=[0.4, 0.25, 0.25, 0.1])
    return pl.Series([forms[f](i) for i, f in enumerate(form.tolist())]).unique(maintain_order=True)


# ---------------------------------------------------------------------- one system, many topics


def _passages(wanted: Passages, place: Path) -> dict[str, int]:
    rng = np.random.default_rng(wanted.seed)
    shape = (wanted.topics, wanted.depth)
    # distinct within a row: sorted draws, spread by their position, then shuffled
    docs = np.sort(rng.integers(0, PASSAGES - wanted.depth, shape), axis=1) + np.arange(wanted.depth)
    docs = rng.permuted(docs, axis=1)
    topics = np.sort(rng.choice(1_102_400, wanted.topics, replace=False)) + 1
    rng.shuffle(topics)
    place_of = np.minimum(rng.geometric(0.04, shape[:1]), wanted.depth) - 1
    found = rng.random(wanted.topics) < 0.86
    good = np.where(found, docs[np.arange(wanted.topics), place_of], PASSAGES + np.arange(wanted.topics))
    second = np.flatnonzero(rng.random(wanted.topics) < 0.065)
    judged_topic = np.concatenate([topics, topics[second]])
    judged_doc = np.concatenate([good, 2 * PASSAGES + second])
    order = np.argsort(judged_topic, kind="stable")
    ones = np.ones(len(order), np.int64)
    _write_qrels(place / "qrels.txt", pl.Series(judged_topic[order]), pl.Series(judged_doc[order]), ones)
    _write_run(place / "runs" / "sys001.txt", topics.tolist(), None, docs, _scores(rng, shape), "sys001")
    return {"lines": docs.size, "runs": 1, "judgments": len(order), "relevant": len(order)}


# ---------------------------------------------------------------------- lines


def _scores(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Descending scores without ties, not even as float32: tools break ties differently, which is not the subject."""
    steps = 0.001 + rng.exponential(0.009, shape)
    return 2 + rng.uniform(0, 2, (shape[0], 1)) + np.cumsum(steps, axis=1)[:, ::-1]


def _write_run(
    path: Path, topics: list[str] | list[int], ids: pl.Series | None, docs: Ints, scores: Floats, tag: str
) -> None:
    """Lines `topic Q0 document rank score tag`; the file tells how many decimals its scores have, 4 to 6."""
    count, depth = docs.shape
    flat = docs.ravel()
    pl.DataFrame(
        {
            "topic": pl.Series(topics).gather(np.repeat(np.arange(count), depth)),
            "q0": pl.repeat("Q0", count * depth, eager=True),
            "doc": pl.Series(flat) if ids is None else ids.gather(flat),
            "rank": np.tile(np.arange(1, depth + 1), count),
            "score": scores.ravel(),
            "tag": pl.repeat(tag, count * depth, eager=True),
        }
    ).write_csv(path, include_header=False, separator=" ", float_precision=4 + int(flat[0]) % 3)


def _write_qrels(path: Path, topic: pl.Series, doc: pl.Series, label: Ints) -> None:
    """Lines `topic 0 document label`."""
    columns = {"topic": topic, "zero": np.zeros(len(label), np.int64), "doc": doc, "label": label}
    pl.DataFrame(columns).write_csv(path, include_header=False, separator=" ")
