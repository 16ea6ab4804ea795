"""The judge of a study by the systems that it judged: ready for its errors, and how much it favors one of them."""

from __future__ import annotations

from dataclasses import replace

from truegain.data.label_lists import GoldList
from truegain.data.pool import RankedGains
from truegain.errors import TruegainError, no_system
from truegain.judge_error.diagnostics import NO_OTHERS, favors
from truegain.judge_error.favor import NO_SPREAD, SAME, Favor
from truegain.judge_error.fits import JudgedLists
from truegain.judge_error.value_errors import FEW_LABELS, ValueErrors
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measure
from truegain.measures.label_weights import level_of
from truegain.measures.scoring import at_level
from truegain.sampling.catalogue import groups_of
from truegain.sampling.clusters import CLUSTERS
from truegain.stats.contrasts import Contrasts
from truegain.study.gold_lists import ListedPairs
from truegain.study.study import Study

USUAL_CUTOFF = 10  # of P, which stands in for measures that are not linear in gains


def linear_measure(study: Study) -> Measure:
    """The study's first measure that is linear in gains, since errors add up in such alone; else precision.

    Precision takes the cutoff and the relevance threshold of the first measure, a graded one's from the study.
    """
    linear = next((m for m in study.measures if m.linear_in_gains), None)
    if linear is not None:
        return linear
    first = study.measures[0]
    level = study.relevant_from if (own := level_of(first)) is None else own
    return at_level(parse_measure(f"P@{getattr(first, 'cutoff', None) or USUAL_CUTOFF}"), level)


def judged_lists(study: Study) -> JudgedLists:
    """What the systems retrieved, with the judge behind it."""
    assert study.judge is not None
    measure = linear_measure(study)
    gold = study.config.gold
    relevant_from = None if gold is None else gold.relevant_from
    if study.gold_list is not None and _leaves_out(study.gold_list, study.ranked, measure, relevant_from):
        raise TruegainError(
            "the list was drawn for differences, and leaves out documents that systems share",
            remedy="draw a list of all",
        )
    return JudgedLists.of(study.ranked, study.judge, measure, gold_relevant_from=relevant_from)


def _leaves_out(gold_list: GoldList, ranked: RankedGains, measure: Measure, relevant_from: float | None) -> bool:
    """Whether a list of gold labels is not of all that the systems retrieved where the measure looks."""
    listed = ListedPairs.of(ranked, gold_list, measure, relevant_from)
    return bool(listed.unlisted(Contrasts.scores(len(ranked.systems))).any())


def value_errors(study: Study) -> ValueErrors:
    """The judge's values of answers beside those of people, over topics, or over clusters where the study is."""
    assert study.judge is not None
    groups = groups_of(CLUSTERS.name, study.topics, study.topic_units) if CLUSTERS.name in study.over else None
    name = str(study.measures[0]) if study.of_answers else "nugget support"  # what was labeled: no measure of it
    return ValueErrors.of(
        study.judge.pairs, study.judge.design, study.ranked, name, groups=groups, confidence=study.confidence,
        provenance=study.provenance,
    )  # fmt: skip


def favor_in(study: Study, system: str) -> Favor:
    """How much the judge's errors add to a system's score more than to those of the others."""
    if system not in study.systems:
        raise no_system("", [system], study.systems)
    if len(study.systems) < 2:
        raise TruegainError("there is one system; whether the judge favors it needs others to compare it with")
    if study.of_items:
        errors = value_errors(study)
        return replace(_favor_by_values(errors, system), measure=errors.measure, confidence=study.confidence)
    lists = judged_lists(study)
    if lists.judge_and_pairs is None:
        raise TruegainError("whether the judge favors a system needs the gold pairs, not counts of them")
    favor = next(favor for favor in favors(lists) if favor.system == system)
    return replace(favor, measure=str(lists.measure), confidence=study.confidence)


def _favor_by_values(errors: ValueErrors, system: str) -> Favor:
    """Of the systems with few labels no mean error is known: they are no measure for the others."""
    labels = next((e.labels for e in errors.by_system if e.system == system), 0)
    if labels < FEW_LABELS:
        return Favor(system, lacks=f"{labels} of its answers; {FEW_LABELS} are needed")
    if system in errors.left_out:
        return Favor(system, unknown="its gold labels are all of one topic or cluster")
    others = [name for name in errors.comparable if name != system]
    if not others:
        return Favor(system, unknown=NO_OTHERS)
    value, se, df = errors.lean(system, others)
    return Favor(system, value, se, df) if se > SAME else Favor(system, unknown=NO_SPREAD)
