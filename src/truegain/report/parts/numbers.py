"""Numbers as a page shows them: three decimals, a true minus, signs on differences."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EM DASH}"
EN = "\N{EN DASH}"
EQUAL = 1e-10  # nearer than this two numbers are one: what is left is rounding
MOST_DIGITS = 9


def plain(x: float | None, digits: int = 3) -> str:
    """A score; a dash where there is none, and no 0 for what lies below it.

    >>> plain(0.46949), plain(0.0001), plain(-0.00012).replace(MINUS, "-"), plain(-0.25, 2)[1:], plain(None) == NONE
    ('0.469', '0.000', '-0.0001', '0.25', True)
    """
    if x is None or math.isnan(x):
        return NONE
    digits = _digits(x, digits, (0.0,)) if x < 0 else digits
    return f"{round(x, digits) + 0.0:,.{digits}f}".replace("-", MINUS)


def signed(x: float | None, digits: int = 3, min_effect: float = 0.0) -> str:
    """A difference, with as many digits as show on which side of 0, and of the smallest gain that matters, it lies.

    >>> signed(0.0378), signed(-0.0574).replace(MINUS, "-"), signed(-0.000076).replace(MINUS, "-"), signed(0.0)
    ('+0.038', '-0.057', '-0.0001', '+0.000')
    >>> signed(0.0099996, min_effect=0.01), signed(0.01, min_effect=0.01), signed(1e-17)
    ('+0.0099996', '+0.010', '+0.000')
    """
    if x is None or math.isnan(x):
        return NONE
    digits = _digits(x, digits, (0.0, min_effect))
    return f"{round(x, digits) + 0.0:+,.{digits}f}".replace("-", MINUS)


def _digits(x: float, digits: int, sides: tuple[float, ...]) -> int:
    """The fewest digits, at least so many, with which a number stays on its side of others; what is equal stays so."""
    for d in range(digits, MOST_DIGITS):
        if all(abs(x - s) < EQUAL or (abs(round(x, d) - s) > EQUAL and (round(x, d) > s) == (x > s)) for s in sides):
            return d
    return MOST_DIGITS


def limits(low: float | None, high: float | None, *, signs: bool = False, min_effect: float = 0.0) -> str:
    """Both ends of an interval.

    >>> limits(0.351, 0.4).replace(EN, "-"), limits(0.057, 0.133, signs=True)
    ('0.351-0.400', '+0.057 to +0.133')
    >>> limits(-0.000076, 0.028, signs=True).replace(MINUS, "-")
    '-0.0001 to +0.028'
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return NONE
    if signs:
        return f"{signed(low, min_effect=min_effect)} to {signed(high, min_effect=min_effect)}"
    dash = " to " if low < 0 else EN
    return f"{plain(low)}{dash}{plain(high)}"


def p_value(p: float | None) -> str:
    """A p-value, no finer than it is of use.

    >>> p_value(0.0301), p_value(0.00004), p_value(0.5), p_value(0.9996)
    ('p = 0.030', 'p < 0.001', 'p = 0.500', 'p > 0.999')
    """
    if p is None or math.isnan(p):
        return NONE
    if p < 0.001:
        return "p < 0.001"
    return "p > 0.999" if p > 0.9995 else f"p = {p:.3f}"


def count(n: float) -> str:
    """A count with commas.

    >>> count(6706)
    '6,706'
    """
    return f"{n:,.0f}"


def many(n: int, noun: str, nouns: str = "") -> str:
    """So many of something.

    >>> many(1, "topic"), many(1341, "gold label"), many(2, "class", "classes")
    ('1 topic', '1,341 gold labels', '2 classes')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def held(n: int, of: int, noun: str) -> str:
    """How many of some contain something.

    >>> held(1, 1, "claim"), held(1, 3, "claim"), held(0, 2, "interval")
    ('1 of 1 claim contains', '1 of 3 claims contains', '0 of 2 intervals contain')
    """
    return f"{n:,} of {many(of, noun)} {'contains' if n == 1 else 'contain'}"


def percent(x: float | None, digits: int = 0) -> str:
    """A share.

    >>> percent(0.0209, 1), percent(None) == NONE
    ('2.1%', True)
    """
    return NONE if x is None or math.isnan(x) else f"{100 * x:.{digits}f}%"


def named(names: list[str] | tuple[str, ...], most: int = 3) -> str:
    """The first few of some names.

    >>> named(["a", "b"]), named(["a", "b", "c", "d"], 2)
    ('a and b', 'a, b and 2 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def small(words: str) -> str:
    """Words that begin a sentence, within one.

    >>> small("For topics like these 50")
    'for topics like these 50'
    """
    return words[:1].lower() + words[1:]
