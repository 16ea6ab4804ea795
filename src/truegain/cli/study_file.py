"""Study files on the command line: what the command line says itself comes first."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields
from typing import Annotated, Any

import typer

from truegain.cli.study_said import Note, is_typed, remember
from truegain.errors import InputError
from truegain.tables.sources import shown_path
from truegain.tables.study_text import ELSEWHERE, StudyText
from truegain.tables.study_words import FileWords, Key

NOT_THERE = ("study", "help", "cache")
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
ASIDE = {
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
    "memory",
}
# commands without such an option whose intervals have one confidence
CONFIDENCE = 0.95
JUDGE_CHECK = "truegain judge check"
AT_ONE_CONFIDENCE = ("check", "incomplete", "magnitudes", "spending", "unanimity", "unanimity-grid")
ABOUT_GOLD = ("design", "gold-relevant-from", "gold-aggregate")  # said with the gold labels
RATED = ("aggregate", "normalize")  # say that judgments are ratings


def read_study(context: typer.Context, path: str | None) -> str | None:
    """Take what a study file says for everything that the command line does not say.

    A command that has only some of a study's options takes these; which of the others would matter is told.
    """
    if path is None or context.resilient_parsing:
        return path
    text, own = StudyText.of(path), _own(context)
    whole = WHOLE in own
    may = own if whole else _of_studies()
    found: dict[str, Any] = {}
    keys: dict[str, Key] = {}
    notes: list[Note] = []
    called = CALLED_IN.get(str(context.info_name), {})
    for said, key, value, line in text.options(may, str(context.info_name) if whole else "a study"):
        option = called.get(said, said)
        parameter = own.get(option)
        if parameter is None or not (whole or _is_meant(option)):
            continue
        if option == "population" and not whole and _is_beyond(parameter, value):
            own = {name: p for name, p in own.items() if name != "population"}  # told below as not heeded
            continue
        several = getattr(parameter, "multiple", False) or parameter.nargs == -1
        if not several and isinstance(value, list) and option in ("measure", "baseline"):
            at, which = _taken(context, option, value)
            notes += _first_of(context, str(parameter.name), text.file, line, key, value, at, which)
            text.values[key] = value = value[at]
        elif option == "measure" and str(context.info_name) in TAKEN_ONLY:
            notes += _first_of(context, str(parameter.name), text.file, line, key, [value], 0, "")
        told = text.told(option, key, line, several)
        text.check_kind(key, getattr(parameter.type, "name", "").removesuffix(" range"), line)
        _check(context, parameter, told, f"{key} is {value!r}", text.file, line)
        found[str(parameter.name)] = told
        keys[option] = text.key(option, key, line, told)
    found |= _pair_of_claim(text, own, found)
    unused: list[str] = []
    if not whole:
        more, unused = _unheeded(context, text, [key.replace("_", "-") for key in text.values], own)
        notes += more
    context.default_map = found
    remember(context, FileWords(text.file, keys, {*text.tables.values()}), may, notes, unused)
    return path


def _pair_of_claim(text: StudyText, own: Collection[str], found: Collection[str]) -> dict[str, str]:
    """The pair of a command that has no other claims: a study's one baseline and its candidate."""
    baseline, candidate = text.values.get("baseline"), text.values.get("candidate")
    one = baseline[0] if isinstance(baseline, list) and len(baseline) == 1 else baseline
    if "pair" not in own or "candidate" in own or "pair" in found:
        return {}
    if not (isinstance(one, str) and isinstance(candidate, str)) or "," in one + candidate:
        return {}
    return {"pair": f"{one},{candidate}"}


def judgments_of(context: typer.Context, path: str) -> str:
    """The judgments that a study file names; all else that it says goes for what the command line does not say."""
    read_study(context, path)
    context.meta["study"] = path
    text = StudyText.of(path)
    line = text.line("judgments")
    if line is None:
        hint = 'write a line such as judgments = "gold.qrels"'
        raise InputError("no judgments are named", file=shown_path(path), hint=hint)
    if "files" in {p.name for p in context.command.params} and "runs" in text.values:  # runs, and more before them
        context.meta["runs"] = text.told("runs", "runs", text.line("runs"), several=True)
    return str(text.told("judgments", "judgments", line, several=False))


def _own(context: typer.Context) -> dict[str, Any]:
    """The options of a command by the names they have in a study; judgments and ratings are read by themselves."""
    names = {max(p.opts, key=len).lstrip("-"): p for p in context.command.params if p.name not in NOT_THERE}
    return {name: p for name, p in names.items() if name != "ratings"}


def _of_studies() -> Collection[str]:
    """All that a study file may say."""
    from truegain.inference.study_file.read import KINDS

    return dict.fromkeys([*KINDS, "memory", *ELSEWHERE])


def _is_beyond(parameter: Any, population: Any) -> bool:
    """Whether a command that answers for one population cannot answer for the study's."""
    choices = getattr(parameter.type, "choices", None)
    names = ",".join(map(str, population)) if isinstance(population, list) else str(population)
    return choices is not None and names not in choices


def _is_meant(option: str) -> bool:
    """Whether a command means by an option what a study does."""
    return option not in OTHERWISE


def _taken(context: typer.Context, option: str, value: list[Any]) -> tuple[int, str]:
    """Which of several a command takes, and in words; `judge check` the first measure whose ranks have weights."""
    if option != "measure" or _name(context) != JUDGE_CHECK:
        return 0, "the first"
    from truegain.measures.parse import parse_measure

    linear = [at for at, one in enumerate(value) if parse_measure(str(one)).linear_in_gains]
    if not linear:  # the command says itself what it takes
        return 0, ""
    return linear[0], "the first" if linear[0] == 0 else "the first that weighs ranks"


def _first_of(
    context: typer.Context, name: str, file: str, line: int | None, key: str, value: list[Any], at: int, which: str
) -> list[Note]:
    """What to say where a study names several and a command takes one, or at times none."""
    place = file if line is None else f"{file}:{line}"
    text = f"{place}: of {len(value)} {key}s `{_name(context)}` takes one, {which}, {value[at]}; --{key} names another"
    if key == "measure" and str(context.info_name) in TAKEN_ONLY:
        only, otherwise = TAKEN_ONLY[str(context.info_name)]
        other = "" if value[at] == "AP" else f"{place}: {otherwise} {value[at]}"
        return [Note(text if len(value) > 1 else "", name, only, other)]
    return [Note(text, name)] if len(value) > 1 and which else []


def _unheeded(
    context: typer.Context, text: StudyText, said: list[str], own: dict[str, Any]
) -> tuple[list[Note], list[str]]:
    """What a study says and this command cannot heed, where its answer would be another, as notes and by name.

    Ratings that nothing here makes into gains are refused.
    """
    name, ratings = _name(context), {p.name for p in context.command.params} & {"ratings"}
    rated = [option for option in RATED if option in said]
    if rated and not ratings and not any(option in own for option in RATED):
        hint = f"make judgments of them: truegain aggregate {shown_path(text.path)} -o gains.qrels"
        problem = f"{rated[0]} says that the judgments are ratings, and `{name}` reads judgments"
        raise InputError(problem, file=text.file, line=text.line(rated[0]), hint=hint)
    aside = {*ASIDE, *CALLED_IN.get(str(context.info_name), ()), "judgments", "runs"}
    aside |= set(_about_labels(own) if ratings else ())
    aside |= set() if "confidence" in own and "intervals" not in own and _is_about_more(text) else {POPULATION}
    lost = [option for option in said if option not in own and option not in aside]
    kept = [option for option in lost if "gold" not in lost or option not in ABOUT_GOLD]
    notes = [Note(f"{text.file}: `{name}` does not heed {', '.join(kept)}")] if kept else []
    if context.info_name in AT_ONE_CONFIDENCE and text.values.get("confidence", CONFIDENCE) != CONFIDENCE:
        place = f"{text.file}:{text.line('confidence')}"
        notes.append(Note(f"{place}: `{name}` does not heed confidence; its intervals are at {CONFIDENCE:.0%}"))
    return notes, lost


def _is_about_more(text: StudyText) -> bool:
    """Whether a study shall hold for more than topics, which is what intervals are about where nothing is said."""
    said = next((x for key, x in text.values.items() if key.replace("_", "-") == POPULATION), "topics")
    names = ",".join(map(str, said if isinstance(said, list) else [said])).split(",")
    return {name.strip() for name in names} != {"topics"}


def _name(context: typer.Context) -> str:
    """The command, as it is typed."""
    return str(context.command_path)


def _about_labels(own: dict[str, Any]) -> Collection[str]:
    """What is no matter for a command that looks at ratings: all that is not about these."""
    from truegain.gains.reading import RatingsAsked

    about = {field.name.replace("_", "-") for field in fields(RatingsAsked)} | {"normalize"}
    return [option for option in _of_studies() if option not in about and option not in own]


def claims_said(
    context: typer.Context, pair: str | None, baseline: list[str] | None, candidate: str | None
) -> tuple[str | None, list[str] | None, str | None]:
    """The claims that are asked about: a pair typed comes before baselines of the file, and these before its pair."""
    typed = {name for name in ("pair", "baseline", "candidate") if is_typed(context, name)}
    if "pair" in typed and not typed & {"baseline", "candidate"}:
        return pair, None, None
    if typed & {"baseline", "candidate"} and "pair" not in typed:
        return None, baseline, candidate
    return pair, baseline, candidate


def _check(context: typer.Context, parameter: Any, told: Any, problem: str, file: str, line: int | None) -> None:
    """Have the option itself read the value, so that the file and the line are told where it cannot."""
    try:
        parameter.type_cast_value(context, told)
    except Exception as error:  # click's, which typer carries under a name of its own
        if not hasattr(error, "format_message"):
            raise
        hint = re.sub(r"^Invalid value for [^:]*: ", "", error.format_message().rstrip("."))
        raise InputError(problem, file=file, line=line, hint=hint) from None


StudyFile = Annotated[
    str | None,
    typer.Option(
        "--study",
        is_eager=True,
        callback=read_study,
        help="A file study.toml of judgments, runs and options by their names; the command line comes first.",
    ),
]
