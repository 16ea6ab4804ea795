"""The command `truegain report`: everything on one page."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from truegain.cache import Cache
from truegain.cli.bundles import takes
from truegain.cli.options import CorpusFolder, JudgedCorpus, RunFiles
from truegain.cli.output import digests
from truegain.cli.ratings import Reading
from truegain.cli.streams import in_words
from truegain.cli.study_file import JudgmentsOrStudy
from truegain.cli.study_options import StudyOptions, pair_of
from truegain.errors import DataWarning, TruegainError
from truegain.tables.judgments import Judgments
from truegain.tables.notice import warn
from truegain.tables.runs import read_runs
from truegain.tables.sources import STANDARD_INPUT, expand, shown_path, write_bytes

KEPT_IN = ".truegain"
EACH = ("measures", "measure", "costs", "inputs")  # told with each result


@takes(asked=StudyOptions, reading=Reading)
def report_command(
    context: typer.Context,
    judgments: JudgmentsOrStudy,
    runs: RunFiles,
    pair: Annotated[
        list[str] | None,
        typer.Option("--pair", help="Two systems, a,b: is b better than a? May be given several times."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option("--baseline", help="A system: is any other better than it? May be given several times."),
    ] = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", help="The one system that may be better than the baselines.")
    ] = None,
    corpus: CorpusFolder = None,
    judged_corpus: JudgedCorpus = None,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth", help="True scores where they are known (system,measure,value): which verdicts are right?"
        ),
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(
            "--cache", help="A folder that keeps what was made (default .truegain beside study.toml); or none."
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="What stands at the top of the page.")] = "",
    output: Annotated[str, typer.Option("-o", "--output", help="The page to write; - is stdout.")] = "report.html",
    *,
    asked: StudyOptions,
    reading: Reading,
) -> None:
    """Write one page with everything: verdict, data health, systems, pairs, judge, what to do next, methods."""
    from truegain.report.facts.facts import Made
    from truegain.report.facts.gather import gather
    from truegain.report.facts.truth import read_truth
    from truegain.report.page.page import page
    from truegain.report.sections.truth import in_short

    _check_output(output)
    asked.check(reading)
    true = None if truth is None else read_truth(truth)
    files = expand(runs)
    with _heard() as told:
        judged = reading.load(judgments, normalise=asked.normalise) if asked.rated else Judgments.of(judgments)
        table = asked.renamed(read_runs(files, name_by=asked.name_by))
        study = asked.study_of(table, judged, reading)
    if len(study.systems) < 2:
        raise TruegainError(f"a report compares systems, and there is 1 ({study.systems[0]}); give another run")
    if true is not None:
        true = replace(true, values={(m, asked.called(s)): x for (m, s), x in true.values.items()})
        true.check(study.systems, study.measures)
    pairs = [both for text in pair or () if (both := pair_of(study, text, asked.called)) is not None]
    if candidate is not None:
        pairs += asked.claims(study, None, baseline, candidate)
    options = {**asked.made_by(study, reading), "pair": pair, "baseline": baseline, "candidate": candidate,
               "corpus": corpus, "judged_corpus": judged_corpus, "truth": truth}  # fmt: skip
    inputs = digests([*asked.inputs(judgments, files, context.meta.get("study")), *filter(None, [truth])])
    made = Made(str(study.made_by["truegain"]), shlex.join(["truegain", *sys.argv[1:]]), options, inputs)
    folder = _folder(cache, context.meta.get("study"))
    own = map(shown_path, asked.inputs(judgments, files, None))
    read = [(name, inputs[name]) for name in own]  # a study file that asks for more has the same answers
    said = {n: v for n, v in asked.made_by(study, reading).items() if n not in EACH}
    key = {"inputs": read, "options": said}
    keep = Cache(folder)
    baselines = [] if candidate else [asked.called(name) for name in baseline or ()]
    facts = gather(
        study, table, judged, pairs=pairs, baselines=baselines, costs=asked.costs,
        gold_level=asked.gold_level, corpus=corpus, judged_corpus=judged_corpus, told=told, made=made,
        kept=lambda what, make: keep.of({**key, "what": what}, make),
    )  # fmt: skip
    facts = replace(facts, truth=true)
    write_bytes(output, page(facts, title).encode(errors="backslashreplace"))
    if true is not None and output != STANDARD_INPUT:
        typer.echo(f"{output}: {in_short(facts)}")


def _folder(cache: str | None, study: str | None) -> Path | None:
    """Where results are kept: as told, or beside the study file; without one nowhere."""
    if cache is None:
        return None if study is None else Path(study).parent / KEPT_IN
    return None if cache == "none" else Path(cache)


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What is warned of meanwhile: told as ever, and kept for the page."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            yield told
        finally:
            told += [in_words(str(w.message)) for w in caught if issubclass(w.category, DataWarning)]
    for message in told:
        warn(message)


def _check_output(output: str) -> None:
    if output != STANDARD_INPUT and not output.lower().endswith((".html", ".htm", ".html.gz")):
        raise TruegainError(f"-o {output}: a report is a page; end its name in .html")
