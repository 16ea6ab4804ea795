"""A corrected mean with its interval, and the choice of interval."""

from __future__ import annotations

from dataclasses import dataclass

from truegain.errors import TruegainError
from truegain.gains.binary import bias
from truegain.gains.boundary import Bounded
from truegain.inference.judges.intervals import (
    delta,
    delta_se,
    fieller,
    guarded,
    lang_reiczigel,
    parametric_bootstrap,
    plenty,
)
from truegain.inference.judges.options import CorrectionOptions
from truegain.inference.judges.rates import Rates
from truegain.student import quantile_of
from truegain.tables.columns import Floats

NARROWEST = 1e-6


@dataclass(frozen=True)
class Corrected:
    """Naive and corrected value side by side: standard error (eq. 7), interval, method, gold design, counts, notes."""

    naive: float
    value: float
    se: float
    low: float
    high: float
    confidence: float
    method: str
    design: str
    counts: tuple[float, float, float, float]
    n: float
    bias: float  # of the plain ratio to second order, section 3.8; not applied
    D: float
    v_j: float
    df: float
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"{self.naive:.4f} by the bronze labels, {self.value:.4f} corrected, {self.confidence:.0%} interval "
            f"{self.low:.4f} to {self.high:.4f} ({self.method}, gold {self.design})"
        )


def interval_of(
    rates: Rates,
    df: float,
    options: CorrectionOptions,
    *,
    point: Bounded,
    design: str,
    notes: tuple[str, ...],
    counts: tuple[float, float, float, float],
    n: float,
    j_draws: Floats | None = None,
) -> Corrected:
    """The interval asked for around a corrected value; refused where it would have no width."""
    method, confidence, trials = options.method, options.confidence, options.trials
    z, name, se = quantile_of(confidence, df), str(method), delta_se(rates)
    said = list(notes)
    if method == "rectify":
        raise TruegainError("rectify needs the labels themselves, not summary figures; use tg.correct")
    if method == "bootstrap":
        draws = parametric_bootstrap(rates, trials=trials, seed=options.seed, j_draws=j_draws)
        (low, high), se = draws.interval(confidence), draws.se
        if draws.spoilt:
            said.append(f"{draws.spoilt} of {trials} bootstrap draws had a D* near 0 and were left out")
    elif method == "default":
        (low, high), name = guarded(rates, z), "delta" if plenty(rates) else "lang-reiczigel, guarded"
        alone = lang_reiczigel(rates, z)
        if high - low > 1.1 * (alone[1] - alone[0]):
            said.append(
                f"the judge passes as better than chance only just (D = {rates.d:.2f}, se {rates.shrunk_d[1]:.2f}), "
                "and the interval is widened for that; more gold pairs would shorten it most"
            )
    else:
        low, high = {"lang-reiczigel": lang_reiczigel, "fieller": fieller, "delta": delta}[method](rates, z)
    low, high = max(0.0, low), min(1.0, high)
    if not high - low > NARROWEST:
        raise TruegainError(
            f"the {name} interval has no width: the corrected value {rates.value:.3f} lies clearly outside 0 to 1, so "
            f"the gold pairs and the bronze labels do not fit together. {' '.join(f'{s}.' for s in said)} Check that "
            "the same judge, the same kind of documents and the same scale stand behind both"
        )
    if point.at != "inside":
        said.append(f"the plain ratio is {rates.value:.3f}; the value is the constrained maximum likelihood estimate")
    return Corrected(
        rates.j, point.value, se, low, high, confidence, name, design, counts, n,
        bias(rates.j, rates.m_r, rates.m_n, rates.v_r, rates.v_n), rates.d, rates.v_j, df, tuple(said),
    )  # fmt: skip
