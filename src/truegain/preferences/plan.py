"""What gold comparisons bring beside a judge, before any is bought."""

from __future__ import annotations

from collections.abc import Sequence

from truegain.config import Gold
from truegain.errors import TruegainError, counted
from truegain.io.files import PathLike
from truegain.message import argname
from truegain.preferences.gold import GoldComparisons, corrected_cells, correlation_of, expected_width, on_judged
from truegain.preferences.study import PreferenceStudy
from truegain.results.base import Table
from truegain.results.table import Cell

SHARES = (0.1, 0.25, 0.5)
FORMULA = (
    "Width: the corrected interval divided by the interval from gold comparisons alone, about sqrt(1 - r^2 (1 - "
    "share)); r is the correlation of the judge's half-wins with people's."
)
FROM_AGREEMENT = (
    "r = (2 agreement - 1) sqrt(1 - ties): for systems that win equally often, and ties that only one side calls or "
    "that each calls independently. If one system wins more often, the judge helps less; gold comparisons of a pilot "
    "measure r."
)


def judge_plan(agreement: float, tie_share: float = 0.2, shares: Sequence[float] = SHARES) -> Table:
    """How much narrower a judge makes the interval of gold comparisons, from how often it agrees with people.

    Parameters
    ----------
    agreement : float
        Share of the comparisons that neither calls a tie on which the judge and a person agree.
    tie_share : float, default 0.2
        Share of comparisons that either calls a tie; a judge asked in both orders that contradicts itself calls one.
    shares : sequence of float
        Shares of the comparisons that people make as well.

    Returns
    -------
    Table
        A row a share.

    Examples
    --------
    >>> [row[1] for row in judge_plan(0.78).rows]
    [0.88, 0.901, 0.935]
    """
    for name, value, low in (("agreement", agreement, 0.5), ("tie_share", tie_share, 0.0)):
        if not low <= value <= 1:
            raise TruegainError(f"{argname(name, value)}: give a share from {low:g} to 1")
    r = correlation_of(agreement, min(tie_share, 1 - 1e-12))
    of = f"A judge that agrees with people on {agreement:.0%} of comparisons, {tie_share:.0%} ties"
    return _table(of, r, shares, FROM_AGREEMENT)


def measured_plan(gold: GoldComparisons, shares: Sequence[float] = SHARES) -> Table:
    """How much narrower a judge that gold comparisons have measured makes their interval.

    Parameters
    ----------
    gold : GoldComparisons
        What they say of the judge.
    shares : sequence of float
        Shares of the comparisons that people make as well.

    Returns
    -------
    Table
        A row a share.
    """
    of = (
        f"The judge agrees with people on {gold.agreement:.0%} of {counted(gold.untied, 'gold comparison')} that "
        "neither calls a tie"
        if gold.untied
        else f"In each of {counted(len(gold.rows), 'gold comparison')} the judge or people call a tie, which does not "
        "show how often they agree"
    )
    return _table(of, max(gold.correlation, 0.0), shares)


def _table(of: str, r: float, shares: Sequence[float], *notes: str) -> Table:
    for share in shares:
        if not 0 < share <= 1:
            raise TruegainError(f"{argname('gold_share', share)}: give shares above 0, up to 1, such as 0.1,0.25,0.5")
    rows: list[tuple[Cell, ...]] = [
        (share, round(width := expected_width(r, share), 3), f"{1 - width:.0%}") for share in shares
    ]
    most = max(1 - expected_width(r, share) for share in shares)
    title = (
        f"{of} (r = {r:.2f}): the judge makes the interval at most {most:.0%} narrower than gold comparisons alone do."
    )
    return Table(("gold share", "width", "narrower by"), rows, {}, title, (FORMULA, *notes))


def measured_judge(preferences: PathLike, gold: PathLike) -> GoldComparisons:
    """How well a judge agrees with people, from gold comparisons of some of its own.

    Parameters
    ----------
    preferences : path-like
        The judge's votes.
    gold : path-like
        People's votes.

    Returns
    -------
    GoldComparisons
        Agreement, correlation, and what a half-win of the judge is worth.
    """
    study = PreferenceStudy(preferences, "bradley-terry", gold=Gold(gold, design="random"))
    people, judged = study.gold_preferences, study.preferences.cells()
    assert people is not None
    return corrected_cells(judged, on_judged(people.cells(), judged))[1]
