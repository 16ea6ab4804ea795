"""Hypothesis strategies for ids and numbers that break careless readers."""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st

NASTY_IDS = (
    "0", "007", "1e5", "-1", "nan", "inf", "None", "null", "true", "a,b", 'a"b', '"quoted"', "'", "#5", "\\", "\\n",
    "{x}", "[1]",
    "clueweb09-en0000-00-00000", "d\u00e9j\u00e0", "\u6587\u66f8", "\U0001f50d", "e\u0301", "\u00a0",
    "\u2028", "\ufeffx", "topic", "doc",
    "PAR1", "%s", "{}", "x" * 5000, "9" * 400, "\x7f", "\x01", ";", "|", "a=b", "=1+1", "@x", "\u00df",
)  # fmt: skip

# TREC ids: no ASCII white space, no NUL, not empty
_SURROGATES: tuple[Literal["Cs"]] = ("Cs",)
trec_ids = st.one_of(
    st.sampled_from(NASTY_IDS),
    st.text(st.characters(exclude_categories=_SURROGATES, exclude_characters="\0\t\n\v\f\r "), min_size=1, max_size=12),
    st.integers(0, 999).map(lambda n: f"{n:04}"),
)
trec_topics = trec_ids.filter(lambda t: not t.startswith(("#", "\ufeff", "{", "PAR1")) and "," not in t)

# ids for tables: anything but NUL and the empty text
table_ids = st.one_of(
    trec_ids, st.text(st.characters(exclude_categories=_SURROGATES, exclude_characters="\0"), min_size=1, max_size=12)
)

finite = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 2.0, -1.0, 0.1, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 1e22, 1e23]),
    st.integers(-3, 5).map(float),
)
scores = st.one_of(finite, st.sampled_from([float("inf"), float("-inf")]))
