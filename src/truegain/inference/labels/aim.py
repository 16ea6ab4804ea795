"""What a plan of gold labels is for, what numbers of labels bring, and how that is told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truegain._version import __version__
from truegain.inference.results import Plan
from truegain.inference.study.anytime import error_at_all_looks
from truegain.inference.study.evidence import LEAST_GOLD
from truegain.inference.study.next_steps import Mix, Standing, cheapest, fewest_gold
from truegain.measures.base import Measure
from truegain.message import Message, arg
from truegain.student import detectable_in_se, quantile_of
from truegain.tables.columns import Ints
from truegain.tables.table import Cell, Table

ROUND = (10, 25, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10000, 20000, 50000, 100000)


@dataclass(frozen=True)
class Aim:
    """What a plan is for."""

    min_effect: float
    power: float
    confidence: float
    sequential: bool
    fixed: bool
    prices: Mapping[str, float]

    @property
    def half(self) -> float:
        """Half of the width to reach; 0 where nothing is said."""
        return target_half(self.min_effect, self.power, self.confidence)

    def found(self, half: float) -> float:
        """The difference that this half of a width finds with this power."""
        return half * detectable_in_se(1 - self.confidence, self.power) / quantile_of(self.confidence)

    def quantile(self, topics: int) -> float:
        """Of the limits: over topics, or over gold alone."""
        level = self.confidence
        if self.sequential and not self.fixed:
            level = 1 - error_at_all_looks(level, True)
        return quantile_of(level, math.inf if self.fixed else topics - 1.0)


def target_half(min_effect: float, power: float, confidence: float) -> float:
    """Half the width at which a true difference of this size is found with this power: d z/(z + z_power).

    >>> round(target_half(0.02, 0.8, 0.95), 4), target_half(0.02, 0.5, 0.95)
    (0.014, 0.02)
    """
    if not min_effect:
        return 0.0
    z = quantile_of(confidence)
    return min_effect * z / detectable_in_se(1 - confidence, power)


def planned(
    standings: Sequence[Standing],
    judged: int,
    most: int | None,
    names: str,
    m: Measure,
    aim: Aim,
    details: dict[str, object],
    notes: list[str],
    least: Ints,
) -> Plan:
    """Rows, what is needed, and the cheapest mix; least: gold labels of each difference before any limits are told."""
    now = standings[0]
    unit = "gold topics" if now.whole else "gold labels"
    open_ = now.open if now.differ is not None else None  # pairs that differ and have no gold label
    top, most = (now.pairs or None, most) if open_ is None else (judged + open_, open_)
    first = int(least[0]) if len(standings) == 1 else 0
    numbers = [n for n in _rounds(judged, top) if n >= first] or [max(first, judged)]
    rows = [_row(standings, n, unit, aim, least) for n in numbers]
    needed: dict[str, int] = {}
    of_what = "these topics only" if aim.fixed else "topics like these"
    goal = f"{names} on {m}, for {of_what}"
    if aim.half:
        fewest = [fewest_gold(s, aim.half) for s in standings]
        counts = [None if n is None else max(n, int(low)) for n, low in zip(fewest, least, strict=True)]
        known = [n for n in counts if n is not None]
        if known and len(known) == len(counts):
            more = max(known) - judged
            needed[unit] = more if most is None or now.whole else min(more, most)
        goal += f": {_goal_told(len(known), len(counts), unit, aim)}"
        notes.append(needed_told(counts, judged, most, unit, aim, open_ is not None))
        if mix := _with_least(_mix(now, aim, len(standings), most), first - judged, aim):
            details["mix"] = {"more": dict(mix.more), "half_width": mix.half, "cost": mix.cost}
            notes.append(_mix_told(mix, now.whole))
        details["aimed_half_width"] = aim.half
    details["half_width"] = float(np.median([s.half for s in standings])) if judged and first <= judged else None
    details |= {
        "truegain": __version__, "needed": needed, "min_effect": aim.min_effect, "power": aim.power,
        "confidence": aim.confidence, "topics": "fixed" if aim.fixed else "sampled", "sequential": aim.sequential,
    }  # fmt: skip
    if aim.prices and len(standings) > 1:
        notes.append(Message(f"The cheapest mix is told for one pair: name it ({arg('pair', ('a', 'b'))})."))
    columns = tuple(rows[0])
    cells = [tuple(row[c] for c in columns) for row in rows]
    return Plan(needed, goal, Table(columns, cells, details, goal, tuple(notes)))


def _goal_told(known: int, pairs: int, unit: str, aim: Aim) -> str:
    """What the numbers of the plan reach, or that none does."""
    what = f"a true difference of {aim.min_effect:g}"
    if known == pairs:
        return f"{what} is found with {aim.power:.0%} power"
    of = "" if pairs == 1 else " for any of them" if not known else f" for {pairs - known:,} of them"
    return f"no number of {unit} finds {what} with {aim.power:.0%} power{of}"


def _rounds(judged: int, top: int | None) -> list[int]:
    """Numbers of labels to tell of: round ones from those at hand on, and all."""
    most = top or 50 * max(judged, 1)
    return sorted({n for n in (*ROUND, judged) if max(judged, 1) <= n < most} | ({top} if top else set()))


def least_of(touching: Ints | None, judged: int, top: int | None, pairs: int, least: int = LEAST_GOLD) -> Ints:
    """About how many labels in all make `least` touch each of so many differences, or all there are; 0 where they do.

    top: labels in all once every pair is judged that moves the difference; None where that is not known.

    >>> least_of(np.array([12, 5, 0]), 20, 100, 3).tolist(), least_of(np.array([3]), 3, 4, 1).tolist()
    ([0, 40, 100], [4])
    """
    if touching is None:
        return np.zeros(pairs, np.int64)
    wanted = np.array([-(-judged * least // max(int(n), 1)) if n or top is None else top for n in touching])
    return np.where(touching >= least, 0, wanted if top is None else np.minimum(wanted, top))


def _with_least(mix: Mix | None, lacking: int, aim: Aim) -> Mix | None:
    """A mix with no fewer gold labels than limits need; None where these have no price."""
    if mix is None or (more := lacking - mix.more.get("gold", 0)) <= 0:
        return mix
    if "gold" not in aim.prices:
        return None
    return Mix({**mix.more, "gold": lacking}, mix.half, mix.cost + more * aim.prices["gold"])


def _row(standings: Sequence[Standing], n: int, unit: str, aim: Aim, least: Ints) -> dict[str, Cell]:
    """What so many labels bring; as many as there are open pairs that differ, were it these, leave gold no part."""
    halves = np.array([s.after(gold=_times(s, n)) for s in standings])
    half = float(np.median(halves))
    several = len(standings) > 1
    row: dict[str, Cell] = {unit: n, "half width, median" if several else "half width": half,
                            f"found at {aim.power:.0%} power": aim.found(half)}  # fmt: skip
    if len(standings) > 1:
        row["widest"] = float(halves.max())
        if aim.half:
            row["share of pairs sure enough"] = float(((halves <= aim.half * (1 + 1e-9)) & (least <= n)).mean())
    return row


def _times(now: Standing, n: int) -> float:
    """How many times the gold labels at hand so many are."""
    all_that_differ = now.differ is not None and n >= now.gold + now.open
    return (now.pairs if all_that_differ else n) / now.gold


def needed_told(
    counts: Sequence[int | None], judged: int, most: int | None, unit: str, aim: Aim, without_gold: bool = False
) -> str:
    """How many labels the aim needs, in words; without_gold: `most` counts pairs that have no gold label alone."""
    what = f"a true difference of {aim.min_effect:g} ({aim.power:.0%} power, +-{aim.half:.4f})"
    known = sorted(n for n in counts if n is not None)
    if not known:
        mix = f" ({arg('costs')} with their price gives the cheapest mix)"
        return Message(
            f"No number of gold labels finds {what} for topics like these: topics differ too much. Buy topics"
            f"{'' if 'topics' in aim.prices else mix}, or ask about "
            f"these topics only ({arg('population', 'fixed')})."
        )
    if len(counts) == 1:
        n = known[0]
        if n <= judged:
            return f"The labels at hand find {what}: no more are needed."
        if most is not None and unit == "gold labels" and n - judged >= most:
            which = "that differ and have no gold label" if without_gold else "that differ"
            return (
                f"To find {what}, have the pairs judged {which}: {most:,} at most (from the whole pool it would take "
                f"{n - judged:,} more)."
            )
        more = n - judged
        one = more == 1
        return f"{more:,} {'more ' if judged else ''}{unit[:-1] if one else unit} {'finds' if one else 'find'} {what}."
    pairs, half = len(counts), (len(counts) + 1) // 2
    middle = f", {known[half - 1]:,} for half of them" if half <= len(known) else ""
    each = "each of the pairs" if len(known) == pairs else f"{len(known):,} of the {pairs:,} pairs"
    rest = "" if len(known) == pairs else f"; for the other {pairs - len(known):,} no number does"
    return f"{known[-1]:,} {unit} in all find {what} for {each}{middle}{rest}."


def _mix(now: Standing, aim: Aim, pairs: int, most: int | None) -> Mix | None:
    """The cheapest way; gold labels of the whole pool are never more than those of every pair that differs."""
    if not aim.prices or pairs > 1:
        return None
    found = cheapest(now, aim.half, aim.prices)
    if found is None or most is None or now.whole or found.more.get("gold", 0) <= most:
        return found
    last = now.after(gold=(now.pairs or 1) / now.gold)
    return Mix({"gold": most}, last, aim.prices["gold"] * most) if last <= aim.half else found


def _mix_told(mix: Mix, whole: bool) -> str:
    words = {"topics": "topics", "gold": "gold topics" if whole else "gold labels", "assessors": "assessors"}
    named = {kind: words[kind][:-1] if n == 1 else words[kind] for kind, n in mix.more.items()}
    listed = " and ".join(f"{n:,} more {named[kind]}" for kind, n in mix.more.items()) or "nothing more"
    return f"The cheapest way there: {listed}, for {mix.cost:,.2f} (+-{mix.half:.4f})."
