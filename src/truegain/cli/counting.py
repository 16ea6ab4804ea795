"""The option --counting: how tests that resample count their p-values."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

CountingOption = Annotated[
    Literal["plus-one", "published"],
    typer.Option(
        "--counting",
        help="p where a test resamples: (count + 1)/(trials + 1), or count/trials as published (Discpower, MATTERS).",
    ),
]
