"""The words and sizes of the engine's answers, where they are about comparisons and not about documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

from truegain.sampling.catalogue import draws_topics
from truegain.sampling.source import Source
from truegain.stats.contrasts import Contrasts
from truegain.study.estimators import LEAST_GOLD
from truegain.study.next_steps import StepPlanner
from truegain.study.precision import CurrentPrecision
from truegain.study.study_data import Population
from truegain.study.verdict import Verdict


@dataclass(frozen=True)
class PreferencePopulation(Population):
    """What answers from preferences hold for, and what they do not cover."""

    @property
    def not_covered(self) -> str:
        """What the answers do not cover."""
        words = [] if "topics" in self.over else ["other topics"]
        if self.gold:
            words += [] if "assessors" in self.over else ["mistakes in the gold comparisons"]
        elif self.assessors and "assessors" not in self.over:
            words.append("other assessors")
        elif "assessors" not in self.over:
            words.append("mistakes in the preferences")
        return "; ".join(words) or "nothing"


@dataclass(frozen=True, eq=False)
class PreferencePlanner(StepPlanner):
    """What more topics, gold comparisons or assessors would bring."""

    people: int = 0
    votes: int = 0  # of one assessor
    whole_topics: float = 0.0  # comparisons of a topic, where gold comes by whole topics

    def precisions(self, contrasts: Contrasts) -> list[CurrentPrecision]:
        """How precise differences are, with how many assessors and gold comparisons there are."""
        whole = self.whole_topics > 0
        return [
            replace(
                now, assessors=self.people, ratings=self.votes, unit="gold comparison", whole=whole,
                labels=self.whole_topics if whole else 1.0,
            )
            for now in super().precisions(contrasts)
        ]  # fmt: skip


@dataclass(frozen=True, repr=False)
class PreferenceVerdict(Verdict):
    """A verdict from preferences: as one from runs, but for what to do where nothing is claimed."""

    @property
    def _gold_units(self) -> str:
        """What was drawn as gold."""
        return "gold topics" if draws_topics(str(self.provenance.get("design") or "random")) else "gold comparisons"

    def source_of(self, name: str) -> Source:
        """A source in the words for comparisons of two systems.

        Parameters
        ----------
        name : str
            The source, as a name of the catalogue.

        Returns
        -------
        Source
            Its words.
        """
        source = super().source_of(name)
        if name != "gold":
            return source
        return replace(source, shown=self._gold_units, units=self._gold_units.capitalize())

    def about_with(self, how_to_check: str, how_to_draw: str) -> tuple[str, ...]:
        """What the verdict rests on: see `Verdict.about_with`.

        Parameters
        ----------
        how_to_check, how_to_draw : str
            As there.

        Returns
        -------
        tuple of str
            One paragraph each, of gold comparisons or topics where others have gold labels.
        """
        paragraphs = super().about_with(how_to_check, how_to_draw)
        return tuple(
            p.replace("gold labels", self._gold_units) if p.startswith(("Shares of", "Most influential gold")) else p
            for p in paragraphs
        )

    def _next(self, how_to_check: str, how_to_draw: str) -> list[str]:
        if self.reasons:
            return [
                f"More topics would not help: the verdict needs at least {LEAST_GOLD} {self._gold_units} of each of "
                "the two systems, drawn at random, or all."
            ]
        return super()._next(how_to_check, how_to_draw)
