"""How far the gold pairs behind a corrected mean move it: topic by topic, and pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truegain.errors import TruegainError
from truegain.gains.graded import CorrectedMean
from truegain.inference.judges.rates import ICC, PRIOR
from truegain.tables.columns import Floats, Ints

JUDGE = 1 << 48  # numbers of units of one judge lie below, those of the next above


@dataclass(frozen=True, eq=False)
class GoldInfluence:
    """Moves by gold topic and gold label; and by unit, whose squares add up where pairs are independent.

    A unit is a gold pair, or where only counts are known all pairs of a cell of the matrix; two units of the same
    number are the same.  `size` is how many pairs of each gold label there are, `counts` by topic.  `more` are the
    moves of one more pair of each kind, so that a judge who made no error in a few pairs is not taken for faultless.
    """

    topics: tuple[str, ...]
    moves: Floats  # topic x label
    counts: Floats  # topic x label
    size: Floats  # by label
    unit: Ints
    unit_label: Ints
    unit_moves: Floats
    more: Floats  # judge x label x bronze label

    def of_pairs(self) -> Floats:
        """Variance by gold label where pairs, not topics, are independent."""
        by_label = np.bincount(self.unit_label, self.unit_moves**2, self.moves.shape[1])
        return by_label.astype(np.float64)

    def over_topics(self) -> tuple[float, list[tuple[float, float]]]:
        """Variance over topics, and its parts by gold label with their degrees of freedom.

        Each label's part is moderated as a rate's is (see `rates_of`): topics count as (sum n)^2 / sum n^2, and the
        variance is averaged with that of a judge whose accuracy varies over topics as usual.
        """
        m = len(self.topics)
        if m < 2:
            raise TruegainError(
                f"the gold pairs come from {m} topic; 2 are needed (clusters='none' takes pairs as independent)"
            )
        grow, independent = m / (m - 1), self.of_pairs() + (self.more**2).sum(axis=(0, 2))
        seen = grow * (self.moves**2).sum(axis=0)
        whole = np.maximum(self.counts.sum(axis=0), 1e-300)
        share = np.maximum((self.counts**2).sum(axis=0) / whole**2, 1e-300)
        usual = independent * (1 + ICC * np.maximum(0.0, self.size * share - 1))
        df = np.maximum(1 / share - 1, 0.0)
        moderated = np.maximum((seen / grow / share + PRIOR * usual) / (df + PRIOR), independent)
        together = grow * float((self.moves.sum(axis=1) ** 2).sum()) + float((moderated - seen).sum())
        parts = list(zip(moderated.tolist(), (df + PRIOR).tolist(), strict=True))
        return max(together, 0.25 * float(moderated.sum())), parts

    def less(self, other: GoldInfluence) -> GoldInfluence:
        """The moves of a difference of two means, behind which the same gold pairs may stand."""
        names = tuple(dict.fromkeys((*self.topics, *other.topics)))
        moves, counts = np.zeros((2, len(names), self.moves.shape[1]))
        for sign, one in ((1.0, self), (-1.0, other)):
            at = positions(one.topics, names)
            moves[at] += sign * one.moves
            counts[at] += one.counts
        unit, at = np.unique(np.concatenate([self.unit, other.unit]), return_inverse=True)
        both = np.bincount(at, np.concatenate([self.unit_moves, -other.unit_moves]), len(unit))
        label = np.empty(len(unit), np.int64)
        label[at] = np.concatenate([self.unit_label, other.unit_label])
        size = np.maximum(self.size, other.size)
        return GoldInfluence(
            names, moves, counts, size, unit, label, both.astype(np.float64), self.more - other.more
        )  # fmt: skip

    def beside(self, other: GoldInfluence) -> GoldInfluence:
        """Together with those of another judge, who labelled other topics."""
        return GoldInfluence(
            (*self.topics, *other.topics),
            np.concatenate([self.moves, other.moves]),
            np.concatenate([self.counts, other.counts]),
            self.size + other.size,
            np.concatenate([self.unit, other.unit]),
            np.concatenate([self.unit_label, other.unit_label]),
            np.concatenate([self.unit_moves, other.unit_moves]),
            np.concatenate([self.more, other.more]),
        )


def gold_influence(
    part: CorrectedMean, pairs: tuple[Ints, Ints, Ints, Floats] | None, *, judge: int = 0, joined: bool = True
) -> GoldInfluence:
    """How the gold pairs behind a corrected mean move it.

    A gold pair (g, b) moves the mean by -p_g (a_b - v_g) / n_g, with a = C^-1 v and p = C^-T f.
    """
    c, influence = part.confusion, part.influence()
    labels, said = influence.shape
    moves = -np.einsum("tgb,gb->tg", c.table, influence)
    topics = tuple(t if joined else f"{judge} {t}" for t in c.topics)
    if pairs is None:
        g, b = (x.ravel() for x in np.indices(influence.shape))
        number, unit_moves = g * said + b, -np.sqrt(c.squares[g, b]) * influence[g, b]
    else:
        number, g, b, weight = pairs
        unit_moves = -weight * influence[g, b]
    unit = np.maximum(c.totals, 1e-300) / np.maximum(c.effective, 1e-300)  # weight of a pair, on average
    return GoldInfluence(
        topics,
        moves if topics else np.zeros((0, labels)),
        c.table.sum(axis=2) if topics else np.zeros((0, labels)),
        c.effective,
        (judge * JUDGE + number).astype(np.int64),
        g.astype(np.int64),
        unit_moves,
        -(part.influence(unit) * unit[:, None])[None],
    )


def positions(names: Sequence[str], among: Sequence[str]) -> Ints:
    """Where each name stands among others, -1 where it does not."""
    where = {name: i for i, name in enumerate(among)}
    return np.array([where.get(name, -1) for name in names], np.int64)
