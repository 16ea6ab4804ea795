"""The command `truegain unjudged`: how much unjudged documents could change the scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeVar

import typer

from truegain.cli.options import (
    ByTopic,
    CorpusFolder,
    Jobs,
    Judgments,
    NameBy,
    RelevantFrom,
    RunFiles,
    Seed,
    TeamsFile,
    advanced,
    changed,
    two_systems,
    with_options,
)
from truegain.cli.output import TableOutput, write_table
from truegain.cli.sheets import Docs, Questions, missing_texts, texts_of, with_texts
from truegain.cli.streams import in_words
from truegain.cli.study_files import is_from_study_file
from truegain.config import Scoring
from truegain.data.judgments import CHOSEN
from truegain.data.label_lists import keep_labels, key_path
from truegain.data.runs import RunPaths
from truegain.data.writing import kind_to_write, write_judgments
from truegain.errors import TruegainError
from truegain.io.formats import ending
from truegain.message import option
from truegain.results.base import Table

SHEETS = ("csv", "tsv", "jsonl", "parquet")  # formats that people, or their tools, fill in
DEPTHS = (1, 5, 10, 20, 50, 100)
Group = TypeVar("Group", bound=Any)


@dataclass(frozen=True, kw_only=True)
class PoolOptions:
    """The pool: its depth, the systems in it, and the depths that shares are counted at."""

    at: Annotated[list[int] | None, advanced("--at", min=1, help="Depth, for --show shares. Repeatable.")] = None
    pool_depth: Annotated[int | None, advanced("--pool-depth", min=1, help="Pool depth, for --show left-out.")] = None
    pooled: Annotated[
        list[str] | None, advanced("--pooled", help="System that was pooled (default: all). Repeatable.")
    ] = None
    teams: TeamsFile = None


@dataclass(frozen=True, kw_only=True)
class NextOptions:
    """What to judge next: how it is predicted, and what it shall decide."""

    pair: Annotated[
        str | None,
        typer.Option(
            "--pair", help="With --show next: two systems, a,b, to choose the documents that decide between them."
        ),
    ] = None
    corpus: CorpusFolder = None
    llm: Annotated[str | None, advanced("--llm", help="Labels of another judge, to predict from.")] = None
    unjudged_topics: Annotated[
        bool, advanced("--unjudged-topics", help="Also list topics without any judgment, for --show next.")
    ] = False
    most: Annotated[
        int | None, typer.Option("--most", min=1, help="Number of documents, for --show next or sample.")
    ] = None
    until: Annotated[
        Literal["sure", "certain"] | None,
        advanced(
            "--until",
            help="With --pair: stop when the sign of the difference has 95% probability (sure, the "
            "default), or is certain.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """How a random sample of unjudged documents is drawn."""

    share: Annotated[
        float | None, advanced("--share", help="Share of unjudged documents to sample (default: 0.25).")
    ] = None
    fill: Annotated[
        Literal["predicted"] | None,
        advanced("--fill", help="Sample in proportion to the uncertainty of predictions; judge any number of rows."),
    ] = None
    scale: Annotated[
        str | None, advanced("--scale", help="Possible labels, such as 0:3 (default: those of the judgments).")
    ] = None
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class SheetOutput(TableOutput):
    """Where a table goes; a sheet for people has the texts that they read."""

    questions: Questions = None
    docs: Docs = None

    @property
    def is_file(self) -> bool:
        """Whether the table is written to a file."""
        return self.output != "-"


@with_options(pool=PoolOptions, ahead=NextOptions, sample=SampleOptions, sheet=SheetOutput)
def unjudged_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Annotated[
        str, typer.Option("-m", "--measure", help="Measure: nDCG, R, RR, ERR, or one linear in the gain (P, DCG, RBP).")
    ] = "nDCG@10",
    by_topic: ByTopic = False,
    show: Annotated[
        Literal["bounds", "pairs", "shares", "left-out", "next", "sample"],
        typer.Option(
            "--show",
            help="Bounds of scores (bounds) or of differences (pairs); shares of unjudged documents by depth "
            "(shares); scores of systems as if they were left out of the pool (left-out); documents to judge "
            "next (next); or a random sample to judge, for --unjudged-sample (sample).",
        ),
    ] = "bounds",
    relevant_from: RelevantFrom = None,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    *,
    pool: PoolOptions,
    ahead: NextOptions,
    sample: SampleOptions,
    sheet: SheetOutput,
) -> None:
    """Show how many retrieved documents are unjudged, and how much they could change the scores.

    Also says which documents to judge next, and draws a random sample of unjudged documents to judge.

    Examples:
        truegain unjudged demo/pooled.qrels demo/runs
        truegain unjudged demo/pooled.qrels demo/runs -m P@10 --show next --pair system-7,system-8 --until certain

    """
    if show != "sample":  # of what a study file says, a table takes what is about it
        sample = _without_file(sample, "fill", "scale", "seed")
    if show != "next" and sample.fill is None:
        ahead = _without_file(ahead, "pair")
    if show != "left-out":
        pool = _without_file(pool, "teams")
    _check(show, ahead, sample, sheet)
    if show != "left-out" and pool.teams is not None:
        raise TruegainError(f"{option('--teams')} says who is left out together; give {option('--show')} left-out")
    if show in ("next", "sample"):
        keep_labels(sheet.output)  # now, not when the work is done
    files, scoring = RunPaths.of(runs, name_by), Scoring(relevant_from)
    if show == "left-out":
        from truegain.pooling.pools import leave_out, left_out_table

        if pool.pool_depth is None:
            raise TruegainError(
                f"the pool depth is missing; give {option('--pool-depth')}, such as {option('--pool-depth')} 100"
            )
        left_out = leave_out(
            files,
            judgments,
            measure,
            pool_depth=pool.pool_depth,
            pooled=pool.pooled,
            teams=pool.teams,
            jobs=jobs,
            scoring=scoring,
        )
        table = left_out_table(left_out)
    elif show == "next":
        from truegain.pooling.next_to_judge import next_to_judge

        documents = next_to_judge(
            files,
            judgments,
            measure,
            pair=two_systems(ahead.pair),
            until=ahead.until or "sure",
            most=ahead.most,
            corpus=ahead.corpus,
            llm=ahead.llm,
            unjudged_topics=ahead.unjudged_topics,
            jobs=jobs,
            scoring=scoring,
        )
        table = documents.table()
        if sheet.is_file:
            typer.echo("\n".join(map(in_words, table.notes)))
        if sheet.output_format is None and ending(sheet.output) == ".qrels":
            write_judgments(documents.judgments(), sheet.output)
            return
        if sheet.is_file and sheet.format in SHEETS:
            write_table(table, sheet.output_format, key_path(sheet.output))
            typer.echo(f"{key_path(sheet.output)} has the predictions, which assessors should not see.")
            table = _without_predictions(table)
    elif show == "sample" and sample.fill is not None:
        _write_list(files, judgments, measure, ahead, sample, sheet, scoring, jobs)
        return
    elif show == "sample":
        from truegain.pooling.samples import draw_unjudged

        table = draw_unjudged(
            files, judgments, measure, share=sample.share, most=ahead.most, seed=sample.seed, jobs=jobs, scoring=scoring
        )
    else:
        from truegain.pooling.bounds import unjudged

        bounds = unjudged(files, judgments, measure, depths=tuple(pool.at or DEPTHS), jobs=jobs, scoring=scoring)
        by_system = bounds.shares if show == "shares" else bounds.table
        table = bounds.pairs() if show == "pairs" else by_system(by_topic)
    if sheet.questions is not None or sheet.docs is not None:
        table = with_texts(table, sheet.questions, sheet.docs)
    sheet.write(table)


def _without_predictions(table: Table) -> Table:
    """What to judge next without what is predicted of it: who sees a guess tends to agree with it."""
    names = ("order", "topic", "doc", "label", CHOSEN)
    at = [table.columns.index(name) if name in table.columns else None for name in names]
    return replace(table, columns=names, rows=[tuple(None if i is None else row[i] for i in at) for row in table.rows])


def _without_file(options: Group, *names: str) -> Group:
    """The options as they were typed: those of the study file have their defaults again."""
    defaults = type(options)()
    return replace(options, **{name: getattr(defaults, name) for name in names if is_from_study_file(name)})


def _check(show: str, ahead: NextOptions, sample: SampleOptions, sheet: SheetOutput) -> None:
    """Refuse options that would not be heeded."""
    is_list = show in ("next", "sample")
    if show != "sample" and (sample.share is not None or sample.seed):
        name = "--seed" if sample.share is None else "--share"
        raise TruegainError(f"{option(name)} applies to samples only; give {option('--show')} sample")
    if show != "sample" and (sample.fill is not None or sample.scale is not None):
        name = "--scale" if sample.fill is None else "--fill predicted"
        raise TruegainError(
            f"{option(name)} applies to samples only; give {option('--show')} sample, or to score `truegain eval "
            "--fill`"
        )
    if sample.fill is None and sample.scale is not None:
        raise TruegainError(
            f"{option('--scale')} applies to samples drawn by predictions; give {option('--fill')} predicted"
        )
    if sample.fill is not None and (ahead.most is not None or sample.share is not None):
        name = option("--most" if sample.share is None else "--share")
        raise TruegainError(
            f"{name} and {option('--fill')} predicted: the list has all documents, and is judged from the top to any "
            f"row; leave {name} out"
        )
    if show != "next":
        heeded = ["until", *(["most"] if is_list else []), *(["pair", "corpus", "llm"] if sample.fill else [])]
        if names := changed(ahead, leave_out=tuple(heeded)).values():
            raise TruegainError(
                f"{', '.join(map(option, names))}: applies only to documents to judge next; give {option('--show')} "
                "next"
            )
    if ahead.until is not None and (ahead.pair is None or show != "next"):
        raise TruegainError(
            f"{option('--until')} {ahead.until} applies to two systems only; give {option('--show')} next "
            f"{option('--pair')} a,b"
        )
    for name, file in (("--questions", sheet.questions), ("--docs", sheet.docs)):
        if file is not None and not (is_list and sheet.is_file):
            raise TruegainError(
                f"{option(name)} {file}: this applies to a sheet for people; give {option('--show')} sample or next, "
                "and -o"
            )


def _write_list(
    files: RunPaths,
    judgments: str,
    measure: str,
    ahead: NextOptions,
    sample: SampleOptions,
    sheet: SheetOutput,
    scoring: Scoring,
    jobs: int | None,
) -> None:
    """Draw unjudged documents in proportion to what their predictions leave open, and say what to do with them."""
    from truegain.pooling.samples import A_TOPIC, sample_unjudged

    output = sheet.output
    if not sheet.is_file or sheet.output_format is not None:
        raise TruegainError("a sample drawn by predictions is a file to fill in; name it, as in -o sample.csv")
    kind_to_write(output)  # now, not when the work is done
    drawn = sample_unjudged(
        files,
        judgments,
        measure,
        pair=two_systems(ahead.pair),
        scale=sample.scale,
        corpus=ahead.corpus,
        llm=ahead.llm,
        seed=sample.seed,
        jobs=jobs,
        scoring=scoring,
    )
    drawn = drawn.with_texts(*texts_of(drawn.topics, drawn.docs, sheet.questions, sheet.docs)).with_texts_of(output)
    drawn.write(output)
    lacking = missing_texts(drawn.texts.get("question"), drawn.texts.get("passage"))
    start = A_TOPIC * len(set(drawn.topics))
    advice = f"; the first {start:,}, {A_TOPIC} a topic, are a good start" if start < len(drawn) else ""
    typer.echo(
        f"{output} has {len(drawn):,} unjudged documents that {drawn.measure} counts, in the order to judge: fill in "
        f"`label` from the top and stop anywhere{advice}. Then give it to `truegain eval --fill predicted "
        f"--unjudged-sample` or `truegain verdict --predicted --unjudged-sample`.{lacking} The predictions are in "
        f"{key_path(output)}: assessors should not see them."
    )
