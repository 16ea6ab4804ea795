"""How many gold labels tell systems apart: before any is there, and with some."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truegain._version import __version__
from truegain.config import Gold, Scoring, StudyConfig
from truegain.data.items import Items
from truegain.data.judgments import JudgmentsLike
from truegain.data.label_list_reading import gold_list_of
from truegain.data.label_lists import GoldList
from truegain.data.runs import RunsLike
from truegain.errors import InputError, TruegainError, counted
from truegain.io.columns import Floats, Ints
from truegain.io.frames import TableLike
from truegain.judge_error.topic_estimators import LEAST_TOPICS
from truegain.keywords import checked_keywords
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasureLike, parse_measure
from truegain.measures.items import OfItems, labeled_as
from truegain.measures.label_weights import StandIn
from truegain.message import SAMPLE_GOLD, Message, arg, argname, gold_drawn, with_marks
from truegain.planning.gold_sample import sample_gold, weights_of
from truegain.pooling.answers import one_score
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.sampling.catalogue import SOURCES, draws_topics, population_groups
from truegain.sampling.gold import information_after
from truegain.stats.contrasts import Contrasts, Variance, place_of
from truegain.stats.results import Plan
from truegain.stats.student_t import detectable_in_se, quantile_of
from truegain.study.answer_raters import RatedAnswers
from truegain.study.anytime import LookErrors
from truegain.study.estimates import MeasureEstimates
from truegain.study.estimators import LEAST_GOLD
from truegain.study.gold_lists import ByList, ListedPairs, spread_of_contrasts
from truegain.study.item_inputs import answer_inputs
from truegain.study.precision import CurrentPrecision, Mix, cheapest, fewest_gold, prices_of
from truegain.study.reading import FIXED, RunsInput, check_order, check_scoring
from truegain.study.study import Study

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

    def detectable(self, half: float) -> float:
        """The difference that this half of a width finds with this power."""
        return half * detectable_in_se(1 - self.confidence, self.power) / quantile_of(self.confidence)

    def quantile(self, df: float) -> float:
        """Of the limits: over topics, of so many degrees of freedom, or over gold alone."""
        level = self.confidence
        if self.sequential and not self.fixed:
            level = 1 - LookErrors.of(level, topics=True).topics
        return quantile_of(level, math.inf if self.fixed else df)


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
    precisions: Sequence[CurrentPrecision],
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
    now = precisions[0]
    unit = "gold topics" if now.whole else "gold labels"
    open_ = now.open if now.differ is not None else None  # pairs that differ and have no gold label
    top, most = (now.pairs or None, most) if open_ is None else (judged + open_, open_)
    first = int(least[0]) if len(precisions) == 1 else 0
    numbers = [n for n in _rounds(judged, top) if n >= first] or [max(first, judged)]
    rows = [_row(precisions, n, unit, aim, least) for n in numbers]
    needed: dict[str, int] = {}
    of_what = "these topics only" if aim.fixed else "topics like these"
    if now.groups and not aim.fixed:
        of_what += f", from clusters like these {now.groups}"
    for source, n in (("assessors", now.assessors), ("replicates", now.times)):
        if source in now.parts:
            of_what += f", {SOURCES[source].worded(isinstance(m, OfItems)).claim.format(n=n)}"
    goal = f"{names} on {m}, for {of_what}"
    if aim.half:
        fewest = [fewest_gold(s, aim.half) for s in precisions]
        counts = [None if n is None else max(n, int(low)) for n, low in zip(fewest, least, strict=True)]
        known = [n for n in counts if n is not None]
        if known and len(known) == len(counts):
            more = max(known) - judged
            needed[unit] = more if most is None or now.whole else min(more, most)
        goal += f": {_goal_told(len(known), len(counts), unit, aim)}"
        notes.append(needed_told(counts, judged, most, unit, aim, open_ is not None))
        if mix := _with_least(_mix(now, aim, len(precisions), most), first - judged, aim):
            details["mix"] = {"more": dict(mix.more), "half_width": mix.half, "cost": mix.cost}
            notes.append(_mix_told(mix, now.whole))
        details["aimed_half_width"] = aim.half
    details["half_width"] = float(np.median([s.half for s in precisions])) if judged and first <= judged else None
    details |= {
        "truegain": __version__, "needed": needed, "min_effect": aim.min_effect, "power": aim.power,
        "confidence": aim.confidence, "topics": "fixed" if aim.fixed else "sampled", "sequential": aim.sequential,
    }  # fmt: skip
    if aim.prices and len(precisions) > 1:
        notes.append(Message(f"The cheapest mix is computed for one pair: name it ({arg('pair', ('a', 'b'))})."))
    columns = tuple(rows[0])
    cells = [tuple(row[c] for c in columns) for row in rows]
    return Plan(needed, goal, Table(columns, cells, details, goal, tuple(notes)))


def _goal_told(known: int, pairs: int, unit: str, aim: Aim) -> str:
    """What the numbers of the plan reach, or that none does."""
    what = f"a true difference of {aim.min_effect:g}"
    if known == pairs:
        return f"{what} is detected with {aim.power:.0%} power"
    of = "" if pairs == 1 else " for any of them" if not known else f" for {pairs - known:,} of them"
    return f"no number of {unit} detects {what} with {aim.power:.0%} power{of}"


def _rounds(judged: int, top: int | None) -> list[int]:
    """Numbers of labels to tell of: round ones from those at hand on, and all."""
    most = top or 50 * max(judged, 1)
    return sorted({n for n in (*ROUND, judged) if max(judged, 1) <= n < most} | ({top} if top else set()))


def least_of(label_counts: Ints | None, judged: int, top: int | None, pairs: int, least: int = LEAST_GOLD) -> Ints:
    """About how many labels in all make `least` touch each of so many differences, or all there are; 0 where they do.

    top: labels in all once every pair is judged that moves the difference; None where that is not known.

    >>> least_of(np.array([12, 5, 0]), 20, 100, 3).tolist(), least_of(np.array([3]), 3, 4, 1).tolist()
    ([0, 40, 100], [4])
    """
    if label_counts is None:
        return np.zeros(pairs, np.int64)
    wanted = np.array([-(-judged * least // max(int(n), 1)) if n or top is None else top for n in label_counts])
    return np.where(label_counts >= least, 0, wanted if top is None else np.minimum(wanted, top))


def _with_least(mix: Mix | None, lacking: int, aim: Aim) -> Mix | None:
    """A mix with no fewer gold labels than limits need; None where these have no price."""
    if mix is None or (more := lacking - mix.more.get("gold", 0)) <= 0:
        return mix
    if "gold" not in aim.prices:
        return None
    return Mix({**mix.more, "gold": lacking}, mix.half, mix.cost + more * aim.prices["gold"])


def _row(precisions: Sequence[CurrentPrecision], n: int, unit: str, aim: Aim, least: Ints) -> dict[str, Cell]:
    """What so many labels bring; as many as there are open pairs that differ, were it these, leave gold no part."""
    halves = np.array([s.after(gold=_times(s, n)) for s in precisions])
    half = float(np.median(halves))
    several = len(precisions) > 1
    row: dict[str, Cell] = {unit: n, "half width, median" if several else "half width": half,
                            f"detectable with {aim.power:.0%} power": aim.detectable(half)}  # fmt: skip
    if len(precisions) > 1:
        row["widest"] = float(halves.max())
        if aim.half:
            row["share of pairs with enough"] = float(((halves <= aim.half * (1 + 1e-9)) & (least <= n)).mean())
    return row


def _times(now: CurrentPrecision, n: int) -> float:
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
            f"No number of gold labels detects {what} for topics like these: topics differ too much. Buy "
            f"topics{'' if 'topics' in aim.prices else mix}, or ask about these topics only "
            f"({arg('population', 'fixed')})."
        )
    if len(counts) == 1:
        n = known[0]
        if n <= judged:
            return f"The labels at hand detect {what}: no more are needed."
        if most is not None and unit == "gold labels" and n - judged >= most:
            which = "that differ and have no gold label" if without_gold else "that differ"
            return (
                f"To detect {what}, label the pairs {which}: {most:,} at most (from the whole pool it would take "
                f"{n - judged:,} more)."
            )
        more = n - judged
        one = more == 1
        return (
            f"{more:,} {'more ' if judged else ''}{unit[:-1] if one else unit} {'detects' if one else 'detect'} {what}."
        )
    pairs, half = len(counts), (len(counts) + 1) // 2
    middle = f", {known[half - 1]:,} for half of them" if half <= len(known) else ""
    each = "each of the pairs" if len(known) == pairs else f"{len(known):,} of the {pairs:,} pairs"
    rest = "" if len(known) == pairs else f"; for the other {pairs - len(known):,} no number is enough"
    return f"{known[-1]:,} {unit} in all detect {what} for {each}{middle}{rest}."


def _mix(now: CurrentPrecision, aim: Aim, pairs: int, most: int | None) -> Mix | None:
    """The cheapest way; gold labels of the whole pool are never more than those of every pair that differs."""
    if not aim.prices or pairs > 1:
        return None
    mix = cheapest(now, aim.half, aim.prices)
    if mix is None or most is None or now.whole or mix.more.get("gold", 0) <= most:
        return mix
    last = now.after(gold=(now.pairs or 1) / now.gold)
    return Mix({"gold": most}, last, aim.prices["gold"] * most) if last <= aim.half else mix


def _mix_told(mix: Mix, whole: bool) -> str:
    words = {"topics": "topics", "gold": "gold topics" if whole else "gold labels", "assessors": "assessors"}
    named = {kind: words[kind][:-1] if n == 1 else words[kind] for kind, n in mix.more.items()}
    listed = " and ".join(f"{n:,} more {named[kind]}" for kind, n in mix.more.items()) or "nothing more"
    return f"Cheapest: {listed}, for {mix.cost:,.2f} (+-{mix.half:.4f})."


# ---- How many gold labels tell systems apart: before any is there, and with some.


@checked_keywords()
def plan_labels(
    runs: RunsLike | RunsInput | Items,
    judgments: JudgmentsLike | None = None,
    measure: MeasureLike | None = None,
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
        As those of `Study`, with one measure; `Items` need no judgments.
    pair : tuple of str, optional
        Two systems, (a, b), of many.
    power : float, default 0.8
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
        that differs: with all of these judged the difference is exact for these topics.  Columns of the table:
        `gold labels` (or `gold topics`), how many in all; `half width` of the interval then, of several pairs
        `half width, median` and `widest`; `detectable with 80% power`, the smallest such difference; and
        `share of pairs sure enough`, those whose interval is narrow enough for ``min_effect``.

    Notes
    -----
    Without labels, and for these topics, limits are the widest that so many can have: with v = range^2/4 the largest
    variance of gold values and w the weight of a pair,

        half width = t sqrt(S_1 sum w^2 v/size / tau),  tau the information of the first n rows of the list

    With labels the variance is that of the study.

    References
    ----------
    .. [1] D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan, "Further insights on drawing sound conclusions from
           noisy judgments", ACM Transactions on Information Systems 36(4), 2018.
    .. [2] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central limit theory and
           asymptotic confidence sequences", Annals of Statistics 52(6), 2024.

    Examples
    --------
    >>> import truegain as tg
    >>> docs = "abcdefgh"
    >>> llm = {str(t): {d: (i * t) % 3 % 2 for i, d in enumerate(docs)} for t in range(20)}
    >>> runs = {"x": {t: {d: -i for i, d in enumerate(docs)} for t in llm},
    ...         "y": {t: {d: -((i + int(t)) % 8) for i, d in enumerate(docs)} for t in llm}}
    >>> config = tg.StudyConfig(population="fixed", gold=tg.sample_gold(runs, llm, "P@4"), min_effect=0.1)
    >>> plan = tg.plan_labels(runs, llm, "P@4", config=config)
    >>> plan.needed, plan.provenance["most"]
    ({'gold labels': 54}, 76)
    """
    config = config or StudyConfig()
    if isinstance(runs, Items):
        unlabeled = config.gold is None or config.gold.labels is None
        answer_config = replace(config, gold=None) if unlabeled else config
        answers = answer_inputs(runs, judgments, one_score(runs, measure), answer_config)
        config = replace(answers.config, gold=config.gold) if unlabeled else answers.config
        runs, judgments, measure = answers.runs, answers.judgments, answers.measures[0]
    elif judgments is None or measure is None:
        raise TruegainError(f"{argname('judgments' if judgments is None else 'measure')}: a plan for runs needs them")
    if config.min_effect == 0 and costs is not None:
        raise TruegainError(
            f"{argname('costs')}: the cheapest mix depends on the difference to detect; give one ({arg('min_effect')})"
        )
    gold = config.gold or Gold(None)
    check_scoring(config, [parse_measure(measure)], is_list=False)
    if gold.labels is None:
        check_order(config.scoring, "a plan draws its list of gold labels")
        input_: Any = runs if isinstance(runs, RunsInput) else RunsInput(runs, jobs=config.resampling.jobs)
        drawn = sample_gold(
            input_.runs, judgments, measure, pair=pair, earlier=earlier, scoring=Scoring(config.scoring.relevant_from),
            jobs=input_.jobs,
        )  # fmt: skip
        gold = replace(gold, labels=drawn)
    gold_list_ = gold_list_of(gold.labels)
    unlabeled = gold_list_ is not None and not gold_list_.judged
    if unlabeled and isinstance(judgments, RatedAnswers):
        raise TruegainError(
            f"{argname('population')}: a list is drawn for one value per answer, so it does not cover other judges "
            "or repeats; "
            "leave 'assessors' and 'replicates' out, or have answers drawn at random labeled and give these "
            f"({gold_drawn('random')})"
        )
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
        raise TruegainError(f"a plan is for differences and needs at least 2 systems; there is 1 ({systems[0]})")
    if pair is None and len(systems) > 2:
        return Contrasts.all_pairs(len(systems)), f"all {len(systems) * (len(systems) - 1) // 2:,} pairs of systems"
    a, b = pair or systems
    return Contrasts.of([(place_of(a, systems, "pair"), place_of(b, systems, "pair"))]), f"{b} - {a}"


def _before_gold(
    study: Study,
    m: Measure,
    contrasts: Contrasts,
    names: str,
    aim: Aim,
    listed: GoldList,
    gold_relevant_from: float | None,
    earlier: GoldList | TableLike | Mapping[float, float] | None = None,
) -> Plan:
    """What so many labels can be worth, whatever they say."""
    pool, unit = int(study.ranked.item_judged.sum()), labeled_as(m, study.ranked)
    if draws_topics(listed.design):
        note = (
            f"The list has all {len(listed):,} {unit}s, topic by topic in random order. Label at least "
            f"{LEAST_TOPICS} whole topics, better 20; then labeling may stop after any topic. The precision of gold "
            "topics is known once these are labeled."
        )
        return Plan({}, f"{names} on {m}", Table((), [], {"pairs": pool}, f"{names} on {m}", (note,)))
    tau = np.concatenate([[0.0], information_after(listed.size, np.arange(1, len(listed) + 1))])
    against = ListedPairs.of(study.ranked, listed, m, gold_relevant_from)
    check_asked(against.unlisted(contrasts), listed, names)
    ends = against.scale
    s2 = spread_of_contrasts(against.squares(np.full(len(against.sizes), (ends[1] - ends[0]) ** 2 / 4)), contrasts)
    own, topics, groups = _over_topics(study, m, contrasts)
    grouped = bool(groups) and not aim.fixed
    alpha = LookErrors.of(aim.confidence, topics=not aim.fixed).gold if aim.sequential else None
    precisions = [
        CurrentPrecision(
            {
                "gold": float(s),
                **({} if aim.fixed else {"topics": float(v)}),
                **({"clusters": float(c)} if grouped else {}),
            },
            len(study.topics),
            1,
            len(listed),
            quantile=aim.quantile(float(df)),
            information=tau,
            alpha=alpha,
            groups=groups if grouped else 0,
        )
        for s, v, c, df in zip(s2, topics, own.value - topics, own.df, strict=True)
    ]
    most = len(listed) if len(contrasts) == 1 and listed.design == "ordered" else _moving(study, m, contrasts)
    unjudged = study.unjudged_note(m, contrasts)
    moved = _moved(contrasts, names)
    notes = [
        f"{len(listed):,} of the {pool:,} {unit}s can change {moved} on {m}: {_all_judged(unjudged)}"
        if listed.design == "ordered"
        else f"The list has all {len(listed):,} {unit}s; {most:,} of them can change {moved} on {m}: an "
        "ordered list has only these, and needs far fewer labels.",
        "These are the widest intervals possible with this many labels: the judge's error rates are not known yet."
        if aim.fixed
        else "The judge's error rates are not known yet, so the plan assumes the worst; it estimates the variance "
        "over topics from the bronze labels, and the true variance may be larger.",
    ]
    if earlier is not None:
        notes[1] = (
            "An earlier list shows where the judge errs, and orders this one; the intervals assume the worst error "
            f"rates{'' if aim.fixed else ', and the variance over topics of the bronze labels'}."
        )
    if unjudged:
        notes.append(unjudged)
    if not m.linear_in_gains:
        notes.append(StandIn.of(m, study.ranked).note)
    details: dict[str, object] = {"pairs": pool, "most": most, "judged": 0}
    least = np.full(len(contrasts), min(LEAST_GOLD, len(listed)))
    return planned(precisions, 0, most, names, m, aim, details, notes, least)


def _over_topics(study: Study, m: Measure, contrasts: Contrasts) -> tuple[Variance, Floats, int]:
    """The spread over topics by the bronze labels, or over clusters of topics where that is wider.

    Beside it the part of the variance that topics of the same clusters have, and how many clusters there are.
    """
    variance_model = study.variance_model(m)
    topics = variance_model.estimator.over_topics(contrasts)
    groups = population_groups(study.over, study.topics, study.topic_units)
    own = Variance(topics.value, np.full(len(contrasts), len(study.topics) - 1.0))
    for source in groups:
        if (grouped := variance_model.over_source(contrasts, source)) is not None:
            own = own.or_wider(grouped, study.confidence)
    return own, np.minimum(topics.value, own.value), min(groups.values(), default=0)


def _all_judged(unjudged: str) -> str:
    """What gold labels of all that moves a difference do, where unjudged documents move it too and where none does."""
    done = "leaves only unlabeled documents open" if unjudged else "decides the comparison for these topics"
    return f"labeling all of them {done}, and no plan needs more."


def _moving(study: Study, m: Measure, contrasts: Contrasts) -> int:
    """Labeled pairs that move any of the differences."""
    weight = weights_of(study.ranked, m)
    if len(contrasts) == 1:
        return int(contrasts.moved(weight.T, 1e-15)[0])
    return int((np.ptp(weight, axis=0) > 1e-15).sum())


def _with_gold(study: Study, m: Measure, contrasts: Contrasts, names: str, aim: Aim) -> Plan:
    """How many more labels, by what those at hand say."""
    variance_model = study.variance_model(m)
    estimator, precisions = variance_model.estimator, study.precisions(contrasts, m)
    now = precisions[0]
    label_counts, moving = estimator.labels_for_rule(contrasts), estimator.label_count(contrasts)
    if isinstance(estimator, ByList):
        assert study.gold_list is not None
        check_asked(estimator.unlisted(contrasts), study.gold_list, names)
    details: dict[str, object] = {"pairs": len(study.ranked.pool), "judged": now.gold}
    notes = []
    unjudged = study.unjudged_note(m, contrasts)
    most: int | None = None
    if m.linear_in_gains or isinstance(estimator, ByList):
        most = _moving(study, m, contrasts)
        details["most"] = most
        moved, unit = _moved(contrasts, names), labeled_as(m, study.ranked, "labeled pair")
        notes.append(f"{counted(most, unit)} can change {moved} on {m}: {_all_judged(unjudged)}")
    if unjudged:
        notes.append(unjudged)
    if isinstance(estimator, ByList) and estimator.note:
        notes.append(estimator.note)
    if moving is not None and len(contrasts) == 1:
        touch = int(moving[0])
        details["touching"] = touch
        do = (
            "are of documents retrieved by the system that has fewer of them"
            if estimator.by_rates
            else "affect this difference"
        )
        notes.append(f"{touch:,} of the {now.gold:,} gold labels {do}.")
    if isinstance(estimator, ByList) and len(contrasts) == 1 and not estimator.draws.whole:
        worth = _bronze_worth(estimator, contrasts, now)
        details["bronze_worth"] = worth
        notes.append(
            f"The bronze labels are worth {worth:,} gold {'label' if worth == 1 else 'labels'}: without them, the "
            "same precision would need that many more."
            if worth > 0
            else "The bronze labels save no gold label here: they do not predict the gold labels."
        )
    if len(contrasts) == 1:
        estimates = MeasureEstimates(study.systems, m, variance_model, study.confidence, len(study.topics))
        difference = estimates.differences(contrasts)[0]
        unsaid = [note for note in difference.notes if difference.low is None and note not in str(difference)]
        why = "".join(f"; {with_marks(note)}" for note in unsaid)
        notes.insert(0, Message(f"So far {difference}{why}."))
    top = now.pairs or None
    if now.differ is not None:
        if now.differ < estimator.least_gold and not estimator.label_facts.exact:
            unit = labeled_as(m, study.ranked)
            raise _too_few_differ(now.differ, estimator.least_gold, _moved(contrasts, names), m, unit)
        top = now.gold + now.open
    least = least_of(None if now.whole else label_counts, now.gold, top, len(contrasts), estimator.least_gold)
    return planned(precisions, now.gold, most, names, m, aim, details, notes, least)


def _moved(contrasts: Contrasts, names: str) -> str:
    """What a label can move, one at least."""
    return (
        f"the difference {names}" if len(contrasts) == 1 else f"one or more of the {len(contrasts):,} pairs of systems"
    )


def _too_few_differ(differ: int, least: int, names: str, m: Measure, unit: str) -> TruegainError:
    """Why there is no plan of drawn gold labels: all that move the difference are fewer than limits need."""
    if not differ:
        return TruegainError(
            f"no labeled document can change {names} on {m}: the systems rank the same documents alike; choose others"
        )
    return TruegainError(
        f"only {counted(differ, unit)} can change {names} on {m}, and an interval needs {least} gold labels that do; "
        f"draw a list of these ({SAMPLE_GOLD}) and label all of it, which gives an interval however short it is, or "
        "add topics"
    )


def check_asked(unlisted: Ints, listed: GoldList, names: str) -> None:
    """Refuse a plan for pairs that the list was not drawn for."""
    if lacking := int((unlisted > 0).sum()):
        raise InputError(
            f"the list was not drawn for {names}: documents that affect {lacking:,} of {len(unlisted):,} differences "
            "are not on it", file=listed.source,
            hint=f"name the pair that it was drawn for ({arg('pair', ('a', 'b'))}), or draw a list for all of them",
        )  # fmt: skip


def _bronze_worth(estimator: ByList, contrasts: Contrasts, now: CurrentPrecision) -> int:
    """Gold labels that it would take more, were bronze labels all alike."""
    blind = replace(estimator, fit=estimator.fit.blind())
    with_, without = (float(e.over_gold(contrasts).value[0]) for e in (estimator, blind))
    assert now.information is not None
    wanted = now.information[now.gold] * without / with_ if with_ > 0 else math.inf
    return int(np.searchsorted(now.information, wanted)) - now.gold
