"""The commands `truegain plan ...`: what to buy next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.aggregation.reading import OF_ANY_JUDGMENTS
from truegain.cli.every_command import check_numbers
from truegain.cli.gold_options import Design, GoldRelevantFrom
from truegain.cli.options import (
    PROPORTION,
    TABLES,
    AnswerOptions,
    ByTopic,
    Columns,
    Confidence,
    Figure,
    Inputs,
    JudgmentsOrAnswers,
    NameBy,
    OutputFormat,
    RelevantFrom,
    RunFiles,
    ScoreName,
    SeedAndJobs,
    Values,
    advanced,
    changed,
    holds_answers,
    long_name,
    measure_of_answers,
    one_of,
    option_for,
    refuse,
    refuse_for_answers,
    refuse_preferences,
    refuse_scores_in,
    refuse_typed,
    study_or_judgments,
    two_systems,
    with_options,
)
from truegain.cli.output import TableOutput, write_table
from truegain.cli.rating_options import (
    AggregateOption,
    MoreAnswers,
    NormalizeOption,
    RatingOptions,
    rated_answers,
    refuse_more,
)
from truegain.cli.scored import scored
from truegain.cli.sheets import Docs, Questions, missing_texts, texts_of
from truegain.cli.study_files import is_from_study_file
from truegain.config import Gold as GoldConfig
from truegain.config import Ratings, Resampling, Scoring, StudyConfig
from truegain.data.items import Items
from truegain.data.judgments import Judgments
from truegain.data.runs import RunPaths
from truegain.errors import InputError, TruegainError, counted, heard
from truegain.io.files import expand, shown_path
from truegain.io.nugget_files import is_nuggets
from truegain.message import option
from truegain.sampling.catalogue import draws_topics, ways_to_draw
from truegain.settings import changed_fields

if TYPE_CHECKING:
    from truegain.data.label_lists import GoldList
    from truegain.data.ratings import Scale

Power = Annotated[float, typer.Option("--power", click_type=PROPORTION, help="Probability to detect it.")]

USUAL_MEASURE = "P@10"
plan = typer.Typer(name="plan", no_args_is_help=True)


@plan.callback()
def plan_root() -> None:
    """Plan what to collect next: topics, gold labels, preferences or assessors.

    Examples:
        truegain plan topics demo/gold.qrels demo/runs --min-effect 0.05
        truegain plan labels demo/llm.qrels demo/runs --pair system-1,system-8 -o list.csv

    """


@plan.command("topics")
@with_options(answers=AnswerOptions, scoring=Scoring, inputs=Inputs, table=TableOutput)
def topics_command(
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    min_effect: Annotated[
        float,
        typer.Option(
            "--min-effect", help="Difference to detect; with --criterion width, the largest width of the interval."
        ),
    ],
    measure: Annotated[str, typer.Option("-m", "--measure", help="Measure, such as nDCG@10 or map.")] = "AP",
    power: Power = 0.8,
    confidence: Confidence = 0.95,
    criterion: Annotated[
        Literal["paired-t", "anova", "width"],
        typer.Option(
            "--criterion",
            help="Plan for a paired t test, for an ANOVA of all systems, or for the width of an interval.",
        ),
    ] = "paired-t",
    approximate: Annotated[
        bool, advanced("--approximate", help="Use the published approximations instead of noncentral distributions.")
    ] = False,
    *,
    answers: AnswerOptions,
    scoring: Scoring,
    inputs: Inputs,
    table: TableOutput,
) -> None:
    """Compute how many topics you need to detect a difference, from the variance of your runs.

    Of topics that were sampled together (--cluster), it plans clusters of topics.

    Examples:
        truegain plan topics demo/gold.qrels demo/runs -m nDCG@10 --min-effect 0.05
        truegain plan topics demo/gold.qrels demo/runs -m AP --min-effect 0.1 --criterion width

    """
    from truegain.planning.topics import plan_topics

    items = answers.items([judgments, *expand(runs)])
    if items is not None:
        refuse_for_answers(changed(scoring, inputs, leave_out=("jobs",)))
    if items is None:
        of: Any = (scored(judgments, runs, [measure], scoring, inputs),)
    else:
        of = (items, None, answers.chosen_measures(items, measure_of_answers(items, measure, "AP")))
    topic_plan = plan_topics(
        *of, min_effect=min_effect, power=power, confidence=confidence, criterion=criterion,
        approximate=approximate,
    )  # fmt: skip
    table.write(topic_plan.details)


@dataclass(frozen=True, kw_only=True)
class LabelNeeds:
    """The difference to detect, and the gold labels at hand."""

    gold: Annotated[
        str | None, typer.Option("--gold", help="Gold labels so far: a list that this command wrote, or others.")
    ] = None
    design: Design = None
    gold_relevant_from: GoldRelevantFrom = None
    sequential: Annotated[bool, option_for(GoldConfig, "sequential")] = False
    min_effect: Annotated[
        float, option_for(StudyConfig, "min_effect", min=0, help="Difference to detect: how many labels does it need?")
    ] = 0.0
    population: Annotated[str, option_for(StudyConfig, "population")] = "topics"
    confidence: Confidence = 0.95
    relevant_from: RelevantFrom = None

    def study_config(self, gold: Any, jobs: int | None) -> StudyConfig:
        """The study whose difference is planned for."""
        return StudyConfig(
            population=self.population,
            gold=GoldConfig(gold, self.design, self.gold_relevant_from, sequential=self.sequential),
            min_effect=self.min_effect,
            confidence=self.confidence,
            scoring=Scoring(self.relevant_from),
            resampling=Resampling(jobs=jobs),
        )


@dataclass(frozen=True, kw_only=True)
class ListSampling(RatingOptions):
    """How the pairs of a list are sampled, and how ratings become the labels that it is sampled by."""

    aggregate: AggregateOption = None
    normalize: NormalizeOption = None
    draw: Annotated[
        str | None,
        typer.Option(
            "--draw",
            **one_of("draw", ways_to_draw()),
            help="How to sample pairs: ordered by their effect on the difference (default), or by another design. With "
            "ordered and random, pairs that nobody can judge may be skipped.",
        ),
    ] = None
    scale: Annotated[
        str | None,
        advanced(
            "--scale",
            help="Possible gold labels, such as 0:3 (default: those of the bronze labels); with --aggregate, the scale "
            "of the ratings, too.",
        ),
    ] = None
    earlier: Annotated[
        str | None,
        advanced("--earlier", help="An earlier list with gold labels, which shows where this judge errs most."),
    ] = None

    @property
    def of_ratings(self) -> dict[str, str]:
        """The options about ratings that are not what they are by default: the field, and the option's name."""
        leave_out = (*OF_ANY_JUDGMENTS, "scale", "draw", "earlier")  # said of other labels, too
        return {name: long_name(name) for name in changed_fields(self, leave_out)}

    def combined(self, judgments: str) -> tuple[Any, str | tuple[float, float] | None]:
        """One label a document and the labels people may give: of ratings their ends; else judgments as they are."""
        if self.aggregate is None and self.normalize is None:
            refuse_typed(
                f"applies to ratings; choose how they become labels, as in {option('--aggregate')} mean",
                self.of_ratings,
            )
            return judgments, self.scale
        from truegain.study.reading import raters_of

        declared = self._declared
        how = Ratings(self.aggregate, declared, self.normalize, self.repeated, self.out_of_range)
        raters = raters_of(self.load(judgments, scale=declared, normalize=self.normalize), how)
        every = raters
        if self.repeated == "mean":  # labels between those that people give
            with heard():  # told above
                table = replace(self, repeated="all").load(judgments, scale=declared, normalize=self.normalize)
                every = raters_of(table, replace(how, repeated="all"))
        assert raters is not None
        assert every is not None
        return raters.judgments(), every.ends

    @property
    def _declared(self) -> Scale:
        """The scale of ratings; labels with commas say where it ends."""
        from truegain.data.ratings import Scale
        from truegain.judge_error.gold_pairs import ends_of

        if self.scale is not None and re.fullmatch(r"[-+.\d\s]+(,[-+.\d\s]+)+", self.scale):
            return Scale(None, *(ends_of(self.scale) or ()))
        return Scale.of(self.scale)


@dataclass(frozen=True, kw_only=True)
class ListOutput:
    """Where the list, its key and the printed table go."""

    output_format: OutputFormat = None
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="List to write: pairs in the order to judge, without bronze labels; .csv, .jsonl, ...",
        ),
    ] = None
    key: Annotated[
        str | None, advanced("--key", help="Key of the list to write, with bronze labels (default: LIST.key.csv).")
    ] = None
    questions: Questions = None
    docs: Docs = None
    table: Annotated[str, advanced("--table", help="File of the printed table; - for stdout.")] = "-"
    figure: Figure = None

    def __post_init__(self) -> None:
        from truegain.data.writing import kind_to_write
        from truegain.report.charts import check_ending

        if self.output is None:
            for name, value in (("--key", self.key), ("--questions", self.questions), ("--docs", self.docs)):
                if value is not None:
                    raise TruegainError(
                        f"{option(name)} {value}: applies only to a list for people; name the list, as in -o list.csv"
                    )
        else:
            kind_to_write(self.output)  # now, not when the work is done
        if self.figure is not None:
            check_ending(self.figure)
        if self.output == self.table == "-":
            raise TruegainError(
                f"the table and the list cannot both go to standard output; give {option('--table')} FILE or -o FILE"
            )

    def write_list(self, gold_list: GoldList, output: str, unit: str = "pair") -> str:
        """Write the list with its texts and its key; the note that says what to do with it; unit: what a row is."""
        from truegain.data.label_lists import key_path

        texts = texts_of(gold_list.topics, gold_list.docs, self.questions, self.docs)
        gold_list = gold_list.with_texts(*texts).with_texts_of(output)
        gold_list.write(output, self.key)
        lacking = missing_texts(gold_list.texts.get("question"), gold_list.texts.get("passage"))
        stop = "after a whole topic" if draws_topics(gold_list.design) else "anywhere"
        if unit != "pair":
            more = {"item": ", and its item", "assignment": ", and the nugget"}.get(unit, "")
            lacking = (
                f" The column `doc` names the system that gave the answer{more}. Show people the question and the "
                "answer, and not the system's name."
            )
        return (
            f"{output} has {counted(len(gold_list), unit)} in the order to judge: fill in `label` from the top, stop "
            f"{stop}, and give it to `truegain verdict --gold`.{lacking} The judge's labels are in "
            f"{self.key or key_path(output)}: assessors should not see them; `verdict` and `plan fill` read both "
            "files."
        )


@plan.command("labels")
@with_options(answers=AnswerOptions, needs=LabelNeeds, sampling=ListSampling, printing=ListOutput, compute=SeedAndJobs)
def labels_command(
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Measure linear in the gain, such as P@10.")
    ] = USUAL_MEASURE,
    pair: Annotated[str | None, typer.Option("--pair", help="Two systems, a,b (default: all pairs).")] = None,
    power: Power = 0.8,
    costs: Annotated[
        str | None, typer.Option("--costs", help="Prices, to find the cheapest mix: topic=5,gold=1.5,rating=0.1.")
    ] = None,
    name_by: NameBy = "file",
    *,
    answers: AnswerOptions,
    needs: LabelNeeds,
    sampling: ListSampling,
    printing: ListOutput,
    compute: SeedAndJobs,
) -> None:
    """Choose which pairs people should label, in which order, and how many labels detect a difference.

    From logs of evaluation tools and tables of scores (--score), it chooses answers to label.

    Examples:
        truegain plan labels demo/llm.qrels demo/runs --pair system-1,system-8 --min-effect 0.1
        truegain plan labels demo/llm.qrels demo/runs --pair system-1,system-8 --docs demo/docs.jsonl -o list.csv

    """
    from truegain.data.label_lists import keep_labels
    from truegain.planning.gold_sample import sample_gold
    from truegain.planning.labels import plan_labels
    from truegain.report.agreement_figures import label_chart
    from truegain.report.charts import save

    gold, output = needs.gold, printing.output
    if output is not None and gold is None:
        keep_labels(output)
    paths, systems = expand(runs), two_systems(pair)
    inputs: tuple[Any, Any, Any] = (RunPaths.of(paths, name_by), judgments, measure)
    unit = "pair"
    if is_nuggets(judgments) and not answers.score:
        inputs, unit = _of_nuggets([judgments, *paths], measure, needs.population), "assignment"
    elif (items := answers.items([judgments, *paths])) is not None:
        if named := measure_of_answers(items, measure, USUAL_MEASURE):
            answers.chosen_measures(items, named)  # which is refused
        if printing.docs is not None:
            raise TruegainError(f"{option('--docs')}: answers have no document ids; show their texts separately")
        inputs, unit = (items, None, answers.score), "item" if any(items.item.values) else "answer"
    if unit == "pair":
        made, scale = sampling.combined(judgments)
        inputs = (inputs[0], made, measure)
    else:
        scale = sampling.scale
        refuse_for_answers(
            sampling.of_ratings
            | ({"relevant_from": "--relevant-from"} if needs.relevant_from is not None else {})
            | ({"gold_relevant_from": "--gold-relevant-from"} if needs.gold_relevant_from is not None else {})
            | ({"name_by": "--name-by"} if name_by != "file" else {})
        )
        needs = replace(needs, relevant_from=None, gold_relevant_from=None)  # of a study file, for other commands
    if (
        is_from_study_file("costs") and not needs.min_effect
    ):  # prices of a verdict; here they are for the way to a difference
        costs = None
    if gold is None:
        refuse(
            f"applies to gold labels only; give them with {option('--gold')}",
            {"design": "--design"} if needs.design else {},
        )
    elif sampling.draw is not None:
        raise TruegainError(
            f"{option('--draw')} is for a first list; with gold labels at hand the design is given "
            f"({option('--design')})"
        )
    if output is not None and gold is not None and _is_list(gold, unit):
        raise TruegainError(f"{gold} is already a list: fill in more labels there, from the first empty row")
    gold_list = None
    if gold is None or output is not None:
        gold_list = sample_gold(
            *inputs,
            draw=sampling.draw or needs.design or "ordered",
            pair=systems,
            gold=gold,
            scale=scale,
            earlier=sampling.earlier,
            scoring=Scoring(needs.relevant_from),
            **vars(compute),
        )
    label_plan = plan_labels(
        *inputs,
        pair=systems,
        power=power,
        costs=costs,
        earlier=sampling.earlier,
        config=needs.study_config(gold or gold_list, compute.jobs),
    )
    notes = label_plan.details.notes
    if output is not None and gold_list is not None:
        notes = (*notes, printing.write_list(gold_list, output, unit))
    if printing.figure is not None:
        save(label_chart(label_plan), printing.figure)
    write_table(replace(label_plan.details, notes=notes), printing.output_format, printing.table)


def _is_list(gold: str, unit: str) -> bool:
    """Whether gold labels are a list to be filled in; those of answers may be a table of values, without documents."""
    from truegain.data.label_list_reading import gold_list_of

    try:
        return gold_list_of(gold) is not None
    except InputError:
        if unit == "pair":
            raise
        return False


def _of_nuggets(files: list[str], measure: str, population: str) -> tuple[Any, Any, Any]:
    """Answers as lists of nuggets, what the judge assigned as labels, and the measure of nuggets."""
    from truegain.data.nuggets import read_nuggets
    from truegain.study.item_inputs import answer_inputs, measures_of

    items = read_nuggets(files)
    measures = measures_of(items, None, None if measure == USUAL_MEASURE else [measure])
    answers = answer_inputs(items, None, measures, StudyConfig(population=population))
    return answers.runs, answers.judgments, answers.measures[0]


@plan.command("fill")
def fill_command(
    gold_list: Annotated[str, typer.Argument(metavar="LIST", help="List that `plan labels` wrote, or its key.")],
    labels: Annotated[
        str,
        typer.Argument(
            metavar="LABELS",
            help="Labels of its first pairs: the list filled in, or TREC qrels, CSV, JSONL or Parquet.",
        ),
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="List to write, with its labels.")],
    columns: Columns = None,
    values: Values = None,
    rows: Annotated[int | None, advanced("--rows", min=1, help="Use only the first N rows.")] = None,
) -> None:
    """Copy labels from another tool into the list that `plan labels` wrote.

    Examples:
        truegain plan fill list.csv demo/gold.qrels --rows 100 -o filled.csv
        truegain plan fill list.key.csv filled.csv -o labels.csv

    """
    from truegain.data.label_list_reading import cannot_in, labels_in, read_gold_list
    from truegain.io.file_options import FileOptions, read_with, values_of

    unfilled = read_gold_list(gold_list)
    with read_with(FileOptions(values=values_of(values))):
        filled = unfilled.filled(labels_in(labels, unfilled, columns), rows, cannot_in(labels, unfilled, columns))
    filled.write(output)
    have, had = len(filled.labeled), len(unfilled.labeled)
    stuck = f"; {len(filled.cannot):,} could not be judged" if filled.cannot else ""
    typer.echo(f"{have:,} of {len(filled):,} pairs have a label, {have - had:,} of them new{stuck}.")


@plan.command("assessors")
@with_options(reading=RatingOptions, table=TableOutput)
def assessors_command(
    error: Annotated[
        str,
        typer.Option(
            "--error",
            help="Largest error of the mean rating, as the half-width of its interval. Several with commas.",
        ),
    ],
    ratings: Annotated[
        str | None,
        typer.Argument(
            metavar="[RATINGS]",
            help="Ratings or values of answers, from which to estimate sigma; or study.toml. Or give --sigma.",
            is_eager=True,
            callback=study_or_judgments,
        ),
    ] = None,
    files: MoreAnswers = None,
    score: ScoreName = None,
    sigma: Annotated[
        str | None,
        typer.Option(
            "--sigma", help="Standard deviation of a document's ratings, if you have no ratings. Several with commas."
        ),
    ] = None,
    confidence: Confidence = 0.95,
    normalize: NormalizeOption = None,
    by_topic: ByTopic = False,
    *,
    reading: RatingOptions,
    table: TableOutput,
) -> None:
    """Compute how many assessors must rate a document for its mean rating to be precise.

    Also of answers: how many judges must give each a value or, of one judge, how often it must be asked again.

    Examples:
        truegain plan assessors demo/ratings.csv --error 0.2
        truegain plan assessors --sigma 1,2,3 --error 0.5,1

    """
    from truegain.planning.assessors import assessors_needed, assessors_table, plan_assessors

    if (sigma is None) == (ratings is None):
        raise TruegainError(f"give ratings, from which to estimate sigma, or {option('--sigma')}")
    errors = _several("--error", error)
    if sigma is None:
        if len(errors) > 1:
            raise TruegainError(
                f"{option('--error')} {error}: several are for {option('--sigma')}; of ratings give one"
            )
        others = files or []
        loaded: Items | Judgments | None = rated_answers([str(ratings), *others], score, reading)
        if loaded is None:
            loaded = _ratings(str(ratings), others, reading, normalize)
        scale = reading.scale
        details = plan_assessors(
            loaded, error=errors[0], confidence=confidence, scale=scale, normalize=normalize, by_topic=by_topic
        ).details
    else:
        of_ratings = {"--score": score, "--normalize": normalize, "--by-topic": by_topic}
        names = [name for name, value in of_ratings.items() if value]
        if names := [*names, *reading.changed_options]:
            raise TruegainError(
                f"{', '.join(map(option, names))}: only for ratings, which {option('--sigma')} replaces; leave it out"
            )
        sigmas = _several("--sigma", sigma)
        one = len(sigmas) == len(errors) == 1
        details = (
            assessors_needed(sigmas[0], errors[0], confidence).details
            if one
            else assessors_table(sigmas, errors, confidence)
        )
    table.write(details)


@plan.command("preferences")
@with_options(table=TableOutput)
def preferences_command(
    preferences: Annotated[
        str | None,
        typer.Argument(metavar="[PREFERENCES]", help="The judge's preferences, with --gold; or give --agreement."),
    ] = None,
    gold: Annotated[
        str | None, typer.Option("--gold", help="People's preferences for some of the comparisons.")
    ] = None,
    agreement: Annotated[
        float | None, typer.Option("--agreement", help="Share of untied comparisons on which judge and people agree.")
    ] = None,
    tie_share: Annotated[
        float,
        advanced("--tie-share", help="With --agreement: share of comparisons that the judge or people call a tie."),
    ] = 0.2,
    gold_share: Annotated[
        str, typer.Option("--gold-share", help="Share of the comparisons that people also make. Several with commas.")
    ] = "0.1,0.25,0.5",
    *,
    table: TableOutput,
) -> None:
    """Estimate how much a judge would narrow the interval, before you buy people's comparisons.

    Examples:
        truegain plan preferences --agreement 0.78
        truegain plan preferences demo/preferences.csv --gold demo/people-preferences.csv

    """
    from truegain.preferences.plan import judge_plan, measured_judge, measured_plan

    shares = _several("--gold-share", gold_share)
    if (agreement is None) == (preferences is None):
        raise TruegainError(f"give either {option('--agreement')}, or the judge's preferences and {option('--gold')}")
    if agreement is not None:
        refuse(f"measures the agreement; leave out {option('--agreement')}", {"gold": "--gold"} if gold else {})
        table.write(judge_plan(agreement, tie_share, shares))
        return
    if holds_answers(str(preferences)):
        raise InputError(
            "`truegain plan preferences` does not read scores of answers", file=shown_path(str(preferences)),
            hint="it needs people's choices between two answers; how many answers to label is told by `truegain plan "
            "labels LOG...`",
        )  # fmt: skip
    if gold is None:
        raise TruegainError(f"{option('--gold')} is missing; give the file of people's preferences")
    table.write(measured_plan(measured_judge(str(preferences), gold), shares))


def _ratings(file: str, others: Sequence[str], reading: RatingOptions, normalize: str | None) -> Judgments:
    """Ratings of documents; what else a file holds is told."""
    if file.endswith(TABLES):
        refuse_preferences("plan assessors", file)
    if Path(file).is_file():
        refuse_scores_in(file)
    refuse_more(file, others)
    return reading.load(file, normalize=normalize)


def _several(name: str, text: str) -> tuple[float, ...]:
    """Numbers with commas."""
    try:
        numbers = tuple(float(number) for number in text.split(","))
    except ValueError:
        raise TruegainError(f"{option(name)} {text}: give a number, or several with commas, such as 1,2,3") from None
    check_numbers({name.lstrip("-"): numbers})
    return numbers
