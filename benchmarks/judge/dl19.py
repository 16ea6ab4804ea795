"""DL19: verdicts on all pairs of systems, beside NIST's."""

from __future__ import annotations

import itertools
import tarfile
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import truegain as tg
from benchmarks.judge.draws import Array
from benchmarks.judge.labels import Labels, read_wide
from benchmarks.rectified import by_pairs, by_topics, verdicts
from truegain.data.alignment import align
from truegain.data.pool import Pool, RankedGains
from truegain.errors import TruegainError, needs
from truegain.judge_error.pair_estimators import SampledPairs, strata_of
from truegain.measures.base import Measure
from truegain.measures.label_weights import linear_parts
from truegain.results.base import Table
from truegain.sampling.catalogue import DESIGNS

DL19_JUDGES = (
    "gpt-4o_umbrela",
    "gpt-4_umbrela",
    "llama3.2_umbrela",
    "flant5_Thomas",
    "trema_dl2019-test-4prompts-llama70b",
)


def dl19(path: Path, draws: int, seed: int) -> list[Table]:
    """For all pairs of systems: whether each method's verdict is NIST's, and how often its sign is wrong."""
    labels = read_wide(path)
    ranked = aligned(labels, path.parents[1] / "dl19_runs" / "dl19_runs_top100_judgedtopics.tar.xz")
    order = np.argsort(ranked.pool.row_item)
    tables = []
    for text in ("P(rel=2)@10", "nDCG@10"):
        measure = tg.parse_measure(text)
        nist = measure.score(ranked)
        verdicts = _paired(nist)
        rows: list[tuple[Any, ...]] = []
        for judge in DL19_JUDGES:
            bronze = np.nan_to_num(labels.judges[judge][order], nan=0.0)
            counts = _verdicts_of_judge(ranked, measure, bronze, nist, draws, seed)
            rows += [(judge, method, *_agreement(said, verdicts)) for method, said in counts.items()]
        head = ("judge", "method", "verdict as NIST's", "wrong sign", "significant", "NIST finds none", "no answer")
        share = float(np.mean(verdicts != 0))
        note = (
            f"{len(verdicts)} pairs of {len(ranked.systems)} systems, {len(ranked.topics)} topics, {draws} draws of "
            f"gold; NIST's verdict is the paired t-test on all its labels at 0.05 (significant for {share:.3f} of the "
            "pairs). wrong sign: significant, and the opposite of NIST's significant verdict; NIST finds none: "
            "significant where NIST's is not.",
        )
        tables.append(Table(head, rows, title=f"DL19, {text}: verdicts on all pairs of systems", notes=note))
    return tables


def aligned(labels: Labels, runs: Path) -> RankedGains:
    """The runs of an archive in line with NIST's labels."""
    if not runs.exists():
        raise TruegainError(f"{runs.name} is not below {runs.parents[1]}; give its folder with --data")
    table: dict[str, dict[str, float]] = {t: {} for t in labels.topics}
    for t, doc, label in zip(labels.topic, labels.docs, labels.nist, strict=True):
        table[labels.topics[t]][doc] = float(label)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        with tarfile.open(runs) as archive:
            archive.extractall(folder, filter="data")
        parts = tg.read_runs(folder).parts
        ranked, _ = align(Pool.of(tg.Judgments.of(table)), [lambda: parts])
    return ranked


def _paired(scores: Array) -> npt.NDArray[np.int64]:
    """Verdict of the paired t-test for each pair of systems: sign where significant, else 0; NIST's order kept too."""
    special = needs("scipy.special", "inference")
    first, second = np.triu_indices(len(scores), 1)
    d = scores[second] - scores[first]
    d = np.where(np.isnan(d), 0.0, d)
    n = d.shape[1]
    se = d.std(axis=1, ddof=1) / np.sqrt(n)
    t = np.divide(d.mean(axis=1), se, out=np.zeros(len(d)), where=se > 0)
    return np.where(2 * special.stdtr(n - 1, -np.abs(t)) < 0.05, np.sign(d.mean(axis=1)), 0).astype(np.int64)


def _agreement(said: npt.NDArray[np.float64], nist: npt.NDArray[np.int64]) -> tuple[float, float, float, float, float]:
    """Shares over pairs and draws; NaN is no answer."""
    told = ~np.isnan(said)
    truth = np.broadcast_to(nist, said.shape)[told]
    verdict = said[told]
    wrong = float(np.mean(verdict * truth < 0))
    found = float(np.mean((verdict != 0) & (truth == 0)))
    return float(np.mean(verdict == truth)), wrong, float(np.mean(verdict != 0)), found, float(np.mean(~told))


def _verdicts_of_judge(
    ranked: RankedGains, measure: Measure, bronze: Array, nist: Array, draws: int, seed: int
) -> dict[str, Array]:
    """Verdicts by method, draw and pair of systems."""
    f = measure.score(ranked.with_gains(bronze))
    said: dict[str, list[Array]] = defaultdict(list)
    for child in np.random.SeedSequence(seed).spawn(draws):
        rng = np.random.default_rng(child)
        said["uncorrected"].append(_paired(f).astype(np.float64))
        for share in (0.25, 0.5):
            gold = np.zeros(len(ranked.topics), np.bool_)
            gold[rng.choice(len(gold), round(share * len(gold)), replace=False)] = True
            some = np.where(gold, nist, np.nan)
            said[f"gold only, {share:.0%} of topics"].append(_paired(nist[:, gold]).astype(np.float64))
            said[f"rectified, {share:.0%} of topics"].append(verdicts(by_topics(f, some, (0.0, 1.0))))
        if measure.linear_in_gains:
            for share in (0.1, 0.3):
                drawn = rng.random(len(bronze)) < share
                for name, verdict in _by_pairs(ranked, measure, bronze, drawn, f).items():
                    said[f"{name}, {share:.0%} of pairs"].append(verdict)
    return {m: np.array(v) for m, v in said.items()}


def _by_pairs(
    ranked: RankedGains, measure: Measure, bronze: Array, drawn: npt.NDArray[np.bool_], f: Array
) -> dict[str, Array]:
    nist = ranked.item_gain
    parts = linear_parts(measure, np.concatenate([nist, bronze]), int(ranked.rank.max()))
    coefficient, g = parts.coefficients(ranked), parts.worth(nist)
    pairs = SampledPairs(
        ranked.pool.topic.astype(np.int64),
        strata_of(bronze, drawn),
        parts.worth(bronze),
        np.where(drawn, g, np.nan),
        DESIGNS["random"].expansion(np.zeros(len(bronze), np.int32), bronze, drawn),
        len(ranked.topics),
    )
    return {"rectified": verdicts(by_pairs(pairs, *coefficient)), "matrix, one gold sample": _shared_gold(pairs, f)}


def _shared_gold(pairs: SampledPairs, f: Array) -> Array:
    """Verdicts of d = (jb - ja) / D with Var d = Var(jb - ja) / D^2 + d^2 (VR + VN) / D^2, rates over topics."""
    special = needs("scipy.special", "inference")
    s = pairs.sampled
    gold, bronze, topic = pairs.gold[s] > 0, pairs.bronze[s] > 0, pairs.topic[s]
    d_hat, v_d = -1.0, 0.0
    for true in (gold, ~gold):
        right = (gold == bronze)[true]
        moves = np.bincount(topic[true], right - right.mean(), pairs.topics) / true.sum()
        d_hat, v_d = d_hat + float(right.mean()), v_d + float(moves @ moves) * pairs.topics / (pairs.topics - 1)
    if d_hat <= 1.96 * np.sqrt(v_d):
        return np.full(len(f) * (len(f) - 1) // 2, np.nan)
    out = []
    for a, c in itertools.combinations(range(len(f)), 2):
        d = np.nan_to_num(f[c] - f[a])
        value = d.mean() / d_hat
        se = np.sqrt(d.var(ddof=1) / len(d) + value**2 * v_d) / d_hat
        p = 2 * special.stdtr(len(d) - 1, -abs(value) / se) if se > 0 else 1.0
        out.append(float(np.sign(value)) if p < 0.05 else 0.0)
    return np.array(out)
