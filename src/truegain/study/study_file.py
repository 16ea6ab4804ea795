"""A study from a file, in Python: the same that the command line asks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from truegain.aggregation.reading import RatingReading
from truegain.config import StudyConfig
from truegain.errors import InputError, TruegainError, counted, warn
from truegain.io.file_options import FileOptions, headers_of, own_gold, read_with, values_of
from truegain.io.file_roles import check_column_exists
from truegain.io.files import PathLike, expand, file_name
from truegain.io.study_text import FileWords, StudyText, key_of, not_known
from truegain.message import with_marks
from truegain.results.base import named
from truegain.settings import settings_of
from truegain.study.file_kinds import PREFERENCES, examine
from truegain.study.inputs import StudyInputs
from truegain.study.study import Study


@dataclass(frozen=True, kw_only=True)
class _Files:
    """What a study file says beside the options of a study."""

    judgments: str | None = None
    runs: list[str] | None = None
    pair: str | None = None
    baseline: list[str] | None = None
    candidate: str | None = None


def kinds_of_file() -> dict[str, Any]:
    """By option, what a study file may give for it.

    >>> kinds_of_file()["min-effect"], kinds_of_file()["measure"]
    (<class 'float'>, list[str] | None)
    """
    kinds = {name: kind for part in (_Files, StudyInputs, RatingReading) for name, kind in get_type_hints(part).items()}
    kinds |= {s.name: Literal[s.choices] | None if s.choices else s.kind for s in settings_of(StudyConfig)}
    return {name.replace("_", "-"): kind for name, kind in kinds.items()}


KINDS = kinds_of_file()


def read_study(path: PathLike) -> Study:
    r"""Read the study that a file describes, with the answers that the command line gives of it.

    Parameters
    ----------
    path : str or path-like
        A study.toml: judgments, runs and options by the names they have on the command line.  Paths are relative to it.

    Returns
    -------
    Study
        Where the file names a pair, or baselines and a candidate, these are its `claims`.  Prices in the file (`costs`)
        are those of its verdicts and next steps, unless others are given there.

    Examples
    --------
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
    text = StudyText.of(file_name(path))
    words, file_words = _words(text)
    files = _made(_Files, words)
    for name, example in (("judgments", "gold.qrels"), ("runs", "runs")):
        if not getattr(files, name):
            hint = f'write a line such as {name} = "{example}"'
            if name == "runs" and examine(str(files.judgments)).kind == PREFERENCES:
                hint = f"{files.judgments} contains preferences: call tg.PreferenceStudy({files.judgments!r})"
            raise InputError(f"no {name} are named", file=text.file, hint=hint)
    try:
        config = StudyConfig.from_options(words)
        return _study(files, _made(StudyInputs, words), config, _made(RatingReading, words), named(path))
    except TruegainError as error:
        raise _placed(error, file_words) from None


def _study(files: _Files, inputs: StudyInputs, config: StudyConfig, reading: RatingReading, source: str) -> Study:
    columns = reading.columns or ""
    headers = headers_of(columns)
    reading = replace(reading, columns=headers.judgments_header.written)
    gold = None if config.gold is None else str(config.gold.labels)
    sample = None if config.sample is None else config.sample.labels
    options = FileOptions(
        files.judgments, *headers, reading.missing, own_gold("gold", gold), columns=columns,
        values=values_of(reading.values),
        check_name=partial(check_column_exists, (files.judgments, files.runs, gold, sample)),
    )  # fmt: skip
    with read_with(options):
        if beyond := inputs.uncorrectable_by_design(config):
            inputs = replace(inputs, measure=[m for m in inputs.measure or () if m not in beyond])
            warn(f"{source}: {counted(len(beyond), 'measure')} left out: {'; '.join(beyond.values())}")
        study = inputs.study_of_files(str(files.judgments), expand(files.runs or []), config, reading)
    study.claims = tuple(inputs.claims(study.systems, files.pair, files.baseline, files.candidate))
    study.costs = inputs.costs
    study.provenance["study"] = source
    return study


def _words(text: StudyText) -> tuple[dict[str, Any], FileWords]:
    """What the file says by the names of options, and where it says it."""
    words, keys = {}, {}
    kinds = kinds_of_file()
    for option, key, value, line in text.options(kinds, "a study"):
        kind = kinds[option]
        typed = text.typed_value(option, key, line, get_origin(without_none(kind)) is list)
        words[option.replace("-", "_")] = _converted(typed, kind, key, value, text.file, line)
        keys[option] = text.key(option, key, line, typed)
    return words, FileWords(text.file, keys, {*text.tables.values()})


def without_none(kind: Any) -> Any:
    """What a value is where it is given.

    >>> without_none(int | None), without_none(str)
    (<class 'int'>, <class 'str'>)
    """
    return next((part for part in get_args(kind) if part is not NoneType), kind) if NoneType in get_args(kind) else kind


def _converted(typed: Any, kind: Any, key: str, value: Any, file: str, line: int | None) -> Any:
    """A value as what the option is; what it cannot be is refused with its line."""
    one = without_none(kind)
    try:
        if get_origin(one) is list:
            typed = [x if isinstance(x, bool) else str(x) for x in typed]
        elif one is str and isinstance(typed, int | float) and not isinstance(typed, bool):
            typed = str(typed)
        return msgspec.convert(typed, kind, strict=not isinstance(typed, str) or get_origin(one) is Literal)
    except msgspec.ValidationError:
        if get_origin(one) is Literal:
            raise not_known(key, typed, get_args(one), file, line) from None
        wanted = {bool: "give true or false", int: "give a whole number", float: "give a number"}
        raise InputError(f"{key} is {value!r}", file=file, line=line, hint=wanted.get(one, "give a text")) from None


def _made(part: type[Any], words: dict[str, Any]) -> Any:
    return part(**{name: words[name] for name in get_type_hints(part) if name in words})


def _placed(error: TruegainError, file_words: FileWords) -> TruegainError:
    """A refusal of what the file said, with its place there; any other as it is."""
    if isinstance(error, InputError) and not (error.line is None and error.row is None):
        return error
    place = file_words.place(error)
    if place is None and any(key_of(part.name) in KINDS for part in error.message.named):
        place = None, ""
    return error if place is None else error.at(file_words.file, place[0], f"{place[1]}{with_marks(error)}")
