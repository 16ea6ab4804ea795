"""What systems are scored by where two were compared: half-wins, Bradley-Terry, win rates, Davidson."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from truegain.data.pool import RankedGains
from truegain.errors import MeasureError, meant
from truegain.measures.base import Measure

Model = Literal["", "bradley-terry", "davidson"]


@dataclass(frozen=True, kw_only=True, repr=False)
class PreferenceMeasure(Measure):
    """A score that comparisons of two systems give, not labels of documents.

    Attributes
    ----------
    model : {'', 'bradley-terry', 'davidson'}
        The model behind it; '' where it needs none.
    as_rate : bool
        Whether strengths are shown as the chance to win against the other systems.
    """

    AT: ClassVar[str | None] = None
    model: ClassVar[Model] = ""
    as_rate: ClassVar[bool] = False

    def per_topic(self, ranked: RankedGains) -> npt.NDArray[Any]:  # noqa: ARG002
        """Refuse: documents have no part in it."""
        raise MeasureError(f"{self} is a score of preferences, and these are runs; give a measure such as nDCG@10")

    def bounds(self) -> tuple[float, float]:
        """0 to 1 for half-wins and win rates; strengths have no bounds."""
        return (0.0, 1.0) if self.model == "" or self.as_rate else (-np.inf, np.inf)


@dataclass(frozen=True, kw_only=True, repr=False)
class HalfWins(PreferenceMeasure):
    """Share of comparisons won, a tie counting 1/2: the mean over topics and over the other systems.

    It needs no model, and every topic must have every pair of systems.

    >>> str(HalfWins()), HalfWins().bounds()
    ('half-wins', (0.0, 1.0))
    """

    NAME: ClassVar[str] = "half-wins"


@dataclass(frozen=True, kw_only=True, repr=False)
class BradleyTerry(PreferenceMeasure):
    """Strength theta: a wins against b with log-odds theta_a - theta_b; a tie counts as half a win.

    Bradley and Terry 1952, Biometrika 39.
    """

    NAME: ClassVar[str] = "Bradley-Terry"
    model: ClassVar[Model] = "bradley-terry"


@dataclass(frozen=True, kw_only=True, repr=False)
class WinRate(PreferenceMeasure):
    """The chance to win against another system, in the mean of the others, by Bradley-Terry."""

    NAME: ClassVar[str] = "win-rate"
    model: ClassVar[Model] = "bradley-terry"
    as_rate: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True, repr=False)
class Davidson(PreferenceMeasure):
    """Strength theta with ties of their own: P(tie) = nu/(exp(d/2) + exp(-d/2) + nu), d = theta_a - theta_b.

    Davidson 1970, JASA 65.
    """

    NAME: ClassVar[str] = "Davidson"
    model: ClassVar[Model] = "davidson"


MEASURES: dict[str, type[PreferenceMeasure]] = {
    "half-wins": HalfWins,
    "bradley-terry": BradleyTerry,
    "win-rate": WinRate,
    "davidson": Davidson,
}


def preference_measure(name: str | Measure) -> PreferenceMeasure:
    """A measure of preferences by its name, in upper or lower case.

    >>> preference_measure("Bradley-Terry") == BradleyTerry()
    True
    """
    if isinstance(name, PreferenceMeasure):
        return name
    plain = str(name).strip().lower().replace("_", "-").replace(" ", "-")
    if plain not in MEASURES:
        close = meant(plain, list(MEASURES))
        guess = f"; did you mean {close}?" if close else ""
        raise MeasureError(f"there is no measure of preferences {str(name)!r}{guess} There are {', '.join(MEASURES)}")
    return MEASURES[plain]()
