"""The command `truegain init`: look at files, say what they can support, and write a study file.

Also the JSON schema of study files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
import typer
from typer.main import get_command

from truegain.cli.every_command import on_cluster, reads_inputs
from truegain.cli.gate import gate_command
from truegain.cli.gold_options import Design
from truegain.cli.options import Judgments as JudgmentsFile
from truegain.cli.options import NameBy, advanced, option_for
from truegain.cli.report import report_command
from truegain.cli.streams import in_words, option_names, use_option_names
from truegain.cli.study_files import ENDING
from truegain.cli.verdict import verdict_command
from truegain.config import CONFIGS, Gold, Ratings, StudyConfig
from truegain.data.judgments import Judgments
from truegain.data.ratings import read_ratings
from truegain.data.runs import Runs, read_runs
from truegain.errors import InputError, TruegainError, counted, heard, some
from truegain.io.columns import distinct, our_name
from truegain.io.file_options import IDS, file_options, own_gold
from truegain.io.file_roles import columns_in, order_columns
from truegain.io.files import STANDARD_INPUT, can_be_read_again, expand, shown_path, write_bytes
from truegain.io.formats import format_of_ending, read
from truegain.io.named_tables import Columns, renamed
from truegain.io.nugget_files import is_nuggets
from truegain.io.remote import is_irds, is_remote
from truegain.io.study_text import BY_NAME, ELSEWHERE
from truegain.io.trec import loaded
from truegain.measures.catalogue import parse_measure
from truegain.message import arg, option
from truegain.settings import CHOICES, Setting, choices_of, settings_of
from truegain.study.reading import FIXED
from truegain.study.study_file import KINDS, without_none

if TYPE_CHECKING:
    from truegain.data.label_lists import GoldList
    from truegain.study.feasibility import Support

# ---- The JSON schema of study files, made of the declarations of their options, for editors and checkers.

AT_LEAST_ONE = msgspec.Meta(min_length=1)
# Several stand in a list, or in a text with commas.
ONE_OR_SEVERAL = str | float | Annotated[list[str | float], AT_LEAST_ONE]
NAMED = Annotated[dict[str, str | float | list[str | float]], AT_LEAST_ONE]


def schema_of_studies() -> dict[str, Any]:
    """A property for each option of a study, spelled with _ and with -, and a table for each config.

    >>> schema = schema_of_studies()
    >>> keys, gold = schema["properties"], schema["$defs"]["Gold"]["properties"]
    >>> keys["min-effect"]["minimum"], keys["seed"]["type"], gold["design"]["enum"][:2], sorted(keys)[:2]
    (0, 'integer', ['answers', 'by-bronze'], ['aggregate', 'all-topics'])
    >>> sorted(gold)[2:], keys["resampling"]["$ref"], keys["min_effect"] == keys["min-effect"]
    (['labels', 'relevant-from', 'relevant_from', 'sequential'], '#/$defs/Resampling', True)
    """
    settings = [*settings_of(StudyConfig)]
    options = _options()
    kinds = {**{name: _typed(options.get(name)) for name in ELSEWHERE}, **KINDS}
    keys = {name: _kind(name, kind, getattr(options.get(name), "help", None) or "") for name, kind in kinds.items()}
    keys |= {s.name.replace("_", "-"): _declared(s) for s in settings}
    for name, config in CONFIGS.items():
        table = _struct(config.__name__, {s.field: _declared(s) for s in settings if s.table == name})
        keys[name] = keys[name] | table if name in keys else table
    _, parts = msgspec.json.schema_components([_struct("Study", keys)], ref_template="#/$defs/{name}")
    for part in parts.values():
        part["properties"] = _in_both_spellings(part["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **parts.pop("Study"),
        "title": "A study of truegain",
        "description": "Keys may be written with _ or with -; paths are relative to the file.",
        "required": ["judgments"],  # preferences and logs need no runs
        "$defs": parts,
    }


def parameters_of(command: Any) -> list[Any]:
    """The parameters of a command, as the command line sees them."""
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return list(get_command(app).params)


def _struct(name: str, kinds: dict[str, Any]) -> Any:
    """A table of a study file: every key may be left out, and no other may stand there."""
    names = {key.replace("-", "_"): key for key in sorted(kinds)}
    fields = [(field, kinds[key], msgspec.UNSET) for field, key in names.items()]
    return msgspec.defstruct(name, fields, rename=names, kw_only=True, forbid_unknown_fields=True)


def _in_both_spellings(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The keys as people may write them.

    >>> _in_both_spellings({"all_topics": 1, "name-by": 2, "seed": 3})
    {'all-topics': 1, 'all_topics': 1, 'name-by': 2, 'name_by': 2, 'seed': 3}
    """
    return {
        spelling: value
        for key, value in properties.items()
        for spelling in (key.replace("_", "-"), key.replace("-", "_"))
    }


def _declared(option: Setting) -> Any:
    """What an option of a config may be, and what it is for."""
    kind: Any = Literal[option.choices] if option.choices else option.kind
    if option.name in CHOICES and not option.choose:
        kind = _several_of(choices_of(option.name))
    kind = _kind(option.name.replace("_", "-"), kind, option.help)
    above, below = option.between or (None, None)
    limits: Any = {name: x for name, x in {"ge": option.least, "gt": above, "lt": below}.items() if x is not None}
    return Annotated[kind, msgspec.Meta(**limits)] if limits else kind


def _kind(name: str, kind: Any, description: str) -> Any:
    """What a key may be: what the option is; for a text several, or a number, and some a table of name and value."""
    kind = without_none(kind)
    if kind is str or kind == list[str]:
        kind = ONE_OR_SEVERAL | NAMED if name in BY_NAME else ONE_OR_SEVERAL
    return Annotated[kind, msgspec.Meta(description=description)]


def _several_of(names: Collection[str]) -> Any:
    """Some of the names of a catalogue, in a list or a text with commas; or `fixed` alone."""
    one = f"({'|'.join(names)})"
    pattern = rf"^\s*({FIXED}|{one}(\s*,\s*{one})*)\s*$"
    text = Annotated[str, msgspec.Meta(extra_json_schema={"pattern": pattern})]  # `pattern=` crashes msgspec 0.22
    return text | Annotated[list[Literal[tuple(names)]], AT_LEAST_ONE]  # type: ignore[misc]


def _options() -> dict[str, Any]:
    """By name the options of the commands that read a study whole."""
    every = (report_command, gate_command, verdict_command)
    options = [p for command in every for p in parameters_of(on_cluster(reads_inputs(command)))]
    return {max(p.opts, key=len).lstrip("-"): p for p in options}


def _typed(option: Any) -> Any:
    """What an option of commands may be, that is none of a study."""
    kind = getattr(option, "type", None)
    choices = getattr(kind, "choices", None)
    return Literal[tuple(choices)] if choices else float if getattr(kind, "name", "") == "float" else str


# ---- The command `truegain init`: look at files, say what they can support, and write a study file.


def _print_schema(wanted: bool) -> None:
    if wanted:
        typer.echo(json.dumps(schema_of_studies(), indent=2))
        raise typer.Exit


def init_command(
    judgments: JudgmentsFile,
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Runs: files, folders or globs, also at a URL; and a table of ratings, if you have one.",
            metavar="RUN...",
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="Measure. Repeatable, or with commas (default: the usual ones)."),
    ] = None,
    gold: Annotated[str | None, option_for(Gold, "labels")] = None,
    design: Design = None,
    judge_model: Annotated[
        str | None,
        typer.Option("--judge-model", help="LLM that made the judgments (default: the one in the column `model`)."),
    ] = None,
    name_by: NameBy = "file",
    schema: Annotated[  # noqa: ARG001
        bool, advanced("--schema", is_eager=True, callback=_print_schema, help="Print the JSON schema of study.toml.")
    ] = False,
    output: Annotated[str, typer.Option("-o", "--output", help="Study file to write.")] = f"study{ENDING}",
) -> None:
    """Check which questions your files can answer, and write study.toml.

    Reads judgments, runs, ratings and gold labels; the other commands take study.toml in their place.

    Examples:
        truegain init demo/llm.qrels demo/runs --gold demo/gold_sample.qrels --design random -o llm.toml
        truegain init demo/rag-llm.jsonl demo/rag-runs --gold demo/rag-labels.csv --design random -o rag.toml

    """
    from truegain.data.models import judge_in
    from truegain.measures.catalogue import parse_measures
    from truegain.study.feasibility import MOST_ASKED, at_depth_of, supported, usual_measures
    from truegain.study.file_kinds import scores_in

    if is_nuggets(judgments) or scores_in(judgments):
        raise TruegainError(
            f"{judgments} has values of answers, which need no study file: `truegain doctor` shows the questions that "
            "your files can answer and the commands"
        )
    _check_output(output)
    chosen = tuple(str(parsed.measure) for parsed in parse_measures(measure)) if measure else None
    use_option_names(
        option_names(parameters_of(reads_inputs(verdict_command)))
    )  # of the options that the study will have
    files = expand(runs)
    rated = [file for file in files if _is_ratings(file)]
    run_files = [file for file in files if file not in rated]
    if not run_files:
        raise _no_runs(rated)
    table = read_runs(run_files, name_by=name_by)
    assessed = _assessed(judgments)
    labels = Judgments.of(judgments) if assessed is None else assessed
    options: dict[str, Any] = {} if assessed is None else {"aggregate": "mean"}
    models = judge_in(labels)
    if judge_model or len(models) == 1:
        options |= {"judge_model": judge_model or models[0]}
    gold_options, gold_list = _gold_options(gold, design, labels)
    options |= gold_options
    lacking = _lacking(table, labels)
    all_topics = lacking is not None and not lacking.by_none and gold_list is None
    if all_topics:
        options |= {"all_topics": True}
    drawn = options.get("design") if gold_list is None else gold_list.design
    drawn_for = () if gold_list is None else (gold_list.measure,)
    measures = chosen or tuple(dict.fromkeys((*drawn_for, *usual_measures(table, labels, gold is not None, drawn))))
    examined = chosen or tuple(dict.fromkeys((*measures, at_depth_of(table, MOST_ASKED))))  # most ask for this one
    judged = replace(labels, model=judge_model) if judge_model else labels
    support = supported(table, judged, StudyConfig.from_options(options), examined)
    mean = StudyConfig(ratings=Ratings("mean"))
    of_ratings = [supported(table, read_ratings(file), mean, examined) for file in rated]
    for line in _looked_at(table, labels, assessed, judgments):
        typer.echo(line)
    _tell_support("they", support)
    for file, support_of_file in zip(rated, of_ratings, strict=True):
        _tell_support(f"{shown_path(file)}, by --aggregate mean,", support_of_file)
    possible = any(of_population.measures for of_population in support)
    if not possible and (gold_list is None or gold_list.judged):
        raise TruegainError("these files support no study, so none was written: fix the problems above")
    folder = Path(output).parent
    seen = [
        *_columns_lines(judgments, run_files),
        *_model_lines(options, models),
        *([] if lacking is None else [lacking.line(all_topics)]),
    ]
    lines = _study_lines(folder, judgments, runs, rated, options, measures, support, name_by, labels, seen)
    if gold:
        lines += ["", "[gold]", f"labels = {_path(gold, folder)}"]
        if "design" in options:
            lines.append(f'design = "{options["design"]}"' + ("" if design else "  # gold labels cover whole topics"))
    write_bytes(output, "".join(f"{line}\n" for line in lines).encode())
    typer.echo(f"\nWritten: {shown_path(output)}")
    if not possible:  # until the list has labels
        typer.echo(
            f"These files support no verdict yet: fix the problems above, then truegain verdict {shown_path(output)}"
        )
        return
    typer.echo(f"Next: truegain verdict {shown_path(output)}, or truegain report {shown_path(output)}")


def _gold_options(gold: str | None, design: str | None, labels: Judgments) -> tuple[dict[str, Any], GoldList | None]:
    """The gold labels and their design as options of the study, and the list where they are one."""
    from truegain.data.label_list_reading import gold_list_of
    from truegain.study.feasibility import whole_topics
    from truegain.study.reading import gold_of

    if not gold:
        if design is not None:
            raise TruegainError(
                f"{option('--design')} {design} applies to gold labels only; give them with {option('--gold')}"
            )
        return {}, None
    gold_list = gold_list_of(gold)
    trusted = gold_of(gold) if gold_list is None else None  # what cannot be read is refused here
    if design is not None:
        return {"gold": gold, "design": design}, gold_list
    if trusted is None:
        return {"gold": gold}, gold_list
    if whole_topics(labels, trusted):
        return {"gold": gold, "design": "topics"}, None
    raise InputError("how were these gold labels sampled?", file=shown_path(gold), hint=_designs())


def _tell_support(what: str, support: list[Support]) -> None:
    from truegain.study.feasibility import lines_of

    typer.echo(f"\nWhat {what} can support:")
    for line in lines_of(support):
        typer.echo(f"  {in_words(line)}")


def _check_output(output: str) -> None:
    if output == STANDARD_INPUT or not output.endswith(ENDING):
        raise TruegainError(f"-o {output}: a study file ends in {ENDING}; write -o study{ENDING}")
    if os.path.lexists(output):
        raise InputError("this file exists already", file=shown_path(output), hint="name another with -o, or remove it")


@dataclass(frozen=True)
class _Lacking:
    """Judged topics that some run lacks, in words, and how many of them no run answers."""

    words: str
    by_none: int

    def line(self, all_topics: bool) -> str:
        """Which topics count: all, as those of `eval -c`, where each is answered by a run."""
        if all_topics:
            it = "it counts" if self.words.startswith("1 of") else "they count"
            left_out = "it" if it == "it counts" else "them"
            return f"all-topics = true  # {self.words}: {it} 0, as in trec_eval -c; false leaves {left_out} out"
        them = "it" if self.words.startswith("1 ") else "them"
        first = f"; take {'it' if self.by_none == 1 else 'those'} out of the judgments first" if self.by_none else ""
        return f"all-topics = false  # {self.words}: left out; true counts {them} 0, as trec_eval -c{first}"


def _lacking(runs: Runs, labels: Judgments) -> _Lacking | None:
    """Which judged topics runs lack; None where every run answers all.

    >>> runs = Runs.of({"a": {"1": {"d": 1.0}, "2": {"d": 1.0}}, "b": {"1": {"d": 1.0}}})
    >>> _lacking(runs, Judgments.of({"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}))
    _Lacking(words='2 of 3 judged topics are not answered by all runs (b lacks 2), 1 of them by none', by_none=1)
    """
    judged = {labels.topic.values[code] for code in np.unique(labels.topic.code).tolist()}
    answered = {part.system: set(part.topic.strings()) & judged for part in runs.parts}
    by_any, by_all = set[str]().union(*answered.values()), set.intersection(*answered.values())
    lost, by_none = len(judged) - len(by_all), len(judged) - len(by_any)
    if not lost:
        return None
    if lost == by_none:
        return _Lacking(f"{counted(lost, 'judged topic')} {'is' if lost == 1 else 'are'} answered by no run", by_none)
    fewest = min(answered, key=lambda system: len(answered[system]))
    words = f"{lost} of {counted(len(judged), 'judged topic')} {'is' if lost == 1 else 'are'} not answered by all runs"
    too = f", {by_none} of them by none" if by_none else ""
    return _Lacking(f"{words} ({fewest} lacks {len(judged) - len(answered[fewest])}){too}", by_none)


def _is_ratings(file: str) -> bool:
    """Whether a file beside the runs is a table of ratings by assessors; what is told of it is told when it is read."""
    if not format_of_ending(file) or _has_scores(file):
        return False
    with heard():
        return _assessed(file) is not None


def _no_runs(rated: Sequence[str]) -> InputError:
    """Tables that were all taken for ratings: what they have, and how to say which column is the score."""
    every = columns_in(rated[0])
    if any(our_name(name) == "assessor" for name in every):
        problem = "no run was given: this is a table of ratings"
        return InputError(problem, file=shown_path(rated[0]), hint="give the runs of your systems as well")
    names = [name for name in every if our_name(name) is None]
    option_text = arg("columns", file_options().option("runs", {"score": "NAME"}))
    return InputError(
        f"no run was given: this table has no score, and {some(names, 5)} are taken for ratings by assessors",
        file=shown_path(rated[0]),
        hint=f"if it is a run, say which column is the score: {option_text}; its columns are {', '.join(every)}",
    )


def _has_scores(file: str) -> bool:
    """Whether a table has a column of scores or of ranks, and none of assessors, as runs do; by name, or by content."""
    if not can_be_read_again(file):
        return False
    try:
        text, kind, name = loaded(file, file_options().runs_header)
        if kind in (None, "nested"):
            return True
        columns = renamed(Columns(read(text, kind, name), name, "runs"), file_options().runs_header)
        by_name = ("score" in columns or "rank" in columns) and "assessor" not in columns
        return by_name or bool(order_columns(columns))
    except TruegainError:
        return False


def _assessed(file: str) -> Judgments | None:
    """Ratings by several assessors; None where it is something else."""
    if file == STANDARD_INPUT or not format_of_ending(file):
        return None
    try:
        table = read_ratings(file)
    except TruegainError:
        return None
    return table if table.assessor is not None and len(table.assessor.values) > 1 else None


def _looked_at(runs: Runs, labels: Judgments, assessed: Judgments | None, name: str) -> list[str]:
    values = np.unique(np.asarray(labels.label))
    seen = f"{counted(len(values), 'label')}, {values[0]:g} to {values[-1]:g}" if len(values) else "no labels"
    people = None if assessed is None else assessed.assessor
    who = "" if people is None else f" by {counted(len(people.values), 'assessor')}"
    return [
        f"{shown_path(name)}: {len(labels):,} {'ratings' if assessed is not None else 'judgments'}{who} of "
        f"{counted(len(labels.topic.values), 'topic')}, {seen}",
        f"{counted(len(runs.systems), 'run')}: {some(list(runs.systems), 5)}",
    ]


def _study_lines(
    folder: Path,
    judgments: str,
    runs: list[str],
    rated: list[str],
    options: Mapping[str, Any],
    measures: tuple[str, ...],
    support: list[Support],
    name_by: str,
    labels: Judgments,
    seen: list[str],
) -> list[str]:
    """The lines of the study file but those on gold labels, with other options as comments."""
    possible = list(support[0].measures or measures)
    run_paths = [path for path in runs if path not in rated]
    lines = [
        "# Keys are the options of `truegain verdict`, or in a table such as [gold] the fields of tg.Gold in Python.",
        "# Paths are relative to this file.",
        f"judgments = {_path(judgments, folder)}",
        f"runs = [{', '.join(_path(path, folder) for path in run_paths)}]",
        f"measure = [{', '.join(_quoted(m) for m in possible)}]",
        *seen,
    ]
    if name_by != "file":
        lines.append(f"name-by = {_quoted(name_by)}")
    levels = distinct(labels.label[labels.label > 0])
    above = next((int(x) for x in levels if x > 1), None) if np.equal(levels, np.round(levels)).all() else None
    binary = [m for m in possible if getattr(parse_measure(m), "rel", None) is not None]
    of_grades = []
    if binary and len(levels) > 1 and above is not None:
        count = "count" if len(binary) > 1 else "counts"
        counted_by = f"the smallest label that {' and '.join(binary)} {count} as relevant (default: 1)"
        of_grades = [f"# relevant-from = {above}  # {counted_by}"]
    others = zip(("collection", "assessors"), support[1:], strict=False)
    more = [f'["topics", "{population}"]' for population, of_it in others if of_it.measures]
    lines.append('population = ["topics"]' + (f"  # or {'; or '.join(more)}" if more else ""))
    lines += [
        "# min-effect = 0.01  # the smallest difference that matters",
        *of_grades,
        '# baseline = ["the system in use"]',
        '# candidate = "the one that may replace it"',
    ]
    if "judge_model" not in options:
        lines.append('# judge-model = "m1"  # the LLM that made the judgments, if one did')
    lines += [f'# judgments = {_path(file, folder)}  # ratings: with aggregate = "mean"' for file in rated]
    if "aggregate" in options:
        lines += ["", "[ratings]", 'aggregate = "mean"  # how the ratings of a document become one label']
        ratings = np.asarray(labels.label)
        seen_scale = f"{ratings.min():g}:{ratings.max():g}"
        lines.append(f'# scale = "{seen_scale}"  # the lowest and highest rating seen; write the possible ones')
    return lines


def _columns_lines(judgments: str, runs: list[str]) -> list[str]:
    """How files are read: as the options say, or the names of columns that were seen and are not ours."""
    about = file_options()
    lines = [f"columns = {_quoted(about.columns)}"] if about.columns else []
    if not about.columns:
        of_judgments = _seen(judgments, ("topic", "doc", "label"))
        of_runs = [_seen(file, IDS) for file in runs]
        own = of_runs[0] if of_runs and all(seen == of_runs[0] for seen in of_runs) and of_runs[0] else {}
        parts = [",".join(f"{ours}={theirs}" for ours, theirs in of_judgments.items())]
        if any(of_judgments.get(ours, ours) != theirs for ours, theirs in own.items()):
            parts.append("runs:" + ",".join(f"{ours}={theirs}" for ours, theirs in own.items()))
        if any(parts):
            lines.append(f"columns = {_quoted(';'.join(filter(None, parts)))}  # as the files name them")
    if about.missing != "refuse":
        lines.append(f"missing = {_quoted(about.missing)}")
    if about.values:
        lines.append(f"values = {_quoted(','.join(f'{word}={number:g}' for word, number in about.values.items()))}")
    return lines


def _seen(file: str, names: Sequence[str]) -> dict[str, str]:
    """The columns of a table that have names which we know and which are not ours; none of other files."""
    if not can_be_read_again(file):
        return {}
    text, kind, name = loaded(file, file_options().header_of(file))
    if kind in (None, "nested"):
        return {}
    columns = Columns(read(text, kind, name), name)
    in_file = {ours: columns.written(columns.matches[ours][0]) for ours in names if ours in columns}
    return {ours: theirs for ours, theirs in in_file.items() if theirs != ours and not set(",;=+") & set(theirs)}


def _designs() -> str:
    """The ways in which gold labels may have been drawn, to be chosen from."""
    from truegain.sampling.catalogue import DESIGNS

    designs = ", ".join(f"{name} ({design.drawn})" for name, design in DESIGNS.items())
    return f"give --design one of {designs}; a list of `truegain plan labels` records it"


def _model_lines(options: Mapping[str, Any], models: Sequence[str]) -> list[str]:
    """The model that gave the judgments, as the option or a column says."""
    if "judge_model" not in options:
        return []
    model = str(options["judge_model"])
    seen = "  # as the column model says" if (model,) == tuple(models) else ""
    return [f"judge-model = {_quoted(model)}{seen}"]


def _path(path: str, folder: Path) -> str:
    as_it_is = path == STANDARD_INPUT or is_remote(path) or is_irds(path) or own_gold("gold", path) is not None
    return _quoted(path if as_it_is else os.path.relpath(path, folder or "."))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
