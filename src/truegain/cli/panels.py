"""Where each option stands in the help of every command, and what a shell completes behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

from truegain.cli.bundles import option_info, option_of
from truegain.cli.completing import COMPLETERS

# panel: its options, each in one panel only, in all commands that have it
PANELS: dict[str, str] = {
    "Question": "baseline candidate pair over generalise-to topics smallest not-worse-by costs detect power criterion "
    "approximate error sigma between against until most anytime draw numbers drawn-pairs draws split share-a "
    "part-a repeat keep dmax simulated-assessors simulated lacks list",
    "Reading": "study truth columns missing values errors name-by kind id-field text-field stop stemmer cjk for schema",
    "Ratings": "rule p spread trim supermajority winner n-iter tolerance normalise weight-assessors aggregate units "
    "scale outside repeated assessors separator topic drop-assessors first expert second",
    "Gold labels": "gold design gold-level gold-rule gold-sample unmatched accuracy clusters by-assessor earlier rows "
    "uses judge-model trust-judge",
    "Scoring": "measure complete level depth judged-only no-relevant trec-eval ties intents corpus judged-corpus "
    "ranker length",
    "Unjudged documents": "fill hole-sample holes llm pool-depth pooled all-topics share at",
    "Tests and resampling": "test adjust counting intervals method meta effect pairing replicates confidence "
    "alpha rbo-p seed",
    "Printing": "by-topic no-summary sort show part top moves pairs groups with-intervals changed title figure format "
    "output table cache jobs cluster memory",
    "Collecting judgments": "docs questions key pool task judgments size order anchors runs platform database all "
    "unfinished excluded cannot judges wins filled audit "
    "bronze model prompt parameter prolific-key host port proxy per-address url number workers erase quiet",
    "Tables for papers": "wide names strip-prefix digits percent caption label",
}
PANEL_OF = {f"--{name}": panel for panel, names in PANELS.items() for name in names.split()}
_PLACE = {option: i for i, option in enumerate(PANEL_OF)}


def arranged(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same command with its options in panels, in the order of the panels, and with what shells complete."""
    signature = inspect.signature(command, eval_str=True)
    parameters, placed = list(signature.parameters.values()), []
    for p in parameters:
        info = option_info(p.annotation)
        if info is None:
            continue
        option = option_of(p.name, p.annotation)
        info.rich_help_panel = PANEL_OF.get(option)
        info.autocompletion = None if _chooses(p.annotation) else COMPLETERS.get(option)
        placed.append((_PLACE.get(option, len(_PLACE)), p.name))
    order = {name: place for place, name in sorted(placed)}
    options = sorted((p for p in parameters if p.name in order), key=lambda p: order[p.name])
    others = [p for p in parameters if p.name not in order]
    every = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*others, *options)]
    command.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in every}
    return command


def _chooses(annotation: Any) -> bool:
    """Whether an option takes one of some words, which typer completes by itself."""
    kind = get_args(annotation)[0]
    return any(get_origin(part) is Literal for part in (kind, *get_args(kind)))
