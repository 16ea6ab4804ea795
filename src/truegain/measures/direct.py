"""Measures fed with gains that come from ratings, where there are no levels of relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truegain.measures.parse import NamedMeasure
from truegain.tables.checks import counted, warn
from truegain.tables.columns import Floats
from truegain.tables.ranked import RankedGains


def measures_for(ranked: RankedGains, asked: Sequence[NamedMeasure]) -> list[NamedMeasure]:
    """The measures as they take these labels: fed directly where they are gains; where that is doubtful it is told."""
    if ranked.pool.judgments.are_gains:
        return measures_for_gains(asked)
    label = ranked.pool.judgments.label
    tell_fractions(asked, fractions_in(label), len(label))
    return list(asked)


def fractions_in(label: Floats) -> int:
    """How many labels are not whole numbers."""
    return int((label != np.floor(label)).sum())


def tell_fractions(asked: Sequence[NamedMeasure], parts: int, labels: int) -> None:
    """Warn where so many of the labels are not whole numbers, and a measure takes them as levels."""
    doubtful = [str(a.measure) for a in asked if _for_gains(a).measure != a.measure]
    if parts and doubtful:
        warn(
            f"{parts} of {counted(labels, 'label')} are not whole numbers, and {doubtful[0]} takes them as levels; "
            "if they are gains, name their column 'gain', or write max_rel='topic',rule='gain'"
        )


def measures_for_gains(asked: Sequence[NamedMeasure]) -> list[NamedMeasure]:
    """The measures as NTCIREVAL computes them from gains: a cascade's highest gain is that of the topic.

    p = gain / (highest gain of the topic + 1), unless the measure says otherwise.  The measure prints
    what it does.  Sakai and Song 2011, SIGIR; Sakai 2017, EVIA.

    >>> from truegain.measures.parse import parse_measures
    >>> [str(a.measure) for a in measures_for_gains(parse_measures(["nG@1", "nERR@10", "ERR(max_rel='scale')"]))]
    ['nG@1', "nERR(max_rel='topic',rule='gain')@10", "ERR(max_rel='scale')"]
    """
    return [_for_gains(a) for a in asked]


def _for_gains(asked: NamedMeasure) -> NamedMeasure:
    measure = asked.measure
    if not measure.cascades or {"max_rel", "rule"} & set(getattr(measure, "_written", ())):
        return asked
    return replace(asked, measure=replace(measure, max_rel="topic", rule="gain"))  # type: ignore[call-arg]
