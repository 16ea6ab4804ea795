"""Every text of the pages, by name, in English and German; a study may put any of them otherwise."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

LANGUAGES = ("en", "de")  # complete; a study in another language gives every text itself, the rest stays English
_NAMED = re.compile(r"\{(\w+)\}")


@cache
def catalogue(language: str = "en", part: str = "") -> Mapping[str, str]:
    """The texts of a language by dotted name, those of the assessor's pages or of another part (`organizer`).

    >>> catalogue("de")["number.empty"]
    'Geben Sie eine Zahl über 0 ein'
    """
    language = language.partition("-")[0].lower()
    name = f"{part}_" if part else ""
    file = files(__package__) / f"{name}{language if language in LANGUAGES else 'en'}.toml"
    return MappingProxyType(dict(_flat(tomllib.loads(file.read_text(encoding="utf-8")))))


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield above + name, value


def names_in(text: str) -> set[str]:
    """What a text has filled in.

    >>> sorted(names_in("Row {top} of {rows}"))
    ['rows', 'top']
    """
    return set(_NAMED.findall(text))


class Wording:
    """The texts of a study: its own where it has them, else those of its language.

    >>> texts = Wording("en", {"page.next": "Onwards"})
    >>> texts("page.next"), texts("doc.title", n=3, total=8)
    ('Onwards', 'Document 3 of 8')
    """

    def __init__(self, language: str = "en", own: Mapping[str, str] | None = None, part: str = "") -> None:
        self.language = language
        self._texts = {**catalogue(language, part), **(own or {})}
        self._own = frozenset(own or ())

    def __call__(self, name: str, /, **about: object) -> str:
        """The text of that name with {names} filled in; a name in it that is not told of stays as it is written."""
        return _NAMED.sub(lambda name_in_text: str(about.get(name_in_text[1], name_in_text[0])), self._texts[name])

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def counted(self, name: str, total: int, /, **about: object) -> str:
        """A text about so many things; of one thing a text of its own, unless the study puts the other otherwise.

        >>> Wording().counted("done.stored", 8), Wording("de").counted("done.stored", 1)
        ('All 8 answers are stored.', 'Ihre Antwort ist gespeichert.')
        """
        one = f"{name}_one"
        is_one = total == 1 and (one in self._own or name not in self._own)
        return self(one if is_one else name, total=total, n=total, **about)

    def time(self, seconds: float) -> str:
        """A time in minutes, or in hours where it is some of them and no more.

        >>> Wording().time(3600), Wording().time(90 * 60), Wording().time(50)
        ('1 hour', '90 minutes', '1 minute')
        """
        minutes = max(1, round(seconds / 60))
        unit, n = ("hours", minutes // 60) if minutes % 60 == 0 else ("minutes", minutes)
        return self(f"time.{unit}_one" if n == 1 else f"time.{unit}", n=n)

    def seconds(self, seconds: float) -> str:
        """A short time: in seconds below a minute.

        >>> Wording().seconds(45), Wording().seconds(120)
        ('45 seconds', '2 minutes')
        """
        return self.time(seconds) if round(seconds) >= 60 else self("time.seconds", n=round(seconds))

    def money(self, amount: float, currency: str) -> str:
        """An amount as the language writes it.

        >>> Wording("de").money(2.6, "EUR")
        '2,60 EUR'
        """
        return f"{amount:.2f} {currency}".replace(".", self("format.decimal"), 1).strip()

    def option(self, task: str, key: str, name: str, meaning: str) -> tuple[str, str]:
        """Name and meaning of a label: in the study's language where they are the task's own, else as the study says.

        >>> Wording("de").option("binary", "1", "Relevant", "Something in it helps with the topic.")[1]
        'Etwas darin hilft beim Thema.'
        """
        english = catalogue("en")
        for ours in (f"option.{task}.{key}", f"option.binary.{key}"):  # graded with two labels has the words of binary
            if (english.get(ours), english.get(f"{ours}_means")) == (name, meaning):
                return self(ours), self(f"{ours}_means")
        return name, meaning
