"""The commands `truegain plan ...`: what to buy next."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from truegain.cli.label_options import Design, GoldLevel, NormalizeOption, Reading, reads_ratings, refuse
from truegain.cli.options import (
    ByTopic,
    Confidence,
    Figure,
    Inputs,
    Jobs,
    Judgments,
    NameBy,
    Output,
    OutputFormat,
    RelevantFrom,
    RunFiles,
    Seed,
    option_for,
    study_or_judgments,
    takes,
)
from truegain.cli.output import write_table
from truegain.cli.scored import scored
from truegain.cli.sheets import Docs, Questions, said_of_texts, texts_of
from truegain.cli.study_files import is_of_file
from truegain.config import Gold as GoldConfig
from truegain.config import Resampling, Scoring, StudyConfig
from truegain.data.runs import RunPaths
from truegain.errors import TruegainError
from truegain.io.files import expand
from truegain.message import option

plan = typer.Typer(name="plan", help="What to buy next: topics, labels, assessors.", no_args_is_help=True)


@plan.callback()
def plan_root() -> None:
    """What to buy next: topics, labels, assessors."""


@plan.command("topics")
@takes(scoring=Scoring, inputs=Inputs)
def topics_command(
    judgments: Judgments,
    runs: RunFiles,
    detect: Annotated[
        float,
        typer.Option("--min-effect", help="The smallest difference worth finding; for width, the widest interval."),
    ],
    measure: Annotated[str, typer.Option("-m", "--measure", help="A measure, such as nDCG@10 or map.")] = "AP",
    power: Annotated[float, typer.Option("--power", help="Chance to find that difference.")] = 0.8,
    confidence: Annotated[
        float, typer.Option("--confidence", help="Of the test or the interval: 1 - alpha, as 0.95 for alpha 0.05.")
    ] = 0.95,
    criterion: Annotated[
        Literal["paired-t", "anova", "width"],
        typer.Option(
            "--criterion", help="Two systems on the same topics, best against worst of all, or interval width."
        ),
    ] = "paired-t",
    approximate: Annotated[
        bool, typer.Option("--approximate", help="The published approximations, not noncentral distributions.")
    ] = False,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    scoring: Scoring,
    inputs: Inputs,
) -> None:
    """How many topics are needed to detect a difference, with the variance of the runs at hand."""
    from truegain.planning.topics import plan_topics

    scores = scored(judgments, runs, [measure], scoring, inputs)
    found = plan_topics(
        scores, detect=detect, power=power, confidence=confidence, criterion=criterion, approximate=approximate
    )
    write_table(found.details, output_format, output)


@plan.command("labels")
def labels_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Annotated[str, typer.Option("-m", "--measure", help="A measure linear in gain, such as P@10.")] = "P@10",
    pair: Annotated[
        str | None, typer.Option("--pair", help="Two systems of many, a,b (default: all pairs of the runs).")
    ] = None,
    gold: Annotated[
        str | None, typer.Option("--gold", help="Gold labels so far: a list that was written here, or others.")
    ] = None,
    design: Design = None,
    draw: Annotated[
        Literal["ordered", "random", "by-bronze", "topics"] | None,
        typer.Option(
            "--draw",
            help="How a list is drawn: ordered by what a label can move (default), or another way; ordered and random "
            "ones go on past documents that nobody can judge.",
        ),
    ] = None,
    min_effect: Annotated[
        float, typer.Option("--min-effect", min=0, help="The difference worth finding; how many labels find it?")
    ] = 0.0,
    power: Annotated[float, typer.Option("--power", help="Chance to find that difference.")] = 0.8,
    population: Annotated[str, option_for(StudyConfig, "population")] = "topics",
    sequential: Annotated[
        bool, typer.Option("--sequential", help="For limits that hold at every look at a growing list.")
    ] = False,
    costs: Annotated[
        str | None, typer.Option("--costs", help="Prices, for the cheapest mix: topic=5,gold=1.5,rating=0.1.")
    ] = None,
    confidence: Confidence = 0.95,
    relevant_from: RelevantFrom = None,
    gold_relevant_from: GoldLevel = None,
    scale: Annotated[
        str | None, typer.Option("--scale", help="The labels a gold judge may give, as 0:3 (default: as the bronze).")
    ] = None,
    earlier: Annotated[
        str | None,
        typer.Option("--earlier", help="An earlier list with gold labels, which tells where this judge errs most."),
    ] = None,
    figure: Figure = None,
    seed: Seed = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", help="Where to write the list of pairs to judge, best first: a CSV without bronze labels."
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", help="Where to write its key, with the bronze labels (default: LIST.key.csv beside it)."),
    ] = None,
    questions: Questions = None,
    docs: Docs = None,
    table: Annotated[str, typer.Option("--table", help="Where to print the table; - is stdout.")] = "-",
) -> None:
    """Which pairs to have gold-judged, in which order, and how many of them tell the systems apart."""
    from truegain.data.label_list_reading import gold_list_of
    from truegain.data.label_lists import keep_labels, key_path
    from truegain.data.writing import kind_to_write
    from truegain.planning.gold_sample import sample_gold
    from truegain.planning.labels import plan_labels
    from truegain.report.agreement_figures import label_chart
    from truegain.report.charts import check_ending, save

    if output is None:
        for name, value in (("--key", key), ("--questions", questions), ("--docs", docs)):
            if value is not None:
                raise TruegainError(
                    f"{option(name)} {value}: this is about a list for people; say where, as -o list.csv"
                )
    if output is not None:
        kind_to_write(output)  # now, not when the work is done
        if gold is None:
            keep_labels(output)
    if figure is not None:
        check_ending(figure)
    if output == table == "-":
        raise TruegainError(
            f"the table and the list cannot both go to standard output; give {option('--table')} FILE or -o FILE"
        )
    files, two = expand(runs), _two(pair)
    if is_of_file("costs") and not min_effect:  # prices of a verdict; here they are for the way to a difference
        costs = None
    if gold is None:
        refuse(f"is about gold labels; give these with {option('--gold')}", {"design": "--design"} if design else {})
    elif draw is not None:
        raise TruegainError(
            f"{option('--draw')} is how a first list is drawn; gold labels at hand go on as they were "
            f"({option('--design')})"
        )
    listed = None
    if output is not None and gold is not None and gold_list_of(gold) is not None:
        raise TruegainError(f"{gold} is a list already: fill in further labels there, from the first empty one on")
    if gold is None or output is not None:
        listed = sample_gold(
            RunPaths.of(files, name_by), judgments, measure, draw=draw or design or "ordered", pair=two, gold=gold,
            scale=scale, earlier=earlier, seed=seed, scoring=Scoring(relevant_from), jobs=jobs,
        )  # fmt: skip
    config = StudyConfig(
        population=population,
        gold=GoldConfig(gold or listed, design, gold_relevant_from, sequential=sequential),
        min_effect=min_effect,
        confidence=confidence,
        scoring=Scoring(relevant_from),
        resampling=Resampling(jobs=jobs),
    )
    found = plan_labels(
        RunPaths.of(files, name_by),
        judgments,
        measure,
        pair=two,
        power=power,
        costs=costs,
        earlier=earlier,
        config=config,
    )
    notes = list(found.details.notes)
    if output is not None:
        assert listed is not None
        listed = listed.with_texts(*texts_of(listed.topics, listed.docs, questions, docs)).with_texts_of(output)
        listed.write(output, key)
        lacking = said_of_texts(listed.texts.get("question"), listed.texts.get("passage"))
        notes.append(
            f"{output} has {len(listed):,} pairs in the order to judge: fill in `label` from the top, stop anywhere, "
            f"and give it to `truegain verdict --gold`.{lacking} The judge's labels stand in "
            f"{key or key_path(output)}: people should not see them; verdict and plan fill read both."
        )
    if figure is not None:
        save(label_chart(found), figure)
    write_table(replace(found.details, notes=tuple(notes)), output_format, table)


def _two(pair: str | None) -> tuple[str, str] | None:
    """The two systems of --pair."""
    if pair is None:
        return None
    a, comma, b = pair.partition(",")
    if not comma or not a.strip() or not b.strip():
        raise TruegainError(
            f"{option('--pair')} {pair}: name two systems with a comma between, as in {option('--pair')} bm25,dense"
        )
    return a.strip(), b.strip()


@plan.command("fill")
def fill_command(
    gold_list: Annotated[str, typer.Argument(help="A list written by `plan labels`, or its key.")],
    labels: Annotated[
        str,
        typer.Argument(
            help="Labels of its first pairs: its sheet filled in, or any TREC qrels, CSV, JSONL or Parquet."
        ),
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="Where to write the list with its labels.")],
    columns: Annotated[
        str | None, typer.Option("--columns", help="Columns of the labels: topic=question,doc=url,label=grade.")
    ] = None,
    values: Annotated[
        str | None,
        typer.Option("--values", help="Numbers for labels that are words: relevant=2,partly=1,irrelevant=0."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option("--rows", min=1, help="Take only labels of the first so many rows, and skip others.")
    ] = None,
) -> None:
    """Put labels that came back from a judging tool into the list they were drawn from."""
    from truegain.data.label_list_reading import cannot_in, labels_in, read_gold_list
    from truegain.io.column_names import Told, telling, values_of

    listed = read_gold_list(gold_list)
    with telling(Told(values=values_of(values))):
        filled = listed.filled(labels_in(labels, listed, columns), rows, cannot_in(labels, listed, columns))
    filled.write(output)
    have, had = len(filled.labelled), len(listed.labelled)
    stuck = f"; {len(filled.cannot):,} could not be judged" if filled.cannot else ""
    typer.echo(f"{have:,} of {len(filled):,} pairs have a label, {have - had:,} of them new{stuck}.")


@plan.command("assessors")
@reads_ratings
def assessors_command(
    error: Annotated[float, typer.Option("--error", help="How far the mean may lie from that of all assessors.")],
    ratings: Annotated[
        str | None,
        typer.Argument(
            metavar="[RATINGS]",
            help="Ratings at hand, which tell sigma, or study.toml that names them; or give --sigma.",
            is_eager=True,
            callback=study_or_judgments,
        ),
    ] = None,
    sigma: Annotated[
        float | None, typer.Option("--sigma", help="Standard deviation of the ratings of a document.")
    ] = None,
    confidence: Confidence = 0.95,
    normalize: NormalizeOption = None,
    by_topic: ByTopic = False,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    reading: Reading,
) -> None:
    """How many assessors a document needs for its mean rating to be this close to that of all."""
    from truegain.planning.assessors import assessors_needed, plan_assessors

    if (sigma is None) == (ratings is None):
        raise TruegainError(f"give ratings, which tell sigma, or {option('--sigma')}: one of the two")
    if sigma is not None:
        given = [*(["--normalize"] if normalize else []), *(["--by-topic"] if by_topic else []), *reading.given]
        if given:
            raise TruegainError(
                f"{', '.join(map(option, given))}: this is about ratings, and {option('--sigma')} is given instead of "
                "them"
            )
        found = assessors_needed(sigma, error, confidence)
    else:
        table = reading.load(str(ratings), normalize=normalize)
        asked = {"confidence": confidence, "scale": reading.scale, "normalize": normalize, "by_topic": by_topic}
        found = plan_assessors(table, error=error, **asked)  # type: ignore[arg-type]
    write_table(found.details, output_format, output)
