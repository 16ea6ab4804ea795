"""A study from a file, in Python: the same that the command line asks."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from truegain.errors import InputError, TruegainError
from truegain.gains.reading import RatingsAsked
from truegain.inference.study.study import Study
from truegain.inference.study_file.asked import StudyAsked
from truegain.made_by import named
from truegain.message import with_marks
from truegain.tables.header import Told, headers_of, own_gold, telling, values_of
from truegain.tables.notice import counted, warn
from truegain.tables.sources import PathLike, expand
from truegain.tables.study_text import StudyText
from truegain.tables.study_words import FileWords, key_of

NAMES = {float: "float", int: "integer", bool: "boolean", str: "text"}


@dataclass(frozen=True, kw_only=True)
class _Files:
    """What a study file says beside the options of a study."""

    judgments: str | None = None
    runs: list[str] | None = None
    pair: str | None = None
    baseline: list[str] | None = None
    candidate: str | None = None


PARTS = (_Files, StudyAsked, RatingsAsked)
KINDS = {name.replace("_", "-"): kind for part in PARTS for name, kind in get_type_hints(part).items()}


def read_study(path: PathLike) -> Study:
    r"""The study that a file describes, with the answers that the command line has of it.

    The file holds judgments, runs and options by the names they have there; paths are relative to it.  Where it names
    a pair, or baselines and a candidate, these are the study's `claims`; prices it names (`costs`) are those of its
    verdicts and next steps, unless others are given there.

    >>> import tempfile, truegain as tg
    >>> from pathlib import Path
    >>> topics = range(1, 13)
    >>> lines = {"good": "abc", "poor": "bca"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     here = Path(folder)
    ...     _ = (here / "gold.qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b {t % 2}\n{t} 0 c 0\n" for t in topics))
    ...     for name, docs in lines.items():
    ...         rows = [f"{t} Q0 {d} {i} {-i} {name}\n" for t in topics for i, d in enumerate(docs, 1)]
    ...         _ = (here / f"{name}.run").write_text("".join(rows))
    ...     _ = (here / "study.toml").write_text(
    ...         'judgments = "gold.qrels"\nruns = ["good.run", "poor.run"]\nmeasure = "P@1"\npair = "poor,good"\n')
    ...     study = tg.read_study(here / "study.toml")
    ...     [study.verdict(a, b).outcome for a, b in study.claims]
    ['better']
    """
    text = StudyText.of(os.fspath(path))
    words, said = _words(text)
    files = _made(_Files, words)
    for name, example in (("judgments", "gold.qrels"), ("runs", "runs")):
        if not getattr(files, name):
            hint = f'write a line such as {name} = "{example}"'
            raise InputError(f"no {name} are named", file=text.file, hint=hint)
    try:
        return _study(files, _made(StudyAsked, words), _made(RatingsAsked, words), named(path))
    except TruegainError as error:
        raise _placed(error, said) from None


def _study(files: _Files, asked: StudyAsked, reading: RatingsAsked, source: str) -> Study:
    columns = reading.columns or ""
    said = headers_of(columns)
    reading = replace(reading, columns=said.judged.written)
    told = Told(
        files.judgments, *said, reading.missing, own_gold("gold", asked.gold), columns=columns,
        values=values_of(reading.values),
    )  # fmt: skip
    with telling(told):
        if beyond := asked.beyond_gold():
            asked = replace(asked, measure=[m for m in asked.measure or () if m not in beyond])
            warn(f"{source}: {counted(len(beyond), 'measure')} left out: {'; '.join(beyond.values())}")
        study = asked.study(str(files.judgments), expand(files.runs or []), reading)
    study.claims = tuple(asked.claims(study.systems, files.pair, files.baseline, files.candidate))
    study.costs = asked.costs
    study.made_by["study"] = source
    return study


def _words(text: StudyText) -> tuple[dict[str, Any], FileWords]:
    """What the file says by the names of fields, and where it says it."""
    words, keys = {}, {}
    for option, key, value, line in text.options(KINDS, "a study"):
        several, kind, choices = _kind(KINDS[option])
        told = text.told(option, key, line, several)
        text.check_kind(key, NAMES[kind], line)
        words[option.replace("-", "_")] = _cast(told, kind, choices, f"{key} is {value!r}", text.file, line)
        keys[option] = text.key(option, key, line, told)
    return words, FileWords(text.file, keys)


def _kind(hint: Any) -> tuple[bool, type, tuple[Any, ...]]:
    """Whether several may be given, what each is, and of which it is one.

    >>> _kind(list[str] | None), _kind(Literal["a", "b"]), _kind(float | None)
    ((True, <class 'str'>, ()), (False, <class 'str'>, ('a', 'b')), (False, <class 'float'>, ()))
    """
    parts = [part for part in get_args(hint) if part is not NoneType] if NoneType in get_args(hint) else [hint]
    one = parts[0]
    if get_origin(one) is list:
        return True, get_args(one)[0], ()
    return (False, str, get_args(one)) if get_origin(one) is Literal else (False, one, ())


def _cast(told: Any, kind: type, choices: tuple[Any, ...], problem: str, file: str, line: int | None) -> Any:
    """A value as what the field is."""
    if isinstance(told, list):
        return [str(one) for one in told]
    if choices and told not in choices:
        hint = f"{told!r} is not one of {', '.join(map(repr, choices))}"
        raise InputError(problem, file=file, line=line, hint=hint)
    if kind is bool and not isinstance(told, bool):
        raise InputError(problem, file=file, line=line, hint="give true or false")
    try:
        return kind(told)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise InputError(problem, file=file, line=line, hint=f"give {what}") from None


def _made(part: type[Any], words: dict[str, Any]) -> Any:
    return part(**{name: words[name] for name in get_type_hints(part) if name in words})


def _placed(error: TruegainError, said: FileWords) -> TruegainError:
    """A refusal of what the file said, with its place there; any other as it is."""
    if isinstance(error, InputError) and not (error.line is None and error.row is None):
        return error
    found = said.place(error)
    if found is None and any(key_of(part.name) in KINDS for part in error.message.named):
        found = None, ""
    return error if found is None else error.at(said.file, found[0], f"{found[1]}{with_marks(error)}")
