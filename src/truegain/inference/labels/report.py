"""The whole answer to "which labels should we buy?": plan, cost against difference, and the next batch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from truegain._version import __version__
from truegain.errors import TruegainError, some
from truegain.gains.pairs import Design, Missing
from truegain.inference.corrections.rectified import in_line
from truegain.inference.judges.label_weights import level_of
from truegain.inference.judges.panel import Judges
from truegain.inference.labels import sentences
from truegain.inference.labels.batch import next_batch
from truegain.inference.labels.plan import (
    LabelPlan,
    Prospect,
    found_already,
    plan_labels,
    plan_table,
)
from truegain.inference.labels.prospect import Outlook, outlook_of
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


@dataclass(frozen=True)
class LabelReading:
    """How gold was sampled and where relevance begins on its scale, as in `correct`, and how runs are read."""

    design: Design | None = None
    gold_level: float | None = None
    missing: Missing = "refuse"
    name_by: NameBy = "file"
    jobs: int | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> LabelReading:
        """From keywords, refusing what is not one."""
        unknown = set(given) - set(cls.__dataclass_fields__)
        if unknown:
            raise TruegainError(
                f"plan has no option {some(sorted(unknown))}; it has {', '.join(cls.__dataclass_fields__)}"
            )
        return cls(**given)


def plan(
    runs: object,
    bronze: object,
    judge: object,
    measure: object,
    *,
    cost_bronze: float,
    cost_gold: float,
    detect: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    batch: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> LabelReport:
    """Plan the labels that show a difference between two systems, from what is known of them and of the judge.

    `judge` is a `Judge` or the gold labels themselves, of which `design` says how they were sampled, as in `correct`.
    detect: the difference worth finding (the corrected one so far).  batch: how many pairs to send to the gold judge
    next (as many as the plan wants).  Further keywords (`design`, `gold_level`, `missing`, `name_by`, `jobs`) are those
    of `LabelReading`.  The plan is for the test that `compare` makes by default with these gold labels.

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
    read, one, table = LabelReading.of(reading), parse_measure(measure), Judgments.of(bronze)  # type: ignore[arg-type]
    judges = Judges.of(judge, table, one, read.design, gold_level=read.gold_level, missing=read.missing)
    known = judges.only("a plan of labels")
    ranked = in_line(runs, table, judges.rectifier("default"), read.name_by, read.jobs)
    seen = outlook_of(ranked, known, one, cost_bronze=cost_bronze, cost_gold=cost_gold, gold_level=read.gold_level)
    prospect, wanted = seen.prospect, _wanted(seen, detect, str(one))
    chosen = plan_labels(prospect, wanted, confidence=confidence, power=power)
    already = found_already(prospect, confidence=confidence, power=power)
    already = None if already is None or already > seen.largest else already
    shown = plan_table(prospect, _listed(wanted, already, seen.largest), confidence=confidence, power=power)
    sent = None
    if batch is not None or chosen.new_gold_labels:
        sent = next_batch(ranked, known, one, batch or chosen.new_gold_labels, seed=seed)
    about = sentences.about_batch(sent, known, chosen, batch)
    a, b = ranked.systems
    notes = (
        str(known.at_levels(level_of(one), read.gold_level)),
        sentences.so_far(seen, f"{b} - {a}", str(one), confidence, chosen_for=detect),
        sentences.to_buy(chosen, power, confidence),
        *(() if already is None else (sentences.there_already(already, power),)),
        sentences.from_nothing(prospect, wanted, power, confidence),
        about,
    )
    made_by = {
        "truegain": __version__, "measure": str(one), "design": known.design, "cost_bronze": cost_bronze,
        "cost_gold": cost_gold, "power": power, "confidence": confidence, "detect": wanted, "seed": seed,
        "found_already": already,
    }  # fmt: skip
    shown = Table(shown.columns, shown.rows, made_by, shown.title, notes)
    return LabelReport(chosen, prospect, shown, sent, about, already, confidence, power, seen.largest)


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
