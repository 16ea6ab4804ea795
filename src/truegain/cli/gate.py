"""The command `truegain gate`: pass or fail a change, for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.options import JudgmentsOrAnswers, Output, RunFiles, with_options
from truegain.cli.output import digests, write_json
from truegain.cli.rating_options import RatingOptions, rule_in_words
from truegain.cli.streams import in_words
from truegain.cli.study_files import is_typed
from truegain.cli.study_options import StudyOptions
from truegain.cli.verdict import Paragraphs, about_in_commands, checking
from truegain.config import StudyConfig
from truegain.errors import TruegainError
from truegain.io.files import expand, write_bytes
from truegain.message import arg
from truegain.study.inputs import exit_code, gate_result
from truegain.study.reading import margin_of
from truegain.study.variance_table import signed

if TYPE_CHECKING:
    from truegain.study.documents import GateDocument
    from truegain.study.study import Study
    from truegain.study.verdict import Verdict


@with_options(options=StudyOptions, config=StudyConfig, reading=RatingOptions)
def gate_command(
    context: typer.Context,
    judgments: JudgmentsOrAnswers,
    runs: RunFiles,
    baseline: Annotated[
        list[str] | None,
        typer.Option("--baseline", help="System in use. Repeatable: the candidate must be better than each."),
    ] = None,
    candidate: Annotated[str | None, typer.Option("--candidate", help="System that would replace it.")] = None,
    not_worse_by: Annotated[
        float | None,
        typer.Option(
            "--not-worse-by", help="Noninferiority margin: also pass if any loss is shown to be smaller than this."
        ),
    ] = None,
    output_format: Annotated[
        Literal["markdown", "json"],
        typer.Option("--format", help="Markdown for a pull request, or JSON with all results."),
    ] = "markdown",
    output: Output = "-",
    *,
    options: StudyOptions,
    config: StudyConfig,
    reading: RatingOptions,
) -> None:
    """Check in continuous integration whether the candidate is better than every baseline.

    Exit code 0: better. 1: not better. 3: not enough evidence. 2: bad input. With --min-effect, the candidate
    must be better by that much or more. With --not-worse-by, it also passes if any loss is shown
    to be smaller than that.

    Examples:
        truegain gate demo/gold.qrels demo/runs --baseline system-1 --candidate system-8 -m nDCG@10
        truegain gate demo/gold.qrels demo/runs --baseline system-7 --candidate system-8 --not-worse-by 0.1

    """
    from truegain.measures.items import labeled_as

    files = expand(runs)
    if not_worse_by is not None:
        if is_typed(context, "not_worse_by") and not is_typed(context, "min_effect"):  # that of a study file
            config = replace(config, min_effect=0.0)
        margin_of(not_worse_by, config.min_effect)
    study = options.study_of_inputs(judgments, files, config, reading)
    if not (baseline or candidate) and len(study.systems) != 2:
        raise TruegainError(
            f"there are {len(study.systems)} systems; name the one in use and the one that would replace it, as in "
            f"{arg('baseline', study.systems[0])} and {arg('candidate', study.systems[-1])}"
        )
    pairs = options.claims(study.systems, None, baseline, candidate, one_candidate=True)
    verdicts = [
        study.verdict(a, b, m, options.costs, not_worse_by=not_worse_by) for a, b in pairs for m in study.measures
    ]
    answers = [v.outcome for v in verdicts]
    code = exit_code(answers)
    provenance = {**options.provenance(study, reading), "baseline": baseline, "candidate": candidate}
    provenance |= {} if not_worse_by is None else {"not_worse_by": not_worse_by}
    provenance["inputs"] = digests(options.inputs(judgments, files, config, context.meta.get("study")))
    if output_format == "json":
        answer: GateDocument = {
            "provenance": provenance,
            "gate": gate_result(answers),
            "exit_code": code,
            "answers": answers,
            "verdicts": [v.document(provenance=True) for v in verdicts],
        }
        write_json(answer, output)
    else:
        unit = labeled_as(study.measures[0], study.ranked, "document")
        rule = rule_in_words(config.ratings, reading)
        about = partial(about_in_commands, judgments=judgments, runs=files, study=study, rule=rule, options=options)
        check = partial(checking, judgments=judgments, runs=files, rule=rule, options=options)
        title = _titled(code, verdicts, study.trust_judge)
        text = _markdown(title, verdicts, provenance, about, _doubt(verdicts, unit, check) or _unknown(study))
        write_bytes(output, text.encode(errors="backslashreplace"))
    raise typer.Exit(code)


def _markdown(
    title: str, verdicts: Sequence[Verdict], provenance: dict[str, Any], about: Paragraphs, doubt: Sequence[str]
) -> str:
    """For a pull request: what was decided, `doubt` of labels, a row a verdict, and what each stands on, folded."""
    first, least, margin = verdicts[0].comparison, verdicts[0].min_effect, verdicts[0].not_worse_by
    least = margin or least
    by, what = f" by {least:g} or more" if least > 0 else "", "not worse" if margin else "better"
    lines = [
        f"### {title}",
        "",
        f"Claim: {_cell(first.b)} is {what} than {_and([v.comparison.a for v in verdicts])}{by}.",
        "",
        *doubt,
        f"| baseline | measure | difference | {100 * first.confidence:g}% interval | outcome |",
        "|---|---|---|---|---|",
        *(_row(v) for v in verdicts),
        "",
        *(f"- {_cell(v.sentence)}" for v in verdicts),
        "",
        "<details><summary>Details</summary>",
        "",
        *(line for v in verdicts for line in ("```", _whole(v, about), "```", "")),
        f"truegain {provenance['truegain']}, seed {provenance['seed']}; "
        + ", ".join(f"{_cell(name)} {str(d)[:12]}" for name, d in provenance["inputs"].items()),
        "",
        "</details>",
    ]
    return "\n".join(lines) + "\n"


def _titled(code: int, verdicts: Sequence[Verdict], trusts: bool) -> str:
    """The candidate, its result, and whose labels it goes by where no person has checked them and they are trusted."""
    icon = {0: "✅", 1: "❌", 3: "❔"}[code]
    whose = next((v.labels_by for v in verdicts if v.labels_by), "") if trusts else ""
    by = f", by {_cell(whose)}, trusted without a check" if whose else ""
    return f"{icon} {_cell(verdicts[0].comparison.b)}: {gate_result([v.outcome for v in verdicts])}{by}"


def _unknown(study: Study) -> list[str]:
    """That nothing tells who gave the values, where it is so."""
    from truegain.study.item_inputs import who_is_unknown

    note = who_is_unknown(study.items, study.config.gold)
    return [_cell(in_words(note)), ""] if note else []


def _doubt(verdicts: Sequence[Verdict], unit: str, check: Callable[[Verdict], str]) -> list[str]:
    """Why labels that decide it do not pass, and the way out; unit: what people label."""
    doubted = next((v for v in verdicts if v.to_check or v.outcome == "unchecked"), None)
    if doubted is None:
        return []
    if not doubted.to_check:
        return [
            f"No person has checked {_cell(doubted.labels_by)}, so they do not pass the gate. Have people compare some "
            "of these pairs, drawn at random, and give their preferences with `--gold` and `--design random`; or "
            "accept the judge's preferences with `--trust-judge`.",
            "",
        ]
    return [
        f"No person has checked {_cell(doubted.labels_by)}, so they do not pass the gate. Draw a list of "
        f"{unit}s ({check(doubted)}), have a person label it from the top, and give it with `--gold`; or "
        "accept the judge's labels with `--trust-judge`.",
        "",
    ]


def _whole(v: Verdict, about: Paragraphs) -> str:
    """A verdict at length; of a settled claim without next steps."""
    verdict = replace(v, steps=()) if v.settled else v
    return verdict.text(about(verdict))


def _row(v: Verdict) -> str:
    c = v.comparison
    limits = "" if c.low is None or c.high is None else f"{c.low:+z.4f} to {c.high:+z.4f}"
    difference = "" if math.isnan(c.difference) else signed(c.difference)
    return f"| {_cell(c.a)} | {_cell(c.measure)} | {difference} | {limits} | {v.outcome} |"


def _and(names: Sequence[str]) -> str:
    return " and than ".join(_cell(n) for n in dict.fromkeys(names))


def _cell(text: str) -> str:
    """Text that no table, tag or emphasis breaks on."""
    for mark in ("\\", "|", "*", "_", "`", "["):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("<", "&lt;").replace("\n", " ")
