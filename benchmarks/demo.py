"""`python -m benchmarks.demo [--repeats 200]`: the demo's study in worlds of other seeds, beside their truth.

Each world is that of `truegain demo --seed`, and what is asked is what its study.toml asks: is any system better than
system-5, by the labels of a judge that favors system-4, as they are and corrected by the gold sample.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from dataclasses import replace

import truegain as tg
from truegain.experiments.worlds import leaning, simulate, true_scores
from truegain.report.facts import mark_of
from truegain.study.decision import outcome_by_limits

MEASURES, BASELINE = ("P@10", "DCG@10"), "system-5"


def main() -> None:
    """Print one table of verdicts and one line a measure of intervals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200)
    marks, held = Counter[tuple[str, str, str]](), Counter[str]()
    repeats = parser.parse_args().repeats
    for seed in range(repeats):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _one(seed, marks, held)
    print("| measure | labels | right | undecided | wrong |\n|---|---|---|---|---|")
    for measure in MEASURES:
        for way in ("as they are", "corrected"):
            row = [marks[measure, way, mark] for mark in ("right", "undecided", "wrong")]
            print(f"| {measure} | {way} | {' | '.join(f'{n / sum(row):.1%}' for n in row)} |")
    for measure in MEASURES:
        print(f"{measure}: {held[measure] / (8 * repeats):.1%} of {8 * repeats:,} score intervals hold the truth")


def _one(seed: int, marks: Counter[tuple[str, str, str]], held: Counter[str]) -> None:
    world = simulate(seed=seed)
    judged = leaning(world, seed=seed)
    study = tg.Study(world.runs, judged, list(MEASURES), gold=tg.Gold(world.sample, design="random"))
    true = {(s.measure, s.system): s.value for s in true_scores()}
    for measure in MEASURES:
        held[measure] += sum(e.low <= true[measure, e.system] <= e.high for e in study.estimates(measure))
        for system in study.systems:
            if system == BASELINE:
                continue
            verdict = study.verdict(BASELINE, system, measure)
            naive = replace(verdict.comparison, low=verdict.uncorrected.low, high=verdict.uncorrected.high)
            difference = true[measure, system] - true[measure, BASELINE]
            labels = outcome_by_limits(naive, verdict.unjudged_bounds, verdict.unjudged_policy, verdict.min_effect)
            marks[measure, "as they are", mark_of(labels, difference)] += 1
            marks[measure, "corrected", mark_of(verdict.outcome, difference)] += 1


if __name__ == "__main__":
    main()
