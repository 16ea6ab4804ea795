"""Data health of answers: missing values, replicates, judges, the means of tools, clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from truegain.data.item_scales import CODE, TWO_SCALES_OF, scales_apart
from truegain.data.items import UNEQUAL, Items
from truegain.data.pool import RankedGains
from truegain.io.columns import Floats
from truegain.judge_error.value_errors import ValueErrors
from truegain.message import Message
from truegain.report.data_health import FEW_TOPICS
from truegain.report.facts import Check, JudgeFacts
from truegain.report.html import count, many, named, percent, plain, sentence, signed

TOLD = (
    "values are missing (",
    "are not answered by all systems and are left out",
    TWO_SCALES_OF,
    CODE,
)  # by checks, too


def answer_checks(items: Items, ranked: RankedGains, judge: JudgeFacts | None) -> list[Check]:
    """All that can be said of values of answers before they are believed.

    items: the values of one score, as they were read; ranked: the answers that are scored.
    """
    (score,) = items.scores
    checks = [topics_check(items, ranked), missing_check(items, score), values_check(items, score, ranked.topics)]
    if words := scales_apart(items, score):
        checks.append(Check("Values on one scale", False, "two scales", _sentences([words])))
    checks += [x for x in (replicates_check(items), clusters_check(items, ranked)) if x is not None]
    checks.append(judges_check(items))
    if any(mean.score == score for mean in items.means):
        checks.append(means_check(items, score))
    if items.notes:
        checks.append(Check("Notes on the files", True, many(len(items.notes), "note"), _sentences(items.notes)))
    if judge is not None and judge.values is not None:
        checks += gold_checks(judge, judge.values, len(ranked.pool))
    return checks


def _sentences(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(sentence, texts))


def topics_check(items: Items, ranked: RankedGains) -> Check:
    """How many topics all systems have a value for, and which are left out."""
    left = sorted(set(items.topics) - set(ranked.topics))
    n = len(ranked.topics)
    about = [f"All systems have a value for these {n}."]
    if left:
        about.append(f"{many(len(left), 'topic')} left out, because some system has no value there: {named(left, 5)}.")
    if n < FEW_TOPICS:
        about.append(f"Fewer than {FEW_TOPICS} topics: intervals are wide, and one topic may decide.")
    return Check("Topics", not left and n >= FEW_TOPICS, count(n), tuple(about))


def missing_check(items: Items, score: str) -> Check:
    """Values that failed or are absent, by system and reason; unequal shares favor somebody."""
    there = ~np.isnan(items.matrix(score))
    lacking = there.shape[1] - there.sum(axis=1)
    lost = items.missing(score)
    if not lost and not lacking.any():
        return Check("Missing values", True, f"none of {count(len(items))}")
    about = [f"{s}: {', '.join(f'{n:,} {why}' for why, n in reasons.items())}." for s, reasons in lost.items()]
    rows = {s for s, reasons in lost.items() if reasons}
    absent = [f"{s} has no row for {many(int(n), 'topic')}." for s, n in zip(items.systems, lacking, strict=True)
              if n and s not in rows]  # fmt: skip
    shares = lacking / max(1, there.shape[1])
    about += [*absent, "Missing values are left out and never count as 0."]
    if (apart := float(shares.max() - shares.min())) > UNEQUAL:
        most, least = (items.systems[int(i)] for i in (shares.argmax(), shares.argmin()))
        about.append(
            f"{most} lacks {percent(float(shares.max()), 1)} of the topics, {least} {percent(float(shares.min()), 1)}: "
            "failures are rarely random, so the topics that both have may favor one of them."
        )
    values = sum(sum(reasons.values()) for reasons in lost.values()) or int(lacking.sum())
    return Check("Missing values", apart <= UNEQUAL, f"{count(values)} of {count(len(items))}", tuple(about))


def values_check(items: Items, score: str, topics: Sequence[str] | None = None) -> Check:
    """Which values there are; systems whose values are all the same, and systems with the same values everywhere.

    topics: those that are scored; all where it is None.
    """
    there = ~np.isnan(items.value)
    known = items.value[there]
    values, n = np.unique(known, return_counts=True)
    shown = ", ".join(f"{v:g}" for v in values) if len(values) <= 4 else f"{values[0]:g} to {values[-1]:g}"
    about = [", ".join(f"{v:g}: {c:,}" for v, c in zip(values, n, strict=True)) + "."] if len(values) <= 12 else []
    scored = len(known) if topics is None else int(np.isin(items.topic.strings(), topics)[there].sum())
    if scored < len(known):
        about.append(f"{count(scored)} of them are of the topics that all systems have a value for.")
    odd = []
    scale = items.scales.get(score)
    if scale is not None and scale.lower_is_better:
        about.append(f"Lower is better: the page shows negative {score}, so that higher is better there.")
    matrix = items.matrix(score)
    kept = {s: row[~np.isnan(row)] for s, row in zip(items.systems, matrix, strict=True)}
    constant = {s: float(row[0]) for s, row in kept.items() if len(row) and np.ptp(row) == 0}
    if constant:
        odd.append(_constant_told(constant))
    groups: dict[bytes, list[str]] = {}
    for system, row in zip(items.systems, matrix, strict=True):
        groups.setdefault(row.tobytes(), []).append(system)
    same = [names for names in groups.values() if len(names) > 1 and not set(names) <= set(constant)]
    odd += [f"The same value on every topic: {', '.join(names)}; perhaps one log under two names." for names in same]
    return Check("Values", not odd, f"{count(len(known))}: {shown}", (*about, *odd))


def _constant_told(constant: Mapping[str, float]) -> str:
    """Systems whose values are all the same, by that value.

    >>> _constant_told({"weak": 0.0, "strong": 1.0})
    'The values of each of these systems are constant: weak (0) and strong (1).'
    >>> _constant_told({"a": 1.0, "b": 1.0})
    'All values are the same for a and b (1): this score cannot distinguish their answers.'
    """
    if len(set(constant.values())) == 1:
        value = next(iter(constant.values()))
        apart = "its answers" if len(constant) == 1 else "their answers"
        names = named(list(constant), 5)
        return f"All values are the same for {names} ({value:g}): this score cannot distinguish {apart}."
    each = named([f"{system} ({value:g})" for system, value in constant.items()], 5)
    return f"The values of each of these systems are constant: {each}."


def replicate_variance(items: Items) -> tuple[int, float, float]:
    """Answers with several values by one judge, the variance within them, and its share of that of single values.

    With s2 the pooled variance within answers, n their numbers of values and m2 the variance of their means within
    systems, the share is s2 / (s2 + max(0, m2 - s2 mean(1/n))).
    """
    known = ~np.isnan(items.value)
    key = items._numbered(items.system, items.topic, items.item, items.judge)[known]
    _, first, code, n = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    value = items.value[known]
    mean: Floats = np.bincount(code, value) / n
    several = n > 1
    freedom = int((n[several] - 1).sum())
    if not freedom:
        return 0, 0.0, 0.0
    within = float(((value - mean[code]) ** 2).sum()) / freedom
    system = items.system.code[known][first]
    about, systems = 0.0, np.unique(system)
    for s in systems.tolist():
        about += float(((mean[system == s] - mean[system == s].mean()) ** 2).sum())
    between = max(0.0, about / max(1, len(mean) - len(systems)) - within * float((1 / n).mean()))
    return int(several.sum()), within, within / (within + between) if within + between > 0 else 0.0


def replicates_check(items: Items) -> Check | None:
    """How often answers were scored, and how much these values vary; None where each has one."""
    times = int(items.replicate.max(initial=1))
    answers, within, share = replicate_variance(items)
    if times < 2 and not answers:
        return None
    about = ["The values of an answer are averaged first, then topics: replicates do not count as topics."]
    if answers:
        about.append(
            f"{many(answers, 'answer')} with several values: standard deviation {plain(within**0.5)} within an answer, "
            f"{percent(share)} of the variance of single values."
        )
        if within == 0:
            about.append("All replicates are identical: the model returned copies, and asking again adds nothing.")
    return Check("Replicates", within > 0 or not answers, f"up to {count(max(times, 2))} per answer", tuple(about))


def clusters_check(items: Items, ranked: RankedGains) -> Check | None:
    """The clusters of topics, or columns that could be such."""
    if items.cluster is not None:
        of = items.cluster
        sizes = np.unique([of[t] for t in ranked.topics], return_counts=True)[1]
        least, most = count(int(sizes.min())), count(int(sizes.max()))
        each = least if least == most else f"{least} to {most}"
        about = (f"{each} topics each; intervals are over clusters.",)
        few = len(sizes) < FEW_TOPICS
        warn = (f"Fewer than {FEW_TOPICS} clusters: intervals are wide, and one cluster may decide.",) if few else ()
        return Check("Clusters", not few, count(len(sizes)), (*about, *warn))
    if not items.clusters:
        return None
    groups = [f"{column} ({count(len({*of.values()}))} groups)" for column, of in items.clusters.items()]
    about = (
        f"{named(groups, 4)}. If topics of one group were sampled together, such as questions written from one text, "
        f"say so with --cluster {next(iter(items.clusters))}.",
    )
    return Check("Clusters", True, "topics count as independent", about)


def judges_check(items: Items) -> Check:
    """Who gave the values of the score, as `answer_checks` has it; the files may name judges of other scores, too."""
    gave = {*items.judge.strings()}
    judges = [judge for judge in items.judges if judge in gave]
    if not judges and (unknown := items.who_is_unknown):
        return Check("Judges", False, "not named", (Message(unknown).words({"judge_model": "--judge-model"}),))
    if not judges:
        return Check(
            "Judges", True, "not named", ("A rule computed the values, or the tool does not say who gave them.",)
        )
    models = [f"{judge} (a model)" if judge in items.models else judge for judge in judges]
    several = len(judges) > 1
    about = ("All judges have the same weight in the value of an answer.",) if several else ()
    return Check("Judges", True, named(models, 3), about)


def means_check(items: Items, score: str) -> Check:
    """Whether the means that the tools printed are those of their values."""
    messages = items.check_means(score)
    n = sum(mean.score == score for mean in items.means)
    value = f"{count(n - len(messages))} of {count(n)} reproduced"
    return Check("Means printed by the tool", not messages, value, _sentences(messages))


def gold_checks(judge: JudgeFacts, values: ValueErrors, answers: int) -> list[Check]:
    """Whether the gold labels fit what is said of them, whether the judge follows people, and for whom it errs."""
    share = f" of {count(answers)} ({percent(judge.pairs / answers, 1)})" if answers >= judge.pairs else ""
    drawn = Check("Gold labels", not judge.notes, f"{count(judge.pairs)}{share}, {judge.design}", judge.notes)
    e, r = values.overall, values.correlation
    of = "no correlation" if r is None else f"correlation {plain(r[0], 2)}"
    follows = Check(
        "Judge follows people", values.follows, f"{of}, mean error {signed(e.value)}", (values.bias, values.worth)
    )
    checks = [drawn, follows]
    if judge.two_scales:
        checks.append(Check("Judge and people on one scale", False, "two scales", _sentences([judge.two_scales])))
    if values.is_binary:
        about = ("Informedness: 0 by chance, 1 for a perfect judge.", *filter(None, [judge.not_chance]))
        words = f"informedness {judge.rates[2]:z.2f}"
        checks.append(Check("Judge better than chance", not judge.not_chance, words, about))
    if values.gap is not None:
        words = "mean errors differ" if values.is_uneven else "no difference shown"
        checks.append(Check("Same mean error for all systems", not values.is_uneven, words, (values.leaning,)))
    return checks
