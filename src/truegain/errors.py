"""What can go wrong, said so that the user knows what to do next."""

from __future__ import annotations

import errno
import importlib
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from truegain.message import Message, argname, argvalue, with_marks

ORDER = "on the command line judgments come first, then the runs; in Python the runs come first"
NEAR = 0.7  # the least likeness, 0 to 1, of a name that may have been meant
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(?:[^/@\s]*@)?([^?#\s'\"]*)([?#][^\s'\"]*)?")


class TruegainError(Exception):
    """A mistake that the user can fix; the command line prints it and ends with exit code 2.

    Parameters
    ----------
    message : str
        What is wrong and what to do.  Arguments that it names (see `truegain.message`) read as options on the command
        line and as keys in a study file.
    argument : str, optional
        The argument that is wrong; by default the first that the message names.
    value : object, optional
        Its value; by default the one that the message tells.
    allowed : sequence, optional
        The values that it may have, where these can be listed.
    remedy : str, optional
        What to do; it may be told by the message, too.  None where the message alone says it.

    Examples
    --------
    >>> error = TruegainError(f"{argname('min_effect', -1)}: give a number of at least 0")
    >>> str(error), error.argument, error.value
    ('min_effect -1: give a number of at least 0', 'min_effect', -1)
    """

    is_whole = False  # whether the message is known to say the remedy, in other words than these

    def __init__(
        self,
        message: str = "",
        *,
        argument: str | None = None,
        value: Any = None,
        allowed: Sequence[object] | None = None,
        remedy: str | None = None,
    ) -> None:
        self.message = Message(message)
        super().__init__(str(self.message))
        self.argument = self.message.argument if argument is None else argument
        self.value = self.message.value if value is None else value
        self.allowed = None if allowed is None else tuple(allowed)
        self.remedy = None if remedy is None else Message(remedy)

    @property
    def in_full(self) -> Message:
        """The message, and behind it the remedy, where the message does not say it; what the command line prints.

        Examples
        --------
        >>> print(TruegainError("no curve to draw", remedy="give some curves").in_full)
        no curve to draw; give some curves
        """
        if self.is_whole or self.remedy is None or str(self.remedy) in str(self.message):
            return self.message
        return Message(f"{with_marks(self.message)}; {with_marks(self.remedy)}")

    def at(self, file: str | None, line: int | None, message: str) -> InputError:
        """The mistake with the place where the user made it, in the words that are used there.

        Parameters
        ----------
        file : str or None
            The file that holds the mistake.
        line : int or None
            Its line, from 1.
        message : str
            What is wrong and what to do, in that file's words.

        Returns
        -------
        InputError
            With the argument, value, allowed values and remedy of this error.
        """
        made = InputError(message, file=file, line=line)
        made.is_whole = True
        made.argument, made.value, made.allowed, made.remedy = self.argument, self.value, self.allowed, self.remedy
        return made


class InputError(TruegainError):
    """Bad data, with the place where it stands.

    Parameters
    ----------
    problem : str
        What is wrong.
    file : str, optional
        The file, or what the data is called.  Secrets in an address are left out.
    line : int, optional
        The line of the file, from 1.
    row : int, optional
        The row of a table that has no lines, from 1.
    entry : str, optional
        The entry of a list in that line or row, such as 'entry 2 of hits'.
    text : str, optional
        The text that stands there.
    hint : str, optional
        What to do.

    Examples
    --------
    >>> print(InputError("score is not a number", file="bm25.run", line=3, text="1 Q0 d7 1 high x"))
    bm25.run:3: score is not a number: '1 Q0 d7 1 high x'
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        line: int | None = None,
        row: int | None = None,
        entry: str | None = None,
        text: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.file = None if file is None else without_secrets(file)
        self.problem, self.line, self.row, self.entry, self.text = Message(problem), line, row, entry, text
        self.hint = None if hint is None else Message(hint)
        place = self.file or ""
        if line is not None:
            place += f":{line}"
        elif row is not None:
            place += f", row {row}" if place else f"row {row}"
        place += f", {entry}" if entry else ""
        message = f"{place}: {with_marks(problem)}" if place else with_marks(problem)
        if text is not None:
            message += f": {shorten(repr(shorten(text)), 120)}"  # a NUL takes four characters
        super().__init__(f"{message} ({with_marks(hint)})" if hint else message, remedy=self.hint)

    def with_hint(self, hint: str | None) -> InputError:
        """The same mistake in the same place, with another way out.

        Parameters
        ----------
        hint : str or None
            What to do.

        Returns
        -------
        InputError
            With all else that this error says.

        Examples
        --------
        >>> print(InputError("score is not a number", file="bm25.csv", row=3).with_hint("remove the row"))
        bm25.csv, row 3: score is not a number (remove the row)
        """
        return InputError(
            self.problem.marked, file=self.file, line=self.line, row=self.row, entry=self.entry, text=self.text,
            hint=hint,
        )  # fmt: skip


class KeywordError(TruegainError, TypeError):
    """A keyword that the function or config called does not have."""


class EmptyError(InputError):
    """A file or a table without a single row."""


class MeasureError(TruegainError):
    """A measure that does not exist, cannot be parsed, or does not fit the data.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    about : optional
        The other parameters of `TruegainError`.

    Examples
    --------
    >>> import truegain as tg
    >>> tg.parse_measure("nDCG@0")
    Traceback (most recent call last):
    truegain.errors.MeasureError: nDCG@0: the cutoff must be a whole number of at least 1
    """

    def __init__(self, message: str = "", **about: Any) -> None:
        super().__init__(message, **about)
        self.argument = self.argument or "measure"


class DataWarning(UserWarning):
    """Legal but suspicious data, reported once, with counts.

    Parameters
    ----------
    message : str
        What is suspicious; arguments that it names read as in a `TruegainError`.

    Examples
    --------
    Turn the warnings into errors, for instance in a CI job:

    >>> import warnings, truegain as tg
    >>> warnings.filterwarnings("error", category=tg.DataWarning)  # doctest: +SKIP
    """

    def __init__(self, message: str = "") -> None:
        self.message = Message(message)
        super().__init__(str(self.message))


class PeerWarning(DataWarning):
    """Data that other tools take otherwise: no matter of an answer, but of its numbers beside theirs."""


def shorten(text: str, width: int = 80) -> str:
    """Cut a long text for a message."""
    return text if len(text) <= width else text[: width - 3] + "..."


def without_secrets(text: str) -> str:
    """A text with its addresses as they can be shown: no user, no password, and no query, which may hold a key.

    >>> without_secrets("https://me:word@example.org/a/bm25.run?token=abc")
    'https://example.org/a/bm25.run'
    >>> without_secrets("s3://bucket/run?.txt"), without_secrets("runs/a@b?c")
    ('s3://bucket/run?.txt', 'runs/a@b?c')
    """
    return _ADDRESS.sub(_address_shown, text) if "://" in text else text


def _address_shown(match: re.Match[str]) -> str:
    scheme, rest, query = match.group(1), match.group(2), match.group(3) or ""
    is_query = scheme.lower() in ("http", "https") or "=" in query
    return f"{scheme}://{rest}{'' if is_query else query}"


def some(names: Sequence[str], most: int = 3) -> str:
    """List a few names and count the rest.

    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    listed = ", ".join(names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


def counted(n: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "system"), counted(1000, "topic")
    ('1 system', '1,000 topics')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def there_are(unknown: Sequence[str], names: Sequence[str], most: int = 3) -> str:
    """Which names there are, for a refusal of some that are not known: those that may have been meant come first.

    A name that is as near to several is near to none.

    >>> there_are(["BN25"], ["bm25", "dense", "splade"]), there_are(["run9"], ["run-1", "run-2"])
    ('did you mean bm25? There are bm25, dense, splade', 'there are run-1, run-2')
    """
    close = dict.fromkeys(filter(None, (meant(name, names) for name in unknown)))
    there = f"here are {some(names, most)}"
    return f"did you mean {' and '.join(close)}? T{there}" if close else f"t{there}"


def no_system(argument: str, unknown: Sequence[str], systems: Sequence[str]) -> TruegainError:
    """The refusal of names that are no systems here, with the argument that has them; '' where none is to be named.

    >>> error = no_system("baseline", ["BM25"], ["bm25", "dense"])
    >>> print(error)
    baseline 'BM25' is not a system here; did you mean bm25? There are bm25, dense
    >>> error.argument, error.value
    ('baseline', 'BM25')
    >>> print(no_system("", ["x", "y"], ["bm25", "dense"]))
    x, y are not systems here; there are bm25, dense
    """
    value = unknown[0] if len(unknown) == 1 else list(unknown)
    named = argname(argument, value) if argument else argvalue("system", value, ", ".join(unknown))
    are = "is not a system" if len(unknown) == 1 else "are not systems"
    return TruegainError(f"{named} {are} here; {there_are(unknown, systems, 8)}")


def meant(unknown: str, names: Sequence[str]) -> str | None:
    """The name that was meant by one that is not known; None where none, or more than one, is near.

    >>> meant("s2.tml", ["runs", "s2.toml"]), meant("run9", ["run-1", "run-2"])
    ('s2.toml', None)
    """
    from difflib import SequenceMatcher  # by those who mistyped

    near = [SequenceMatcher(None, unknown.lower(), other.lower()).ratio() for other in names]
    return names[near.index(max(near))] if near and max(near) >= NEAR and near.count(max(near)) == 1 else None


def why(error: OSError) -> str:
    """The reason of a failed reading or writing, in plain words.

    >>> why(OSError(9, "Bad file descriptor")), why(OSError(28, "No space left on device"))
    ('it is closed', 'No space left on device')
    """
    return "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def an(value: object) -> str:
    """What kind of object a value is, with its article, for a refusal of it.

    >>> an(7), an([]), an(None), an(b"")
    ('an integer', 'a list', 'None', 'bytes')
    """
    kind = type(value).__name__
    words = {"int": "integer", "str": "text", "NoneType": "None", "ndarray": "numpy array"}
    word = words.get(kind, kind)
    return word if value is None or kind == "bytes" else f"{'an' if word[0].lower() in 'aeiou' else 'a'} {word}"


def check_one_of(name: str, value: object, known: Sequence[object]) -> None:
    """Refuse a value that is not one of those known, and list these.

    >>> check_one_of("clusters", "docs", ("topics", "none"))
    Traceback (most recent call last):
    truegain.errors.TruegainError: clusters 'docs' is not known; give one of topics, none
    """
    if value not in known:
        remedy = f"give one of {', '.join(map(str, known))}"
        raise TruegainError(
            f"{argname(name, value)} is not known; {remedy}", argument=name, value=value, allowed=known, remedy=remedy
        )


def needs(module: str, extra: str) -> Any:
    """Import an optional library, or say how to get it.

    >>> needs("no_such_library", "frames")
    Traceback (most recent call last):
    ...
    truegain.errors.TruegainError: this needs no_such_library; run: pip install 'truegain[frames]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        library = module.split(".")[0]
        raise TruegainError(f"this needs {library}; run: pip install 'truegain[{extra}]'") from None


# ---- Telling of legal but suspicious data, once and with counts.


OURS = ("truegain", "contextlib", "functools")  # with what stands between two functions of ours


def warn(message: str, kind: type[DataWarning] = DataWarning) -> None:
    """Tell the user about suspicious data, at the line of the user's own that led to it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(kind(message), stacklevel=level)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is warned of meanwhile, listed in place of being told; also where it ends in an error.

    >>> with heard() as told:
    ...     warn("suspicious")
    >>> told
    ['suspicious']
    """
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            yield messages
        finally:
            messages += dict.fromkeys(w.message.message for w in caught if isinstance(w.message, DataWarning))


def tell(messages: Iterable[str]) -> None:
    """Tell what was heard."""
    for message in messages:
        warn(message)
