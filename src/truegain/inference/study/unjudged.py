"""What documents without a label could do to the answers of a study, and what is said of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from truegain.contrasts import NONE, Contrasts
from truegain.errors import TruegainError
from truegain.inference.holes.extremes import is_known
from truegain.inference.holes.first_ranks import FirstRanks, Held, has_ends
from truegain.inference.results import Comparison
from truegain.inference.study.answers import Answering
from truegain.inference.study.borrowed import UNJUDGED_FIRST
from truegain.inference.study.caveats import open_at_the_top
from truegain.inference.study.hidden import Hidden, hidden_in
from truegain.inference.study.hole_bounds import HoleBounds, hole_bounds_of
from truegain.inference.study.lattice import Lattice
from truegain.inference.study.material import Material
from truegain.inference.study.ranking import HolesHeld
from truegain.measures.base import Measure
from truegain.message import Message, with_marks
from truegain.student import quantile_of
from truegain.tables.of_systems import of_systems


@dataclass(frozen=True, eq=False)
class UnjudgedDocuments:
    """Of one study; `taken_as` says whether they hold answers back ('bound') or count as not relevant."""

    material: Material
    taken_as: str
    confidence: float
    _known: dict[str, tuple[HoleBounds | None, str]] = field(default_factory=dict)
    _ranks: dict[str, FirstRanks | None] = field(default_factory=dict)

    @property
    def _is_bound(self) -> bool:
        return self.taken_as == "bound"

    def said(self, m: Measure, asked: Contrasts | None) -> str:
        """What was taken of them, in words; empty where there are none, or a sample stands for them.

        asked: the differences, which are held against them.
        """
        systems = None if asked is None else _systems(asked)
        bound = asked is not None and self._is_bound and (is_known(m) or self._first_ranks(m) is not None)
        return self._in_words(m, systems, "low, high and p hold" if bound else "", asked)

    def said_of_ranks(self, m: Measure) -> str:
        """The same of all systems, where tiers and ranks hold whatever their labels, or not."""
        return self._in_words(m, None, "" if self.bounds_of(m)[0] is None else "tiers and ranks hold")

    def _in_words(self, m: Measure, systems: list[int] | None, holds: str, asked: Contrasts | None = None) -> str:
        if self.material.sample is not None:
            return ""
        held = self.held_ranks(m, asked) if holds else None
        return self.material.said_of_holes(m, systems, holds, "" if held is None else str(held))

    def held_ranks(self, m: Measure, asked: Contrasts | None = None) -> Held | None:
        """Down to which ranks differences, or all, hold whatever the labels; None where nothing counts as 0 below."""
        ranks = None if is_known(m) else self._first_ranks(m)
        if ranks is None:
            return None
        asked = Contrasts.all_pairs(len(self.material.ranked.systems)) if asked is None else asked
        held = ranks.held(asked.a, asked.b)
        return held if held.below else None

    def _first_ranks(self, m: Measure) -> FirstRanks | None:
        """None where they bound nothing."""
        if str(m) not in self._ranks:
            try:
                self._ranks[str(m)] = FirstRanks(self.material.ranked, m)
            except TruegainError:
                self._ranks[str(m)] = None
        return self._ranks[str(m)]

    def held(self, m: Measure) -> HolesHeld:
        """How a ranking takes them."""
        if self.bounds_of(m)[0] is not None:
            return "bound" if self.held_ranks(m) is None else "first"
        none = self.material.sample is not None or m.leaves_out_unjudged or not self.material.unjudged(m)[0]
        return "" if none else "zero"

    def bounds_of(self, m: Measure) -> tuple[HoleBounds | None, str]:
        """What they could do to all pairs, where answers shall hold whatever their labels.

        None where there are none, or they are counted as not relevant: in words where nothing else is known.
        """
        if not self._is_bound or self.material.sample is not None or not self.material.unjudged(m)[0]:
            return None, ""
        if str(m) not in self._known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # told when the runs were first read
                try:
                    own, over_topics = self.material.holes_of(m) > 0, "topics" in self.material.over
                    self._known[str(m)] = hole_bounds_of(self.material.ranked, m, own, over_topics), ""
                except TruegainError as error:
                    self._known[str(m)] = None, _not_known(m, error)
        return self._known[str(m)]

    def open_of(self, m: Measure, system: int) -> list[str]:
        """Why nothing can be claimed of a system: first documents lack labels, and nothing bounds what they could do.

        That is so of measures without a least or greatest value.
        """
        told = not self._is_bound or self.material.sample is not None or is_known(m) or has_ends(m)
        if told or m.leaves_out_unjudged:
            return []
        open_ = open_at_the_top(self.material.ranked, [system])
        return [f"{UNJUDGED_FIRST}: {open_}, and {m} has no smallest or no largest value"] if open_ else []

    def bounds_of_pair(self, m: Measure, asked: Contrasts) -> HoleBounds | None:
        """The same of one pair."""
        found = self.hidden(m, asked)[0] if self._is_bound else None
        systems = len(self.material.ranked.systems)
        return None if found is None else HoleBounds.of_pair(found, asked, systems, "topics" in self.material.over)

    def widened(self, answering: Answering, asked: Contrasts, hidden: Hidden | None) -> Comparison | None:
        """The difference of a pair with limits that hold whatever they are; None where these are those by labels."""
        if hidden is None or not hidden.documents or not self._is_bound:
            return None
        bounds = HoleBounds.of_pair(hidden, asked, len(self.material.ranked.systems), "topics" in self.material.over)
        return answering.widened(asked, bounds)[0]

    def hidden(self, m: Measure, asked: Contrasts) -> tuple[Hidden | None, list[str]]:
        """What they could do to one pair, and what must be said where that is not known."""
        ranked, pair = self.material.ranked, (int(asked.a[0]), int(asked.b[0]))
        none = np.zeros(len(ranked.topics))
        nothing = Hidden(none, none, 0, len(none))
        if self.material.sample is not None or not self.material.unjudged(m, list(pair))[0]:  # a sample stands for them
            return nothing, []
        if m.leaves_out_unjudged:
            return nothing, [f"What unjudged documents could change is unknown: {m} leaves them out."]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the runs were first read
            try:
                return hidden_in(of_systems(ranked, pair), m), []
            except TruegainError as error:
                said = _not_known(m, error)
        return None, [said]

    def hidden_limits(self, m: Measure, asked: Contrasts, lattice: Lattice) -> tuple[Hidden | None, list[str]]:
        """The same, with how sure that is over topics."""
        found, notes = self.hidden(m, asked)
        if found is None or not found.documents or "topics" not in self.material.over:
            return found, notes
        spread = lattice.spread(asked, self.confidence)
        return found.with_limits(float(spread.variance[0]), quantile_of(self.confidence, float(spread.df[0]))), notes

    def not_asked_for(self, m: Measure, asked: Contrasts) -> str:
        """That documents of the systems asked about have no label at all, in words; empty where all have one."""
        holes, shown = self.material.unjudged(m, _systems(asked))
        if not holes:
            return ""
        return (
            f"{holes:,} of the {shown:,} documents that {m} counts in these runs have no label, and this list leaves "
            "them out: what they could change stays open (see `unjudged`)."
        )


def _systems(asked: Contrasts) -> list[int]:
    return sorted({*asked.a.tolist(), *asked.b.tolist()} - {NONE})


def _not_known(m: Measure, error: TruegainError) -> str:
    why = with_marks(error).removeprefix(f"{m}: ")
    return Message(f"What unjudged documents could change in {m} is unknown: {why}.")
