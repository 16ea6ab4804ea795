"""Study files on the command line: options that are typed come first, and an error names its line."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from truegain.cli.streams import option_names, tell
from truegain.config import StudyConfig
from truegain.errors import InputError, TruegainError, meant
from truegain.io.files import shown_path
from truegain.io.study_text import ELSEWHERE, FileWords, Key, StudyText, key_of, not_known
from truegain.settings import settings_of

if TYPE_CHECKING:
    from truegain.aggregation.reading import RatingReading

AnyReading = TypeVar("AnyReading", bound="RatingReading")

# ---- A refusal of what a study file said names the file and the line, not options that nobody typed.

_study_files_read: list[tuple[Any, FileWords, Collection[str]]] = []  # a context, what a file said to it, and may say
_notes: list[Note] = []  # about what the file says
_unused: list[str] = []  # what the file says and the command cannot heed
ASIDE = {"study", "output", "format", "title", "cache", "jobs", "run_on"}  # may be typed beside a file with the rest
ENDING = ".toml"  # of the name of a study file
EXAMPLES = {"runs": "runs", "judgments": "gold.qrels", "gold": "gold.qrels", "measure": "P@10"}


@dataclass(frozen=True)
class Note:
    """What is to be told of a study that a command takes in part.

    of: the parameter whose typing makes it idle; only: a parameter and its value, without which it is told otherwise.
    """

    text: str
    of: str = ""
    only: tuple[str, str] | None = None
    otherwise: str = ""


def tell_notes(options: Mapping[str, Any]) -> None:
    """Tell which parts of a study file this command does not use, or uses in its own way."""
    for note in _notes:
        if not note.of or not is_typed(_study_files_read[0][0], note.of):
            name, value = note.only or ("", None)
            if text := note.text if options.get(name) == value else note.otherwise:
                tell(text, "note")
    _notes.clear()


def is_unused(option: str) -> bool:
    """Whether the study file names something that the command does not heed."""
    return option in _unused


def is_from_study_file(name: str) -> bool:
    """Whether the study file gave an option its value."""
    return (
        bool(_study_files_read)
        and getattr(_study_files_read[0][0].get_parameter_source(name), "name", "") == "DEFAULT_MAP"
    )


def without_design_of_file(options: dict[str, Any]) -> dict[str, Any]:
    """The options, without the design that a study file gives where the command line names a gold list instead."""
    if not is_from_study_file("design") or is_from_study_file("gold") or options.get("gold") is None:
        return options
    from truegain.data.label_list_reading import gold_list_of

    try:
        listed = gold_list_of(options["gold"])
    except TruegainError:  # told where it is read
        return options
    return options if listed is None else {**options, "design": None}


def drop_uncorrectable(measures: Sequence[str], beyond: Mapping[str, str]) -> list[str]:
    """The measures of a study file without those that gold labels cannot set right, of which it is told why."""
    left, lost = [m for m in measures if m not in beyond], [m for m in measures if m in beyond]
    if lost:
        by_reason: dict[str, list[str]] = {}
        for name in lost:
            by_reason.setdefault(beyond[name].partition(";")[0].removeprefix(f"{name} "), []).append(name)
        reasons = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())
        file = _study_files_read[0][1]
        place = _place(file.file, file.keys["measure"].line if "measure" in file.keys else None)
        are = "is" if len(lost) == 1 else "are"
        tell(f"{place}: {len(lost)} of {len(measures)} measures {are} left out: {reasons}", "note")
    return left


def _place(file: str, line: int | None) -> str:
    return file if line is None else f"{file}:{line}"


def forget_study_file() -> None:
    """Forget the study file of the last command: another one begins."""
    _study_files_read.clear()
    _notes.clear()
    _unused.clear()


def is_typed(context: Any, name: str) -> bool:
    """Whether an option was given on the command line."""
    return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"


def placed_in_study_file(error: TruegainError) -> TruegainError:
    """An error about what a study file says, with its place in the file; its remedy as a line to write there."""
    if not _study_files_read:
        return error
    context, file, allowed = _study_files_read[0]
    aside = {"judgments"} if context.meta.get("study") else set()
    typed = {_name(p) for p in context.command.params if is_typed(context, p.name)} - aside
    in_file = {_name(p) for p in context.command.params if _name(p) in allowed} - typed
    options = option_names(context.command.params)
    keys = {name: file.name(option[2:]) if option[2:] in in_file else option for name, option in options.items()}
    message = error.in_full.lines(keys)
    if isinstance(error, InputError) and not (error.line is None and error.row is None):  # it has a place of its own
        return error if message == error.in_full.words(options) else error.at(None, None, message)
    place = replace(file, keys={o: key for o, key in file.keys.items() if o not in typed}).place(error)
    if place is None and not typed - ASIDE and any(key_of(part.name) in in_file for part in error.message.named):
        place = None, ""
    return error if place is None else error.at(file.file, place[0], f"{place[1]}{message}")


def not_named(name: str) -> TruegainError:
    """What to say where neither the command line nor a study file names something that is needed."""
    if not _study_files_read:
        return TruegainError(
            f"no {name} are named; give them after the judgments, or give a study.toml that names both"
        )
    are = "is" if name in ("gold", "measure") else "are"
    return InputError(f"no {name} {are} named", file=_study_files_read[0][1].file, hint=_line_such_as(name))


def _line_such_as(name: str) -> str:
    return f'write a line such as {name} = "{EXAMPLES[name]}"'


def check_exists(path: str | None) -> None:
    """Refuse a file that is not there, with the names beside it that are like its own."""
    from pathlib import Path

    if path is None or path == "-" or ":" in path or Path(path).exists():
        return
    here = Path(path).parent
    others = [p.name for p in here.iterdir() if p.is_file()] if here.is_dir() else []
    like = meant(Path(path).name, others)
    hint = f"did you mean {here / like}?" if like else "check the path"
    raise InputError("no such file", file=path, hint=hint)


def message_of_not_named(error: Any) -> str | None:
    """The message on a study file that does not name what is needed; None where it is no such mistake."""
    name = getattr(getattr(error, "param", None), "name", None)
    is_lack = bool(_study_files_read) and type(error).__name__ == "MissingParameter" and name in EXAMPLES
    return str(not_named(str(name))) if is_lack else None


def _name(parameter: Any) -> str:
    return str(max(parameter.opts, key=len).lstrip("-"))


# ---- Study files on the command line: what the command line says itself comes first.

NOT_THERE = ("study_file", "help", "cache")
WHOLE = "trust-judge"  # an option of the commands that answer a whole study
POPULATION = "population"
# of a study, and something else in the commands that take it in part
OTHERWISE = ("output", "format", "title", "resamples")
# by command what it calls an option of studies: its measures that read labels, say, beside those that read text
CALLED_IN = {"incomplete": {"measure": "against"}, "disjoint": {"measure": "against"}}
# by command what it takes a measure for: of others it takes another, as is said
TAKEN_ONLY = {
    "split-half": (("split", "topics"), "the halves of a collection are compared on AP; --split topics takes")
}
# of no weight for those who have no such option
NOT_HANDED_ON = {
    *OTHERWISE,
    *ELSEWHERE,
    "costs",
    "system-models",
    "judge-model",
    "trust-judge",
    "min-effect",
    "confidence",
    "seed",
    "jobs",
}
# commands without such an option whose intervals have one confidence
CONFIDENCE = 0.95
JUDGE_CHECK = "truegain judge check"
AT_ONE_CONFIDENCE = ("check", "incomplete", "magnitudes", "spending", "unanimity", "unanimity-grid")
ABOUT_GOLD = ("design", "gold-relevant-from", "gold-aggregate")  # said with the gold labels
WANTED = {"float": "give a number", "int": "give a whole number", "integer": "give a whole number"}  # by click's names
RATED = ("aggregate", "normalize")  # say that judgments are ratings


def read_study(context: typer.Context, path: str | None) -> str | None:
    """Take what a study file says for everything that the command line does not say.

    A command that has only some of a study's options takes these; which of the others would matter is told.
    """
    if path is None or context.resilient_parsing:
        return path
    text, own, command = StudyText.of(path), _own(context), str(context.info_name)
    whole = WHOLE in own
    allowed = own if whole else _of_studies()
    defaults: dict[str, Any] = {}
    keys: dict[str, Key] = {}
    notes: list[Note] = []
    for name, key, value, line in text.options(allowed, command if whole else "a study"):
        option = CALLED_IN.get(command, {}).get(name, name)
        parameter = own.get(option)
        if parameter is None or (option in OTHERWISE and not whole):
            continue
        if option == "population" and not whole and _is_beyond(parameter, value):
            own = {name: p for name, p in own.items() if name != "population"}  # told below as not heeded
            continue
        if option in ("measure", "against") and isinstance(value, str):
            text.values[key] = value = _as_list(value)
        several = getattr(parameter, "multiple", False) or parameter.nargs == -1
        if not several and isinstance(value, list) and option in ("measure", "baseline"):
            at, which = _chosen(context, option, value)
            notes += _first_of(context, str(parameter.name), _place(text.file, line), key, value, at, which)
            text.values[key] = value = value[at]
        elif option == "measure" and command in TAKEN_ONLY:
            notes += _first_of(context, str(parameter.name), _place(text.file, line), key, [value], 0, "")
        typed = text.typed_value(option, key, line, several)
        text.check_kind(key, getattr(parameter.type, "name", "").removesuffix(" range"), line)
        _check(context, parameter, typed, key, value, text.file, line)
        defaults[str(parameter.name)] = typed
        keys[option] = text.key(option, key, line, typed)
    defaults |= _pair_of_claim(text, own, defaults)
    unused: list[str] = []
    if not whole:
        more, unused = _unheeded(context, text, [key.replace("_", "-") for key in text.values], own)
        notes += more
    context.default_map = defaults
    _study_files_read[:] = [(context, FileWords(text.file, keys, {*text.tables.values()}), allowed)]
    _notes[:], _unused[:] = notes, unused
    return path


def _as_list(measures: str) -> str | list[str]:
    """One measure as it is written, or several that stand in one text as a list.

    >>> _as_list("P @ 10"), _as_list("P@10, AP")
    ('P @ 10', ['P@10', 'AP'])
    """
    from truegain.measures.catalogue import split_measures

    parts = split_measures(measures)
    return parts if len(parts) > 1 else measures


def _pair_of_claim(text: StudyText, own: Collection[str], defaults: Collection[str]) -> dict[str, str]:
    """The pair of a command that has no other claims: a study's one baseline and its candidate."""
    baseline, candidate = text.values.get("baseline"), text.values.get("candidate")
    if isinstance(baseline, list) and len(baseline) == 1:
        baseline = baseline[0]
    if "pair" not in own or "candidate" in own or "pair" in defaults:
        return {}
    if not (isinstance(baseline, str) and isinstance(candidate, str)) or "," in baseline + candidate:
        return {}
    return {"pair": f"{baseline},{candidate}"}


def judgments_of(context: typer.Context, path: str) -> str:
    """The judgments that a study file names; all else that it says goes for what the command line does not say."""
    read_study(context, path)
    context.meta["study"] = path
    text = StudyText.of(path)
    line = text.line("judgments")
    if line is None:
        raise InputError("no judgments are named", file=shown_path(path), hint=_line_such_as("judgments"))
    if "files" in {p.name for p in context.command.params} and "runs" in text.values:  # runs, and more before them
        context.meta["runs"] = text.typed_value("runs", "runs", text.line("runs"), several=True)
    return str(text.typed_value("judgments", "judgments", line, several=False))


def _own(context: typer.Context) -> dict[str, Any]:
    """The options of a command by the names they have in a study; judgments and ratings are read by themselves."""
    names = {max(p.opts, key=len).lstrip("-"): p for p in context.command.params if p.name not in NOT_THERE}
    return {name: p for name, p in names.items() if name != "ratings"}


def _of_studies() -> Collection[str]:
    """All that a study file may say."""
    from truegain.study.study_file import KINDS

    return dict.fromkeys([*KINDS, *ELSEWHERE])


def _is_beyond(parameter: Any, population: Any) -> bool:
    """Whether a command that answers for one population cannot answer for the study's."""
    choices = getattr(parameter.type, "choices", None)
    names = ",".join(map(str, population)) if isinstance(population, list) else str(population)
    return choices is not None and names not in choices


def _chosen(context: typer.Context, option: str, value: list[Any]) -> tuple[int, str]:
    """Which of several a command takes, and in words; `judge check` the first measure whose ranks have weights."""
    if option != "measure" or context.command_path != JUDGE_CHECK:
        return 0, "the first"
    from truegain.measures.catalogue import parse_measure

    linear = [at for at, name in enumerate(value) if parse_measure(str(name)).linear_in_gains]
    if not linear:  # the command says itself what it takes
        return 0, ""
    return linear[0], "the first" if linear[0] == 0 else "the first that weighs ranks"


def _first_of(
    context: typer.Context, name: str, place: str, key: str, value: list[Any], at: int, which: str
) -> list[Note]:
    """The note where a study names several and a command takes one, or at times none."""
    text = (
        f"{place}: of {len(value)} {key}s, `{context.command_path}` uses one, {which}, {value[at]}; choose another "
        f"with --{key}"
    )
    if key == "measure" and str(context.info_name) in TAKEN_ONLY:
        only, otherwise = TAKEN_ONLY[str(context.info_name)]
        other = "" if value[at] == "AP" else f"{place}: {otherwise} {value[at]}"
        return [Note(text if len(value) > 1 else "", name, only, other)]
    return [Note(text, name)] if len(value) > 1 and which else []


def _unheeded(
    context: typer.Context, text: StudyText, names: list[str], own: dict[str, Any]
) -> tuple[list[Note], list[str]]:
    """What a study says and this command cannot heed, where its answer would be another, as notes and by name.

    Ratings that nothing here makes into gains are refused.
    """
    command, ratings = context.command_path, {p.name for p in context.command.params} & {"ratings"}
    rated = [option for option in RATED if option in names]
    if rated and not ratings and not any(option in own for option in RATED):
        hint = f"aggregate them: truegain aggregate {shown_path(text.path)} -o gains.qrels"
        problem = f"{rated[0]} says that the judgments are ratings, and `{command}` reads judgments"
        raise InputError(problem, file=text.file, line=text.line(rated[0]), hint=hint)
    aside = {*NOT_HANDED_ON, *CALLED_IN.get(str(context.info_name), ()), "judgments", "runs"}
    aside |= set(_about_labels(own) if ratings else ())
    aside |= set() if "confidence" in own and "intervals" not in own and _is_about_more(text) else {POPULATION}
    lost = [option for option in names if option not in own and option not in aside]
    noted = [option for option in lost if "gold" not in lost or option not in ABOUT_GOLD]
    notes = [Note(f"{text.file}: `{command}` ignores {', '.join(noted)}")] if noted else []
    if context.info_name in AT_ONE_CONFIDENCE and text.values.get("confidence", CONFIDENCE) != CONFIDENCE:
        place = f"{text.file}:{text.line('confidence')}"
        notes.append(Note(f"{place}: `{command}` ignores confidence; its intervals are at {CONFIDENCE:.0%}"))
    return notes, lost


def _is_about_more(text: StudyText) -> bool:
    """Whether a study shall hold for more than topics, which is what intervals are about where nothing is said."""
    population = next((x for key, x in text.values.items() if key.replace("_", "-") == POPULATION), "topics")
    names = ",".join(map(str, population if isinstance(population, list) else [population])).split(",")
    return {name.strip() for name in names} != {"topics"}


def _about_labels(own: dict[str, Any]) -> Collection[str]:
    """What is no matter for a command that looks at ratings: all that is not about these."""
    from truegain.aggregation.reading import RatingReading

    about = {field.name.replace("_", "-") for field in fields(RatingReading)} | {"normalize"}
    return [option for option in _of_studies() if option not in about and option not in own]


def typed_claims(
    context: typer.Context, pair: str | None, baseline: list[str] | None, candidate: str | None
) -> tuple[str | None, list[str] | None, str | None]:
    """The claims that are asked about: a pair typed comes before baselines of the file, and these before its pair."""
    typed = {name for name in ("pair", "baseline", "candidate") if is_typed(context, name)}
    if "pair" in typed and not typed & {"baseline", "candidate"}:
        return pair, None, None
    if typed & {"baseline", "candidate"} and "pair" not in typed:
        return None, baseline, candidate
    return pair, baseline, candidate


def _check(
    context: typer.Context, parameter: Any, value: Any, key: str, typed: Any, file: str, line: int | None
) -> None:
    """Have the option itself read the value, so that the file and the line are told where it cannot."""
    choices = next((s.choices for s in settings_of(StudyConfig) if s.name == parameter.name), ())
    if choices and value not in choices:
        raise not_known(key, value, choices, file, line)
    try:
        parameter.type_cast_value(context, value)
    except Exception as error:  # click's, which typer carries under a name of its own
        if not hasattr(error, "format_message"):
            raise
        hint = re.sub(r"^Invalid value for [^:]*: ", "", error.format_message().rstrip("."))
        hint = re.sub(r"^.* is not a valid (float|int|integer)( range)?$", lambda kind: WANTED[kind[1]], hint)
        raise InputError(f"{key} is {typed!r}", file=file, line=line, hint=hint) from None


StudyFile = Annotated[
    str | None,
    typer.Option(
        "--study",
        is_eager=True,
        callback=read_study,
        help="Study file (study.toml) with judgments, runs and options; typed options override it.",
    ),
]


def without_scale_of_file(reading: AnyReading) -> AnyReading:
    """What is asked of judgments that are no ratings: the `scale` of a study file is then that of `settle`."""
    if reading.scale is None or not is_from_study_file("scale"):
        return reading
    tell("there are no ratings, so `scale` of the study file is ignored here; `truegain settle` reads it", "note")
    return replace(reading, scale=None)
