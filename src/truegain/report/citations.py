"""Measures as a paper has them: what they are, the formula in the form that was used, and whom to cite."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields

from truegain.measures.base import Measure
from truegain.measures.catalogue import OF_NUGGETS

GAINS = {
    "log2": "the gain is the label",
    "jk": "the gain is the label",
    "exp-log2": "the gain is 2^label - 1",
    "exp-jk": "the gain is 2^label - 1",
}
CITED = {  # by name: (key, as the text cites it)
    "DCG": (("jarvelin2002", "Järvelin and Kekäläinen 2002"),),
    "nDCG": (("jarvelin2002", "Järvelin and Kekäläinen 2002"),),
    "RBP": (("moffat2008", "Moffat and Zobel 2008"),),
    "ERR": (("chapelle2009", "Chapelle et al. 2009"),),
    "nERR": (("chapelle2009", "Chapelle et al. 2009"),),
    "Bpref": (("buckley2004", "Buckley and Voorhees 2004"),),
    "infAP": (("yilmaz2006", "Yilmaz and Aslam 2006"),),
    "alpha_nDCG": (("clarke2008", "Clarke et al. 2008"),),
    "Bradley-Terry": (("bradley1952", "Bradley and Terry 1952"),),
    "win-rate": (("bradley1952", "Bradley and Terry 1952"),),
    "Davidson": (("davidson1970", "Davidson 1970"),),
    **dict.fromkeys(OF_NUGGETS, (("pradeep2024", "Pradeep et al. 2024"),)),
}
EXPONENTIAL = ("burges2005", "Burges et al. 2005")


@dataclass(frozen=True)
class Form:
    """A measure in words and as a formula; `cites` are the keys of papers."""

    words: str
    formula: str
    cites: tuple[str, ...] = ()


def form_of(measure: Measure) -> Form:
    """The form of a measure with its own cutoff and parameters.

    >>> from truegain.measures.catalogue import parse_measure
    >>> form_of(parse_measure("P(rel=2)@10")).formula
    'P@10 = C(10) / 10'
    >>> form_of(parse_measure("RBP(p=0.9)")).words.partition("; ")[2]
    'p = 0.9; the gain is the label (Moffat and Zobel 2008).'
    >>> from truegain.measures.items import ItemMean
    >>> form_of(ItemMean(name="faith")).words.partition("; ")[2]
    'name = faith.'
    """
    docstring = (inspect.getdoc(type(measure)) or "").partition(">>>")[0].replace("`", "")
    first, *rest = [" ".join(b.split()) for b in docstring.split("\n\n") if b.strip()] or [""]
    first = re.sub(r": \w+\(of=.*", "", first)  # another way to write it
    formula = next((b for b in rest if " = " in b[:40]), "")
    at = getattr(measure, measure.AT) if measure.AT else None
    made = OWN.get(measure.NAME)
    words, formula, about = made(measure) if made is not None else (first.rstrip("."), formula, _parameters(measure))
    if made is None:
        words, formula = _at(words, at), _at(formula, at)
    cites: tuple[tuple[str, str], ...] = CITED.get(measure.NAME, ())
    cites += (EXPONENTIAL,) if str(getattr(measure, "dcg", "")).startswith("exp") else ()
    by = f" ({'; '.join(text for _, text in cites)})" if cites else ""
    return Form(f"{'; '.join([words, *about])}{by}.", formula, tuple(key for key, _ in cites))


def _at(text: str, cutoff: float | None) -> str:
    """A text about the first k with the cutoff in place of k, or without k where there is none."""
    if cutoff is not None:
        return re.sub(r"\bk\b", f"{cutoff:g}", text)
    return re.sub(r"@k\b| \((?:among the first|by rank) k\)", "", text)


def _relevant(measure: Measure) -> list[str]:
    """From which label on a document is relevant, where that counts."""
    rel = getattr(measure, "rel", None)
    return [] if rel is None else [f"a document is relevant from label {rel:g} on"]


def _judged(measure: Measure) -> list[str]:
    return ["unjudged documents are left out of the lists"] if getattr(measure, "judged_only", False) else []


def _empty(measure: Measure) -> list[str]:
    """What a topic counts that has no nugget of the kind."""
    words = {"zero": "a topic that has none of these nuggets counts 0", "skip": ""}
    return [*filter(None, [words.get(getattr(measure, "empty", ""), "")])]


def _parameters(measure: Measure) -> list[str]:
    """The parameters that no sentence here explains, with their values."""
    explained = ("cutoff", "rel", "judged_only", "empty", measure.AT)
    parameters = [(f.name, getattr(measure, f.name)) for f in fields(measure) if f.name not in explained]
    return [
        *(f"{name} = {value}" for name, value in parameters if _is_told(value)),
        *_relevant(measure),
        *_judged(measure),
        *_empty(measure),
    ]


def _is_told(value: object) -> bool:
    """Whether a parameter says something: not one that is left out, or a limit that is none."""
    return value is not None and value is not False and not (isinstance(value, float) and math.isinf(value))


def _gains(measure: Measure) -> str:
    mapped = getattr(measure, "gains", None)
    if mapped:
        return "gains are " + ", ".join(f"{gain:g} for label {label:g}" for label, gain in mapped)
    return GAINS.get(str(getattr(measure, "dcg", "")), "the gain is the label")


Made = tuple[str, str, list[str]]


def _precision(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    words = f"Share of the first {k} documents that are relevant, C({k}) of them"
    return words, f"{m.NAME}@{k} = C({k}) / {k}", [*_relevant(m), *_judged(m)]


def _average_precision(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    by = "R" if k is None or getattr(m, "norm", "R") == "R" else f"min({k}, R)"
    words = "Mean over the R relevant documents of the precision at their ranks, 0 for those not retrieved"
    words += "" if k is None else f" by rank {k}"
    return words, f"{m.NAME}{'' if k is None else f'@{k}'} = (1/{by}) Σ C(i)/i over relevant ranks i", [
        *_relevant(m), *_judged(m)]  # fmt: skip


def _discount(m: Measure) -> str:
    if str(getattr(m, "dcg", "")).endswith("jk"):
        base = getattr(m, "base", 2)
        return f"max(1, log{base:g}(i))"
    return "log2(i + 1)"


def _dcg(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    where = "over the whole list" if k is None else f"to rank {k}"
    name = f"{m.NAME}{'' if k is None else f'@{k}'}"
    return f"Gain over the logarithm of the rank, summed {where}", f"{name} = Σ gain(i) / {_discount(m)}", [
        _gains(m), *_judged(m)]  # fmt: skip


def _ndcg(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    at = "" if k is None else f"@{k}"
    words = "Discounted cumulated gain divided by that of the judged documents in their best order"
    return words, f"nDCG{at} = DCG{at} / best DCG{at};   DCG{at} = Σ gain(i) / {_discount(m)}", [_gains(m), *_judged(m)]


def _rbp(m: Measure) -> Made:
    words = "Gain per document for a user who goes on to the next one with probability p"
    rel, most = getattr(m, "rel", None), getattr(m, "max_rel", None)
    gain = f"the gain is 1 from label {rel:g} on, else 0" if rel is not None else _gains(m)
    whose = {"scale": "the highest of all judgments", "topic": "the topic's highest"}
    gain += "" if most is None else f", divided by {whose.get(str(most), most)}"
    return words, "RBP = (1 - p) Σ gain(i) p^(i - 1)", [f"p = {getattr(m, 'p', 0.8):g}", gain, *_judged(m)]


def _err(m: Measure) -> Made:
    k, most = getattr(m, "cutoff", None), getattr(m, "max_rel", None)
    gain = "(2^gain - 1) / 2^g" if getattr(m, "rule", "exp") == "exp" else "gain / (g + 1)"
    highest = {"scale": "the highest gain of all judgments", "topic": "the highest gain of the topic"}.get(
        str(most), str(most)
    )
    words = "Expected reciprocal of the rank at which the user is satisfied and stops"
    formula = f"{m.NAME}{'' if k is None else f'@{k}'} = Σ (1/i) p(i) Π (1 - p(j)), j < i;   p = {gain}"
    return words, formula, [f"g = {highest}", _gains(m), *_judged(m)]


def _half_wins(m: Measure) -> Made:
    words = "Share of comparisons won, with ties as 1/2, averaged over topics and other systems"
    return words, f"{m.NAME}(s) = (1/T) Σ (1/(S - 1)) Σ h(t, s, o), over topics t and other systems o", []


def _bradley_terry(m: Measure) -> Made:  # noqa: ARG001
    words = "Strength θ of a system, by maximum likelihood; a tie counts as half a win"
    return words, "log P(a wins)/P(b wins) = θ(a) - θ(b);   Σ θ = 0", []


def _win_rate(m: Measure) -> Made:
    words = "Probability of winning against another system, averaged over the others, by Bradley-Terry"
    return words, f"{m.NAME}(s) = (1/(S - 1)) Σ 1/(1 + exp(θ(o) - θ(s))), over other systems o", []


def _davidson(m: Measure) -> Made:  # noqa: ARG001
    words = "Strength θ of a system, by maximum likelihood, with ties of their own"
    return words, "P(tie) = c/(exp(d/2) + exp(-d/2) + c);   d = θ(a) - θ(b);   Σ θ = 0", []


OWN: dict[str, Callable[[Measure], Made]] = {
    "half-wins": _half_wins, "Bradley-Terry": _bradley_terry, "win-rate": _win_rate, "Davidson": _davidson,
    "P": _precision, "AP": _average_precision, "DCG": _dcg, "nDCG": _ndcg, "RBP": _rbp, "ERR": _err,
}  # fmt: skip
