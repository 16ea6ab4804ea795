"""The whole answer to "which labels should we buy?": plan, cost against difference, and the next batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from truegain._version import __version__
from truegain.errors import TruegainError, needs
from truegain.gains.pairs import Design, Missing
from truegain.inference.judges.correct import judge_of
from truegain.inference.judges.label_batch import next_batch, prospect_of
from truegain.inference.judges.label_plan import LabelPlan, Prospect, from_scratch, plan_labels, plan_table
from truegain.inference.judges.lists import JudgedLists
from truegain.measures.evaluate import Options, aligned
from truegain.measures.parse import parse_measure
from truegain.tables.judgments import Judgments
from truegain.tables.read import NameBy
from truegain.tables.table import Table

DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)


@dataclass(frozen=True, eq=False)
class LabelReport:
    """A plan, the table of cost against detectable difference, and the next pairs for the gold judge."""

    plan: LabelPlan
    prospect: Prospect
    table: Table
    batch: Judgments | None

    def chart(self) -> Any:
        """Cost against detectable difference, as an Altair chart."""
        altair = needs("altair", "plots")
        rows = [{"difference": r["difference"], "cost": r["cost"]} for r in self.table.records()]
        base = altair.Chart(altair.Data(values=rows), title="cost of labels against detectable difference")
        return base.mark_line(point=True).encode(
            x=altair.X("difference:Q", title="true difference to be found"), y=altair.Y("cost:Q", title="cost")
        )


def label_report(
    runs: object,
    bronze: object,
    gold: object,
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
    """Plan the labels that show a difference between two systems, from what is known of them and of the judge."""
    one, table = parse_measure(measure), Judgments.of(bronze)  # type: ignore[arg-type]
    judge = judge_of(gold, table, design, one, gold_level, missing)
    ranked = aligned(runs, table, Options(), name_by=name_by, jobs=jobs)
    lists = JudgedLists.of(ranked, judge, one, gold_level=gold_level)
    prospect, now = prospect_of(lists, cost_bronze=cost_bronze, cost_gold=cost_gold)
    wanted = abs(now) if detect is None else detect
    if wanted < 1e-4:
        raise TruegainError(f"the corrected difference so far is {now:+.5f}; say which one matters to you (--detect)")
    plan = plan_labels(prospect, wanted, confidence=confidence, power=power)
    listed = sorted({*DIFFERENCES, round(wanted, 4)})
    shown = plan_table(prospect, listed, confidence=confidence, power=power)
    some = None
    if batch is not None or plan.new_gold_labels:
        some = next_batch(lists, batch or plan.new_gold_labels, seed=seed)
    a, b = ranked.systems
    notes = (
        str(judge),
        f"So far {b} - {a} is {now:+.4f} on {one}, corrected, from {prospect.topics} topics and "
        f"{prospect.gold_relevant + prospect.gold_nonrelevant:.0f} gold pairs that they retrieved.",
        _sentence(plan, power, confidence),
        _scratch(prospect, wanted, power, confidence),
        *(() if some is None else (_batch(some, plan, batch),)),
    )
    made_by = {
        "truegain": __version__, "measure": str(one), "design": judge.design, "cost_bronze": cost_bronze,
        "cost_gold": cost_gold, "power": power, "confidence": confidence, "detect": wanted, "seed": seed,
    }  # fmt: skip
    return LabelReport(plan, prospect, Table(shown.columns, shown.rows, made_by, shown.title, notes), some)


def _sentence(plan: LabelPlan, power: float, confidence: float) -> str:
    if not plan.cost:
        return (
            f"A true difference of {plan.difference:.4f} is found with {plan.power:.0%} power by the labels there are; "
            "nothing needs to be bought."
        )
    return (
        f"To find a true difference of {plan.difference:.4f} with {power:.0%} power at {confidence:.0%} confidence: "
        f"{plan.topics} topics ({plan.new_bronze_labels} new bronze labels) and {plan.gold} gold pairs, "
        f"{plan.gold_relevant} relevant and {plan.gold_nonrelevant} not ({plan.new_gold_labels} new), for "
        f"{plan.cost:,.2f}; {plan.shares[1]:.0%} of the variance is left to the gold pairs."
    )


def _scratch(p: Prospect, wanted: float, power: float, confidence: float) -> str:
    plan = plan_labels(from_scratch(p), wanted, confidence=confidence, power=power)
    return (
        f"From nothing the cheapest way would be {plan.topics} topics and {plan.gold} gold pairs for {plan.cost:,.2f}."
    )


def _batch(batch: Judgments, plan: LabelPlan, asked: int | None) -> str:
    less = len(batch) < (asked or plan.new_gold_labels)
    more = ": all that are left, new topics must bring more" if less else ""
    return (
        f"The next batch for the gold judge has {len(batch)} pairs{more}; they are drawn at random from what the two "
        "systems retrieved, in random order, so that judging may stop anywhere (-o FILE writes them, label -1)."
    )
