"""Data health of preferences: pairs compared, ties, orders of showing, assessors, and gold comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truegain.preferences.description import (
    JudgedVotes,
    PairVotes,
    agreeing_votes,
    is_unequal,
    orders_words,
    position_effect,
    position_words,
)
from truegain.preferences.estimators import ByPreferences
from truegain.preferences.fit import PairCells
from truegain.preferences.study import PreferenceStudy
from truegain.preferences.table import Preferences
from truegain.report.data_health import FEW_TOPICS, warnings_check
from truegain.report.facts import Check, PreferenceFacts
from truegain.report.html import count, many, named, percent
from truegain.study.estimators import LEAST_GOLD

MANY_TIES = 0.5  # of the votes
MANY_FLIPS = 0.25  # of the comparisons in both orders
LITTLE_AGREEMENT = 0.6  # of two assessors on a comparison that neither calls a tie
NAMED = 5


def preference_checks(study: PreferenceStudy, facts: PreferenceFacts, messages: Sequence[str] | None) -> list[Check]:
    """All that can be said of votes before they are believed; messages: None where what was warned of is not known."""
    votes = study.preferences
    checks = [topics_check(len(study.topics)), comparisons_check(facts.pairs, votes.cells())]
    checks += [pairs_check(facts.pairs, study.systems), ties_check(votes), order_check(study, facts)]
    checks.append(voters_check(votes, study.gold_preferences))
    if facts.judge is not None:
        checks += gold_checks(study, facts.judge, facts.design)
    if study.unchecked:
        checks.append(unchecked_check(study.unchecked))
    return [*checks, *warnings_check(messages)]


def topics_check(n: int) -> Check:
    """How many topics there are."""
    few = (f"Fewer than {FEW_TOPICS} topics: intervals are wide, and one topic may decide.",) if n < FEW_TOPICS else ()
    return Check("Topics", not few, count(n), few)


def comparisons_check(pairs: Sequence[PairVotes], cells: PairCells) -> Check:
    """On how many topics pairs were compared; pairs compared far more often than others."""
    n = len(cells.systems)
    every = len(cells.topics) * n * (n - 1) // 2
    made, votes = sum(p.topics for p in pairs), sum(p.votes for p in pairs)
    about = [f"{many(votes, 'vote')} on {many(made, 'comparison')}, each of two systems on one topic."]
    if made == every:
        about.append("Every topic has every pair of systems.")
        return Check("Comparisons", True, f"{count(made)} of {count(every)}", tuple(about))
    most, least = max(pairs, key=lambda p: p.topics), min(pairs, key=lambda p: p.topics)
    about.append(
        f"Most often compared: {most.a} and {most.b} (on {many(most.topics, 'topic')}); least: {least.a} and "
        f"{least.b} (on {count(least.topics)})."
    )
    if unequal := n > 2 and is_unequal(cells):
        about.append(
            "Pairs were compared unequally often: if strengths differ by topic, they apply to this mix of pairs."
        )
    return Check("Comparisons", not unequal, f"{count(made)} of {count(every)}", tuple(about))


def pairs_check(pairs: Sequence[PairVotes], systems: Sequence[str]) -> Check:
    """Pairs of systems that were never compared; the study refuses systems that no comparison connects."""
    n = len(systems)
    every, there = n * (n - 1) // 2, {frozenset((p.a, p.b)) for p in pairs}
    value = f"{count(len(pairs))} of {count(every)}"
    if len(pairs) == every:
        return Check("Pairs of systems compared", True, value)
    never = [f"{a} with {b}" for i, a in enumerate(systems) for b in systems[i + 1 :] if frozenset((a, b)) not in there]
    about = (
        f"Never compared: {named(never, NAMED)}.",
        "Other comparisons connect all systems, so that their strengths are on one scale.",
    )
    return Check("Pairs of systems compared", False, value, about)


def ties_check(votes: Preferences) -> Check:
    """How many votes are ties, and how many of these call both answers bad."""
    ties, bad, n = int(votes.ties.sum()), int(votes.both_bad.sum()), len(votes)
    if not ties:
        return Check("Ties", True, f"none of {many(n, 'vote')}")
    about = ["A tie counts as half a win for both."]
    about += [f"{count(bad)} of them call both answers bad, which counts as a tie."] if bad else []
    if lots := ties > MANY_TIES * n:
        about.append("Most votes are ties: they say little about which system is better.")
    return Check("Ties", not lots, f"{count(ties)} of {many(n, 'vote')} ({percent(ties / n, 1)})", tuple(about))


def order_check(study: PreferenceStudy, facts: PreferenceFacts) -> Check:
    """Whether both orders were shown, how many comparisons changed with them, and what being shown first does."""
    votes, (in_both, to_first, to_second) = study.preferences, facts.flips
    name = "Order of showing"
    if not votes.first.any():
        unknown = "The order of showing is unknown: any effect of it would be in the scores."
        return Check(name, False, "not known", (unknown,))
    effect = _position(study)
    one, cells = int(votes.in_one_order.sum()), len(votes.cells().topic)
    about: list[str] = []
    if one:
        about.append(f"{count(one)} of {many(cells, 'comparison')} were not shown in both orders alike.")
    if effect is not None:
        about.append(f"{position_words(*effect, study.confidence)}; scores are without it.")
    elif one and study.gold_preferences is None:
        about.append("Scores ignore it: Bradley-Terry (-m bradley-terry) has a column for who was shown first.")
    fine = not one or effect is not None or study.gold_preferences is not None
    if not in_both:
        return Check(name, fine, f"{count(one)} of {many(cells, 'comparison')} in one order", tuple(about))
    changed, tied = to_first + to_second, votes.tied_in_one_order
    if changed + tied:
        words = orders_words(in_both, changed, tied)
        about.append(f"{words[0].upper()}{words[1:]}.")
    if changed:
        way = "first" if to_first >= to_second else "second"
        about.append(
            f"Of those reversed, {count(max(to_first, to_second))} favor what was shown {way}; both orders together "
            "count as a tie."
        )
    about += ["Gold comparisons correct what the judge makes of the order."] if facts.judge is not None else []
    if flips := changed > MANY_FLIPS * in_both:
        about.append("With so many changes, the votes say more about the order than about the systems.")
    value = f"{count(changed)} of {count(in_both)} reversed ({percent(changed / in_both, 1)})"
    return Check(name, fine and not flips, value, tuple(about))


def _position(study: PreferenceStudy) -> tuple[float, float, float] | None:
    """What being shown first adds to the log-odds, by the first measure that has a column for it."""
    for m in study.measures:
        estimator = study.variance_model(m).estimator
        assert isinstance(estimator, ByPreferences)
        if estimator.strengths is not None and (effect := position_effect(estimator.strengths, study.confidence)):
            return effect
    return None


def voters_check(votes: Preferences, gold: Preferences | None) -> Check:
    """Who voted, how often each, and how often two of them agree."""
    if votes.models:
        whose = "" if votes.by_models == len(votes) else f" ({count(votes.by_models)} of {many(len(votes), 'vote')})"
        about = _people(gold, "gold vote") if gold is not None else []
        return Check("Who voted", True, f"{named(votes.models, 3)} (a model){whose}", tuple(about))
    if not votes.assessors:
        unnamed = "The file names no assessor: whether people differ is unknown."
        return Check("Who voted", True, "not named", (unnamed,))
    agree, of = agreeing_votes(votes)
    apart = of > 0 and agree < LITTLE_AGREEMENT * of
    return Check("Who voted", not apart, many(len(votes.assessors), "assessor"), tuple(_people(votes, "vote")))


def _people(votes: Preferences, unit: str) -> list[str]:
    if not votes.assessors:
        return []
    n = np.bincount(votes.assessor, minlength=len(votes.assessors))
    low, high = int(n.min()), int(n.max())
    each = many(low, unit) if low == high else f"{count(low)} to {many(high, unit)}"
    about = [f"{many(len(votes.assessors), 'assessor')} with {each} each."]
    agree, of = agreeing_votes(votes)
    if not of:
        return [*about, "No comparison has votes of two of them, so whether they agree is unknown."]
    agreed = percent(agree / of)
    about.append(f"Two assessors agree on {agreed} of {many(of, 'pair')} of their votes that neither calls a tie.")
    if agree < LITTLE_AGREEMENT * of:
        about.append("That is little more than by chance, 50%: more votes on each comparison would help.")
    return about


def gold_checks(study: PreferenceStudy, judge: JudgedVotes, design: str) -> list[Check]:
    """Whether there is enough gold, whether the judge agrees with people, and for whom it errs."""
    cells = len(study.preferences.cells().topic)
    few = [f"{s} ({n})" for s, n in judge.by_system.items() if n < LEAST_GOLD and judge.gold < cells]
    about = [f"Each system is in {min(judge.by_system.values())} or more of them."]
    if few:
        about = [f"Fewer than {LEAST_GOLD} are of {named(few, NAMED)}: there is no verdict on these."]
    value = f"{count(judge.gold)} of {count(cells)} ({percent(judge.share, 1)}), {design}"
    checks = [Check("Gold comparisons", not few, value, tuple(about))]
    share, low, high = judge.agreement
    if not judge.untied:
        never = "Judge and people never both name a winner."
        return [*checks, Check("Judge agrees with people", False, "not known", (never,))]
    between = "" if low is None else f", {100 * study.confidence:g}% CI {percent(low)} to {percent(high)}"
    sentences = [f"On gold comparisons that neither calls a tie{between}. By chance it would be 50%."]
    sentences += (
        [] if judge.better_than_chance else ["The judge is not clearly better than chance: gold alone decides."]
    )
    value = f"{percent(share)} of {count(judge.untied)}"
    checks.append(Check("Judge agrees with people", judge.better_than_chance, value, tuple(sentences)))
    if judge.errors.gap is not None:
        words = "mean errors differ" if judge.errors.is_uneven else "no difference shown"
        fine = not judge.errors.is_uneven
        checks.append(Check("Same mean error for all systems", fine, words, (judge.errors.leaning,)))
    return checks


def unchecked_check(preferences: str) -> Check:
    """Preferences of a model that no person has checked."""
    about = (
        f"These are {preferences}, and there are no gold comparisons: how often they are wrong, and whether they favor "
        "a system, is unknown, and no interval covers it.",
        "Have people compare some of the pairs, drawn at random, and give their preferences with --gold and --design "
        "random.",
    )
    return Check("Preferences checked by a person", False, "none", about, fails=True)
