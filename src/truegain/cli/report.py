"""The command `truegain report`: everything on one page."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.options import (
    CorpusFolder,
    JudgedCorpus,
    JudgmentsOrAnswers,
    RunFiles,
    TeamsFile,
    advanced,
    with_options,
)
from truegain.cli.output import digests
from truegain.cli.questions import typed
from truegain.cli.rating_options import RatingOptions, rule_in_words
from truegain.cli.streams import in_words
from truegain.cli.study_options import Claims, StudyOptions, filter_for_study_file, tell_default_measure
from truegain.cli.verdict import answer_arguments
from truegain.config import StudyConfig
from truegain.data.judgments import Judgments
from truegain.data.teams import read_teams
from truegain.errors import TruegainError, heard, tell, without_secrets
from truegain.io.file_options import ASSESSOR, COLUMN, file_options
from truegain.io.files import STANDARD_INPUT, expand, shown_path, write_bytes
from truegain.io.formats import system_name
from truegain.io.overwrite import unchanging
from truegain.message import option
from truegain.results.cache import Cache
from truegain.study.inputs import pair_of, usual_measure

if TYPE_CHECKING:
    from truegain.report.facts import Facts, Made
    from truegain.report.gather import Filed
    from truegain.report.study_facts import Keeping
    from truegain.study.study import Study

KEPT_IN = ".truegain"
EACH = ("measure", "costs", "jobs")  # told with each result, or of no weight


@dataclass(frozen=True, kw_only=True)
class PageClaims(Claims):
    """The claims that the page is about."""

    pair: Annotated[
        list[str] | None, typer.Option("--pair", help="Two systems, a,b: is b better than a? Repeatable.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """What the page shows beside the study, and where it goes."""

    corpus: CorpusFolder = None
    judged_corpus: JudgedCorpus = None
    truth: Annotated[
        str | None,
        advanced("--truth", help="True scores, to check the verdicts of a simulation: a file of system,measure,value."),
    ] = None
    cache: Annotated[
        str | None,
        advanced("--cache", help="Folder of cached results (default: .truegain beside study.toml); none: no cache."),
    ] = None
    teams: TeamsFile = None
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = ""
    output: Annotated[str, typer.Option("-o", "--output", help="Page to write; - for stdout.")] = "report.html"

    def cache_folder(self, study: str | None) -> Path | None:
        """Where results are kept: in the folder named, or beside the study file; without one nowhere."""
        if self.cache is None:
            return None if study is None else Path(study).parent / KEPT_IN
        return None if self.cache == "none" else Path(self.cache)


@with_options(claims=PageClaims, page=PageOptions, options=StudyOptions, config=StudyConfig, reading=RatingOptions)
@unchanging()
def report_command(
    context: typer.Context,
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    *,
    claims: PageClaims,
    page: PageOptions,
    options: StudyOptions,
    config: StudyConfig,
    reading: RatingOptions,
) -> None:
    """Write a report on one page: verdict, data health, systems, pairs, judge, next steps and methods.

    A table of preferences (topic, a, b, winner) needs no runs.

    Examples:
        truegain report demo/study.toml -o report.html
        truegain report demo/gold.qrels demo/runs --pair system-1,system-8 -m nDCG@10 -m P@10 -o pair.html

    """
    from truegain.report.facts import Made, read_truth
    from truegain.report.page.page import page as html_page
    from truegain.report.sections.catalogue import sections_for
    from truegain.report.sections.truth import in_short
    from truegain.report.study_facts import as_made

    _check_output(page.output)
    options.check(config, reading)
    files, study_file = expand(runs), context.meta.get("study")
    truth = None if page.truth is None else read_truth(page.truth)
    teams = None if page.teams is None else read_teams(page.teams)
    read = [*options.inputs(judgments, files, config, None), *reading.files]
    inputs = digests(
        [
            *options.inputs(judgments, files, config, study_file),
            *reading.files,
            *filter(None, [page.truth, page.teams]),
        ]
    )
    key = _key(options, config, reading, {name: inputs[shown_path(name)] for name in read})
    cache_warnings: list[str] = []  # no matter of the page
    cache = Cache(page.cache_folder(study_file), tell=cache_warnings.append)
    cached = as_made if key is None else lambda what, make, kind: cache.of({**key, "what": what}, make, kind)

    def make_page() -> tuple[bytes, str]:
        """The page, and the line that says what it found."""
        with heard() as warnings:
            sources = _read(judgments, files, options, config, reading, cached)
        tell(warnings)
        study = sources.study
        if len(study.systems) < 2:
            raise TruegainError(f"a report compares systems, and there is 1 ({study.systems[0]}); give another run")
        true_scores = None if truth is None else truth.renamed(options.called)
        if true_scores is not None:
            true_scores.check(study.systems, study.measures)
        team_of = {} if teams is None else teams.renamed(options.called).among(study.systems).of
        baseline, candidate = claims.baseline, claims.candidate
        pairs = [both for text in claims.pair or () if (both := pair_of(study.systems, text, options.called))]
        if candidate is not None:
            pairs += options.claims(study.systems, None, baseline, candidate)
        extra = {name: getattr(page, name) for name in ("corpus", "judged_corpus", "truth", "teams")}
        made = Made(
            str(study.provenance["truegain"]),
            _command(sys.argv[1:]),
            {**options.provenance(study, reading), "pair": claims.pair, "baseline": baseline, "candidate": candidate}
            | extra,
            inputs,
            "JUDGMENTS" if judgments == STANDARD_INPUT else shown_path(judgments),
            {options.called(system_name(path)): shown_path(path) for path in files if path != STANDARD_INPUT},
            in_words,
            answer_arguments([judgments, *files], options) if sources.of_answers else "",
            tuple(typed(file_options())),
            rule_in_words(config.ratings),
        )
        questions = {
            "pairs": pairs,
            "baselines": [] if candidate else [options.called(name) for name in baseline or ()],
            "costs": options.costs,
            "messages": [in_words(warning) for warning in warnings],
        }
        facts = sources.facts(questions, made, page, cached)
        facts = replace(facts, truth=true_scores, teams=team_of)
        sections = sections_for(facts)
        line = f"{page.output}: {sections[0].data['headline']}" + (f" {in_short(facts)}" if true_scores else "")
        return html_page(facts, page.title, sections).encode(errors="backslashreplace"), line

    text, line = cache.whole(make_page)
    tell(cache_warnings)
    write_bytes(page.output, text)
    if page.output != STANDARD_INPUT:
        typer.echo(line)


@dataclass(frozen=True, eq=False)
class _Sources:
    """The study, and the runs and labels that it is made of; preferences have neither."""

    study: Study
    runs: Filed | None = None
    labels: Judgments | None = None
    of_answers: bool = False

    def facts(self, questions: dict[str, Any], made: Made, page: PageOptions, cached: Keeping) -> Facts:
        """Everything that the page says."""
        from truegain.preferences.study import PreferenceStudy
        from truegain.report.gather import gather
        from truegain.report.gather_preferences import gather_preferences

        if isinstance(self.study, PreferenceStudy):
            if page.corpus or page.judged_corpus:
                name = option("--corpus" if page.corpus else "--judged-corpus")
                raise TruegainError(f"{name} applies to texts of documents, not to preferences; leave it out")
            return gather_preferences(self.study, **questions, made=made, kept=cached)
        assert self.runs is not None
        assert self.labels is not None
        return gather(
            self.study, self.runs.table, self.labels, **questions, corpus=page.corpus,
            judged_corpus=page.judged_corpus, made=made, kept=cached,
        )  # fmt: skip


def _read(
    judgments: str,
    files: list[str],
    options: StudyOptions,
    config: StudyConfig,
    reading: RatingOptions,
    cached: Keeping,
) -> _Sources:
    """The study with what it is made of, read once."""
    from truegain.report.gather import Filed

    jobs = config.resampling.jobs
    if not files and (preferences := options.study_of_preferences(judgments, config, reading)) is not None:
        return _Sources(preferences)
    answers = options.answers([judgments, *files], config)
    if answers is not None:
        lists = Filed(answers.runs, jobs=jobs, kept=cached)
        return _Sources(options.study_of_answers(answers, lists), lists, answers.judgments, True)
    runs = Filed.of(files, options.name_by, jobs, cached, options.renamed if options.renames else None)
    rated = config.ratings.are_aggregated
    judged = reading.load(judgments, normalize=config.ratings.normalize) if rated else Judgments.of(judgments)
    study = options.study_of_tables(runs, judged, config, reading, filter_for_study_file())
    tell_default_measure(study, options.measure)
    return _Sources(study, runs, judged)


def _key(
    study: StudyOptions, config: StudyConfig, reading: RatingOptions, read: Mapping[str, str | None]
) -> dict[str, object] | None:
    """All that results are made of but a measure; None where something was read that has no digest.

    A study file that asks for more has the same results, and so is not in it; nor are the other measures, unless the
    gold labels or the sample of unjudged documents are taken in the light of them.
    """
    if not all(digest or name.startswith((COLUMN, ASSESSOR)) for name, digest in read.items()):
        return None
    options = {name: value for name, value in vars(study).items() if name not in EACH}
    measures = study.measure or [usual_measure(config)]
    header = file_options()
    return {
        "inputs": list(read.items()),
        "options": {**options, "config": repr(replace(config, min_effect=0.0))},
        "reading": vars(reading),
        "names": [str(header.judgments_header), str(header.runs_header), header.missing],
        "others": measures if config.sample else measures[:1] if config.gold else None,
    }


def _check_output(output: str) -> None:
    if output != STANDARD_INPUT and not output.lower().endswith((".html", ".htm", ".html.gz")):
        raise TruegainError(f"-o {output}: a report is a page; end its name in .html")


def _command(words: Sequence[str]) -> str:
    """The command as it may be shown: without secrets, and without whose machines worked at it.

    >>> _command(["report", "q.qrels", "a.run", "--run-on", "tcp://10.0.0.7:8786", "-m", "AP"])
    'truegain report q.qrels a.run -m AP'
    """
    engine = {i for i, word in enumerate(words) if word == "--run-on"}
    kept = [w for i, w in enumerate(words) if not {i, i - 1} & engine and not w.startswith("--run-on=")]
    return shlex.join(["truegain", *map(without_secrets, kept)])
