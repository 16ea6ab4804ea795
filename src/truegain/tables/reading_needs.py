"""What reading a file takes, told from how it begins: its text, and so much for every line and every topic.

The figures are peaks of the process as measured, on files of long and short lines, of few topics and of many.
"""

from __future__ import annotations

from itertools import pairwise

from truegain.errors import InputError
from truegain.tables import tabular
from truegain.tables.sources import shown_path

RUN_LINE, RUN_TOPIC = 60, 200  # bytes beside the text
JUDGED_LINE, JUDGED_TOPIC = 140, 150
STIRRED = 50  # more for each line of a run where those of a topic do not stand together
TABLES = {"csv": (b"\n", 410), "tsv": (b"\n", 410), "jsonl": (b"\n", 750), "json": (b"{", 750), "nested": (b":", 320)}
PACKED = 30.0  # of Parquet: bytes for each of its own
WORST = 70  # bytes taken for each byte of a file at most, as of the shortest lines
KEPT_LINE = 26  # bytes kept of each line of a run that was matched with judgments, if half of it is judged
LOOKED_AT = 1 << 14  # bytes of the beginning


def line_of_head(head: bytes) -> float:
    """The mean length of a line; 1, not 0, where nothing is there, as of what tells no size: it is divided by."""
    return max(1, len(head)) / max(1, head.count(b"\n"))


def taken(head: bytes, name: str, *, judged: bool) -> float:
    r"""The bytes of memory that each byte of judgments, or of a run, takes that begins so, to be read and ordered.

    >>> round(taken(b"401 Q0 FBIS3-1 1 12.5 bm25\n" * 9, "bm25.run", judged=False), 1)
    4.0
    """
    try:
        kind = tabular.kind_of(head, shown_path(name))
    except InputError:  # told when it is read
        kind = None
    if kind == "parquet":
        return PACKED
    if kind is not None:
        mark, each = TABLES[kind]
        return 1 + each * max(1, head.count(mark)) / max(1, len(head))
    share = _topics_by_line(head)
    line, topic = (JUDGED_LINE, JUDGED_TOPIC) if judged else (RUN_LINE, RUN_TOPIC)
    more = topic * share if share else (0 if judged else STIRRED)
    return 1 + (line + more) / line_of_head(head)


def topics_about(head: bytes, size: int) -> int:
    """How many topics lines have that begin so; 0 where those of a topic do not stand together."""
    return int(_topics_by_line(head) * size / line_of_head(head))


def _topics_by_line(head: bytes) -> float:
    """How many topics there are for each line; 0 where lines of a topic do not stand together."""
    topics = [line.split(None, 1)[0] for line in head.splitlines() if line.strip()]
    changes = 1 + sum(a != b for a, b in pairwise(topics))
    if not topics or changes != len(set(topics)):
        return 0.0
    if changes == len(topics) > 1 and topics not in (sorted(topics), sorted(topics, key=lambda t: (len(t), t))):
        return 0.0  # each another one, and in no order: stirred lines of many topics
    return changes / len(topics)
