"""How many trials a comparison takes: enough that a p-value can pass the adjustment, or it is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass

from truegain.errors import TruegainError
from truegain.inference.differences.catalogue import FamilyTest, PairTest
from truegain.inference.differences.resampled import is_exact
from truegain.inference.monte_carlo import ENOUGH, MARGIN, Counting, check_trials, trials_needed
from truegain.message import Message, arg
from truegain.tables.checks import warn

TRIALS = 10_000  # unless asked for others
MOST_WORK = 50_000_000_000  # pairs times trials, up to which trials grow unasked: some minutes on two cores


@dataclass(frozen=True)
class Effort:
    """Trials of all pairs, the most that pairs which are not settled get, and what must be told."""

    trials: int
    most: int
    notes: tuple[str, ...] = ()


def effort_of(
    chosen: PairTest | FamilyTest,
    test: str,
    trials: int | None,
    pairs: int,
    topics: int,
    how: str | None,
    alpha: float,
    counting: Counting,
) -> Effort:
    """The trials that a test of so many pairs takes.

    One pair that differs must be able to pass: 1/(trials + 1) < alpha/pairs where p is adjusted, < alpha where not.
    With the least number hardly a pair passes that one trial reached, so fewer than MARGIN times as many become so
    many, whatever was asked for, for the pairs that are not settled before.  MOST_WORK is for trials that are drawn;
    all signs, counted by halves of the topics, are less work than as many trials.
    """
    asked = check_trials(TRIALS if trials is None else trials)
    family = isinstance(chosen, FamilyTest)
    adjusted = pairs > 1 and how not in (None, "none")
    needed = trials_needed(pairs if adjusted else 1, alpha, how or "none")
    asks = f"{how} over {pairs:,} pairs asks for p-values below {1 / needed:.1g}" if adjusted else ""
    most = asked if counting == "published" else max(asked, MARGIN * needed)
    if isinstance(chosen, PairTest) and chosen.by_signs and (not chosen.resamples or is_exact(topics, most)):
        return Effort(asked, most, _few_topics(test, topics, needed, alpha, asks))
    if not chosen.resamples or asked >= (needed if counting == "published" else most):
        return Effort(asked, asked)
    if counting == "published":
        asks = asks or f"a difference asks for p below {alpha:g}"
        warn(
            f"{asks}; {asked:,} trials cannot tell such p-values from 0, and count/trials calls them 0: "
            f"give at least {needed:,} trials, or leave out {arg('counting', 'published')}"
        )
        return Effort(asked, asked)
    asks = asks or f"a difference asks for p below {alpha:g}"
    few = f"one of {asked:,} trials that reaches a pair is too many"
    if asked < needed:
        few = f"{asked:,} trials have none"
    if needed * pairs > MOST_WORK and not family:
        if asked >= needed:
            return Effort(
                asked, asked, (Message(f"{asks}, and {few}; {most:,} trials ({arg('resamples')}) may find more"),)
            )
        raise TruegainError(
            f"{asks}, which takes {needed:,} trials of {test}; give so many ({arg('resamples')}) and time, or take "
            f"randomised-tukey-hsd, which tests all pairs at once, or compare with a {arg('baseline')}"
        )
    if family or not adjusted:
        return Effort(most, most, (f"{asks}, and {few}: {most:,} were drawn",))
    first = MARGIN * trials_needed(1, alpha) if asked < trials_needed(1, alpha) else asked
    said = f"{asks}, and {few}: pairs that fewer than {ENOUGH} of {first:,} trials reached got up to {most:,}"
    return Effort(first, most, (said,))


def _few_topics(test: str, topics: int, needed: int, alpha: float, asks: str) -> tuple[str, ...]:
    """A note where all signs of so few topics give no p-value that is small enough."""
    if 2 ** (topics - 1) > needed:
        return ()
    asks = asks or f"a difference asks for one below {alpha:g}"
    enough = math.floor(math.log2(needed)) + 2
    return (
        f"with {topics} topics no p-value of {test} is below {2.0 ** (1 - topics):.2g}, and {asks}: no pair can be "
        f"told to differ; it takes {enough} topics, or a test of means such as tukey-hsd",
    )
