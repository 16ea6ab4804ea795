"""Real labels: most of NIST's are hidden, the cheap judge is corrected with the rest, and NIST says what is true."""

from __future__ import annotations

import csv
import gzip
import itertools
import lzma
import tarfile
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import truegain as tg
from benchmarks.judge_draws import Array, Interval, Tally
from truegain.errors import TruegainError, needs
from truegain.gains.pairs import Pairs
from truegain.gains.rectify import Rectified, rectify_topics
from truegain.gains.rectify_pairs import SampledPairs, expansion_of, rectify_pairs, strata_of
from truegain.inference.judges.judge import Judge
from truegain.measures.base import Measure
from truegain.measures.linear import linear_parts
from truegain.tables.align import align
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains
from truegain.tables.table import Table

LEVEL = 2  # NIST's smallest relevant label for passages
GOLD_TOPICS = 10
METHODS = (
    "rectified",
    "rectified, all topics",
    "matrix",
    "matrix, iid",
    "gold only",
    "gold only, all topics",
    "uncorrected",
)
DL19_JUDGES = (
    "gpt-4o_umbrela",
    "gpt-4_umbrela",
    "llama3.2_umbrela",
    "flant5_Thomas",
    "trema_dl2019-test-4prompts-llama70b",
)


def tables(what: str, data: Path, draws: int | None, seed: int) -> list[Table]:
    """The tables of one data set; a TruegainError where it is not there."""
    run: dict[str, tuple[Callable[[Path, int, int], list[Table]], str, int]] = {
        "llmjudge": (llmjudge, "llmjudge/test_labels_wide.csv.gz", 300),
        "dl19": (dl19, "dl_llm_judges/dl19_labels_wide.csv.xz", 3),
        "crowd": (crowd, "trec_rf10_crowd/trec-rf10-data.txt.xz", 400),
    }
    function, file, usual = run[what]
    if not (data / file).exists():
        raise TruegainError(f"{file} is not below {data}; give its folder with --data")
    return function(data / file, draws or usual, seed)


@dataclass(frozen=True, eq=False)
class Labels:
    """Topic number and NIST's label of each pair, and what each judge says."""

    topic: npt.NDArray[np.int64]
    topics: tuple[str, ...]
    docs: tuple[str, ...]
    nist: Array
    judges: dict[str, Array]


def read_wide(path: Path) -> Labels:
    """A file with columns topic, doc, nist and one for each judge; blank is a pair the judge skipped (NaN)."""
    whole = path.read_bytes()
    text = (gzip.decompress(whole) if path.suffix == ".gz" else lzma.decompress(whole)).decode()
    head, *rows = csv.reader(text.splitlines())
    topics = tuple(sorted({r[0] for r in rows}, key=str.encode))
    number = {t: i for i, t in enumerate(topics)}
    rows.sort(key=lambda r: number[r[0]])
    columns = {n: np.array([float(r[i] or "nan") for r in rows]) for i, n in enumerate(head) if i > 1}
    nist = columns.pop("nist")
    return Labels(np.array([number[r[0]] for r in rows]), topics, tuple(r[1] for r in rows), nist, columns)


# ---------------------------------------------------------------------- LLMJudge: gold and bronze from disjoint topics


def llmjudge(path: Path, draws: int, seed: int) -> list[Table]:
    """The share of relevant passages a topic, mean over 15 topics, corrected with 10 others."""
    labels = read_wide(path)
    true = (labels.nist >= LEVEL).astype(np.float64)
    rows, summary = [], defaultdict(list)
    for name, said in labels.judges.items():
        bronze = (said >= LEVEL).astype(np.float64)
        tallies = _splits(labels, true, bronze, draws, seed)
        d = float(bronze[true == 1].mean() - bronze[true == 0].mean())
        for method, tally in tallies.items():
            summary[method].append((d, tally))
        cells = [c for t in tallies.values() for c in (t.coverage, _median(t.widths))]
        rows.append((d, (name, d, *cells, tallies["matrix"].refused)))
    rows.sort(key=lambda r: -r[0])
    methods = list(summary)
    head = ("judge", "D", *(c for m in methods for c in (f"{m}: cov", "width")), "matrix refused")
    better = float(np.median([d for d, _ in summary[methods[0]]]))
    over = [(m, *_pooled(t for d, t in summary[m] if d >= better), *_pooled(t for _, t in summary[m])) for m in methods]
    short = ("method", "better half: coverage", "median width", "refused", "all: coverage", "median width", "refused")
    note = (
        f"{len(labels.topics)} topics, {GOLD_TOPICS} of them gold, the others bronze only; {draws} splits a judge; "
        f"relevant is a label of {LEVEL} or more; better half: by D. The truth is NIST's mean over the topics without "
        "gold, for the lines 'all topics' over all of them.",
    )
    return [
        Table(short, over, title="LLMJudge: gold and bronze from disjoint topics", notes=note),
        Table(head, [row for _, row in rows], title="LLMJudge, judge by judge (D: mR + mN - 1 over all labels)"),
    ]


def _splits(labels: Labels, true: Array, bronze: Array, draws: int, seed: int) -> dict[str, Tally]:
    count = len(labels.topics)
    size = np.bincount(labels.topic, minlength=count)
    y, f = (np.bincount(labels.topic, v, count) / size for v in (true, bronze))
    tallies = {m: Tally() for m in METHODS}
    for child in np.random.SeedSequence(seed).spawn(draws):
        gold = np.zeros(count, np.bool_)
        gold[np.random.default_rng(child).choice(count, GOLD_TOPICS, replace=False)] = True
        truth = float(y[~gold].mean())
        some = np.where(gold, y, np.nan)
        inside = gold[labels.topic]
        pairs = Pairs(
            labels.topics,
            labels.topic[inside],
            bronze[inside],
            true[inside],
            np.ones(inside.sum()),
            {0.0: 0.5, 1.0: 0.5},
        )

        def rectified(target: str, tuning: float | None = None, some: Array = some) -> Interval:
            return rectify_topics(f, some, target=target, generalise=False, tuning=tuning).interval()

        def matrix(gold: npt.NDArray[np.bool_] = gold, pairs: Pairs = pairs) -> Interval:
            there = f[~gold]
            got = Judge.of_pairs(pairs, "elsewhere").correct(there.mean(), len(there), there.std(ddof=1))
            return got.low, got.high

        def iid(inside: npt.NDArray[np.bool_] = inside) -> Interval:
            b, t = bronze[inside], true[inside]
            judge = Judge.from_counts((b[t == 1].sum(), t.sum()), ((1 - b)[t == 0].sum(), (1 - t).sum()))
            got = judge.correct(bronze[~inside].mean(), (~inside).sum())
            return got.low, got.high

        tallies["rectified"].ask(lambda r=rectified: r("others"), truth)  # type: ignore[misc]
        tallies["rectified, all topics"].ask(lambda r=rectified: r("all"), float(y.mean()))  # type: ignore[misc]
        tallies["matrix"].ask(matrix, truth)
        tallies["matrix, iid"].ask(iid, float(true[~inside].mean()))
        tallies["gold only"].ask(lambda r=rectified: r("others", 0.0), truth)  # type: ignore[misc]
        tallies["gold only, all topics"].ask(lambda r=rectified: r("all", 0.0), float(y.mean()))  # type: ignore[misc]
        tallies["uncorrected"].ask(lambda g=gold: _t_interval(f[~g]), truth)  # type: ignore[misc]
    return tallies


def _t_interval(values: Array) -> Interval:
    half = (
        needs("scipy.special", "inference").stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values))
    )
    return float(values.mean() - half), float(values.mean() + half)


def _median(widths: list[float]) -> float | None:
    return float(np.median(widths)) if widths else None


def _pooled(several: Iterable[Tally]) -> tuple[float | None, float | None, float]:
    tallies = list(several)
    widths = [w for t in tallies for w in t.widths]
    asked = len(widths) + sum(t.refused for t in tallies)
    coverage = sum(t.held for t in tallies) / len(widths) if widths else None
    return coverage, _median(widths), sum(t.refused for t in tallies) / max(asked, 1)


# ---------------------------------------------------------------------- DL19: verdicts on all pairs of systems


def dl19(path: Path, draws: int, seed: int) -> list[Table]:
    """For all pairs of systems: whether each method's verdict is NIST's, and how often its sign is wrong."""
    labels = read_wide(path)
    ranked = _aligned(labels, path.parents[1] / "dl19_runs" / "dl19_runs_top100_judgedtopics.tar.xz")
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


def _aligned(labels: Labels, runs: Path) -> RankedGains:
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
            said[f"rectified, {share:.0%} of topics"].append(_by_topics(f, some))
        if measure.linear_in_gains:
            for share in (0.1, 0.3):
                drawn = rng.random(len(bronze)) < share
                for name, verdict in _by_pairs(ranked, measure, bronze, drawn, f).items():
                    said[f"{name}, {share:.0%} of pairs"].append(verdict)
    return {m: np.array(v) for m, v in said.items()}


def _by_topics(f: Array, some: Array) -> Array:
    def answer(a: int, b: int) -> Rectified:
        there = ~np.isnan(f[b] - f[a])
        return rectify_topics((f[b] - f[a])[there], (some[b] - some[a])[there])

    return np.array([_verdict(lambda a=a, b=b: answer(a, b)) for a, b in itertools.combinations(range(len(f)), 2)])  # type: ignore[misc]


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
        expansion_of(bronze, drawn, "random"),
        len(ranked.topics),
    )
    systems = range(len(f))
    rectified = [
        _verdict(lambda a=a, b=b: rectify_pairs(pairs, coefficient[b], against=coefficient[a]))  # type: ignore[misc]
        for a, b in itertools.combinations(systems, 2)
    ]
    return {"rectified": np.array(rectified), "matrix, one gold sample": _shared_gold(pairs, f)}


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


def _verdict(answer: Callable[[], Rectified]) -> float:
    try:
        r = answer()
    except TruegainError:
        return float("nan")
    return float(np.sign(r.value)) if r.p_value() < 0.05 else 0.0


# ---------------------------------------------------------------------- crowd labels


def crowd(path: Path, draws: int, seed: int) -> list[Table]:
    """The share of relevant pages by the majority of workers, corrected with NIST's labels of half of the topics."""
    votes: dict[tuple[str, str], list[int]] = defaultdict(list)
    gold: dict[tuple[str, str], int] = {}
    with lzma.open(path, "rt") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if int(row["gold"]) >= 0 and int(row["label"]) >= 0:
                key = row["topicID"], row["docID"]
                votes[key].append(int(row["label"]) >= 1)
                gold[key] = int(row["gold"]) >= 1
    keys = sorted(votes)
    topics = tuple(sorted({t for t, _ in keys}))
    number = {t: i for i, t in enumerate(topics)}
    topic = np.array([number[t] for t, _ in keys])
    true = np.array([float(gold[k]) for k in keys])
    rows: list[tuple[Any, ...]] = []
    rng = np.random.default_rng(seed)
    one = np.array([float(rng.choice(votes[k])) for k in keys])
    most = np.array([float(np.mean(votes[k]) > 0.5) for k in keys])
    for name, said in (("majority of all workers", most), ("one worker a page", one)):
        labels = Labels(topic, topics, tuple(d for _, d in keys), true, {})
        rows += [(name, m, *_pooled([t])) for m, t in _splits(labels, true, said, draws, seed).items()]
    note = (
        f"{len(keys)} pages of {len(topics)} topics with NIST labels, {GOLD_TOPICS} topics gold; {draws} splits; the "
        "truth is NIST's share of relevant pages, mean over the topics without gold, for 'all topics' over all.",
    )
    head = ("bronze", "method", "coverage", "median width", "refused")
    return [Table(head, rows, title="TREC 2010 relevance feedback, crowd labels", notes=note)]
