"""Messages that name arguments: as Python says them, as the command line does, or as a study file does.

A message is written as any other text; where it names an argument, `arg` stands in it, and where Python and the command
line have different words for something else, `by_surface`.  Both give a text with marks, Unicode's noncharacters, which
no text has, and `Message` reads them: it is a text in Python's words, and knows its parts.  Nothing else is searched
for, so that the names of runs, files, columns and documents stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_OPEN, _NEXT, _CLOSE, _OPTION = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"  # reserved for use within a program
_MARKS = str.maketrans(dict.fromkeys((_OPEN, _NEXT, _CLOSE, _OPTION), "\ufffd"))
NAMED, TOLD, OTHER = "named", "told", "other"  # what a part does with an argument: names it, tells its value, neither
_NO: Any = object()  # no value is given; None is one


class Phrase(NamedTuple):
    """A part of a message that differs by who reads it.

    kind: whether it names an argument, tells a value of one, or neither; name: the argument; shown: its value, as
    Python writes it; python, command: the words there, these with a mark for the option; otherwise: the words of a
    command that has no such option.
    """

    kind: str
    name: str
    shown: str
    python: str
    command: str
    otherwise: str

    @property
    def value(self) -> Any:
        """The value that the message tells; None where it tells none, a text where Python cannot read it."""
        import ast  # pages of help do not wait for it

        try:
            return ast.literal_eval(self.shown) if self.shown else None
        except (ValueError, SyntaxError):
            return self.shown

    def words(self, options: Mapping[str, str]) -> str:
        """The part in the words of a command that has these options, by argument."""
        if self.kind == OTHER:
            return self.command
        option = options.get(self.name)
        return self.otherwise if option is None else self.command.replace(_OPTION, option)

    def line(self, keys: Mapping[str, str]) -> str:
        """The part in a refusal of a study file: where it gives a value, the line to put there.

        keys: by argument the key of the file; where it may not stand there, the option.
        """
        key = keys.get(self.name)
        gives = self.kind == NAMED and self.shown and f"{self.name}={self.shown}" in self.python
        if not gives or key is None or key.startswith("-"):
            return self.words(keys)
        line = self.command.replace(_with_value(self.value), f"{key} = {_toml(self.value)}")
        return self.words(keys) if _OPTION in line else line  # a value that Python reads otherwise than it writes

    @property
    def marked(self) -> str:
        """The part as it stands in a text."""
        return f"{_OPEN}{_NEXT.join(self)}{_CLOSE}"


class Message(str):
    """A text in Python's words that knows the words of the command line.

    >>> said = Message(f"take them as not judged ({arg('outside', 'drop')}); outside='drop' is the name of a run")
    >>> print(said)
    take them as not judged (outside='drop'); outside='drop' is the name of a run
    >>> print(said.words({"outside": "--outside"}))
    take them as not judged (--outside drop); outside='drop' is the name of a run
    >>> said.argument, said.value
    ('outside', 'drop')
    """

    __slots__ = ("marked", "parts")
    marked: str  # the text with its marks
    parts: tuple[str | Phrase, ...]

    def __new__(cls, text: str = "") -> Message:
        """The message of a text with marks; one that is none already."""
        if isinstance(text, Message):
            return text
        parts = tuple(_parts(text))
        made = super().__new__(cls, "".join(x if isinstance(x, str) else x.python for x in parts))
        made.marked, made.parts = text, parts
        return made

    def __getnewargs__(self) -> tuple[str]:
        return (self.marked,)

    def __getstate__(self) -> None:
        return None  # the text with its marks is all

    @property
    def about(self) -> tuple[Phrase, ...]:
        """The parts that name an argument, or tell a value of one."""
        return tuple(x for x in self.parts if isinstance(x, Phrase) and x.kind != OTHER)

    @property
    def named(self) -> tuple[Phrase, ...]:
        """The parts that name an argument."""
        return tuple(x for x in self.about if x.kind == NAMED)

    @property
    def argument(self) -> str | None:
        """The first argument that it is about; None where it is about none."""
        return next((x.name for x in (*self.named, *self.about)), None)

    @property
    def value(self) -> Any:
        """The value of that argument, where it is told."""
        return next((x.value for x in self.about if x.name == self.argument and x.shown), None)

    def words(self, options: Mapping[str, str]) -> str:
        """The message in the words of a command that has these options, by argument."""
        return "".join(x if isinstance(x, str) else x.words(options) for x in self.parts)

    def lines(self, keys: Mapping[str, str]) -> str:
        """The message as it is told of a study file; see `Phrase.line`.

        >>> said = Message(f"{argname('gold_level', 5)}: 2 are missing ({arg('missing', 'drop')} or {arg('level', 2)})")
        >>> print(said.lines({"gold_level": "gold-level", "missing": "missing", "level": "--level"}))
        gold-level 5: 2 are missing (missing = "drop" or --level 2)
        """
        return "".join(x if isinstance(x, str) else x.line(keys) for x in self.parts)


def _parts(text: str) -> Iterator[str | Phrase]:
    """The parts of a text; marks that make no part, which are of nobody here, are text."""
    plain, *rest = text.split(_OPEN)
    if plain:
        yield plain
    for piece in rest:
        inner, closed, after = piece.partition(_CLOSE)
        fields = inner.split(_NEXT)
        if closed and len(fields) == 6 and fields[0] in (NAMED, TOLD, OTHER):
            yield Phrase(*fields)
        else:
            after = f"{_OPEN}{piece}"
        if after:
            yield after


def arg(name: str, value: Any = _NO, *, of: str = "", within: str = "{}", python: str = "") -> str:
    """An argument within a sentence: `rule=` or `rule='mean'`, and `--rule` or `--rule mean` on the command line.

    of: whose argument it is, in Python, where it is not that of the function called; within: words around it, which
    are left out where a command has no such option; python: the words of Python, where it has another name there.

    >>> def both(said):
    ...     print(Message(said), "|", Message(said).words({n: f"--{n}" for n in ("rule", "uses", "pair", "complete")}))
    >>> both(f"{arg('rule')} {arg('rule', 'my own')} {arg('uses', {'a': 'm'})} {arg('pair', ('a', 'b'))}")
    rule= rule='my own' uses={'a': 'm'} pair=('a', 'b') | --rule --rule 'my own' --uses a=m --pair a,b
    >>> both(f"{arg('complete', True)} {arg('columns', 'a', of='tg.read_ratings')}")
    complete=True columns='a' of tg.read_ratings | --complete columns='a'
    """
    shown = "" if value is _NO else repr(value)
    alone = python or f"{name}={shown}"
    return _part(
        NAMED, name, shown, within.format(f"{alone} of {of}" if of else alone),
        within.format(_with_value(value)), alone if within == "{}" else "",
    )  # fmt: skip


def argname(name: str, value: Any = _NO, spec: str | None = None) -> str:
    """An argument as a word: `gold_level` or `smallest -1`, and `--gold-level` or `--smallest -1`.

    spec: how the value is to be told, as within braces of an f-string, where that is not as Python writes it.

    >>> said = Message(f"{argname('smallest', -1.0, 'g')}: give a number; leave {argname('gold_level')} out")
    >>> print(said, "|", said.words({"smallest": "--smallest", "gold_level": "--gold-level"}))
    smallest -1: give a number; leave gold_level out | --smallest -1: give a number; leave --gold-level out
    """
    if value is _NO:
        return _part(NAMED, name, "", name, _OPTION, name)
    told = repr(value) if spec is None else format(value, spec)
    typed = _with_value(value) if spec is None else f"{_OPTION} {_quoted(told)}"
    return _part(NAMED, name, repr(value), f"{name} {told}", typed, f"{name} {told}")


def option(name: str) -> str:
    """An option in a message of the command line itself, `--gold-level`: in a study file it is the key.

    >>> print(Message(f"{option('--gold-level')} is about gold labels").words({"gold_level": "gold-level"}))
    gold-level is about gold labels
    """
    return _part(NAMED, name.lstrip("-").replace("-", "_"), "", name, _OPTION, name)


def value_of(name: str, value: Any) -> str:
    """A value of an argument that is named before: `'system'`, and `system` on the command line.

    >>> said = Message(f"{arg('accuracy', 'lists')} (or {value_of('accuracy', 'system')})")
    >>> print(said, "|", said.words({"accuracy": "--accuracy"}))
    accuracy='lists' (or 'system') | --accuracy lists (or system)
    """
    return _part(TOLD, name, repr(value), repr(value), _typed(value), repr(value))


def told_value(name: str, value: Any, shown: str | None = None) -> str:
    """A value that stands in a sentence as it is, and is of an argument, which need not be named.

    >>> Message(f"{told_value('measure', 'nDCG@10')} is not linear in gain").argument
    'measure'
    """
    text = str(value) if shown is None else shown
    return _part(TOLD, name, repr(value), text, text, text)


def by_surface(python: str, command: str) -> str:
    """What Python and the command line have different words for, such as functions and commands.

    >>> said = Message(f"make gains of them ({by_surface('tg.to_gains', '`truegain gains`')})")
    >>> print(said, "|", said.words({}))
    make gains of them (tg.to_gains) | make gains of them (`truegain gains`)
    """
    return _part(OTHER, "", "", python, command, command)


def with_marks(said: object) -> str:
    """A message, or the message of an error, with its marks, to stand within another one."""
    said = getattr(said, "message", said)
    return said.marked if isinstance(said, Message) else str(said)


def _part(kind: str, name: str, shown: str, python: str, command: str, otherwise: str) -> str:
    typed = _OPTION.join(x.translate(_MARKS) for x in command.split(_OPTION))
    clean = (x.translate(_MARKS) for x in (name, shown, python))
    return Phrase(kind, next(clean), next(clean), next(clean), typed, otherwise.translate(_MARKS)).marked


def _with_value(value: Any) -> str:
    """The option with a value as it is typed; a flag has none."""
    return _OPTION if value is _NO or value is True else f"{_OPTION} {_typed(value)}"


def _typed(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={one}" for key, one in value.items())
    elif isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return _quoted(str(value))


def _quoted(text: str) -> str:
    """A word as a shell takes it."""
    import shlex  # pages of help do not wait for it

    return shlex.quote(text)


def _toml(value: Any) -> str:
    """A value as a study file has it."""
    import json  # by refusals alone

    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{json.dumps(key)} = {_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value if isinstance(value, bool | int | float) else str(value), ensure_ascii=False)


TO_GAINS = by_surface("tg.to_gains", "`truegain gains`")
GAINS_OR_RULE = by_surface("tg.to_gains, or rule= of what you ask", "--rule of eval and verdict, or `truegain gains`")
EVALUATE = by_surface("tg.evaluate", "`truegain eval`")
CORRECT = by_surface("tg.correct", "`truegain correct`")
LIST_MEASURES = by_surface("tg.list_measures", "`truegain measures`")
HOLE_LIST = by_surface("tg.hole_list", "`truegain holes --show sample --fill predicted -o sample.csv`")
GOLD_LIST = by_surface("tg.gold_list", "`truegain plan labels -o gold_list.csv`")
HOLES_COMMAND = by_surface("tg.holes", "`truegain holes`")
JUDGE_NEXT = by_surface("tg.judge_next", "`truegain holes --show next`")
JUDGES = by_surface("tg.judges", "`truegain judges`")
GOLD_OF_STUDY = by_surface("gold= of tg.Study", "`truegain verdict --gold`")
HOLE_SAMPLE_OF_STUDY = by_surface("hole_sample= of tg.Study", "`truegain verdict --hole-sample`")
FILL_OF_EVALUATE = by_surface("fill='predicted' of tg.evaluate", "`truegain eval --fill predicted`")
FILL_LIST = by_surface("tg.read_gold_list and its `filled`", "`truegain plan fill KEY SHEET -o FILE`")
ANOTHER_FILE = by_surface(
    "name another file, or move this one away", "name another file with -o, or move this one away"
)
