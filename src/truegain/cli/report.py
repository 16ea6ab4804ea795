"""The command `truegain report`: everything on one page."""

from __future__ import annotations

import inspect
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

import typer

from truegain.cli.options import CorpusFolder, JudgedCorpus
from truegain.cli.output import digests
from truegain.cli.ratings import Reading, given
from truegain.cli.study_file import read_study
from truegain.cli.verdict import _models, _pair, _usual, verdict_command
from truegain.errors import DataWarning, TruegainError
from truegain.tables.judgments import Judgments
from truegain.tables.runs import Runs, read_runs
from truegain.tables.sources import STANDARD_INPUT, expand, write_bytes

STUDY = ".toml"
OWN = ("judgments", "runs", "pair", "baseline", "corpus", "judged_corpus", "output", "title")  # not as in `verdict`
NOT_HERE = ("output_format",)
READ = ("measure", "gold", "uses", "p", "spread")  # made into something before the study takes them
ELSEWHERE = ("costs", "study")  # for others than the study


def _judgments_or_study(context: typer.Context, value: str | None) -> str | None:
    """A first word that ends in .toml is a study file: what it says stands in for all that is not given."""
    if value is None or not value.lower().endswith(STUDY) or context.resilient_parsing:
        return value
    read_study(context, value)
    context.meta["study"] = value
    said = (context.default_map or {}).get("judgments")
    if said is None:
        raise TruegainError(f'{value} names no judgments; write a line such as judgments = "gold.qrels"')
    return str(said)


def studies(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `verdict` beside its own; it takes them together, as its keyword `asked`."""
    own = inspect.signature(command, eval_str=True).parameters
    theirs = inspect.signature(verdict_command, eval_str=True).parameters
    taken = {n: p for n, p in theirs.items() if n not in OWN and n not in NOT_HERE}

    @wraps(command)
    def called(**words: Any) -> None:
        command(asked={n: words.pop(n) for n in taken}, **words)

    every = [*(p for n, p in own.items() if n != "asked"), *taken.values()]
    called.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in every}
    return called


@studies
def report_command(
    context: typer.Context,
    judgments: Annotated[
        str,
        typer.Argument(
            help="Judgments, as in verdict; or a file study.toml that names them, the runs and the options.",
            is_eager=True,
            callback=_judgments_or_study,
        ),
    ],
    runs: Annotated[list[str], typer.Argument(help="Runs: files, folders or globs; - is stdin.", metavar="RUN...")],
    pair: Annotated[
        list[str] | None,
        typer.Option("--pair", help="Two systems, a,b: is b better than a? May be given several times."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option("--baseline", help="A system: is any other better than it? May be given several times."),
    ] = None,
    corpus: CorpusFolder = None,
    judged_corpus: JudgedCorpus = None,
    title: Annotated[str, typer.Option("--title", help="What stands at the top of the page.")] = "",
    output: Annotated[str, typer.Option("-o", "--output", help="The page to write; - is stdout.")] = "report.html",
    *,
    asked: dict[str, Any],
) -> None:
    """Write one page with everything: verdict, data health, systems, pairs, judge, what to do next, methods."""
    from truegain.inference.study.next_steps import prices_of
    from truegain.report.facts.facts import Made
    from truegain.report.facts.gather import gather
    from truegain.report.page.page import page

    _check_output(output)
    prices_of(asked["costs"])  # before the work
    files = expand(runs)
    with _heard() as told:
        table, judged, study = _study(judgments, files, asked)
    if len(study.systems) < 2:
        raise TruegainError(f"a report compares systems, and there is 1 ({study.systems[0]}); give another run")
    pairs = [both for text in pair or () if (both := _pair(study, text)) is not None]
    options = {
        **study.made_by,
        **_said(asked),
        "pair": pair,
        "baseline": baseline,
        "corpus": corpus,
        "judged_corpus": judged_corpus,
    }
    others = (asked["gold"], asked["hole_sample"], asked["study"], context.meta.get("study"))
    inputs = digests([judgments, *(x for x in others if x), *files])
    made = Made(str(study.made_by["truegain"]), shlex.join(["truegain", *sys.argv[1:]]), options, inputs)
    facts = gather(
        study, table, judged, pairs=pairs, baselines=baseline or (), costs=asked["costs"],
        gold_level=asked["gold_level"], corpus=corpus, judged_corpus=judged_corpus, told=told, made=made,
    )  # fmt: skip
    write_bytes(output, page(facts, title).encode(errors="backslashreplace"))


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What is warned of meanwhile: told as ever, and kept for the page."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            yield told
        finally:
            told += [str(w.message) for w in caught if issubclass(w.category, DataWarning)]
    for message in told:
        warnings.warn(message, DataWarning, stacklevel=1)


def _check_output(output: str) -> None:
    if output != STANDARD_INPUT and not output.lower().endswith((".html", ".htm", ".html.gz")):
        raise TruegainError(f"-o {output}: a report is a page; end its name in .html")


def _study(judgments: str, files: Sequence[str], asked: Mapping[str, Any]) -> tuple[Runs, Judgments, Any]:
    """Runs, judgments and the study, as `verdict` makes it, each file read once."""
    from truegain.inference.study.study import Study

    reading = Reading(**{n: asked[n] for n in vars(Reading())})
    rated = asked["rule"] is not None or asked["normalise"] is not None
    about = given(p=asked["p"], spread=asked["spread"])
    if not (rated or asked["gold_rule"]) and (names := [*(f"--{n}" for n in about), *reading.given]):
        raise TruegainError(f"{', '.join(names)}: this is about ratings; say how they become gains, as in --rule mean")
    judged = reading.load(judgments) if rated else Judgments.of(judgments)
    table = read_runs(files, name_by=asked["name_by"])
    gold = asked["gold"]
    study = Study(
        table, judged, asked["measure"] or [_usual(gold or asked["hole_sample"], asked["design"])],
        gold=reading.load(gold) if gold and asked["gold_rule"] else gold, uses=_models(asked["uses"]),
        scale=reading.scale if rated or asked["gold_rule"] else None, repeated=reading.repeated,
        **{n: v for n, v in asked.items() if n not in (*READ, *ELSEWHERE, *vars(reading))}, **about,
    )  # fmt: skip
    return table, judged, study


def _said(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Options by name, without files, which have digests, and what changes no number."""
    return {n: v for n, v in asked.items() if n not in ("jobs", "study", "measure")}
