"""Simulated worlds whose truth is known: a search evaluation with its texts and true scores, and ratings on scales."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.judgments import Judgments, JudgmentsLike, judgments_of_columns
from truegain.data.pool import Pool, RankedGains
from truegain.data.run import Run, run_of_columns
from truegain.data.runs import Runs
from truegain.io.columns import Bools, Floats, Ints, frozen

# ---- A simulated search evaluation whose truth is known: topics, systems, true labels and a noisy judge's labels.

# P(label of the noisy judge | true label): lenient on the border, as LLM judges are.
CONFUSION = np.array(
    [
        [0.80, 0.14, 0.04, 0.02],
        [0.25, 0.50, 0.20, 0.05],
        [0.08, 0.22, 0.50, 0.20],
        [0.02, 0.08, 0.25, 0.65],
    ]
)
THRESHOLDS = (1.0, 1.6, 2.2)  # latent quality at which the true label becomes 1, 2, 3
FAVORED, RAISED = "system-4", 0.3  # whom the leaning judge favors, and how often it adds 1 to a label for that
LEVEL, DIFFICULTY = -0.2, 0.35  # mean quality of a topic's documents, and its standard deviation over topics


@dataclass(frozen=True, eq=False)
class World:
    """What was simulated: runs, true labels of the pool, the noisy judge's, and the true ones of a random fifth."""

    runs: Runs
    gold: Judgments
    noisy: Judgments
    sample: Judgments


def simulate(
    *,
    topics: int = 50,
    systems: int = 8,
    docs: int = 400,
    depth: int = 100,
    pool_depth: int = 30,
    seed: int = 0,
) -> World:
    """Draw a world.

    Every topic has `docs` candidate documents of a latent quality, which thresholds turn into labels 0 to 3; a
    system sees quality with its own skill and noise and ranks by what it sees.  The pool is the union of the first
    `pool_depth` documents of all systems.

    >>> world = simulate(topics=3, systems=2, docs=20, depth=10, pool_depth=5, seed=1)
    >>> world.runs.systems, len(world.gold.topic.values)
    (('system-1', 'system-2'), 3)
    """
    quality_seed, view_seed, judge_seed, sample_seed = np.random.SeedSequence(seed).spawn(4)
    quality = _quality(topics, docs, np.random.default_rng(quality_seed))
    views = _views(quality, systems, np.random.default_rng(view_seed))
    order = np.argsort(-views, axis=2)[:, :, :depth]
    names = [f"{t + 1:03d}" for t in range(topics)]
    runs = Runs(tuple(_run(f"system-{s + 1}", names, order[s], views[s]) for s in range(systems)))
    pooled = np.zeros((topics, docs), np.bool_)
    for s in range(systems):
        np.put_along_axis(pooled, order[s, :, :pool_depth], True, axis=1)
    topic, doc = np.nonzero(pooled)
    label = np.searchsorted(THRESHOLDS, quality[topic, doc])
    gold = _judgments(names, topic, doc, label.astype(np.float64), "gold")
    chosen = np.random.default_rng(sample_seed).permutation(len(label))[: max(1, len(label) // 5)]
    return World(
        runs,
        gold,
        _judgments(names, topic, doc, noisy(label, np.random.default_rng(judge_seed)), "noisy"),
        gold.take(np.sort(chosen)),
    )


def newcomer(world: World, depth: int = 10, seed: int = 0) -> tuple[Judgments, Judgments]:
    """The true labels had the last system not been pooled, and those of a random quarter of its holes.

    The pool is the union of the first `depth` documents of the other systems; the holes are what the last one has
    there beside them.

    >>> pooled, sample = newcomer(simulate(topics=3, systems=2, docs=20, depth=10, pool_depth=5, seed=1), depth=5)
    >>> len(pooled), len(sample)
    (15, 2)
    """
    ranked = aligned(world.runs, world.gold, Scoring())
    top = ranked.rank <= depth
    last = ranked.list // len(ranked.topics) == len(ranked.systems) - 1
    pooled, own = (_rows_of(world.gold, ranked, top & side) for side in (~last, last))
    holes = np.setdiff1d(own, pooled)
    chosen = np.random.default_rng([seed, 35]).permutation(holes)[: max(1, len(holes) // 4)]
    return world.gold.take(pooled), world.gold.take(np.sort(chosen))


def leaning(world: World, favored: str = FAVORED, chance: float = RAISED, depth: int = 10, seed: int = 0) -> Judgments:
    """What the noisy judge says where it favors a system: a label of its first `depth` documents is one more at times.

    Each of them, whatever its true label, is raised by 1 with the same chance; the highest label stays.

    >>> world = simulate(topics=3, systems=2, docs=20, depth=10, pool_depth=5, seed=1)
    >>> raised = leaning(world, "system-1", chance=1.0, depth=5).label - world.noisy.label
    >>> sorted(set(raised.tolist())), int(raised.sum())
    ([0.0, 1.0], 14)
    """
    ranked = aligned(world.runs, world.noisy, Scoring())
    own = ranked.list // len(ranked.topics) == ranked.systems.index(favored)
    theirs = _rows_of(world.noisy, ranked, own & (ranked.rank <= depth))
    drawn = np.random.default_rng([seed, 36]).random(len(theirs)) < chance
    label = world.noisy.label.copy()
    label[theirs[drawn]] = np.minimum(label[theirs[drawn]] + 1, len(THRESHOLDS))
    return replace(world.noisy, label=frozen(label))


def _rows_of(labels: Judgments, ranked: RankedGains, entries: Bools) -> Ints:
    """The rows of the labels of all documents that stand at some entries of the lists."""
    row = np.empty(len(ranked.pool), np.int64)
    row[ranked.pool.find(labels.topic, labels.docs)] = np.arange(len(labels))
    return np.unique(row[ranked.item[entries]])


def skills(systems: int) -> Floats:
    """How well each system sees quality, from the weakest to the best: its correlation with what it believes."""
    return np.linspace(0.45, 0.8, systems)


def _quality(topics: int, docs: int, rng: np.random.Generator) -> Floats:
    """Latent quality: normal, with topics that have many good documents and topics that have few."""
    return rng.normal(size=(topics, docs)) + rng.normal(0, DIFFICULTY, size=(topics, 1)) + LEVEL


def _views(quality: Floats, systems: int, rng: np.random.Generator) -> Floats:
    """What each system believes: quality seen through its skill, with noise of its own."""
    skill = skills(systems)[:, None, None]
    noise = rng.normal(size=(systems, *quality.shape))
    return np.asarray(np.round(skill * quality + np.sqrt(1 - skill**2) * noise, 4))


def _run(system: str, topics: list[str], order: Ints, view: Floats) -> Run:
    depth = order.shape[1]
    names = [t for t in topics for _ in range(depth)]
    docs = [f"d{t}-{d}" for t, d in zip(names, order.ravel().tolist(), strict=True)]
    return run_of_columns(system, names, docs, np.take_along_axis(view, order, axis=1).ravel(), system)


def noisy(gold: Ints, rng: np.random.Generator) -> Floats:
    """Labels of a judge that errs as CONFUSION says."""
    cumulative = np.cumsum(CONFUSION, axis=1)
    draws = rng.random(len(gold))
    return np.asarray((draws[:, None] > cumulative[gold, :-1]).sum(axis=1), np.float64)


def _judgments(topics: list[str], topic: Ints, doc: Ints, label: Floats, source: str) -> Judgments:
    names = [topics[t] for t in topic.tolist()]
    return judgments_of_columns(names, [f"d{t}-{d}" for t, d in zip(names, doc.tolist(), strict=True)], label, source)


# ---- Text for the simulated world: the better a document answers its topic, the more it uses the topic's words.

COMMON = 5000  # words that all topics share
OWN = 20  # words of each topic
LENGTH = 30


def texts(*, topics: int = 50, docs: int = 400, seed: int = 0) -> dict[str, str]:
    """The text of every document that `simulate` of the same numbers knows, judged or not.

    Each word is one of the topic's with probability 0.05, 0.2, 0.35 or 0.5 for a document of true label 0 to 3, and a
    common word, frequent ones more often, otherwise.

    >>> made = texts(topics=2, docs=3, seed=1)
    >>> sorted(made), len(made["d001-0"].split())
    (['d001-0', 'd001-1', 'd001-2', 'd002-0', 'd002-1', 'd002-2'], 30)
    """
    quality_seed = np.random.SeedSequence(seed).spawn(1)[0]
    label = np.searchsorted(THRESHOLDS, _quality(topics, docs, np.random.default_rng(quality_seed)))
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(4)[3])
    shape = (topics, docs, LENGTH)
    about = rng.random(shape) < 0.05 + 0.15 * label[:, :, None]
    own = rng.integers(0, OWN, shape)
    share = 1 / np.arange(3, COMMON + 3)
    common = np.searchsorted(np.cumsum(share / share.sum()), rng.random(shape))
    made: dict[str, str] = {}
    for t in range(topics):
        mine = np.array([f"topic{t + 1}word{w}" for w in range(OWN)], object)
        words = np.where(about[t], mine[own[t]], np.array([f"word{w}" for w in range(COMMON + 1)], object)[common[t]])
        made |= {f"d{t + 1:03d}-{d}": " ".join(row) for d, row in enumerate(words.tolist())}
    return made


def query_of(topic: int) -> list[str]:
    """A query for a topic of `texts`, by its number: three of the words that are the topic's own.

    >>> query_of(7)
    ['topic7word0', 'topic7word1', 'topic7word2']
    """
    return [f"topic{topic}word{w}" for w in range(3)]


# ---- What every system of the simulated world would score over all topics like those simulated: known, not
# estimated.

CUTOFF = 10
GRID = np.arange(-4.0, 10.0, 0.01)  # what a system believes of a document, in standard deviations


class TrueScore(NamedTuple):
    """The score of a system over all topics."""

    system: str
    measure: str
    value: float


def true_scores(*, systems: int = 8, docs: int = 400) -> list[TrueScore]:
    """P@10 and DCG@10 of every system of `simulate`, over all topics that it could draw and for any seed.

    Within a topic what a system of skill s believes of its n documents is normal with variance 1, so its document at
    rank r is the r-th largest w of n normal values, and the quality of that document is normal around s w, with the
    variance 1 - s^2 of its noise and that of topics beside it:

        P(label >= k at rank r) = E[Phi((s w_r + level - threshold_k) / sqrt(1 - s^2 + difficulty^2))]

    P@10 is the mean over r = 1..10 of P(label >= 1), DCG@10 the sum of E[label] / log2(r + 1), E[label] being the sum
    of P(label >= k) over k.  The expectation over w_r is summed over a grid, which for such an integrand is exact to
    rounding; that beliefs are rounded to four decimals, and so may tie, is left out.
    David and Nagaraja 2003, Order Statistics.

    >>> [(system, round(value, 4)) for system, measure, value in true_scores(systems=2) if measure == "P@10"]
    [('system-1', 0.4354), ('system-2', 0.8075)]
    """
    density = _densities(docs)
    discount = 1 / np.log2(np.arange(2, CUTOFF + 2))
    everybody = []
    for number, skill in enumerate(skills(systems).tolist(), 1):
        spread = math.sqrt(1 - skill**2 + DIFFICULTY**2)
        reaches = [density @ _normal((skill * GRID + LEVEL - at) / spread) for at in THRESHOLDS]
        scores = {"P@10": float(reaches[0].mean()), "DCG@10": float(sum(reaches) @ discount)}
        everybody += [TrueScore(f"system-{number}", measure, value) for measure, value in scores.items()]
    return everybody


def _densities(docs: int) -> Floats:
    """For each of the first ranks how likely each value of the grid is, of so many normal values; rows add up to 1."""
    if docs < CUTOFF:
        raise ValueError(f"{docs} documents have no first {CUTOFF}")
    below, above = np.log(_normal(GRID)), np.log(_normal(-GRID))
    rank = np.arange(1, CUTOFF + 1)[:, None]
    log = (rank - 1) * above + (docs - rank) * below - GRID**2 / 2
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True), np.float64)


def _normal(x: Floats) -> Floats:
    """The normal distribution function, right in both tails."""
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x.tolist()])


# ---- Simulated ratings whose truth is known: on a scale, and magnitudes on personal scales.


@dataclass(frozen=True, eq=False)
class Magnitudes:
    """Simulated magnitudes: what people said, the worth behind it, experts' levels of it, and who was careless."""

    ratings: Judgments
    truth: Judgments
    expert: Judgments
    careless: tuple[str, ...]


def uniform_ratings(judgments: JudgmentsLike, *, assessors: int = 5, highest: int = 2, seed: int = 0) -> Judgments:
    """Ratings by N assessors behind given judgments: all 0 where the label is not above 0, else uniform on 0..Dmax.

    The worst case for unanimity, for nobody agrees but by chance.  Sakai 2017, EVIA, section 4.

    >>> uniform_ratings({"1": {"a": 2, "b": 0}}, assessors=3, highest=4, seed=1).label.tolist()
    [2.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    """
    pool = Pool.of(Judgments.of(judgments))
    drawn = np.random.default_rng(np.random.SeedSequence(seed)).integers(0, highest + 1, (len(pool), assessors))
    return _rated(pool, np.where(pool.labels[:, None] > 0, drawn, 0))


def noisy_ratings(
    judgments: JudgmentsLike, *, assessors: int = 5, highest: int = 3, slip: float = 0.35, seed: int = 0
) -> Judgments:
    """Ratings by assessors who mean the given label and, with chance `slip`, say one more or one less.

    >>> noisy_ratings({"1": {"a": 2, "b": 0}}, assessors=3, slip=0, seed=1).label.tolist()
    [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]
    """
    pool = Pool.of(Judgments.of(judgments))
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    moved = np.where(rng.random((len(pool), assessors)) < slip, rng.choice([-1, 1], (len(pool), assessors)), 0)
    return _rated(pool, np.clip(pool.labels[:, None] + moved, 0, highest))


def _rated(pool: Pool, values: npt.NDArray[Any]) -> Judgments:
    """Ratings from a matrix of items by assessors."""
    docs, topics, people = pool.docs.strings(), [pool.topics[t] for t in pool.topic], values.shape[1]
    return judgments_of_columns(
        [t for t in topics for _ in range(people)],
        [d for d in docs for _ in range(people)],
        values.reshape(-1).astype(np.float64),
        "simulated ratings",
        assessors=[f"assessor-{a + 1}" for _ in docs for a in range(people)],
    )


def magnitude_ratings(
    *,
    topics: int = 10,
    docs: int = 40,
    workers: int = 10,
    unit: int = 8,
    noise: float = 1.0,
    habit: float = 0.5,
    slip: float = 0.01,
    careless: float = 0.1,
    careless_spread: float = 3.0,
    scales: float = 1.5,
    seed: int = 0,
) -> Magnitudes:
    """Magnitudes by workers with scales of their own, about documents whose worth is known.

    Every topic has `docs` documents of log-normal worth, and experts' levels 0 to 3 by its quartiles.  A unit holds
    `unit` documents, the best ('high') and the worst ('low') of the topic always among them; units are dealt until
    every document has `workers` ratings.  A worker multiplies the worth by a scale of their own (log-normal, `scales`)
    and by noise (log-normal, `noise`), with chance `slip` writes a zero too many or too few, and with chance `habit`
    says a round number instead: one significant figure.  A share `careless` of units is filled with numbers that have
    nothing to do with the documents and range widely: `careless_spread` is the standard deviation of their logarithms,
    3 for numbers a few thousand times apart within a unit.  With the defaults, alpha (ratio) after geometric averaging
    is about that of real workers, 0.32 (Maddalena et al. 2017).

    >>> world = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    >>> len(world.truth), world.ratings.extra["anchor"][:8].count("high")
    (28, 1)
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    rows: list[tuple[str, str, str, float, str, float]] = []
    worth, lazy = rng.normal(0, 1, (topics, docs)), []
    number = 0
    for topic in range(topics):
        best, worst = int(worth[topic].argmax()), int(worth[topic].argmin())
        others = [d for d in range(docs) if d not in (best, worst)]
        for _ in range(workers):
            dealt = rng.permutation(others)
            for begin in range(0, len(dealt), unit - 2):
                chosen = rng.permutation([best, worst, *dealt[begin : begin + unit - 2]])
                name, number = f"worker-{number + 1}", number + 1
                sloppy = rng.random() < careless
                if sloppy:
                    logs = rng.normal(0, careless_spread, len(chosen))
                    lazy.append(name)
                else:
                    logs = meant(worth[topic, chosen], rng, noise=noise, slip=slip)
                written = rounded(np.exp(rng.normal(2, scales) + logs), rng, habit=habit)
                marks = ["high" if d == best else "low" if d == worst else "" for d in chosen]
                times = rng.gamma(4, 2 if sloppy else 12, len(chosen))
                rows += [
                    (f"{topic + 1}", f"{topic + 1}-{d + 1:03}", name, s, m, round(float(t), 1))
                    for d, s, m, t in zip(chosen, written.tolist(), marks, times, strict=True)
                ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    ratings = judgments_of_columns(
        columns[0],
        columns[1],
        np.array(columns[3], np.float64),
        "simulated magnitudes",
        assessors=columns[2],
        extra={"anchor": columns[4], "seconds": columns[5]},
    )
    names = [f"{t + 1}" for t in range(topics) for _ in range(docs)]
    ids = [f"{t + 1}-{d + 1:03}" for t in range(topics) for d in range(docs)]
    levels = np.array([np.searchsorted(np.quantile(row, [0.25, 0.5, 0.75]), row) for row in worth]).reshape(-1)
    truth = judgments_of_columns(names, ids, np.exp(worth).reshape(-1), "true worth")
    expert = judgments_of_columns(names, ids, levels.astype(np.float64), "simulated experts")
    return Magnitudes(ratings, truth, expert, tuple(lazy))


def second_expert(expert: Judgments, *, slip: float = 0.1, seed: int = 0) -> Judgments:
    """A second expert of the same documents, who says 1 from the first one's level 2 on and 0 below, and at times errs.

    slip: the chance to say the other.

    >>> second_expert(Judgments.of({"1": {"a": 3, "b": 2, "c": 1, "d": 0}}), slip=0).label.tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    relevant = (expert.label >= 2) != (rng.random(len(expert)) < slip)
    topics = [expert.topic.values[code] for code in expert.topic.code]
    return judgments_of_columns(topics, expert.docs.strings(), relevant.astype(np.float64), "a second expert")


def runs_over(truth: Judgments, *, systems: int = 8, depth: int = 20, seed: int = 0) -> Runs:
    """Runs that rank documents whose worth is known, by its logarithm seen through noise: sd 0.4 to 2.

    >>> world = magnitude_ratings(topics=2, docs=14, workers=3, seed=1)
    >>> runs_over(world.truth, systems=2, depth=5).systems
    ('system-1', 'system-2')
    """
    pool = Pool.of(truth)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    docs, parts = pool.docs.strings(), []
    for system, noise in enumerate(np.linspace(0.4, 2, systems)):
        belief = np.round(np.log(pool.labels) + rng.normal(0, noise, len(pool)), 6)
        order = np.lexsort((-belief, pool.topic))
        order = order[np.arange(len(order)) - pool.begin[pool.topic[order]] < depth]
        name = f"system-{system + 1}"
        topics = [pool.topics[t] for t in pool.topic[order]]
        parts.append(run_of_columns(name, topics, [docs[i] for i in order], belief[order], name))
    return Runs(tuple(parts))


def meant(worth: Floats, rng: np.random.Generator, *, noise: float = 1.0, slip: float = 0.01) -> Floats:
    """Logarithms of what an honest worker means: the logarithms of worth with noise, at times ten times off.

    noise: its standard deviation.  slip: the chance of a zero too many or too few.

    >>> meant(np.array([0.0, 1.0]), np.random.default_rng(1), noise=0, slip=0).tolist()
    [0.0, 1.0]
    """
    logs = worth + rng.normal(0, noise, len(worth))
    zeros = rng.choice([-1, 1], len(worth)) * (rng.random(len(worth)) < slip)
    return np.asarray(logs + zeros * np.log(10), np.float64)


def rounded(values: Floats, rng: np.random.Generator, *, habit: float = 0.5) -> Floats:
    """Numbers as people write them: with the chance `habit` with one significant figure.

    >>> rounded(np.array([17.3, 0.0421]), np.random.default_rng(1), habit=1).tolist()
    [20.0, 0.04]
    """
    unit = 10.0 ** np.floor(np.log10(values))
    round_number = rng.random(len(values)) < habit
    return np.where(round_number, np.maximum(1, np.round(values / unit)) * unit, values)


# ---- Nuggets: facts that answers should tell, which of them they do, by a lenient judge and by people.

NUGGET_LEVELS = (-0.3, 0.6)  # of two systems, in logits
NUGGET_ERROR, NUGGET_LENIENT = 0.12, 0.15  # of the judge, and of its favor for the first system
SUPPORT_WORDS = np.array(["not_support", "partial_support", "support"])
Records = list[dict[str, object]]


def nugget_records(
    systems: tuple[str, str], *, topics: int = 40, share: float = 0.2, seed: int = 0
) -> tuple[Records, Records, Records]:
    """Nuggets of topics, what a lenient judge assigned to the answers of two systems, and people for a random share.

    The second system supports more nuggets; the judge favors the first.  One topic has no vital nugget.

    >>> nuggets, assigned, people = nugget_records(("a", "b"), topics=3)
    >>> nuggets[-1], assigned[0]["assignment"] in SUPPORT_WORDS, len(assigned) == 2 * len(nuggets)
    ({'qid': '3', 'nugget': 'fact 6 of topic 3', 'importance': 'okay'}, True, True)
    """
    rng = np.random.default_rng([seed, 7])
    nuggets: Records = []
    assigned: Records = []
    people: Records = []
    for topic in range(1, topics + 1):
        size, hard = int(rng.integers(6, 15)), rng.normal(0, 0.7)
        vital = 0 if topic == topics // 2 + 1 else size // 2
        facts = [f"fact {i + 1} of topic {topic}" for i in range(size)]
        kinds = ["vital" if i < vital else "okay" for i in range(size)]
        nuggets += [{"qid": str(topic), "nugget": f, "importance": k} for f, k in zip(facts, kinds, strict=True)]
        ease = rng.normal(0, 0.7, size)
        for system, level in zip(systems, NUGGET_LEVELS, strict=True):
            supported = rng.random(size) < 1 / (1 + np.exp(-(level + hard + ease)))
            true = np.where(supported, np.where(rng.random(size) < 0.15, 1, 2), 0)
            seen = np.where(rng.random(size) < NUGGET_ERROR, rng.integers(0, 3, size), true)
            favored = (system == systems[0]) & (rng.random(size) < NUGGET_LENIENT)
            words, right = SUPPORT_WORDS[np.where(favored, 2, seen)].tolist(), SUPPORT_WORDS[true].tolist()
            drawn = (rng.random(size) < share).tolist()
            for fact, word, meant_, is_drawn in zip(facts, words, right, drawn, strict=True):
                of: dict[str, object] = {"qid": str(topic), "system": system, "nugget": fact}
                assigned.append({**of, "assignment": word, "judge_model": "judge-llm"})
                if is_drawn:
                    people.append({**of, "assignment": meant_, "assessor": "anna"})
    return nuggets, assigned, people


# ---- Two retrievers of a RAG system that are equally good, by an LLM judge that favors one.

QUESTIONS, PASSAGES, RETURNED, LABELED = 80, 30, 5, 150
RELEVANT = 0.35  # share of relevant passages among those that could be found
SKILLS = {"prod": 1.0, "new": 1.0}  # how far relevance raises a similarity, in standard deviations of its noise
FINDS, ACCEPTS, FAVORS = 0.85, 0.15, 0.40  # chance to call relevant: a relevant passage, another, another of `new`
JUDGE = "judge-llm"

Record = dict[str, object]


@dataclass(frozen=True)
class RagWorld:
    """What a RAG team has, as records of its files, and the true labels, which it has not.

    Attributes
    ----------
    questions, passages : list of dict
        Their texts.
    runs : dict of str to list of dict
        By retriever the passages that it returned.
    llm, people, truth : list of dict
        Labels of every returned passage by the judge, of some drawn at random by people, and the true ones of all.
    """

    questions: list[Record]
    passages: list[Record]
    runs: dict[str, list[Record]]
    llm: list[Record]
    people: list[Record]
    truth: list[Record]


def simulate_rag(*, seed: int = 0) -> RagWorld:
    """Draw a world: both retrievers rank by the same rule, and the judge accepts more bad passages of `new`.

    >>> world = simulate_rag()
    >>> world.runs["new"][0], len(world.people)
    ({'question_id': 'q1', 'passage_id': 'q1-p27', 'rank': 1, 'similarity': 2.616}, 150)
    >>> world.llm[0]
    {'question_id': 'q1', 'passage_id': 'q1-p15', 'relevant': 1, 'model': 'judge-llm'}
    """
    rng = np.random.default_rng([seed, 1])
    relevant = rng.random((QUESTIONS, PASSAGES)) < RELEVANT
    returned: dict[str, list[list[int]]] = {}
    runs: dict[str, list[Record]] = {}
    for name, skill in SKILLS.items():
        similarity = skill * relevant + rng.normal(size=relevant.shape)
        returned[name] = np.argsort(-similarity, axis=1)[:, :RETURNED].tolist()
        runs[name] = [
            {**_ids(q, p), "rank": rank, "similarity": round(float(similarity[q, p]), 4)}
            for q, best in enumerate(returned[name])
            for rank, p in enumerate(best, 1)
        ]
    llm: list[Record] = []
    truth: list[Record] = []
    for q in range(QUESTIONS):
        for p in sorted({p for lists in returned.values() for p in lists[q]}):
            chance = FINDS if relevant[q, p] else FAVORS if p in returned["new"][q] else ACCEPTS
            llm.append({**_ids(q, p), "relevant": int(rng.random() < chance), "model": JUDGE})
            truth.append({**_ids(q, p), "relevant": int(relevant[q, p])})
    drawn = rng.permutation(len(truth))[:LABELED].tolist()
    return RagWorld(
        [{"question_id": f"q{q + 1}", "question": f"What is known about subject {q + 1}?"} for q in range(QUESTIONS)],
        [
            {"passage_id": f"q{q + 1}-p{p + 1}", "text": _text(q, p, bool(good))}
            for (q, p), good in np.ndenumerate(relevant)
        ],
        runs,
        llm,
        [truth[i] for i in drawn],
        truth,
    )


def _ids(question: int, passage: int) -> Record:
    return {"question_id": f"q{question + 1}", "passage_id": f"q{question + 1}-p{passage + 1}"}


def _text(question: int, passage: int, good: bool) -> str:
    """A text that people can label: it says whether it is relevant."""
    statement = "This note answers the question." if good else "This note is about something else."
    return f"Subject {question + 1}, note {passage + 1}. {statement}"
