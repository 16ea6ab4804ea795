"""Tests of all pairs of 129 systems on 50 topics, beside plain numpy, scipy and ranx: `python -m benchmarks.tukey`.

Everything runs in one process, taking turns, best of five (scipy once); the ratios are what counts.  scipy and,
without --whole, ranx are timed on a part of the pairs and scaled up.  Scores are generated; with the data of TREC-8
beside the checkout, AP of its 129 systems is taken as well.
"""

from __future__ import annotations

import argparse
import csv
import io
import tarfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from truegain.inference.differences.resampled import randomisation_p
from truegain.inference.differences.tukey import randomised_tukey_hsd, tukey_hsd
from truegain.inference.monte_carlo import Resampling
from truegain.studentized import studentized_range_sf

Floats = npt.NDArray[np.float64]
SHARED = Path(__file__).parent.parent.parent / "shared" / "data" / "trec_score_matrices" / "newbestsub_named.tar.xz"
TRIALS = 10_000
SCIPY_PAIRS = 60  # scipy is timed on so many of the 8,256 pairs
RANX_SYSTEMS = 15  # ranx on the pairs of so many systems


def generated(systems: int = 129, topics: int = 50, seed: int = 0) -> Floats:
    """Scores with topics and systems that matter."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-1, 1, topics) + rng.normal(0, 0.4, systems)[:, None] + rng.normal(0, 0.6, (systems, topics))
    return 1 / (1 + np.exp(-logits))


def trec8() -> Floats:
    """AP of the 129 systems of TREC-8."""
    with tarfile.open(SHARED) as archive:
        stream = archive.extractfile("data/AH99.csv")
        assert stream is not None
        rows = list(csv.reader(io.TextIOWrapper(stream)))
    return np.array([[float(v) for v in row[1:]] for row in rows[1:]])


def plain_numpy(x: Floats, trials: int) -> Floats:
    """Randomised Tukey as one would write it: a loop over replicates, numpy inside."""
    rng = np.random.default_rng(0)
    ranges = np.empty(trials)
    for b in range(trials):
        means = rng.permuted(x.T, axis=1).mean(axis=0)
        ranges[b] = means.max() - means.min()
    return ranges


def ranx_pairs(x: Floats) -> int:
    """Ranx's randomisation test of all pairs, 1,000 permutations each, as its `compare` runs it."""
    from ranx.statistical_tests import fisher_randomization_test  # type: ignore[import-untyped]

    pairs = 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            fisher_randomization_test(x[i], x[j], n_permutations=1000, random_seed=42)
            pairs += 1
    return pairs


def race(*jobs: Callable[[], Any], rounds: int = 5) -> list[float]:
    """Best wall time of each job in seconds; they take turns, so that a busy machine hinders all alike."""
    best = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for i, job in enumerate(jobs):
            began = time.perf_counter()
            job()
            best[i] = min(best[i], time.perf_counter() - began)
    return best


def line(what: str, seconds: float, said: str = "") -> None:
    """One line of the answer."""
    print(f"  {what:<62} {seconds:9.3f} s  {said}")


def randomised(x: Floats, whole: bool) -> None:
    """Randomised Tukey beside the plain loop and ranx's pairwise randomisation, and doubling the trials."""
    systems = len(x) if whole else RANX_SYSTEMS
    pairs, few = len(x) * (len(x) - 1) // 2, systems * (systems - 1) // 2
    first, second = np.triu_indices(len(x), 1)
    ranx_pairs(x[:3])  # compiles
    plain, one, every, double, ranx, same = race(
        lambda: plain_numpy(x, TRIALS),
        lambda: randomised_tukey_hsd(x, Resampling(trials=TRIALS, jobs=1)),
        lambda: randomised_tukey_hsd(x, Resampling(trials=TRIALS)),
        lambda: randomised_tukey_hsd(x, Resampling(trials=2 * TRIALS)),
        lambda: ranx_pairs(x[:systems]),
        lambda: randomisation_p(x[second] - x[first], Resampling(trials=1000)),
        rounds=2 if whole else 5,
    )
    ranx *= pairs / few
    line("plain numpy loop, 10,000 trials", plain)
    line(f"ranx, pairwise randomisation at 1,000 ({few:,} pairs, scaled to {pairs:,})", ranx)
    for what, ours in (("1 thread", one), ("all cores", every)):
        said = f"{plain / ours:.1f} times faster than the loop, {ranx / ours:.0f} than ranx"
        line(f"randomised_tukey_hsd, 10,000 trials, {what}", ours, said)
    line("randomised_tukey_hsd, 20,000 trials, all cores", double, f"{double / every:.2f} times 10,000")
    line("randomisation_p of all pairs, 1,000 trials", same, f"{ranx / same:.0f} times faster than ranx")


def parametric(x: Floats) -> None:
    """Tukey's test beside scipy's studentised range, and how far apart the p-values are."""
    from scipy import stats

    (ours,) = race(lambda: tukey_hsd(x))
    found = tukey_hsd(x)
    first, second = np.triu_indices(len(x), 1)
    q = np.abs(found.anova.means[first] - found.anova.means[second]) / np.sqrt(found.anova.v_e / found.anova.topics)
    some = q[:: len(q) // SCIPY_PAIRS]
    theirs: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        job = lambda: theirs.append(stats.studentized_range.sf(some, len(x), found.anova.df_e))  # noqa: E731
        scipys = race(job, rounds=1)[0] * len(q) / len(some)
    apart = np.abs(studentized_range_sf(some, len(x), found.anova.df_e) - theirs[0]).max()
    line(f"scipy's studentised range ({len(some)} pairs, scaled to {len(q):,})", scipys)
    line(f"tukey_hsd, all {len(q):,} pairs", ours, f"{scipys / ours:.0f} times faster, p within {apart:.0e}")
    drawn = randomised_tukey_hsd(x, Resampling(trials=TRIALS))
    counts = [int((t.p[first, second] < 0.05).sum()) for t in (found, drawn, tukey_hsd(x, blocked=False))]
    print(f"  pairs at 5%: two-way {counts[0]:,}, randomised {counts[1]:,}, one-way {counts[2]:,} of {len(q):,}")


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generated", action="store_true", help="leave out TREC-8 even where it is there")
    parser.add_argument("--whole", action="store_true", help="time ranx on all pairs, best of two (minutes)")
    given = parser.parse_args()
    matrices = {"generated, 129 systems x 50 topics": generated()}
    if SHARED.exists() and not given.generated:
        matrices["TREC-8, AP, 129 systems x 50 topics"] = trec8()
    for name, x in matrices.items():
        print(name)
        randomised(x, given.whole)
        parametric(x)


if __name__ == "__main__":
    main()
