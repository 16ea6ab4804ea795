"""What a shell completes behind options whose values are words that truegain knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
OVER = ("topics", "collection", "topics+collection", "holes")
KINDS = ("topics", "collection", "assessors", "replicates")
NORMALIZE = ("geometric", "median", "range", "anchors")


def measures(incomplete: str) -> list[str]:
    """Every measure by our names, others' and trec_eval's; behind @, cutoffs.

    >>> measures("nDC"), measures("nDCG@1")
    (['nDCG', 'nDCGrel'], ['nDCG@1', 'nDCG@10', 'nDCG@100', 'nDCG@1000'])
    """
    from truegain.measures.catalogue import ALIASES, CATALOGUE
    from truegain.measures.trec_names import NUMBERED, PLAIN

    name, at, _ = incomplete.partition("@")
    if at:
        kind = CATALOGUE.get(ALIASES.get(name, name).split("(")[0])
        return _beginning(incomplete, (f"{name}@{k}" for k in CUTOFFS) if kind is not None and kind.AT else ())
    trec = [*PLAIN, *(f"{stem}_{k}" for stem in ("P", "recall", "ndcg_cut", "map_cut", "success") for k in CUTOFFS)]
    known = [*CATALOGUE, *ALIASES, *(t for t in trec if t in PLAIN or t.rpartition("_")[0] in NUMBERED)]
    return _beginning(incomplete, dict.fromkeys(known))


def rules(incomplete: str) -> list[str]:
    """Every rule that makes a gain of ratings."""
    from truegain.gains.catalogue import RULES

    return _beginning(incomplete, RULES)


def methods(incomplete: str) -> list[str]:
    """Every kind of interval of means."""
    from truegain.inference.collection.means import MEAN_METHODS
    from truegain.inference.collection.spread import METHODS
    from truegain.inference.intervals.topics import TOPIC_METHODS

    return _beginning(incomplete, dict.fromkeys((*TOPIC_METHODS, *METHODS, *MEAN_METHODS)))


def rankers(incomplete: str) -> list[str]:
    """Every simple ranker."""
    from truegain.experiments.ranker import RANKERS

    return _beginning(incomplete, RANKERS)


def tasks(incomplete: str) -> list[str]:
    """Every task of `truegain annotate`."""
    from truegain.judging.tasks.catalogue import TASKS

    return _beginning(incomplete, TASKS)


def _listed(known: Iterable[str]) -> Callable[[str], list[str]]:
    """A completer of words with commas between."""

    def found(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        return [f"{before}{comma}{word}" for word in known if word.startswith(last) and word not in taken]

    return found


def _beginning(incomplete: str, known: Iterable[str]) -> list[str]:
    return [word for word in known if word.startswith(incomplete)]


COMPLETERS: dict[str, Callable[[str], list[str]]] = {
    "--measure": measures,
    "--sort": measures,
    "--against": measures,
    "--aggregate": rules,
    "--gold-aggregate": rules,
    "--drop-assessors": lambda incomplete: _beginning(incomplete, ("flagged",)),  # or a file, which shells complete
    "--normalize": _listed(NORMALIZE),
    "--intervals": _listed(OVER),
    "--population": _listed(KINDS),
    "--method": methods,
    "--ranker": rankers,
    "--task": tasks,
}
