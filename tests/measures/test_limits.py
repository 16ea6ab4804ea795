"""Parameters of measures: the last value that has a meaning is taken, the next one is refused."""

from __future__ import annotations

import pytest

import truegain as tg

EDGES = [
    # measure with {} for the value; allowed; refused; what is said
    ("alpha_nDCG(alpha={})@5", ("0", "1"), ("-0.01", "1.01"), "alpha must lie between 0 and 1"),
    ("NRBP(beta={})", ("0.5", "0.99"), ("-0.01", "1.01"), "beta must lie between 0 and 1"),
    ("ERR(max_rel={})", ("0.01", "4"), ("0", "-1"), "max_rel must be"),
    ("EBR(beta={})", ("0", "2"), ("-0.01",), "beta must not be negative"),
    ("iRBU(q={})", ("0.01", "1"), ("0", "1.01"), "q must be"),
    ("INSQ(T={},max_rel=3)", ("0.01", "5"), ("0", "-1"), "T must be above 0"),
    ("INST(T={},max_rel=3)", ("0.01", "5"), ("0", "-1"), "T must be above 0"),
    ("NERR10(p={},max_rel=3)", ("0", "1"), ("-0.01", "1.01"), "p must lie between 0 and 1"),
    ("SDCG(min_rel=1,max_rel={})@5", ("1.01", "3"), ("1", "0"), "max_rel must be above min_rel"),
    ("AP(rel={})", ("0", "1"), ("-0.01",), "rel must not be negative"),
    ("RBP(rel={})", ("0", "1"), ("-0.01",), "rel must not be negative"),
    ("RBP(max_rel={})", ("0.01", "'scale'", "'topic'"), ("0", "'best'"), "max_rel must be a positive number"),
    ("Q(beta={})", ("0", "10"), ("-0.01",), "beta must not be negative"),
    ("NCUgu_P(beta={})", ("0", "10"), ("-0.01",), "beta must not be negative"),
    ("NCUrb_P(gamma={})", ("0.01", "1"), ("0", "1.01"), "gamma must be above 0 and at most 1"),
    ("D#-Q(gamma={})@5", ("0", "1"), ("-0.01", "1.01"), "gamma must be from 0 to 1"),
    ("rpref_N(max_rel={})", ("0.01", "'scale'", "'topic'"), ("0", "'best'"), "max_rel must be"),
    ("Compat(p={})", ("0", "1"), ("-0.01", "1.01"), "p must lie between 0 and 1"),
    ("Rprec(mult={})", ("0.01", "2"), ("0", "-1"), "mult must be above 0"),
    ("nDCG(dcg='jk',base={})", ("0", "1.5", "2"), ("-0.5", "0.5", "1"), "base must be 0 or above 1"),
    ("AP(norm={})", ("'R'", "'min'"), ("'max'",), "norm must be"),
    ("IA(of={})", ("'AP'", "'nDCG@5'"), ("'I-rec@5'", "'alpha_nDCG@5'"), "measure without intents"),
    ("D(of={})", ("'AP'", "'nDCG@5'"), ("'I-rec@5'", "'alpha_nDCG@5'"), "measure without intents"),
    ("IPrec(recall={})", ("0", "1"), ("-0.01", "1.01"), "recall must lie between 0 and 1"),
]


@pytest.mark.parametrize(("text", "allowed", "refused", "said"), EDGES, ids=[e[0] for e in EDGES])
def test_limits_of_parameters(text: str, allowed: tuple[str, ...], refused: tuple[str, ...], said: str) -> None:
    """Guards both sides of every limit: what is allowed to the last value, and what is not from the first."""
    for value in allowed:
        tg.parse_measure(text.format(value))
    for value in refused:
        with pytest.raises(tg.MeasureError, match=said):
            tg.parse_measure(text.format(value))
