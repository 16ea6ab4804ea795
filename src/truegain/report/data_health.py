"""Data health: what was looked at before anything is believed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from truegain.config import Ties
from truegain.data.id_matching import Doubt
from truegain.data.judgments import Judgments
from truegain.data.pool import RankedGains
from truegain.data.ratings import mixed
from truegain.data.runs import Runs
from truegain.measures.base import Measure
from truegain.pooling.bounds import OpenOrder
from truegain.reliability.agree import AgreementReport
from truegain.report.facts import Check, JudgeFacts
from truegain.report.html import count, many, named, percent, sentence
from truegain.study.feasibility import tied_lists

DEEP = 100  # ranks looked at where a measure has no cutoff
LATER = "For the tests and the size of the favor, see the section about the judge."
MIXED = "scales seem to mix"
FEW_TOPICS = 25
FEW_LABELS = 5
FEW_SYSTEMS = 5


def topics_check(ranked: RankedGains, judgments: Judgments) -> Check:
    """How many topics there are, which of those judged are left out, and which count though a system lacks them."""
    judged = {str(judgments.topic.values[c]) for c in np.unique(judgments.topic.code)}
    left = sorted(judged - set(ranked.topics))
    n = len(ranked.topics)
    empty = ranked.depth.reshape(len(ranked.systems), n) == 0
    lacked = [ranked.topics[t] for t in np.flatnonzero(empty.any(axis=0))]
    about = [f"All systems answered {f'{count(n - len(lacked))} of ' if lacked else ''}these {n}."]
    if lacked:
        most = np.argsort(-empty.sum(axis=1), kind="stable")
        who = [f"{ranked.systems[s]} ({empty[s].sum():,})" for s in most if empty[s].any()]
        about.append(f"A missing answer counts as 0: {named(who, 4)} on {named(lacked, 5)}.")
    if left:
        about.append(f"{many(len(left), 'judged topic')} left out, because some system lacks them: {named(left, 5)}.")
    if n < FEW_TOPICS:
        about.append(f"Fewer than {FEW_TOPICS} topics: intervals are wide, and one topic may decide.")
    return Check("Topics", not left and not lacked and n >= FEW_TOPICS, count(n), tuple(about))


def unjudged_by_system(ranked: RankedGains, depth: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Unjudged documents in the first `depth` of each system's lists, and how many documents there are."""
    topics = len(ranked.topics)
    documents = ranked.depth if depth is None else np.minimum(ranked.depth, depth)
    near = np.ones(len(ranked.rank), np.bool_) if depth is None else ranked.rank <= depth
    judged = np.bincount(ranked.list[near & ranked.judged], minlength=ranked.lists)
    shape = len(ranked.systems), topics
    return (documents - judged).reshape(shape).sum(axis=1), documents.reshape(shape).sum(axis=1)


def unjudged_check(ranked: RankedGains, measure: Measure, bounds: OpenOrder | None) -> Check:
    """Unjudged documents where a measure looks, who has them, and what they could do."""
    cutoff = getattr(measure, "cutoff", None)
    holes, documents = unjudged_by_system(ranked, cutoff)
    total, whole = int(holes.sum()), int(documents.sum())
    where = "in the runs" if cutoff is None else f"in the top {cutoff}"
    name = f"Unjudged documents {where}"
    if not total:
        return Check(name, True, f"none of {count(whole)}", ())
    share = holes / np.maximum(documents, 1)
    order = np.argsort(-share, kind="stable")
    worst = [f"{ranked.systems[i]} {percent(float(share[i]), 1)}" for i in order[:5] if holes[i]]
    half = float(np.median(share))
    usual = "half of the systems have none" if half == 0 else f"half of the systems have {percent(half, 1)} or less"
    about = [f"Most: {', '.join(worst)}{f'; {usual}' if len(share) >= FEW_SYSTEMS else ''}."]
    part = percent(total / whole, 1) if total / whole >= 0.0005 else "less than 0.1%"
    value = f"{count(total)} of {count(whole)} ({part})"
    if are_idle(bounds, measure):
        same = "the two systems keep" if len(ranked.systems) == 2 else "all pairs of systems keep"
        about.append(f"For any labels of these, {same} their order by {measure}.")
        return Check(name, True, value, tuple(about))
    if bounds is not None and bounds.measure == str(measure) and len(bounds.systems) > 2:
        pairs, opened = math.comb(len(bounds.systems), 2), int(np.triu(bounds.open_order, 1).sum())
        about.append(
            f"For any labels of these, {count(pairs - opened)} of {many(pairs, 'pair')} of systems keep their order by "
            f"{measure}; {count(opened)} could change it."
        )
    return Check(name, False, value, tuple(about))


def ids_check(doubts: Sequence[Doubt], systems: int) -> Check:
    """Systems whose documents may not be those that were judged; nothing can be claimed of them."""
    return Check(
        "Document ids", False, f"{count(len(doubts))} of {many(systems, 'system')}", tuple(d.why for d in doubts)
    )


def are_idle(bounds: OpenOrder | None, measure: Measure) -> bool:
    """Whether it is known that unjudged documents could turn no pair of systems by this measure."""
    return bounds is not None and bounds.measure == str(measure) and not bounds.open_order.any()


ORDERS: Mapping[Ties, str] = {  # of equal scores
    "descending": "document ids break the ties, as in trec_eval",
    "ascending": "document ids break the ties, the smallest first, as in pyndeval",
    "input": "tied documents stay in the order of the file",
}


def ties_check(runs: Runs, depth: int, ties: Ties = "descending") -> Check:
    """Lists in which equal scores reach into the ranks that count, and what breaks these ties."""
    lists, by = 0, defaultdict[str, int](int)
    for part in runs.parts:
        tied, of = tied_lists(part, depth)
        by[part.system] += tied
        lists += of
    most = sorted(((n, s) for s, n in by.items() if n), reverse=True)
    about = [f"Lists with tied scores in the top {depth}; {ORDERS[ties]}."]
    about += [f"Most: {named([f'{s} ({n:,})' for n, s in most], 4)}."] if most else []
    return Check("Tied scores", not most, f"{count(sum(by.values()))} of {many(lists, 'list')}", tuple(about))


def identical_check(ranked: RankedGains) -> Check:
    """Systems with the same judged documents at the same ranks: one run under two names."""
    topics, groups = len(ranked.topics), defaultdict[bytes, list[str]](list)
    for s, system in enumerate(ranked.systems):
        begin, end = ranked.begin[s * topics], ranked.begin[(s + 1) * topics]
        key = b"".join(
            np.ascontiguousarray(x).tobytes()
            for x in (ranked.rank[begin:end], ranked.item[begin:end], ranked.depth[s * topics : (s + 1) * topics])
        )
        groups[key].append(system)
    same = [names for names in groups.values() if len(names) > 1]
    about = [f"The same judged documents at the same ranks: {', '.join(names)}." for names in same[:5]]
    about += ["Each counts as a separate system."] if same else []
    return Check("Identical runs", not same, "none" if not same else many(len(same), "group"), tuple(about))


def labels_check(judgments: Judgments, ranked: RankedGains) -> Check:
    """Which labels there are, which are rare, and topics with nothing to find."""
    values, n = np.unique(judgments.label, return_counts=True)
    counts: list[str] = []
    odd: list[str] = []
    if len(values) <= 12:
        counts.append(", ".join(f"{v:g}: {c:,}" for v, c in zip(values, n, strict=True)) + ".")
        if rare := [f"{v:g} ({c:,})" for v, c in zip(values, n, strict=True) if c < FEW_LABELS]:
            odd.append(f"Used fewer than {FEW_LABELS} times, perhaps by mistake: {', '.join(rare)}.")
    if (values < 0).any():
        odd.append(f"{count(int(n[values < 0].sum()))} below 0: pooled, not judged, as in trec_eval.")
    if len(values) == 1:
        odd.append("Only one label is used, so no measure can compare systems by it alone.")
    empty = [t for t, r in zip(ranked.topics, ranked.pool_relevant(1.0), strict=True) if r == 0]
    if empty and values.max() >= 1:
        odd.append(f"{many(len(empty), 'topic')} without a document of label 1 or more: {named(empty, 5)}.")
    labels = f"{values.min():g} to {values.max():g}" if len(values) > 4 else ", ".join(f"{v:g}" for v in values)
    return Check("Labels", not odd, f"{count(len(judgments))}: {labels}", (*counts, *odd))


def gold_checks(judge: JudgeFacts, labels: int) -> list[Check]:
    """Whether the gold labels fit what is said of them, and the judge is better than chance."""
    share = f" of {count(labels)} ({percent(judge.pairs / labels, 1)})" if labels >= judge.pairs else ""
    drawn = Check("Gold labels", not judge.notes, f"{count(judge.pairs)}{share}, {judge.design}", judge.notes)
    better = Check(
        "Judge better than chance", not judge.not_chance, f"informedness {judge.rates[2]:z.2f}",
        (f"{judge.summary}.", "Informedness: 0 by chance, 1 for a perfect judge.", *filter(None, [judge.not_chance])),
    )  # fmt: skip
    checks = [drawn, better]
    if judge.by_system is not None:
        words = "not equally accurate" if judge.by_system.differs else "no difference shown"
        checks.append(Check("Judge equally accurate for all systems", not judge.by_system.differs, words, (LATER,)))
    return checks


def unchecked_check(labels: str, units: str = "pairs") -> Check:
    """Labels of a model that no person has checked: how often it errs, and for whom, nobody knows; trusted or not."""
    about = (
        f"The judgments are {labels}, and there are no gold labels: how often they are wrong, and whether they favor a "
        "system, is unknown, and no interval covers it.",
        f"Have a person label some of the {units} (truegain plan labels draws a list) and give them with --gold.",
    )
    return Check("Labels checked by a person", False, "none", about, fails=True)


def assessors_check(agreement: AgreementReport) -> Check:
    """Assessors worth a second look."""
    people = agreement.assessors
    at, who = people.columns.index("look"), people.columns.index("assessor")
    looked = [f"{row[who]}: {row[at]}" for row in people.rows if row[at]]
    about = (*people.notes, *looked[:8])
    value = many(len(looked), "to look at", "to look at") if looked else f"none of {count(len(people.rows))}"
    return Check("Assessors that stand out", not looked, value, tuple(f"{x.rstrip('.')}." for x in about))


def scales_check(ratings: Judgments, level: str | None) -> Check:
    """Whether assessors rated on one scale: means of 0 to 2 and of 0 to 100 are none."""
    name = "Scales of the assessors"
    scales = None if level in ("ratio", "nominal") else mixed(ratings)
    if scales is None:
        return Check(name, True, "nothing odd")
    assert ratings.assessor is not None
    names, low, high = scales
    about = (
        f"{many(len(names), 'assessor')} of {count(len(ratings.assessor.values))} rate up to {low:g} "
        f"({named(names, 4)}), others up to {high:g} on the same topics: {MIXED}.",
        "Labels made of them are those of the longer scale. Bring the ratings to one scale first, or leave some "
        "assessors out (--drop-assessors); numbers on personal scales are normalized (--scale ratio --normalize).",
    )
    return Check(name, False, MIXED, about)


def warnings_check(messages: Sequence[str] | None, repeated: Iterable[str] = ()) -> list[Check]:
    """What reading the files warned of, but for what a check repeats; none where that is not known any more.

    messages: None of a study that was made before; repeated: words of the warnings that checks repeat.

    >>> [check.value for check in warnings_check(["a is short", "b is odd"], ["is odd"])], warnings_check(None)
    (['1 warning'], [])
    """
    if messages is None:
        return []
    words = [sentence(x) for x in dict.fromkeys(messages) if not any(part in x for part in repeated)]
    value = many(len(words), "warning") if words else "none"
    return [Check("Warnings while reading", not words, value, tuple(words))]
