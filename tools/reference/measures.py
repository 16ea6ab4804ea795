"""The page of measures, from the catalogue that `truegain measures` prints."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from tools.reference.markdown import NOTE, code, plain
from truegain.measures.base import Binary
from truegain.measures.catalogue import ALIASES, CATALOGUE, FILES, NUMBERED, PLAIN
from truegain.measures.items import OfItems
from truegain.measures.nuggets import NUGGET_MEASURES

# file of the catalogue: heading, and what its measures have in common
KINDS = {
    "average_precision": ("Average precision", "Precision at the ranks of relevant documents, averaged."),
    "precision": ("Precision, recall and sets", "Counts of relevant documents among those retrieved."),
    "dcg": ("Discounted gain", "Gains of graded labels, discounted by rank."),
    "user_models": ("User models", "Expected gain of a user who stops somewhere in the list."),
    "preferences": ("Preferences between documents", "Pairs of judged documents that the list orders well."),
    "q_measure": ("Blended ratios", "Precision and cumulative gain in one ratio, as NTCIR uses them."),
    "diversity": ("Diversity, over subtopics", "For judgments with subtopics."),
    "intents": ("Diversity, over intents", "For judgments with subtopics and probabilities of intents (`--intents`)."),
    "content": (
        "Relevance by text",
        "For documents without any label: predicted from the text of others (`--corpus`).",
    ),
    "counts": ("Counts", "What there is, for checks."),
}
INTRODUCTION = """
# Measures

Write a measure as `nDCG@10`, with parameters in parentheses: `RBP(p=0.9)@20`, `P(rel=2)@5`. The names of ir_measures,
trec_eval and ranx work, too; output always shows the name in the headings below. `truegain measures NAME` prints the
same text. `-m P@10,AP` and `-m P@10 -m AP` both name two measures.

A measure is *linear in gain* if it is a weighted sum of the gains of documents. Only these can be
[corrected](../explanation/correction.md) from scattered gold labels; all others need gold labels of whole topics.

In formulas, R is the number of relevant documents of a topic, and C(k) that of relevant documents among the first k.
Parameters that many measures have:

- `rel`: the smallest label that counts as relevant; `--relevant-from` sets it for all measures that do not.
- `gains`: the gain of each label, such as `nDCG(gains={1: 1, 2: 3})@10`; without it, the label is the gain.
- `judged_only`: documents without a label are removed before scoring (trec_eval `-J`).
"""


def page() -> str:
    """The page of all measures."""
    parts = [NOTE, INTRODUCTION.strip() + "\n"]
    for file, names in FILES.items():
        heading, about = KINDS[file]
        parts += [f"## {heading}\n", f"{about}\n"]
        for name in names:
            parts += _measure(CATALOGUE[name])
    parts += ["## Nuggets\n", "For answers whose nuggets were assigned; see [nuggets](../howto/nuggets.md).\n"]
    for kind in NUGGET_MEASURES.values():
        parts += _measure(kind)
    return "\n".join(parts)


def _measure(kind: type[Any]) -> Iterator[str]:
    """A measure: a sentence, its formula and source, and what it may be given."""
    first, *rest = (inspect.getdoc(kind) or "").split(">>>")[0].strip().split("\n\n")
    yield f"### {plain(kind.NAME)}\n"
    yield f"{plain(' '.join(first.split()))}\n"
    for block in rest:
        yield _block(block)
    yield from (f"- {fact}: {told}" for fact, told in _facts(kind))
    yield ""


def _block(text: str) -> str:
    """A paragraph; a formula, which begins with a name and an equals sign, stays as it is."""
    lines = text.strip("\n").splitlines()
    if re.match(r"\s*[\w@#+*' (),.\[\]-]{1,40} = ", lines[0]) or lines[0].startswith(" "):
        return "\n".join(["```none", *lines, "```\n"])
    return f"{plain(' '.join(text.split()))}\n"


def _facts(kind: type[Any]) -> Iterator[tuple[str, str]]:
    cut = f"{code(f'{kind.NAME}@{_at(kind)}')}" if kind.AT else ""
    yield "write", cut if kind.AT and kind.NEEDS_AT else f"{code(kind.NAME)}{f' or {cut}' if cut else ''}"
    if others := [name for name in dict.fromkeys(_others(kind)) if name != kind.NAME]:
        yield "also called", ", ".join(map(code, others))
    own = [f for f in fields(kind) if f.name != kind.AT]
    if own:
        yield "parameters", ", ".join(code(f"{f.name}={f.default!r}") for f in own)
    if not issubclass(kind, OfItems):
        yield "labels", _labels(kind)
        yield "linear in gain", "yes" if kind.linear_in_gains else "no"


def _at(kind: type[Any]) -> str:
    """What stands behind @: a rank, or a share of recall."""
    return "k" if kind.AT == "cutoff" else "x"


def _labels(kind: type[Any]) -> str:
    """What it reads of labels."""
    if kind.reads_text:
        return "none; it reads text"
    of = ", by subtopic" if kind.of_subtopics else ""
    if issubclass(kind, Binary):
        return f"relevant or not, from `rel` on{of}"
    return f"graded{' without `rel`, else relevant or not' if 'rel' in {f.name for f in fields(kind)} else ''}{of}"


def _others(kind: type[Any]) -> Iterator[str]:
    """Names of ir_measures, ndeval, NTCIREVAL, ranx and trec_eval."""
    yield from (alias for alias, ours in ALIASES.items() if _name_of(ours) == kind.NAME)
    yield from (trec for trec, ours in PLAIN.items() if _name_of(ours) == kind.NAME)
    yield from (
        f"{trec}_{_at(kind) if kind.AT else 'x'}" for trec, (ours, _) in NUMBERED.items() if _name_of(ours) == kind.NAME
    )


def _name_of(form: str) -> str:
    return form.split("(")[0].split("@")[0]
