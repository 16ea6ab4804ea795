"""Simulated preferences, to try truegain on: a judge asked in both orders, and people on some of its comparisons."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from truegain.sampling.streams import generator

STRENGTH = {"prod": 0.0, "new": 1.0, "old": -0.6}
JUDGE = "judge-7b"
BY_TOPIC, BY_COMPARISON, TIES = 0.8, 2.0, 0.5
SEES, ERROR, LEANS, FIRST = 0.8, 1.5, ("old", 0.6), 0.6  # what the judge makes of a difference


def simulated_votes(
    topics: int = 50, gold: float = 0.5, seed: int = 0
) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Votes of a judge on all pairs of three systems, in both orders, and of people on a random share of the pairs.

    Parameters
    ----------
    topics : int, default 50
        How many topics there are.
    gold : float, default 0.5
        The share of comparisons that a person makes, too.
    seed : int, default 0
        Where random numbers begin.

    Returns
    -------
    tuple of list of dict
        The judge's votes and people's, as `read_preferences` takes them.

    Examples
    --------
    >>> judge, people = simulated_votes(topics=10)
    >>> len(judge), judge[0]["a"], judge[0]["b"]
    (60, 'prod', 'new')
    """
    rng = generator(seed, "preferences")
    judge: list[dict[str, str]] = []
    people: list[dict[str, str]] = []
    names = tuple(STRENGTH)
    for t in range(topics):
        strength = {s: x + BY_TOPIC * rng.normal() for s, x in STRENGTH.items()}
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                liked = strength[a] - strength[b] + BY_COMPARISON * rng.normal()
                lean = LEANS[1] * ((a == LEANS[0]) - (b == LEANS[0]))
                seen = SEES * liked + ERROR * rng.normal() + lean
                for first, order in ((a, 1), (b, -1)):
                    winner = _vote(rng, seen + FIRST * order)
                    judge.append({"topic": str(t + 1), "a": a, "b": b, "winner": winner, "first": first,
                                  "model": JUDGE})  # fmt: skip
                vote, who = _vote(rng, liked), f"person-{rng.integers(1, 6)}"
                if rng.random() < gold:
                    people.append({"topic": str(t + 1), "a": a, "b": b, "winner": vote, "assessor": who})
    return judge, people


def _vote(rng: np.random.Generator, d: float) -> str:
    """Who is liked better, by Davidson's model."""
    z, drawn = 2 * np.cosh(d / 2) + TIES, rng.random()
    return "a" if drawn < np.exp(d / 2) / z else "tie" if drawn < (np.exp(d / 2) + TIES) / z else "b"


def votes_as_csv(rows: Sequence[dict[str, str]]) -> bytes:
    """The votes as a CSV file."""
    out = io.StringIO()
    table = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue().encode()
