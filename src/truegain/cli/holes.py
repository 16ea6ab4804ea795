"""The command `truegain holes`: what the unjudged documents can hide."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.cli.output import write_table
from truegain.tables.sources import expand
from truegain.tables.table import Format


def holes_command(
    judgments: Annotated[str, typer.Argument(help="Judgments: TREC qrels, CSV, JSONL or Parquet; - is stdin.")],
    runs: Annotated[list[str], typer.Argument(help="Runs: files, folders or globs.", metavar="RUN...")],
    measure: Annotated[
        str,
        typer.Option("-m", "--measure", help="nDCG, R, RR, ERR or one linear in gain (P, DCG, RBP), as in nDCG@10."),
    ] = "nDCG@10",
    topics: Annotated[bool, typer.Option("-q", "--topics", help="Also print each topic.")] = False,
    show: Annotated[
        Literal["bounds", "pairs", "shares", "left-out", "next", "sample"],
        typer.Option(
            "--show",
            help="Worst and best; differences of pairs; unjudged by depth; left out of the pool; what to judge next; a "
            "random sample to judge, for verdict --hole-sample.",
        ),
    ] = "bounds",
    depth: Annotated[
        list[int] | None, typer.Option("--depth", min=1, help="A depth for --show shares; may be given several times.")
    ] = None,
    pool_depth: Annotated[
        int | None, typer.Option("--pool-depth", min=1, help="How deep runs were pooled, for --show left-out.")
    ] = None,
    pooled: Annotated[
        list[str] | None,
        typer.Option("--pooled", help="A system that was pooled (default: all); may be given several times."),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--most",
            min=1,
            help="Documents to list with --show next (default: until the next fit), or to draw.",
        ),
    ] = None,
    pair: Annotated[
        str | None, typer.Option("--pair", help="Two systems, a,b: what to judge next to tell these apart.")
    ] = None,
    until: Annotated[
        Literal["sure", "certain"], typer.Option("--until", help="Of a pair: 95% sure of the sign, or certain.")
    ] = "sure",
    corpus: Annotated[
        str | None, typer.Option("--corpus", help="Term statistics (text index) that help to predict, for --show next.")
    ] = None,
    llm: Annotated[
        str | None, typer.Option("--llm", help="Labels of another judge that help to predict, for --show next.")
    ] = None,
    all_topics: Annotated[
        bool, typer.Option("--all-topics", help="Also topics of the runs without a judgment, for --show next.")
    ] = False,
    share: Annotated[
        float | None, typer.Option("--share", help="Share of the unjudged documents to draw (default 0.25).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same sample.")] = 0,
    level: Annotated[
        float | None, typer.Option("-l", "--level", help="Smallest label that is relevant (default 1).")
    ] = None,
    output_format: Annotated[Format | None, typer.Option("--format", help="How to print.")] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to print; - is stdout.")] = "-",
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Threads (default: all cores).")] = None,
) -> None:
    """How many retrieved documents are unjudged, for whom, and how far the scores could move."""
    from truegain.errors import TruegainError
    from truegain.inference.holes.bounds import holes
    from truegain.inference.holes.left_out import leave_out, left_out_table

    files = expand(runs)
    about_next: dict[str, object] = {
        "--pair": pair,
        "--corpus": corpus,
        "--llm": llm,
        "--all-topics": all_topics or None,
    }
    if show not in ("next", "sample") and most is not None:
        about_next["--most"] = most
    if show != "next" and (given := [name for name, value in about_next.items() if value is not None]):
        raise TruegainError(f"{', '.join(given)}: this is about what to judge next; give --show next")
    if show != "sample" and (share is not None or seed):
        raise TruegainError(f"--{'seed' if share is None else 'share'} is about a sample; give --show sample")
    if show == "left-out":
        if pool_depth is None:
            raise TruegainError("how deep were the runs pooled? Give --pool-depth, such as --pool-depth 100")
        table = left_out_table(
            leave_out(files, judgments, measure, pool_depth=pool_depth, pooled=pooled, jobs=jobs, level=level)
        )
    elif show == "next":
        from truegain.inference.holes.next import judge_next

        two = None if pair is None else tuple(name.strip() for name in pair.split(","))
        table = judge_next(
            files, judgments, measure, pair=two, until=until, most=most, corpus=corpus, llm=llm,  # type: ignore[arg-type]
            all_topics=all_topics, jobs=jobs, level=level,
        ).table()  # fmt: skip
        if output != "-":
            typer.echo("\n".join(table.notes))
    elif show == "sample":
        from truegain.inference.holes.sample import draw_holes

        table = draw_holes(files, judgments, measure, share=share, most=most, seed=seed, jobs=jobs, level=level)
    else:
        depths = tuple(depth) if depth else (1, 5, 10, 20, 50, 100)
        made = holes(files, judgments, measure, depths=depths, jobs=jobs, level=level)
        by_system = made.shares if show == "shares" else made.table
        table = made.pairs() if show == "pairs" else by_system(topics)
    write_table(table, output_format, output)
