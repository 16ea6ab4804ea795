"""How many gold labels tell systems apart: before any is there, and with some."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from truegain.config import Gold, Scoring, StudyConfig
from truegain.contrasts import Contrasts, place_of
from truegain.errors import InputError, TruegainError
from truegain.inference.labels.aim import Aim, least_of, planned
from truegain.inference.labels.listing import sample_gold, weights_of
from truegain.inference.results import Plan
from truegain.inference.study.answers import Answering
from truegain.inference.study.anytime import error_at_all_looks
from truegain.inference.study.by_list import ByList
from truegain.inference.study.checks import FIXED
from truegain.inference.study.evidence import LEAST_GOLD
from truegain.inference.study.given import Given
from truegain.inference.study.listed import Listed, StandIn, spread_of_contrasts
from truegain.inference.study.next_steps import Standing, prices_of
from truegain.inference.study.study import Study
from truegain.keywords import takes
from truegain.measures.base import Measure
from truegain.measures.parse import MeasureLike
from truegain.message import SAMPLE_GOLD, Message, arg, argname, with_marks
from truegain.sampling.ordered import information_after
from truegain.tables.columns import Ints
from truegain.tables.gold_list import GoldList
from truegain.tables.gold_list_read import gold_list_of
from truegain.tables.likes import JudgmentsLike, RunsLike, TableLike
from truegain.tables.table import Table


@takes()
def plan_labels(
    runs: RunsLike | Given,
    judgments: JudgmentsLike,
    measure: MeasureLike,
    *,
    pair: tuple[str, str] | None = None,
    power: float = 0.8,
    costs: Mapping[str, float] | str | None = None,
    earlier: GoldList | TableLike | Mapping[float, float] | None = None,
    config: StudyConfig | None = None,
) -> Plan:
    """Plan how many gold labels to buy: for the difference of two systems, or for all pairs of several.

    Parameters
    ----------
    runs, judgments, measure
        As those of `Study`, with one measure.
    pair : tuple of str, optional
        Two systems, (a, b), of many.
    power : float
        The chance to detect a difference of `min_effect`.
    costs : mapping or str, optional
        Prices, for the cheapest mix: ``{"topic": 5, "gold": 1.5}``.
    earlier : label list, optional
        An earlier list with gold labels, which tells where the judge errs most; see `sample_gold`.
    config : StudyConfig, optional
        All else that a study is told: its ``min_effect`` is the difference worth detecting, its ``gold`` a list of
        `sample_gold`, with labels or without, or gold labels of another design.  A list is drawn where there is none;
        ``Gold(None, sequential=True)`` plans for one that you look at again and again.

    Returns
    -------
    Plan
        `needed`, how many labels, and `details`, a table by number of labels.  No plan asks for more than every pair
        that differs: with all of these judged the difference is exact for these topics.

    Notes
    -----
    Without labels, and for these topics, limits are the widest that so many can have: with v = range^2/4 the largest
    variance of gold values and w the weight of a pair,

        half width = t sqrt(S_1 sum w^2 v/size / tau),  tau the information of the first n rows of the list

    With labels the variance is that of the study.

    Examples
    --------
    >>> import truegain as tg
    >>> docs = "abcdefgh"
    >>> llm = {str(t): {d: (i * t) % 3 % 2 for i, d in enumerate(docs)} for t in range(20)}
    >>> runs = {"x": {t: {d: -i for i, d in enumerate(docs)} for t in llm},
    ...         "y": {t: {d: -((i + int(t)) % 8) for i, d in enumerate(docs)} for t in llm}}
    >>> config = tg.StudyConfig(population="fixed", gold=tg.sample_gold(runs, llm, "P@4"), min_effect=0.1)
    >>> plan = tg.plan_labels(runs, llm, "P@4", config=config)
    >>> plan.needed, plan.made_by["most"]
    ({'gold labels': 54}, 76)
    """
    config = config or StudyConfig()
    if config.min_effect == 0 and costs is not None:
        raise TruegainError(
            f"{argname('costs')}: the cheapest way is one to a difference; say which matters ({arg('min_effect')})"
        )
    gold = config.gold or Gold(None)
    if gold.labels is None:
        input_: Any = runs if isinstance(runs, Given) else Given(runs, jobs=config.resampling.jobs)
        drawn = sample_gold(
            input_.runs, judgments, measure, pair=pair, earlier=earlier, scoring=Scoring(config.scoring.relevant_from),
            jobs=input_.jobs,
        )  # fmt: skip
        gold = replace(gold, labels=drawn)
    gold_list_ = gold_list_of(gold.labels)
    unlabeled = gold_list_ is not None and not gold_list_.judged
    if unlabeled:  # how topics differ by the bronze labels, asked for or not
        population = "topics" if config.population == FIXED else config.population
        study = Study.configured(runs, judgments, measure, replace(config, gold=None, population=population))
    else:
        study = Study.configured(runs, judgments, measure, replace(config, gold=gold))
    m = study.measures[0]
    contrasts, names = _asked(study, pair)
    fixed = config.population == FIXED if unlabeled else "topics" not in study.over
    least, most = m.bounds()
    if study.min_effect >= most - least:
        raise TruegainError(
            f"{argname('min_effect', study.min_effect, 'g')}: {m} cannot differ by more than {most - least:g}; give "
            "less"
        )
    aim = Aim(study.min_effect, power, study.confidence, gold.sequential, fixed, prices_of(costs))
    if gold_list_ is not None and unlabeled:
        return _before_gold(study, m, contrasts, names, aim, gold_list_, gold.relevant_from, earlier)
    return _with_gold(study, m, contrasts, names, aim)


def _asked(study: Study, pair: tuple[str, str] | None) -> tuple[Contrasts, str]:
    """The differences that the plan is for, and what they are called."""
    systems = study.systems
    if len(systems) < 2:
        raise TruegainError(f"a plan is about differences and needs at least 2 systems; there is 1 ({systems[0]})")
    if pair is None and len(systems) > 2:
        return Contrasts.all_pairs(len(systems)), f"all {len(systems) * (len(systems) - 1) // 2:,} pairs of systems"
    a, b = pair or systems
    return Contrasts.of([(place_of(a, systems), place_of(b, systems))]), f"{b} - {a}"


def _before_gold(
    study: Study,
    m: Measure,
    asked: Contrasts,
    names: str,
    aim: Aim,
    listed: GoldList,
    gold_relevant_from: float | None,
    earlier: GoldList | TableLike | Mapping[float, float] | None = None,
) -> Plan:
    """What so many labels can be worth, whatever they say."""
    pool = int(study.ranked.item_judged.sum())
    if listed.design == "topics":
        note = (
            f"The list has all {len(listed):,} labelled documents, topic by topic in random order: judging may stop "
            "after any topic. How sure so many gold topics make one is known when the first are judged."
        )
        return Plan({}, f"{names} on {m}", Table(("gold labels",), [], {"pairs": pool}, f"{names} on {m}", (note,)))
    tau = np.concatenate([[0.0], information_after(listed.size, np.arange(1, len(listed) + 1))])
    against = Listed.of(study.ranked, listed, m, gold_relevant_from)
    check_asked(against.unlisted(asked), listed, names)
    ends = against.scale
    s2 = spread_of_contrasts(against.squares(np.full(len(against.sizes), (ends[1] - ends[0]) ** 2 / 4)), asked)
    own = np.zeros(len(asked)) if aim.fixed else study.lattice(m).evidence.over_topics(asked).variance
    alpha = error_at_all_looks(aim.confidence, not aim.fixed) if aim.sequential else None
    standings = [
        Standing({"gold": float(s), **({} if aim.fixed else {"topics": float(v)})}, len(study.topics), 1, len(listed),
                 quantile=aim.quantile(len(study.topics)), information=tau, alpha=alpha)
        for s, v in zip(s2, own, strict=True)
    ]  # fmt: skip
    most = len(listed) if len(asked) == 1 and listed.design == "ordered" else _moving(study, m, asked)
    holes = study.unjudged(m, asked)
    moved = _moved(asked, names)
    notes = [
        f"{len(listed):,} of the {pool:,} labelled documents can move {moved} on {m}: {_all_judged(holes)}"
        if listed.design == "ordered"
        else f"The list has all {len(listed):,} labelled documents; {most:,} of them can move {moved} on {m}: an "
        "ordered list has these alone, and needs far fewer labels.",
        "These are the widest limits that so many labels can have: how often the judge errs is not known yet."
        if aim.fixed
        else "How often the judge errs is not known yet, and taken as bad as can be; how topics differ is taken from "
        "the bronze labels, and may be more.",
    ]
    if earlier is not None:
        notes[1] = (
            "Where the judge errs is taken from an earlier list, and orders this one; for the limits the judge is "
            f"taken as bad as can be{'' if aim.fixed else ', and how topics differ from the bronze labels'}."
        )
    if holes:
        notes.append(holes)
    if not m.linear_in_gains:
        notes.append(StandIn.of(m, study.ranked).note)
    details: dict[str, object] = {"pairs": pool, "most": most, "judged": 0}
    least = np.full(len(asked), min(LEAST_GOLD, len(listed)))
    return planned(standings, 0, most, names, m, aim, details, notes, least)


def _all_judged(holes: str) -> str:
    """What gold labels of all that moves a difference do, where unjudged documents move it too and where none does."""
    done = "leaves only documents without a label open" if holes else "settles it for these topics"
    return f"judging all of them {done}, and no plan asks for more."


def _moving(study: Study, m: Measure, asked: Contrasts) -> int:
    """Labelled pairs that move any of the differences."""
    weight = weights_of(study.ranked, m)
    if len(asked) == 1:
        return int(asked.moved(weight.T, 1e-15)[0])
    return int((np.ptp(weight, axis=0) > 1e-15).sum())


def _with_gold(study: Study, m: Measure, asked: Contrasts, names: str, aim: Aim) -> Plan:
    """How many more labels, by what those at hand say."""
    lattice = study.lattice(m)
    evidence, standings = lattice.evidence, study.standings(asked, m)
    now = standings[0]
    touching = evidence.touching(asked)
    if isinstance(evidence, ByList):
        assert study.gold_list is not None
        check_asked(evidence.unlisted(asked), study.gold_list, names)
    details: dict[str, object] = {"pairs": len(study.ranked.pool), "judged": now.gold}
    notes = []
    holes = study.unjudged(m, asked)
    most: int | None = None
    if m.linear_in_gains or isinstance(evidence, ByList):
        most = _moving(study, m, asked)
        details["most"] = most
        moved = _moved(asked, names)
        notes.append(
            f"{most:,} labelled {'pair' if most == 1 else 'pairs'} can move {moved} on {m}: {_all_judged(holes)}"
        )
    if holes:
        notes.append(holes)
    if isinstance(evidence, ByList) and evidence.note:
        notes.append(evidence.note)
    if touching is not None and len(asked) == 1:
        touch = min(int(touching[0]), now.gold)  # a list judged to its end has as many as are needed
        details["touching"] = touch
        do = "are of what the one of the two with fewer retrieved" if evidence.by_rates else "touch this difference"
        notes.append(f"{touch:,} of the {now.gold:,} gold labels {do}.")
    if isinstance(evidence, ByList) and len(asked) == 1 and not evidence.draws.whole:
        worth = _bronze_worth(evidence, asked, now)
        details["bronze_worth"] = worth
        notes.append(
            f"The bronze labels are worth {worth:,} gold {'label' if worth == 1 else 'labels'}: without them it would "
            "take so many more to be as sure."
            if worth > 0
            else "The bronze labels are worth no gold label here: they do not tell what gold says."
        )
    if len(asked) == 1:
        found = Answering(study.systems, m, lattice, study.confidence, len(study.topics)).differences(asked)[0]
        why = "".join(f"; {with_marks(note)}" for note in found.notes if found.low is None and note not in str(found))
        notes.insert(0, Message(f"So far {found}{why}."))
    top = now.pairs or None
    if now.differ is not None:
        if now.differ < evidence.least_gold and not lattice.exact:
            raise _too_few_differ(now.differ, evidence.least_gold, _moved(asked, names), m)
        top = now.gold + now.open
    least = least_of(None if now.whole else touching, now.gold, top, len(asked), evidence.least_gold)
    return planned(standings, now.gold, most, names, m, aim, details, notes, least)


def _moved(asked: Contrasts, names: str) -> str:
    """What a label can move, one at least."""
    return names if len(asked) == 1 else f"one or more of the {len(asked):,} pairs of systems"


def _too_few_differ(differ: int, least: int, names: str, m: Measure) -> TruegainError:
    """Why there is no plan of drawn gold labels: all that move the difference are fewer than limits need."""
    if not differ:
        return TruegainError(f"no labelled document can move {names} on {m}: the systems rank the same ones alike")
    documents = "only 1 labelled document" if differ == 1 else f"only {differ} labelled documents"
    return TruegainError(
        f"{documents} can move {names} on {m}, and limits need {least} drawn gold labels that do; draw a list of these "
        f"({SAMPLE_GOLD}) and have all of it judged, which tells limits however short it is, or have more topics"
    )


def check_asked(unlisted: Ints, listed: GoldList, names: str) -> None:
    """Refuse a plan for pairs that the list was not drawn for."""
    if lacking := int((unlisted > 0).sum()):
        raise InputError(
            f"the list was not drawn for {names}: documents that move {lacking:,} of {len(unlisted):,} differences "
            "are not on it", file=listed.source,
            hint=f"name the pair that it was drawn for ({arg('pair', ('a', 'b'))}), or draw a list for all of them",
        )  # fmt: skip


def _bronze_worth(evidence: ByList, asked: Contrasts, now: Standing) -> int:
    """Gold labels that it would take more, were bronze labels all alike."""
    blind = replace(evidence, fit=replace(evidence.fit, stratum=np.zeros_like(evidence.fit.stratum)))
    with_, without = (float(e.over_gold(asked).variance[0]) for e in (evidence, blind))
    assert now.information is not None
    wanted = now.information[now.gold] * without / with_ if with_ > 0 else math.inf
    return int(np.searchsorted(now.information, wanted)) - now.gold
