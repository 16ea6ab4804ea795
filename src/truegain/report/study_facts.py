"""What every page says of a study, whatever it was made of: scores and rankings by measure, and its claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from truegain.errors import TruegainError, no_system
from truegain.io.columns import Bools
from truegain.measures.base import Measure
from truegain.report.data_health import unjudged_by_system
from truegain.report.facts import Claim, Made, MeasureFacts
from truegain.results.serialization import hints_of
from truegain.study.documents import Outcome
from truegain.study.study import Costs, Study
from truegain.study.verdict import Verdict

MOST_COMPARED = 400  # systems of which every pair is asked about one by one
MOST_CLAIMS = 300
SCORES = hints_of(MeasureFacts, but="measure")

Keeping = Callable[[tuple[object, ...], Callable[[], Any], Any], Any]  # by what it was made of, how, and its type


def as_made(_: tuple[object, ...], make: Callable[[], Any], kind: object) -> Any:  # noqa: ARG001
    """Nothing is kept."""
    return make()


class StudyFacts(NamedTuple):
    """What a study says: by measure, and of claims."""

    measures: tuple[MeasureFacts, ...]
    claims: tuple[Claim, ...]
    claims_requested: bool  # whether somebody asked for the claims


def study_facts(
    study: Study, pairs: Sequence[tuple[str, str]], baselines: Sequence[str], costs: Costs, made: Made, kept: Keeping,
    verdict: type[Verdict] = Verdict,
) -> StudyFacts:  # fmt: skip
    """Scores and claims; what is refused, is refused first.  verdict: the kind of verdicts that the study gives."""
    if unknown := [s for s in (*(s for pair in pairs for s in pair), *baselines) if s not in study.systems]:
        kind = "baseline" if unknown[0] in baselines else "pair"
        raise no_system(kind, unknown[:1], study.systems)
    for m in study.measures:
        study.variance_model(m)
    measures = tuple(_scores(study, m, kept) for m in study.measures)
    requested = _claims(pairs, baselines, measures[0].ranking.systems)
    claims = requested or (_usual_claim(study, measures),)
    claims = tuple(replace(c, verdicts=_verdicts(study, c, costs, kept, made.words, verdict)) for c in claims)
    return StudyFacts(measures, _together(study, claims, kept), bool(requested))


# ---------------------------------------------------------------------- scores


def _scores(study: Study, m: Measure, kept: Keeping) -> MeasureFacts:
    """As kept, but for how it was made: the study may have other measures beside this one."""
    facts = MeasureFacts(m, **kept(("scores", str(m)), partial(_of_measure, study, m), SCORES))
    return replace(facts, ranking=replace(facts.ranking, provenance=study.provenance))


def _of_measure(study: Study, m: Measure) -> dict[str, Any]:
    """All but the measure itself."""
    ranking = study.best(m)
    by_system = {e.system: e for e in study.estimates(m)}
    place = {s: i for i, s in enumerate(ranking.systems)}
    n = len(place)
    differs: Bools = np.zeros((n, n), np.bool_)  # if the pair is tested alone
    pairs = tuple(study.compare(measure=m)) if n <= MOST_COMPARED else ()
    for c in pairs:
        if c.p is not None and c.p < 1 - study.confidence and not {c.a, c.b} & set(ranking.open):
            i, j = place[c.a], place[c.b]
            differs[i, j] = differs[j, i] = True
    naive = None
    if study.is_corrected:
        value = study.variance_model(m).uncorrected.value
        naive = tuple(float(value[study.systems.index(s)]) for s in ranking.systems)
    assert ranking.ahead is not None
    holes, documents = unjudged_by_system(study.ranked, getattr(m, "cutoff", None))
    unjudged = (0 if study.unjudged_sample is not None else int(holes.sum()), int(documents.sum()))
    estimates = tuple(by_system[s] for s in ranking.systems)
    notes = tuple(n for n in ranking.notes if n != study.population)
    values = (ranking, estimates, naive, ranking.ahead, differs, pairs, unjudged, notes)
    return dict(zip(SCORES, values, strict=True))


# ---------------------------------------------------------------------- claims


def _claims(pairs: Sequence[tuple[str, str]], baselines: Sequence[str], best_first: Sequence[str]) -> tuple[Claim, ...]:
    """The claims that somebody asked for."""
    claims = [Claim(a, b, ()) for a, b in pairs]
    claims += [Claim(a, b, (), baseline=True) for a in baselines for b in best_first if b not in baselines]
    if baselines and not set(best_first) - set(baselines):
        raise TruegainError("every system is a baseline; leave one out, which may be better than the others")
    if len(claims) > MOST_CLAIMS:
        raise TruegainError(
            f"{len(claims):,} claims are too many for a page; name pairs of systems, or fewer baselines"
        )
    return tuple(claims)


def _verdicts(
    study: Study, claim: Claim, costs: Costs, kept: Keeping, words: Callable[[str], str], kind: type[Verdict]
) -> tuple[Verdict, ...]:
    a, b = claim.a, claim.b

    def worded(m: Measure) -> Verdict:
        verdict = study.verdict(a, b, m, costs)
        reasons = tuple(replace(reason, text=words(reason.text)) for reason in verdict.reasons)
        return replace(verdict, notes=tuple(map(words, verdict.notes)), reasons=reasons)

    verdicts = (kept(("verdict", a, b, str(m), str(costs)), partial(worded, m), kind) for m in study.measures)
    return tuple(replace(verdict, provenance=study.provenance) for verdict in verdicts)


def _together(study: Study, claims: tuple[Claim, ...], kept: Keeping) -> tuple[Claim, ...]:
    """With what is said of all claims against baselines at once, by the first measure."""
    verdicts = [c.first for c in claims if c.baseline]
    if len(verdicts) < 2:
        return claims
    pairs = [(v.comparison.a, v.comparison.b) for v in verdicts]
    outcomes: tuple[Outcome, ...] = kept(
        ("together", str(study.measures[0]), str(pairs)), partial(study.together, verdicts), tuple[Outcome, ...]
    )
    by = dict(zip(pairs, outcomes, strict=True))
    return tuple(replace(c, together=by[c.a, c.b]) if c.baseline else c for c in claims)


def _usual_claim(study: Study, measures: Sequence[MeasureFacts]) -> Claim:
    """Of two systems the second against the first, of many the best against the second."""
    first, second = study.systems[:2] if len(study.systems) == 2 else measures[0].ranking.systems[1::-1]
    return Claim(first, second, ())
