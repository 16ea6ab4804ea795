"""`python -m benchmarks.study.first_ranks`: AP of an unpooled newcomer that is as good as the pooled system.

Lists of a and b are cut; judged are a's documents down to a rank.  How often the verdict has a sign, which is wrong as
the two are exactly as good: with unjudged documents as 0, held against what they could be, and with all labels.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import truegain as tg
from benchmarks.study.judged import Table, labels_of, names_of
from benchmarks.study.nature import Lists, any_kinds

# name: how long lists are, and how many of a's documents are judged
CASES = {"lists of 10": (10, 10), "lists of 14": (14, 14), "lists of 20": (20, 20), "lists of 20, 10 pooled": (20, 10)}
TOPICS = 50
HOW = ("unjudged as 0", "held against them", "all labels")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study.first_ranks", description=__doc__)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261127)
    given = parser.parse_args()
    warnings.simplefilter("ignore", tg.DataWarning)
    print(f"| case | b unjudged, first ten | all | {' | '.join(f'sign: {how}' for how in HOW)} |")
    print("|---|---|---|---|---|---|")
    for case, (long, pooled) in CASES.items():
        rng = np.random.default_rng([given.seed, long, pooled])
        open_, signs = np.zeros(2), np.zeros(3)
        for _ in range(given.studies):
            share, said = study(long, pooled, rng)
            open_ += share
            signs += said
        shown = " | ".join(f"{x:.1%}" for x in (*open_, *signs) / np.array(given.studies))
        print(f"| {case} | {shown} |", flush=True)


def study(long: int, pooled: int, rng: np.random.Generator) -> tuple[list[float], list[bool]]:
    """The share of b's first ten and of its list that is unjudged; whether each verdict has a sign."""
    lists = Lists.draw(any_kinds(TOPICS, rng), rng)
    names, rank = names_of(lists), lists.rank
    judged = rank[0] < pooled
    runs: dict[str, Table] = {
        s: {
            f"t{t:03d}": {names[t][d]: float(-rank[i, t, d]) for d in np.flatnonzero(rank[i, t] < long).tolist()}
            for t in range(TOPICS)
        }
        for i, s in enumerate("ab")
    }  # fmt: skip
    some, every = labels_of(lists.right, names, judged), labels_of(lists.right, names)
    share = [float((~judged[rank[1] < depth]).mean()) for depth in (10, long)]
    found = [
        tg.Study(runs, labels, "AP", unjudged=holes).verdict("a", "b").outcome
        for labels, holes in ((some, "non-relevant"), (some, "bound"), (every, "bound"))
    ]
    return share, [outcome in ("better", "worse") for outcome in found]


if __name__ == "__main__":
    main()
