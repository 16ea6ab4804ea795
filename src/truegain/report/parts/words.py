"""A verdict in words and signs, as every section shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from truegain.inference.study.lattice import Share, largest_of
from truegain.inference.study.verdict import Verdict
from truegain.report.parts.html import Html, el, join
from truegain.report.parts.numbers import MINUS, many, small
from truegain.tables.models_used import by_unchecked

CHIPS = {
    "better": ("ok", "✓"), "not worse": ("ok", "✓"), "worse": ("no", "✕"), "not better": ("nb", "="),
    "inconclusive": ("un", "?"), "unchecked": ("uc", "!"),
}  # fmt: skip


def chip(outcome: str, words: str = "") -> Html:
    """The outcome with its sign: never by colour alone.

    >>> chip("better")
    '<span class="v v-ok"><b aria-hidden="true">✓</b> better</span>'
    """
    kind, sign = CHIPS[outcome]
    return el("span", el("b", sign, aria_hidden="true"), " ", words or outcome, class_=f"v v-{kind}")


def in_short(verdict: Verdict) -> str:
    """The outcome, with what the labels say where no person has checked them."""
    return f"unchecked: {verdict.by_labels}" if verdict.outcome == "unchecked" else verdict.outcome


def chip_of(verdict: Verdict) -> Html:
    """The outcome of a verdict with its sign."""
    return chip(verdict.outcome, in_short(verdict))


def by_whom(labels_by: str, words: str) -> str:
    """A sentence with whose labels say so, where no person has checked them.

    >>> by_whom("m1's labels", "Only a may be best."), by_whom("", "Only a may be best.")
    ("By m1's labels, which no person has checked, only a may be best.", 'Only a may be best.')
    """
    if not labels_by:
        return words
    words = small(words) if words.startswith(("Only ", "Any ", "None ")) else words
    return by_unchecked(labels_by, f", {words}")


def counted(outcomes: Sequence[str]) -> str:
    """How many of some claims have each outcome.

    >>> counted(["worse", "better", "inconclusive", "better"])
    '4 claims: 2 better, 1 worse, 1 inconclusive'
    """
    found = {outcome: outcomes.count(outcome) for outcome in CHIPS}
    return f"{many(len(outcomes), 'claim')}: {', '.join(f'{n:,} {outcome}' for outcome, n in found.items() if n)}"


SOURCES = {
    "topics": "topics",
    "collection": "the collection",
    "assessors": "assessors",
    "replicates": "the judge's repeated answers",
    "gold": "gold labels",
    "holes": "the sample of unjudged documents",
}


def shared_lines(verdict: Verdict) -> list[tuple[str, Share]]:
    """Sources with their share of the variance, the largest first."""
    found = [(x.source, x.share) for x in verdict.lines if x.share is not None]
    return sorted(found, key=lambda one: -one[1].value)


def rests_on(verdict: Verdict) -> str:
    """In a few words: what leaves a claim open, or where most of its uncertainty comes from."""
    c, hidden = verdict.comparison, verdict.hidden
    if verdict.borrowed:
        return "too little known of the judge"
    if c.low is None or c.high is None:
        return "no interval"
    if verdict.outcome == "inconclusive" and hidden is not None and hidden.documents and verdict.holes == "bound":
        return many(hidden.documents, "unjudged document")
    shares = shared_lines(verdict)
    if not shares:
        return "exact" if verdict.exact else ""
    if len(shares) == 1:
        return SOURCES[shares[0][0]]
    largest = largest_of(dict(shares))
    return "no single source" if largest is None else f"{SOURCES[largest[0]]}, {dict(shares)[largest[0]]}"


def true_minus(text: str) -> str:
    """Numbers below 0 with a true minus.

    >>> true_minus("from -0.05 to 0.1, of run-1").replace(MINUS, "minus ")
    'from minus 0.05 to 0.1, of run-1'
    """
    return re.sub(r"(?<![\w.-])-(?=\d)", MINUS, text).replace("+-", "±")


def sentences(*texts: str) -> Html:
    """Sentences one after the other."""
    return join(*(f"{true_minus(t).rstrip()} " for t in texts if t))
