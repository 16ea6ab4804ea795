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


class OfConfig(NamedTuple):
    """An option that is a field of a config: its name, its table and key in a study file, and the config's class."""

    name: str
    table: str
    field: str
    config: str

    @property
    def python(self) -> tuple[str, str]:
        """The config and its field as messages in Python name them: none where the argument is called the same.

        Labels are given in place of their config.
        """
        if self.field == "labels":
            return "", self.table
        return ("", self.name) if self.name == self.field else (self.config, self.field)


OF_CONFIGS: list[OfConfig] = []  # those of truegain.config, which enters them here


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

        keys: by argument the key of the file, `gold.relevant_from` where it stands in a table; where it may not stand
        there, the option.
        """
        key = keys.get(self.name)
        gives = self.kind == NAMED and self.shown and in_python(self.name, self.shown) in self.python
        if not gives or key is None or key.startswith("-"):
            return self.words(keys)
        table, _, field = key.rpartition(".")
        under = f" under [{table}]" if table else ""
        line = self.command.replace(_with_value(self.value), f"{field} = {_toml(self.value)}{under}")
        return self.words(keys) if _OPTION in line else line  # a value that Python reads otherwise than it writes

    @property
    def marked(self) -> str:
        """The part as it stands in a text."""
        return f"{_OPEN}{_NEXT.join(self)}{_CLOSE}"


class Message(str):
    """A text in Python's words that knows the words of the command line.

    >>> message = Message(f"leave them out ({arg('out_of_range', 'drop')}); out_of_range='drop' is the name of a run")
    >>> print(message)
    leave them out (out_of_range='drop'); out_of_range='drop' is the name of a run
    >>> print(message.words({"out_of_range": "--out-of-range"}))
    leave them out (--out-of-range drop); out_of_range='drop' is the name of a run
    >>> message.argument, message.value
    ('out_of_range', 'drop')
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

        >>> message = Message(f"{argname('depth', 5)}: 2 are missing ({arg('missing', 'drop')} or {arg('scale', 2)})")
        >>> print(message.lines({"depth": "depth", "missing": "missing", "scale": "--scale"}))
        depth 5: 2 are missing (missing = "drop" or --scale 2)
        >>> print(Message(f"give {arg('seed', 2)}").lines({"seed": "resampling.seed"}))
        give seed = 2 under [resampling]
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
    """An argument within a sentence: `scale=` or `scale='0:3'`, and `--scale` or `--scale 0:3` on the command line.

    of: whose argument it is, in Python, where it is not that of the function called; within: words around it, which
    are left out where a command has no such option; python: the words of Python, where it has another name there.

    >>> def both(text):
    ...     print(Message(text), "|", Message(text).words({n: f"--{n}" for n in ("rule", "costs", "pair", "complete")}))
    >>> both(f"{arg('rule')} {arg('rule', 'my own')} {arg('costs', {'a': 2})} {arg('pair', ('a', 'b'))}")
    rule= rule='my own' costs={'a': 2} pair=('a', 'b') | --rule --rule 'my own' --costs a=2 --pair a,b
    >>> both(f"{arg('complete', True)} {arg('columns', 'a', of='tg.read_ratings')}")
    complete=True columns='a' of tg.read_ratings | --complete columns='a'
    """
    shown = "" if value is _NO else repr(value)
    words = python or in_python(name, shown)
    in_sentence = within.format(f"{words} of {of}" if of else words)
    return _part(NAMED, name, shown, in_sentence, within.format(_with_value(value)), words if within == "{}" else "")


def argname(name: str, value: Any = _NO, spec: str | None = None, *, own: bool = False, of: str = "") -> str:
    """An argument as a word: `min_effect` or `min_effect -1`, and `--min-effect` or `--min-effect -1`.

    spec: how the value is to be told, as within braces of an f-string, where that is not as Python writes it; own: it
    is a keyword of the function called, not of a config; of: of which config, where several have one of this name.

    >>> message = Message(f"{argname('min_effect', -1.0, 'g')}: give a number; leave {argname('seed')} out")
    >>> print(message, "|", message.words({"min_effect": "--min-effect", "seed": "--seed"}))
    min_effect -1: give a number; leave seed out | --min-effect -1: give a number; leave --seed out
    >>> message = Message(f"leave {argname('sequential', of='Gold')} out")
    >>> print(message, "|", message.words({"sequential": "--sequential"}))
    leave Gold.sequential out | leave --sequential out
    """
    config, field = (of, name) if own or of else _named_in_python(name)
    words = f"{config}.{field}" if config else field
    if value is _NO:
        return _part(NAMED, name, "", words, _OPTION, words)
    text = repr(value) if spec is None else format(value, spec)
    typed = _with_value(value) if spec is None else f"{_OPTION} {_quoted(text)}"
    return _part(NAMED, name, repr(value), f"{words} {text}", typed, f"{words} {text}")


def in_python(name: str, shown: str) -> str:
    """An argument with its value as Python has it: that of a config, where it is called otherwise there.

    >>> import truegain.config
    >>> in_python("scale", "'0:3'"), in_python("gold_relevant_from", "2"), in_python("unjudged_sample", "")
    ("scale='0:3'", 'Gold(relevant_from=2)', 'unjudged=')
    """
    config, field = _named_in_python(name)
    return f"{config}({field}={shown})" if config else f"{field}={shown}"


def _named_in_python(name: str) -> tuple[str, str]:
    return next((option.python for option in OF_CONFIGS if option.name == name), ("", name))


def option(name: str) -> str:
    """An option in a message of the command line itself, `--gold-relevant-from`: in a study file it is the key.

    >>> print(Message(f"{option('--name-by')} is about runs").words({"name_by": "name-by"}))
    name-by is about runs
    """
    return _part(NAMED, name.lstrip("-").replace("-", "_"), "", name, _OPTION, name)


def value_of(name: str, value: Any) -> str:
    """A value of an argument that is named before: `'system'`, and `system` on the command line.

    >>> message = Message(f"{arg('accuracy', 'lists')} (or {value_of('accuracy', 'system')})")
    >>> print(message, "|", message.words({"accuracy": "--accuracy"}))
    accuracy='lists' (or 'system') | --accuracy lists (or system)
    """
    return _part(TOLD, name, repr(value), repr(value), _typed(value), repr(value))


def argvalue(name: str, value: Any, shown: str | None = None) -> str:
    """The value of an argument as it stands in a sentence, which need not name the argument.

    >>> Message(f"{argvalue('measure', 'nDCG@10')} is not linear in gain").argument
    'measure'
    """
    text = str(value) if shown is None else shown
    return _part(TOLD, name, repr(value), text, text, text)


def by_surface(python: str, command: str) -> str:
    """What Python and the command line have different words for, such as functions and commands.

    >>> message = Message(f"aggregate them ({by_surface('tg.aggregate', '`truegain aggregate`')})")
    >>> print(message, "|", message.words({}))
    aggregate them (tg.aggregate) | aggregate them (`truegain aggregate`)
    """
    return _part(OTHER, "", "", python, command, command)


def with_marks(text: object) -> str:
    """A message, or the message of an error, with its marks, to stand within another one."""
    message = getattr(text, "message", text)
    return message.marked if isinstance(message, Message) else str(message)


def _part(kind: str, name: str, shown: str, python: str, command: str, otherwise: str) -> str:
    typed = _OPTION.join(x.translate(_MARKS) for x in command.split(_OPTION))
    clean = (x.translate(_MARKS) for x in (name, shown, python))
    return Phrase(kind, next(clean), next(clean), next(clean), typed, otherwise.translate(_MARKS)).marked


def _with_value(value: Any) -> str:
    """The option with a value as it is typed; a flag has none."""
    return _OPTION if value is _NO or value is True else f"{_OPTION} {_typed(value)}"


def _typed(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={inner}" for key, inner in value.items())
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
        return f"{{ {', '.join(f'{json.dumps(key)} = {_toml(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value if isinstance(value, bool | int | float) else str(value), ensure_ascii=False)


def gold_drawn(design: str) -> str:
    """A design to give with gold labels: in Python it is a part of their config.

    >>> message = Message(f"give {gold_drawn('topics')}")
    >>> print(message, "|", message.words({"design": "--design"}), "|", message.lines({"design": "gold.design"}))
    give tg.Gold(labels, design='topics') | give --design topics | give design = "topics" under [gold]
    """
    return arg("design", design, python=f"tg.Gold(labels, design={design!r})")


def declared_scale(within: str) -> str:
    """The option that declares the labels of both judges, within words that commands without it leave out.

    Options of the same name that are about ratings declare nothing of them.
    """
    return arg("label_scale", "0:3", within=within, python="tg.Judge.fit(scale='0:3')")


def unjudged_of(measure: str) -> str:
    """What bounds unjudged documents by a measure: a function, or a command."""
    return by_surface(f"tg.unjudged of {measure}", f"`truegain unjudged -m {measure}`")


AGGREGATE = by_surface("tg.aggregate", "`truegain aggregate`")
AGGREGATE_FIRST = by_surface(
    "tg.aggregate, or ratings='mean' of tg.Study",
    "--aggregate mean (of eval, verdict and others), or first `truegain aggregate`",
)
EVALUATE = by_surface("tg.evaluate", "`truegain eval`")
CORRECT = by_surface("tg.correct", "`truegain correct`")
RECTIFY = by_surface("tg.correct with method='rectify'", "`truegain correct --method rectify`")
LIST_MEASURES = by_surface("tg.list_measures", "`truegain measures`")
SAMPLE_UNJUDGED = by_surface("tg.sample_unjudged", "`truegain unjudged --show sample --fill predicted -o sample.csv`")
SAMPLE_GOLD = by_surface("tg.sample_gold", "`truegain plan labels -o gold_list.csv`")
UNJUDGED = by_surface("tg.unjudged", "`truegain unjudged`")
NEXT_TO_JUDGE = by_surface("tg.next_to_judge", "`truegain unjudged --show next`")
JUDGE_QUALITY = by_surface("tg.judge_quality", "`truegain judge check`")
GOLD_OF_STUDY = by_surface("gold= of tg.Study", "`truegain verdict --gold`")
UNJUDGED_SAMPLE_OF_STUDY = by_surface("unjudged= of tg.Study", "`truegain verdict --unjudged-sample`")
FILL_OF_EVALUATE = by_surface("fill='predicted' of tg.evaluate", "`truegain eval --fill predicted`")
FILL_LIST = by_surface("tg.read_gold_list and its `filled`", "`truegain plan fill KEY SHEET -o FILE`")
ANOTHER_FILE = by_surface(
    "name another file, or move this one away", "name another file with -o, or move this one away"
)
