"""The interval around a corrected precision: which one, and what is to be said of it."""

from __future__ import annotations

from truegain.errors import TruegainError
from truegain.gains.boundary import Bounded
from truegain.gains.rates import Rates
from truegain.inference.judges.intervals import (
    delta,
    delta_se,
    fieller,
    guarded,
    lang_reiczigel,
    many_labels,
    parametric_bootstrap,
)
from truegain.inference.judges.options import CorrectionOptions
from truegain.inference.results import Estimate
from truegain.message import CORRECT, with_marks
from truegain.student import quantile_of
from truegain.tables.columns import Floats

NARROWEST = 1e-6


def interval_of(
    rates: Rates,
    df: float,
    options: CorrectionOptions,
    *,
    point: Bounded,
    noted: tuple[str, ...] = (),
    bronze_draws: Floats | None = None,
) -> Estimate:
    """The corrected value with the interval asked for; refused where it would have no width."""
    method, confidence, trials = options.method, options.confidence, options.replicates
    t, name, se = quantile_of(confidence, df), str(method), delta_se(rates)
    notes = list(noted)
    if method == "rectify":
        raise TruegainError(f"rectify needs the labels themselves, not summary figures; use {CORRECT}")
    if method == "bootstrap":
        draws = parametric_bootstrap(rates, trials=trials, seed=options.seed, j_draws=bronze_draws)
        (low, high), se = draws.interval(confidence), draws.se
        if draws.spoilt:
            notes.append(f"{draws.spoilt} of {trials} bootstrap draws had a D* near 0 and were left out")
    elif method == "default":
        (low, high), name = guarded(rates, t), "delta" if many_labels(rates) else "lang-reiczigel, guarded"
        plain = lang_reiczigel(rates, t)
        if high - low > 1.1 * (plain[1] - plain[0]):
            notes.append(
                f"the judge passes as better than chance only just (D = {rates.d:.2f}, se {rates.shrunk_d[1]:.2f}), "
                "and the interval is widened for that; more gold pairs would shorten it most"
            )
    else:
        low, high = {"lang-reiczigel": lang_reiczigel, "fieller": fieller, "delta": delta}[method](rates, t)
    low, high = max(0.0, low), min(1.0, high)
    if not high - low > NARROWEST:
        raise TruegainError(
            f"the {name} interval has no width: the corrected value {rates.value:.3f} lies clearly outside 0 to 1, so "
            f"the gold pairs and the bronze labels do not fit together. {' '.join(f'{with_marks(n)}.' for n in notes)} "
            "Check that the same judge, the same kind of documents and the same scale stand behind both"
        )
    if point.at != "inside":
        notes.append(f"the plain ratio is {rates.value:.3f}; the value is the constrained maximum likelihood estimate")
    low, high = min(low, point.value), max(high, point.value)
    return Estimate(
        "", "corrected mean", point.value, low, high, confidence=confidence, method=name, se=se, naive=rates.j,
        notes=tuple(notes),
    )  # fmt: skip
