"""What a log of an evaluation tool holds: a row for every value, what may name its system, and how it was made."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

OK = "ok"  # the status of a row that has a value


class Row(NamedTuple):
    """A value that a tool gave: to one answer, or to one claim, citation or nugget of it.

    Attributes
    ----------
    topic : str
        The sample, question or query.
    score : str
        The name of the score, such as 'faithfulness'.
    value : float
        NaN where there is none: failed, skipped, not parsed.
    system : str
        Whose answer; empty where a file is about one system.
    item : str
        The claim, citation or nugget; empty for the answer as a whole.
    weight : float
        What it counts among the items of the answer.
    judge : str
        The model or person who gave the value; empty for a rule, or where nobody says.
    replicate : int
        From 1: the epoch, repeat or trial.
    status : str
        'ok', or in one or two words why there is no value: 'failed', 'skipped', 'not a number'.
    line : int
        The line, row or number of the record in the file, for messages; 0 where unknown.
    """

    topic: str
    score: str
    value: float = math.nan
    system: str = ""
    item: str = ""
    weight: float = 1.0
    judge: str = ""
    replicate: int = 1
    status: str = OK
    line: int = 0


@dataclass(frozen=True)
class ScoreRange:
    """Between which values a score lies, where a tool says so, and whether less is better; None where nothing tells."""

    low: float = -math.inf
    high: float = math.inf
    lower_is_better: bool | None = None


@dataclass(frozen=True)
class ToolMean:
    """The mean that a tool printed for a score of a system, over how many samples, and why ours may differ.

    `rounding` is by how much printing may have moved it, and the values behind it.  `printed` is False where the file
    has no mean, and this is what the tool makes of it.  A reason that is `of_failed` holds only where values failed.
    """

    score: str
    mean: float
    system: str = ""
    n: int | None = None
    reason: str = ""  # such as 'an outage counts as a fail'
    rounding: float = 0.0
    printed: bool = True
    of_failed: bool = False


@dataclass(frozen=True, eq=False)
class Log:
    """One file, as its tool wrote it.

    Attributes
    ----------
    file : str
        The file, as messages name it.
    tool : str
        The tool and its version where the file tells: 'inspect_ai 0.3.285'.
    rows : sequence of Row
        Every value, and every one that should be there and is not.
    names : mapping of str to str
        What may name the system of a file about one, the most telling first, such as {'metadata.system': 'weak',
        'model': 'mockllm/model'}: files are told apart by the first that differs.
    clusters : mapping of str to mapping of str to str
        By column of the samples (such as 'metadata.topic'), what each topic has there.
    no_clusters : mapping of str to str
        By column that groups no topics, why: 'topic q1 has a and b there'.
    no_scores : mapping of str to str
        By column that has numbers and some cell that is none, what is said of that.
    scales : mapping of str to ScoreRange
        By score.
    means : sequence of ToolMean
        What the tool itself printed.
    provenance : mapping of str to object
        Judge model, prompt digest, time: what else tells how the values were made.
    notes : sequence of str
        What a reader must be told of this file.
    models : frozenset of str or None
        The judges that are language models, whose values nobody has checked; None: all judges of its rows.
    may_name : mapping of str to frozenset of str
        Of a table that names no system: columns that may name it, with their texts.
    rules : frozenset of str
        The scores that a rule gave, such as an exact match, and no judge.
    """

    file: str
    tool: str
    rows: Sequence[Row]
    names: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scales: Mapping[str, ScoreRange] = field(default_factory=dict)
    means: Sequence[ToolMean] = ()
    provenance: Mapping[str, object] = field(default_factory=dict)
    notes: Sequence[str] = ()
    models: frozenset[str] | None = None
    no_clusters: Mapping[str, str] = field(default_factory=dict)
    no_scores: Mapping[str, str] = field(default_factory=dict)
    may_name: Mapping[str, frozenset[str]] = field(default_factory=dict)
    rules: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LogFormat:
    """A kind of log: how it is recognized, and how it is read.

    Attributes
    ----------
    name : str
        Of the tool: 'inspect_ai'.
    words : str
        What messages call such a file: 'a log of inspect_ai'.
    recognizes : callable
        From all bytes of a file (unpacked where it was compressed) and its name, whether it is one.
    read : callable
        The log, from the same; what cannot be read is refused with its place.
    """

    name: str
    words: str
    recognizes: Callable[[bytes, str], bool]
    read: Callable[[bytes, str], Log]
