"""Every table and figure of Goldberg et al. 2018, of the paper's counts or of a user's data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from truegain.data.judgments import JudgmentsLike
from truegain.errors import TruegainError
from truegain.experiments import judge_tables as paper
from truegain.experiments.judge_errors import JudgeSimulation
from truegain.experiments.judge_labels import agreement_table, example_table
from truegain.io.columns import Floats
from truegain.message import argname
from truegain.report.charts import BAD, INK, altair, check_some, data_of, dressed
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.results.base import Table

BARS = 60


def simulation_chart(worlds: Mapping[str, JudgeSimulation], title: str = "") -> Any:
    """Histograms of simulated precision by bronze labels and corrected, with the truth; a panel a system.

    Goldberg et al. 2018, figure 2.

    >>> from truegain.experiments.judge_tables import simulations
    >>> chart = simulation_chart(simulations(trials=50))
    >>> chart.to_dict()["vconcat"][0]["title"]["text"]
    'simulated: the true precision is 0.400'
    """
    alt = altair()
    check_some(worlds, "simulated studies")
    panels = []
    colors = {"bronze": BAD, "corrected": INK}
    for system, world in worlds.items():
        kinds = {"bronze": world.naive, "corrected": world.corrected}
        edges = _edges(world)
        bars = [
            {"from": float(a), "to": float(b), "studies": int(n), "zero": 0, "labels": kind}
            for kind, values in kinds.items()
            for a, b, n in zip(edges[:-1], edges[1:], np.histogram(values, edges)[0], strict=True)
            if n
        ]
        x = alt.X("from:Q", title="precision", scale=alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False))
        drawn = alt.Chart(data_of(bars)).mark_rect(opacity=0.55).encode(
            x=x, x2="to:Q", y=alt.Y("studies:Q", title="simulated studies"), y2="zero:Q",
            color=alt.Color("labels:N", scale=alt.Scale(domain=list(colors), range=list(colors.values()))),
            tooltip=["labels:N", "from:Q", "to:Q", "studies:Q"],
        )  # fmt: skip
        truth = alt.Chart(data_of([{"from": world.truth}])).mark_rule(strokeWidth=1.5).encode(x="from:Q")
        naive, corrected = world.coverage()
        about = f"95% intervals hold it in {naive:.1%} of studies by bronze labels, in {corrected:.1%} corrected"
        heading = alt.TitleParams(
            f"{system}: the true precision is {world.truth:.3f}", subtitle=about, anchor="start", fontSize=12
        )
        panels.append(alt.layer(drawn, truth).properties(width=460, height=200, title=heading))
    return dressed(alt.vconcat(*panels), title or "Precision in simulated studies")


def _edges(world: JudgeSimulation) -> Floats:
    """The borders of the bars: half-way between values that bronze precision can take, as many of them in each."""
    everything = np.concatenate([world.naive, world.corrected, [world.truth]])
    low, high = float(everything.min()), float(everything.max())
    gaps = np.diff(np.unique(world.naive.round(9)))
    width = max((high - low) / BARS, 1e-6)
    if len(gaps):
        width = float(gaps.min()) * math.ceil(width / float(gaps.min()))
    middle = float(world.naive.min())  # a value that precision takes, in the middle of a step
    half = float(gaps.min()) / 2 if len(gaps) else width / 2
    first = middle - half - width * math.ceil((middle - half - low) / width + 1e-9)
    return np.asarray(first + width * np.arange(math.ceil((high - first) / width + 1e-9) + 1))


OF_RUNS = ("confusion", "accuracy", "corrected", "differences", "power", "simulation", "dcg")
OF_PAIRS = ("differences", "power")
# Table 1 is the paper's notation.
EXHIBITS = (
    Entry("table-2", "Table 2", "confusion", "The judge's label, given the gold label."),
    Entry("figure-1", "Figure 1 and section 4", "dcg", "Corrected DCG."),
    Entry("figure-2", "Figure 2", "simulation", "Simulated studies: precision by bronze labels and corrected, and how "
          "often the interval of each holds the truth."),
    Entry("table-3", "Table 3", "agreement", "Agreement of the judges."),
    Entry("section-7-corrected", "Section 7, corrected precision", "corrected", "Corrected precision and its standard "
          "error."),
    Entry("section-7-differences", "Section 7, differences", "differences", "Tests of a difference by bronze labels "
          "and corrected."),
    Entry("table-4", "Table 4", "accuracy", "Mean, standard deviation and judge of each system, and whether such a "
          "mean is possible."),
    Entry("section-8", "Section 8", "power", "Topics and gold pairs that show the difference."),
)  # fmt: skip
SAYS = {  # the paper of its own counts, by exhibit; nothing of a user's data
    "table-2": "The paper's section 7: .729 and .798 are right.",
    "figure-1": "The paper's example has two queries and two ranks: "
    "not, partly and highly relevant labels are .5, .5, 0 at rank 1 and .5, 0, .5 at rank 2.",
    "figure-2": "The paper: 5% and 95%.",
    "table-3": "The paper: kappa .514.",
    "section-7-corrected": "The paper: .805 and .828, .0903 and .0923.",
    "section-7-differences": "The paper: p .011 and .854.",
    "table-4": "The paper: .447 and .824, .280 and .807.",
    "section-8": "The paper: 2453 topics without judge errors, and infinitely many with them.",
}


@dataclass(frozen=True, eq=False)
class JudgePaper:
    """The tables there are, made when they are asked for, and the simulated studies behind figure 2.

    Parameters
    ----------
    tables : mapping of str to callable
        What makes each table, by its name.
    worlds : callable
        The simulated studies.
    published : bool
        Whether these are of the paper's own counts, of which captions then say what the paper has.

    Examples
    --------
    >>> whole = JudgePaper.of(trials=100)
    >>> len(whole.tables), whole.tables["agreement"]().title
    (8, 'Agreement of the judges (table 3)')
    """

    tables: Mapping[str, Callable[[], Table]]
    worlds: Callable[[], Mapping[str, JudgeSimulation]] = dict
    published: bool = False

    @classmethod
    def of(
        cls,
        study: paper.JudgeStudy | None = None,
        ratings: JudgmentsLike | None = None,
        *,
        relevant_from: float = 1,
        confidence: float = 0.95,
        alpha: float = 0.05,
        power: float = 0.5,
        shares: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3),
        trials: int = 10_000,
        seed: int = 0,
    ) -> JudgePaper:
        """The tables of a study and of ratings by several assessors; of neither, those of the paper's own counts.

        Parameters
        ----------
        study : JudgeStudy, optional
            Systems judged by a judge who errs, as `judge_study` makes it.
        ratings : JudgmentsLike, optional
            Ratings by several assessors, for table 3.
        relevant_from : float, default 1
            The least rating that is relevant.
        confidence, alpha, power : float
            Of intervals, and of the sizes of section 8.
        shares : tuple of float
            Shares of the allowed variance for topics, relevant and other gold pairs.
        trials, seed : int
            Draws of the bootstrap and of the simulation.

        Returns
        -------
        JudgePaper
            Without the tables that the data cannot have.
        """
        published = study is None and ratings is None
        tables: dict[str, Callable[[], Table]] = {}
        worlds: Callable[[], Mapping[str, JudgeSimulation]] = dict
        if published or study is not None:
            of: tuple[Any, ...] = () if study is None else ((study,),)  # each table has its own default in the paper
            worlds = cache(partial(paper.simulations, *(() if study is None else (study,)), trials=trials, seed=seed))
            tables = {
                "corrected": lambda: paper.corrected_table(*of, confidence=confidence, trials=trials, seed=seed),
                "differences": lambda: paper.difference_table(*of, confidence=confidence),
                "confusion": lambda: paper.confusion_table(*of),
                "accuracy": lambda: paper.accuracy_table(*of),
                "power": lambda: paper.sizes_table(*of, p=alpha, power=power, shares=shares),
                "simulation": lambda: paper.simulation_table(worlds(), confidence=confidence),
            }
            if study is not None and len(study.means) < 2:
                del tables["differences"], tables["power"]
        if published:
            tables |= {"agreement": agreement_table, "dcg": example_table}
        elif ratings is not None:
            tables["agreement"] = lambda: agreement_table(ratings, relevant_from=relevant_from)
        return cls(tables, worlds, published)

    def figure(self) -> Any:
        """Figure 2 of the paper."""
        return simulation_chart(self.worlds())

    def lacking(self, show: str) -> str:
        """What must be given for a table that is not there.

        >>> print(JudgePaper({}).lacking("agreement"))
        needs ratings by several assessors: give a file with a column assessor
        """
        if show in OF_PAIRS and self.tables.keys() & OF_RUNS:
            return "compares systems: give two runs or more"
        if show in OF_RUNS:
            return f"needs runs and gold labels: give runs, and {argname('gold')}"
        return "needs ratings by several assessors: give a file with a column assessor"

    def exhibits(self, command: str = "") -> list[Exhibit]:
        """Every table and figure of the paper, in its order; what the data lack is told where it would stand.

        `command` is how a command line begins, to tell how each exhibit is made alone.
        """
        tables = {one.show: self.tables.get(one.show, partial(self._refuse, one.show)) for one in EXHIBITS}
        shown = [
            one._replace(caption=f"{one.caption} {SAYS[one.name]}") if self.published and one.name in SAYS else one
            for one in EXHIBITS
        ]
        return exhibits_of(
            shown, tables, {"figure-2": self.figure}, lambda one: f"{command} --show {one.show}" if command else ""
        )

    def _refuse(self, show: str) -> Table:
        raise TruegainError(f"it {self.lacking(show)}")
