"""The command `truegain verdict`: does this difference hold, for whom, and what decides it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from truegain.cli.options import JudgmentsOrAnswers, RunFiles, with_options
from truegain.cli.output import TableOutput, digests, write_json
from truegain.cli.questions import typed
from truegain.cli.rating_options import RatingOptions, rule_in_words
from truegain.cli.streams import in_words, tell
from truegain.cli.study_files import StudyFile, is_typed, typed_claims
from truegain.cli.study_options import Claims, StudyOptions
from truegain.config import StudyConfig
from truegain.io.file_options import file_options
from truegain.io.files import STANDARD_INPUT, expand, shown_path, write_bytes
from truegain.io.formats import system_name
from truegain.io.nugget_files import is_nuggets
from truegain.message import option
from truegain.results.base import Table
from truegain.results.table import Cell
from truegain.study.inputs import StudyInputs, each_alone, joint_sentences

if TYPE_CHECKING:
    from truegain.study.documents import RankingDocument, VerdictsDocument
    from truegain.study.ranking import Ranking
    from truegain.study.study import Study
    from truegain.study.verdict import Verdict

Paragraphs = Callable[["Verdict"], tuple[str, ...]]  # what a verdict stands on, with commands in place of calls
BEST = "The two best, as if chosen in advance"


@dataclass(frozen=True, kw_only=True)
class VerdictClaims(Claims):
    """The claims to decide on."""

    pair: Annotated[
        str | None, typer.Option("--pair", help="Two systems, a,b: is b better than a? (default: the two best)")
    ] = None


@with_options(
    claims=VerdictClaims, options=StudyOptions, config=StudyConfig, reading=RatingOptions, printing=TableOutput
)
def verdict_command(
    context: typer.Context,
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    study_file: StudyFile = None,
    *,
    claims: VerdictClaims,
    options: StudyOptions,
    config: StudyConfig,
    reading: RatingOptions,
    printing: TableOutput,
) -> None:
    """Decide whether one system is better than another; with many runs, which may be best.

    The answer is better, not better or inconclusive, with the interval, what it covers and what would narrow it. A
    table of preferences (topic, a, b, winner) needs no runs.

    Examples:
        truegain verdict demo/gold.qrels demo/runs --pair system-1,system-8 -m nDCG@10
        truegain verdict demo/llm.qrels demo/runs --baseline system-1 --gold demo/gold_sample.qrels --design random

    """
    pair, baseline, candidate = typed_claims(context, claims.pair, claims.baseline, claims.candidate)
    files = expand(runs)
    study = options.study_of_inputs(judgments, files, config, reading)
    pairs = options.claims(study.systems, pair, baseline, candidate)
    for m in study.measures:
        study.variance_model(m)  # what is refused, is refused before anything is drawn
    rankings = [] if pairs else [study.best(m) for m in study.measures]
    compared = [(*both, m) for both in pairs for m in study.measures] or [
        (r.systems[1], r.systems[0], m) for r, m in zip(rankings, study.measures, strict=True)
    ]
    if rankings and study.min_effect and is_typed(context, "min_effect"):
        tell(
            f"{option('--min-effect')} is about two systems: the ranking does not use it, only the answer about the "
            f"two best does; give {option('--pair')}, or {option('--baseline')}",
            "note",
        )
    verdicts = [study.verdict(a, b, m, options.costs) for a, b, m in compared]
    together = [] if rankings else joint_sentences(study, verdicts)
    rule = rule_in_words(config.ratings, reading)
    about = partial(about_in_commands, judgments=judgments, runs=files, study=study, rule=rule, options=options)
    if printing.format == "json":
        provenance = {**options.provenance(study, reading), "pair": pair, "baseline": baseline, "candidate": candidate}
        inputs = digests(options.inputs(judgments, files, config, study_file or context.meta.get("study")))
        write_json(_json({**provenance, "inputs": inputs}, rankings, verdicts, together), printing.output)
    else:
        _write(rankings, verdicts, together, about, printing)


def _json(
    provenance: dict[str, Any], rankings: Sequence[Ranking], verdicts: Sequence[Verdict], together: Sequence[str]
) -> VerdictsDocument:
    from truegain.study.ranking import PICKED

    ranked: _WithRankings = {"rankings": [r.document() for r in rankings], "about_the_pair": PICKED} if rankings else {}
    jointly: _WithJointClaims = {"together": list(together)} if together else {}
    return {"provenance": provenance, **ranked, **jointly, "verdicts": [v.document() for v in verdicts]}


class _WithRankings(TypedDict, total=False):
    """What is printed where no pair was named."""

    rankings: list[RankingDocument]
    about_the_pair: str


class _WithJointClaims(TypedDict, total=False):
    """What is printed of many candidates."""

    together: list[str]


def _write(
    rankings: Sequence[Ranking],
    verdicts: Sequence[Verdict],
    together: Sequence[str],
    about: Paragraphs,
    printing: TableOutput,
) -> None:
    from truegain.study.ranking import PICKED

    if printing.format == "table":
        tops = [f"{r}\n\n{BEST}: " for r in rankings] or ["" for _ in verdicts]
        told = {str(note) for r in rankings for note in r.notes}  # above the verdict on the two best
        shown = [replace(v, notes=tuple(n for n in v.notes if str(n) not in told)) for v in verdicts]
        bodies = [v.text(about(v), under=PICKED if rankings else "") for v in shown]
        text = "\n\n".join(f"{top}{body}" for top, body in zip(tops, bodies, strict=True))
        if not rankings and (note := each_alone(verdicts)):
            text = "\n".join([*(v.sentence for v in verdicts), note, *together, "", text])
        write_bytes(printing.output, text.encode(errors="backslashreplace"))
    else:
        words = printing.format in ("latex", "markdown", "html")
        printing.write(_ranks(rankings, verdicts) if rankings else _sources(verdicts, together, words, about))


def _ranks(rankings: Sequence[Ranking], verdicts: Sequence[Verdict]) -> Table:
    from truegain.study.ranking import PICKED, TIERS

    noted = any(r.why_open for r in rankings)  # a file of rows has no place for notes beside them
    rows: list[tuple[Cell, ...]] = [
        (r.measure, *row, *((r.why_open.get(row[0], ""),) if noted else ())) for r in rankings for row in r.rows()
    ]
    ranking_notes = dict.fromkeys(note for r in rankings for note in r.notes)
    notes = (TIERS, *ranking_notes, *(f"{BEST}: {v.sentence} {PICKED}" for v in verdicts))
    columns = ("measure", "system", "value", "rank_low", "rank_high", "tier", *(("note",) if noted else ()))
    return Table(columns, rows, {}, " ".join(r.sentence for r in rankings), notes)


def _sources(verdicts: Sequence[Verdict], together: Sequence[str], words: bool, about: Paragraphs) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for v in verdicts:
        c = v.comparison
        rows += [(c.measure, c.a, c.b, *row) if words else row for row in v.table(words).rows]
    columns = (*(("measure", "a", "b") if words else ()), *verdicts[0].table(words).columns)
    notes = [
        line.strip() if len(verdicts) == 1 else f"{_about(v, verdicts)}: {line.strip()}"
        for v in verdicts
        for note in about(v)
        for line in note.splitlines()
    ]
    notes += filter(None, [each_alone(verdicts), *together])
    heads = tuple(name.replace(" ", "_") for name in columns)
    return Table(heads, rows, {}, " ".join(v.sentence for v in verdicts), tuple(notes))


def _about(verdict: Verdict, verdicts: Sequence[Verdict]) -> str:
    """The measure, and where there are several pairs, which."""
    c = verdict.comparison
    several = len({(v.comparison.a, v.comparison.b) for v in verdicts}) > 1
    return f"{c.b} and {c.a}, {c.measure}" if several else c.measure


def about_in_commands(
    verdict: Verdict,
    judgments: str,
    runs: Sequence[str],
    study: Study,
    rule: str = "",
    options: StudyInputs | None = None,
) -> tuple[str, ...]:
    """What a verdict stands on, with the commands that draw gold labels and unjudged documents.

    rule: the options by which it makes labels of ratings; options: which score of answers is meant, and in which
    clusters.
    """
    check = draw = ""
    if verdict.how_to_check:
        from truegain.measures.items import labeled_as

        unit = labeled_as(study.measures[0], study.ranked, "document")
        command = checking(verdict, judgments, runs, rule, options)
        check = (
            f"have a person check {verdict.labels_by}: {command} draws the {unit}s to label; fill in labels from the "
            "top, then add --gold LIST.csv."
        )
    if verdict.unjudged_to_draw is not None:
        of = f"-m {shlex.quote(verdict.comparison.measure)} --show sample --most {verdict.unjudged_to_draw}"
        labels, first = judgments, ""
        if rule:
            labels, files = "labels.csv", shlex.join([shown_path(judgments), *typed(file_options())])
            first = f"first `truegain aggregate {files}{rule} -o {labels}`; then "
        draw = (
            f"{first}`truegain unjudged {files_of(verdict, labels, runs)} {of} -o FILE.csv` draws them from these two "
            "runs; fill in the labels, then add --unjudged-sample FILE.csv."
        )
    return tuple(map(in_words, verdict.about_with(check, draw)))


def checking(
    verdict: Verdict, judgments: str, runs: Sequence[str], rule: str = "", options: StudyInputs | None = None
) -> str:
    """The command that draws gold labels to check a judge, of ratings those of the documents that they are of.

    rule: the options by which it makes labels of ratings; options: which score of answers is meant.
    """
    if verdict.of_answers:
        pair = shlex.quote(f"{verdict.comparison.a},{verdict.comparison.b}")
        files = answer_arguments([judgments, *runs], options or StudyInputs())
        return f"`truegain plan labels {files} --pair {pair} -o LIST.csv`"
    draw = "" if verdict.to_check == "ordered" else f" --draw {verdict.to_check}"
    measure = shlex.quote(verdict.comparison.measure)
    return f"`truegain plan labels {files_of(verdict, judgments, runs)} -m {measure}{rule}{draw} -o LIST.csv`"


def answer_arguments(files: Sequence[str], options: StudyInputs) -> str:
    """Files of answers for a command, with the options that say which of their values are meant.

    >>> answer_arguments(["old.eval", "new.eval"], StudyInputs(score="qa", cluster="metadata.topic"))
    'old.eval new.eval --score qa --cluster metadata.topic'
    """
    words = ["FILE" if file == STANDARD_INPUT else shown_path(file) for file in files]
    words += ["--score", options.score] if options.score else []
    words += ["--less-is-better"] if options.less_is_better else []
    words += ["--cluster", options.cluster] if options.cluster else []
    words += typed(file_options()) if file_options().board else []
    return shlex.join(words)


def files_of(verdict: Verdict, judgments: str, runs: Sequence[str]) -> str:
    """The judgments and the two runs of a verdict for a command; placeholders for what was not read from files."""
    path_of = {system_name(path): path for path in runs}
    both = [path_of.get(name, "RUN") for name in (verdict.comparison.a, verdict.comparison.b)]
    if is_nuggets(judgments):  # files of all systems
        both = list(runs)
    files = ["JUDGMENTS" if judgments == STANDARD_INPUT else shown_path(judgments), *map(shown_path, both)]
    return shlex.join([*files, *typed(file_options())])
