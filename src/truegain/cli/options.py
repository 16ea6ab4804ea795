"""Options that mean the same in every command, and bundles of them: a dataclass whose fields are options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from truegain.cli.study_files import ENDING, check_there, lack_of
from truegain.config import Scoring, StudyConfig, is_config, settings_of
from truegain.data.runs import RunPaths
from truegain.results.catalogue import Format

if TYPE_CHECKING:
    from truegain.config import Setting

# ---- Options that come together: a dataclass whose fields are options, given to a command as one object.
#
# The dataclass is one of the command line, whose fields are annotated with typer options, or a config of
# `truegain.config`, whose fields declare themselves.

Command = Callable[..., None]
ADVANCED = "Advanced"  # panel of options that few need


def takes(**bundles: type[Any]) -> Callable[[Command], Command]:
    """Give a command the options of some dataclasses; it takes each as one keyword.

    A config whose required field is not given is None.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 1
    ...     height: int = 2
    >>> @takes(size=Size)
    ... def area(*, size: Size) -> None:
    ...     print(size.width * size.height)
    >>> area(width=3, height=5), [*inspect.signature(area).parameters]
    15
    (None, ['width', 'height'])

    >>> from truegain.config import Gold
    >>> @takes(gold=Gold)
    ... def design(*, gold: Gold | None) -> None:
    ...     print(gold and gold.design)
    >>> design(gold="people.csv", design="random"), design()
    random
    None
    (None, None)
    """

    def decorated(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        options = {name: _parameters(bundle) for name, bundle in bundles.items()}

        @wraps(command)
        def called(**words: Any) -> None:
            values = {name: {p.name: words[p.name] for p in some if p.name in words} for name, some in options.items()}
            words = {name: value for name, value in words.items() if name in own}
            command(**words, **{name: _made(bundle, values[name]) for name, bundle in bundles.items()})

        own = {p.name: p for p in signature.parameters.values() if p.name not in bundles}
        shared = {p.name: p for some in options.values() for p in some}  # one option may serve several bundles
        every = [*({**shared, **own}[name] for name in {**own, **shared})]
        called.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
        called.__annotations__ = {p.name: p.annotation for p in every}
        return called

    return decorated


def option_for(config: type[Any], field: str) -> Any:
    """The typer option that a field of a config declares, for a command that takes this field alone.

    >>> from truegain.config import Scoring
    >>> option_of("level", Annotated[float | None, option_for(Scoring, "relevant_from")])
    '--relevant-from'
    """
    return _option(next(s for s in settings_of(config) if s.field == field))


def _option(declared: Setting) -> Any:
    import typer

    long = f"--{declared.name.replace('_', '-')}"
    names = (declared.short, long) if declared.short else (long,)
    return typer.Option(*names, help=declared.help, rich_help_panel=ADVANCED if declared.advanced else None)


def _parameters(bundle: type[Any]) -> list[inspect.Parameter]:
    """The parameters that a command needs for a bundle."""
    if not is_config(bundle):
        return [*inspect.signature(bundle, eval_str=True).parameters.values()]
    return [
        inspect.Parameter(
            s.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=s.default,
            annotation=Annotated[s.kind | None if s.default is None else s.kind, _option(s)],
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
    given = {field_of[name]: value for name, value in values.items()}
    return None if any(given.get(name) is None for name in required) else bundle(**given)


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
    found: dict[str, str] = {}
    for bundle in bundles:
        names = [f.name for f in fields(bundle) if f.name not in leave_out and getattr(bundle, f.name) != f.default]
        if is_config(type(bundle)):
            found |= {s.field: f"--{s.name.replace('_', '-')}" for s in settings_of(type(bundle)) if s.field in names}
            continue
        hints = get_type_hints(type(bundle), include_extras=True) if names else {}
        found |= {name: option_of(name, hints[name]) for name in names}
    return found


def fields_of(bundle: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a bundle by their names, as keywords for a function that calls them the same."""
    return {name: value for name, value in vars(bundle).items() if name not in leave_out}


def option_of(name: str, annotation: Any) -> str:
    """The option behind a parameter, in its long form."""
    info = option_info(annotation)  # a name that stands alone is where typer has defaults
    names = [n for n in (info.default, *info.param_decls) if isinstance(n, str) and n.startswith("-")] if info else []
    return max(names, key=len, default=f"--{name.replace('_', '-')}")


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


def runs_named(context: typer.Context, value: list[str] | None) -> list[str] | None:
    """The runs of the command line or of the study file: one of the two must name some."""
    if not value and not context.resilient_parsing:
        check_there(context.params.get("judgments") or context.params.get("ratings"))
        raise lack_of("runs")
    return value


Judgments = Annotated[
    str,
    typer.Argument(
        help="Judgments: TREC qrels, subtopic qrels, CSV, JSON, JSONL or Parquet; a file, an address (s3://, "
        "https://), or - for stdin. Or a file study.toml that names them, the runs and the options.",
        metavar="JUDGMENTS",
        is_eager=True,
        callback=study_or_judgments,
    ),
]
RunFiles = Annotated[
    list[str],
    typer.Argument(
        help="Runs: files, folders or globs, here or at an address (s3://, https://); - is stdin. Not needed with a "
        "study file, which names them.",
        metavar="[RUN...]",
        default_factory=list,
        show_default=False,
        callback=runs_named,
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option("-m", "--measure", help="A measure, such as nDCG@10 or map; may be given several times."),
]
RelevantFrom = Annotated[float | None, option_for(Scoring, "relevant_from")]
AllTopics = Annotated[bool, option_for(Scoring, "all_topics")]
CorpusFolder = Annotated[
    str | None,
    typer.Option("--corpus", help="Term statistics (text index), for measures that read text, and for predictions."),
]
JudgedCorpus = Annotated[
    str | None, typer.Option("--judged-corpus", help="Corpus of the judged documents, where it is another one.")
]
JudgeModel = Annotated[str | None, typer.Option("--judge-model", help="The model that gave the judgments.")]
NameBy = Annotated[Literal["file", "tag"], typer.Option("--name-by", help="Name systems by file or by run tag.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="Threads (default: all cores).")]
ByTopic = Annotated[bool, typer.Option("-q", "--by-topic", help="Also print each topic.")]
Confidence = Annotated[float, typer.Option("--confidence", help="Level of the intervals; 1 - alpha of tests.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Same seed, same answer, on any number of cores.")]
OutputFormat = Annotated[
    Format | None, typer.Option("--format", help="How to print (default table, or by the ending of --output).")
]
Figure = Annotated[str | None, typer.Option("--figure", help="Also draw it: FILE.svg, .png, .pdf or .html.")]
Output = Annotated[str, typer.Option("-o", "--output", help="Where to print; - is stdout.")]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What is read beside judgments, and how."""

    corpus: CorpusFolder = None
    judged_corpus: JudgedCorpus = None
    name_by: NameBy = "file"
    jobs: Jobs = None

    def files(self, runs: Sequence[str]) -> RunPaths:
        """The files of the runs, read when they are needed."""
        return RunPaths.of(runs, self.name_by)


# ---- The option --counting: how tests that resample count their p-values.

CountingOption = Annotated[
    Literal["plus-one", "published"],
    typer.Option(
        "--counting",
        help="p where a test resamples: (count + 1)/(trials + 1), or count/trials as published (Discpower, MATTERS).",
    ),
]
