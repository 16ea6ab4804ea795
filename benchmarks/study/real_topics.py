"""`python -m benchmarks.study.real_topics`: whole gold topics drawn from DL19, 37 runs, all 666 pairs of them.

For judges from good to poor: the width of a difference's interval over that of the gold topics alone (Student's t), for
topics like these; how often the interval for these topics only holds the difference by all NIST labels; and the half
width that is forecast with all topics gold over the one that comes.  Needs the real data beside the checkout.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

import truegain as tg
from benchmarks.study.real import LEVEL, Labels, dl19
from truegain.judge_error.topic_estimators import TopicFit
from truegain.stats.contrasts import Contrasts, Variance
from truegain.stats.student_t import quantile_of, quantiles_of
from truegain.study.next_steps import MOST_OF_TOPICS

Array = npt.NDArray[np.float64]
MEASURES = (f"P(rel={LEVEL})@10", "nDCG@10", f"AP(rel={LEVEL})")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study.real_topics", description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261126)
    given = parser.parse_args()
    real = dl19()
    assert real.runs is not None
    judges = real.judges()
    chosen = [judges[0], judges[len(judges) // 2], judges[-1]]
    print("| measure | judge, kappa | gold topics | width over gold alone | 5% wider | worst pair's "
          "| these topics: holds | forecast all gold over came |\n|---|---|---|---|---|---|---|---|")  # fmt: skip
    for measure in MEASURES:
        right = scores_of(real.runs, real.labels["nist"], measure)
        for judge, kappa in chosen:
            said = scores_of(real.runs, real.labels[judge], measure)
            for n in (8, 15):
                wide, held, forecast = cell(said, right, n, given.draws, np.random.default_rng([given.seed, n]))
                print(f"| {measure} | {judge}, {kappa:.2f} | {n} of {right.shape[1]} | {wide.mean():.3f} "
                      f"| {(wide > 1.05).mean():.1%} | {wide.max():.3f} | {held:.3f} | {forecast:.2f} |")  # fmt: skip


def scores_of(runs: dict[str, dict[str, dict[str, float]]], labels: Labels, measure: str) -> Array:
    """System x topic, of the topics that NIST judged."""
    return np.asarray(tg.evaluate(runs, labels, measure).matrix(measure))


def cell(said: Array, right: Array, n: int, draws: int, rng: np.random.Generator) -> tuple[Array, float, float]:
    """Each pair's mean width over that of gold alone; how often it holds; what is forecast over what comes."""
    topics, contrasts = right.shape[1], Contrasts.all_pairs(len(right))
    whole = contrasts.values(right.T)
    truth = whole.mean(axis=0)
    comes = quantile_of(0.95, topics - 1.0) * whole.std(axis=0, ddof=1) / np.sqrt(topics)
    widths, alone, held, forecast = np.zeros((4, len(contrasts)))
    for _ in range(draws):
        some = rng.permutation(topics) < n
        fit = TopicFit.of(said, np.where(some, right, np.nan))
        widths += half_of(fit.over_topics(contrasts))
        alone += quantile_of(0.95, n - 1.0) * whole[some].std(axis=0, ddof=1) / np.sqrt(n)
        fixed = fit.over_gold(contrasts)
        held += np.abs(fit.values(contrasts) - truth) <= half_of(fixed)
        left = np.minimum(fit.were_all_gold(contrasts), MOST_OF_TOPICS * fit.over_topics(contrasts).value)
        forecast += quantile_of(0.95, topics - 1.0) * np.sqrt(left)
    known = alone > 0
    return (
        widths[known] / alone[known],
        float(held[known].mean() / draws),
        float((forecast / draws / comes)[known].mean()),
    )


def half_of(spread: Variance) -> Array:
    """Half of each interval's width."""
    return np.asarray(quantiles_of(0.95, spread.df) * np.sqrt(spread.value))


if __name__ == "__main__":
    main()
