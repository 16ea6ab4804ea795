"""The commands `truegain text`: term statistics of a collection, once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.options import Jobs, advanced, with_options
from truegain.cli.output import TableOutput
from truegain.cli.streams import Progress
from truegain.errors import TruegainError, counted
from truegain.io.columns import Ids
from truegain.io.memory import memory_of
from truegain.results.base import Table

if TYPE_CHECKING:
    from truegain.text.pieces import Fields

text = typer.Typer(no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})


@text.callback()
def text_root() -> None:
    """Index the terms of a collection, for measures that use text, and rank its documents.

    Examples:
        truegain text index demo/docs.jsonl -o corpus
        truegain text show corpus

    """


@dataclass(frozen=True, kw_only=True)
class FieldOptions:
    """Which fields of a document are read."""

    id_field: Annotated[str | None, typer.Option("--id-field", help="Field of the document's id.")] = None
    text_field: Annotated[list[str] | None, typer.Option("--text-field", help="Field of text. Repeatable.")] = None
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Names of your columns: doc=url,text=body. Without a header line, list all columns in order: "
            "id,url,body.",
        ),
    ] = None
    errors: Annotated[
        Literal["refuse", "replace"],
        advanced("--errors", help="Text that is not UTF-8: refuse it, or replace and count it."),
    ] = "refuse"

    def fields(self) -> Fields:
        """The fields, as --id-field and --text-field say, or --columns as for judgments and runs."""
        from truegain.io.columns import our_name
        from truegain.text.pieces import ID_FIELDS, TEXT_FIELDS, Fields

        parts = [name.strip() for name in self.columns.split(",")] if self.columns else []
        ids, texts = [self.id_field] if self.id_field else [], [*(self.text_field or ())]
        if not any("=" in part for part in parts):
            return Fields(self.id_field, tuple(texts) or None, tuple(parts) or None, self.errors)
        for part in parts:
            ours, _, theirs = (x.strip() for x in part.partition("="))
            if not theirs or not (our_name(ours) == "doc" or ours in (*ID_FIELDS, *TEXT_FIELDS)):
                raise TruegainError(
                    f"--columns {self.columns}: {part!r} is neither doc=NAME nor text=NAME; write doc=url,text=body"
                )
            (texts if ours in TEXT_FIELDS else ids).append(theirs)
        if len(ids) > 1:
            raise TruegainError(f"the id of a document cannot be {' and '.join(ids)}; name one")
        return Fields(ids[0] if ids else None, tuple(texts) or None, None, self.errors)


@text.command("index")
@with_options(fields=FieldOptions)
def index_command(
    documents: Annotated[
        list[str],
        typer.Argument(
            help="Documents: JSONL, CSV, TSV, Parquet, TREC SGML, a folder of text files, or irds:NAME; files, globs "
            "or URLs, such as s3://bucket/*.jsonl.gz.",
            metavar="DOCUMENTS...",
        ),
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="Folder to create.")],
    kind: Annotated[
        Literal["jsonl", "csv", "tsv", "parquet", "trec", "folder", "irds"] | None,
        advanced("--kind", help="Format of the documents (default: by the ending of their names)."),
    ] = None,
    stop: Annotated[
        str | None, typer.Option("--stop", help="Stop words: lucene, or a file with one word per line.")
    ] = None,
    cjk: Annotated[
        Literal["bigrams", "words"],
        advanced("--cjk", help="Chinese, Japanese and Korean: bigrams of characters, or words separated by spaces."),
    ] = "bigrams",
    stemmer: Annotated[str | None, typer.Option("--stemmer", help="Snowball stemmer, such as english.")] = None,
    only: Annotated[
        list[str] | None,
        advanced("--for", help="Judgments or runs: keep term counts of their documents only. Repeatable."),
    ] = None,
    memory: Annotated[str, advanced("--memory", help="Memory limit, such as 2GB; at least 64MB.")] = "1GB",
    jobs: Jobs = None,
    *,
    fields: FieldOptions,
) -> None:
    """Count the terms of documents, in bounded memory. After an interruption, run it again to continue.

    Examples:
        truegain text index demo/docs.jsonl -o corpus
        truegain text index demo/docs.jsonl --stop lucene --stemmer english --for demo/gold.qrels -o small

    """
    from truegain.io.files import read_bytes
    from truegain.io.plain_text import plain_text
    from truegain.text.corpus import Named
    from truegain.text.counting import Settings
    from truegain.text.documents import named_inputs
    from truegain.text.indexing import index
    from truegain.text.words import STOP_LISTS, Cutting

    words = stop if stop is None or stop in STOP_LISTS else plain_text(read_bytes(stop), stop).decode().split()
    settings = Settings.within(
        memory_of(memory) or 0,
        cutting=Cutting.of(words, stemmer, cjk),
        fields=fields.fields(),
        kind=kind,
        only=Named.of(_documents_in(only))[0] if only else None,
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
        + "".join(f"; {n:,} {what}" for what, n in _problem_counts(corpus.problems) if n)
    )


@text.command("show")
@with_options(printing=TableOutput)
def show_command(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="Folder that `text index` created.")],
    listed: Annotated[
        Literal["duplicates", "empty"] | None, typer.Option("--list", help="List these documents.")
    ] = None,
    lacks: Annotated[
        list[str] | None,
        typer.Option("--lacks", help="Judgments or runs: list their documents that the corpus lacks. Repeatable."),
    ] = None,
    *,
    printing: TableOutput,
) -> None:
    """Show what an index holds: documents, words, terms and problems.

    Examples:
        truegain text show corpus
        truegain text show corpus --lacks demo/gold.qrels

    """
    from truegain.text.corpus import Corpus

    opened = Corpus.open(corpus)
    if listed is not None:
        printing.write(Table(("document",), [(doc,) for doc in opened.listed(listed)]))
        return
    if lacks:
        names = _documents_in(lacks)
        missing = [(names[i],) for i, place in enumerate(opened.find(names).tolist()) if place < 0]
        printing.write(Table(("document",), missing))
        return
    cut = opened.cutting
    rows: list[tuple[str, int | str]] = [
        ("documents", opened.documents),
        ("documents with term counts", len(opened.docs)),
        ("words", opened.tokens),
        ("terms", len(opened.terms)),
        *_problem_counts(opened.problems),
        ("stop words", len(cut.stop)),
        ("stemmer", cut.stemmer or "none"),
        ("Chinese, Japanese, Korean", cut.cjk),
        ("Unicode", cut.unicode),
    ]
    printing.write(Table(("what", "value"), [(name, str(value)) for name, value in rows]))


@text.command("rank")
def rank_command(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="Folder that `text index` created.")],
    queries: Annotated[
        str, typer.Argument(metavar="QUERIES", help="Queries: lines of topic, tab, text; a table; JSON; or irds:NAME.")
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="Folder for the runs.")],
    ranker: Annotated[
        list[str] | None, typer.Option("--ranker", help="Ranker. Repeatable (default: all nine).")
    ] = None,
    length: Annotated[int, typer.Option("--length", min=1, help="Length of each ranking.")] = 1000,
) -> None:
    """Rank documents with simple rankers (BM25, language models, tf-idf), for experiments without runs.

    Examples:
        truegain text rank corpus demo/queries.tsv -o ranked
        truegain text rank corpus demo/queries.tsv --ranker bm25-k0.9-b0.4 --length 100 -o bm25

    """
    from truegain.data.queries import read_queries
    from truegain.data.writing import write_runs
    from truegain.experiments.ranker import RANKERS, rank

    runs = rank(corpus, read_queries(queries), rankers=ranker or tuple(RANKERS), length=length)
    Path(output).mkdir(parents=True, exist_ok=True)
    write_runs(runs, output)
    typer.echo(f"{counted(len(runs.systems), 'run')} in {output}")


def _problem_counts(problems: Mapping[str, int]) -> list[tuple[str, int]]:
    return [
        ("duplicate ids", problems["duplicates"]),
        ("documents without words", problems["empty"]),
        ("documents with bytes that are not UTF-8, replaced", problems["replaced"]),
    ]


def _documents_in(paths: list[str]) -> Ids:
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
