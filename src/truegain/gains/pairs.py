"""Gold pairs: documents that both the bronze and the gold judge have labelled, with the topic they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from truegain.errors import InputError, TruegainError
from truegain.gains.scales import OffScaleLabels, check_scale, tell_scales
from truegain.message import arg
from truegain.sampling.designs import Design, weights_of
from truegain.tables.checks import warn
from truegain.tables.columns import Bools, Coded, Floats, Ints, frozen
from truegain.tables.judgments import Judgments
from truegain.tables.pool import Pool

Missing = Literal["refuse", "drop"]
NO_BRONZE = "missing='drop' for gold labels"  # missing= is also about rows of files, and --missing always is
UNMATCHED = f"{arg('unmatched', 'drop', python=NO_BRONZE)} leaves them out"
PERFECT = 50  # gold pairs, from which on a judge without an error is suspicious


@dataclass(frozen=True, eq=False)
class Pairs:
    """One row a pair: topic, bronze label, gold label, weight; and what was noticed while pairing.

    `share` is the share of each bronze label among all bronze labels, `unmatched` the gold pairs without a bronze
    label that were left out, `unjudged` the pairs left out because a label is negative (pooled, not judged),
    `off_scale` the bronze labels that gold never uses, where nobody said that they are on the scale.
    """

    topics: tuple[str, ...]
    topic: Ints
    bronze: Floats
    gold: Floats
    weight: Floats
    share: dict[float, float]
    unmatched: int = 0
    unjudged: int = 0
    pool: Pool | None = None  # of the bronze labels
    item: Ints | None = None  # of each pair, into that pool
    weighted: bool = False  # whether the weights were given, rather than told by how gold was drawn
    off_scale: OffScaleLabels | None = None
    scale: tuple[float, ...] | None = None  # the labels there are, where they were given

    def __len__(self) -> int:
        return len(self.topic)

    def only(self, keep: Bools) -> Pairs:
        """Some of the pairs."""
        return replace(
            self,
            topic=frozen(self.topic[keep]),
            bronze=frozen(self.bronze[keep]),
            gold=frozen(self.gold[keep]),
            weight=frozen(self.weight[keep]),
            item=None if self.item is None else frozen(self.item[keep]),
        )

    def items_in(self, pool: Pool) -> Ints:
        """The item of each pair in another pool, -1 where it has none."""
        if self.pool is None or self.item is None:
            raise TruegainError("these pairs do not say which documents they are about")
        at: Ints = pool.find(Coded(self.pool.topics, self.pool.topic), self.pool.docs).astype(np.int64)
        return at[self.item]

    def as_drawn(self, design: Design, source: str) -> Pairs:
        """The pairs, each weighing what the design says; `source` is where they were read."""
        assert self.pool is not None
        judged, place = self.pool.labels >= 0, np.zeros(len(self.pool), np.int64)
        place[self.item] = 1
        drawn, place = place > 0, np.cumsum(place) - 1
        try:
            weight = weights_of(self.pool.labels[judged], drawn[judged], design)
        except InputError as error:
            raise InputError(error.problem, file=source, hint=error.hint) from None
        return replace(self, weight=frozen(weight[place[self.item]]))


def pair_up(
    bronze: object,
    gold: object,
    *,
    weights: npt.ArrayLike | None = None,
    scale: Sequence[float] | None = None,
    missing: Missing = "refuse",
    levels_given: bool | None = None,
) -> Pairs:
    """Find the bronze label of every gold pair.

    `scale` lists the labels there are; others are refused.  Without it a few bronze labels beyond all gold ones are
    told, and so are two different scales where `levels_given` is False: relevance begins at the same label on both.

    `weights` (one a gold row) say how much a pair counts; without them all count alike.

    >>> pairs = pair_up({"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 1, "b": 1}})
    >>> pairs.bronze.tolist(), pairs.gold.tolist()
    ([1.0, 0.0], [1.0, 1.0])
    """
    bronze_table, gold_table = Judgments.of(bronze), Judgments.of(gold, "gold")
    cheap, trusted = Pool.of(bronze_table), Pool.of(gold_table)
    check_scale(bronze_table, scale)
    check_scale(gold_table, scale)
    gold_label = trusted.labels
    weight = _weights(weights, trusted)
    found = cheap.find(Coded(trusted.topics, trusted.topic), trusted.docs)
    lost = np.flatnonzero((found < 0) & (gold_label >= 0))
    if len(lost) and missing != "drop":
        raise _without_bronze(trusted, lost, bronze_table.source, gold_table.source)
    bronze_label = np.where(found >= 0, cheap.labels[found], -1.0)
    keep = (found >= 0) & (bronze_label >= 0) & (gold_label >= 0)
    unjudged = int(np.count_nonzero((found >= 0) & ~keep))
    _tell_unjudged(gold_label, bronze_label, found >= 0)
    if not keep.any():
        raise InputError(
            "no gold pair has a bronze label", file=gold_table.source, hint="check that the two files belong together"
        )
    off_scale = None
    if scale is None:
        off_scale = OffScaleLabels.of(cheap, gold_label[keep])
        tell_scales(off_scale, cheap, gold_label[keep], levels_given=levels_given)
    _tell_copied(bronze_label[keep], gold_label[keep])
    judged = cheap.labels[cheap.labels >= 0]
    values, counts = np.unique(judged, return_counts=True)
    share = dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))
    return Pairs(
        trusted.topics,
        frozen(trusted.topic[keep].astype(np.int64)),
        frozen(bronze_label[keep]),
        frozen(gold_label[keep]),
        frozen(weight[keep]),
        share,
        unmatched=len(lost),
        unjudged=unjudged,
        pool=cheap,
        item=frozen(found[keep].astype(np.int64)),
        weighted=weights is not None,
        off_scale=off_scale if off_scale is not None and off_scale.labels else None,
        scale=None if scale is None else tuple(float(x) for x in scale),
    )


def _tell_unjudged(gold: Floats, bronze: Floats, both: Bools) -> None:
    """Labels below 0 mean pooled, not judged; a gold pair that has one is no pair."""
    for kind, below in (("gold", gold < 0), ("bronze", both & (bronze < 0) & (gold >= 0))):
        if n := int(np.count_nonzero(below)):
            warn(f"{n} of {len(gold)} gold pairs have a {kind} label below 0 (not judged) and are left out")


def _tell_copied(bronze: Floats, gold: Floats) -> None:
    """A judge without a single error is more often a file given twice."""
    if len(gold) >= PERFECT and len(np.unique(gold)) > 1 and bool((bronze == gold).all()):
        warn(
            f"all {len(gold)} gold pairs have exactly the bronze label: are the gold labels a copy of the bronze ones? "
            "If not, this judge makes no errors, and there is nothing to correct"
        )


def _weights(weights: npt.ArrayLike | None, trusted: Pool) -> Floats:
    if weights is None:
        return np.ones(len(trusted))
    given = np.asarray(weights, np.float64)
    if given.shape != (len(trusted.row_item),):
        raise TruegainError(f"weights has {given.shape} values; give one for each of the {len(trusted.row_item)} pairs")
    if not (np.isfinite(given).all() and (given >= 0).all() and given.any()):
        raise TruegainError("weights must be finite and not negative, and not all 0")
    out = np.empty(len(trusted))
    out[trusted.row_item] = given
    return out


def _without_bronze(trusted: Pool, lost: Ints, bronze: str, gold: str) -> InputError:
    names = [f"topic {trusted.topics[trusted.topic[i]]} document {trusted.docs[int(i)]}" for i in lost[:3]]
    more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
    return InputError(
        f"{len(lost)} of {len(trusted)} gold pairs have no bronze label in {bronze} ({'; '.join(names)}{more})",
        file=gold,
        hint=f"label them with the bronze judge; if it skips pairs regardless of relevance, {UNMATCHED}",
    )
