"""`python -m benchmarks.spending next`: what to judge next, replayed on judgments that exist.

TREC-8 (12 of 60 runs a draw, and 129 for the clock), DL19 with its 37 runs, and DL20 and LLMJudge, which have labels
and no runs here, with rankings drawn from noisy labels.  tau is Kendall's with the order by all judgments.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import truegain as tg
from benchmarks.study.real import DATA, dl19, rankings, without_runs
from truegain.config import Scoring
from truegain.data.pool import Pool
from truegain.data.runs import Runs
from truegain.io.columns import Bools, Coded, Floats, Ints
from truegain.measures.base import Measure, mean_of_rows
from truegain.measures.catalogue import parse_measure
from truegain.pooling.next_to_judge import LEAST, SCHEDULE, SURE, OpenRanking, next_to_judge, sign_is_certain
from truegain.pooling.prediction import Prediction
from truegain.stats.rank_correlation import kendall_tau
from truegain.text.corpus import Corpus

COUNTS = (2, 4, 8, 16, 32)


@dataclass(frozen=True, eq=False)
class Replay:
    """Runs whose documents all have labels, hidden until they are judged."""

    runs: Runs
    measure: Measure
    made: Prediction  # with nothing judged
    truth: Floats  # per item; 0 where the judgments lack it
    means: Floats  # by all judgments

    @classmethod
    def of(cls, runs: Runs, qrels: tg.Judgments, measure: str, **more: object) -> Replay:
        """Hide the judgments of all documents."""
        asked = parse_measure(measure)
        full = tg.evaluate(runs, qrels, measure)
        made = Prediction.of(runs, None, asked, Scoring(), **more)  # type: ignore[arg-type]
        pool, ranked = Pool.of(qrels), made.filled.ranked
        at = pool.find(Coded(ranked.topics, ranked.pool.topic), ranked.pool.docs)
        truth = np.where(at >= 0, pool.labels[np.maximum(at, 0)], 0.0)
        return cls(runs, asked, made, np.maximum(truth, 0.0), mean_of_rows(full.matrix()))

    @property
    def topic(self) -> Ints:
        """Of each item."""
        return self.made.predictor.votes.topic

    def standing(self, judged: Bools) -> OpenRanking:
        """What an order is made of, with the labels of some items."""
        return OpenRanking.of(self.made.relabeled(np.where(judged, self.truth, np.nan)), self.measure)

    def tau(self, judged: Bools, predicted: bool = True) -> float:
        """With the order by all judgments; unjudged by prediction, or as 0."""
        if predicted:
            return kendall_tau(self.means, self.standing(judged).means, "b")
        ranked = self.made.filled.ranked.with_gains(np.where(judged, self.truth, 0.0))
        return kendall_tau(self.means, mean_of_rows(self.measure.score(ranked)), "b")

    def rounds(self, judged: Bools, order: str, rounds: int, seen: Callable[[int, Bools], None]) -> None:
        """Judge one a topic a round, refitting as the schedule says."""
        rng, best, at = np.random.default_rng(7), self.made.predictor.votes.best, 0
        perm = rng.permutation(len(judged))
        while True:
            seen(at, judged)
            if at >= rounds:
                return
            step = next(r for below, r in SCHEDULE if at < below) if order == "phi" else 1
            if order == "phi":
                found = self.standing(judged).for_many()
                rows = found.rows[found.round <= step]
            else:
                key = best if order == "depth" else np.zeros(len(judged), np.int64)
                open_ = np.flatnonzero(~judged & (np.diff(self.standing(judged).move.indptr) > 0))
                rows = open_[np.lexsort((perm[open_], key[open_], self.topic[open_]))]
                rows = rows[np.concatenate([[True], np.diff(self.topic[rows]) != 0])]
            judged = judged.copy()
            judged[rows] = True
            at += step

    def certain(self, pair: tuple[str, str], judged: Bools, rng: np.random.Generator | None) -> int:
        """Judgments until the sign is certain: in our order, or drawn from what differs."""
        spent, judged = 0, judged.copy()
        drawn = None
        while True:
            standing = self.standing(judged)
            if self.settled(pair, standing):
                return spent
            order = standing.for_pair(pair, "certain").rows
            if not len(order):
                return spent
            if rng is not None:
                drawn = rng.permutation(order) if drawn is None else drawn[~judged[drawn]]
                order = drawn
            step = 25 if spent < 200 else 5
            judged[order[:step]] = True
            spent += len(order[:step])

    def settled(self, pair: tuple[str, str], standing: OpenRanking) -> bool:
        """Whether the sign is certain."""
        if not self.measure.linear_in_gains:
            return sign_is_certain(pair, self.runs, standing, self.measure, Scoring())
        s, hole = standing.apart(pair), standing.made.filled.unjudged
        known = float((s * standing.mean)[~hole].sum())
        top = standing.worth[-1]
        low, high = known + top * np.minimum(s, 0)[hole].sum(), known + top * np.maximum(s, 0)[hole].sum()
        return bool(low > 1e-12 or high < -1e-12)

    def sure(self, pair: tuple[str, str], judged: Bools) -> tuple[int, bool]:
        """Judgments until 95% sure, and whether the sign is right."""
        spent, judged = 0, judged.copy()
        a, b = (self.made.filled.ranked.systems.index(name) for name in pair)
        while True:
            standing = self.standing(judged)
            d = float(standing.means[a] - standing.means[b])
            order = standing.for_pair(pair, "sure")
            if not len(order.rows) or (spent >= LEAST and standing.sure(pair) >= SURE):
                true = self.means[a] - self.means[b]
                return spent, bool(np.sign(d) == np.sign(true) or abs(true) < 1e-12)
            judged[order.rows[: order.usual]] = True
            spent += len(order.rows[: order.usual])


def next_table(args: argparse.Namespace) -> None:
    """Print all tables; `args` has draws (at most 20 are made) and seed."""
    warnings.simplefilter("ignore")
    draws = min(args.draws, 20)
    runs, qrels = trec8()
    sixty = Runs(tuple(sorted(runs.parts, key=lambda part: part.system)[::2][:60]))
    seeded(sixty, qrels, draws, args.seed)
    from_nothing(sixty, qrels, draws, args.seed)
    told = dl()
    print("\nFrom nothing, tau at 2, 4, 8, 16 a topic; drawn rankings: mean of 5 drawings")
    for name, replays in told.items():
        zero = np.mean([along(r, "depth", 16, False) for r in replays["votes"]], axis=0)
        print(f"| {name}, {replays['votes'][0].measure}, by depth, unjudged as 0 | {_row(zero.tolist())} |", flush=True)
        for what, several in replays.items():
            mean = np.mean([along(r, "phi", 16) for r in several], axis=0)
            print(f"| {name}, {several[0].measure}, phi, {what} | {_row(mean.tolist())} |", flush=True)
    pairs_of("TREC-8", lambda rng: some(sixty, qrels, rng, "P@10"), args.seed, seeds=True)
    pairs_of("TREC-8", lambda rng: some(sixty, qrels, rng, "nDCG@10"), args.seed, seeds=True, sure=0)
    for name, replays in told.items():
        pairs_of(name, lambda g, r=replays: r["votes"][g.integers(len(r["votes"]))], args.seed, seeds=False)  # type: ignore[misc]
    start = time.perf_counter()
    few = {t: {d: int(rel) for d, rel in list(row.items())[:4]} for t, row in labels_of(qrels).items()}
    next_to_judge(runs, few, "nDCG@10", jobs=1)
    print(f"\nA round for {len(runs.parts)} runs: {time.perf_counter() - start:.1f} s after reading, one thread")


def some(runs: Runs, qrels: tg.Judgments, rng: np.random.Generator, measure: str) -> Replay:
    """Twelve of the runs."""
    at = np.sort(rng.choice(len(runs.parts), 12, replace=False))
    return Replay.of(Runs(tuple(runs.parts[i] for i in at)), qrels, measure)


def seeded(runs: Runs, qrels: tg.Judgments, draws: int, seed: int) -> None:
    """The first table: top-1s judged, then 0, 200, 400, 800 more."""
    print(f"TREC-8, 12 of 60 runs, first documents judged, P@10, {draws} draws: tau after 0, 200, 400, 800 more")
    found: dict[str, list[list[float]]] = {}
    for n in range(draws):
        replay = some(runs, qrels, np.random.default_rng([seed, n]), "P@10")
        first = replay.made.predictor.votes.best == 1
        for order in ("random", "depth", "phi"):
            zero: list[float] = []
            filled: list[float] = []

            def seen(at: int, judged: Bools, replay=replay, zero=zero, filled=filled) -> None:  # type: ignore[no-untyped-def]
                if at in (0, 4, 8, 16):
                    zero.append(replay.tau(judged, False))
                    filled.append(replay.tau(judged))

            replay.rounds(first, order, 16, seen)
            found.setdefault(f"{order}, unjudged as 0", []).append(zero)
            found.setdefault(f"{order}, predicted", []).append(filled)
    for name, rows in found.items():
        print(f"| {name} | {_row(np.mean(rows, axis=0).tolist())} |", flush=True)


def from_nothing(runs: Runs, qrels: tg.Judgments, draws: int, seed: int) -> None:
    """The second table: nothing judged, 2 to 32 a topic."""
    print(f"\nTREC-8, 12 of 60 runs, from nothing, predicted, {draws} draws: tau at 2, 4, 8, 16, 32 a topic")
    for measure in ("P@10", "nDCG@10", "AP"):
        for order in ("depth", "phi"):
            rows = []
            for n in range(draws if measure != "AP" else min(draws, 5)):
                replay = some(runs, qrels, np.random.default_rng([seed, n]), measure)
                rows.append(along(replay, order, 32))
            print(f"| {measure}, {order} | {_row(np.mean(rows, axis=0).tolist())} |", flush=True)


def along(replay: Replay, order: str, most: int, predicted: bool = True) -> list[float]:
    """Tau at 2, 4, 8 ... a topic."""
    out: list[float] = []

    def seen(at: int, judged: Bools) -> None:
        if at in COUNTS:
            out.append(replay.tau(judged, predicted))

    replay.rounds(np.zeros(len(replay.truth), np.bool_), order, most, seen)
    return out


def pairs_of(
    name: str, made: Callable[[np.random.Generator], Replay], seed: int, *, seeds: bool, sure: int = 60
) -> None:
    """Judgments for one pair: until the sign is certain, and until 95% sure."""
    ours, drawn, spent, right, near = [], [], [], [], []
    for n in range(max(12, sure)):
        rng = np.random.default_rng([seed, n, 3])
        replay = made(rng)
        a, b = rng.choice(len(replay.means), 2, replace=False).tolist()
        pair = replay.made.filled.ranked.systems[a], replay.made.filled.ranked.systems[b]
        judged = replay.made.predictor.votes.best == 1 if seeds else np.zeros(len(replay.truth), np.bool_)
        if n < 12:
            ours.append(replay.certain(pair, judged, None))
            drawn.append(replay.certain(pair, judged, rng))
        if n < sure:
            one = replay.sure(pair, judged)
            spent.append(one[0])
            right.append(one[1])
            if abs(replay.means[a] - replay.means[b]) < 0.03:
                near.append(one[1])
    before = ", first documents judged before" if seeds else ""
    print(
        f"\n{name}, {replay.measure}: sign certain after {np.mean(ours):.0f} judgments (drawn from what differs "
        f"{np.mean(drawn):.0f}), {len(ours)} pairs{before}"
    )
    if sure:
        close = f", {np.mean(near):.2f} of {len(near)} closer than .03" if near else ""
        print(
            f"{name}, {replay.measure}: 95% sure after {np.mean(spent):.0f}, right in {sum(right)} of {sure}{close}",
            flush=True,
        )


def dl() -> dict[str, dict[str, list[Replay]]]:
    """DL19 with its runs, DL20 and LLMJudge with drawn rankings, by what predicts."""
    out: dict[str, dict[str, list[Replay]]] = {}
    for real in (dl19(), without_runs("dl20"), without_runs("llmjudge")):
        best = real.judges()[0][0]
        qrels, llm = tg.Judgments.of(real.labels["nist"]), tg.Judgments.of(real.labels[best])
        further: dict[str, dict[str, object]] = {"votes": {}, "votes, LLM": {"llm": llm}}
        path = DATA / "dl_llm_judges" / f"{real.name}_passages.tsv.xz"
        if path.exists():
            lines = lzma.decompress(path.read_bytes()).decode().split("\n")
            texts = Corpus.of(dict(line.split("\t", 1) for line in lines if "\t" in line))
            further |= {"votes, text": {"corpus": texts}, "votes, text, LLM": {"corpus": texts, "llm": llm}}
        for seed in range(1 if real.runs else 5):
            runs = Runs.of(real.runs or rankings(real, best, seed))
            for what, more in further.items():
                made = Replay.of(runs, qrels, "P(rel=2)@10", **more)
                out.setdefault(real.name, {}).setdefault(what, []).append(made)
    return out


def trec8() -> tuple[Runs, tg.Judgments]:
    """All runs and judgments of TREC-8 ad hoc."""
    folder = DATA / "trec8_adhoc"
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(folder / "inputs_129runs.tar.xz") as archive:
            archive.extractall(place, filter="data")
        runs = tg.read_runs(sorted(str(p) for p in Path(place).rglob("input.*") if p.is_file()))
        (Path(place) / "qrels").write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
        return runs, tg.read_judgments(Path(place) / "qrels")


def labels_of(qrels: tg.Judgments) -> dict[str, dict[str, float]]:
    """As dicts."""
    out: dict[str, dict[str, float]] = {}
    for topic, doc, label in zip(qrels.topic.strings(), qrels.docs.strings(), qrels.label.tolist(), strict=True):
        out.setdefault(topic, {})[doc] = label
    return out


def _row(values: list[float]) -> str:
    return " | ".join(f"{v:.2f}" for v in values)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="python -m benchmarks.spending.next", description=__doc__)
    asked.add_argument("--draws", type=int, default=20)
    asked.add_argument("--seed", type=int, default=1)
    next_table(asked.parse_args())
