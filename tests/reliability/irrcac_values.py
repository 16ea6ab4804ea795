"""Makes irrcac.json: Krippendorff's alpha of random tables as irrCAC says, so that tests need not install it.

irrCAC asks for older versions of other packages than the rest of the tests do.  In an environment of its own:

    pip install irrCAC numpy pandas
    python -m tests.reliability.irrcac_values

Tables are raters by items with missing values; weights of categories are irrCAC's own identity, quadratic and ratio
weights for the nominal, interval and ratio levels, and for the ordinal level 1 - d/max d with d the squared difference
of two mid-ranks, for irrCAC has no such weights (its 'ordinal' ones are Gwet's, which are others).
"""

from __future__ import annotations

import importlib
import json
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).with_name("irrcac.json")
WEIGHTS = {"nominal": "identity", "interval": "quadratic", "ratio": "ratio"}


def tables() -> list[list[list[float | None]]]:
    """Random ratings: grades 1 to 5, and real numbers of every size; a quarter is missing."""
    rng, found = np.random.default_rng(2017), []
    for number in range(16):
        raters, items = int(rng.integers(2, 7)), int(rng.integers(5, 25))
        matrix = np.clip(rng.integers(1, 6, items) + rng.integers(-1, 2, (raters, items)), 1, 5).astype(np.float64)
        if number % 2:
            matrix = np.round(np.exp(matrix + rng.normal(size=matrix.shape)), 4)
        matrix[rng.random(matrix.shape) < 0.25] = np.nan
        found.append([[None if np.isnan(v) else float(v) for v in row] for row in matrix])
    return found


def ordinal_weights(table: Any, categories: list[float]) -> Any:
    """Agreement of two categories by their mid-ranks among the ratings of items rated twice."""
    items = [[v for v in column if v is not None] for column in zip(*table, strict=True)]
    ratings = [v for item in items if len(item) > 1 for v in item]
    count = np.array([ratings.count(c) for c in categories], np.float64)
    rank = np.cumsum(count) - count / 2
    apart = (rank[:, None] - rank[None, :]) ** 2
    return 1 - apart / apart.max()


def alphas(table: Any) -> dict[str, float]:
    """Alpha of a table at every level, by irrCAC."""
    raw, pandas = importlib.import_module("irrCAC.raw"), importlib.import_module("pandas")
    categories = sorted({v for row in table for v in row if v is not None})
    frame = pandas.DataFrame(np.array(table, np.float64).T)
    weights: dict[str, Any] = {**WEIGHTS, "ordinal": ordinal_weights(table, categories)}
    found = {}
    for level, chosen in weights.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # without its categories it takes nan for one of them
            cac = raw.CAC(frame.copy(), weights=chosen, categories=categories, digits=14)
            found[level] = float(cac.krippendorff()["est"]["coefficient_value"])
    return found


def main() -> None:
    """Write the file."""
    cases = [{"raters_by_items": table, "alpha": alphas(table)} for table in tables()]
    provenance = {"tool": "irrCAC", "version": metadata.version("irrCAC"), "how": "tests/reliability/irrcac_values.py"}
    lines = ",\n".join(json.dumps(case) for case in cases)
    HERE.write_text(f'{{"provenance": {json.dumps(provenance)},\n"cases": [\n{lines}\n]}}\n')
    print(f"{len(cases)} tables in {HERE.name}")


if __name__ == "__main__":
    main()
