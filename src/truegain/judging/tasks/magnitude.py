"""Magnitude estimation: any number above 0, so that ratios of numbers are ratios of relevance.

Names in the catalogue of texts, and their English wording ({typed} and the readings come in `about`):

    number.empty       Type a number above 0
    number.zero        0 is not possible here: type a number above 0
    number.negative    Negative numbers are not possible here: type a number above 0
    number.unreadable  We could not read {typed} as a number: use digits, such as a whole number, a decimal or a
                       fraction
    number.long        That number is too long for us to store: type one of at most {most} characters
    number.comma       {typed} can be read in two ways: did you mean {one} or {other}?
    number.meant       {typed} can be misread: did you mean {one}?
    number.size        That number is too large for us to store: type a smaller one
    number.small       That number is too small for us to store: type a larger one

Plain, so never asked about: whole numbers, decimals in the study's own mark, powers of ten (1e3), fractions (1/2, a
vulgar one such as a half in one sign, mixed ones such as 1 1/2), digits of any script, spaces at either end.  Asked
about: the other mark (in a study with points 1,5 and 1,500), marks or spaces between thousands.  Refused: words, signs
of percent, superscripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal

from truegain.judging.tasks.base import (
    Answer,
    Fields,
    ItemKind,
    Level,
    Option,
    Unit,
    Wrong,
    cannot_judge,
    check_reason,
    cleaned,
    says_cannot,
    too_fast,
    which_button,
)

TOO_FAR = 10**150  # numbers lie from 1/10^150 to 10^150, so that the ratio of any two is a number as well
LONGEST = 100  # characters of a number
LONGEST_TYPED = 40  # characters of what was typed that a message shows
MOST_DIGITS = 400  # of an exponent: beyond it no mantissa of ours comes back to what can be stored

_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-"),
        **dict.fromkeys("\ufe62\uff0b", "+"),
        **dict.fromkeys("\u2044\u2215\uff0f", "/"),
        **dict.fromkeys("\u2019\u02bc\uff07\u066c", "'"),
        "\uff0e": ".",
        "\uff0c": ",",
    }
)
_PLAIN = r"(?:\d+\.?\d*|\.\d+)"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_ONE = re.compile(rf"({_PLAIN})({_EXPONENT})")
_MARKED = re.compile(rf"([\d.,' ]*\d[\d.,' ]*)({_EXPONENT})")
_DIGITS = re.compile(r"(?=.*\d)[+-]?[\d.,' /]+(?:[eE][+-]?\d*)?")
_MIXED = re.compile(r"(\d+) +(\d+) */ *(\d+)")


@dataclass(frozen=True)
class Unread:
    """Why a typed text is not a number yet: the text's name in the catalogue, what it mentions, readings to choose."""

    text: str
    about: Mapping[str, str] = field(default_factory=dict)
    choices: tuple[str, ...] = ()


def read_number(typed: str, decimal: str = ".", meant: str = "") -> float | Unread:
    """The number above 0 that was typed, or why there is none.

    decimal: the study's mark, '.' or ','.
    meant: the reading that the person chose of those offered; it counts only where the text still offers it.

    >>> read_number("1/2"), read_number("1e3"), read_number("1,500", meant="1500"), read_number("1,5", ",")
    (0.5, 1000.0, 1500.0, 1.5)
    >>> read_number("1,500").choices, read_number("1.500", decimal=",").choices, read_number("1,5").choices
    (('1.5', '1500'), ('1,5', '1500'), ('1.5',))
    """
    text = _plain(typed, decimal)
    if not text:
        return Unread("number.empty")
    trimmed = typed.strip()
    about = {"typed": trimmed if len(trimmed) <= LONGEST_TYPED else trimmed[: LONGEST_TYPED - 3] + "..."}
    unreadable = Unread("number.unreadable", about)
    if len(text) > LONGEST:
        return Unread("number.long", {"most": str(LONGEST)}) if _DIGITS.fullmatch(text) else unreadable
    sign, rest = (text[0], text[1:].lstrip()) if text[0] in "+-" else ("", text)
    readings = _readings(rest)
    if readings is None or len(readings.texts) > 2:
        return unreadable
    values = []
    for text_read in readings.texts:
        value = _value(text_read, sign == "-")
        if not isinstance(value, float):
            return value or unreadable
        values.append(value)
    if readings.sure:
        return values[0]
    choices = tuple(text_read.replace(".", decimal) for text_read in readings.texts)
    if meant.strip() in choices:
        return values[choices.index(meant.strip())]
    about |= dict(zip(("one", "other"), choices, strict=False))
    return Unread("number.comma" if len(choices) == 2 else "number.meant", about, choices)


@dataclass(frozen=True)
class _Readings:
    """What a text can mean, written with points; `sure` where nobody need be asked."""

    texts: tuple[str, ...]
    sure: bool


def _plain(typed: str, decimal: str) -> str:
    """The text in ASCII where its signs have one meaning, with the study's decimal mark as a point."""
    signs = []
    for sign in typed:
        kind = unicodedata.category(sign)
        if kind == "Cf":
            continue
        if kind == "Nd":
            signs.append(str(unicodedata.decimal(sign)))
        elif unicodedata.decomposition(sign).startswith("<fraction>"):
            signs.append(" " + unicodedata.normalize("NFKC", sign))
        else:
            signs.append(" " if sign.isspace() else sign)
    text = re.sub(" +", " ", "".join(signs).translate(_SAME)).strip()
    if decimal == ",":
        text = text.translate(str.maketrans(".,", ",."))
    return text.replace("\u066b", ".")


def _readings(text: str) -> _Readings | None:
    """What the text can mean, without its sign; None where it means nothing."""
    if mixed := _MIXED.fullmatch(text):
        whole, top, bottom = (int(part) for part in mixed.groups())
        return _Readings((f"{whole * bottom + top}/{bottom}",), sure=True) if 0 < top < bottom else None
    parts = [_part(part.strip()) for part in text.split("/")]
    if len(parts) > 2 or any(part is None for part in parts):
        return None
    good = [part for part in parts if part is not None]
    texts = good[0].texts
    if len(good) == 2:
        texts = tuple(f"{top}/{bottom}" for top in texts for bottom in good[1].texts)
    return _Readings(texts, sure=all(part.sure for part in good))


def _part(text: str) -> _Readings | None:
    """What a number without a fraction's line can mean: the decimal reading first."""
    if _ONE.fullmatch(text):
        return _Readings((text,), sure=True)
    marked = _MARKED.fullmatch(text)
    if marked is None:
        return None
    body, exponent = marked.group(1).strip(), marked.group(2)
    values = []
    if body.count(",") == 1 and "." not in body and re.fullmatch(r"\d*,\d*", body):
        values.append(_short(body.replace(",", ".")))
    for group, point in ((",", r"\."), (r"\.", ","), ("'", "[.,]"), (" ", "[.,]")):
        if grouped := re.fullmatch(rf"({_thousands(group)})(?:{point}(\d*))?", body):
            whole, part = re.sub(r"\D", "", grouped.group(1)), grouped.group(2) or ""
            values.append(_short(f"{whole}.{part}"))
    texts = tuple(dict.fromkeys(value + exponent for value in values))
    return _Readings(texts, sure=False) if texts else None


def _thousands(mark: str) -> str:
    """Whole numbers with a mark between thousands, or between hundreds above the thousands as in India."""
    return rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|[1-9]\d?(?:{mark}\d{{2}})+{mark}\d{{3}}"


def _short(text: str) -> str:
    """A decimal without what adds nothing: 1.500 is 1.5."""
    whole, _, part = text.partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"


def _value(text: str, negative: bool) -> float | Unread | None:
    """The number of a reading, what is wrong with it, or None where it divides by 0."""
    parts = []
    for part in text.split("/"):
        mantissa, _, exponent = part.lower().partition("e")
        number, power = Fraction(mantissa), int(exponent or 0)
        if number and abs(power) > MOST_DIGITS:
            return Unread("number.negative" if negative else "number.size" if power > 0 else "number.small")
        parts.append(number * Fraction(10) ** power if number else number)
    if len(parts) == 2 and parts[1] == 0:
        return None
    value = parts[0] / parts[1] if len(parts) == 2 else parts[0]
    if value == 0:
        return Unread("number.zero")
    if negative:
        return Unread("number.negative")
    if not Fraction(1, TOO_FAR) <= value <= TOO_FAR:
        return Unread("number.size" if value > 1 else "number.small")
    return float(value)


# ---------------------------------------------------------------------- the task


@dataclass(frozen=True)
class MagnitudeTask:
    """A number above 0 for each document; a finished unit has score(Hk) > score(Nk), and time on each document.

    Maddalena, Mizzaro, Scholer and Turpin 2017, ACM TOIS 35(3).

    >>> MagnitudeTask().read({"number": "1/2", "reason": "names one"}).value
    0.5
    >>> MagnitudeTask().read({"number": "0", "reason": "nothing"})
    (Wrong(field='number', text='number.zero', about={}, choices=()),)
    """

    seconds: float = 20.0
    reason: bool = True
    decimal: Literal[".", ","] = "."

    name: ClassVar[str] = "magnitude"
    template: ClassVar[str] = "magnitude.html"
    field: ClassVar[str] = "number"
    level: ClassVar[Level] = "ratio"
    has_practice: ClassVar[bool] = True
    has_anchors: ClassVar[bool] = True
    docs_per_item: ClassVar[int] = 1
    item: ClassVar[ItemKind] = "doc"
    ask: ClassVar[str] = "magnitude.ask"
    texts: ClassVar[Mapping[str, str]] = {}

    @property
    def options(self) -> tuple[Option, ...]:
        """None: any number above 0."""
        return ()

    def read(self, fields: Fields) -> Answer | tuple[Wrong, ...]:
        """The number and the reason; `number_meant` is the reading chosen of an ambiguous number."""
        if says_cannot(fields, self.field):
            return cannot_judge(fields)
        typed, reason = cleaned(fields.get("number", "")), cleaned(fields.get("reason", ""))
        number = read_number(typed, self.decimal, fields.get("number_meant", ""))
        wrong = (*check_reason(reason, self.reason, "reason.empty"), *which_button(fields, self.field))
        if isinstance(number, Unread):
            return (Wrong("number", number.text, number.about, number.choices), *wrong)
        return wrong or Answer(number, typed, reason)

    def failed(self, unit: Unit, answers: Sequence[Answer], seconds: Sequence[float]) -> tuple[str, ...]:
        """'order' unless score(Hk) > score(Nk), void where either cannot be judged; 'time' where one had too little."""
        failures = []
        if unit.high is not None and unit.low is not None and answers[unit.high].value <= answers[unit.low].value:
            failures.append("order")  # nothing is above or below what is not a number
        if too_fast(unit, answers, seconds, self.seconds):
            failures.append("time")
        return tuple(failures)
