"""Who voted: whether votes show how other assessors would vote, and which votes stay where one is left out."""

from __future__ import annotations

import numpy as np

from truegain.errors import TruegainError, counted
from truegain.message import arg, argname
from truegain.preferences.table import Preferences
from truegain.sampling.assessors import Assessors
from truegain.sampling.source import SourceName
from truegain.study.assessors import LEAST, MOST_ALONE
from truegain.study.checks import FIXED


def check_population(over: frozenset[SourceName], votes: Preferences, gold: bool) -> None:
    """Refuse what preferences do not tell of; of gold comparisons see `check_gold_people`."""
    if others := sorted(over - {"topics", "assessors"}):
        raise TruegainError(
            f"{argname('population')} {others[0]!r}: preferences show how answers vary over topics and assessors; "
            f"leave {others[0]!r} out"
        )
    if not over and not gold:
        raise TruegainError(
            f"{arg('population', FIXED)}, and nothing else was sampled: name topics or assessors, or give {arg('gold')}"
        )
    if "assessors" not in over:
        return
    if gold and "topics" not in over:
        raise TruegainError(
            f"{argname('population')} 'assessors' and {arg('gold')}: for these topics only, the noise of a vote would "
            f"count twice, as a draw of gold and as a draw of assessors; say {arg('population', 'topics,assessors')}"
        )
    if not gold and (why := why_not_assessors(votes)):
        raise TruegainError(f"{why}; leave 'assessors' out of {argname('population')}")


def check_gold_people(people: Preferences) -> None:
    """Refuse gold comparisons that do not show how other assessors would vote."""
    if why := _why_not(people, "gold vote"):
        raise TruegainError(f"{people.source}: {why}; leave 'assessors' out of {argname('population')}")


def why_not_assessors(votes: Preferences) -> str:
    """Why votes do not show how other assessors would vote; nothing where they do."""
    if why := _why_not(votes, "vote"):
        return why
    cells = len(np.unique(votes.cell))
    if (alone := crossed(votes).rated_once) > MOST_ALONE * cells:
        return f"{alone} of {cells} topics and pairs have one vote, which does not show how assessors differ"
    return ""


def _why_not(votes: Preferences, unit: str) -> str:
    people = len(votes.assessors)
    if people < LEAST:
        return f"{counted(people, 'assessor')} named, and at least {LEAST} are needed to generalize to others"
    if "" in votes.assessors:
        unnamed = int((votes.assessor == votes.assessors.index("")).sum())
        return f"{counted(unnamed, unit)} of {len(votes):,} without an assessor"
    if why := crossed(votes).nested_because:
        return f"{why}: assessors are nested in topics, whose variance already includes theirs"
    return ""


def crossed(votes: Preferences) -> Assessors:
    """Who voted on which topic and pair."""
    cells, item = np.unique(votes.cell, return_inverse=True)
    topic = (cells // len(votes.systems) ** 2).astype(np.int32)
    return Assessors(votes.assessors, votes.assessor.astype(np.int32), item, topic)
