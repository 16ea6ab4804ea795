"""A verdict in words and signs, as every section shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from truegain.inference.study.verdict import Verdict
from truegain.report.parts.html import Html, el, join
from truegain.report.parts.numbers import MINUS, many, small
from truegain.tables.models_used import by_unchecked

CHIPS = {
    "better": ("ok", "✓"), "not worse": ("ok", "✓"), "worse": ("no", "✕"), "not better": ("nb", "="),
    "cannot be told": ("un", "?"), "unchecked": ("uc", "!"),
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
    """How many of some claims have each answer.

    >>> counted(["worse", "better", "cannot be told", "better"])
    'Of 4 claims: 2 better, 1 worse, 1 cannot be told'
    """
    found = {outcome: outcomes.count(outcome) for outcome in CHIPS}
    return f"Of {many(len(outcomes), 'claim')}: {', '.join(f'{n:,} {outcome}' for outcome, n in found.items() if n)}"


@dataclass(frozen=True)
class Said:
    """A verdict's sentence in three parts: the claim, its numbers, and what follows them."""

    head: str
    rest: str
    whole: bool = False  # whether the sentence could not be taken apart, and `rest` is all of it

    @classmethod
    def of(cls, verdict: Verdict) -> Said:
        """The sentence taken apart where its numbers begin; left whole where that is not seen."""
        c, sentence = verdict.comparison, verdict.sentence
        numbers = rf": [+-][\d.,]+ {re.escape(c.measure)}"
        found = re.search(rf"{numbers}(?: \[[^\]]*\])?, {re.escape(verdict.holds_for)}", sentence)
        if found is None:
            return cls("", sentence, True)
        return cls(sentence[: found.start()] + ".", sentence[found.end() :].rstrip("."))


def true_minus(text: str) -> str:
    """Numbers below 0 with a true minus.

    >>> true_minus("from -0.05 to 0.1, of run-1").replace(MINUS, "minus ")
    'from minus 0.05 to 0.1, of run-1'
    """
    return re.sub(r"(?<![\w.-])-(?=\d)", MINUS, text).replace("+-", "±")


def sentences(*texts: str) -> Html:
    """Sentences one after the other."""
    return join(*(f"{true_minus(t).rstrip()} " for t in texts if t))
