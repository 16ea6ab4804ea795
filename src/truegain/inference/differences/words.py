"""The keywords of a comparison, and which of them go together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from truegain.errors import TruegainError
from truegain.gains.pairs import Missing
from truegain.gains.rates import Clusters
from truegain.inference.collection.pairs import Meta, Pairing, PairScale
from truegain.inference.judges.options import Accuracy, GoldSample, Method
from truegain.inference.monte_carlo import Counting
from truegain.measures.evaluate import DEFAULTS, EvaluateWords
from truegain.message import arg, argname
from truegain.sampling.designs import Design

OVER_COLLECTIONS = ("meta", "effect", "pairing")
WITH_GOLD = ("design", "missing", "gold_sample", "method", "clusters", "gold_level", "accuracy")
BESIDE_GOLD = ("name_by", "jobs")  # of `evaluate`, which mean something there
COMPARE_DEFAULTS: dict[str, object] = {
    **DEFAULTS, "meta": "mean", "effect": "ap", "pairing": "paired", "design": None, "missing": "refuse",
    "gold_sample": "shared", "method": "default", "clusters": "topics", "gold_level": None, "accuracy": None,
    "judge_model": None,
}  # fmt: skip


class CompareWords(EvaluateWords, total=False):
    """The keywords of `evaluate`, those of comparisons over collections, and those of gold labels."""

    meta: Meta
    effect: PairScale
    pairing: Pairing
    design: Design | None
    missing: Missing
    gold_sample: GoldSample
    method: Method
    clusters: Clusters
    gold_level: float | None
    accuracy: Accuracy | None
    judge_model: str | None


class TestedWords(CompareWords, total=False):
    """All keywords of a comparison but for those that say which kind it is."""

    test: str | None
    adjust: str | None
    replicates: int | None
    seed: int
    confidence: float
    baseline: str | None
    counting: Counting
    tested: Callable[[int], None] | None


def beside_gold(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a comparison with gold labels; others are refused."""
    if odd := [name for name in options if name not in (*WITH_GOLD, *BESIDE_GOLD)]:
        raise TruegainError(f"{', '.join(map(argname, odd))}: this has no place beside {arg('gold')}; leave it out")
    return dict(options)


def of_topics_alone(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a comparison over topics by the judgments as they are; others are refused."""
    if odd := [name for name in options if name in OVER_COLLECTIONS]:
        raise TruegainError(
            f"{', '.join(map(argname, odd))}: this goes with {arg('over', 'collection')}; give that as well, or leave "
            "it out"
        )
    if odd := [name for name in options if name in WITH_GOLD]:
        raise TruegainError(
            f"{', '.join(map(argname, odd))}: this goes with {arg('gold')}; give gold labels as well, or leave it out"
        )
    return dict(options)
