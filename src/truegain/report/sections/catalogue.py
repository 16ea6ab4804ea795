"""The sections of a page, in order; a new one is a file here and a line below."""

from __future__ import annotations

from collections.abc import Callable

from truegain.report.facts import Facts
from truegain.report.html import Section
from truegain.report.sections import (
    agreement,
    claims,
    content,
    health,
    judge,
    made,
    methods,
    next,  # noqa: A004
    pairwise,
    systems,
    truth,
    verdict,
    wins,
)

SECTIONS: tuple[Callable[[Facts], Section | None], ...] = (
    verdict.section,
    truth.section,
    health.section,
    claims.section,
    systems.section,
    pairwise.section,
    wins.section,
    judge.section,
    agreement.section,
    content.section,
    next.section,
    methods.section,
    made.section,
)


def sections_for(facts: Facts) -> list[Section]:
    """Those that apply."""
    return [section for make in SECTIONS if (section := make(facts)) is not None]
