"""The commands `truegain plan ...`: what to buy next."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from truegain.cli.label_options import GoldRelevantFrom, NormalizeOption, Reading, reads_ratings, refuse
from truegain.cli.options import (
    PROPORTION,
    ByTopic,
    Columns,
    Confidence,
    Design,
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
    Values,
    advanced,
    one_of,
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
from truegain.sampling.catalogue import ways_to_draw

Power = Annotated[float, typer.Option("--power", click_type=PROPORTION, help="Probability to detect it.")]

plan = typer.Typer(name="plan", no_args_is_help=True)


@plan.callback()
def plan_root() -> None:
    """Plan what to collect next: topics, gold labels or assessors.

    Examples:
        truegain plan topics demo/gold.qrels demo/runs --min-effect 0.05
        truegain plan labels demo/llm.qrels demo/runs --pair system-1,system-8 -o list.csv

    """


@plan.command("topics")
@takes(scoring=Scoring, inputs=Inputs)
def topics_command(
    judgments: Judgments,
    runs: RunFiles,
    min_effect: Annotated[
        float,
        typer.Option("--min-effect", help="Difference to detect; with --criterion width, the widest interval."),
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
        bool, advanced("--approximate", help="Use the published approximations, not noncentral distributions.")
    ] = False,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    scoring: Scoring,
    inputs: Inputs,
) -> None:
    """Compute how many topics are needed to detect a difference, with the variance of your runs.

    Examples:
        truegain plan topics demo/gold.qrels demo/runs -m nDCG@10 --min-effect 0.05
        truegain plan topics demo/gold.qrels demo/runs -m AP --min-effect 0.1 --criterion width

    """
    from truegain.planning.topics import plan_topics

    scores = scored(judgments, runs, [measure], scoring, inputs)
    found = plan_topics(
        scores, min_effect=min_effect, power=power, confidence=confidence, criterion=criterion, approximate=approximate
    )
    write_table(found.details, output_format, output)


@plan.command("labels")
def labels_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Annotated[str, typer.Option("-m", "--measure", help="Measure linear in the gain, such as P@10.")] = "P@10",
    pair: Annotated[str | None, typer.Option("--pair", help="Two systems, a,b (default: all pairs).")] = None,
    gold: Annotated[
        str | None, typer.Option("--gold", help="Gold labels so far: a list that this command wrote, or others.")
    ] = None,
    design: Design = None,
    draw: Annotated[
        str | None,
        typer.Option(
            "--draw",
            **one_of("draw", ways_to_draw()),
            help="How to sample pairs: ordered by their effect on the difference (default), or by another design. With "
            "ordered and random, pairs that nobody can judge may be skipped.",
        ),
    ] = None,
    min_effect: Annotated[
        float, option_for(StudyConfig, "min_effect", min=0, help="Difference to detect: how many labels does it need?")
    ] = 0.0,
    power: Power = 0.8,
    population: Annotated[str, option_for(StudyConfig, "population")] = "topics",
    sequential: Annotated[bool, option_for(GoldConfig, "sequential")] = False,
    costs: Annotated[
        str | None, typer.Option("--costs", help="Prices, to find the cheapest mix: topic=5,gold=1.5,rating=0.1.")
    ] = None,
    confidence: Confidence = 0.95,
    relevant_from: RelevantFrom = None,
    gold_relevant_from: GoldRelevantFrom = None,
    scale: Annotated[
        str | None, advanced("--scale", help="Possible gold labels, such as 0:3 (default: those of the bronze labels).")
    ] = None,
    earlier: Annotated[
        str | None,
        advanced("--earlier", help="An earlier list with gold labels, which shows where this judge errs most."),
    ] = None,
    figure: Figure = None,
    seed: Seed = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    output_format: OutputFormat = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="List to write: pairs in the order to judge, without bronze labels; .csv, .jsonl, ...",
        ),
    ] = None,
    key: Annotated[
        str | None,
        advanced("--key", help="Key of the list to write, with bronze labels (default: LIST.key.csv)."),
    ] = None,
    questions: Questions = None,
    docs: Docs = None,
    table: Annotated[str, advanced("--table", help="File of the printed table; - for stdout.")] = "-",
) -> None:
    """Choose which pairs people should label, in which order, and how many labels a difference needs.

    Examples:
        truegain plan labels demo/llm.qrels demo/runs --pair system-1,system-8 --min-effect 0.1
        truegain plan labels demo/llm.qrels demo/runs --pair system-1,system-8 --docs demo/docs.jsonl -o list.csv

    """
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
                raise TruegainError(f"{option(name)} {value}: only for a list for people; name it, as -o list.csv")
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
        refuse(f"is about gold labels; give them with {option('--gold')}", {"design": "--design"} if design else {})
    elif draw is not None:
        raise TruegainError(
            f"{option('--draw')} is for a first list; with gold labels at hand the design is given "
            f"({option('--design')})"
        )
    listed = None
    if output is not None and gold is not None and gold_list_of(gold) is not None:
        raise TruegainError(f"{gold} is a list already: fill in more labels there, from the first empty row on")
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
            f"and give it to `truegain verdict --gold`.{lacking} The judge's labels are in "
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
            f"{option('--pair')} {pair}: name two systems separated by a comma, as in {option('--pair')} bm25,dense"
        )
    return a.strip(), b.strip()


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
    rows: Annotated[int | None, advanced("--rows", min=1, help="Use only the first rows, this many.")] = None,
) -> None:
    """Copy labels from another tool into the list that `plan labels` wrote.

    Examples:
        truegain plan fill list.csv demo/gold.qrels --rows 100 -o filled.csv
        truegain plan fill list.key.csv filled.csv -o labels.csv

    """
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
    error: Annotated[
        float, typer.Option("--error", help="Largest error of the mean rating, as the half-width of its interval.")
    ],
    ratings: Annotated[
        str | None,
        typer.Argument(
            metavar="[RATINGS]",
            help="Ratings, to estimate sigma from, or study.toml; or give --sigma.",
            is_eager=True,
            callback=study_or_judgments,
        ),
    ] = None,
    sigma: Annotated[
        float | None,
        typer.Option("--sigma", help="Standard deviation of the ratings of a document, if there are none."),
    ] = None,
    confidence: Confidence = 0.95,
    normalize: NormalizeOption = None,
    by_topic: ByTopic = False,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    reading: Reading,
) -> None:
    """Compute how many assessors must rate a document for its mean rating to be precise.

    Examples:
        truegain plan assessors demo/ratings.csv --error 0.2
        truegain plan assessors --sigma 0.8 --error 0.2

    """
    from truegain.planning.assessors import assessors_needed, plan_assessors

    if (sigma is None) == (ratings is None):
        raise TruegainError(f"give either ratings, from which sigma is estimated, or {option('--sigma')}")
    if sigma is not None:
        given = [*(["--normalize"] if normalize else []), *(["--by-topic"] if by_topic else []), *reading.given]
        if given:
            raise TruegainError(
                f"{', '.join(map(option, given))}: only for ratings, which {option('--sigma')} replaces; leave it out"
            )
        found = assessors_needed(sigma, error, confidence)
    else:
        table = reading.load(str(ratings), normalize=normalize)
        asked = {"confidence": confidence, "scale": reading.scale, "normalize": normalize, "by_topic": by_topic}
        found = plan_assessors(table, error=error, **asked)  # type: ignore[arg-type]
    write_table(found.details, output_format, output)
