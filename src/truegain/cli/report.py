"""The command `truegain report`: everything on one page."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from truegain.addresses import without_secrets
from truegain.cli.label_options import Reading
from truegain.cli.options import CorpusFolder, JudgedCorpus, RunFiles, advanced, takes
from truegain.cli.options import Judgments as Judged
from truegain.cli.output import digests
from truegain.cli.streams import in_words
from truegain.cli.study_options import StudyOptions
from truegain.config import StudyConfig
from truegain.data.judgments import Judgments
from truegain.errors import TruegainError
from truegain.io.column_names import ASSESSOR, COLUMN
from truegain.io.column_names import told as told_of_files
from truegain.io.files import STANDARD_INPUT, expand, shown_path, write_bytes
from truegain.io.formats import system_name
from truegain.io.overwrite import unchanging
from truegain.io.warnings import heard, tell
from truegain.results.cache import Cache
from truegain.study.inputs import pair_of, usual_measure

KEPT_IN = ".truegain"
EACH = ("measure", "costs", "jobs")  # told with each result, or of no weight


@takes(asked=StudyOptions, config=StudyConfig, reading=Reading)
@unchanging()
def report_command(
    context: typer.Context,
    judgments: Judged,
    runs: RunFiles,
    pair: Annotated[
        list[str] | None,
        typer.Option("--pair", help="Two systems, a,b: is b better than a? Repeatable."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option("--baseline", help="System to compare against. Repeatable."),
    ] = None,
    candidate: Annotated[
        str | None,
        typer.Option("--candidate", help="System that may be better than the baselines (default: every other one)."),
    ] = None,
    corpus: CorpusFolder = None,
    judged_corpus: JudgedCorpus = None,
    truth: Annotated[
        str | None,
        advanced("--truth", help="True scores, to check the verdicts of a simulation: a file of system,measure,value."),
    ] = None,
    cache: Annotated[
        str | None,
        advanced("--cache", help="Folder of cached results (default: .truegain beside study.toml); none: no cache."),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = "",
    output: Annotated[str, typer.Option("-o", "--output", help="Page to write; - for stdout.")] = "report.html",
    *,
    asked: StudyOptions,
    config: StudyConfig,
    reading: Reading,
) -> None:
    """Write a report on one page: verdict, data health, systems, pairs, judge, next steps and methods.

    Examples:
        truegain report demo/study.toml -o report.html
        truegain report demo/gold.qrels demo/runs --pair system-1,system-8 -m nDCG@10 -m P@10 -o pair.html

    """
    from truegain.report.facts import Made, read_truth
    from truegain.report.gather import Filed, as_made, gather
    from truegain.report.page.page import page
    from truegain.report.sections.catalogue import sections_for
    from truegain.report.sections.truth import in_short

    _check_output(output)
    asked.check(config, reading)
    files, said = expand(runs), context.meta.get("study")
    true = None if truth is None else read_truth(truth)
    read = [*asked.inputs(judgments, files, config, None), *reading.files]
    inputs = digests([*asked.inputs(judgments, files, config, said), *reading.files, *filter(None, [truth])])
    key = _key(asked, config, reading, {name: inputs[shown_path(name)] for name in read})
    noticed: list[str] = []  # of what is kept: no matter of the page
    keep = Cache(_folder(cache, said), tell=noticed.append)
    kept = as_made if key is None else lambda what, make, kind: keep.of({**key, "what": what}, make, kind)

    def everything() -> tuple[bytes, str]:
        """The page, and the line that tells of it."""
        given = Filed.of(files, asked.name_by, config.resampling.jobs, kept, asked.renamed if asked.renames else None)
        with heard() as told:
            judged = (
                reading.load(judgments, normalize=config.ratings.normalize)
                if config.ratings.are_aggregated
                else Judgments.of(judgments)
            )
            study = asked.study_of(given, judged, config, reading)
        tell(told)
        if len(study.systems) < 2:
            raise TruegainError(f"a report compares systems, and there is 1 ({study.systems[0]}); give another run")
        known = true
        if true is not None:
            known = replace(true, values={(m, asked.called(s)): x for (m, s), x in true.values.items()})
            known.check(study.systems, study.measures)
        pairs = [both for text in pair or () if (both := pair_of(study.systems, text, asked.called)) is not None]
        if candidate is not None:
            pairs += asked.claims(study.systems, None, baseline, candidate)
        options = {**asked.provenance(study, reading), "pair": pair, "baseline": baseline, "candidate": candidate,
                   "corpus": corpus, "judged_corpus": judged_corpus, "truth": truth}  # fmt: skip
        made = Made(
            str(study.provenance["truegain"]), _command(sys.argv[1:]), options, inputs,
            "JUDGMENTS" if judgments == STANDARD_INPUT else shown_path(judgments),
            {asked.called(system_name(path)): shown_path(path) for path in files if path != STANDARD_INPUT},
            in_words,
        )  # fmt: skip
        baselines = [] if candidate else [asked.called(name) for name in baseline or ()]
        facts = gather(
            study,
            given.table,
            judged,
            pairs=pairs,
            baselines=baselines,
            costs=asked.costs,
            gold_relevant_from=None if config.gold is None else config.gold.relevant_from,
            corpus=corpus,
            judged_corpus=judged_corpus,
            told=[in_words(x) for x in told],
            made=made,
            kept=kept,
        )
        facts = replace(facts, truth=known)
        sections = sections_for(facts)
        line = " ".join([f"{output}:", str(sections[0].data["headline"]), *([in_short(facts)] if known else [])])
        return page(facts, title, sections).encode(errors="backslashreplace"), line

    text, line = keep.whole(everything)
    tell(noticed)
    write_bytes(output, text)
    if output != STANDARD_INPUT:
        typer.echo(line)


def _key(
    asked: StudyOptions, config: StudyConfig, reading: Reading, read: Mapping[str, str | None]
) -> dict[str, object] | None:
    """All that results are made of but a measure; None where something was read that has no digest.

    A study file that asks for more has the same results, and so is not in it; nor are the other measures, unless the
    gold labels or the sample of holes are taken in the light of them.
    """
    if not all(digest or name.startswith((COLUMN, ASSESSOR)) for name, digest in read.items()):
        return None
    told = {name: value for name, value in vars(asked).items() if name not in EACH}
    options = {**told, "config": repr(replace(config, min_effect=0.0))}
    measures = asked.measure or [usual_measure(config)]
    others = measures if config.sample else measures[:1] if config.gold else None
    header = told_of_files()
    names = [str(header.judged), str(header.ran), header.missing]
    return {"inputs": list(read.items()), "options": options, "reading": vars(reading), "names": names,
            "others": others}  # fmt: skip


def _folder(cache: str | None, study: str | None) -> Path | None:
    """Where results are kept: as told, or beside the study file; without one nowhere."""
    if cache is None:
        return None if study is None else Path(study).parent / KEPT_IN
    return None if cache == "none" else Path(cache)


def _check_output(output: str) -> None:
    if output != STANDARD_INPUT and not output.lower().endswith((".html", ".htm", ".html.gz")):
        raise TruegainError(f"-o {output}: a report is a page; end its name in .html")


def _command(words: Sequence[str]) -> str:
    """The command as it may be shown: without secrets, and without whose machines worked at it.

    >>> _command(["report", "q.qrels", "a.run", "--cluster", "tcp://10.0.0.7:8786", "-m", "AP"])
    'truegain report q.qrels a.run -m AP'
    """
    engine = {i for i, word in enumerate(words) if word == "--cluster"}
    kept = [w for i, w in enumerate(words) if not {i, i - 1} & engine and not w.startswith("--cluster=")]
    return shlex.join(["truegain", *map(without_secrets, kept)])
