"""What is counted over studies, by the size of the true difference, and the tables of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.settle import ways
from benchmarks.settle.forecast import Forecast, forecast, order_of
from benchmarks.settle.worlds import Case, World
from truegain.io.columns import Ints
from truegain.planning.settle import Settling
from truegain.stats.student_t import quantile_of, wilson
from truegain.study.estimators import LEAST_GOLD

BANDS = ((0.1, 1.0), (0.06, 0.1), (0.03, 0.06), (0.0, 0.03))
CAPS = (150, 300)
SETTLE, LEARNING, ORACLE = "settle", "settle, sizes that learn", "stakes that know the difference"
CHANCES, BOTH = "predictions that know each chance", "stakes and predictions that know"
BEFORE, BEFORE_EACH = f"before, looks every {ways.EVERY}", "before, every label"
LIST, ALONE = f"a list of {ways.FIXED_LIST}, once", "judge alone, t test"
NO_JUDGE, RANDOM = "people alone, pairs that differ", "people alone, any pairs"
ALL = "all pairs that differ"
# Ways that take long are left out where another world tells the same.
BOUNDS, EACH_LABEL = ("leans",), ("leans", "tie")
PEOPLE_ALONE, FORETOLD = ("leans", "tie"), ("leans", "good", "tie")


@dataclass
class Found:
    """Of one world: the true difference of each study, its pairs, and each way's answers."""

    world: World
    truth: list[float] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    answers: dict[str, list[ways.Answer]] = field(default_factory=dict)
    forecast: list[Forecast] = field(default_factory=list)

    def table(self) -> list[str]:
        """In Markdown."""
        size, sign = np.abs(self.truth), np.sign(self.truth)
        bands = [(size >= low - 1e-9) & (size < high - 1e-9) for low, high in BANDS]
        shown = [i for i, band in enumerate(bands) if band.sum() >= 10]
        names = [
            f"{'above .1' if BANDS[i][1] == 1 else f'{BANDS[i][0]:g}-{BANDS[i][1]:g}'} ({bands[i].sum()})"
            for i in shown
        ]
        if len(set(size.tolist())) == 1:
            bands, shown, names = [size >= 0], [0], [f"{size[0]:g} ({len(size)})"]
        head = ["way", *names, *(f"decided by {n}" for n in CAPS), "decided", "wrong", "wrong, 95% CI"]
        out = [f"| {' | '.join(head)} |", f"|---{'|---:' * (len(head) - 1)}|"]
        pairs = np.array(self.pairs)
        for way, answers in {
            **self.answers,
            ALL: [ways.Answer(n, int(s)) for n, s in zip(pairs, sign, strict=True)],
        }.items():
            n, said = np.array([(a.labels, a.said) for a in answers]).T
            wrong = (said != 0) & (said != sign)
            cells = [_labels(n[bands[i]]) for i in shown] if way != ALONE else ["0"] * len(shown)
            by = [f"{np.mean((said != 0) & (n <= most)):.0%}" for most in CAPS]
            low, high = (float(x) for x in wilson(wrong.mean(), len(n), quantile_of(0.95)))
            out.append(f"| {' | '.join([way, *cells, *by, f'{np.mean(said != 0):.0%}'])} | {wrong.sum()} | "
                       f"{low:.1%}-{high:.1%} |")  # fmt: skip
        return out


def _labels(n: np.ndarray) -> str:
    """Median and 90th percentile."""
    return f"{np.median(n):.0f} ({np.quantile(n, 0.9):.0f})"


def studies(world: World, count: int, seed: int) -> Found:
    """All ways, in so many studies of a world."""
    found = Found(world)
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        case = world.draw(rng)
        settling = None
        if world.name in FORETOLD:
            settling = Settling(case.study(), "prod", ["new"], population="fixed", seed=number)
        order = ways.order_of(case, rng) if settling is None else order_of(settling)
        found.truth.append(case.truth)
        found.pairs.append(case.pairs)
        answers = _answers(world, case, order, rng)
        for way, answer in answers.items():
            found.answers.setdefault(way, []).append(answer)
        if settling is not None:
            found.forecast.append(forecast(case, settling, answers[SETTLE]))
    return found


def _answers(world: World, case: Case, order: Ints, rng: np.random.Generator) -> dict[str, ways.Answer]:
    fixed = not world.topics
    some = range(ways.EVERY, len(order), ways.EVERY)
    out = {SETTLE: ways.settled(case, order) if fixed else ways.settled_topics(case, order)}
    if world.name in BOUNDS:
        out[LEARNING] = ways.learning(case, order, rng)
        out[ORACLE] = ways.oracle(case, order)
        out[CHANCES] = ways.omniscient(case, order)
        out[BOTH] = ways.omniscient(case, order, stakes=True)
    if case.cannot is None:
        out[BEFORE] = ways.sequence(case, order, some, world.topics)
        if world.name in EACH_LABEL:
            out[BEFORE_EACH] = ways.sequence(case, order, range(LEAST_GOLD, len(order)))
        out[LIST] = ways.fixed_list(case, order, world.topics)
    if world.name in PEOPLE_ALONE:
        out[NO_JUDGE] = ways.without_judge(case, rng, differing=True)
        out[RANDOM] = ways.without_judge(case, rng, differing=False)
    out[ALONE] = ways.judge_alone(case)
    return out


def forecasts(found: Sequence[Found]) -> list[str]:
    """How often it was decided by the number of labels forecast, in Markdown."""
    head = ("world", "before: by the even-chance number", "by the 80% number", "open at 50 labels: by `likely`",
            "by `latest`", "likely, median", "latest, median", "needed, median")  # fmt: skip
    out = [f"| {' | '.join(head)} |", f"|---{'|---:' * (len(head) - 1)}|"]
    for one in found:
        known = [f for f in one.forecast if f.even is not None]
        open_ = [f for f in one.forecast if f.likely is not None and f.latest is not None]
        if not known or not open_:
            continue
        cells = [
            f"{np.mean([f.labels <= (f.even or 0) for f in known]):.0%}",
            f"{np.mean([f.labels <= (f.most or 0) for f in known]):.0%}",
            f"{np.mean([f.labels <= (f.likely or 0) for f in open_]):.0%} of {len(open_)}",
            f"{np.mean([f.labels <= (f.latest or 0) for f in open_]):.0%}",
            *(f"{np.median(x):.0f}" for x in ([f.likely or 0 for f in open_], [f.latest or 0 for f in open_],
                                              [f.labels for f in open_])),
        ]  # fmt: skip
        out.append(f"| {one.world.name} | {' | '.join(cells)} |")
    return out
