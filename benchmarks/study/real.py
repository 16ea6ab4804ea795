"""`python -m benchmarks.study.real`: verdicts from LLM labels and a little gold against all NIST labels.

DL19 with its own runs; DL20 and LLMJudge, which have labels and no runs here, with rankings drawn from noisy labels,
every third of them leaning on the judge.  For two judges (the best and the worst by kappa) and two designs (a random
sample of pairs, P(rel=2)@10; whole topics, nDCG@10) it counts, over pairs of systems and draws of gold, what the study
claims for these topics, how many of these claims have the wrong sign by all NIST labels, and the same for the LLM
labels alone (a paired t test at 5%).  Needs the real data beside the checkout.

Some pairs are next to equal, and a 95% interval must call them wrongly in up to 2.5% on either side: `to expect` is the
sum over pairs of Phi(-1.96 (1 + |d|/h)), twice that where d = 0 (d the difference by all NIST labels, h half the
width).  Beside it, over all draws: how many wrong ones truly differ by .01 or more, and the largest such difference.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import lzma
import tarfile
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np

import truegain as tg

DATA = Path(__file__).parents[3] / "shared" / "data"
LEVEL = 2
SIZEABLE = 0.01
DESIGNS: tuple[tuple[str, str, float], ...] = ((f"P(rel={LEVEL})@10", "random", 0.2), ("nDCG@10", "topics", 0.5))
Labels = dict[str, dict[str, int]]
Lists = dict[str, dict[str, dict[str, float]]]


@dataclass(frozen=True)
class Real:
    """Labels by judge, 'nist' among them, and runs."""

    name: str
    labels: dict[str, Labels]
    runs: Lists | None

    def judges(self) -> list[tuple[str, float]]:
        """Judges by kappa with NIST at level 2, best first; those that never reach the level are left out."""
        rows = [(t, d) for t, row in self.labels["nist"].items() for d in row]
        truth = np.array([self.labels["nist"][t][d] >= LEVEL for t, d in rows])
        found = []
        for name, said in self.labels.items():
            if name == "nist":
                continue
            also = np.array([said.get(t, {}).get(d, 0) >= LEVEL for t, d in rows])
            if not also.any():
                continue
            chance = truth.mean() * also.mean() + (1 - truth.mean()) * (1 - also.mean())
            found.append((name, float(((truth == also).mean() - chance) / (1 - chance))))
        return sorted(found, key=lambda x: -x[1])


def main() -> None:
    """Print one table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.study.real", description=__doc__)
    asked.add_argument("--draws", type=int, default=10, help="samples of gold a row")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--data", nargs="+", choices=("dl19", "dl20", "llmjudge"), default=["dl19", "dl20", "llmjudge"])
    a = asked.parse_args()
    warnings.simplefilter("ignore")
    head = ("data", "judge", "kappa", "measure", "gold", "pairs", "NIST differ", "LLM alone: claims, wrong",
            "study: claims, wrong", "to expect", "wrong by .01 or more, all draws; largest",
            "holds NIST's difference")  # fmt: skip
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for real in (dl19() if name == "dl19" else without_runs(name) for name in a.data):
        ranked = real.judges()
        for name, kappa in (ranked[0], ranked[-1]):
            runs = real.runs or rankings(real, name, a.seed)
            for measure, design, share in DESIGNS:
                print(row(real, name, kappa, runs, measure, design, share, a.draws, a.seed), flush=True)


def row(
    real: Real, judge: str, kappa: float, runs: Lists, measure: str, design: str, share: float, draws: int, seed: int
) -> str:
    """One row of the table."""
    nist, bronze = real.labels["nist"], real.labels[judge]
    nist = {t: {d: g for d, g in labels.items() if d in bronze.get(t, {})} for t, labels in nist.items()}
    truth = tg.Study(runs, nist, measure, unjudged="non-relevant").compare()
    d = np.array([c.difference for c in truth])
    naive = tg.Study(runs, bronze, measure, unjudged="non-relevant").compare()
    sure = np.array([c.p is not None and c.p < 0.05 for c in naive])
    wrong = sure & (np.sign([c.difference for c in naive]) != np.sign(d))
    rng = np.random.default_rng(seed)
    claims, false, inside, chance, gold_count = [], [], [], [], 0
    far: list[float] = []
    for _ in range(draws):
        gold = sample(nist, design, share, rng)
        gold_count = sum(len(labels) for labels in gold.values())
        study = tg.Study(
            runs, bronze, measure, population=[], gold=tg.Gold(gold, design=design), unjudged="non-relevant"
        )
        found = study.compare()
        low = np.array([np.nan if c.low is None else c.low for c in found])
        high = np.array([np.nan if c.high is None else c.high for c in found])
        up, down = low > 0, high < 0
        claims.append(int((up | down).sum()))
        against = (up & (d <= 0)) | (down & (d >= 0))
        false.append(int(against.sum()))
        far += np.abs(d[against]).tolist()
        chance.append(to_expect(d, (high - low) / 2))
        inside.append(float(((low <= d) & (d <= high))[~np.isnan(low)].mean()))
    differ = sum(c.p is not None and c.p < 0.05 for c in truth)
    return (
        f"| {real.name} | {judge} | {kappa:.2f} | {measure} | {gold_count} {design} | {len(d)} | {differ} | "
        f"{int(sure.sum())}, {int(wrong.sum())} | {np.mean(claims):.0f}, {np.mean(false):.1f} | "
        f"{np.mean(chance):.1f} | {sum(x >= SIZEABLE for x in far)} of {len(far)}; {max(far, default=0.0):.3f} | "
        f"{np.mean(inside):.3f} |"
    )


def to_expect(d: np.ndarray, half: np.ndarray) -> float:
    """Wrong signs that 95% intervals of half these widths must give, were estimates normal about these differences.

    >>> round(to_expect(np.array([0.0, 0.05, np.nan]), np.array([0.05, 0.05, np.nan])), 4)
    0.05
    """
    known = ~np.isnan(half)
    far = (1 + np.abs(d[known]) / half[known]).tolist()
    one = [NormalDist().cdf(-1.96 * x) for x in far]
    return float(sum(p * (2 if x == 0 else 1) for p, x in zip(one, d[known].tolist(), strict=True)))


def sample(nist: Labels, design: str, share: float, rng: np.random.Generator) -> Labels:
    """Gold labels: whole topics, or pairs at random."""
    if design == "topics":
        kept = rng.permutation(sorted(nist))[: round(share * len(nist))]
        return {t: nist[t] for t in kept.tolist()}
    pairs = [(t, d) for t in sorted(nist) for d in sorted(nist[t])]
    gold: Labels = {}
    for i in rng.choice(len(pairs), round(share * len(pairs)), replace=False).tolist():
        t, d = pairs[i]
        gold.setdefault(t, {})[d] = nist[t][d]
    return gold


def rankings(real: Real, judge: str, seed: int, systems: int = 12) -> Lists:
    """Rankings of the judged documents by a noisy look at the NIST label, every third by a look at the judge's too."""
    rng = np.random.default_rng([seed, 7])
    nist, bronze = real.labels["nist"], real.labels[judge]
    out: Lists = {}
    for s in range(systems):
        noise, lean = 0.8 + 0.15 * (s // 2), 0.6 if s % 3 == 2 else 0.0
        out[f"s{s:02d}{'-leans' if lean else ''}"] = {
            t: {
                d: (1 - lean) * g + lean * bronze.get(t, {}).get(d, 0) + float(rng.normal(0, noise))
                for d, g in sorted(row.items())
            }
            for t, row in sorted(nist.items())
        }
    return out


def dl19() -> Real:
    """DL19 passages: NIST, LLM judges, 37 runs."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(DATA / "dl19_runs" / "dl19_runs_top100_judgedtopics.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        runs: Lists = {}
        for path in sorted(p for p in Path(folder).rglob("*") if p.is_file()):
            for line in path.read_text().splitlines():
                topic, _, doc, _, score, _ = line.split()
                runs.setdefault(path.name, {}).setdefault(topic, {})[doc] = float(score)
    return Real("dl19", wide(DATA / "dl_llm_judges" / "dl19_labels_wide.csv.xz"), runs)


def without_runs(name: str) -> Real:
    """Labels without runs."""
    path = {"dl20": "dl_llm_judges/dl20_labels_wide.csv.xz", "llmjudge": "llmjudge/test_labels_wide.csv.gz"}[name]
    return Real(name, wide(DATA / path), None)


def wide(path: Path) -> dict[str, Labels]:
    """Labels by judge from a table with a column a judge: those that give whole labels from 0 to 3."""
    unpack = lzma.decompress if path.suffix == ".xz" else gzip.decompress
    rows = list(csv.DictReader(unpack(path.read_bytes()).decode().splitlines()))
    found: dict[str, Labels] = {}
    for column in rows[0]:
        if column in ("topic", "doc"):
            continue
        values = {r[column] for r in rows} - {""}
        if not values <= {"0", "1", "2", "3", "0.0", "1.0", "2.0", "3.0"}:
            continue
        labels: Labels = {}
        for r in rows:
            if r[column] != "":
                labels.setdefault(r["topic"], {})[r["doc"]] = int(float(r[column]))
        found[column] = labels
    return found


if __name__ == "__main__":
    main()
