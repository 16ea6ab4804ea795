"""Options that mean the same in every command, and bundles of them: a dataclass whose fields are options."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

import typer
from typer.main import get_click_type

from truegain.cli.streams import option_names, use_option_names
from truegain.cli.study_files import ENDING, check_exists, is_from_study_file, not_named
from truegain.config import NOT_OF_STUDIES, Empty, Resampling, Scoring, StudyConfig
from truegain.data.runs import RunPaths
from truegain.errors import InputError, TruegainError, some
from truegain.io.file_options import Missing, board_of, file_options
from truegain.io.files import is_folder, saved_parts, shown_path
from truegain.io.formats import LINES, ending, formats_in_words, may_be_board
from truegain.io.nugget_files import is_nuggets
from truegain.io.remote import is_remote
from truegain.message import option
from truegain.results.formats import Format
from truegain.settings import changed_fields, choices_of, is_config, setting_of, settings_of

if TYPE_CHECKING:
    from truegain.data.items import Items
    from truegain.data.scores import Scores
    from truegain.measures.catalogue import MeasuresLike
    from truegain.settings import Setting

# ---- Options that come together: a dataclass whose fields are options, given to a command as one object.
#
# The dataclass is one of the command line, whose fields are annotated with typer options, or a config of
# `truegain.config`, whose fields declare themselves.

Command = Callable[..., None]
ADVANCED = "Advanced"  # panel of options that few need


def advanced(*names: str, **declared: Any) -> Any:
    """An option that few need on their first day: `typer.Option` in the panel *Advanced*."""
    return typer.Option(*names, rich_help_panel=ADVANCED, **declared)


def _number(kind: type[Any], least: float | None = None) -> Any:
    """What typer reads a number by; a class of typer's own, wherever its version keeps it."""
    return get_click_type(annotation=kind, parameter_info=typer.Option(min=least))


class _ShownInt(type(_number(int, 0))):  # type: ignore[misc]
    """A whole number whose limits the help shows; its config refuses what is beyond them, and says what to give."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return _number(int).convert(value, param, ctx)


class _ShownFloat(type(_number(float, 0))):  # type: ignore[misc]
    """A number whose limits the help shows; its config refuses what is beyond them, and says what to give."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return _number(float).convert(value, param, ctx)


def with_options(**bundles: type[Any]) -> Callable[[Command], Command]:
    """Give a command the options of some dataclasses; it takes each as one keyword.

    A config whose required field is not given is None.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 1
    ...     height: int = 2
    >>> @with_options(size=Size)
    ... def area(*, size: Size) -> None:
    ...     print(size.width * size.height)
    >>> area(width=3, height=5), [*inspect.signature(area).parameters]
    15
    (None, ['width', 'height'])

    >>> from truegain.config import Gold
    >>> @with_options(gold=Gold)
    ... def design(*, gold: Gold | None) -> None:
    ...     print(gold and gold.design)
    >>> design(gold="people.csv", design="random"), design()
    random
    None
    (None, None)
    """

    def decorated(command: Command) -> Command:
        parameters = inspect.signature(command, eval_str=True).parameters
        own = {name: p for name, p in parameters.items() if name not in bundles}
        of_bundle = {name: {p.name: p for p in _parameters(bundle)} for name, bundle in bundles.items()}

        @wraps(command)
        def called(**options: Any) -> None:
            made = {
                name: _made(bundle, {key: value for key, value in options.items() if key in of_bundle[name]})
                for name, bundle in bundles.items()
            }
            command(**{name: value for name, value in options.items() if name in own}, **made)

        every = dict(own)
        for options in of_bundle.values():  # one option may serve several bundles
            every |= {name: p for name, p in options.items() if name not in own}
        return with_parameters(called, every.values())

    return decorated


def with_parameters(command: Command, parameters: Iterable[inspect.Parameter]) -> Command:
    """The command with the parameters that typer shall see."""
    every = [*parameters]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in every}
    return command


PROPORTION = _ShownFloat(min=0, max=1, min_open=True, max_open=True)  # strictly between 0 and 1


def option_for(config: type[Any], field: str, **more: Any) -> Any:
    """The typer option that a field of a config declares, for a command that takes this field alone.

    Keywords of `typer.Option` come first: another help text, or `min` where the command makes no such config, which
    would refuse a number that is too small.

    >>> from truegain.config import Scoring
    >>> option_of("level", Annotated[float | None, option_for(Scoring, "relevant_from")])
    '--relevant-from'
    """
    return _option(setting_of(config, field), **more)


def _option(declared: Setting, **more: Any) -> Any:
    names = filter(None, (declared.short, long_name(declared.name)))
    if declared.choices:
        more = {**one_of(declared.name, declared.choices), **more}
    if "min" not in more and (declared.least is not None or declared.between is not None):
        low, high = declared.between or (declared.least, None)
        is_open = declared.between is not None
        shown: Any = _ShownInt if int in (declared.kind, *get_args(declared.kind)) else _ShownFloat
        more["click_type"] = shown(min=low, max=high, min_open=is_open, max_open=is_open)
    return typer.Option(
        *names, **{"help": declared.help, "rich_help_panel": ADVANCED if declared.advanced else None, **more}
    )


def one_of(name: str, choices: Sequence[str]) -> dict[str, Any]:
    """What typer is told of an option that takes one of the names in a catalogue."""

    def check(value: str | None) -> str | None:
        allowed = tuple(choices_of(name))
        if value is not None and value not in allowed:
            message = f"{option(long_name(name))} {value} is not known; give one of {', '.join(allowed)}"
            raise TruegainError(message, argument=name, value=value, allowed=allowed)
        return value

    return {"metavar": f"<{'|'.join(choices)}>", "callback": check}


def _parameters(bundle: type[Any]) -> list[inspect.Parameter]:
    """The parameters that a command needs for a bundle."""
    if not is_config(bundle):
        kinds = get_type_hints(bundle, include_extras=True)  # of a base in another module, too
        return [p.replace(annotation=kinds[name]) for name, p in inspect.signature(bundle).parameters.items()]
    return [
        inspect.Parameter(
            s.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=s.default,
            annotation=Annotated[
                s.kind | None if s.default is None else s.kind,
                _option(s, hidden=bundle is StudyConfig and s.name in NOT_OF_STUDIES),
            ],
        )
        for s in settings_of(bundle)
    ]


def _made(bundle: type[Any], values: dict[str, Any]) -> Any:
    """The bundle with these values of its options; None for a config that lacks what it requires."""
    if not is_config(bundle):
        return bundle(**values)
    if bundle is StudyConfig:
        return StudyConfig.from_options(values)
    field_of = {s.name: s.field for s in settings_of(bundle)}
    required = [f.name for f in fields(bundle) if f.default is MISSING]
    by_field = {field_of[name]: value for name, value in values.items()}
    return None if any(by_field.get(name) is None for name in required) else bundle(**by_field)


def changed(*bundles: Any, leave_out: tuple[str, ...] = ()) -> dict[str, str]:
    """The options of bundles that are not what they are by default: the name of the field, and the option's.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 1
    ...     bare_height: int = 2
    >>> changed(Size(), Size(bare_height=3)), changed(Size(5), leave_out=("width",))
    ({'bare_height': '--bare-height'}, {})
    """
    options: dict[str, str] = {}
    for bundle in bundles:
        names = changed_fields(bundle, leave_out)
        if is_config(type(bundle)):
            options |= {s.field: long_name(s.name) for s in settings_of(type(bundle)) if s.field in names}
            continue
        hints = get_type_hints(type(bundle), include_extras=True) if names else {}
        options |= {name: option_of(name, hints[name]) for name in names}
    return options


def option_of(name: str, annotation: Any) -> str:
    """The option behind a parameter, in its long form."""
    info = option_info(annotation)  # a name that stands alone is where typer has defaults
    names = [n for n in (info.default, *info.param_decls) if isinstance(n, str) and n.startswith("-")] if info else []
    return max(names, key=len, default=long_name(name))


def long_name(name: str) -> str:
    """The option of a parameter that has no other name: --min-effect of min_effect."""
    return f"--{name.replace('_', '-')}"


def option_info(annotation: Any) -> Any:
    """What typer is told of an option; None for what is an argument, or none of its own."""
    return next((m for m in getattr(annotation, "__metadata__", ()) if type(m).__name__ == "OptionInfo"), None)


# ---- Options that mean the same in every command.


def study_or_judgments(context: typer.Context, value: str | None) -> str | None:
    """Judgments, or those that a study file names, which then says all that the command line does not."""
    if value is None or not value.lower().endswith(ENDING) or context.resilient_parsing:
        return value
    from truegain.cli.study_files import judgments_of  # read by those who give one

    return judgments_of(context, value)


def two_systems(pair: str | None) -> tuple[str, str] | None:
    """The two systems of --pair.

    >>> two_systems("bm25, dense")
    ('bm25', 'dense')
    """
    if pair is None:
        return None
    a, _, b = (part.strip() for part in pair.partition(","))
    if not a or not b:
        raise TruegainError(
            f"{option('--pair')} {pair}: name two systems separated by a comma, as in {option('--pair')} bm25,dense"
        )
    return a, b


def check_runs_named(context: typer.Context, value: list[str] | None) -> list[str] | None:
    """The runs of the command line or of the study file; a log that is alone, or preferences, need none.

    Refused are a folder of logs, preferences that the command does not read, a table of scores of answers where no
    score is named, a table without winners that it would read as preferences, and where no run is named: judgments
    that are not there, and all that needs runs.
    """
    if context.resilient_parsing:
        return value
    use_option_names(option_names(context.command.params))  # files are looked at before the command runs
    judgments = context.params.get("judgments") or context.params.get("ratings")
    command = context.command_path.removeprefix("truegain ")
    _refuse_folder_of_logs(judgments)
    if "score" not in {p.name for p in context.command.params}:
        refuse_answers(command, *filter(None, [judgments, *(value or ())[:1]]))
    if value and str(judgments).endswith(TABLES):
        if command not in TAKE_PREFERENCES:
            refuse_preferences(command, str(judgments))
        refuse_unnamed_score(context, str(judgments))
    if not value and not _holds_answers(context):
        check_exists(judgments)
        if judgments and os.path.isfile(judgments) and not os.path.getsize(judgments):  # noqa: PTH113, PTH202  as is_file
            raise InputError("the file is empty", file=shown_path(judgments), hint="write the file again")
        if not _are_preferences(command, judgments):
            refuse_unnamed_score(context, str(judgments), without_runs=True)
            raise not_named("runs")
    return value


TABLES = (".csv", ".tsv")
MOST_LOOKED_AT = 100  # files of a folder that is given in place of one


def _refuse_folder_of_logs(judgments: object) -> None:
    """Refuse a folder of logs of evaluation tools in place of its files, of which some may not belong together."""
    if not isinstance(judgments, str) or is_remote(judgments) or not is_folder(judgments):
        return
    if saved_parts(judgments) is not None:  # one table
        return
    from truegain.data.item_reading import is_log
    from truegain.study.file_kinds import files_below

    def is_one(file: str) -> bool:
        with suppress(TruegainError):  # a damaged file is told of by whoever reads it
            return is_log(file)
        return False

    if any(map(is_one, files_below([judgments])[:MOST_LOOKED_AT])):
        raise InputError(
            "this is a folder of logs", file=shown_path(judgments),
            hint=f"name the files; `truegain doctor {shlex.quote(judgments)}` prints the commands",
        )  # fmt: skip


def refuse_unnamed_score(context: typer.Context, file: str, *, without_runs: bool = False) -> None:
    """Refuse a table of scores of answers where no score is named; what a tool wrote is known without."""
    from truegain.data.item_reading import is_log  # read by those who give a table

    options = {p.name for p in context.command.params}
    named = {name for name in ("score", "cluster", "columns") if context.params.get(name)} | {
        *(context.default_map or ())
    }
    if "score" not in options or named & {"score", "cluster", "columns"} or is_log(file):
        return
    from truegain.study.file_kinds import refuse_unnamed_board  # read by those who give a table

    refuse_scores_in(file)
    refuse_unnamed_board(file, without_runs)


def refuse_scores_in(file: str) -> None:
    """Refuse a table of scores of answers, and name the scores to choose from."""
    from truegain.study.file_kinds import scores_in  # read by those who give a table

    if scores := scores_in(file):
        others = f" (or {some(scores[1:])})" if len(scores) > 1 else ""
        raise TruegainError(f"{file}: a table of scores? add {option('--score')} {scores[0]}{others}")


def _holds_answers(context: typer.Context) -> bool:
    """Whether the only file has values of several systems: a score of theirs is named, or it is a tool's log."""
    file, options = context.params.get("judgments"), {p.name for p in context.command.params}
    if file and {"score", "draw"} & options and is_nuggets(file):
        return True
    if "score" not in options or not file:
        return False
    values = {**(context.default_map or {}), **context.params}  # by a study file, or typed
    if values.get("score") or values.get("cluster") or board_of(context.params.get("columns") or ""):
        return True
    from truegain.data.item_reading import is_log  # read by those who give one file

    check_exists(file)
    return is_log(file)


TAKE_PREFERENCES = ("verdict", "compare", "gate", "report")  # commands that read them in place of judgments and runs
ABOUT_LABELS = (
    "plan labels",
    "plan topics",
    "plan assessors",
    "judge check",
)  # whose questions `plan preferences` has an answer to


def _are_preferences(command: str, path: str | None) -> bool:
    """Whether a file holds preferences between systems, which need no runs; refused by commands that need some."""
    from truegain.preferences.table import holds_preferences, refuse_without_winner  # read by those who name no run

    if path is not None and command in TAKE_PREFERENCES:
        refuse_without_winner(path)
    if path is None or not holds_preferences(path):
        return False
    if command not in TAKE_PREFERENCES:
        refuse_preferences(command, path)
    return True


def refuse_preferences(command: str, path: str) -> None:
    """Refuse preferences between systems where a command does not read them, and say which do."""
    from truegain.preferences.table import holds_preferences

    if holds_preferences(path):
        others = ("plan preferences",) if command in ABOUT_LABELS else ()
        commands = ", ".join(f"`truegain {name}`" for name in (*others, *TAKE_PREFERENCES))
        raise TruegainError(f"{path} contains preferences, which `{command}` does not read; these do: {commands}")


TAKE_ANSWERS = (
    "verdict", "compare", "gate", "report", "eval", "correct", "judge check", "participants", "correlate", "agree",
    "plan topics", "plan labels",
)  # fmt: skip


def refuse_answers(command: str, *files: str) -> None:
    """Refuse logs of evaluation tools and nuggets where a command reads documents, and say which read answers."""
    if (found := next(filter(holds_answers, files), None)) is not None:
        commands = ", ".join(f"`truegain {name}`" for name in TAKE_ANSWERS)
        what = f"{found} contains values of answers, which `{command}` does not read"
        raise TruegainError(f"{what}; these do: {commands}")


def holds_answers(file: str) -> bool:
    """Whether a file is a tool's log, or nuggets; what is damaged or not there is told of by whoever reads it."""
    if is_remote(file) or not os.path.isfile(file):  # noqa: PTH113  as is_file
        return False
    with suppress(TruegainError):
        if is_nuggets(file):
            return True
        if ending(file) not in (*LINES, "") or may_be_board(file):  # what reads logs is not loaded for lines
            from truegain.data.item_reading import is_log

            return is_log(file)
    return False


def _of_judgments(others: str = "") -> Any:
    """The argument of judgments, and of what a command reads in place of them and of runs."""
    return typer.Argument(
        help=f"Relevance judgments: TREC qrels, subtopic qrels, {formats_in_words()}; a file, a URL (s3://, "
        f"https://), irds:NAME of ir_datasets, or - for stdin. {others}Or study.toml, which names the judgments, the "
        "runs and the options.",
        metavar="JUDGMENTS",
        is_eager=True,
        callback=study_or_judgments,
    )


Judgments = Annotated[str, _of_judgments()]
JudgmentsOrAnswers = Annotated[
    str,
    _of_judgments(
        "In place of judgments and runs: logs of evaluation tools, tables of scores (--score) or nuggets of answers, "
        "one file or several. "
    ),
]
RunFiles = Annotated[
    list[str],
    typer.Argument(
        help="Runs: files, folders or globs, also at a URL (s3://, https://); - for stdin. Not needed with study.toml.",
        metavar="[RUN...]",
        default_factory=list,
        show_default=False,
        callback=check_runs_named,
    ),
]
ScoreName = Annotated[
    str | None,
    typer.Option("--score", help="Score of answers in logs of evaluation tools or tables, such as faithfulness."),
]
LessIsBetter = Annotated[bool, typer.Option("--less-is-better", help="Lower scores are better, as for toxicity.")]
EmptyTopics = Annotated[
    Empty,
    advanced(
        "--empty",
        help="Topics without a nugget that the measure counts: skip them, or score them 0 (as nuggetizer does).",
    ),
]
ClusterColumn = Annotated[
    str | None,
    typer.Option("--cluster", help="Column that groups topics sampled together, such as metadata.topic of a log."),
]


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """Which values of answers are meant, where files are logs of evaluation tools or tables of scores."""

    score: ScoreName = None
    less_is_better: LessIsBetter = False
    cluster: ClusterColumn = None
    empty: EmptyTopics = "skip"

    def items(self, files: Sequence[str], called: Callable[[str], str] = str) -> Items | None:
        """Values of answers, where files are logs of evaluation tools, or a score of theirs is named; else None."""
        named = self.score or self.cluster or self.less_is_better or file_options().board
        if not named and ending(files[0]) in (*LINES, "") and not may_be_board(files[0]):
            return None  # lines, as of most judgments; what reads logs is not loaded for them
        from truegain.study.item_inputs import items_in

        return items_in(files, self.score, self.cluster, called, self.less_is_better)

    def chosen_measures(self, items: Items, measures: Sequence[str] | None = None) -> MeasuresLike | None:
        """The score by its name, or measures of nuggets; others are refused."""
        from truegain.study.item_inputs import measures_of

        return measures_of(items, self.score, measures, self.empty)

    def scores(self, items: Items, measures: Sequence[str] | None = None) -> Scores:
        """The score of each system on each topic."""
        from truegain.study.item_inputs import answer_scores

        return answer_scores(items, self.chosen_measures(items, measures))


def refuse(why: str, options: dict[str, str]) -> None:
    """Refuse options that would not be heeded, the first that is given."""
    for name in options.values():
        raise TruegainError(f"{option(name)} {why}")


def refuse_typed(why: str, options: dict[str, str]) -> None:
    """Refuse options that would not be heeded; what a study file says is for other commands too."""
    refuse(why, {name: typed for name, typed in options.items() if not is_from_study_file(name)})


def refuse_for_answers(options: dict[str, str]) -> None:
    """Refuse options about runs and judgments where answers are read in their place."""
    refuse_typed("does not apply to answers; leave it out", options)


def measure_of_answers(items: Items, measure: str, usual: str) -> list[str] | None:
    """The measure that was typed, or that a study of nuggets names; None: the usual one of runs, which says nothing."""
    named = measure != usual and (items.are_nuggets or not is_from_study_file("measure"))
    return [measure] if named else None


Measures = Annotated[
    list[str] | None,
    typer.Option("-m", "--measure", help="Measure, such as nDCG@10 or map. Repeatable, or with commas."),
]
RelevantFrom = Annotated[float | None, option_for(Scoring, "relevant_from")]
CorpusFolder = Annotated[
    str | None,
    advanced("--corpus", help="Term statistics from `text index`, for measures and predictions that use text."),
]
JudgedCorpus = Annotated[
    str | None,
    advanced("--judged-corpus", help="Term statistics of the judged documents, if they come from another corpus."),
]
JudgeModel = Annotated[str | None, typer.Option("--judge-model", help="LLM that made the judgments.")]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="Names of your columns: topic=query,label=grade (query+facet joins two). Without a header line, list "
        "all columns in order: topic,doc,label. If judgments and runs differ, separate their names by ;.",
    ),
]
MissingLabels = Annotated[Missing, advanced("--missing", help="Rows without a label: refuse them, or drop them.")]
Values = Annotated[
    str | None, typer.Option("--values", help="Numbers for labels that are words: relevant=2,partly=1,irrelevant=0.")
]
Memory = Annotated[
    str | None,
    advanced(
        "--memory",
        help="Memory limit, such as 2GB (default: half of the free memory). Larger files are read in batches or "
        "refused.",
    ),
]
TeamsFile = Annotated[
    str | None, advanced("--teams", help="Table of run, team and pooled, to leave out, choose or mark runs by team.")
]
NameBy = Annotated[Literal["file", "tag"], advanced("--name-by", help="Name systems by file or by run tag.")]
Jobs = Annotated[int | None, option_for(Resampling, "jobs", min=1)]
ByTopic = Annotated[bool, typer.Option("-q", "--by-topic", help="Also print each topic.")]
Confidence = Annotated[float, option_for(StudyConfig, "confidence")]
Seed = Annotated[int, option_for(Resampling, "seed", min=0)]
OutputFormat = Annotated[
    Format | None, typer.Option("--format", help="Output format (default: table, or by the ending of --output).")
]
Figure = Annotated[str | None, typer.Option("--figure", help="Also draw a figure: FILE.svg, .png, .pdf or .html.")]
Output = Annotated[str, typer.Option("-o", "--output", help="Output file; - for stdout.")]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What is read beside judgments, and how."""

    corpus: CorpusFolder = None
    judged_corpus: JudgedCorpus = None
    name_by: NameBy = "file"
    jobs: Jobs = None

    @property
    def for_scores(self) -> dict[str, Any]:
        """What functions that score runs are told."""
        return {"corpus": self.corpus, "judged_corpus": self.judged_corpus, "jobs": self.jobs}

    def files(self, runs: Sequence[str]) -> RunPaths:
        """The files of the runs, read when they are needed."""
        return RunPaths.of(runs, self.name_by)


@dataclass(frozen=True, kw_only=True)
class SeedAndJobs:
    """Where random numbers begin, and how many processes work."""

    seed: Seed = 0
    jobs: Jobs = None


# ---- The option --counting: how tests that resample count their p-values.

CountingOption = Annotated[
    Literal["plus-one", "published"],
    advanced(
        "--counting",
        help="p-value of a resampling test: (count + 1)/(resamples + 1), or count/resamples as published (Discpower, "
        "MATTERS).",
    ),
]
