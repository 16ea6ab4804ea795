"""People's votes on some of a judge's comparisons: read, brought in line with the judge's, and checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegain.config import Gold
from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.columns import Bools
from truegain.message import arg, argname, gold_drawn
from truegain.preferences.fit import PairCells
from truegain.preferences.table import Preferences, PreferencesLike, read_preferences
from truegain.sampling.assessors import Assessors
from truegain.sampling.catalogue import design_of, draws_topics
from truegain.sampling.source import SourceName
from truegain.study.assessors import LEAST, MOST_ALONE
from truegain.study.reading import FIXED

DESIGNS = ("random", "topics")  # of gold comparisons


def gold_config(gold: Gold | PreferencesLike | None, design: str | None) -> Gold | None:
    """People's preferences and how they were drawn, as a config."""
    if gold is None and design is not None:
        raise TruegainError(f"{argname('design', design)} applies to gold comparisons; give {arg('gold')}")
    if gold is None or isinstance(gold, Gold):
        return gold if gold is None or design is None else replace(gold, design=design)
    return Gold(gold, design)


def read_gold_votes(config: Gold, judged: Preferences) -> tuple[Preferences, str]:
    """People's votes on cells that the judge has, and how they were drawn, which must be said.

    Votes that no comparison of the judge's is about are left out with a warning.
    """
    design = _design(config)
    people = read_preferences(config.labels)  # type: ignore[arg-type]
    if people.models:
        warn(
            f"{people.source}: {people.by_models:,} of {counted(len(people), 'gold vote')} name a model "
            f"({some(people.models)}): gold comparisons are taken as people's, and a model's errors stay in the "
            "scores"
        )
    of_unknown = 0
    if unknown := [s for s in people.systems if s not in judged.systems]:
        warn(f"{people.source}: gold comparisons of {some(unknown)} are left out; the judge compared no such system")
        codes = [people.systems.index(s) for s in unknown]
        of_unknown = int((np.isin(people.a, codes) | np.isin(people.b, codes)).sum())
    some_votes = people.onto(judged.systems, judged.topics)
    there = np.isin(some_votes.cell, np.unique(judged.cell))
    lost = len(people) - int(there.sum()) - of_unknown
    if not there.any():
        raise InputError(
            "no gold comparison is of a topic and pair that the judge compared", file=people.source,
            hint="use the same names of topics and systems in both files",
        )  # fmt: skip
    if lost:
        warn(f"{people.source}: {lost} of {counted(len(people), 'gold vote')} are left out: the judge compared no "
             "such topic and pair")  # fmt: skip
    kept = _kept(some_votes, there)
    if draws_topics(design):
        _check_whole(kept, judged)
    return kept, design


def _design(config: Gold) -> str:
    if config.design is None:
        how = arg("design", python="design=, as in tg.Gold(labels, design='random'),")
        known = ", ".join(f"{name} ({design_of(name).drawn})" for name in DESIGNS)
        raise TruegainError(f"how were the gold pairs sampled? Give {how} one of {known}", allowed=DESIGNS)
    design_of(config.design)
    if config.design not in DESIGNS:
        raise TruegainError(
            f"{argname('design', config.design)}: gold comparisons are drawn at random ({gold_drawn('random')}) or "
            f"by whole topics ({gold_drawn('topics')})",
            remedy=f"give {gold_drawn('random')} or {gold_drawn('topics')}",
        )
    return str(config.design)


def _check_whole(people: Preferences, judged: Preferences) -> None:
    """Refuse gold topics that lack a comparison of the judge's: what was drawn were no whole topics then."""
    by_topic = [
        np.bincount(np.unique(votes.cell) // len(judged.systems) ** 2, minlength=len(judged.topics))
        for votes in (people, judged)
    ]
    if partly := [judged.topics[t] for t in np.flatnonzero((by_topic[0] > 0) & (by_topic[0] < by_topic[1])).tolist()]:
        raise InputError(
            f"{len(partly)} of {counted(int((by_topic[0] > 0).sum()), 'gold topic')} lack some of the judge's "
            f"pairs ({some(partly)})", file=people.source,
            hint=f"complete or drop them, or say {gold_drawn('random')} where single comparisons were drawn",
        )  # fmt: skip


def _kept(votes: Preferences, there: Bools) -> Preferences:
    """Some of the votes, and the assessors who gave them."""
    rows = np.flatnonzero(there)
    by_vote = ("topic", "a", "b", "wins", "both_bad", "first")
    some_votes = replace(votes, **{name: getattr(votes, name)[rows] for name in by_vote})
    if not votes.assessors:
        return some_votes
    codes, assessor = np.unique(votes.assessor[rows], return_inverse=True)
    return replace(
        some_votes, assessors=tuple(votes.assessors[c] for c in codes.tolist()), assessor=assessor.astype(np.int64)
    )


def on_judged(gold: PairCells, judged: PairCells) -> PairCells:
    """Gold cells, their pairs numbered as the judge's are."""
    n = len(judged.systems)
    place = {int(k): i for i, k in enumerate(judged.a * n + judged.b)}
    kind = np.array([place[int(k)] for k in gold.a * n + gold.b], np.int64)
    return replace(gold, a=judged.a, b=judged.b, first=judged.first, kind=kind[gold.kind])


# ---- Who voted, and whether that shows how others would.


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
