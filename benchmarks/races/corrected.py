"""A share without a judge's errors, two hundred times: 500 labels of a judge, 500 gold labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.racing.contest import US, Answer, Inside, Job, Workload, without_files

if TYPE_CHECKING:
    from benchmarks.judge.draws import Cheap, Interval

CALLS = 200
FEW = 3  # judgy, whose bootstrap has 20,000 iterations a call


def _drawn(calls: int) -> Iterator[Cheap]:
    import numpy as np

    from benchmarks.judge.draws import cheap

    rng = np.random.default_rng(7)
    gold = np.repeat([1.0, 0.0], 250)
    for _ in range(calls):
        yield cheap(rng, 0.4, 0.9, 0.8, 500, gold)


def _asked(answer: Callable[[Cheap], Interval], calls: int) -> Job:
    drawn = list(_drawn(calls))

    def job() -> Callable[[], Answer]:
        found = [answer(given) for given in drawn]
        widths = [f[1] - f[0] for f in found if f is not None]
        return lambda: {"mean width": sum(widths) / len(widths)}

    return job


def truegain(place: Path) -> Job:  # noqa: ARG001  (the form of all)
    """The confusion matrix, with its default interval.

    What it reads when it is first asked, scipy.special, is read before the clock runs, as the peers read theirs.
    """
    from benchmarks.judge.draws import ours
    from truegain.stats.student_t import special

    special()
    return _asked(ours("default"), CALLS)


def judgy(place: Path) -> Job:  # noqa: ARG001
    """judgy, as it comes."""
    from benchmarks.judge.draws import judgy

    return _asked(judgy(20_000), FEW)


def ppi(place: Path) -> Job:  # noqa: ARG001
    """ppi-python, power-tuned; of another model: gold is a random sample there."""
    from benchmarks.judge.draws import ppi_python

    return _asked(ppi_python(), CALLS)


WORKLOAD = Workload(
    "corrected",
    "a share corrected for a judge's errors, 200 times; 500 labels, 250 + 250 gold",
    without_files,
    {
        US: Inside(truegain),
        "judgy": Inside(judgy, ("judgy",), FEW / CALLS, f"{FEW} times, scaled; see benchmarks.judge for coverage"),
        "ppi-python": Inside(ppi, ("ppi_py",), note="gold as a random sample; see benchmarks.judge for coverage"),
    },
    tolerance=1.0,  # other methods: benchmarks.judge tells what each is worth
)
