"""The command `truegain verdict`: does this difference hold, for whom, and what decides it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.label_options import Reading
from truegain.cli.options import Judgments, Output, OutputFormat, RunFiles, takes
from truegain.cli.output import digests, table_format_of, write_json, write_table
from truegain.cli.streams import in_words
from truegain.cli.study_files import StudyFile, claims_said
from truegain.cli.study_options import PairOption, StudyOptions
from truegain.config import StudyConfig
from truegain.io.column_names import told as told_of_files
from truegain.io.files import STANDARD_INPUT, expand, shown_path, write_bytes
from truegain.io.formats import system_name
from truegain.results.base import Table
from truegain.results.catalogue import Format
from truegain.results.table import Cell

if TYPE_CHECKING:
    from truegain.study.estimates import Ranking
    from truegain.study.study import Study
    from truegain.study.verdict import Verdict

ORDER = ("better", "not worse", "worse", "not better", "inconclusive", "unchecked")  # in which outcomes are listed
About = Callable[["Verdict"], tuple[str, ...]]  # what a verdict stands on, with commands in place of calls
BEST = "The two best, as if chosen in advance"
ALONE = "Each of these {n} has its own confidence level, as if it were the only claim."


@takes(asked=StudyOptions, config=StudyConfig, reading=Reading)
def verdict_command(
    context: typer.Context,
    judgments: Judgments,
    runs: RunFiles,
    pair: PairOption = None,
    baseline: Annotated[
        list[str] | None, typer.Option("--baseline", help="System to compare against. Repeatable.")
    ] = None,
    candidate: Annotated[
        str | None,
        typer.Option("--candidate", help="System that may be better than the baselines (default: every other one)."),
    ] = None,
    study: StudyFile = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    asked: StudyOptions,
    config: StudyConfig,
    reading: Reading,
) -> None:
    """Decide whether one system is better than another; with many runs, which may be best.

    The answer is better, not better or inconclusive, with the interval, what it covers and what would narrow it.

    Examples:
        truegain verdict demo/gold.qrels demo/runs --pair system-1,system-8 -m nDCG@10
        truegain verdict demo/llm.qrels demo/runs --baseline system-1 --gold demo/gold_sample.qrels --design random

    """
    pair, baseline, candidate = claims_said(context, pair, baseline, candidate)
    files = expand(runs)
    made = asked.study(judgments, files, config, reading)
    chosen = asked.claims(made.systems, pair, baseline, candidate)
    for m in made.measures:
        made.variance_model(m)  # what is refused, is refused before anything is drawn
    rankings = [] if chosen else [made.best(m) for m in made.measures]
    wanted = [(*both, m) for both in chosen for m in made.measures] or [
        (r.systems[1], r.systems[0], m) for r, m in zip(rankings, made.measures, strict=True)
    ]
    verdicts = [made.verdict(a, b, m, asked.costs) for a, b, m in wanted]
    together = [] if rankings else _together(made, verdicts)
    provenance = {**asked.provenance(made, reading), "pair": pair, "baseline": baseline, "candidate": candidate}
    inputs = asked.inputs(judgments, files, config, study or context.meta.get("study"))
    about = partial(about_in_commands, judgments=judgments, runs=files)
    _write(rankings, verdicts, together, provenance, inputs, table_format_of(output_format, output), output, about)


def _write(
    rankings: Sequence[Ranking],
    verdicts: Sequence[Verdict],
    together: Sequence[str],
    provenance: dict[str, Any],
    inputs: list[str],
    chosen: Format,
    output: str,
    about: About,
) -> None:
    from truegain.study.estimates import PICKED

    if chosen == "json":
        whole: dict[str, object] = {"provenance": {**provenance, "inputs": digests(inputs)}}
        if rankings:
            whole["rankings"] = [_once(r.to_dict()) for r in rankings]
            whole["about_the_pair"] = PICKED
        if together:
            whole["together"] = list(together)
        write_json({**whole, "verdicts": [_once(v.to_dict()) for v in verdicts]}, output)
    elif chosen == "table":
        tops = [f"{r}\n\n{BEST}: " for r in rankings] or ["" for _ in verdicts]
        bodies = [v.text(about(v), under=PICKED if rankings else "") for v in verdicts]
        text = "\n\n".join(f"{top}{body}" for top, body in zip(tops, bodies, strict=True))
        if alone := _alone(rankings, verdicts):
            text = "\n".join([*(v.sentence for v in verdicts), alone, *together, "", text])
        write_bytes(output, text.encode(errors="backslashreplace"))
    else:
        words = chosen in ("latex", "markdown", "html")
        write_table(
            _ranks(rankings, verdicts) if rankings else _sources(verdicts, together, words, about), chosen, output
        )


def _alone(rankings: Sequence[Ranking], verdicts: Sequence[Verdict]) -> str:
    """What is to be said of many candidates at once; nothing of one."""
    candidates = {v.comparison.b for v in verdicts}
    return ALONE.format(n=f"{len(verdicts)} verdicts") if len(candidates) > 1 and not rankings else ""


def _ranks(rankings: Sequence[Ranking], verdicts: Sequence[Verdict]) -> Table:
    from truegain.study.estimates import PICKED, TIERS

    noted = any(r.why_open for r in rankings)  # a file of rows has no place for notes beside them
    rows: list[tuple[Cell, ...]] = [
        (r.measure, *row, *((r.why_open.get(row[0], ""),) if noted else ())) for r in rankings for row in r.rows()
    ]
    said = [note for r in rankings for note in r.notes]
    notes = (TIERS, *dict.fromkeys(said), *(f"{BEST}: {v.sentence} {PICKED}" for v in verdicts))
    columns = ("measure", "system", "value", "rank_low", "rank_high", "tier", *(("note",) if noted else ()))
    return Table(columns, rows, {}, " ".join(r.sentence for r in rankings), notes)


def _together(study: Study, verdicts: Sequence[Verdict]) -> list[str]:
    """What can be said of many candidates at once, a line a measure; nothing of one."""
    lines = []
    for measure in dict.fromkeys(v.comparison.measure for v in verdicts):
        mine = [v for v in verdicts if v.comparison.measure == measure]
        if len({v.comparison.b for v in mine}) < 2:
            continue
        found: dict[str, list[str]] = {}
        several = len({v.comparison.a for v in mine}) > 1
        for v, outcome in zip(mine, study.together(mine), strict=True):
            c = v.comparison
            found.setdefault(outcome, []).append(f"{c.b} than {c.a}" if several else c.b)
        order = sorted(found, key=ORDER.index)
        said = "; ".join(f"{outcome}: {', '.join(found[outcome])}" for outcome in order)
        lines.append(
            f"All {len(mine)} jointly, on {measure} (simultaneous {100 * study.confidence:g}% confidence): {said}."
        )
    return lines


def _sources(verdicts: Sequence[Verdict], together: Sequence[str], words: bool, about: About) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for v in verdicts:
        c = v.comparison
        rows += [(c.measure, c.a, c.b, *row) if words else row for row in v.table(words).rows]
    columns = (*(("measure", "a", "b") if words else ()), *verdicts[0].table(words).columns)
    said = [
        line.strip() if len(verdicts) == 1 else f"{_about(v, verdicts)}: {line.strip()}"
        for v in verdicts
        for note in about(v)
        for line in note.splitlines()
    ]
    said += filter(None, [_alone((), verdicts), *together])
    heads = tuple(name.replace(" ", "_") for name in columns)
    return Table(heads, rows, {}, " ".join(v.sentence for v in verdicts), tuple(said))


def _about(verdict: Verdict, verdicts: Sequence[Verdict]) -> str:
    """The measure, and where there are several pairs, which."""
    c = verdict.comparison
    several = len({(v.comparison.a, v.comparison.b) for v in verdicts}) > 1
    return f"{c.b} and {c.a}, {c.measure}" if several else c.measure


def about_in_commands(verdict: Verdict, judgments: str, runs: Sequence[str]) -> tuple[str, ...]:
    """What a verdict stands on, with the commands that draw gold labels and unjudged documents."""
    check = draw = ""
    if verdict.how_to_check:
        check = (
            f"have a person check {verdict.labels_by}: {checking(verdict, judgments, runs)} draws the documents to "
            "label; fill in labels from the top, then add --gold LIST.csv."
        )
    if verdict.unjudged_to_draw is not None:
        of = f"-m {shlex.quote(verdict.comparison.measure)} --show sample --most {verdict.unjudged_to_draw}"
        draw = (
            f"`truegain unjudged {files_of(verdict, judgments, runs)} {of} -o FILE.csv` draws them from these two "
            "runs; fill in the labels, then add --unjudged-sample FILE.csv."
        )
    return tuple(map(in_words, verdict.about_with(check, draw)))


def checking(verdict: Verdict, judgments: str, runs: Sequence[str]) -> str:
    """The command that draws gold labels to check a judge."""
    draw = "" if verdict.to_check == "ordered" else f" --draw {verdict.to_check}"
    measure = shlex.quote(verdict.comparison.measure)
    return f"`truegain plan labels {files_of(verdict, judgments, runs)} -m {measure}{draw} -o LIST.csv`"


def files_of(verdict: Verdict, judgments: str, runs: Sequence[str]) -> str:
    """The judgments and the two runs of a verdict for a command; placeholders for what was not read from files."""
    found = {system_name(path): path for path in runs}
    both = [found.get(name, "RUN") for name in (verdict.comparison.a, verdict.comparison.b)]
    files = ["JUDGMENTS" if judgments == STANDARD_INPUT else shown_path(judgments), *map(shown_path, both)]
    return shlex.join([*files, *columns_typed()])


def columns_typed() -> list[str]:
    """The option that names the columns of the files, where they have names of their own."""
    return ["--columns", said] if (said := told_of_files().columns) else []


def _once(answer: dict[str, object]) -> dict[str, object]:
    """An answer without how it was made, which is said once for all of them."""
    return {name: value for name, value in answer.items() if name != "provenance"}
