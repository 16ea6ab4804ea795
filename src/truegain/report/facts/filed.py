"""Runs in files: read when they are first looked at, which is never where all that is asked was kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from truegain.inference.study.given import Given, of_topics
from truegain.stored import hints_of
from truegain.tables.columns import frozen
from truegain.tables.judgments import Judgments
from truegain.tables.notice import heard, tell
from truegain.tables.pool import Pool
from truegain.tables.ranked import RankedGains
from truegain.tables.read import NameBy
from truegain.tables.runs import Run, Runs, read_runs

Keeping = Callable[[tuple[object, ...], Callable[[], Any], Any], Any]  # by what it was made of, how, and its type


COLUMNS = hints_of(RankedGains, but="pool")  # which labels make again


def as_made(_: tuple[object, ...], make: Callable[[], Any], kind: object) -> Any:  # noqa: ARG001
    """Nothing is kept."""
    return make()


class FiledRuns(Runs):
    """Runs that are read when somebody looks at them."""

    def __init__(self, files: Sequence[str], name_by: NameBy, rename: Callable[[Runs], Runs] | None = None) -> None:
        self.files, self.name_by, self.rename = list(files), name_by, rename

    @cached_property
    def parts(self) -> tuple[Run, ...]:
        """Of every file."""
        found = read_runs(self.files, name_by=self.name_by)
        return found.parts if self.rename is None else self.rename(found).parts


@dataclass(frozen=True, eq=False)
class Filed(Given):
    """Runs in files, as a study is given them; how they stand in line with labels is kept, and what was told of it."""

    kept: Keeping = as_made

    @classmethod
    def of(
        cls, files: Sequence[str], name_by: NameBy, jobs: int | None, kept: Keeping,
        rename: Callable[[Runs], Runs] | None = None,
    ) -> Filed:  # fmt: skip
        """From the names of the files; `rename` gives their systems other names."""
        return cls(FiledRuns(files, name_by, rename), name_by, jobs, kept)

    @property
    def table(self) -> FiledRuns:
        """The runs."""
        assert isinstance(self.runs, FiledRuns)
        return self.runs

    def aligned(self, labels: Judgments, keep_keys: int, few: bool) -> tuple[RankedGains, Judgments]:
        """As ever, or as kept."""
        make = super().aligned

        def now() -> dict[str, Any]:
            with heard() as said:
                ranked = make(labels, keep_keys, few)[0]
            return {**{name: getattr(ranked, name) for name in COLUMNS}, "topics": ranked.topics, "said": said}

        found = self.kept(
            ("aligned", digest_of_labels(labels), keep_keys, few, self.complete, self.matching), now,
            {**COLUMNS, "topics": tuple[str, ...], "said": list[str]},
        )  # fmt: skip
        topics = found["topics"]
        tell(found["said"])
        left = labels if len(topics) == len(labels.topic.values) else of_topics(labels, set(topics))
        return _against(left, {name: found[name] for name in COLUMNS}), left


def _against(labels: Judgments, columns: dict[str, Any]) -> RankedGains:
    """Runs in line with labels, from what was kept; ValueError where lists do not fit the entries."""
    begin, entries = columns["begin"], len(columns["rank"])
    if begin[0] != 0 or begin[-1] != entries or np.any(begin[1:] < begin[:-1]) or len(columns["item"]) != entries:
        raise ValueError("lists and entries do not fit together")  # before some memory is asked for by them
    for column in columns.values():
        if isinstance(column, np.ndarray):
            frozen(column)
    return RankedGains(pool=Pool.of(labels), **columns)


def digest_of_labels(labels: Judgments) -> str:
    """The digest of what is matched with runs.

    >>> one, same, other = (Judgments.of({"1": {"a": x, "b": 0}}) for x in (1, 1, 2))
    >>> digest_of_labels(one) == digest_of_labels(same) != digest_of_labels(other)
    True
    """
    names = repr((labels.topic.values, labels.subtopic.values, labels.source, labels.are_gains))
    columns = (labels.topic.code, labels.docs.hash, labels.label, labels.subtopic.code, labels.chosen_rows)
    return hashlib.sha256(b"".join([names.encode(), *(c.tobytes() for c in columns)])).hexdigest()
