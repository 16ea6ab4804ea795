"""All logs that are read, a line each; which one a file is, by what it holds, and reading it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from truegain.errors import InputError
from truegain.io.files import STANDARD_INPUT, PathLike, is_folder, read_any_bytes, shown_path, start_of
from truegain.io.logs.autojudge import AUTOJUDGE, NUGGET_BANK, read_leaderboard
from truegain.io.logs.benchmarks import BEIR, MTEB
from truegain.io.logs.deepeval import DEEPEVAL
from truegain.io.logs.inspect_ai import INSPECT_AI
from truegain.io.logs.lm_evaluation_harness import LM_EVALUATION_HARNESS
from truegain.io.logs.log import Log, LogFormat
from truegain.io.logs.mlflow import MLFLOW
from truegain.io.logs.nuggetizer import NUGGETIZER
from truegain.io.logs.phoenix import PHOENIX
from truegain.io.logs.promptfoo import PROMPTFOO
from truegain.io.logs.ragas import RAGAS

LOGS: dict[str, LogFormat] = {
    log.name: log
    for log in (
        INSPECT_AI,
        DEEPEVAL,
        PROMPTFOO,
        RAGAS,
        PHOENIX,
        MLFLOW,
        LM_EVALUATION_HARNESS,
        NUGGETIZER,
        AUTOJUDGE,
        NUGGET_BANK,
        MTEB,
        BEIR,
    )
}


def log_format(data: bytes, file: str) -> LogFormat | None:
    r"""The tool that wrote a file, by its content; None where it is no log, as judgments, runs and tables are none.

    >>> log_format(b'{"qid": "1", "strict_vital_score": 0.5}', "scores.jsonl").words
    'nuggets of nuggetizer'
    >>> log_format(b"q1 0 d1 1\n", "a.qrels") is None
    True
    """
    return next((log for log in LOGS.values() if log.recognizes(data, file)), None)


def log_format_of(path: PathLike) -> LogFormat | None:
    """The tool that wrote a file, by its beginning; None where it is no log, or is standard input, read but once."""
    name = os.fspath(path)
    if name == STANDARD_INPUT or is_folder(name):
        return None
    return log_format(start_of(name), shown_path(name))


def log_in(path: PathLike) -> Log | None:
    """A file as its tool wrote it; None where no tool is known that writes such a file."""
    data, file = read_any_bytes(path), shown_path(path)
    tool_format = log_format(data, file)
    if tool_format is None:
        return None
    try:
        return tool_format.read(data, file)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:  # fields that are other than written
        problem = f"this begins like {tool_format.words}, but the rest does not match ({type(error).__name__}: {error})"
        raise InputError(problem, file=file, hint="check that the tool wrote it, and that it is whole") from error


def read_log(path: PathLike, columns: Sequence[str] | None = None) -> Log:
    """Read the log of a tool.

    Parameters
    ----------
    path : path-like
        The file, compressed or not, here or at an address.
    columns : sequence of str, optional
        What the columns of a leaderboard hold, where its rows do not tell: 'run', 'topic', 'measure' and 'value' in
        their order; the last three where a file has one run.

    Returns
    -------
    Log
        Every value, and every one that should be there and is not.
    """
    if columns is not None:
        return read_leaderboard(read_any_bytes(path), shown_path(path), columns)
    log = log_in(path)
    if log is None:
        *others, last = LOGS
        hint = f"logs of {', '.join(others)} and {last} are read; others as a table of system, topic, measure and value"
        raise InputError("this is not a log of a tool that is known", file=shown_path(path), hint=hint)
    return log
