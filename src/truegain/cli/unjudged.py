"""The command `truegain unjudged`: how much unjudged documents could change the scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

import typer

from truegain.cli.options import (
    ByTopic,
    CorpusFolder,
    Jobs,
    Judgments,
    Output,
    OutputFormat,
    RelevantFrom,
    RunFiles,
    Seed,
    advanced,
)
from truegain.cli.output import table_format_of, write_table
from truegain.cli.sheets import Docs, Questions, said_of_texts, texts_of, with_texts
from truegain.cli.streams import in_words
from truegain.cli.study_files import is_of_file
from truegain.config import Scoring
from truegain.data.judgments import CHOSEN
from truegain.data.label_lists import keep_labels, key_path
from truegain.data.writing import write_judgments
from truegain.errors import TruegainError
from truegain.io.files import expand
from truegain.io.formats import ending
from truegain.message import option
from truegain.results.base import Table
from truegain.results.catalogue import Format

SHEETS = ("csv", "tsv", "jsonl", "parquet")  # formats that people, or their tools, fill in


def unjudged_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Annotated[
        str,
        typer.Option("-m", "--measure", help="Measure: nDCG, R, RR, ERR, or one linear in the gain (P, DCG, RBP)."),
    ] = "nDCG@10",
    by_topic: ByTopic = False,
    show: Annotated[
        Literal["bounds", "pairs", "shares", "left-out", "next", "sample"],
        typer.Option(
            "--show",
            help="Bounds of scores; bounds of differences; shares of unjudged documents by depth; systems left out of "
            "the pool; which documents to judge next; or a random sample to judge, for --unjudged-sample.",
        ),
    ] = "bounds",
    at: Annotated[list[int] | None, advanced("--at", min=1, help="Depth, for --show shares. Repeatable.")] = None,
    pool_depth: Annotated[int | None, advanced("--pool-depth", min=1, help="Pool depth, for --show left-out.")] = None,
    pooled: Annotated[
        list[str] | None,
        advanced("--pooled", help="System that was pooled (default: all). Repeatable."),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--most",
            min=1,
            help="Number of documents, for --show next or sample.",
        ),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option("--pair", help="Two systems, a,b, for --show next: what to judge to decide between them."),
    ] = None,
    until: Annotated[
        Literal["sure", "certain"] | None,
        advanced("--until", help="For --pair: stop at 95% probability of the sign (default), or at certainty."),
    ] = None,
    corpus: CorpusFolder = None,
    llm: Annotated[str | None, advanced("--llm", help="Labels of another judge, to predict from.")] = None,
    unjudged_topics: Annotated[
        bool, advanced("--unjudged-topics", help="Also list topics without any judgment, for --show next.")
    ] = False,
    share: Annotated[
        float | None, advanced("--share", help="Share of unjudged documents to sample (default: 0.25).")
    ] = None,
    fill: Annotated[
        Literal["predicted"] | None,
        advanced("--fill", help="Sample in proportion to the uncertainty of predictions; judge any number of rows."),
    ] = None,
    scale: Annotated[
        str | None, advanced("--scale", help="Possible labels, such as 0:3 (default: those of the judgments).")
    ] = None,
    questions: Questions = None,
    docs: Docs = None,
    seed: Seed = 0,
    relevant_from: RelevantFrom = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    jobs: Jobs = None,
) -> None:
    """Show how many retrieved documents are unjudged, and how much they could change the scores.

    Also says which documents to judge next, and draws a random sample of unjudged documents to judge.

    Examples:
        truegain unjudged demo/pooled.qrels demo/runs
        truegain unjudged demo/pooled.qrels demo/runs -m P@10 --show next --pair system-7,system-8 --until certain

    """
    from truegain.pooling.pools import leave_out, left_out_table

    files, scoring = expand(runs), Scoring(relevant_from)
    fill, scale = (_unless_idle(name, x, None, show == "sample") for name, x in (("fill", fill), ("scale", scale)))
    seed = _unless_idle("seed", seed, 0, show == "sample")
    pair = _unless_idle("pair", pair, None, show == "next" or fill is not None)
    predicts = {"--pair": pair, "--corpus": corpus, "--llm": llm}
    _check_asked(show, fill, predicts, unjudged_topics=unjudged_topics, most=most, share=share, seed=seed, scale=scale)
    if until is not None and (pair is None or show != "next"):
        raise TruegainError(
            f"{option('--until')} {until} is about what separates two systems; give {option('--show')} next "
            f"{option('--pair')} a,b"
        )
    if show in ("next", "sample"):
        keep_labels(output)  # now, not when the work is done
    for name, file in (("--questions", questions), ("--docs", docs)):
        if file is not None and (show not in ("next", "sample") or output == "-"):
            raise TruegainError(
                f"{option(name)} {file}: this is about a sheet for people; give {option('--show')} sample or next, and "
                "-o"
            )
    if show == "left-out":
        if pool_depth is None:
            raise TruegainError(
                f"the pool depth is missing; give {option('--pool-depth')}, such as {option('--pool-depth')} 100"
            )
        table = left_out_table(
            leave_out(files, judgments, measure, pool_depth=pool_depth, pooled=pooled, jobs=jobs, scoring=scoring)
        )
    elif show == "next":
        from truegain.pooling.next_to_judge import next_to_judge

        listed = next_to_judge(
            files, judgments, measure, pair=_two(pair), until=until or "sure", most=most, corpus=corpus, llm=llm,  # type: ignore[arg-type]
            unjudged_topics=unjudged_topics, jobs=jobs, scoring=scoring,
        )  # fmt: skip
        table = listed.table()
        if output != "-":
            typer.echo("\n".join(map(in_words, table.notes)))
        if output_format is None and ending(output) == ".qrels":
            write_judgments(listed.judgments(), output)
            return
        if output != "-" and table_format_of(output_format, output) in SHEETS:
            write_table(table, output_format, key_path(output))
            typer.echo(f"{key_path(output)} has the predictions, which assessors should not see.")
            table = _sheet(table)
    elif show == "sample" and fill is not None:
        _write_list(files, judgments, measure, pair, scale, output, output_format, (questions, docs),
                    corpus=corpus, llm=llm, seed=seed, jobs=jobs, scoring=scoring)  # fmt: skip
        return
    elif show == "sample":
        from truegain.pooling.samples import draw_unjudged

        table = draw_unjudged(files, judgments, measure, share=share, most=most, seed=seed, jobs=jobs, scoring=scoring)
    else:
        depths = tuple(at) if at else (1, 5, 10, 20, 50, 100)
        from truegain.pooling.bounds import unjudged

        made = unjudged(files, judgments, measure, depths=depths, jobs=jobs, scoring=scoring)
        by_system = made.shares if show == "shares" else made.table
        table = made.pairs() if show == "pairs" else by_system(by_topic)
    if questions is not None or docs is not None:
        table = with_texts(table, questions, docs)
    write_table(table, output_format, output)


def _sheet(table: Table) -> Table:
    """What to judge next without what is predicted of it: who sees a guess tends to agree with it."""
    names = ("order", "topic", "doc", "label", CHOSEN)
    at = [table.columns.index(name) if name in table.columns else None for name in names]
    return replace(table, columns=names, rows=[tuple(None if i is None else row[i] for i in at) for row in table.rows])


def _unless_idle(name: str, value: Any, usual: Any, is_heeded: bool) -> Any:
    """What was typed; of what a study file says only what this table heeds."""
    return usual if is_of_file(name) and not is_heeded else value


def _two(pair: str | None) -> tuple[str, ...] | None:
    return None if pair is None else tuple(name.strip() for name in pair.split(","))


def _check_asked(
    show: str,
    fill: str | None,
    predicts: dict[str, str | None],
    *,
    unjudged_topics: bool,
    most: int | None,
    share: float | None,
    seed: int,
    scale: str | None,
) -> None:
    """Refuse options that would not be heeded."""
    if show != "sample":
        if share is not None or seed:
            raise TruegainError(
                f"{option('--seed' if share is None else '--share')} is about a sample; give {option('--show')} sample"
            )
        if fill is not None or scale is not None:
            name = "scale" if fill is None else "fill predicted"
            raise TruegainError(
                f"{option(f'--{name}')} is about a sample; give {option('--show')} sample, or to score `truegain eval "
                "--fill`"
            )
    if fill is None and scale is not None:
        raise TruegainError(
            f"{option('--scale')} is about a sample drawn by predictions; give {option('--fill')} predicted"
        )
    if fill is not None and (most is not None or share is not None):
        name = "most" if share is None else "share"
        raise TruegainError(
            f"{option(f'--{name}')} and {option('--fill')} predicted: the list has all documents, and is judged from "
            f"the top to any row; leave {option(f'--{name}')} out"
        )  # fmt: skip
    about = {} if fill is not None or show == "next" else dict(predicts)
    if show != "next":
        about["--unjudged-topics"] = "yes" if unjudged_topics else None
    if show not in ("next", "sample") and most is not None:
        about["--most"] = str(most)
    if given := [name for name, value in about.items() if value is not None]:
        raise TruegainError(
            f"{', '.join(map(option, given))}: only for what to judge next; give {option('--show')} next"
        )


def _write_list(
    files: list[str],
    judgments: str,
    measure: str,
    pair: str | None,
    scale: str | None,
    output: str,
    output_format: Format | None,
    texts: tuple[str | None, str | None] = (None, None),
    **options: Any,
) -> None:
    """Draw unjudged documents in proportion to what their predictions leave open, and say what to do with them."""
    from truegain.data.writing import kind_to_write
    from truegain.pooling.samples import A_TOPIC, sample_unjudged

    if output == "-" or output_format is not None:
        raise TruegainError("a sample drawn by predictions is a file to fill in; name it, as -o sample.csv")
    kind_to_write(output)  # now, not when the work is done
    two = _two(pair)
    if two is not None and len(two) != 2:
        raise TruegainError(
            f"{option('--pair')} {pair}: name two systems separated by a comma, as in {option('--pair')} bm25,dense"
        )
    listed = sample_unjudged(files, judgments, measure, pair=two, scale=scale, **options)
    listed = listed.with_texts(*texts_of(listed.topics, listed.docs, *texts)).with_texts_of(output)
    listed.write(output)
    lacking = said_of_texts(listed.texts.get("question"), listed.texts.get("passage"))
    some = A_TOPIC * len(set(listed.topics))
    usual = f"; the first {some:,}, {A_TOPIC} a topic, are a good start" if some < len(listed) else ""
    typer.echo(
        f"{output} has {len(listed):,} unjudged documents that {listed.measure} looks at, in the order to judge: "
        f"fill in `label` from the top and stop anywhere{usual}. Then give it to `truegain eval --fill predicted "
        f"--unjudged-sample` or `truegain verdict --predicted --unjudged-sample`.{lacking} The predictions are in "
        f"{key_path(output)}: assessors should not see them."
    )
