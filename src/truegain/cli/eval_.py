"""The command `truegain eval`: what the scores are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from truegain.cli.intervals import write_intervals, write_rectified
from truegain.cli.options import Judgments, RunFiles
from truegain.cli.output import Format, check_wide, format_of, table_format_of, write_scores
from truegain.cli.progress import Progress
from truegain.cli.ratings import (
    NormaliseOption,
    POption,
    Reading,
    RuleOption,
    SpreadOption,
    WeightOption,
    gains_of,
    given,
    reads_ratings,
)
from truegain.cli.writing import Writing, writes_papers
from truegain.errors import TruegainError
from truegain.inference.holes.evaluate import evaluate
from truegain.measures.evaluate import at_level
from truegain.measures.parse import parse_measure, parse_measures
from truegain.measures.trec_names import is_trec_name
from truegain.tables.judgments import Judgments as LabelTable
from truegain.tables.sources import expand

USUAL = ["AP", "nDCG@10", "P@10", "RR"]


@writes_papers
@reads_ratings
def eval_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="A measure, such as nDCG@10 or map; may be given several times."),
    ] = None,
    topics: Annotated[bool, typer.Option("-q", "--topics", help="Also print each topic.")] = False,
    no_summary: Annotated[bool, typer.Option("-n", "--no-summary", help="Leave out the means.")] = False,
    complete: Annotated[
        bool, typer.Option("-c", "--complete", help="All judged topics count; one that a run lacks counts 0.")
    ] = False,
    level: Annotated[
        float | None, typer.Option("-l", "--level", help="Smallest label that is relevant (default 1).")
    ] = None,
    depth: Annotated[int | None, typer.Option("-M", "--depth", help="Keep the first so many documents.")] = None,
    judged_only: Annotated[
        bool, typer.Option("-J", "--judged-only", help="Drop unjudged documents from the lists first.")
    ] = False,
    output_format: Annotated[
        Format | None, typer.Option("--format", help="How to print (default table, or by the ending of --output).")
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to print; - is stdout.")] = "-",
    sort: Annotated[str | None, typer.Option("--sort", help="Best system first by this measure.")] = None,
    name_by: Annotated[
        Literal["file", "tag"], typer.Option("--name-by", help="Name systems by file or by run tag.")
    ] = "file",
    no_relevant: Annotated[
        Literal["zero", "skip"],
        typer.Option("--no-relevant", help="A topic with nothing to find counts 0, or is left out."),
    ] = "zero",
    trec_eval: Annotated[
        Literal["9", "10"],
        typer.Option("--trec-eval", help="Whose rules: 9 compares scores as float32, 10 as double."),
    ] = "10",
    ties: Annotated[
        Literal["descending", "ascending"],
        typer.Option("--ties", help="Equal scores go by document id: descending (trec_eval) or ascending (pyndeval)."),
    ] = "descending",
    intents: Annotated[
        Path | None, typer.Option("--intents", help="File of 'topic subtopic probability', 'inf' or 'nav' behind.")
    ] = None,
    fill: Annotated[
        Literal["predicted"] | None,
        typer.Option(
            "--fill",
            help="Unjudged documents by their predicted relevance, not 0: to rank; with --hole-sample, with intervals.",
        ),
    ] = None,
    hole_sample: Annotated[
        str | None,
        typer.Option(
            "--hole-sample", help="Labels of a sample of the unjudged documents (holes --show sample), for --fill."
        ),
    ] = None,
    llm: Annotated[
        str | None, typer.Option("--llm", help="Labels of another judge that help to predict, for --fill predicted.")
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", help="Term statistics (text index), for measures that read text and --fill predicted."
        ),
    ] = None,
    judged_corpus: Annotated[
        str | None, typer.Option("--judged-corpus", help="Corpus of the judged documents, where it is another one.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Threads (default: all cores).")] = None,
    intervals: Annotated[
        str | None,
        typer.Option(
            "--intervals",
            help="Also how far means move over: topics, collection, topics+collection; holes (with a sample of them).",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="Kind of interval: wilson, t, studentised, logit, percentile, bca, bootstrap, parametric ...",
        ),
    ] = None,
    replicates: Annotated[int, typer.Option("--replicates", min=2, help="Draws behind an interval.")] = 2000,
    confidence: Annotated[float, typer.Option("--confidence", help="Level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed is another draw.")] = 0,
    figure: Annotated[
        str | None, typer.Option("--figure", help="Draw the intervals: FILE.svg, .png, .pdf or .html.")
    ] = None,
    rule: RuleOption = None,
    p: POption = None,
    spread: SpreadOption = None,
    normalise: NormaliseOption = None,
    weight_assessors: WeightOption = None,
    *,
    reading: Reading,
    writing: Writing,
) -> None:
    """Score runs against judgments: means, and with -q every topic; with --rule, against the gains of ratings."""
    chosen = format_of(output_format, output)
    if intervals is not None and output_format is None:
        table_format_of(None, output)  # now, not when the work is done
    elif intervals is None:
        check_wide(chosen, writing, topics=topics, summary=not no_summary)
    asked = parse_measures(measure or (["official"] if chosen == "trec" else USUAL))
    files = expand(runs)
    table: str | LabelTable = judgments
    if rule is not None or normalise is not None:
        gains = given(p=p, spread=spread, weight_assessors=weight_assessors)
        table = gains_of(
            reading.load(judgments, normalise=normalise), rule, scale=reading.scale, normalise=normalise, **gains
        )
    elif about := [
        *(f"--{n}" for n in given(p=p, spread=spread)), *(["--weight-assessors"] if weight_assessors else []),
        *reading.given,
    ]:  # fmt: skip
        raise TruegainError(
            f"{', '.join(about)}: this is about ratings; say how they become gains, as in --rule unanimity --scale 0:3"
        )
    options: dict[str, Any] = {
        "name_by": name_by,
        "complete": complete,
        "level": level,
        "depth": depth,
        "judged_only": judged_only,
        "no_relevant": no_relevant,
        "trec_eval": trec_eval,
        "ties": ties,
    }
    if hole_sample is not None:
        refused = {
            **{name: value for name, value in options.items() if name not in ("name_by", "level")},
            "intents": intents, "corpus": corpus, "judged_corpus": judged_corpus, "llm": llm, "method": method,
            "rule": rule or normalise, "topics": topics,
        }  # fmt: skip
        _check_plain(refused)
        write_rectified(
            files, judgments, asked, hole_sample, intervals, fill=fill, chosen=output_format, output=output, sort=sort,
            figure=figure, confidence=confidence, jobs=jobs, name_by=name_by, level=level, writing=writing,
        )  # fmt: skip
        return
    if fill is not None and intervals is not None:
        raise TruegainError(
            "--fill predicted: predictions rank systems and have no interval of their own (what is called 95% holds in "
            "57% to 85%); leave --intervals out, or have a sample of the unjudged documents judged (truegain holes "
            "--show sample --fill predicted) and give --hole-sample"
        )
    if intervals is not None:
        write_intervals(
            files,
            table,
            asked,
            intervals,
            chosen=output_format,
            output=output,
            sort=sort,
            by_topic=topics,
            method=method,
            replicates=replicates,
            confidence=confidence,
            seed=seed,
            jobs=jobs,
            figure=figure,
            writing=writing,
            corpus=corpus,
            judged_corpus=judged_corpus,
            **options,
        )
        return
    if figure is not None:
        raise TruegainError("--figure draws intervals; give --intervals topics as well")
    with Progress(len(files), "runs scored") as progress:
        scores = evaluate(
            files,
            table,
            asked,
            intents=str(intents) if intents else None,
            jobs=jobs,
            progress=progress.advance,
            fill=fill,
            llm=llm,
            corpus=corpus,
            judged_corpus=judged_corpus,
            **options,
        )
    if sort is not None:
        scores = scores.sorted_by(sort if sort in scores.asked else at_level(parse_measure(sort), level))
    names = [a.name if is_trec_name(a.name) else str(a.measure) for a in asked]
    scores, inputs = writing.renamed(scores), [judgments, *files]
    write_scores(scores, chosen, output, names, topics=topics, summary=not no_summary, inputs=inputs, writing=writing)


def _check_plain(options: dict[str, Any]) -> None:
    """Refuse what a study of sampled holes does not know."""
    usual = {"no_relevant": "zero", "trec_eval": "10", "ties": "descending"}
    given = [name for name, value in options.items() if value and value != usual.get(name)]
    if given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise TruegainError(
            f"{names} has no place beside --hole-sample, which scores as `truegain verdict` does and holds the "
            "predictions itself; leave it out"
        )
