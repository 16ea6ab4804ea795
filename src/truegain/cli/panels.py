"""Where each option stands in the help of every command, and what a shell completes behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

from truegain.cli.bundles import ADVANCED, option_info, option_of
from truegain.cli.completing import COMPLETERS

# panel: its options, each in one panel only, in all commands that have it
PANELS: dict[str, str] = {
    "Question": "baseline candidate pair population topics min-effect not-worse-by costs power criterion "
    "approximate error sigma between against until most sequential draw numbers drawn-pairs draws split "
    "share-a part-a repeat keep dmax simulated-assessors simulated lacks list",
    "Reading": "study truth columns missing values errors name-by kind id-field text-field stop stemmer cjk for schema",
    "Ratings": "p normalize weight-assessors aggregate units "
    "scale out-of-range repeated assessors separator topic drop-assessors first expert second",
    "Gold labels": "gold design gold-relevant-from gold-aggregate gold-sample unmatched accuracy clusters earlier rows "
    "system-models judge-model trust-judge",
    "Scoring": "measure all-topics relevant-from depth intents corpus judged-corpus ranker length",
    "Unjudged documents": "fill predicted unjudged-sample unjudged llm pool-depth pooled unjudged-topics share at",
    "Tests and resampling": "test adjust counting intervals method meta effect pairing resamples confidence "
    "alpha rbo-p seed",
    "Printing": "by-topic no-summary sort show part top moves pairs groups with-intervals changed title figure format "
    "output table cache jobs cluster memory",
    "Collecting judgments": "docs questions key pool task judgments size order runs platform all judges filled model "
    "prompt host port url number erase quiet",
    "Tables for papers": "wide names strip-prefix digits percent caption label",
    "Advanced": "anchors bronze unfinished excluded cannot wins audit parameter database prolific-key proxy "
    "per-address workers",
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
        advanced = info.rich_help_panel == ADVANCED
        info.rich_help_panel = ADVANCED if advanced else PANEL_OF.get(option)
        info.autocompletion = None if _chooses(p.annotation) else COMPLETERS.get(option)
        placed.append(((advanced, _PLACE.get(option, len(_PLACE))), p.name))
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
