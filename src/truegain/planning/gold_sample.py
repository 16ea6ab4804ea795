"""Which pairs to have gold-judged, in which order: those that can move what is asked, the more the earlier."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truegain.config import Gold, Scoring, StudyConfig
from truegain.data.items import Items
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.label_list_reading import gold_list_of
from truegain.data.label_lists import GoldList
from truegain.data.pool import RankedGains
from truegain.data.runs import RunsLike
from truegain.errors import TruegainError, check_one_of, warn
from truegain.io.columns import Bools, Floats, Ints
from truegain.io.frames import TableLike
from truegain.judge_error.gold_pairs import ends_of
from truegain.keywords import checked_keywords
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasureLike, parse_measure
from truegain.measures.items import ItemMean, usual_ends
from truegain.measures.label_weights import StandIn
from truegain.measures.scoring import at_level, heeded, matching_for
from truegain.message import SAMPLE_GOLD, arg, argname
from truegain.pooling.answers import one_score
from truegain.sampling.catalogue import DESIGNS, draws_topics, ways_to_draw
from truegain.sampling.gold import drawn_order, units_of
from truegain.stats.contrasts import place_of
from truegain.study.item_inputs import answer_inputs
from truegain.study.reading import RunsInput

LEAST_ERROR = 0.25  # of the largest error: a label that never erred so far may err yet
LEAST_JUDGED = 20  # labels of an earlier list, below which the judge's errors are anybody's guess


@checked_keywords()
def sample_gold(
    runs: RunsLike | Items,
    judgments: JudgmentsLike | None = None,
    measure: MeasureLike | None = None,
    *,
    draw: str = "ordered",
    pair: tuple[str, str] | None = None,
    gold: JudgmentsLike | None = None,
    scale: Sequence[float] | str | None = None,
    earlier: GoldList | TableLike | Mapping[float, float] | None = None,
    seed: int = 0,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> GoldList:
    """Draw the pairs to have gold-judged, for the difference of two systems or of all; judge from the top.

    Parameters
    ----------
    runs : what `evaluate` takes, or Items
        What each system retrieved; or values of answers (`read_items`), which need no judgments.
    judgments : what `evaluate` takes
        The labels of the cheap judge.
    measure : str or Measure
        The measure that gold labels shall correct; of `Items` the name of a score.
    draw : {'ordered', 'random', 'by-bronze', 'topics'}, default 'ordered'
        'ordered': only pairs that can move a difference, each next one drawn in proportion to how far it can.
        'random': all pairs at random.  'by-bronze': the same, bronze labels taking turns.  'topics': whole topics in
        random order.
    pair : (str, str), optional
        The two systems that it is for; by default all.
    gold : what `evaluate` takes, optional
        Gold labels that were drawn in the same way before; they come first.
    scale : str or sequence of float, optional
        The labels that a gold judge may give, as '0:3', or the lowest and the highest; values of answers may lie
        below 0.
    earlier : GoldList, path-like, frame or mapping of float to float, optional
        An earlier list with gold labels, or the judge's error by bronze label: where it errs most comes earlier.
    seed : int, default 0
        Where random numbers begin.
    scoring : Scoring, optional
        The smallest relevant label (`relevant_from`), for measures that do not say.
    jobs : int, optional
        Threads; by default one for each core.

    Returns
    -------
    GoldList
        The pairs in their drawn order; its `write` makes the sheet for people.

    References
    ----------
    .. [1] D. Raj, "Some estimators in sampling with varying probabilities without replacement", Journal of the American
           Statistical Association 51(274), 1956.
    .. [2] B. Rosen, "Asymptotic theory for order sampling", Journal of Statistical Planning and Inference
           62(2), 1997.
    .. [3] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic, "Prediction-powered inference",
           Science 382(6671), 2023.

    Examples
    --------
    >>> import truegain as tg
    >>> llm = {str(t): {"a": 1, "b": 0, "c": 1} for t in range(3)}
    >>> runs = {"x": {t: {"a": 3, "b": 2} for t in llm}, "y": {t: {"a": 3, "c": 2} for t in llm}}
    >>> listed = tg.sample_gold(runs, llm, "P@2")
    >>> len(listed), sorted(set(listed.docs)), listed.probability.round(3).tolist()
    (6, ['b', 'c'], [0.167, 0.2, 0.25, 0.333, 0.5, 1.0])
    """
    if isinstance(runs, Items):
        config = StudyConfig(gold=None if gold is None else Gold(gold), scoring=scoring or Scoring())
        answers = answer_inputs(runs, judgments, one_score(runs, measure), config)
        ends, before = ends_of(scale, of_values=True), answers.config.gold
        drawn = _drawn(
            answers.runs, answers.judgments, answers.measures[0], draw=draw, pair=pair,
            gold=None if before is None else before.labels, earlier=earlier, seed=seed, scoring=None, jobs=jobs,
            ends=None if ends is None else answers.for_people_ends(ends),
        )  # fmt: skip
        return answers.for_people(drawn)
    ends = ends_of(scale)
    return _drawn(
        runs, judgments, measure, draw=draw, pair=pair, gold=gold, ends=ends, earlier=earlier, seed=seed,
        scoring=scoring, jobs=jobs,
    )  # fmt: skip


def _drawn(
    runs: Any,
    judgments: JudgmentsLike | None,
    measure: MeasureLike | None,
    *,
    draw: str,
    pair: tuple[str, str] | None,
    gold: Any,
    ends: tuple[float, float] | None,
    earlier: GoldList | TableLike | Mapping[float, float] | None,
    seed: int,
    scoring: Scoring | None,
    jobs: int | None,
) -> GoldList:
    """What `sample_gold` draws of runs, or of answers as runs; ends: the lowest and the highest label of people."""
    if judgments is None or measure is None:
        raise TruegainError(f"{argname('judgments' if judgments is None else 'measure')}: a list for runs needs them")
    m = at_level(parse_measure(measure), heeded(scoring, "relevant_from").relevant_from)
    matching = matching_for([m], Scoring())
    ranked, _ = RunsInput(runs, jobs=jobs, matching=matching).on_common_topics(Judgments.of(judgments), 0, False)
    if draw == "ordered" and len(ranked.systems) < 2:
        raise TruegainError(f"an ordered list is sampled for a difference; there is one system ({ranked.systems[0]})")
    if earlier is not None and draw != "ordered":
        raise TruegainError(
            f"{arg('earlier')} and {arg('draw', draw)}: an earlier list shows the judge's errors, which only an "
            "ordered list uses; leave one out"
        )
    systems = None if pair is None else [place_of(name, ranked.systems, "pair") for name in pair]
    known = None if earlier is None else errors_of(earlier, m)
    listed = draw_list(ranked, m, design=draw, systems=systems, errors=known, scale=ends, seed=seed)
    if gold is None:
        return listed
    if draw == "ordered":
        raise TruegainError("gold labels that do not come from an ordered list cannot begin one; draw a new list")
    return continued(listed, Judgments.of(gold, "gold"))


def draw_list(
    ranked: RankedGains,
    measure: Measure,
    *,
    design: str = "ordered",
    systems: Sequence[int] | None = None,
    errors: Mapping[float, float] | None = None,
    scale: tuple[float, float] | None = None,
    seed: int = 0,
) -> GoldList:
    """The pairs that the bronze judge labeled, in an order in which they may be gold-judged, to any point.

    ordered: each next pair is drawn with a chance in proportion to its size,

        size = u max(s, max s / 4) ;  u = |weight in b - a| for two systems, the sd of weights over systems for more

    s the judge's error (sd of gold values) at the bronze label, as `errors` say, or the same for all.  Pairs that
    cannot move what is asked have size 0 and are not on the list.  random: all pairs, at random; by-bronze: the same,
    bronze labels taking turns, as do the strata of every design; topics: whole topics in random order.  systems: those
    that it is for, all by default.
    """
    check_one_of("draw", design, ways_to_draw())
    judged = ranked.item_judged
    if not judged.any():
        raise TruegainError(
            "no document has a bronze label; a list is sampled from those that have one; give judgments of these runs"
        )
    label = ranked.item_gain
    names = units_of(ranked.pool)
    if design == "ordered":
        sizes = sizes_of(ranked, measure, errors, systems) * judged
        if not sizes.any():
            raise TruegainError(
                f"no labeled document can change a difference on {measure}: the systems rank the same documents alike; "
                "choose others"
            )
        order = drawn_order(sizes, names, seed)
    elif draws_topics(design):
        sizes, order = np.ones(len(label)), _by_topics(ranked, judged, seed)
    else:
        sizes = judged.astype(np.float64)
        order = drawn_order(sizes, names, seed)
        if not DESIGNS[design].equal:
            order = _in_turns(DESIGNS[design].stratum(ranked.pool.topic, label), order)
    labels = np.unique(label[judged])
    ends = scale or _usual_ends(measure, float(labels[0]), float(labels[-1]))
    return GoldList.of(*ranked.pool.names(order), label[order], sizes[order], design, str(measure), ends)


def _usual_ends(measure: Measure, least: float, greatest: float) -> tuple[float, float]:
    """The lowest and the highest label that a person may give: those of a score, else of the labels, 0 and 1 with them.

    >>> _usual_ends(ItemMean(name="faith"), 0.2, 0.9), _usual_ends(ItemMean(name="negative tox"), -0.9, -0.1)
    ((0.0, 1.0), (-1.0, 0.0))
    """
    if not isinstance(measure, ItemMean):
        return min(least, 0.0), max(greatest, 1.0)
    (low, high), usual = measure.bounds(), usual_ends(least, greatest, measure.turned)
    return usual[0] if math.isinf(low) else low, usual[1] if math.isinf(high) else high


def sizes_of(
    ranked: RankedGains,
    measure: Measure,
    errors: Mapping[float, float] | None = None,
    systems: Sequence[int] | None = None,
) -> Floats:
    """How far each pair of the pool can move what is asked: its weight times the judge's error at its label."""
    weight = weights_of(ranked, measure)[slice(None) if systems is None else list(systems)]
    u = np.abs(weight[1] - weight[0]) if len(weight) == 2 else weight.std(axis=0)
    if errors is None:
        return np.asarray(u)
    known = np.array([errors.get(x, np.nan) for x in ranked.item_gain.tolist()])
    largest = float(np.nanmax(known, initial=0.0))
    if not largest > 0:
        return np.asarray(u)
    return np.asarray(u * np.maximum(np.where(np.isnan(known), largest, known), LEAST_ERROR * largest))


def weights_of(ranked: RankedGains, measure: Measure) -> Floats:
    """System x pair of the pool: what the pair counts in the score."""
    stand_in = StandIn.of(measure, ranked)
    return stand_in.weights(stand_in.parts(ranked.item_gain, ranked), ranked)


def _by_topics(ranked: RankedGains, judged: Bools, seed: int) -> Ints:
    """All labeled pairs of topics in random order; within a topic as the pool has them."""
    turn = np.empty(len(ranked.topics), np.int64)
    turn[drawn_order(np.ones(len(turn)), ranked.topics, seed)] = np.arange(len(turn))
    items = np.flatnonzero(judged)
    return np.asarray(items[np.argsort(turn[ranked.pool.topic[items]], kind="stable")])


def _in_turns(stratum: Ints, order: Ints) -> Ints:
    """Strata take turns, the rest in the order drawn."""
    turn = np.empty(len(order), np.int64)
    for value in np.unique(stratum[order]):
        mine = np.flatnonzero(stratum[order] == value)
        turn[mine] = np.arange(len(mine))
    return np.asarray(order[np.argsort(turn, kind="stable")])


def continued(listed: GoldList, gold: Judgments) -> GoldList:
    """The list with gold labels that are there already first, in its own order, and the others behind.

    Right where gold was drawn in the same way: pairs at random, by bronze label, or whole topics.
    """
    known = {(t, d): x for t, d, x in zip(gold.topic.strings(), gold.docs.strings(), gold.label.tolist(), strict=True)}
    label = np.array([known.get(pair, np.nan) for pair in zip(listed.topics, listed.docs, strict=True)])
    label = label if gold.are_gains else np.where(label < 0, np.nan, label)
    if lost := int(((gold.label >= 0) | gold.are_gains).sum()) - int((~np.isnan(label)).sum()):
        warn(f"{lost:,} of {len(gold):,} gold labels are of pairs that are not on the list, and are left out")
    whole = np.isnan(label)
    if draws_topics(listed.design):  # a topic that was begun stays together, behind those that are done
        _, topic = np.unique(np.array(listed.topics), return_inverse=True)
        whole = (np.bincount(topic, np.isnan(label)) > 0)[topic]
        label = np.where(whole, np.nan, label)
    order = np.argsort(whole, kind="stable").tolist()
    moved = GoldList.of(
        [listed.topics[i] for i in order], [listed.docs[i] for i in order], listed.bronze[order], listed.size[order],
        listed.design, listed.measure, listed.scale,
    )  # fmt: skip
    return moved.with_labels(label[order])


def errors_of(earlier: object, measure: Measure) -> dict[float, float]:
    """The judge's error at each bronze label: the sd of what gold labels are worth there, by an earlier list."""
    if isinstance(earlier, Mapping):
        return dict(earlier)
    listed = gold_list_of(earlier)
    if listed is None:
        raise TruegainError(
            f"{argname('earlier', str(earlier))}: give a list with gold labels, as {SAMPLE_GOLD} draws it"
        )
    rows = listed.labeled
    n = len(rows)
    if n < LEAST_JUDGED:
        raise TruegainError(
            f"{argname('earlier')}: {n} labels of the earlier list are judged; at least {LEAST_JUDGED} are needed"
        )
    worth = measure.worth(listed.label[rows]) if measure.linear_in_gains else listed.label[rows]
    bronze = listed.bronze[rows]
    return {x: float(worth[bronze == x].std()) for x in np.unique(bronze).tolist() if (bronze == x).sum() > 1}
