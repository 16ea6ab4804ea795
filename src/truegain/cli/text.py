"""The commands `truegain text`: term statistics of a collection, once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.options import Jobs, Output, OutputFormat
from truegain.cli.output import write_table
from truegain.cli.streams import Progress
from truegain.io.columns import Ids
from truegain.io.memory import memory_of
from truegain.results.base import Table

if TYPE_CHECKING:
    from truegain.text.pieces import Errors, Fields

text = typer.Typer(
    help="Term statistics of a collection.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@text.command("index")
def index_command(
    documents: Annotated[
        list[str],
        typer.Argument(
            help="Documents: JSONL, CSV, TSV, Parquet, TREC SGML, a folder of text files, or irds:NAME; paths, "
            "patterns or addresses such as s3://bucket/*.jsonl.gz.",
            metavar="DOCUMENTS...",
        ),
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="The folder to make.")],
    kind: Annotated[
        Literal["jsonl", "csv", "tsv", "parquet", "trec", "folder", "irds"] | None,
        typer.Option("--kind", help="Kind of documents (default: by the ending of the name)."),
    ] = None,
    id_field: Annotated[str | None, typer.Option("--id-field", help="Field of the document's id.")] = None,
    text_field: Annotated[
        list[str] | None, typer.Option("--text-field", help="Field of text; may be given several times.")
    ] = None,
    stop: Annotated[
        str | None, typer.Option("--stop", help="Stop list: 'lucene', or a file of words, one a line.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Columns of a CSV or TSV without a line of names, in their order: id,url,body; or other names than "
            "ours: doc=url,text=body.",
        ),
    ] = None,
    errors: Annotated[
        Literal["refuse", "replace"],
        typer.Option("--errors", help="Bytes of text that are not UTF-8: stop, or replace them and count documents."),
    ] = "refuse",
    cjk: Annotated[
        Literal["bigrams", "words"],
        typer.Option("--cjk", help="Chinese, Japanese and Korean: pairs of characters, or words between blanks."),
    ] = "bigrams",
    stemmer: Annotated[str | None, typer.Option("--stemmer", help="Snowball stemmer, such as english.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--for", help="Judgments or run: keep term counts of the documents they name only."),
    ] = None,
    memory: Annotated[str, typer.Option("--memory", help="Memory to stay within, such as 2GB; at least 64MB.")] = "1GB",
    jobs: Jobs = None,
) -> None:
    """Count the terms of documents, in bounded memory; started again after an interruption it goes on."""
    from truegain.text.corpus import Named
    from truegain.text.counting import Settings
    from truegain.text.documents import named_inputs
    from truegain.text.indexing import index
    from truegain.text.words import STOP_LISTS, Cutting

    words = stop if stop is None or stop in STOP_LISTS else _words(stop)
    settings = Settings.within(
        memory_of(memory) or 0,
        cutting=Cutting.of(words, stemmer, cjk),
        fields=_fields(id_field, text_field, columns, errors),
        kind=kind,
        only=Named.of(_named(only))[0] if only else None,
    )
    named = named_inputs(documents)
    size = sum(os.path.getsize(path) for path in named if os.path.isfile(path))  # noqa: PTH113, PTH202
    with Progress(-(-size // settings.piece) or None, "pieces indexed") as progress:
        corpus = index(
            named,
            output,
            settings,
            jobs=jobs or os.cpu_count() or 1,
            memory=memory_of(memory) or 0,
            progress=progress.advance,
        )
    typer.echo(
        f"{corpus.documents:,} documents, {corpus.tokens:,} words, {len(corpus.terms):,} terms in {output}"
        + "".join(f"; {n:,} {what}" for what, n in _told(corpus.problems) if n)
    )


@text.command("show")
def show_command(
    corpus: Annotated[str, typer.Argument(help="A corpus made by 'text index'.")],
    listed: Annotated[
        Literal["duplicates", "empty"] | None, typer.Option("--list", help="List these documents instead.")
    ] = None,
    lacks: Annotated[
        list[str] | None, typer.Option("--lacks", help="Judgments or run: list documents the corpus lacks.")
    ] = None,
    output_format: OutputFormat = None,
    output: Output = "-",
) -> None:
    """Tell what a corpus holds, how it was made, and what was wrong with the documents."""
    from truegain.text.corpus import Corpus

    opened = Corpus.open(corpus)
    if listed is not None:
        rows = [(doc,) for doc in opened.listed(listed)]
        write_table(Table(("document",), rows), output_format, output)
    elif lacks:
        names = _named(lacks)
        missing = [names[i] for i, place in enumerate(opened.find(names).tolist()) if place < 0]
        write_table(Table(("document",), [(doc,) for doc in missing]), output_format, output)
    else:
        cut = opened.cutting
        rows_of: list[tuple[str, int | str]] = [
            ("documents", opened.documents),
            ("documents with term counts", len(opened.docs)),
            ("words", opened.tokens),
            ("terms", len(opened.terms)),
            *_told(opened.problems),
            ("stop words", len(cut.stop)),
            ("stemmer", cut.stemmer or "none"),
            ("Chinese, Japanese, Korean", cut.cjk),
            ("Unicode", cut.unicode),
        ]
        write_table(Table(("what", "value"), [(w, str(v)) for w, v in rows_of]), output_format, output)


@text.command("rank")
def rank_command(
    corpus: Annotated[str, typer.Argument(help="Term statistics made by 'text index'.")],
    queries: Annotated[str, typer.Argument(help="Queries: lines of topic, tab, text; may be compressed.")],
    output: Annotated[str, typer.Option("-o", "--output", help="The folder for the runs.")],
    ranker: Annotated[
        list[str] | None, typer.Option("--ranker", help="A ranker by name; may be repeated (default: all nine).")
    ] = None,
    length: Annotated[int, typer.Option("--length", min=1, help="Documents of a list.")] = 1000,
) -> None:
    """Rank documents by simple rankers (BM25, language models, tf-idf), for experiments where there are no runs."""
    from truegain.data.writing import write_runs
    from truegain.experiments.ranker import RANKERS, rank, read_queries

    runs = rank(corpus, read_queries(queries), rankers=ranker or tuple(RANKERS), depth=length)
    Path(output).mkdir(parents=True, exist_ok=True)
    write_runs(runs, output)
    typer.echo(f"{len(runs.systems)} runs in {output}")


def _fields(id_field: str | None, text_field: list[str] | None, columns: str | None, errors: Errors) -> Fields:
    """Which fields are read: as --id-field and --text-field say, or --columns as for judgments and runs."""
    from truegain.errors import TruegainError
    from truegain.io.columns import our_name
    from truegain.text.pieces import ID_FIELDS, TEXT_FIELDS, Fields

    parts = [name.strip() for name in columns.split(",")] if columns else []
    if not any("=" in part for part in parts):
        return Fields(id_field, tuple(text_field) if text_field else None, tuple(parts) or None, errors)
    ids, texts = [id_field] if id_field else [], [*(text_field or ())]
    for part in parts:
        ours, _, theirs = (x.strip() for x in part.partition("="))
        if not theirs or not (our_name(ours) == "doc" or ours in (*ID_FIELDS, *TEXT_FIELDS)):
            raise TruegainError(f"--columns {columns}: {part!r} is neither doc=NAME nor text=NAME")
        (texts if ours in TEXT_FIELDS else ids).append(theirs)
    if len(ids) > 1:
        raise TruegainError(f"the id of a document cannot be {' and '.join(ids)}; name one")
    return Fields(ids[0] if ids else None, tuple(texts) or None, None, errors)


def _told(problems: Mapping[str, int]) -> list[tuple[str, int]]:
    return [
        ("duplicate ids", problems["duplicates"]),
        ("documents without words", problems["empty"]),
        ("documents with bytes that are not UTF-8, replaced", problems["replaced"]),
    ]


def _words(path: str) -> list[str]:
    from truegain.io.files import read_bytes
    from truegain.io.plain_text import plain_text

    return plain_text(read_bytes(path), path).decode().split()


def _named(paths: list[str]) -> Ids:
    """The documents that judgments and runs name."""
    from truegain.data.judgments import read_judgments
    from truegain.data.runs import read_runs
    from truegain.errors import InputError
    from truegain.io.files import expand

    names: dict[str, None] = {}
    for path in expand(paths):
        try:
            columns = [read_judgments(path).docs]
        except InputError:
            columns = [part.docs for part in read_runs(path).parts]
        for docs in columns:
            names.update(dict.fromkeys(docs.strings()))
    return Ids.of(list(names))
