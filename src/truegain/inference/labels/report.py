"""The whole answer to "which labels should we buy?": plan, cost against difference, and the next batch."""

from __future__ import annotations

import math
from dataclasses import dataclass

from truegain._version import __version__
from truegain.errors import TruegainError
from truegain.gains.pairs import Design, Missing
from truegain.inference.judges.judge import Judge
from truegain.inference.judges.label_weights import level_of
from truegain.inference.judges.panel import Judges
from truegain.inference.labels.batch import next_batch
from truegain.inference.labels.plan import (
    LabelPlan,
    Prospect,
    found_already,
    from_scratch,
    plan_labels,
    plan_table,
)
from truegain.inference.labels.prospect import Outlook, outlook_of
from truegain.measures.evaluate import Options, aligned
from truegain.measures.parse import parse_measure
from truegain.tables.judgments import Judgments
from truegain.tables.read import NameBy
from truegain.tables.table import Table

NICE = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5)  # steps of the differences listed, times a power of ten
ROWS = 9


@dataclass(frozen=True, eq=False)
class LabelReport:
    """A plan, the table of cost against detectable difference, and the next pairs for the gold judge.

    found_already: the smallest difference that the labels at hand find with the wanted power.  about_batch: what the
    batch is, or why there is none.
    """

    plan: LabelPlan
    prospect: Prospect
    table: Table
    batch: Judgments | None
    about_batch: str
    found_already: float | None
    confidence: float
    power: float
    largest: float  # difference that the measure allows

    def __str__(self) -> str:
        return str(self.table)


def plan(
    runs: object,
    bronze: object,
    judge: object,
    measure: object,
    *,
    cost_bronze: float,
    cost_gold: float,
    design: Design | None = None,
    detect: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    gold_level: float | None = None,
    missing: Missing = "refuse",
    batch: int | None = None,
    seed: int = 0,
    name_by: NameBy = "file",
    jobs: int | None = None,
) -> LabelReport:
    """Plan the labels that show a difference between two systems, from what is known of them and of the judge.

    `judge` is a `Judge` or the gold labels themselves, of which `design` says how they were sampled, as in `correct`.
    detect: the difference worth finding (the corrected one so far).  batch: how many pairs to send to the gold judge
    next (as many as the plan wants).  The plan is for the test that `compare` makes by default with these gold labels.

    >>> import truegain as tg
    >>> docs = "abcdefgh"
    >>> gold = {str(t): {d: int((i * i + t) % 5 < 2) for i, d in enumerate(docs)} for t in range(20)}
    >>> bronze = {t: {d: g if (int(t) + i) % 4 else 1 - g for i, (d, g) in enumerate(row.items())}
    ...           for t, row in gold.items()}
    >>> some = {t: {d: g for i, (d, g) in enumerate(row.items()) if (int(t) + i) % 3} for t, row in gold.items()}
    >>> runs = {"x": {t: {d: -i for i, d in enumerate(docs)} for t in gold},
    ...         "y": {t: {d: i for i, d in enumerate(docs)} for t in gold}}
    >>> found = tg.plan(runs, bronze, some, "P@4", design="random", detect=0.1, cost_bronze=0.01, cost_gold=1)
    >>> found.plan.new_gold_labels > 0, len(found.batch), round(found.plan.power, 2)
    (True, 53, 0.8)
    """
    if batch is not None and batch < 1:
        raise TruegainError(f"batch {batch}: give at least 1 pair, or leave it out for as many as the plan wants")
    one, table = parse_measure(measure), Judgments.of(bronze)  # type: ignore[arg-type]
    ranked = aligned(runs, table, Options(), name_by=name_by, jobs=jobs)
    known = Judges.of(judge, table, one, design, gold_level=gold_level, missing=missing).only("a plan of labels")
    seen = outlook_of(ranked, known, one, cost_bronze=cost_bronze, cost_gold=cost_gold, gold_level=gold_level)
    prospect, wanted = seen.prospect, _wanted(seen, detect, str(one))
    chosen = plan_labels(prospect, wanted, confidence=confidence, power=power)
    already = found_already(prospect, confidence=confidence, power=power)
    already = None if already is None or already > seen.largest else already
    shown = plan_table(prospect, _listed(wanted, already, seen.largest), confidence=confidence, power=power)
    some = None
    if batch is not None or chosen.new_gold_labels:
        some = next_batch(ranked, known, one, batch or chosen.new_gold_labels, seed=seed)
    about = _about_batch(some, known, chosen, batch)
    a, b = ranked.systems
    notes = (
        str(known.at_levels(level_of(one), gold_level)),
        _so_far(seen, f"{b} - {a}", str(one), confidence, chosen_for=detect),
        _sentence(chosen, power, confidence),
        *(() if already is None else (_already(already, power),)),
        _scratch(prospect, wanted, power, confidence),
        about,
    )
    made_by = {
        "truegain": __version__, "measure": str(one), "design": known.design, "cost_bronze": cost_bronze,
        "cost_gold": cost_gold, "power": power, "confidence": confidence, "detect": wanted, "seed": seed,
        "found_already": already,
    }  # fmt: skip
    shown = Table(shown.columns, shown.rows, made_by, shown.title, notes)
    return LabelReport(chosen, prospect, shown, some, about, already, confidence, power, seen.largest)


def _so_far(seen: Outlook, pair: str, measure: str, confidence: float, chosen_for: float | None) -> str:
    """The difference so far with its interval; and that a plan for it takes it as true."""
    low, high = seen.interval(confidence)
    p = seen.prospect
    gold = f"{p.gold_relevant + p.gold_nonrelevant:.0f} gold pairs that count"
    if p.gold_topic is not None:  # counted in topics: so many pairs are an average
        gold = f"{(p.gold_relevant + p.gold_nonrelevant) / p.gold_topic:.0f} of them judged as a whole"
    taken = " It takes the difference so far for the true one; say which matters to you (--detect)."
    return (
        f"So far {pair} is {seen.difference:+.4f} on {measure}, {confidence:.0%} interval {low:+.4f} to {high:+.4f} "
        f"({seen.test}), from {p.topics} topics{',' if p.gold_topic else ' and'} {gold}; "
        f"the plan is for that test.{taken if chosen_for is None else ''}"
    )


def _wanted(seen: Outlook, detect: float | None, measure: str) -> float:
    """The difference to plan for: the one asked for, or the one so far."""
    if detect is None:
        if abs(seen.difference) < 1e-4:
            raise TruegainError(
                f"the corrected difference so far is {seen.difference:+.5f}; say which one matters to you (--detect)"
            )
        return abs(seen.difference)
    if not detect > 0:
        raise TruegainError(f"--detect {detect:g}: the difference worth finding must be above 0, such as 0.02")
    if detect > seen.largest:
        raise TruegainError(f"--detect {detect:g}: {measure} cannot differ by more than {seen.largest:g}; give less")
    return detect


def _listed(wanted: float, already: float | None, largest: float) -> list[float]:
    """Round differences around those that matter, and the one wanted."""
    anchors = [wanted] if already is None else [wanted, already]
    high = min(1.5 * max(anchors), largest)
    tens = math.floor(math.log10(high))
    nice = [m * 10.0**e for e in (tens, tens - 1, tens - 2) for m in reversed(NICE)]
    low = 0.5 * min(anchors)
    listed = [round(x, 12) for x in nice if x <= high * 1.001]
    enough = max(ROWS, sum(x >= low for x in listed))
    return sorted({*listed[: min(enough, 14)], wanted})


def _sentence(plan: LabelPlan, power: float, confidence: float) -> str:
    if not plan.cost:
        return (
            f"A true difference of {plan.difference:.4f} is found with {_percent(plan.power)} power by the labels "
            "there are; nothing needs to be bought."
        )
    return (
        f"To find a true difference of {plan.difference:.4f} with {power:.0%} power at {confidence:.0%} confidence: "
        f"{plan.topics} topics ({plan.new_bronze_labels} new bronze labels) and {plan.gold} gold pairs, "
        f"{plan.gold_relevant} relevant and {plan.gold_nonrelevant} not ({plan.new_gold_labels} new), for "
        f"{plan.cost:,.2f}; {plan.shares[1]:.0%} of the variance is left to the gold pairs."
    )


def _percent(power: float) -> str:
    return f"{power:.0%}" if power < 0.995 else "more than 99%"


def _already(already: float, power: float) -> str:
    return f"The labels there are find differences of {already:.4f} or more with {power:.0%} power; these cost nothing."


def _scratch(p: Prospect, wanted: float, power: float, confidence: float) -> str:
    plan = plan_labels(from_scratch(p), wanted, confidence=confidence, power=power)
    return (
        f"From nothing the cheapest way would be {plan.topics} topics and {plan.gold} gold pairs for {plan.cost:,.2f}."
    )


def _about_batch(batch: Judgments | None, judge: Judge, plan: LabelPlan, asked: int | None) -> str:
    if batch is None and not (asked or plan.new_gold_labels):
        return "No pair needs a gold label for this plan, so there is no next batch (--batch N draws one all the same)."
    if batch is None:
        return "There is no next batch: every pair that could be in it has a gold label; new topics must bring more."
    less = len(batch) < (asked or plan.new_gold_labels)
    more = ": all that are left, new topics must bring more" if less else ""
    how = {
        "topics": "all pairs of topics in random order",
        "by-bronze": "drawn from all labelled pairs, each bronze label as often as so far, in random order",
        "random": "drawn at random from all labelled pairs, so that they serve other systems too, in random order",
    }.get(judge.design, "drawn at random from what the two systems retrieved, in random order")
    return (
        f"The next batch for the gold judge has {len(batch)} pairs{more}; they are {how}, so that judging may stop "
        f"{'after any topic' if judge.design == 'topics' else 'anywhere'} (-o FILE writes them, label -1)."
    )
