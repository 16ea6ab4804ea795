"""Measures fed with gains that come from ratings, where there are no levels of relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truegain.measures.err import _Cascade
from truegain.measures.parse import Asked


def fed_directly(asked: Sequence[Asked]) -> list[Asked]:
    """The measures as NTCIREVAL computes them from gains: a cascade's highest gain is that of the topic.

    p = gain / (highest gain of the topic + 1), unless the measure says otherwise.  The measure prints
    what it does.  Sakai and Song 2011, SIGIR; Sakai 2017, EVIA.

    >>> from truegain.measures.parse import parse_measures
    >>> [str(a.measure) for a in fed_directly(parse_measures(["nG@1", "nERR@10", "ERR(max_rel='scale')"]))]
    ['nG@1', "nERR(max_rel='topic',rule='gain')@10", "ERR(max_rel='scale')"]
    """
    return [_fed(a) for a in asked]


def _fed(asked: Asked) -> Asked:
    measure = asked.measure
    if not isinstance(measure, _Cascade) or {"max_rel", "rule"} & set(getattr(measure, "_written", ())):
        return asked
    return replace(asked, measure=replace(measure, max_rel="topic", rule="gain"))
