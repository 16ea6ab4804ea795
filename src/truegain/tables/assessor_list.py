"""Lists of assessors in files: whom to leave out, and how much each counts."""

from __future__ import annotations

from truegain.errors import InputError
from truegain.tables import tabular
from truegain.tables.named import Columns, is_missing
from truegain.tables.plain import plain_text
from truegain.tables.sources import PathLike, read_bytes, shown_path

CHANCE = "not clearly better than chance"  # what `truegain judge check` notes of an assessor
INVERTED = "clearly worse than chance: labels inverted?"
POOLED = "(all)"  # the line of all assessors together


def read_names(path: PathLike) -> list[str]:
    """Names of assessors: one a line, or a table with a column `assessor`.

    Of a table that has a column `look`, as the assessors of `agree` are written, those worth a second look; of
    one with columns `D` and `note`, as those of `judge check`, those not clearly better than
    chance.
    """
    table, text, file = _table(path)
    if table is None:
        lines = (line.strip() for line in text.splitlines())
        names = [line for line in lines if line and not line.startswith("#")]
        if not names:
            raise InputError("there is no assessor", file=file, hint="write one name a line")
        return names
    names = table.ids("assessor")
    if "look" in table.names:
        return [n for n, why in zip(names, table._column("look"), strict=True) if not _blank(why)]
    if {"d", "note"} <= set(table.names):
        noted = zip(names, table._column("note"), strict=True)
        return [n for n, note in noted if note in (CHANCE, INVERTED) and n != POOLED]
    return names


def read_weights(path: PathLike) -> dict[str, float]:
    """How much each assessor counts: a table with the columns `assessor` and `weight`."""
    table, _, file = _table(path)
    if table is None or "weight" not in table.names:
        there = "" if table is None else f" among {', '.join(table.names)}"
        raise InputError(
            f"there are no columns 'assessor' and 'weight'{there}", file=file, hint="begin with a line assessor,weight"
        )
    table.found["label"] = ["weight"]
    names, weights = table.ids("assessor"), table.numbers("label")
    for row, (name, weight) in enumerate(zip(names, weights.tolist(), strict=True)):
        if not 0 <= weight < float("inf"):
            raise table._fault("a weight is a finite number of at least 0", row, weight, "0 leaves an assessor out")
        if name in names[:row]:
            raise table._fault("an assessor has two weights", row, name, "keep one")
    return dict(zip(names, weights.tolist(), strict=True))


def _table(path: PathLike) -> tuple[Columns | None, str, str]:
    """The table that a file holds, None where its first line names no column of assessors; its text and name."""
    raw, file = read_bytes(path), shown_path(path)
    if tabular.is_parquet(raw, tabular.ending(file)):
        return Columns(tabular.read(raw, "parquet", file), file), "", file
    text = plain_text(raw, file)
    first = text[:65536].lstrip().split(b"\n", 1)[0].decode(errors="replace").strip()
    kind: tabular.Kind = "jsonl" if first.startswith("{") else "tsv" if "\t" in first else "csv"
    named = [n.strip().strip('"').lower() for n in first.split("\t" if kind == "tsv" else ",")]
    if kind != "jsonl" and not set(named) & set(tabular.COLUMNS["assessor"]):
        return None, text.decode(), file
    return Columns(tabular.read(text, kind, file), file), "", file


def _blank(value: object) -> bool:
    return is_missing(value) or not str(value).strip()
