"""The command `truegain compare`: which systems differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.gold_options import Correcting, GoldSampleOption, Labeling
from truegain.cli.options import (
    AnswerOptions,
    Confidence,
    CountingOption,
    Inputs,
    JudgeModel,
    JudgmentsOrAnswers,
    RunFiles,
    Seed,
    TeamsFile,
    advanced,
    changed,
    option_for,
    refuse,
    refuse_for_answers,
    refuse_typed,
    with_options,
)
from truegain.cli.output import FigureOutput, Writing
from truegain.cli.scored import scored
from truegain.cli.streams import Progress
from truegain.cli.study_files import drop_uncorrectable, is_from_study_file
from truegain.cli.study_options import check_typed
from truegain.config import RESAMPLES, Gold, Resampling, Scoring, StudyConfig
from truegain.data.items import Items
from truegain.data.runs import read_runs
from truegain.data.scores import Scores
from truegain.data.teams import Teams, read_teams, with_teams
from truegain.errors import TruegainError, counted
from truegain.io.files import expand
from truegain.measures.base import Measure
from truegain.measures.catalogue import parse_measures
from truegain.measures.scoring import at_level, matching_for, refuse_chosen
from truegain.message import option
from truegain.results.base import Table, joined
from truegain.study.inputs import StudyInputs
from truegain.study.item_inputs import answer_inputs, answer_scores, items_in, measures_of

if TYPE_CHECKING:
    from truegain.data.pool import RankedGains
    from truegain.stats.results import Comparison, ResultList
    from truegain.stats.significance.comparisons import Comparisons

TestName = Literal[
    "tukey-hsd",
    "randomized-tukey-hsd",
    "one-way-tukey-hsd",
    "paired-t",
    "wilcoxon",
    "sign",
    "randomization",
    "bootstrap",
    "welch",
]
Adjustment = Literal["holm", "bonferroni", "hochberg", "holm-sidak", "bh", "by", "none"]
Meta = Literal["mean", "fixed", "random", "hartung-knapp", "paule-mandel"]
Effect = Literal["ap", "logit"]
Pairing = Literal["paired", "independent"]
NOT_WITH_GOLD = {
    "population": f"{option('--population')} collection compares bronze scores; leave out {option('--gold')}",
    "depth": "-M: give the measure a cutoff instead, such as P@10",
    "judged_only": "-J: put it into the measure instead, such as P(judged_only=True)@10",
    "by_topic": "-q shows pairs by topic over collections; leave it out",
    "no_relevant": f"{option('--no-relevant')}: with gold labels every topic counts; leave it out",
    "groups": f"{option('--groups')} applies to Tukey's test only; with gold labels, pairs are printed",
    "teams": f"{option('--teams')}: teams are shown beside uncorrected scores only; leave it out",
    "trec_eval": f"{option('--trec-eval')} 9: corrected scores follow trec_eval 10; leave it out",
    "counting": f"{option('--counting')}: with gold labels, no p-values come from counts; leave it out",
    "ties": f"{option('--ties')}: corrected scores follow trec_eval's order; leave it out",
}


OTHER_COLLECTIONS = f"applies to other collections only; give {option('--population')} collection, or leave it out"
FEW = 6  # systems whose pairs are all printed


@dataclass(frozen=True, kw_only=True)
class LabelOptions(AnswerOptions):
    """Whose labels these are, and of values of answers which."""

    judge_model: JudgeModel = None


@dataclass(frozen=True, kw_only=True)
class Testing:
    """How differences are tested."""

    test: Annotated[
        TestName | None, typer.Option("--test", help="Significance test (default: tukey-hsd, for all pairs at once).")
    ] = None
    adjust: Annotated[
        Adjustment | None,
        typer.Option("--adjust", help="Correction for multiple testing (default: holm; Tukey's tests need none)."),
    ] = None
    resamples: Annotated[
        int | None,
        advanced(
            "--resamples",
            min=1,
            help="Resamples (default: 2000 for intervals, 10000 for tests, more if alpha needs more).",
        ),
    ] = None
    counting: CountingOption = "plus-one"
    confidence: Confidence = 0.95
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Collections:
    """What a comparison over other collections is like."""

    population: Annotated[
        Literal["topics", "collection"],
        typer.Option(
            "--population", help="What the answer should generalize to: topics, or collections of the same kind."
        ),
    ] = "topics"
    meta: Annotated[
        Meta,
        advanced(
            "--meta",
            help="With --population collection: combine topics with equal weights, or by a weighted meta-analysis.",
        ),
    ] = "mean"
    effect: Annotated[
        Effect, advanced("--effect", help="With --population collection: test the difference of AP, or of its logit.")
    ] = "ap"
    pairing: Annotated[
        Pairing,
        advanced(
            "--pairing",
            help="With --population collection: draw collections for both systems together, or for each separately.",
        ),
    ] = "paired"


@dataclass(frozen=True, kw_only=True)
class GoldOptions(Correcting, Labeling):
    """Gold labels, and how differences are corrected by them."""

    gold: Annotated[str | None, option_for(Gold, "labels")] = None
    gold_sample: GoldSampleOption = "shared"

    @property
    def published_test(self) -> dict[str, Any]:
        """What a published test is told of the gold labels."""
        return {name: getattr(self, name) for name in ("gold_sample", "method", "accuracy", "clusters")}


@dataclass(frozen=True, kw_only=True)
class PairsPrinting(FigureOutput):
    """How pairs of systems are printed."""

    by_topic: Annotated[
        bool, typer.Option("-q", "--by-topic", help="Print one pair by topic, for --population collection.")
    ] = False
    pairs: Annotated[bool, typer.Option("--pairs", help="Print all pairs, even if there are many.")] = False
    groups: Annotated[
        bool, typer.Option("--groups", help="Print groups of systems that do not differ significantly.")
    ] = False
    with_intervals: Annotated[
        bool, advanced("--with-intervals", help="Also print the intervals of the means, with --wide.")
    ] = False
    chart: Annotated[
        Literal["pairs", "tiers"],
        advanced("--chart", help="What --figure draws: the matrix of pairs, or means with intervals in tiers."),
    ] = "pairs"
    teams: TeamsFile = None
    best_of_team: Annotated[
        bool,
        advanced("--best-of-team", help="Compare the best run of each team only, by the first measure; for --teams."),
    ] = False

    def check_teams(self, wide: bool) -> None:
        """Refuse teams that would not be shown, and a choice by teams without them."""
        if self.best_of_team and self.teams is None:
            raise TruegainError(f"{option('--best-of-team')} needs to know the teams; give {option('--teams')} FILE")
        if wide and self.teams is not None and not self.best_of_team:
            raise TruegainError(
                f"{option('--teams')} adds a column to pairs and groups; with {option('--wide')} it chooses runs: give "
                f"{option('--best-of-team')}, or leave it out"
            )

    def is_wide(self, writing: Writing) -> bool:
        """Whether one table of systems by measures is written; of the ways to print only one may be asked for."""
        tables = {"--pairs": self.pairs, "--groups": self.groups, "--wide": writing.wide}
        names = [name for name, is_chosen in tables.items() if is_chosen]
        if len(names) > 1:
            raise TruegainError(f"{' and '.join(names)} choose different tables; give one of them")
        if self.by_topic and writing.wide:
            raise TruegainError(f"{option('--wide')} shows systems by measures, and -q shows topics; give one of them")
        wide = writing.is_wide(self.format, else_shown=self.by_topic or self.pairs or self.groups)
        if self.with_intervals and not wide:
            raise TruegainError(
                f"{option('--with-intervals')}: intervals are part of tables of systems by measures; give "
                f"{option('--wide')} as well"
            )
        return wide

    def draw_pairs(self, pairs: Sequence[Sequence[Comparison]], title: str = "") -> None:
        """The figure, where one is asked for; its title says which measure and which test."""
        from truegain.report.figures import comparisons_chart

        if self.figure is not None and len(pairs) > 1:
            raise TruegainError(f"a matrix of pairs shows one measure; give one -m with {option('--figure')}")
        self.draw(lambda: comparisons_chart(pairs[0], title=title))

    def draw_tiers(self, comparisons: Sequence[Comparisons]) -> None:
        """The figure of tiers, where one is asked for; its title says how many pairs differ, by which test."""
        from truegain.report.figures import tiers_chart

        if len(comparisons) > 1:
            raise TruegainError(f"a chart of tiers shows one measure; give one -m with {option('--chart')} tiers")
        one = comparisons[0]
        self.draw(lambda: tiers_chart(one.means, one.tiers(), one.in_short()))


@dataclass(frozen=True)
class PairOptions:
    """All that is asked of pairs of systems, whatever they are compared over."""

    judgments: str
    runs: list[str]
    measure: list[str] | None
    baseline: str | None
    testing: Testing
    scoring: Scoring
    inputs: Inputs
    printing: PairsPrinting
    writing: Writing
    wide: bool

    @property
    def resampling(self) -> Resampling:
        """How a test resamples."""
        return Resampling(self.testing.resamples, self.testing.seed, self.inputs.jobs)

    def measures(self, default: str) -> list[Measure]:
        """The measures, each with its smallest relevant label."""
        return [at_level(a.measure, self.scoring.relevant_from) for a in parse_measures(self.measure or [default])]


@with_options(
    labels=LabelOptions,
    testing=Testing,
    collections=Collections,
    correction=GoldOptions,
    scoring=Scoring,
    inputs=Inputs,
    printing=PairsPrinting,
    writing=Writing,
)
def compare_command(
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Measure, such as nDCG@10 or map. Repeatable, or with commas (default: AP; with --gold, P@10).",
        ),
    ] = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="Compare all systems with this one.")] = None,
    *,
    labels: LabelOptions,
    testing: Testing,
    collections: Collections,
    correction: GoldOptions,
    scoring: Scoring,
    inputs: Inputs,
    printing: PairsPrinting,
    writing: Writing,
) -> None:
    """Test which systems differ significantly: all pairs, groups of systems, or all against a baseline.

    With --gold, corrects differences for the errors of the judge; --aggregate then combines ratings into labels. A
    table of preferences (topic, a, b, winner) needs no runs.

    Examples:
        truegain compare demo/gold.qrels demo/runs -m nDCG@10
        truegain compare demo/gold.qrels demo/runs -m P@10 --baseline system-1 --test paired-t

    """
    options = PairOptions(
        judgments,
        runs,
        measure,
        writing.baseline(baseline),
        testing,
        scoring,
        inputs,
        printing,
        writing,
        wide=printing.is_wide(writing),
    )
    items = items_in([judgments, *expand(runs)], labels.score, labels.cluster, writing.called, labels.less_is_better)
    if items is None and not runs:
        printing.write(of_preferences(options, collections, correction, labels.judge_model))
        return
    _check_chart(options, correction)
    printing.check_teams(options.wide)
    if items is not None:
        printing.write(of_answers(options, items, labels, collections, correction))
        return
    if (inputs.corpus or inputs.judged_corpus) and (
        collections.population == "collection" or correction.gold is not None
    ):
        raise TruegainError(
            f"measures that read text are compared over topics, without {option('--gold')}; leave out "
            f"{option('--corpus')}"
        )
    if correction.gold is not None:
        if labels.judge_model is not None and not is_from_study_file(
            "judge_model"
        ):  # a study's gold labels check its judge
            raise TruegainError(
                f"{option('--judge-model')}: gold labels check the judge; leave it out (with {option('--gold')})"
            )
        _check_with_gold(options, collections)
        if is_from_study_file("measure"):
            beyond = StudyInputs(measure=measure).uncorrectable_by_design(
                StudyConfig(gold=Gold(correction.gold, correction.design))
            )
            options = replace(options, measure=drop_uncorrectable(measure or [], beyond))
        table = with_gold(options, correction, correction.gold)
    else:
        if is_from_study_file("aggregate"):
            raise TruegainError(
                f"{option('--aggregate')} needs gold labels; without them, run `truegain aggregate` first and "
                "compare with its output"
            )
        settled = (
            ("scale",) if is_from_study_file("scale") else ()
        )  # of `settle`, where there are neither ratings nor gold
        refuse(
            f"applies to gold labels only; give them with {option('--gold')}", changed(correction, leave_out=settled)
        )
        if collections.population == "collection":
            _check_over_collections(options)
            table = over_collections(options, collections)
        else:
            refuse(OTHER_COLLECTIONS, {"by_topic": "--by-topic"} if printing.by_topic else {})
            refuse(OTHER_COLLECTIONS, changed(collections))
            table = over_topics(options)
    printing.write(table)


def _check_chart(options: PairOptions, correction: GoldOptions) -> None:
    """Refuse a chart of tiers where there is no figure, or where not all pairs are tested over topics."""
    if options.printing.chart == "pairs":
        return
    tiers = f"{option('--chart')} tiers"
    if options.printing.figure is None:
        raise TruegainError(f"{tiers} is a figure; give {option('--figure')} tiers.svg as well")
    if options.baseline is not None:
        raise TruegainError(f"{tiers} needs all pairs; leave {option('--baseline')} out")
    if correction.gold is not None:
        raise TruegainError(f"{tiers} shows uncorrected scores; with gold labels, see `truegain report`")


def _check_with_gold(options: PairOptions, collections: Collections) -> None:
    """Refuse options that a comparison with gold labels would not heed."""
    names = changed(options.scoring, options.testing, options.printing, collections)
    if is_from_study_file("teams"):  # a study file is for several commands
        names.pop("teams", None)
    for name, why in NOT_WITH_GOLD.items():
        if name in names:
            raise TruegainError(f"{why} (with {option('--gold')})")
    refuse(OTHER_COLLECTIONS, changed(collections))


def _check_over_collections(options: PairOptions) -> None:
    """Refuse options that a comparison over collections would not heed."""
    names = changed(options.testing, leave_out=("adjust", "resamples", "confidence", "seed"))
    shown = ("groups", "figure") if is_from_study_file("teams") else ("groups", "figure", "teams")
    names |= {name: f"--{name}" for name in shown if getattr(options.printing, name)}
    names |= changed(options.scoring, leave_out=("relevant_from", "trec_eval"))
    refuse("does not apply over collections; leave it out", names)


# ---------------------------------------------------------------------- answers in logs of evaluation tools


def of_answers(
    options: PairOptions, items: Items, labels: LabelOptions, collections: Collections, correction: GoldOptions
) -> Table:
    """Values of answers: tests over topics; with gold values, or topics in clusters, differences by a study."""
    typed = changed(options.scoring, options.inputs, collections, leave_out=("jobs",))
    refuse_for_answers(typed)
    if labels.judge_model:
        items = items.judged_by(labels.judge_model)
    measures = measures_of(items, labels.score, options.measure, labels.empty)
    if correction.gold is None:
        refuse_typed(f"applies to gold labels only; give them with {option('--gold')}", changed(correction))
    if correction.gold is None and items.cluster is None:
        refuse_for_answers({"by_topic": "-q"} if options.printing.by_topic else {})
        return over_topics(options, answer_scores(items, measures))
    names = changed(options.testing, leave_out=("confidence", "seed"))
    refuse_typed("applies to tests over topics; with gold values or clusters, each difference has an interval", names)
    refuse_typed("does not apply to gold values of answers; leave it out",
                 changed(correction, leave_out=("gold", "design")))  # fmt: skip
    shown = changed(options.printing, leave_out=("output_format", "output", "figure", "pairs", "with_intervals"))
    refuse_typed("does not apply to answers with gold values or clusters, whose pairs are printed", shown)
    gold = None if correction.gold is None else Gold(correction.gold, correction.design)
    config = StudyConfig(gold=gold, confidence=options.testing.confidence, resampling=options.resampling)
    answers = answer_inputs(items, None, measures, config)
    study = StudyInputs.study_of_answers(answers)
    base = options.baseline
    if base is None:
        pairs = study.compare()
    else:
        each = [study.compare(base, system) for system in study.systems if system != base]
        pairs = replace(each[0], items=tuple(c for some in each for c in some))
    if gold is None:  # nothing was corrected
        pairs = replace(pairs, items=tuple(replace(c, uncorrected=None, uncorrected_p=None) for c in pairs))
    options.printing.draw_pairs([pairs])
    if options.wide:
        return pairs.paper(**options.writing.style, intervals=options.printing.with_intervals)
    return pairs.table()


# ---------------------------------------------------------------------- preferences


def of_preferences(
    options: PairOptions, collections: Collections, correction: GoldOptions, judge_model: str | None
) -> Table:
    """Who may be best by preferences between systems, and all pairs, or all systems with the baseline."""
    from truegain.preferences.study import PreferenceStudy

    check_typed(options.judgments, {})
    heeded = {"confidence", "seed", "gold", "design", "output_format", "output", "pairs", "groups"}
    typed = changed(options.scoring, options.testing, options.printing, collections, correction)
    refuse("does not apply to preferences; leave it out", {k: x for k, x in typed.items() if k not in heeded})
    refuse("shows systems by measures of runs; leave it out", changed(options.writing))
    gold = None if correction.gold is None else Gold(correction.gold, correction.design)
    config = StudyConfig(gold=gold, confidence=options.testing.confidence, resampling=options.resampling)
    study = PreferenceStudy.from_config(options.judgments, options.measure, config, model=judge_model)
    rankings = [study.best(m) for m in study.measures]
    sentence = " ".join(ranking.sentence for ranking in rankings)
    in_groups = len(study.systems) > FEW and options.baseline is None and not options.printing.pairs
    if options.printing.groups or in_groups:
        return replace(joined([r.table() for r in rankings], tuple(map(str, study.measures))), title=sentence)
    answer = study.compare() if options.baseline is None else study.compare_with(options.baseline)
    return replace(collection_table(answer), title=sentence)


# ---------------------------------------------------------------------- over topics


def over_topics(options: PairOptions, answers: Scores | None = None) -> Table:
    """Tests of all pairs, or of all systems with the baseline, on the topics at hand; answers: scores to compare."""
    from truegain.judge_error.judges import PublishedTest
    from truegain.stats.significance.comparisons import ComparisonsByMeasure
    from truegain.stats.student_t import check_confidence
    from truegain.study.compare import compared

    check_confidence(options.testing.confidence)
    score_table = answers
    if score_table is None:
        score_table = scored(options.judgments, options.runs, options.measure, options.scoring, options.inputs)
    known = None if options.printing.teams is None else read_teams(options.printing.teams).among(score_table.systems)
    team_of = {} if known is None else {options.writing.called(run): team for run, team in known.of.items()}
    chosen: tuple[str, ...] = ()
    if known is not None and options.printing.best_of_team:
        score_table, chosen = _best_of_team(score_table, known, options)
    scores = options.writing.renamed(score_table) if answers is None else answers
    systems = len(scores.systems)
    pairs = systems - 1 if options.baseline else systems * (systems - 1) // 2
    with _progress(options.testing.test, pairs * len(scores.measures)) as progress:
        testing = options.testing
        test = PublishedTest(testing.test, testing.counting, progress=progress.advance)
        comparisons = [
            compared(scores, name, test, testing.adjust, options.baseline, testing.confidence, options.resampling)
            for name in scores.measures
        ]
    if options.printing.chart == "tiers":
        options.printing.draw_tiers(comparisons)
    else:
        options.printing.draw_pairs([c.pairs for c in comparisons], f"{comparisons[0].in_short()}; best system first")
    if options.wide:
        by_measure = ComparisonsByMeasure.of(comparisons)
        paper = by_measure.paper(**options.writing.style, intervals=options.printing.with_intervals)
        return replace(paper, notes=(*chosen, *paper.notes))
    tiers = options.printing.chart == "tiers"  # of few systems, too, the table has what the figure shows
    many = options.baseline is None and (systems > FEW or tiers)
    in_groups = options.printing.groups or (many and not options.printing.pairs)
    table = joined([c.group_table() if in_groups else c.table() for c in comparisons], scores.measures)
    table = with_teams(table, team_of) if team_of else table
    return replace(table, notes=(*chosen, *table.notes))


def _best_of_team(scores: Scores, teams: Teams, options: PairOptions) -> tuple[Scores, tuple[str, ...]]:
    """The best run of each team by the first measure, and the baseline; and what must be said of such a choice."""
    measure = scores.measures[0]
    best = teams.best_run_of_each(scores.by_system(measure))
    base = [s for s in scores.systems if options.writing.called(s) == options.baseline and s not in best]
    note = (
        f"the best run of each of {len(teams.names)} teams by {measure}, of {counted(len(scores.systems), 'run')}: "
        "chosen on the topics they are compared on, so their scores are somewhat too high"
    )
    return scores.of_systems([s for s in scores.systems if s in (*best, *base)]), (note,)


def _progress(test: str | None, pairs: int) -> Progress:
    """Pairs compared; the randomized Tukey test draws for all pairs at once, and tells its draws."""
    return Progress(None, "permutations") if test == "randomized-tukey-hsd" else Progress(pairs, "pairs compared")


# ---------------------------------------------------------------------- with gold labels


def with_gold(options: PairOptions, correction: GoldOptions, labels: str) -> Table:
    """The comparison without the judge's errors: the judge is fitted once, for all measures."""
    from truegain.judge_error.judges import PublishedTest, fit_judge
    from truegain.stats.results import ResultList
    from truegain.study.compare import compare_corrected

    both = correction.both(options.judgments, labels)
    measures = options.measures("P@10")
    judge = fit_judge(
        both.bronze,
        both.gold,
        both.design,
        measures[0],
        correction.gold_relevant_from,
        unmatched=correction.unmatched,
        scale=both.scale,
    )
    runs = options.writing.renamed(read_runs(options.inputs.files(options.runs)))
    testing = options.testing
    published = PublishedTest(testing.test, **correction.published_test)
    published.check_with_gold()
    comparisons = compare_corrected(
        runs,
        both.bronze,
        Gold(judge, relevant_from=correction.gold_relevant_from),
        measures,
        published,
        adjust=testing.adjust,
        baseline=options.baseline,
        confidence=testing.confidence,
        resampling=options.resampling,
        all_topics=options.scoring.all_topics,
    )
    options.printing.draw_pairs([c.pairs for c in comparisons])
    table = joined([c.table() for c in comparisons], tuple(map(str, measures)))
    if options.wide:
        table = ResultList.joined(comparisons).paper(**options.writing.style, intervals=options.printing.with_intervals)
    return replace(table, notes=(*both.notes, *table.notes))


# ---------------------------------------------------------------------- over collections


def over_collections(options: PairOptions, collections: Collections) -> Table:
    """Compare systems over collections, or one pair by topic; the same document has the same copies in both lists."""
    from truegain.stats.collection_pairs import CollectionPairs, pairs_of

    testing, drawing = options.testing, options.resampling
    method = CollectionPairs(
        collections.meta,
        collections.effect,
        collections.pairing,
        testing.adjust or "holm",
        drawing.n or RESAMPLES,
        testing.confidence,
        drawing.seed,
        drawing.jobs,
    )
    measures = options.measures("AP")
    method.check(measures)
    ranked = _ranked(options, measures)
    pairs = pairs_of(ranked.systems, options.baseline)
    if options.printing.by_topic:
        if len(pairs) > 1 or len(measures) > 1:
            raise TruegainError("-q shows one pair by topic; give two runs and one measure")
        table = method.by_topic(ranked, measures[0], pairs[0])
        return replace(table, notes=(*ranked.caveats, *table.notes))
    with Progress(None, "pieces resampled") as progress:
        comparisons = method.answers(ranked, measures, pairs, options.baseline, progress.advance)
    if options.wide:
        return comparisons.paper(**options.writing.style, intervals=options.printing.with_intervals)
    return collection_table(comparisons)


def _ranked(options: PairOptions, measures: Sequence[Measure]) -> RankedGains:
    """The runs with their judgments beside them."""
    from truegain.data.alignment import aligned
    from truegain.stats.other_collections import keys_needed

    files, scoring, writing = options.inputs.files(options.runs), options.scoring, options.writing
    with Progress(len(files), "runs read") as progress:
        ranked = aligned(
            writing.renamed(read_runs(files)) if writing.renames else files,
            options.judgments,
            scoring,
            jobs=options.inputs.jobs,
            progress=progress.advance,
            keep_keys=keys_needed(measures),
            matching=matching_for(measures, scoring),
        )
    for measure in measures:
        refuse_chosen(ranked, measure)
    return ranked


def collection_table(answer: ResultList[Comparison]) -> Table:
    """The pairs, a row each."""
    from truegain.stats.results import table_of

    provenance = {name: value for name, value in answer.provenance.items() if name != "baseline"}
    table = table_of(list(answer), provenance=provenance, leave_out=("notes", "confidence"))
    return replace(table, notes=(*answer.notes, *table.notes))
