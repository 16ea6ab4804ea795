"""How often an LLM's labels alone, and with labels of people, call one of two equal retrievers better.

`python -m benchmarks.rag [WORLDS]` simulates the RAG tutorial's world (`truegain demo --kind rag`) with many seeds.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

import truegain as tg
from truegain.experiments.worlds import RETURNED, Record, simulate_rag
from truegain.study.verdict import Verdict


def by_question(records: Sequence[Record], name: str) -> dict[str, dict[str, float]]:
    """Labels or scores as nested dicts."""
    found: dict[str, dict[str, float]] = {}
    for record in records:
        found.setdefault(str(record["question_id"]), {})[str(record["passage_id"])] = float(str(record[name]))
    return found


def interval_of(verdict: Verdict) -> tuple[float, float]:
    """The interval of a verdict that has one."""
    if verdict.low is None or verdict.high is None:
        raise ValueError(str(verdict))
    return verdict.low, verdict.high


def outcomes(seed: int) -> tuple[str, str]:
    """What the LLM's labels alone say of `new`, and what they say corrected."""
    world = simulate_rag(seed=seed)
    runs = {name: by_question(records, "similarity") for name, records in world.runs.items()}
    llm, people = by_question(world.llm, "relevant"), by_question(world.people, "relevant")
    found = []
    for gold in (None, tg.Gold(people, design="random")):
        verdict = tg.Study(runs, llm, f"P@{RETURNED}", gold=gold).verdict("prod", "new")
        low, high = interval_of(verdict)
        found.append("better" if low > 0 else "worse" if high < 0 else "inconclusive")
    return found[0], found[1]


def main(worlds: int) -> None:
    """Print the shares of the outcomes."""
    every = [outcomes(seed) for seed in range(worlds)]
    for name, at in (("LLM alone", 0), ("corrected", 1)):
        counts = Counter(pair[at] for pair in every)
        print(name, {outcome: f"{n / worlds:.1%}" for outcome, n in counts.most_common()}, f"of {worlds}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
