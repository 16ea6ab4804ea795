"""The order of trec_eval, and numbers read as Python reads them."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.data.nasty import scores, trec_ids
from truegain.data.run import Run, Ties

bounded = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def read(lines: list[str]) -> Run:
    """The run of some lines."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "r").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
        return tg.read_runs(Path(folder) / "r").parts[0]


def order(run: Run, single: bool = False, ties: Ties = "descending") -> list[str]:
    """The documents of a run of one topic, best first."""
    return run.docs.take(run.ranking(single, ties).order).strings()


def as_float32(value: float) -> float:
    """The nearest float32, as a C cast gives it."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


few_scores = st.one_of(scores, st.sampled_from([1.0, 1.0 + 1e-12, 1.0 + 1e-7, 2.0, 0.0, -0.0, 1e300, 1e301]))


@pytest.mark.slow
@bounded
@given(st.dictionaries(trec_ids, few_scores, min_size=1, max_size=40), st.booleans(), st.randoms())
def test_order_is_score_then_id_bytes_descending(scored: dict[str, float], single: bool, random: object) -> None:
    """Guards trec_eval's order against a sort in Python, for doubles (10.0) and for float32 (9.x), and pyndeval's."""
    items = list(scored.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    run = read([f"1 Q0 {doc} {i} {score!r} s" for i, (doc, score) in enumerate(items)])
    value = as_float32 if single else float
    expected = sorted(items, key=lambda item: (value(item[1]), item[0].encode()), reverse=True)
    assert order(run, single) == [doc for doc, _ in expected]
    ascending = sorted(sorted(items, key=lambda item: item[0].encode()), key=lambda item: value(item[1]), reverse=True)
    assert order(run, single, "ascending") == [doc for doc, _ in ascending]
    given = sorted(items, key=lambda item: value(item[1]), reverse=True)  # Python's sort is stable
    assert order(run, single, "input") == [doc for doc, _ in given]


@pytest.mark.slow
@bounded
@given(
    st.lists(
        st.tuples(*map(st.sampled_from, ("123", "abcdefgh", (0.0, 1.0, 2.0)))), unique_by=lambda r: r[:2], min_size=1
    )
)
def test_topics_may_be_interleaved(rows: list[tuple[str, str, float]]) -> None:
    """Guards topics whose lines do not stand together."""
    run = read([f"{t} Q0 {d} 1 {s} s" for t, d, s in rows])
    ranking = run.ranking()
    for number, topic in enumerate(run.topic.values):
        mine = ranking.order[ranking.begin[number] : ranking.begin[number + 1]]
        expected = sorted(((s, d) for t, d, s in rows if t == topic), reverse=True)
        assert run.docs.take(mine).strings() == [d for _, d in expected]


def test_float32_ties_under_trec_eval_9() -> None:
    """Guards the one difference between the versions: 10.00000002 and 10.00000001 tie in 9, so the id decides."""
    run = {"1": {"a": 10.00000002, "b": 10.00000001}}
    with pytest.warns(tg.DataWarning, match="beyond float32"):
        assert tg.evaluate(run, {"1": {"a": 1}}, "RR").mean() == 1.0
    with pytest.warns(tg.DataWarning, match="all scores are tied"):
        assert tg.evaluate(run, {"1": {"a": 1}}, "RR", scoring=tg.Scoring(trec_eval=9)).mean() == 0.5


def test_the_rank_column_is_ignored(tmp_path: Path) -> None:
    """Guards that scores decide, whatever stands in the rank column."""
    assert order(
        read(["1 Q0 a 1 1 s", "1 Q0 b 2 2 s", "1 Q0 c x 3 s", "1 Q0 d -7 4 s", "1 Q0 e 99999999999999 5 s"])
    ) == list("edcba")


def test_infinities_are_legal_scores() -> None:
    """Guards log-probabilities of 0: -inf is last, inf first, however it is spelled."""
    run = read(["1 Q0 a 1 -inf s", "1 Q0 b 1 0 s", "1 Q0 c 1 Infinity s", "1 Q0 d 1 -1e999 s", "1 Q0 e 1 -1.7e308 s"])
    assert order(run) == ["c", "b", "e", "d", "a"]


def test_ids_compare_as_unsigned_bytes() -> None:
    """Guards strcmp on bytes: beyond ASCII comes after, a longer id after its beginning, upper before lower case."""
    docs = ["a", "B", "b", "ab", "\u00e9", "\u6587", "\U0001f50d", "0", "00", "~"]
    assert order(read([f"1 Q0 {d} 1 1 s" for d in docs])) == sorted(docs, key=str.encode, reverse=True)


# ---------------------------------------------------------------------- numbers

digits = st.text("0123456789", min_size=1, max_size=40)
sign = st.sampled_from(["", "+", "-"])
exponent = st.one_of(st.just(""), st.builds("{}{}{}".format, st.sampled_from("eE"), sign, st.integers(0, 400)))
spelled = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(allow_nan=False, width=32).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.17e}"),
    st.floats(-1e9, 1e9).map(lambda x: f"{x:.30f}"),
    st.builds("{}{}{}".format, sign, digits, exponent),
    st.builds("{}{}.{}{}".format, sign, digits, digits, exponent),
    st.builds("{}.{}{}".format, sign, digits, exponent),
    st.builds("{}{}.{}".format, sign, digits, exponent),
    st.integers(-(10**30), 10**30).map(str),
)
EDGES = [
    "9007199254740993", "9007199254740992", "-0", "+5.", ".5", "1e22", "1e23", "1e-22", "8.5e-23", "1e00005",
    "1e-00005",
    "179769313486231580793728971405301e276", "2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324",
    "0" * 700 + "1." + "3" * 900, "0." + "0" * 400 + "1e400", "1" + "0" * 600 + "e-600", "000000000000000000000001",
    "0.1234567890123456789", "999999999999999999", "9999999999999999999", "18446744073709551616", "1e-400", "-1e400",
]  # fmt: skip


def bits(values: list[float]) -> bytes:
    """The exact bits, so that -0.0 and 0.0 differ."""
    return struct.pack(f"{len(values)}d", *values)


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(spelled, min_size=1, max_size=40))
@example(EDGES)
def test_numbers_are_read_bit_for_bit_as_python_reads_them(texts: list[str]) -> None:
    """Guards the quick reader of decimals: the double is that of float(), to the last bit."""
    run = read([f"1 Q0 d{i} 1 {text} s" for i, text in enumerate(texts)])
    assert bits(run.score.tolist()) == bits([float(text) for text in texts])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.text("0123456789.+-eEinfaINFA_xX,", min_size=1, max_size=9))
def test_what_is_no_number_to_python_is_none_here(text: str) -> None:
    """Guards both ways: text is refused exactly when float() refuses it, but for '_', which no other tool takes."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if "_" in text or math.isnan(value):
        with pytest.raises(tg.InputError):
            read([f"1 Q0 a 1 {text} s"])
    else:
        assert bits(read([f"1 Q0 a 1 {text} s"]).score.tolist()) == bits([value])
