"""Every table and figure of Maddalena et al. 2017, of a user's magnitudes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from truegain.aggregation.magnitudes import normalized
from truegain.data.judgments import Judgments
from truegain.data.rating_groups import Grouped
from truegain.data.runs import RunsLike
from truegain.errors import TruegainError
from truegain.experiments import magnitude_levels as levels
from truegain.experiments import magnitude_units as units
from truegain.experiments.magnitude_rankings import (
    MEASURES,
    PAPER,
    RankingRules,
    SystemExperiment,
    magnitude_systems,
)
from truegain.experiments.magnitude_units import alpha_table
from truegain.message import Message, with_marks
from truegain.planning.assessors import assessors_table
from truegain.reliability.agree import documents_table
from truegain.report import experiment_figures as charts
from truegain.report.agreement_figures import documents_chart
from truegain.report.paper_folder import Entry, Exhibit
from truegain.results.base import Table

OF_RUNS = ("systems", "resampled", "mappings")
UNDRAWN = ("collected",)  # a table of counts
MERGED_SYSTEMS = 100  # of the paper
EXPERT, SECOND, RUNS, MERGED = "", "second", "runs", "merged"  # by whose labels, and of which systems
WORKERS = (
    "truegain plan assessors --sigma 1,2,3,4,5,6 --error 0.5,1,1.5,2,2.5,3,3.5,4,4.5,5 --confidence 0.99"  # table II
)


EXHIBITS = (
    Entry("table-1", "Table I", "collected", "How the magnitudes were collected, topic by topic: documents, "
          "units, the known documents Hk and Nk, units by uses of the back button and by failed checks."),
    Entry("figure-1", "Figure 1", "habits", "Raw magnitudes of each topic: share of scores up to each, and the "
          "log-normal distribution of the same mean and standard deviation of logarithms."),
    Entry("figure-2", "Figure 2", "normalized", "The same of normalized magnitudes."),
    Entry("figure-3-4", "Figures 3 and 4", "means", "Documents' median magnitudes by the expert's level, over "
          "all topics and in each."),
    Entry("figure-3-4-second", "Figures 3 and 4, second expert", "means", "The same by the second expert's "
          "level.", SECOND),
    Entry("section-5", "Section 5", "tests", "Whether magnitudes separate neighboring levels. The paper: "
          "p < 0.002 by the t test."),
    Entry("figure-5", "Figure 5", "documents", "How far apart the magnitudes of one document are: greatest "
          "over least, and the geometric standard deviation."),
    Entry("section-6-1-alpha", "Section 6.1, alpha", "alpha", "Krippendorff's alpha, its interval, and its "
          "test against 0. The paper: 0.323, p < 0.01."),
    Entry("section-6-1-extremes", "Section 6.1, extremes", "extremes", "The units with the greatest ratio of "
          "two scores."),
    Entry("figure-6-13", "Figures 6 and 13", "units", "Units by the ratio Hk/Nk, narrow and wide ones, and by "
          "the share of pairs in the expert's order."),
    Entry("figure-6-second", "Figure 6, second expert", "units", "Units by the share of pairs in the second "
          "expert's order.", SECOND),
    Entry("figure-7", "Figure 7", "experts", "Pairs of documents in the same order: magnitudes as each expert, "
          "and the experts as each other. The paper: 80% and 86%, and 85%."),
    Entry("figure-8", "Figure 8", "combinations", "Pairs of documents in the expert's order by normalization "
          "and aggregation, a box over topics each."),
    Entry("figure-9", "Figure 9", "sigma", "Standard deviations of the magnitudes of one document. The paper "
          "takes sigma to be about 2."),
    Entry("table-2", "Table II", "workers", "Workers that a document needs for a mean score within E of that "
          "of all, by sigma. The paper says 95%; its numbers are those of 99%, as here."),
    Entry("figure-10", "Figure 10", "systems", "Systems by magnitudes and by experts, top sets in color; by the second "
          "expert where there is one. The paper: tau 0.677 by nDCG@10, 0.222 by ERR@10; overlap 82% and 20%.", RUNS),
    Entry("figure-11", "Figure 11", "systems", "Systems merged from fully judged lists, by magnitudes and by "
          "the first expert. The paper: tau 0.147 and 0.06; overlap 32% and 68%.", MERGED),
    Entry("figure-12", "Figure 12, systems", "resampled", "Tau with the experts' ranking where one magnitude is "
          "drawn for each document.", RUNS),
    Entry("figure-12-merged", "Figure 12, merged systems", "resampled", "The same of merged systems.", MERGED),
    Entry("table-3", "Table III", "mappings", "Merged systems by experts' levels C mapped to other gains, "
          "against C itself: tau, and overlap, the share of C's top set that stays.", MERGED),
    Entry("table-4", "Table IV", "systems", "Tau and overlap of top sets between rankings by experts and by magnitudes "
          "of narrow, wide and any units (the paper's All is top3), of systems and of merged systems.", RUNS),
    Entry("figure-14", "Figure 14", "profile", "Magnitudes over the unit's Nk score by experts' level, beside "
          "linear and exponential gain."),
    Entry("figure-15", "Figure 15", "ratios", "Ratios of highly relevant to relevant documents within a unit. "
          "The paper's medians: 1.00, 1.00, 1.14."),
    Entry("section-9-2", "Sections 4.2 and 9.2", "numbers", "Round numbers, and units whose ratios need few "
          "figures. The paper: 51% of units follow ratios of one figure, 68% of two."),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class MagnitudePaper:
    """What the tables and figures are made of, and the making of each by its name.

    Parameters
    ----------
    ratings : Judgments
        Magnitudes, as `read_magnitudes` gives them.
    expert : Judgments
        Levels of experts: Sormunen's four in the paper.
    second : Judgments, optional
        Those of a second expert: TREC's binary ones in the paper.
    runs : what `evaluate` takes, optional
        Runs, to rank systems.
    normalize : str, default 'geometric'
        How magnitudes come to one scale.
    measures, sources, simulated, replicates, seed, jobs, rules
        As `magnitude_systems` takes them.

    Examples
    --------
    >>> from truegain.experiments.worlds import magnitude_ratings
    >>> world = magnitude_ratings(topics=2, docs=20, workers=5, seed=1)
    >>> MagnitudePaper(world.ratings, world.expert).table("sigma").rows[0][0]
    '1'
    """

    ratings: Judgments
    expert: Judgments
    second: Judgments | None = None
    runs: RunsLike | None = None
    normalize: str = "geometric"
    measures: Sequence[str] = MEASURES
    sources: Sequence[str] | None = None
    simulated: int = 0
    replicates: int = 1000
    seed: int = 0
    jobs: int | None = None
    rules: RankingRules = field(default=PAPER)

    @cached_property
    def systems(self) -> SystemExperiment:
        """Systems by magnitudes and by experts."""
        if self.runs is None:
            raise TruegainError("ranking systems needs runs; give them")
        return magnitude_systems(
            self.ratings,
            self.expert,
            self.runs,
            normalize=self.normalize,
            sources=self.sources,
            measures=self.measures,
            simulated=self.simulated,
            replicates=self.replicates,
            seed=self.seed,
            jobs=self.jobs,
            rules=self.rules,
        )

    @cached_property
    def ways(self) -> units.MagnitudeExperiment:
        """Which way from magnitudes to gains orders documents as experts do."""
        return units.magnitudes(self.ratings, self.expert)

    @cached_property
    def units(self) -> units.Units:
        """Each unit, held against the experts."""
        return units.Units.of(self.ratings, self.expert, best=self.rules.best, wide_from=self.rules.wide_from)

    def possible(self) -> list[str]:
        """The tables that need anchors or graded levels, where these are there."""
        is_graded = len(set(self.expert.label[self.expert.label >= 0].tolist())) > 2
        return ["profile"] * self.units.has_anchors + ["ratios"] * is_graded

    def table(self, show: str) -> Table:
        """The table of a name."""
        ratings, expert, how = self.ratings, self.expert, self.normalize
        tables: dict[str, Callable[[], Table]] = {
            "systems": lambda: self.systems.rankings,
            "resampled": lambda: self.systems.resampled,
            "mappings": lambda: self.systems.mappings,
            "alpha": lambda: alpha_table(ratings, how, replicates=self.replicates, seed=self.seed),
            "collected": lambda: units.collected_table(ratings),
            "combinations": lambda: self.ways.combinations,
            "documents": lambda: documents_table(Grouped.of(normalized(ratings, how)), True, {"normalize": how}),
            "experts": lambda: levels.experts_table(ratings, expert, self._second, how),
            "extremes": lambda: units.extremes_table(ratings),
            "habits": lambda: self.ways.habits,
            "levels": lambda: levels.levels_table(ratings, expert, how),
            "means": lambda: levels.means_table(ratings, expert, how),
            "normalized": lambda: units.normalized_habits(ratings, how),
            "numbers": lambda: units.numbers_table(ratings),
            "profile": lambda: levels.profile_table(ratings, expert),
            "ratios": lambda: levels.ratios_table(ratings, expert),
            "sigma": lambda: levels.sigma_table(ratings, how),
            "tests": lambda: levels.apart_table(ratings, expert, how),
            "units": lambda: units.units_table(self.units),
        }
        return tables[show]()

    @property
    def _second(self) -> Judgments:
        if self.second is None:
            raise TruegainError("no second expert is given; name one")
        return self.second

    def chart(self, show: str) -> Any:
        """The figure that belongs to a table."""
        if show in ("systems", "resampled"):
            return _systems_chart(show, self.systems)
        if show in ("habits", "normalized"):
            drawn = self.ratings if show == "habits" else normalized(self.ratings, self.normalize)
            by_topic = {f"topic {t}": drawn.label[drawn.topic.code == c] for c, t in enumerate(drawn.topic.values)}
            return charts.cdf_chart({"all": drawn.label, **by_topic} if len(by_topic) > 1 else by_topic)
        if show == "combinations":
            return charts.combinations_chart(self.ways.by_topic)
        table = self.table(show)
        if show == "sigma":
            return charts.sigma_chart(table, levels.document_sigmas(self.ratings, self.normalize).sds)
        chart_by_name: dict[str, Callable[[Table], Any]] = {
            "alpha": charts.alpha_chart,
            "documents": documents_chart,
            "numbers": charts.numbers_chart,
            "extremes": charts.extremes_chart,
            "units": charts.units_chart,
            "means": charts.means_chart,
            "tests": charts.apart_chart,
            "experts": charts.experts_chart,
            "mappings": charts.mappings_chart,
        }
        return chart_by_name.get(show, charts.levels_chart)(table)

    # ------------------------------------------------------------------ the paper, whole

    def exhibits(self, commands: Mapping[str, str] | None = None) -> list[Exhibit]:
        """Every table and figure of the paper, in its order; what the data lack is told where it would stand.

        Where there is a second expert, figure 10, the first half of figure 12 and the systems of table IV are by that
        one, as the paper's are by TREC's labels; merged systems are by the first.  `commands` hold how a command line
        begins, by `expert` and by `second`, to tell how each exhibit is made alone.
        """
        swapped = None if self.second is None else replace(self, expert=self.second, second=self.expert)
        on_merged = replace(self, simulated=self.simulated or MERGED_SYSTEMS)
        on_runs = replace(swapped or self, simulated=0)
        parts = {EXPERT: self, SECOND: swapped, RUNS: on_runs, MERGED: on_merged}
        begins = commands or {}
        by_second = begins.get("second", begins.get("expert", ""))
        begin = {EXPERT: begins.get("expert", ""), SECOND: by_second, RUNS: by_second, MERGED: begins.get("expert", "")}
        several: list[Exhibit] = []
        for name, heading, show, caption, by in EXHIBITS:
            if (of := parts[by]) is None:
                continue
            merged = f" --simulated {of.simulated}" if by == MERGED else ""
            line = f"{begin[by]} --show {show}{merged}" if begin[by] else ""
            if show == "workers":
                several.append(Exhibit(name, heading, caption, _workers, None, WORKERS if line else ""))
            elif name == "table-4":
                several.append(Exhibit(name, heading, caption, partial(_both, of, on_merged), None, line))
            else:
                chart = None if show in UNDRAWN else partial(of.chart, show)
                several.append(Exhibit(name, heading, caption, partial(of.table, show), chart, line))
        return several


def _workers() -> Table:
    """Table II of the paper, at the confidence that its numbers have."""
    return assessors_table(range(1, 7), [n / 2 for n in range(1, 11)], 0.99)


def _both(on_runs: MagnitudePaper, merged: MagnitudePaper) -> Table:
    """Table IV: systems by one expert, and merged ones by the other, where enough lists are judged for them."""
    first = on_runs.table("systems")
    parts, lacking = [("runs", first)], []
    try:
        parts.append((f"{merged.simulated} merged", merged.table("systems")))
    except TruegainError as error:
        lacking.append(Message(f"no merged systems: {with_marks(error)}"))
    rows = [(name, *row) for name, table in parts for row in table.rows]
    notes = dict.fromkeys(note for _, table in parts for note in table.notes)  # what both say is said once
    return Table(("systems", *first.columns), rows, first.provenance, first.title, (*notes, *lacking))


def _systems_chart(show: str, systems: SystemExperiment) -> Any:
    """Systems by two gains, or the spread of tau."""
    measures = list(systems.draws)
    sources = list(dict.fromkeys(source for source, _ in systems.ranked if source != "expert"))
    if show == "resampled":
        taus = {
            m: {str(r["units"]): r["tau"] for r in systems.rankings.records() if r["measure"] == m} for m in measures
        }
        return charts.taus_chart(systems.draws, taus, "One score drawn for each document")  # type: ignore[arg-type]
    source = next((s for s in sources if s.startswith("top")), sources[0])
    panels = []
    for m in measures:
        ours, experts = systems.ranked[source, m], systems.ranked["expert", m]
        panels.append((m, ours.systems, ours.means, experts.means, ours.top, experts.top))
    return charts.systems_chart(panels, f"Systems by magnitudes (units: {source}) and by experts")
