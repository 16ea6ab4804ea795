"""The judge against the gold labels, as a page tells it."""

from __future__ import annotations

from dataclasses import replace

from truegain.config import Gold, Resampling
from truegain.contrasts import Contrasts
from truegain.errors import TruegainError
from truegain.gains.judge import Judge
from truegain.gains.judge_table import label_table
from truegain.gains.rates import clearly_positive
from truegain.inference.judges.by_rank import rank_notes
from truegain.inference.judges.homogeneity import homogeneity
from truegain.inference.judges.lists import JudgedLists
from truegain.inference.study.study import Study
from truegain.inference.study.trusted import Labels
from truegain.measures.base import Measure
from truegain.measures.parse import parse_measure
from truegain.report.facts.facts import JudgeFacts
from truegain.sampling.designs import SAME_POPULATION
from truegain.tables.gold_list import GoldList
from truegain.tables.judgments import Judgments
from truegain.tables.runs import RunPaths
from truegain.tables.table import Table


def judges_by_list(
    listed: GoldList, bronze: Judgments, runs: RunPaths | None, measure: Measure, show: str | None,
    gold_relevant_from: float | None, replicates: int, seed: int, jobs: int | None,
) -> Table:  # fmt: skip
    """How good a judge is by the labels of an ordered list, as a page tells it: by system with runs, else by label."""
    if runs is None:
        within = Labels(bronze, bronze, tuple(bronze.topic.values))
        judge = within.judge(listed.judgments(), "random", measure, gold_relevant_from, False, listed)
        assert judge is not None
        return replace(_by_label(judge), notes=(_on_list(judge),))
    gold = Gold(listed, relevant_from=gold_relevant_from)
    resampling = Resampling(seed=seed, jobs=jobs)
    study = Study(runs, bronze, measure, gold=gold, resampling=resampling)
    found = judge_facts(study, gold_relevant_from, replicates)
    assert found is not None
    by_system = None if found.by_system is None else found.by_system.table()
    if show == "systems" and by_system is None:
        raise TruegainError(found.by_rank[0])
    table = by_system if by_system is not None and show != "labels" else found.by_label
    said = () if by_system is None else by_system.notes
    return replace(table, notes=(found.told, *found.notes, *found.by_rank, *said))


def judge_facts(study: Study, gold_relevant_from: float | None, trials: int = 2000) -> JudgeFacts | None:
    """The facts of the judge; None where there is no gold."""
    judge = study.judge
    if judge is None:
        return None
    measure = next((m for m in study.measures if m.linear_in_gains), None)
    if measure is None:
        measure = parse_measure(f"P@{getattr(study.measures[0], 'cutoff', None) or 10}")
    ordered = study.gold_list is not None  # drawn with unequal chances, which its weights make up for
    notes = [] if ordered else [*judge.consistency()]
    if (said := judge.inverted()) is not None:
        notes.append(said)
    found = None
    try:
        if ordered and _leaves_out(study):
            raise TruegainError("the list was drawn to tell differences, and leaves out documents that systems share")
        lists = JudgedLists.of(study.ranked, judge, measure, gold_relevant_from=gold_relevant_from)
        found = homogeneity(lists, trials=trials, seed=study.seed)
        ranks = rank_notes(lists, always=True, rectified=True)
    except TruegainError as error:
        ranks = [f"Not told by system: {error}"]
    chance = ""
    try:
        clearly_positive(judge.rates())
    except TruegainError as error:
        chance = str(error)
    rectified, design = judge.design in SAME_POPULATION, "ordered" if ordered else judge.design
    rates, by_label = (judge.mR, judge.mN, judge.D), _by_label(judge)
    return JudgeFacts(
        _on_list(judge) if ordered else str(judge), rates, chance, rectified, judge.size, design, by_label, found,
        str(measure), tuple(notes), tuple(ranks),
    )  # fmt: skip


def _leaves_out(study: Study) -> bool:
    """Whether a list of gold labels is not of all that the systems retrieved."""
    lacking = study.lattice(study.measures[0]).evidence.unlisted(Contrasts.scores(len(study.systems)))
    return lacking is not None and bool(lacking.any())


def _by_label(judge: Judge) -> Table:
    """What the judge says, given the gold label: shares by weight, and how many pairs were judged."""
    found = label_table(judge.confusion)
    if judge.pairs is None:
        return found
    rows = [
        (label, int((judge.pairs.gold == g).sum()), *shares)
        for g, (label, _, *shares) in zip(judge.confusion.gold, found.rows, strict=True)
    ]
    return replace(found, rows=rows)


def _on_list(judge: Judge) -> str:
    """How good the judge is on the documents that an ordered list was drawn from; labels counted, not weights."""
    assert judge.pairs is not None
    relevant = int((judge.pairs.gold >= judge.levels[1]).sum())
    return (
        f"bronze judge on {judge.size:,} gold labels of an ordered list, weighted by their chances to be drawn: finds "
        f"{judge.mR:.1%} of the relevant (mR, {relevant:,} labels) and {judge.mN:.1%} of the non-relevant (mN, "
        f"{judge.size - relevant:,} labels); D = {judge.D:.3f}"
    )
