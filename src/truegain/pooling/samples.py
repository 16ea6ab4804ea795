"""Random samples of the unjudged documents, to be judged: plain, or in an order that sets predictions right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from truegain.config import Scoring
from truegain.data.judgments import JudgmentsLike
from truegain.data.label_lists import GoldList
from truegain.data.runs import RunsLike
from truegain.errors import MeasureError, TruegainError
from truegain.io.columns import Bools, Floats
from truegain.judge_error.gold_pairs import ends_of
from truegain.keywords import checked_keywords
from truegain.measures.base import Measure
from truegain.measures.catalogue import MeasureLike, parse_measure
from truegain.measures.scoring import at_level
from truegain.message import arg, argname
from truegain.pooling.pools import Filled
from truegain.pooling.prediction import Prediction, check_enough
from truegain.results.base import Table
from truegain.sampling.gold import drawn_order, units_of
from truegain.sampling.streams import stream_key
from truegain.stats.contrasts import place_of
from truegain.text.corpus import CorpusLike

DESIGN = "unjudged"  # of ordered lists of them
LEAST_SAMPLED = 10  # unjudged documents that a score or a difference must stand on
SHARE = 0.25


def looked_at(filled: Filled, m: Measure) -> Bools:
    """Per item of the pool: an unjudged document that some list has where the measure looks."""
    out = np.zeros(len(filled.unjudged), np.bool_)
    out[filled.ranked.item[m.within(filled.ranked.rank)]] = True
    return out & filled.unjudged


def check_linear(m: Measure) -> None:
    """Refuse measures that a sample of the unjudged documents cannot set right."""
    if not m.linear_in_gains:
        raise MeasureError(
            f"{m} is not linear in gain, so a sample of the unjudged documents cannot correct it; use P, CG, DCG, "
            "RBP or SDCG, or leave the sample out: the verdict then uses bounds, if there are any"
        )


def draw_unjudged(
    runs: object,
    judgments: object,
    measure: str | Measure = "P@10",
    *,
    share: float | None = None,
    most: int | None = None,
    seed: int = 0,
    scoring: Scoring | None = None,
    jobs: int | None = None,
) -> Table:
    """A random sample of the unjudged documents that all runs together have where a measure looks, without labels.

    A quarter of them, or the share or number asked for, and never fewer than 10 (or all).  A document is drawn by a
    number made of the seed, its topic and its name, so that a larger sample holds the smaller one whatever the runs'
    order; they stand in the order of that number, so that the first of them are a random sample too.

    >>> runs = {"a": {"1": {"x": 3.0, "y": 2.0}}, "b": {"1": {"z": 3.0, "x": 2.0}}}
    >>> draw_unjudged(runs, {"1": {"x": 1}}, "P@2").rows
    [('1', 'y', None), ('1', 'z', None)]
    """
    if share is not None and not 0 < share <= 1:
        raise TruegainError(
            f"{argname('share', share, 'g')}: give a share of the unjudged documents, above 0 and at most 1"
        )
    if share is not None and most is not None:
        raise TruegainError(f"{arg('share')} and {arg('most')} both say how many documents to draw; give one of them")
    how = scoring or Scoring()
    m = at_level(parse_measure(measure), how.relevant_from)
    check_linear(m)
    filled = Filled.of(runs, judgments, m, how, jobs)
    items = np.flatnonzero(looked_at(filled, m))
    if not len(items):
        raise TruegainError(f"no document that {m} counts is unjudged; there is nothing to sample")
    names = list(zip(*filled.ranked.pool.names(items), strict=True))
    key = {name: stream_key(seed, "holes", "\0".join(name)) for name in names}  # another word would draw others
    wanted = math.ceil((SHARE if share is None else share) * len(names) - 1e-9) if most is None else most
    drawn = sorted(names, key=key.__getitem__)[: max(wanted, LEAST_SAMPLED)]
    rows = [(*name, None) for name in drawn]
    note = (
        f"{len(rows):,} of the {len(names):,} unjudged documents that {m} counts in these runs, sampled at random "
        f"(seed {seed}); write labels into the last column"
    )
    return Table(("topic", "doc", "label"), rows, notes=(note,))


# ---- Unjudged documents in the order in which to judge them, so that predictions of all others can be set right.

A_TOPIC = 8  # documents that usually do
LEAST_SIZE = 0.2  # of the mean size: what is predicted for sure may be wrong
DIGITS = 4  # of predictions
TINY = 1e-15


@checked_keywords()
def sample_unjudged(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measure: MeasureLike = "P@10",
    *,
    pair: tuple[str, str] | None = None,
    scale: Sequence[float] | str | None = None,
    corpus: CorpusLike | None = None,
    llm: JudgmentsLike | None = None,
    scoring: Scoring | None = None,
    seed: int = 0,
    jobs: int | None = None,
) -> GoldList:
    """Draw the unjudged documents of all runs, in an order in which to judge them.

    The labels then correct the predictions of all others: give them to a study as
    ``unjudged=UnjudgedSample(labels, predicted=True)``.

    Parameters
    ----------
    runs : what `evaluate` takes
        What each system retrieved.
    judgments : what `evaluate` takes
        The labels so far.
    measure : str or Measure, default 'P@10'
        One that is linear in gain and has a cutoff.
    pair : (str, str), optional
        Draw only documents that move the difference of these two systems.
    scale : str or sequence of float, optional
        The labels that a judge may give, as '0:3', or the lowest and the highest; by default from 0 to the highest
        there.
    corpus : folder of term statistics, or mapping of texts, optional
        Texts that help to predict relevance.
    llm : what `evaluate` takes, optional
        Labels of another judge that help to predict relevance.
    scoring : Scoring, optional
        How scores are made.
    seed : int, default 0
        Where random numbers begin.
    jobs : int, optional
        Threads; by default one for each core.

    Returns
    -------
    GoldList
        The documents, to be judged from the top, with the predicted worth of each in the column bronze.

    Notes
    -----
    Each next document is drawn with a chance in proportion to its size,

        size = max(u s, .2 mean of u s) ;  u = sqrt(mean over systems of w^2), for a pair |w_b - w_a|

    with w what the document counts in a system's score, and s the standard deviation of its label's worth as predicted
    from the judgments (as in ``evaluate(..., fill='predicted')``).

    References
    ----------
    .. [1] D. Raj, "Some estimators in sampling with varying probabilities without replacement", Journal of the American
           Statistical Association 51(274), 1956.
    .. [2] B. Rosen, "Asymptotic theory for order sampling", Journal of Statistical Planning and Inference
           62(2), 1997.
    .. [3] J. A. Aslam, V. Pavlu and E. Yilmaz, "A statistical method for system evaluation using incomplete judgments",
           SIGIR 2006.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    >>> runs = {"x": {t: {"a": 3, "b": 2, "c": 1} for t in qrels}, "y": {t: {"d": 3, "a": 2, "c": 1} for t in qrels}}
    >>> listed = tg.sample_unjudged(runs, qrels, "P@2")
    >>> len(listed), set(listed.docs), listed.design
    (6, {'d'}, 'unjudged')
    """
    how = scoring or Scoring()
    m = at_level(parse_measure(measure), how.relevant_from)
    check_linear(m)
    if getattr(m, "cutoff", None) is None:
        raise MeasureError(f"{m} counts every rank, and only the first ones can be judged; give a cutoff")
    made = Prediction.of(runs, judgments, m, how, corpus=corpus, llm=llm, jobs=jobs)
    check_enough(made)
    ranked, open_ = made.filled.ranked, looked_at(made.filled, m)
    if not open_.any():
        raise TruegainError(f"no document that {m} counts is unjudged; there is nothing to sample")
    mean, sizes = sizes_of(made, m, open_, pair)
    order = drawn_order(sizes, units_of(ranked.pool), seed)
    ends = ends_of(scale) or (0.0, float(max(made.filled.levels[-1], 1.0)))
    predicted = mean[order].round(DIGITS)
    return GoldList.of(*ranked.pool.names(order), predicted, sizes[order], DESIGN, str(m), ends)


def sizes_of(made: Prediction, m: Measure, open_: Bools, pair: tuple[str, str] | None) -> tuple[Floats, Floats]:
    """What the label of each item is worth as predicted, and the size of each unjudged document; 0 for all else."""
    ranked, chances = made.filled.ranked, made.chances(m)
    worth = m.worth(np.concatenate([[0.0], chances.levels]))
    weight = m.rank_weights(int(ranked.rank.max(initial=1)))[ranked.rank - 1] * m.within(ranked.rank)
    system = ranked.list // max(1, len(ranked.topics))
    if pair is None:
        u = np.sqrt(np.bincount(ranked.item, weight**2, len(ranked.pool)) / len(ranked.systems))
    else:
        a, b = (place_of(name, ranked.systems, "pair") for name in pair)
        if a == b:
            raise TruegainError(f"{pair[0]} is compared with itself; name two systems")
        u = np.abs(np.bincount(ranked.item, weight * ((system == b) * 1.0 - (system == a)), len(ranked.pool)))
        open_ = open_ & (u > TINY)
        if not open_.any():
            raise TruegainError(
                f"no unjudged document can change the difference of {pair[0]} and {pair[1]} on {m}; choose another pair"
            )
    mean, size = chances.mean(worth), np.where(open_, u * np.sqrt(chances.variance(worth)), 0.0)
    usual = float(size[open_].mean())
    return mean, np.where(open_, np.maximum(size, LEAST_SIZE * usual) if usual > 0 else 1.0, 0.0)
