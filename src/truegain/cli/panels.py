"""Where each option stands in the help of every command, and what a shell completes behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

from truegain.cli.options import ADVANCED, option_info, option_of, with_parameters
from truegain.settings import choices_of

# ---- What a shell completes behind options whose values are words that truegain knows.

Completer = Callable[[str], list[str]]  # of what is typed so far
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
OVER = ("topics", "collection", "topics+collection", "fixed")
NORMALIZE = ("geometric", "median", "range", "anchors")


def measures(incomplete: str) -> list[str]:
    """Every measure by our names, others' and trec_eval's; behind @, cutoffs.

    >>> measures("nDC"), measures("nDCG@1")
    (['nDCG', 'nDCGrel'], ['nDCG@1', 'nDCG@10', 'nDCG@100', 'nDCG@1000'])
    """
    from truegain.measures.catalogue import ALIASES, CATALOGUE, NUMBERED, PLAIN

    name, at, _ = incomplete.partition("@")
    if at:
        kind = CATALOGUE.get(ALIASES.get(name, name).split("(")[0])
        return _beginning(incomplete, (f"{name}@{k}" for k in CUTOFFS) if kind is not None and kind.AT else ())
    trec = [*PLAIN, *(f"{stem}_{k}" for stem in ("P", "recall", "ndcg_cut", "map_cut", "success") for k in CUTOFFS)]
    names = [*CATALOGUE, *ALIASES, *(t for t in trec if t in PLAIN or t.rpartition("_")[0] in NUMBERED)]
    return _beginning(incomplete, dict.fromkeys(names))


def _methods() -> Iterable[str]:
    from truegain.stats.collection_ap import MEAN_METHODS, METHODS
    from truegain.stats.intervals import TOPIC_METHODS

    return dict.fromkeys((*TOPIC_METHODS, *METHODS, *MEAN_METHODS))


def _catalogue(module: str, name: str) -> Callable[[], Iterable[str]]:
    """The names in a catalogue, imported when a shell asks for them."""
    return lambda: getattr(import_module(f"truegain.{module}"), name)


def _one(words: Callable[[], Iterable[str]]) -> Completer:
    """A completer of one of some words."""
    return lambda incomplete: _beginning(incomplete, words())


def _several(words: Callable[[], Iterable[str]]) -> Completer:
    """A completer of words with commas between."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        typed = before.split(",")
        return [f"{before}{comma}{word}" for word in words() if word.startswith(last) and word not in typed]

    return complete


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


_rules = _one(_catalogue("aggregation.aggregate", "RULES"))
COMPLETERS: dict[str, Completer] = {
    "--measure": measures,
    "--sort": measures,
    "--against": measures,
    "--best-by": measures,
    "--aggregate": _rules,
    "--gold-aggregate": _rules,
    "--drop-assessors": _one(lambda: ("flagged",)),  # or a file, which shells complete
    "--normalize": _several(lambda: NORMALIZE),
    "--intervals": _several(lambda: OVER),
    "--population": _several(lambda: (*choices_of("population"), "fixed")),
    "--design": _one(lambda: choices_of("design")),
    "--draw": _one(lambda: choices_of("draw")),
    "--method": _one(_methods),
    "--ranker": _one(_catalogue("experiments.ranker", "RANKERS")),
    "--task": _one(_catalogue("judging.tasks.catalogue", "TASKS")),
}


# ---- Where each option stands in the help of every command, and what a shell completes behind it.

# panel: its options, each in one panel only, in all commands that have it; what is declared as `advanced` stands under
# Advanced instead, in the same order
PANELS: dict[str, str] = {
    "Question": "baseline candidate pair population topics min-effect not-worse-by costs power criterion "
    "approximate error sigma between against until most max-labels keep-going sequential draw numbers drawn-pairs "
    "draws split share-a part-a repeat more-than keep dmax simulated-assessors simulated lacks list shares best-by "
    "also agreement tie-share gold-share",
    "Reading": "study truth columns missing values errors name-by teams team best-of-team kind id-field text-field "
    "stop stemmer cjk for schema",
    "Ratings": "p normalize weight-assessors aggregate units best wide-from "
    "scale out-of-range repeated assessors separator topic drop-assessors first expert second",
    "Gold labels": "gold design gold-relevant-from gold-aggregate gold-sample unmatched accuracy clusters earlier rows",
    "LLM judges": "judge-model system-models trust-judge key-env soft one-order temperature max-tokens text-tokens "
    "concurrency retries timeout requests-per-minute tokens-per-minute price store batch collect",
    "Scoring": "measure score less-is-better cluster empty all-topics relevant-from depth judged-only no-relevant "
    "trec-eval ties intents corpus judged-corpus ranker length mapping",
    "Unjudged documents": "fill predicted unjudged-sample unjudged llm pool-depth pooled unjudged-topics share at",
    "Tests and resampling": "test adjust counting intervals method meta effect pairing resamples confidence "
    "alpha rbo-p epsilon seed",
    "Printing": "by-topic no-summary sort show all top moves pairs groups with-intervals changed title figure chart "
    "named format output table cache jobs run-on memory",
    "Collecting judgments": "people sheet max-cost dry-run folder teamwork docs questions key pool task double "
    "judgments size order runs platform judges filled linger model prompt host port url number erase quiet anchors "
    "bronze unfinished excluded cannot wins audit parameter database prolific-key proxy per-address workers",
    "Tables for papers": "wide names strip-prefix digits percent caption label",
}
PANEL_OF = {f"--{name}": panel for panel, names in PANELS.items() for name in names.split()}
_PLACE = {option: i for i, option in enumerate(PANEL_OF)}


def arranged(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command with its options in panels, in the order of the panels, and with what shells complete."""
    parameters, placed = list(inspect.signature(command, eval_str=True).parameters.values()), []
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
    return with_parameters(command, (p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*others, *options)))


def _chooses(annotation: Any) -> bool:
    """Whether an option takes one of some words, which typer completes by itself."""
    kind = get_args(annotation)[0]
    return any(get_origin(part) is Literal for part in (kind, *get_args(kind)))
