"""The command `truegain verdict`: does this difference hold, for whom, and what decides it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.gold import Design, GoldLevel
from truegain.cli.options import Jobs, Judgments, Level, NameBy, Output, OutputFormat, RunFiles
from truegain.cli.output import digests, table_format_of, write_json, write_table
from truegain.cli.ratings import NormaliseOption, POption, Reading, RuleOption, SpreadOption, given, reads_ratings
from truegain.cli.study_file import StudyFile
from truegain.errors import InputError, TruegainError, some
from truegain.tables.runs import read_runs
from truegain.tables.sources import STANDARD_INPUT, expand, read_bytes, shown_path, write_bytes
from truegain.tables.table import Cell, Format, Table

if TYPE_CHECKING:
    from truegain.inference.study.ranking import Ranking
    from truegain.inference.study.study import Study
    from truegain.inference.study.verdict import Verdict

BEST = "The two best, had they been named beforehand"
PICKED = (
    "These two were picked by their scores, and the interval is that of a pair named beforehand; the ranking above "
    "holds for all pairs at once."
)


@reads_ratings
def verdict_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure; may be given several times, a verdict each (default nDCG@10; with gold pairs P@10).",
        ),
    ] = None,
    pair: Annotated[
        str | None, typer.Option("--pair", help="Two systems of many, a,b: is b better than a? (default: the two best)")
    ] = None,
    generalise_to: Annotated[
        str | None,
        typer.Option(
            "--generalise-to",
            help="What it shall hold for: topics, collection, assessors, replicates, with commas (default topics).",
        ),
    ] = None,
    topics: Annotated[
        Literal["sampled", "fixed"],
        typer.Option("--topics", help="Topics like these, or fixed: these questions only."),
    ] = "sampled",
    gold: Annotated[
        str | None, typer.Option("--gold", help="Labels of the trusted judge for some of the same pairs.")
    ] = None,
    design: Design = None,
    gold_level: GoldLevel = None,
    gold_rule: Annotated[
        str | None,
        typer.Option("--gold-rule", help="Gold from several assessors: how their ratings become one label (mean)."),
    ] = None,
    smallest: Annotated[float, typer.Option("--smallest", min=0, help="The smallest gain that matters.")] = 0.0,
    costs: Annotated[
        str | None, typer.Option("--costs", help="Prices for what to buy next: topic=5,gold=1.5,rating=0.1.")
    ] = None,
    holes: Annotated[
        Literal["bound", "non-relevant"],
        typer.Option("--holes", help="Unjudged documents hold the verdict back, or count as not relevant."),
    ] = "bound",
    hole_sample: Annotated[
        str | None,
        typer.Option("--hole-sample", help="Labels of a random sample of the runs' unjudged documents, to the cutoff."),
    ] = None,
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Limits that hold at every look at a growing list of gold labels.")
    ] = False,
    uses: Annotated[
        list[str] | None,
        typer.Option("--uses", help="system=model, the model a system uses, or a file of system,model; repeatable."),
    ] = None,
    judge_model: Annotated[str | None, typer.Option("--judge-model", help="The model that gave the judgments.")] = None,
    rule: RuleOption = None,
    p: POption = None,
    spread: SpreadOption = None,
    normalise: NormaliseOption = None,
    level: Level = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Level of the intervals.")] = 0.95,
    replicates: Annotated[int, typer.Option("--replicates", min=100, help="Collections drawn.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same answer, for any --jobs.")] = 0,
    name_by: NameBy = "file",
    jobs: Jobs = None,
    study: StudyFile = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    reading: Reading,
) -> None:
    """Say whether b is better than a: one sentence, then all that it stands on; of many runs, which may be best."""
    from truegain.inference.study.next_steps import prices_of
    from truegain.inference.study.study import Study

    ratings, files = rule is not None or normalise is not None, expand(runs)
    about = given(p=p, spread=spread)
    if not (ratings or gold_rule) and (names := [*(f"--{n}" for n in about), *reading.given]):
        raise TruegainError(f"{', '.join(names)}: this is about ratings; say how they become gains, as in --rule mean")
    models = _models(uses)
    prices_of(costs)  # before the work
    made = Study(
        read_runs(files, name_by=name_by) if STANDARD_INPUT in files else files,
        reading.load(judgments, normalise=normalise) if ratings else judgments,
        measure or [_usual(gold or hole_sample, design)],
        gold=reading.load(gold) if gold and gold_rule else gold, design=design,
        generalise_to=generalise_to, topics=topics, rule=rule, gold_rule=gold_rule,
        scale=reading.scale if ratings or gold_rule else None, repeated=reading.repeated, normalise=normalise,
        gold_level=gold_level,
        uses=models, judge_model=judge_model, smallest=smallest, holes=holes, hole_sample=hole_sample,
        anytime=anytime,
        confidence=confidence,
        replicates=replicates, seed=seed, jobs=jobs, name_by=name_by, level=level, **about,
    )  # fmt: skip
    chosen = _pair(made, pair)
    for m in made.measures:
        made.lattice(m)  # what is refused, is refused before anything is drawn
    rankings = [made.best(m) for m in made.measures] if chosen is None else []
    verdicts = [
        made.verdict(*(chosen or (rankings[i].systems[1], rankings[i].systems[0])), m, costs)
        for i, m in enumerate(made.measures)
    ]
    inputs = [
        judgments,
        *(x for x in (gold, hole_sample, study) if x),
        *files,
        *(u for u in uses or () if "=" not in u),
    ]
    made_by = {**made.made_by, "pair": pair, "gold_level": gold_level, "gold_rule": gold_rule, "level": level,
               "normalise": normalise, "costs": costs, "uses": made.uses, "judge_model": judge_model,
               "replicates": replicates, "name_by": name_by, "reading": vars(reading), **about}  # fmt: skip
    _write(rankings, verdicts, made_by, inputs, table_format_of(output_format, output), output)


def _write(
    rankings: Sequence[Ranking],
    verdicts: Sequence[Verdict],
    made_by: dict[str, Any],
    inputs: list[str],
    chosen: Format,
    output: str,
) -> None:
    if chosen == "json":
        whole: dict[str, object] = {"made_by": {**made_by, "inputs": digests(inputs)}}
        if rankings:
            whole["rankings"] = [r.to_dict() for r in rankings]
            whole["about_the_pair"] = PICKED
        write_json({**whole, "verdicts": [v.to_dict() for v in verdicts]}, output)
    elif chosen == "table":
        tops = [f"{r}\n\n{BEST}: " for r in rankings] or ["" for _ in verdicts]
        ends = f"\n{PICKED}\n" if rankings else ""
        text = "\n\n".join(f"{top}{v}{ends}" for top, v in zip(tops, verdicts, strict=True))
        write_bytes(output, text.encode(errors="backslashreplace"))
    else:
        words = chosen in ("latex", "markdown", "html")
        write_table(_ranks(rankings, verdicts) if rankings else _sources(verdicts, words), chosen, output)


def _ranks(rankings: Sequence[Ranking], verdicts: Sequence[Verdict]) -> Table:
    rows = [(r.measure, *row) for r in rankings for row in r.table().rows]
    said = [note for r in rankings for note in r.notes]
    notes = (*dict.fromkeys(said), *(f"{BEST}: {v.sentence}" for v in verdicts), PICKED)
    columns = ("measure", "system", "value", "rank_low", "rank_high", "tier")
    return Table(columns, rows, {}, " ".join(r.sentence for r in rankings), notes)


def _sources(verdicts: Sequence[Verdict], words: bool) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for v in verdicts:
        c, table = v.comparison, v.table(words)
        rows += [(c.measure, c.a, c.b, *row) for row in table.rows]
    columns = ("measure", "a", "b", *(name.replace(" ", "_") for name in verdicts[0].table().columns))
    said = [
        line.strip() if len(verdicts) == 1 else f"{v.comparison.measure}: {line.strip()}"
        for v in verdicts
        for note in v.about
        for line in note.splitlines()
    ]
    return Table(columns, rows, {}, " ".join(v.sentence for v in verdicts), tuple(said))


def _usual(gold: str | None, design: str | None) -> str:
    """The measure where none is asked for: one that the gold labels can set right."""
    return "nDCG@10" if gold is None or design == "topics" else "P@10"


def _models(uses: list[str] | None) -> dict[str, list[str]]:
    """The models of each system, from system=model and from files of system,model."""
    found: dict[str, list[str]] = {}
    for text in uses or ():
        for system, model in [_named(text)] if "=" in text else _from_file(text):
            found.setdefault(system, []).append(model)
    return found


def _named(text: str) -> tuple[str, str]:
    system, _, model = (part.strip() for part in text.rpartition("="))
    if not (system and model):
        raise TruegainError(f"--uses {text!r} is not system=model, such as --uses dense=gpt-4o")
    return system, model


def _from_file(name: str) -> list[tuple[str, str]]:
    try:
        rows = list(csv.reader(io.StringIO(read_bytes(name).decode())))
    except UnicodeDecodeError:
        raise InputError("this is no text", file=shown_path(name), hint="give lines of system,model") from None
    except InputError as error:
        raise TruegainError(f"--uses {name!r} is neither system=model nor a file that can be read: {error}") from None
    found = []
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and cells == ["system", "model"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(
                "a line should be system,model", file=shown_path(name), line=line, text=",".join(row),
                hint="two fields, the system as its run is named",
            )  # fmt: skip
        found.append((cells[0], cells[1]))
    return found


def _pair(study: Study, text: str | None) -> tuple[str, str] | None:
    """The two systems that are asked about, the claim being that the second is better; None: the two best."""
    systems = study.systems
    if len(systems) < 2:
        raise TruegainError(f"a verdict is about two systems, and there is 1 ({systems[0]}); give another run")
    if text is None:
        return (systems[0], systems[1]) if len(systems) == 2 else None
    parts = text.split(",")
    splits = [(",".join(parts[:i]).strip(), ",".join(parts[i:]).strip()) for i in range(1, len(parts))]
    if not splits:
        raise TruegainError(f"--pair {text!r} is not two systems; write --pair a,b")
    known = next((both for both in splits if set(both) <= set(systems)), None)
    if known is None:
        unknown = [name for name in splits[0] if name not in systems]
        raise TruegainError(f"--pair names {some(unknown)}, which is no system here; there are {some(systems, 8)}")
    if known[0] == known[1]:
        raise TruegainError(f"--pair {text}: {known[0]} is compared with itself; name two systems")
    return known
