"""The judge of a study by the systems that it judged: ready for its errors, and how much it favors one of them."""

from __future__ import annotations

from truegain.errors import TruegainError, counted, there_are
from truegain.judge_error.diagnostics import favors
from truegain.judge_error.favor import Favor
from truegain.judge_error.system_judges import JudgedLists
from truegain.judge_error.value_errors import FEW_LABELS, SAME, ValueErrors
from truegain.measures.base import Measure
from truegain.measures.parse import parse_measure
from truegain.message import told_value
from truegain.sampling.catalogue import groups_of
from truegain.sampling.clusters import CLUSTERS
from truegain.stats.contrasts import Contrasts
from truegain.study.study import Study

USUAL_CUTOFF = 10  # of P, which stands in for measures that are not linear in gains


def linear_measure(study: Study) -> Measure:
    """The study's first measure that is linear in gains, since errors add up in such alone; else precision."""
    first = next((m for m in study.measures if m.linear_in_gains), None)
    return first or parse_measure(f"P@{getattr(study.measures[0], 'cutoff', None) or USUAL_CUTOFF}")


def judged_lists(study: Study) -> JudgedLists:
    """What the systems retrieved, with the judge behind it."""
    assert study.judge is not None
    if study.gold_list is not None and _leaves_out(study):
        raise TruegainError(
            "the list was drawn for differences, and leaves out documents that systems share",
            remedy="draw a list of all",
        )
    gold = study.config.gold
    relevant_from = None if gold is None else gold.relevant_from
    return JudgedLists.of(study.ranked, study.judge, linear_measure(study), gold_relevant_from=relevant_from)


def _leaves_out(study: Study) -> bool:
    """Whether a list of gold labels is not of all that the systems retrieved."""
    lacking = study.variance_model(study.measures[0]).estimator.unlisted(Contrasts.scores(len(study.systems)))
    return lacking is not None and bool(lacking.any())


def value_errors(study: Study) -> ValueErrors:
    """The judge's values of answers beside those of people, over topics, or over clusters where the study is."""
    assert study.judge is not None
    groups = groups_of(CLUSTERS.name, study.topics, study.grouped) if CLUSTERS.name in study.over else None
    name = str(study.measures[0]) if study.of_answers else "nugget support"  # what was labeled: no measure of it
    return ValueErrors.of(
        study.judge.pairs, study.judge.design, study.ranked, name, groups=groups, confidence=study.confidence,
        provenance=study.provenance,
    )  # fmt: skip


def favor_in(study: Study, system: str) -> Favor:
    """How much the judge's errors add to a system's score more than to those of the others."""
    if system not in study.systems:
        named = told_value("system", system)
        raise TruegainError(f"{named} is not a system here; {there_are([system], study.systems, 8)}")
    if len(study.systems) < 2:
        raise TruegainError("there is one system; whether the judge favors it needs others to compare it with")
    if study.of_items:
        errors = value_errors(study)
        few = next((e for e in errors.by_system if e.system == system and e.labels < FEW_LABELS), None)
        if few is not None:
            return Favor(system, lacks=counted(few.labels, "gold label"))
        value, se, df = errors.lean(system)
        return Favor(system, value, se, df) if se > SAME else Favor(system)
    lists = judged_lists(study)
    if lists.judge_and_pairs is None:
        raise TruegainError("whether the judge favors a system needs the gold pairs, not counts of them")
    return next(favor for favor in favors(lists) if favor.system == system)
