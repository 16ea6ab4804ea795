"""Datasets of ir_datasets: judgments, queries and rankings behind a name such as irds:cranfield, or of an object."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Protocol

from truegain.addresses import IRDS
from truegain.errors import InputError, needs, shorten, some

PARTS = {"qrels": "judgments", "queries": "queries", "scoreddocs": "ranked documents"}  # theirs, and what we call them
KEPT = 4  # datasets whose judgments are kept as text
CLOSE = 3  # names that a message suggests


class IrDataset(Protocol):
    """A dataset of ir_datasets."""

    def has_qrels(self) -> bool:
        """Whether it has judgments."""


class PyTerrierDataset(Protocol):
    """A dataset of PyTerrier."""

    def get_qrels(self) -> Any:
        """The judgments as a frame."""


DatasetLike = IrDataset | PyTerrierDataset


def dataset_of(name: str) -> Any:
    """The dataset that irds:NAME names."""
    library, own = needs("ir_datasets", "irds"), name.removeprefix(IRDS)
    try:
        return library.load(own)
    except KeyError:
        known = [str(x) for x in getattr(library, "registry", ())]
        near = difflib.get_close_matches(own, known, n=CLOSE) or [x for x in known if x.startswith(own)][:CLOSE]
        meant = f"did you mean {some([f'{IRDS}{x}' for x in near])}?" if near else "ir-datasets.com lists all names"
        raise InputError("ir_datasets has no such dataset", file=name, hint=meant) from None


def is_dataset(data: object) -> bool:
    """Whether this is a dataset of ir_datasets, or one of PyTerrier: what it has is asked of its class."""
    return any(callable(getattr(type(data), part, None)) for part in ("has_qrels", "get_qrels"))


def rows_of(data: object, part: str, what: str) -> Iterable[Any]:
    """The rows of one part of a dataset ('qrels', 'queries' or 'scoreddocs'); refused where it has none.

    A dataset of PyTerrier gives a frame.
    """
    dataset: Any = dataset_of(data) if isinstance(data, str) else data
    if part in ("qrels", "queries") and callable(getattr(type(dataset), "get_qrels", None)):
        return _fetched(dataset.get_qrels if part == "qrels" else dataset.get_topics, what)  # type: ignore[no-any-return]
    has = getattr(dataset, f"has_{part}", None)
    if has is not None and not has():
        theirs = [ours for name, ours in PARTS.items() if getattr(dataset, f"has_{name}", bool)()]
        others = f"it has {some(theirs)}" if theirs else "it has documents alone"
        raise InputError(
            f"this dataset has no {PARTS[part]}", file=what, hint=f"{others}; give another dataset or a file"
        )
    rows: list[Any] = _fetched(lambda: list(getattr(dataset, f"{part}_iter")()), what)
    return rows


def _fetched(get: Any, what: str) -> Any:
    """What a dataset gives, which may have to be fetched first."""
    try:
        return get()
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error.args[0] if error.args else type(error).__name__)  # below it, every address that was tried
        raise InputError(
            f"the dataset cannot be read: {shorten(' '.join(reason.split()), 160)}", file=what,
            hint="fetch it with ir_datasets first, where there is a network, or give a file",
        ) from None  # fmt: skip


def subtopic_of(row: Any) -> str:
    """The subtopic of a row of judgments; '0' where it has none."""
    return str(getattr(row, "subtopic_id", getattr(row, "iteration", "0")))


@lru_cache(maxsize=KEPT)
def lines_of(name: str) -> bytes:
    """The judgments of irds:NAME as lines of TREC, so that they are read wherever a file of judgments is."""
    lines = []
    for row in rows_of(name, "qrels", name):
        fields = (row.query_id, subtopic_of(row) or "0", row.doc_id, f"{float(row.relevance):g}")
        if any(len(field.split()) != 1 for field in fields):
            raise InputError(
                "an id contains a blank, which TREC lines cannot have", file=name, text=" ".join(fields),
                hint="in Python give the dataset itself: judgments=ir_datasets.load(...)",
            )  # fmt: skip
        lines.append(" ".join(fields) + "\n")
    return "".join(lines).encode()
