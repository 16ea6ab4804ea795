"""Numbers as people type them: one reading, or a question."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truegain.judging.tasks.magnitude import Unread, read_number

LEAST, GREATEST = 1e-150, 1e150
WHOLE = st.integers(1, 10**12)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("5", 5), ("0.5", 0.5), (".5", 0.5), ("5.", 5), ("1/2", 0.5), (" 1 / 2 ", 0.5), ("1e3", 1000), ("1E-3", 0.001),
        ("+2", 2), ("1.500", 1.5), ("007", 7), ("0.1/0.3", 1 / 3), ("\u00bd", 0.5), ("1\u00bd", 1.5), ("1 1/2", 1.5),
        ("11\u00bd", 11.5), ("3\u20444", 0.75), ("\uff11\uff12", 12), ("\u0663\u066b\u0665", 3.5),
        ("\u00a05\u00a0", 5), ("\u200e5\u200b", 5), ("1e150", 1e150), ("1e-150", 1e-150),
    ],
)  # fmt: skip
def test_plain_numbers_are_read(typed: str, value: float) -> None:
    """Guards the forms that nobody is asked about, in studies with either mark where the form has none of the two."""
    assert read_number(typed) == pytest.approx(value, rel=1e-15, abs=0)
    if "." not in typed:
        assert read_number(typed, ",") == pytest.approx(value, rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("", "empty"), ("  \u00a0", "empty"), ("\u200b", "empty"), ("0", "zero"), ("0.00", "zero"), ("-0", "zero"),
        ("0,0", "zero"), ("0/5", "zero"), ("0e999", "zero"), ("-3", "negative"), ("\u22123", "negative"),
        ("-1,500", "negative"), ("-1/2", "negative"), ("-1e999", "negative"), ("inf", "unreadable"),
        ("nan", "unreadable"), ("-inf", "unreadable"), ("Infinity", "unreadable"), ("five", "unreadable"),
        ("1/0", "unreadable"), ("0/0", "unreadable"), ("1/2/3", "unreadable"), ("1 3/2", "unreadable"),
        ("1..5", "unreadable"), ("--5", "unreadable"), ("1 2", "unreadable"), ("10\u00b3", "unreadable"),
        ("50%", "unreadable"), ("1_000", "unreadable"), ("0x10", "unreadable"), ("1,2,3", "unreadable"),
        ("1,234,5", "unreadable"), ("5 /", "unreadable"), ("/", "unreadable"), (",", "unreadable"),
        ("1e", "unreadable"), ("9" * 101, "long"), ("0." + "0" * 120 + "1", "long"), ("1/" + "3" * 120, "long"),
        ("nine" * 30, "unreadable"), ("1" * 90 + "e" * 20, "unreadable"), ("1e151", "size"), ("1e400", "size"),
        ("1e" + "9" * 90, "size"),
        ("1e-151", "small"), ("1e-" + "9" * 90, "small"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_named(typed: str, text: str) -> None:
    """Guards which sentence is shown; a power of a billion must answer at once, not build the number."""
    found = read_number(typed)
    assert isinstance(found, Unread)
    assert found.text == f"number.{text}"
    assert found.choices == ()


@pytest.mark.parametrize(
    ("typed", "decimal", "choices"),
    [
        ("1,500", ".", ("1.5", "1500")), ("1,5", ".", ("1.5",)), ("1,234,567", ".", ("1234567",)),
        ("1.234,5", ".", ("1234.5",)), ("1,234.5", ".", ("1234.5",)), ("1.234.567", ".", ("1234567",)),
        ("0,500", ".", ("0.5",)), (",5", ".", ("0.5",)), ("1500,5", ".", ("1500.5",)), ("1 500", ".", ("1500",)),
        ("1\u202f500", ".", ("1500",)), ("1'500", ".", ("1500",)), ("1\u2019500.5", ".", ("1500.5",)),
        ("1,23,456", ".", ("123456",)), ("1,5/2", ".", ("1.5/2",)), ("1,500e2", ".", ("1.5e2", "1500e2")),
        ("\uff11\uff0c\uff15", ".", ("1.5",)),
        ("1.500", ",", ("1,5", "1500")), ("1.5", ",", ("1,5",)), ("1.234,5", ",", ("1234,5",)),
        ("1.234.567", ",", ("1234567",)),
    ],
)  # fmt: skip
def test_readings_are_offered_and_one_that_is_chosen_counts(typed: str, decimal: str, choices: tuple[str, ...]) -> None:
    """Guards the radio buttons: never a guess, every reading that is offered can be chosen, others cannot."""
    found = read_number(typed, decimal)
    assert isinstance(found, Unread)
    assert found.choices == choices
    assert found.text == ("number.comma" if len(choices) == 2 else "number.meant")
    assert found.about == {"typed": typed, **dict(zip(("one", "other"), choices, strict=False))}
    for choice in choices:
        chosen = read_number(typed, decimal, choice)
        assert isinstance(chosen, float)
        assert chosen == read_number(choice, decimal)
    assert read_number(typed, decimal, "77") == found


def test_own_mark_is_plain() -> None:
    """Guards decimal = ',': the study's own mark is never asked about."""
    assert read_number("1,5", ",") == 1.5
    assert read_number("1,500", ",") == 1.5
    assert read_number("1.500") == 1.5


def test_retyped_text_wins_over_the_radio() -> None:
    """Guards a person who chose a reading and then typed another number, plain or not."""
    assert read_number("2", meant="1500") == 2
    assert isinstance(read_number("1,600", meant="1500"), Unread)


def test_a_long_text_is_shown_short() -> None:
    """Guards messages against pasted pages."""
    found = read_number("x" * 5000)
    assert isinstance(found, Unread)
    assert len(found.about["typed"]) == 40


@given(WHOLE, st.integers(1, 10**6))
def test_fractions_are_exact(top: int, bottom: int) -> None:
    """Guards against rounding twice: the double nearest to the fraction, in either kind of study."""
    for decimal in ".,":
        assert read_number(f"{top}/{bottom}", decimal) == float(Fraction(top, bottom))


@given(st.floats(LEAST, GREATEST), st.sampled_from(".,"))
def test_what_is_written_is_read_again(value: float, decimal: str) -> None:
    """Guards the way round: a double in its shortest form is the same double."""
    assert read_number(repr(value).replace(".", decimal), decimal) == value


@given(WHOLE, st.sampled_from([",", "'", " ", "\u00a0"]))
def test_thousands_are_never_taken_silently(value: int, mark: str) -> None:
    """Guards that a mark between thousands always asks, with the whole number among the readings."""
    typed = f"{value:,}".replace(",", mark)
    found = read_number(typed)
    assert found == value if value < 1000 else isinstance(found, Unread) and str(value) in found.choices


@given(st.text(max_size=30) | st.text("0123456789.,/eE+-' \u00bd\u066b", max_size=12), st.sampled_from(".,"))
def test_any_text_has_an_answer(typed: str, decimal: str) -> None:
    """Guards against a traceback and against numbers that cannot be stored: a good double, or a sentence."""
    found = read_number(typed, decimal)
    if isinstance(found, Unread):
        assert found.text.startswith("number.")
        assert len(found.choices) <= 2
        assert all(isinstance(read_number(typed, decimal, c), float) for c in found.choices)
    else:
        assert math.isfinite(found)
        assert LEAST <= found <= GREATEST
