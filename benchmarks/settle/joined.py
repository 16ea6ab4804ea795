"""`python -m benchmarks.settle.joined`: how often limits over gold and topics, joined by squares, fail at some look.

The limit of many labels and topics: topics bring a normal deviation B of variance 1, met once; gold labels bring a
Brownian motion S of information tau, so that the estimate after n labels is B + sqrt(ratio) S/tau.  Of N documents
tau = N n/(N - n).  Gold's limits are those of `stats.betting.Betting` in this limit: the mean of three stakes
exp(lambda S - lambda^2 tau/2), each on another effect, grows to 2/alpha.  Limits fail where 0, the truth, is outside of
them at a look from the 10th label on.

Figures are the chance to fail, divided by the error that was promised.  `study.anytime.LookErrors` was chosen by
them: half of the error for topics, and for gold the smaller of a quarter of the error and 5 times its square.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm, t

from truegain.io.columns import Floats
from truegain.stats.betting import HORIZONS
from truegain.study.anytime import LookErrors
from truegain.study.estimators import LEAST_GOLD

ERRORS = (0.2, 0.1, 0.05, 0.05 / 3, 0.005)
RATIOS = (30, 100, 250, 500, 1000)  # the variance of the first label's estimate over that of topics
AT_ONCE = 5_000  # studies


def boundary(tau: Floats, alpha: float) -> Floats:
    """How far S may be from 0 before the stakes on one side grow to 2/alpha."""
    goal = math.log(2 / alpha)
    effect = np.sqrt(2 * goal / np.array(HORIZONS))[:, None]
    low, high = np.zeros_like(tau), np.full_like(tau, 1e5)
    for _ in range(60):
        middle = (low + high) / 2
        won = logsumexp(effect * middle - effect**2 * tau / 2, axis=0) - math.log(len(effect)) >= goal
        low, high = np.where(won, low, middle), np.where(won, middle, high)
    return high


def failed(
    errors: LookErrors, ratio: float, studies: int, rng: np.random.Generator, documents: int = 500, df: float = math.inf
) -> int:
    """Of so many studies, those whose limits fail at some look; df: by how many topics their variance is known."""
    n = np.arange(1, documents)
    tau = documents * n / (documents - n)
    topics = rng.normal(size=studies)
    moves = rng.normal(size=(studies, len(tau))) * np.sqrt(np.diff(tau, prepend=0.0))
    estimate = topics[:, None] + math.sqrt(ratio) * np.cumsum(moves, axis=1) / tau
    out = math.sqrt(ratio) * boundary(tau, errors.gold) / tau
    low = np.maximum.accumulate(estimate - out, axis=1)  # what was ruled out at any look stays so
    high = np.minimum.accumulate(estimate + out, axis=1)
    sd = np.ones(studies) if math.isinf(df) else np.sqrt(rng.chisquare(df, studies) / df)
    quantile = norm.isf(errors.topics / 2) if math.isinf(df) else t.isf(errors.topics / 2, df)
    far = (quantile * sd)[:, None]
    below = estimate - np.sqrt(np.maximum(estimate - low, 0.0) ** 2 + far**2)
    above = estimate + np.sqrt(np.maximum(high - estimate, 0.0) ** 2 + far**2)
    passed = ((below > 0) | (above < 0))[:, LEAST_GOLD - 1 :].any(axis=1)
    return int((passed | (np.abs(topics) > far[:, 0])).sum())


def rate(errors: LookErrors, ratio: float, studies: int, seed: int, df: float = math.inf) -> float:
    """The share of studies whose limits fail."""
    rng = np.random.default_rng([seed, int(ratio)])
    parts = [min(AT_ONCE, studies - i) for i in range(0, studies, AT_ONCE)]
    return sum(failed(errors, ratio, n, rng, df=df) for n in parts) / studies


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.settle.joined", description=__doc__)
    asked.add_argument("--studies", type=int, default=50_000, help="of each cell")
    asked.add_argument("--seed", type=int, default=20261118)
    given = asked.parse_args()
    print("| error | limits | topics | " + " | ".join(f"ratio {r}" for r in RATIOS) + " |")
    print("|---|---|---|" + "---:|" * len(RATIOS))
    for error in ERRORS:
        for name, errors in (
            ("half each", LookErrors(error / 2, error / 2)),
            ("chosen", LookErrors.of(1 - error, topics=True)),
        ):
            for df in (math.inf, 49.0, 9.0):
                found = [rate(errors, r, given.studies, given.seed, df) / error for r in RATIOS]
                topics = "many" if math.isinf(df) else f"{df + 1:.0f}"
                print(
                    f"| {error:.4g} | {name} | {topics} | " + " | ".join(f"{x:.2f}" for x in found) + " |", flush=True
                )


if __name__ == "__main__":
    main()
