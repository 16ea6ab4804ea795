"""The catalogue of measures as a table."""

from __future__ import annotations

import inspect

from truegain.measures.catalogue import CATALOGUE
from truegain.tables.table import Table


def list_measures() -> Table:
    """Every measure with what it is; `help(type(tg.parse_measure("AP")))` has the formula, source and parameters.

    (`tg.measures` is the package they are in, so this is a verb.)

    >>> import truegain as tg
    >>> [row["what it is"] for row in tg.list_measures().records() if row["measure"] == "RR"]
    ['Reciprocal rank of the first relevant document, 0 if there is none (among the first k).']
    """
    rows = [
        (kind.NAME, (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")) for kind in CATALOGUE.values()
    ]
    return Table(("measure", "what it is"), rows, title=f"{len(rows)} measures")
