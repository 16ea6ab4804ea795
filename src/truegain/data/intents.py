"""Intents: how probable each subtopic of a topic is, and whether it is navigational."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from truegain.data.pool import RankedGains
from truegain.errors import InputError
from truegain.io.columns import frozen
from truegain.io.files import PathLike, read_bytes
from truegain.io.plain_text import plain_text

Type = Literal["inf", "nav"]
ROUNDING = 0.01  # NTCIR prints probabilities with few decimals, so they may sum to a little more than 1


@dataclass(frozen=True)
class Intents:
    """Probability, and type where known, of the subtopics (intents) of each topic.

    Parameters
    ----------
    probability : mapping of str to mapping of str to float
        ``{topic: {subtopic: probability}}``; the probabilities of a topic sum to at most 1.
    type : mapping of str to mapping of str to {'inf', 'nav'}, optional
        Whether a subtopic is informational or navigational; informational by default.

    Examples
    --------
    >>> Intents({"1": {"a": 0.7, "b": 0.3}}).probability["1"]["a"]
    0.7
    """

    probability: Mapping[str, Mapping[str, float]]
    type: Mapping[str, Mapping[str, Type]] | None = None

    def __post_init__(self) -> None:
        for topic, intents in self.probability.items():
            if any(not 0 <= p <= 1 for p in intents.values()) or sum(intents.values()) > 1 + ROUNDING:
                raise InputError(
                    f"the intent probabilities of topic {topic} are not probabilities: {dict(intents)}",
                    hint="give numbers from 0 to 1 that sum to 1",
                )


def read_intents(path: PathLike) -> Intents:
    r"""Read the probabilities of subtopics, for measures of diversity.

    Parameters
    ----------
    path : str or path-like
        A file with lines ``topic subtopic probability [inf|nav]``.

    Returns
    -------
    Intents
        What `evaluate` takes as ``intents``.

    Examples
    --------
    >>> import tempfile, truegain as tg
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "intents.txt").write_text("1 a 0.7\n1 b 0.3 nav\n")
    ...     tg.read_intents(f"{folder}/intents.txt").probability
    {'1': {'a': 0.7, 'b': 0.3}}
    """
    probability: dict[str, dict[str, float]] = {}
    types: dict[str, dict[str, Type]] = {}
    file = str(path)
    for number, raw in enumerate(plain_text(read_bytes(path), file).split(b"\n"), 1):
        line, fields = raw.decode().rstrip("\r"), [field.decode() for field in raw.split()]
        if not fields or fields[0].startswith("#"):
            continue
        try:
            topic, subtopic, share = fields[0], fields[1], float(fields[2])
            kind = fields[3] if len(fields) == 4 else "inf"
            sound = len(fields) in (3, 4) and kind in ("inf", "nav") and 0 <= share <= 1
        except (IndexError, ValueError):
            sound = False
        if not sound:
            raise InputError(
                "not an intent",
                file=file,
                line=number,
                text=line,
                hint="write 'topic subtopic probability [inf|nav]'",
            )
        if subtopic in probability.setdefault(topic, {}):
            raise InputError(
                f"subtopic {subtopic} of topic {topic} appears twice",
                file=file,
                line=number,
                text=line,
                hint="keep one of the two lines",
            )
        probability[topic][subtopic] = share
        types.setdefault(topic, {})[subtopic] = kind  # type: ignore[assignment]
    if not probability:
        raise InputError("the file has no intents", file=file, hint="write 'topic subtopic probability [inf|nav]'")
    return Intents(probability, types)


def with_intents(
    ranked: RankedGains, intents: Intents | Mapping[str, Mapping[str, float]] | PathLike | None
) -> RankedGains:
    """Ranked gains that know how probable each judged subtopic is.

    Without intents every subtopic of a topic is equally probable and informational.
    """
    if intents is None:
        return ranked
    if isinstance(intents, Mapping):
        parsed = Intents({str(t): {str(s): p for s, p in m.items()} for t, m in intents.items()})
    else:
        parsed = intents if isinstance(intents, Intents) else read_intents(intents)
    facets, topics = ranked.facets, ranked.topics
    topic_of_row = ranked.pool.topic[facets.item].tolist()
    names = [(topics[t], facets.subtopics[s]) for t, s in zip(topic_of_row, facets.subtopic.tolist(), strict=True)]
    missing = sorted({pair for pair in names if pair[1] not in parsed.probability.get(pair[0], {})})
    if missing:
        raise InputError(
            f"no intent probability for subtopic {missing[0][1]} of topic {missing[0][0]} and {len(missing) - 1} more",
            hint="give one for every judged subtopic",
        )
    probability = np.array([parsed.probability[t][s] for t, s in names])
    kinds = parsed.type or {}
    navigational = np.array([kinds.get(t, {}).get(s, "inf") == "nav" for t, s in names])
    return replace(ranked, intents=frozen(probability), navigational=frozen(navigational))
