"""Every table and figure of Goldberg et al. 2018, of the paper's counts or of a user's data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from truegain.data.judgments import JudgmentsLike
from truegain.errors import TruegainError
from truegain.experiments import judge_tables as paper
from truegain.experiments.judge_errors import JudgeSimulation
from truegain.experiments.judge_labels import agreement_table, example_table
from truegain.message import argname
from truegain.report.judge_figures import simulation_chart
from truegain.report.paper_folder import Entry, Exhibit, exhibits_of
from truegain.results.base import Table

OF_RUNS = ("confusion", "accuracy", "corrected", "differences", "power", "simulation", "dcg")
OF_PAIRS = ("differences", "power")
# Table 1 is the paper's notation.
EXHIBITS = (
    Entry("table-2", "Table 2", "confusion", "What the judge says, given the gold label. The paper's section 7: .729 "
          "and .798 are right."),
    Entry("figure-1", "Figure 1 and section 4", "dcg", "Corrected DCG. The paper's example has two queries and two "
          "ranks: not, partly and highly relevant labels are .5, .5, 0 at rank 1 and .5, 0, .5 at rank 2."),
    Entry("figure-2", "Figure 2", "simulation", "Simulated studies: precision by bronze labels and corrected, and how "
          "often the interval of each holds the truth. The paper: 5% and 95%."),
    Entry("table-3", "Table 3", "agreement", "Agreement of the judges. The paper: kappa .514."),
    Entry("section-7-corrected", "Section 7, corrected precision", "corrected", "Corrected precision and its standard "
          "error. The paper: .805 and .828, .0903 and .0923."),
    Entry("section-7-differences", "Section 7, differences", "differences", "Tests of a difference by bronze labels "
          "and corrected. The paper: p .011 and .854."),
    Entry("table-4", "Table 4", "accuracy", "Mean, standard deviation and judge of each system, and whether such a "
          "mean is possible. The paper: .447 and .824, .280 and .807."),
    Entry("section-8", "Section 8", "power", "Topics and gold pairs that show the difference. The paper: 2453 topics "
          "without judge errors, and infinitely many with them."),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class JudgePaper:
    """The tables there are, made when they are asked for, and the simulated studies behind figure 2.

    Parameters
    ----------
    tables : mapping of str to callable
        What makes each table, by its name.
    worlds : callable
        The simulated studies.

    Examples
    --------
    >>> whole = JudgePaper.of(trials=100)
    >>> len(whole.tables), whole.tables["agreement"]().title
    (8, 'Agreement of the judges (table 3)')
    """

    tables: Mapping[str, Callable[[], Table]]
    worlds: Callable[[], Mapping[str, JudgeSimulation]] = dict

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
        return cls(tables, worlds)

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
        return exhibits_of(
            EXHIBITS, tables, {"figure-2": self.figure}, lambda one: f"{command} --show {one.show}" if command else ""
        )

    def _refuse(self, show: str) -> Table:
        raise TruegainError(f"it {self.lacking(show)}")
