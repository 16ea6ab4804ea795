"""Gathers what a page says of preferences: the study's answers, counts of votes, and a judge beside people."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

from truegain.preferences.answers import PreferenceVerdict
from truegain.preferences.description import JudgedVotes, judged_votes, pair_votes
from truegain.preferences.estimators import ByPreferences
from truegain.preferences.gold import on_judged
from truegain.preferences.study import PreferenceStudy
from truegain.report.facts import Facts, Made, PreferenceFacts
from truegain.report.preference_health import preference_checks
from truegain.report.study_facts import Keeping, as_made, study_facts
from truegain.study.study import Costs


def gather_preferences(
    study: PreferenceStudy,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baselines: Sequence[str] = (),
    costs: Costs = None,
    messages: Sequence[str] | None = (),
    made: Made | None = None,
    kept: Keeping = as_made,
) -> Facts:
    """The facts of a page about preferences; the arguments are those of `gather`.

    messages: what reading warned of; None where that is not known any more.
    """
    made = made or Made(str(study.provenance["truegain"]), options=study.provenance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told when the study was made
        measures, claims, claims_requested = study_facts(study, pairs, baselines, costs, made, kept, PreferenceVerdict)
        told_above = {note for c in claims for v in c.verdicts for note in v.notes}  # once is enough
        measures = tuple(replace(m, notes=tuple(n for n in m.notes if n not in told_above)) for m in measures)
        judge = _judge(study)
        votes = study.preferences
        about = PreferenceFacts(
            pair_votes(votes), judge, "" if judge is None else str(study.provenance["design"]), votes.flips,
            study.position and any(m.measure.model != "" for m in measures),  # type: ignore[attr-defined]
        )  # fmt: skip
        checks = preference_checks(study, about, messages)
    people = study.gold_preferences or votes
    return Facts(
        systems=study.systems,
        topics=len(study.topics),
        labels=len(votes),
        gold=0 if judge is None else judge.gold,
        assessors=len(people.assessors),
        confidence=study.confidence,
        min_effect=study.min_effect,
        over=frozenset(study.over),
        holds_for=study.holds_for,
        not_covered=study.not_covered,
        measures=measures,
        claims=claims,
        claims_requested=claims_requested,
        checks=tuple(checks),
        made=made,
        seed=study.seed,
        unchecked="" if study.trust_judge else study.unchecked,
        preferences=about,
    )


def _judge(study: PreferenceStudy) -> JudgedVotes | None:
    """The judge's votes beside people's; None where there are no gold comparisons."""
    people = study.gold_preferences
    if people is None:
        return None
    estimator = study.variance_model(study.measures[0]).estimator
    assert isinstance(estimator, ByPreferences)
    assert estimator.gold is not None
    judged = study.preferences.cells()
    return judged_votes(
        judged, on_judged(people.cells(), judged), slope=estimator.gold.slope, correlation=estimator.gold.correlation,
        confidence=study.confidence,
    )  # fmt: skip
