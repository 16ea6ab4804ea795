"""Options about gold labels, the same in every command that takes them."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from truegain.errors import TruegainError

Gold = Annotated[str, typer.Option("--gold", help="Labels of the trusted judge for some of the same pairs.")]
DesignName = Literal["random", "by-bronze", "topics", "by-gold", "elsewhere"]
Design = Annotated[
    DesignName | None,
    typer.Option(
        "--design",
        help="How gold was sampled: random pairs; by-bronze label; whole topics; by-gold label; or elsewhere.",
    ),
]
GoldLevel = Annotated[
    float | None, typer.Option("--gold-level", help="Smallest relevant gold label (default: the measure's own).")
]
Missing = Annotated[
    Literal["refuse", "drop"], typer.Option("--missing", help="Gold pairs without a bronze label: stop, or leave out.")
]
Method = Annotated[
    Literal["default", "lang-reiczigel", "fieller", "delta", "bootstrap", "rectify"],
    typer.Option("--method", help="The interval (default: the one right for --design)."),
]
Clusters = Annotated[
    Literal["topics", "none"], typer.Option("--clusters", help="Topics are the clusters; none: pairs are independent.")
]
Accuracy = Annotated[
    Literal["system", "lists", "given"] | None,
    typer.Option("--accuracy", help="Judge measured on gold pairs each system retrieved, any did, or all of them."),
]
Rule = Annotated[
    str | None,
    typer.Option("--rule", help="Bronze from several assessors: how their ratings become one label, such as majority."),
]


def only_with_gold(**options: object) -> None:
    """Refuse options that say something about gold labels where there are none; None and False are not given."""
    for name, value in options.items():
        if value:
            raise TruegainError(f"--{name.replace('_', '-')} is about gold labels; give these with --gold")
