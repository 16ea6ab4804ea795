"""The errors that a user can meet, with what to do, from the statements that raise them."""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import truegain as tg
from tools.reference.commands import all_pages
from tools.reference.markdown import NOTE, plain, toctree
from truegain import errors, message
from truegain.message import Message

SOURCE = Path(tg.__file__).parent
OPEN, CLOSE = "\ue000", "\ue001"  # around what is known only when the error is raised
PLACEHOLDER = f"{OPEN}value{CLOSE}"
NUMBER = f"{OPEN}n{CLOSE}"
CALLED = {
    "self": "value",
    "pop": "name",
    "quote": "name",
    "get": "name",
    "i1": "n",
    "strip": "name",
    "removesuffix": "why",
}
IMPERATIVES = [
    "add",
    "aggregate",
    "allow",
    "ask",
    "avoid",
    "change",
    "check",
    "choose",
    "clear",
    "close",
    "combine",
    "compare",
    "copy",
    "correct",
    "create",
    "clean",
    "cut",
    "declare",
    "delete",
    "did",
    "draw",
    "drop",
    "end",
    "enter",
    "export",
    "fill",
    "filter",
    "first",
    "fit",
    "fix",
    "free",
    "give",
    "go",
    "have",
    "index",
    "install",
    "join",
    "judge",
    "keep",
    "label",
    "leave",
    "let",
    "list",
    "look",
    "lower",
    "make",
    "mark",
    "mend",
    "merge",
    "move",
    "name",
    "open",
    "pass",
    "pick",
    "point",
    "put",
    "quote",
    "raise",
    "read",
    "record",
    "remove",
    "rename",
    "repeat",
    "replace",
    "restart",
    "round",
    "rule",
    "run",
    "sample",
    "save",
    "say",
    "score",
    "see",
    "select",
    "send",
    "serve",
    "set",
    "shorten",
    "show",
    "sort",
    "split",
    "spell",
    "start",
    "state",
    "stop",
    "take",
    "tell",
    "try",
    "turn",
    "type",
    "undo",
    "update",
    "upgrade",
    "use",
    "wait",
    "write",
]
SAYS = re.compile(rf"(?:^|[;:.(,!?]\s*|\bor |\band |\bthen |\bplease )(?:(?:{'|'.join(IMPERATIVES)})\b)", re.IGNORECASE)
MILD = (  # words that say what there is, or what it may be
    r"must |there (?:are|is)\b|\bneed(?:s|ed)?\b|\bonly\b|at (?:least|most)|has to|; these do|it has |\bsuch as\b|"
    r"which \w+\?|; .*(?:`truegain|--\w)|works? with|between 0 and|are for |is for |will try again|"
    r"same command continues"
)
FAULT = "_fault"  # the method of a table that makes an error of one of its rows
MOST_CASES = 40  # of one statement: as many texts as its choices make
ENDINGS = 3  # letters: a choice between texts no longer than this is one of a grammatical number
MOST_REMEDIES = 5  # of one message, each for a case of its own
SAME = 0.7  # the share of its words that a remedy may not have in common with another
LEAST_WORDS = 3  # fewer tell nothing: the message of something else is passed on

# file: heading, what it is about, and the modules whose errors it lists; the longest name that fits counts
SUBJECTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "files": ("Files and formats", "Files that cannot be read or written, and lines that cannot be understood.",
              ("io", "io.remote", "data.rating_columns", "data.writing", "results.overwrite")),
    "data": ("Runs, judgments and ids", "Data that was read and does not fit together.", ("data",)),
    "measures": ("Measures", "Names of measures, and measures that do not fit a question.", ("measures",)),
    "options": ("Options and study files", "Options, keywords and `study.toml`.",
                ("cli", "config", "settings", "keywords", "errors", "lazy", "typing", "io.study_text")),
    "gold": ("Gold labels and judges", "Gold labels, designs, and corrections of a judge's errors.",
             ("judge_error", "sampling", "study.gold", "study.gold_lists", "study.matrices", "study.corrected_scores",
              "study.corrections", "data.label_lists", "data.label_list_reading", "cli.gold_options", "cli.judge",
              "cli.correct")),
    "unjudged": ("Unjudged documents", "Documents without a label, their bounds and their samples.",
                 ("pooling", "study.unjudged", "study.unjudged_sample", "cli.unjudged")),
    "ratings": ("Ratings and agreement", "Several assessors, their scales, and rules that combine their ratings.",
                ("aggregation", "reliability", "cli.agree", "cli.aggregate", "cli.rating_options", "data.ratings")),
    "questions": ("Verdicts, comparisons and populations", "Questions that the data cannot answer.",
                  ("study", "testing", "cli.verdict", "cli.gate", "cli.compare", "cli.correlate")),
    "statistics": ("Intervals and tests", "Methods that do not fit the data, or have too little of it.", ("stats",)),
    "plans": ("Plans", "How many topics, labels, assessors or preferences are needed.", ("planning", "cli.plan")),
    "answers": ("Logs, answers and nuggets", "Logs of evaluation tools, scores of answers, and nuggets.",
                ("io.logs", "data.items", "data.item_reading", "data.nuggets", "study.item_inputs",
                 "study.answer_raters", "study.items", "io.nugget_files")),
    "preferences": ("Preferences", "Comparisons of two systems.", ("preferences", "cli.preference_questions")),
    "judge-run": ("Running an LLM judge", "Servers, prompts, prices and answers.",
                  ("llm", "cli.judge_run", "cli.settle_llm")),
    "annotate": ("Collecting judgments", "Annotation studies, their server and their database.",
                 ("judging", "cli.annotate", "cli.annotate_serve", "cli.annotate_insight", "cli.settle", "cli.sheets")),
    "reports": ("Reports, tables and figures", "Output for people.",
                ("report", "results", "cli.report", "cli.participants", "cli.output", "cli.paper_output")),
    "text": ("Text and corpora", "Indexes of documents, and measures that read text.", ("text", "cli.text")),
    "experiments": ("Experiments", "Simulations, and the experiments of papers.",
                    ("experiments", "cli.experiment", "cli.experiment_judge", "cli.experiment_magnitudes",
                     "cli.experiment_collection", "cli.experiment_content", "cli.demo")),
    "cluster": ("Clusters and processes", "Work on several cores or machines.", ("parallel",)),
}  # fmt: skip


@dataclass(frozen=True)
class Refusal:
    """A statement that raises an error of ours."""

    module: str
    line: int
    kind: str
    problem: str
    remedy: str

    @property
    def has_remedy(self) -> bool:
        """Whether the reader is told what to do, or what there is."""
        return bool(self.remedy) or told_in(self.problem) is not None

    @property
    def passes_on(self) -> bool:
        """Whether the words are those of another error, or of another program."""
        return len([word for word in without_values(self.problem).split() if re.match(r"[a-z]{2}", word)]) < LEAST_WORDS


def told_in(text: str) -> re.Match[str] | None:
    """Where a message begins to say what to do."""
    return SAYS.search(text) or re.search(MILD, text, re.IGNORECASE)


# ---- A message from the expression that makes it.


class Words:
    """The words of expressions in a module, as the command line tells them; values are placeholders."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.values = vars(importlib.import_module(module))
        self.options = options()
        self.local: dict[str, list[ast.expr]] = {}
        self.kinds: dict[str, list[Any]] = {}  # by parameter, the objects of the module that it can be
        self.picks: dict[str, int] = {}  # by choice, such as of a text that depends on the case, the one that is told
        self.choices: dict[str, int] = {}  # those met so far, and how many there are of each
        self.defined = list(_functions(tree.body))
        self.functions = {x.name: x for x in self.defined}
        self.kinds_of: dict[type[Any], list[Any]] = {}  # objects of the module, by their type
        for value in self.values.values():
            self.kinds_of.setdefault(type(value), []).append(value)

    @cached_property
    def calls(self) -> dict[str, list[tuple[ast.FunctionDef, ast.Call]]]:
        """Calls in functions of the module, by what is called, each with the function that it is in."""
        found: dict[str, list[tuple[ast.FunctionDef, ast.Call]]] = {}
        for caller in self.defined:
            for node in ast.walk(caller):
                if isinstance(node, ast.Call):
                    found.setdefault(_name_of(node), []).append((caller, node))
        return found

    def enter(self, function: ast.FunctionDef, node: Located | None = None) -> None:
        """Take names as this function has them, where a node of it stands; at its end if none is given."""
        self.local = assigned(function.body, self.functions, node)
        self.kinds = {}
        for parameter in function.args.args:
            kind = self.values.get(getattr(parameter.annotation, "id", ""))
            if inspect.isclass(kind):
                self.kinds[parameter.arg] = self.kinds_of.get(kind, [])

    def cases(self, make: Callable[[], Iterator[Refusal]]) -> Iterator[Refusal]:
        """What is made in every case: with each of the texts that are chosen among."""
        self.picks, self.choices = {}, {}
        found = dict.fromkeys(make())
        choices = dict(self.choices)
        for picked in islice(product(*(range(n) for n in choices.values())), 1, MOST_CASES):
            self.picks = dict(zip(choices, picked, strict=True))
            found |= dict.fromkeys(make())
        self.picks = {}
        yield from found

    def choice(self, key: str, n: int) -> int:
        """Which of several is told now."""
        self.choices[key] = max(n, self.choices.get(key, 1))
        return min(self.picks.get(key, 0), n - 1)

    def kind(self, name: str) -> Any:
        """The object of the module that a parameter is now; None where it is none of the module's."""
        known = self.kinds.get(name)
        return known[self.choice(f"{name}:", len(known))] if known else None

    def otherwise(self, node: ast.IfExp) -> bool:
        """Whether the second of two texts is told: as the object has it that the condition asks, else each in turn."""
        names = {x.id for x in ast.walk(node.test) if isinstance(x, ast.Name)}
        objects = {name: self.kind(name) for name in names & {*self.kinds}}
        if names and names == {*objects} and all(x is not None for x in objects.values()):
            return not eval(compile(ast.Expression(node.test), "", "eval"), {}, objects)  # our own source
        texts = [str(x.value) for x in (node.body, node.orelse) if isinstance(x, ast.Constant)]
        return not (len(texts) == 2 and max(map(len, texts)) <= ENDINGS) and self.choice("otherwise", 2) == 1

    def of(self, node: ast.expr | None, depth: int = 0) -> str:
        """The words of an expression."""
        if node is None or depth > 6:
            return PLACEHOLDER
        if isinstance(node, ast.Constant):
            return "" if node.value is None else str(node.value)
        if isinstance(node, ast.JoinedStr):
            return "".join(self.of(part, depth) for part in node.values)
        if isinstance(node, ast.FormattedValue):
            return self.inner(node.value, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            if any(isinstance(x, ast.Constant) and isinstance(x.value, int) for x in (node.left, node.right)):
                return NUMBER
            return self.of(node.left, depth + 1) + self.of(node.right, depth + 1)
        if isinstance(node, ast.IfExp):
            first, second = (node.orelse, node.body) if self.otherwise(node) else (node.body, node.orelse)
            return self.of(first, depth + 1) or self.of(second, depth + 1)
        if isinstance(node, ast.BoolOp):
            return self.of(node.values[0], depth + 1)
        return self.inner(node, depth + 1)

    def inner(self, node: ast.expr, depth: int) -> str:
        """The words of a part of a message."""
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.IfExp | ast.BoolOp | ast.BinOp):
            return self.of(node, depth)
        if isinstance(node, ast.Call):
            return self.called(node, depth)
        if isinstance(node, ast.Name):
            if node.id in self.local:
                texts = self.local[node.id]
                return self.of(texts[self.choice("assigned", len(texts))], depth + 1)
            value = self.values.get(node.id)
            if isinstance(value, str):
                return Message(value).words(self.options)
            if isinstance(value, tuple) and value and all(isinstance(x, str) for x in value):
                return ", ".join(value)
            return placeholder(node.id)
        if isinstance(node, ast.Attribute):
            told = getattr(self.kind(getattr(node.value, "id", "")), node.attr, None)
            return told if isinstance(told, str) else placeholder(node.attr)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
            texts = [x for x in node.value.values if _is_text(x)]
            return self.of(texts[self.choice(f"{node.lineno}", len(texts))], depth + 1) if texts else PLACEHOLDER
        if isinstance(node, ast.Subscript):
            return self.inner(node.value, depth + 1) if isinstance(node.value, ast.Name) else PLACEHOLDER
        return PLACEHOLDER

    def called(self, node: ast.Call, depth: int) -> str:
        """The words of a call: of arguments named as options, of lists, of functions of the module that give a text."""
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        told = [self.value(x, depth) for x in node.args]
        if name in ("arg", "argname", "argvalue", "value_of", "option", "gold_drawn", "by_surface", "unjudged_of"):
            return self.marked(name, node, told)
        if name == "join" and node.args:
            return self.listed(node.args[0], depth)
        if name == "there_are":
            return f"there are {placeholder('names')}"
        if name == "counted" and len(node.args) == 2:
            return f"{NUMBER} {self.of(node.args[1], depth)}s"
        if name in ("some", "with_marks", "str", "repr", "shown_path", "shorten", "seen", "in_words") and node.args:
            return self.inner(node.args[0], depth + 1)
        if name in ("len", "sum", "count", "max", "min", "round", "int", "abs"):
            return NUMBER
        if name == "an":
            return placeholder("a value of this type")
        of_module = isinstance(node.func, ast.Name) and isinstance(self.values.get(name), type(inspect.getdoc))
        if of_module or ast.unparse(node.func) == f"self.{name}":
            return self.result_of(name, depth)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant):
            return self.of(node.func.value, depth)
        return placeholder(name)

    def marked(self, name: str, node: ast.Call, told: list[Any]) -> str:
        """A part that names an argument, in the words of the command line."""
        keywords = {k.arg: self.value(k.value, 3) for k in node.keywords if k.arg}
        for key in ("own",):
            keywords.pop(key, None)
        try:
            made = getattr(message, name)(*told, **{k: v for k, v in keywords.items() if isinstance(v, str | bool)})
        except Exception:
            return placeholder(str(told[0]) if told else name)
        return Message(made).words(self.options)

    def value(self, node: ast.expr, depth: int) -> Any:
        """A value as Python has it, where it is written there; else its placeholder."""
        try:
            return ast.literal_eval(node)
        except ValueError:
            return Placeholder(self.inner(node, depth + 1))

    def listed(self, node: ast.expr, depth: int) -> str:
        """A list with commas."""
        if isinstance(node, ast.Name | ast.Attribute):
            return self.inner(node, depth + 1)
        return placeholder("names")

    def result_of(self, name: str, depth: int) -> str:
        """What a small function or method of the same module returns: each of its texts in turn."""
        if name not in self.functions:
            return placeholder(name)
        returns = [x.value for x in _returns(self.functions[name]) if x.value]
        texts = [x for x in returns if _is_text(x)]
        if not texts:
            return self.of(returns[-1], depth + 2) if returns else PLACEHOLDER
        return self.of(texts[self.choice(f"{name}()", len(texts))], depth + 2)


class Placeholder(str):
    """A value that is known only when the error is raised; options show it as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        return str(self)


def placeholder(name: str) -> str:
    """What stands for a value: the name that the code has for it.

    >>> shown(placeholder("topic_id")), shown(placeholder("_at"))
    ('*topic id*', '*at*')
    """
    word = name.strip("_").lower().replace("_", " ")
    return f"{OPEN}{CALLED.get(word, word) or 'value'}{CLOSE}"


@cache
def options() -> dict[str, str]:
    """The options of all commands by the arguments that they are in Python."""
    names = [name for _, _, panels in all_pages().values() for rows in panels.values() for _, name, _, _ in rows]
    long = [word for row in names for word in row.split() if word.startswith("--")]
    return {word[2:].replace("-", "_"): word for word in long}


# ---- Statements that raise.


@cache
def refusals() -> tuple[Refusal, ...]:
    """Every error of ours that the code raises, with its words; in the order of the files."""
    found: list[Refusal] = []
    was_on = gc.isenabled()
    gc.disable()  # trees have no cycles, and looking for some takes longer than parsing
    try:
        for path in sorted(SOURCE.rglob("*.py")):
            name = ".".join(("truegain", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
            if not name.endswith("__main__"):
                found += _in_module(name, path)
    finally:
        if was_on:
            gc.enable()
    return tuple(found)


def _in_module(name: str, path: Path) -> Iterator[Refusal]:
    """The errors of a module: those that it raises, and those that a function makes for others to raise."""
    text = path.read_text(encoding="utf-8")
    if not re.search(r"^\s*(raise|return) ", text, re.MULTILINE):
        return
    words = Words(name, ast.parse(text))
    for function in words.defined:
        own = list(_own(function))
        for node in own:
            if not isinstance(node, ast.Raise | ast.Return):
                continue
            call = node.exc if isinstance(node, ast.Raise) else node.value
            if not isinstance(call, ast.Call):
                continue
            kind = words.values.get(getattr(call.func, "id", ""))
            if inspect.isclass(kind) and issubclass(kind, errors.TruegainError):
                yield from words.cases(partial(_errors, name, node, call, kind, function, words))
            elif getattr(call.func, "attr", "") == FAULT:
                yield from words.cases(partial(_faults, name, node, call, function, words))


def _errors(
    name: str, node: ast.Raise | ast.Return, call: ast.Call, kind: type[Any], function: ast.FunctionDef, words: Words
) -> Iterator[Refusal]:
    """An error that a function raises or returns, perhaps with the words of those who call it."""
    words.enter(function, node)
    yield from _told_by_callers(_refusal(name, node, call, kind, words), call, function, words)


def _faults(
    name: str, node: ast.Raise | ast.Return, call: ast.Call, function: ast.FunctionDef, words: Words
) -> Iterator[Refusal]:
    """Faults in a row of a table, by the method that makes them: problem, row, value, hint; perhaps by a function."""
    words.enter(function, node)
    given = [call.args]
    if isinstance(call.args[0], ast.Starred) and isinstance(call.args[0].value, ast.Call):
        made = words.functions.get(getattr(call.args[0].value.func, "id", ""))
        if made is not None:
            words.enter(made)
        inside = list(_own(made)) if made is not None else []
        given = [x.value.elts for x in inside if isinstance(x, ast.Return) and isinstance(x.value, ast.Tuple)]
    place = f"{placeholder('file')}:{placeholder('line')}: "
    for problem, _, _, hint in (args for args in given if len(args) == 4):
        told = f"{place}{tidy(words.of(problem))}: {placeholder('text')}"
        yield Refusal(name, node.lineno, "InputError", told, _remedy_of(hint, words))


def _told_by_callers(refusal: Refusal, call: ast.Call, function: ast.FunctionDef, words: Words) -> Iterator[Refusal]:
    """An error once for each text that callers in the module give its function for the problem or the remedy."""
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
    parts = {"problem": call.args[0] if call.args else None} | {k.arg: k.value for k in call.keywords}
    asked = {
        part: parts[part].id  # type: ignore[union-attr]
        for part in ("problem", "hint", "remedy")
        if isinstance(parts.get(part), ast.Name) and parts[part].id in set(names) - set(words.local)  # type: ignore[union-attr]
    }
    usual = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    made = set[Refusal]()
    for caller, node in words.calls.get(function.name, ()) if asked else ():
        words.enter(caller, node)
        given = usual | dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
        told = {part: _remedy_of(given[name], words) for part, name in asked.items() if name in given}
        if len(told) == len(asked):
            problem = refusal.problem
            if "problem" in asked:
                problem = problem.replace(placeholder(asked["problem"]), told["problem"])
            made.add(replace(refusal, problem=problem, remedy=told.get("hint", told.get("remedy", refusal.remedy))))
    lacking = not any(without_values(one.remedy) for one in made)
    if asked and lacking and all(name in usual for name in asked.values()):  # as other modules may call it
        made.add(replace(refusal, remedy=either(_remedy_of(usual[name], words) for name in asked.values())))
    plain = {one for one in made if without_values(one.remedy) or not one.remedy}
    yield from sorted(plain or made, key=lambda one: (one.problem, one.remedy)) or [refusal]


def _name_of(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def _functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """The functions of a module, methods and those within others among them."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node
        for part in ("body", "orelse", "handlers", "finalbody"):
            yield from _functions(getattr(node, part, []))


def _returns(function: ast.FunctionDef) -> list[ast.Return]:
    """Where a function ends with a value, in the order in which it is written."""
    return sorted((x for x in _own(function) if isinstance(x, ast.Return)), key=lambda x: x.lineno)


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The statements of a function, without those of functions within it."""
    waiting: deque[ast.AST] = deque(function.body)
    while waiting:
        node = waiting.popleft()
        yield node
        if not isinstance(node, ast.FunctionDef):
            waiting.extend(x for x in ast.iter_child_nodes(node) if isinstance(x, ast.stmt | ast.excepthandler))


Texts = dict[str, list[ast.expr]]
Located = ast.stmt | ast.expr


def assigned(block: list[ast.stmt], functions: dict[str, ast.FunctionDef], node: Located | None = None) -> Texts:
    r"""Texts that a block gives names to before it comes to a node: one a case.

    >>> either = ast.parse("if a: x = 'no'\nelse: x, y = {1: ('so', 'go'), 2: ('thus', 'run')}[b]\nx = 'end'").body
    >>> {name: [x.value for x in of] for name, of in assigned(either, {}, either[1]).items()}
    {'x': ['no', 'so', 'thus'], 'y': ['go', 'run']}
    """
    found: Texts = {}
    together = set[str]()  # problem and remedy of the same case: what changes only one of them afterwards is left out
    for statement in block:
        parts = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
        parts += [handler.body for handler in getattr(statement, "handlers", [])]
        if node is not None and _holds(statement, node):
            inside = [part for part in parts if any(_holds(x, node) for x in part)]
            return found | assigned(inside[0], functions, node) if inside else found
        if isinstance(statement, ast.Assign):
            here = _given(statement, functions)
            found |= {name: texts for name, texts in here.items() if name not in together or len(here) > 1}
            together |= {*here} if len(here) > 1 else set()
        elif not isinstance(statement, ast.FunctionDef):
            within = [assigned(part, functions) for part in parts if part]
            for name in dict.fromkeys(name for of in within for name in of if name not in together):
                always = isinstance(statement, ast.If) and all(name in of for of in within) and len(within) > 1
                before = [] if always else found.get(name, [])
                found[name] = before + [text for of in within for text in of.get(name, [])]
    return found


def _holds(statement: ast.stmt, node: Located) -> bool:
    """Whether a node stands in a statement of the same file, or is it: by their places, as there are many of both."""
    begins = (statement.lineno, statement.col_offset) <= (node.lineno, node.col_offset)
    return begins and _end(node) <= _end(statement)


def _end(node: Located) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def _given(statement: ast.Assign, functions: dict[str, ast.FunctionDef]) -> Texts:
    """The texts of one assignment, by name."""
    target, found = statement.targets[0], Texts()
    if isinstance(target, ast.Name) and _is_text(statement.value):
        found[target.id] = [statement.value]
    elif isinstance(target, ast.Tuple):
        for values in _tuples(statement.value, functions):
            for name, value in zip(target.elts, values.elts, strict=False):
                if isinstance(name, ast.Name) and _is_text(value):
                    found.setdefault(name.id, []).append(value)
    return found


def _tuples(node: ast.expr, functions: dict[str, ast.FunctionDef]) -> list[ast.Tuple]:
    """The tuples that an expression can be: one that is written there, those of a dict or those of a function."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
        choices: list[ast.expr | None] = [*node.value.values]
    elif isinstance(node, ast.Call) and (function := functions.get(_name_of(node))) is not None:
        choices = [x.value for x in _returns(function)]
    elif isinstance(node, ast.IfExp):
        choices = [node.body, node.orelse]
    else:
        choices = [node]
    return [x for x in choices if isinstance(x, ast.Tuple)]


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) or _is_text(node.orelse)
    if isinstance(node, ast.BoolOp):
        return any(map(_is_text, node.values))
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") in ("arg", "argname", "by_surface", "option", "argvalue", "value_of")
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _refusal(name: str, node: ast.Raise | ast.Return, call: ast.Call, kind: type[Any], words: Words) -> Refusal:
    keywords = {k.arg: k.value for k in call.keywords if k.arg}
    first = call.args[0] if call.args else keywords.get("message", keywords.get("problem"))
    problem = tidy(words.of(first))
    remedy = keywords.get("hint", keywords.get("remedy"))
    place = "".join(f"{part}: " for part in [_place(keywords)] if part)
    text = f": {placeholder('text')}" if "text" in keywords else ""
    told = _remedy_of(remedy, words)
    return Refusal(name, node.lineno, kind.__name__, f"{place}{problem}{text}", told)


def _remedy_of(node: ast.expr | None, words: Words) -> str:
    """What to do; nothing where none is given, both where it is one thing or, failing that, another."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ""
    if isinstance(node, ast.Name) and node.id in words.local:
        texts = words.local[node.id]
        node = texts[words.choice("assigned", len(texts))]
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return either(_remedy_of(x, words) for x in node.values)
    return tidy(words.of(node))


def either(remedies: Iterable[str]) -> str:
    """Several remedies as one: those that say more than a value, and not nearly the same as another.

    >>> either(["check the path", "name a file; or check the path", "", "name a folder"])
    'check the path; or name a file; or name a folder'
    """
    told = list(dict.fromkeys(x for text in remedies for x in text.split("; or ") if x))
    kept: list[str] = []
    for text in told:
        words = {*without_values(text).split()}
        if words and all(len(words & {*x.split()}) < SAME * len(words) for x in kept):
            kept.append(text)
    return "; or ".join(kept[:MOST_REMEDIES]) or next(iter(told), "")


def _place(keywords: dict[str, ast.expr]) -> str:
    """Where the mistake is, as an error begins."""
    if "file" not in keywords and "row" not in keywords:
        return ""
    row = f"row {placeholder('row')}"
    line = f":{placeholder('line')}" if "line" in keywords else f", {row}" if "row" in keywords else ""
    return f"{placeholder('file')}{line}" if "file" in keywords else row


def tidy(text: str) -> str:
    """A message on one line; an empty one is a placeholder."""
    text = re.sub(rf"'({OPEN}[^{CLOSE}]*{CLOSE})'", r"\1", " ".join(text.split()))  # a shell's quotes
    return text or PLACEHOLDER


# ---- Pages.


def subject_of(module: str) -> str:
    """The page of a module's errors: that of the longest name that it begins with."""
    name = module.removeprefix("truegain.")
    fits = [(len(begin), page) for page, (_, _, begins) in SUBJECTS.items() for begin in begins if _within(name, begin)]
    return max(fits)[1]


def _within(name: str, begin: str) -> bool:
    return name == begin or name.startswith(f"{begin}.")


def shown(text: str) -> str:
    """A message on a page: values that only the case knows in italics."""
    parts = re.split(rf"{OPEN}([^{CLOSE}]*){CLOSE}", text)
    return "".join(f"*{x}*" if i % 2 else plain(x) for i, x in enumerate(parts))


def without_values(text: str) -> str:
    """A message without what only the case knows, to sort by and to count its words."""
    return re.sub(rf"{OPEN}[^{CLOSE}]*{CLOSE}[:,]?\s*", "", text).strip(" :,'\"")


def parted(refusal: Refusal) -> tuple[str, str]:
    """What is wrong, and what to do; the second is empty where the first says it all."""
    if refusal.remedy:
        return refusal.problem, refusal.remedy
    for found in re.finditer(r"[;:.?]\s+", refusal.problem):
        before, after = refusal.problem[: found.start()], refusal.problem[found.end() :]
        if SAYS.match(after) and len(without_values(before).split()) >= 1:
            return (f"{before}?" if found[0][0] == "?" else before), after
    problem, mark, remedy = refusal.problem.partition("; ")
    return (problem, remedy) if mark and told_in(remedy) else (refusal.problem, "")


@cache
def listed() -> dict[str, dict[str, str]]:
    """By page, what is wrong and what to do, each once, in alphabetical order."""
    found: dict[str, dict[str, str]] = {page: {} for page in SUBJECTS}
    of_statement: dict[tuple[str, str, int], list[str]] = {}
    for refusal in refusals():
        problem, remedy = parted(refusal)
        of_statement.setdefault((problem, refusal.module, refusal.line), []).append(remedy)
    for (problem, module, _), remedies in of_statement.items():
        remedy = either(remedies)
        words = [word for word in without_values(problem).split() if re.match(r"[a-z]{2}", word)]
        long = words and len(without_values(remedy).split()) > LEAST_WORDS
        if len(words) + bool(remedy) >= LEAST_WORDS or long or (remedy and problem.startswith("--")):
            known = found[subject_of(module)]
            known[problem] = known.get(problem) or (remedy if without_values(remedy) else "")
    by_words = {
        page: sorted(of, key=lambda text: without_values(text).lower().lstrip("-`'")) for page, of in found.items()
    }
    return {page: {problem: found[page][problem] for problem in order} for page, order in by_words.items()}


def pages() -> dict[str, str]:
    """The page of all errors, and one a subject."""
    every = listed()
    rows = [
        f"- [{heading}](errors/{page}.md): {about} {len(every[page])} messages."
        for page, (heading, about, _) in SUBJECTS.items()
    ]
    first = "\n".join([NOTE, INTRODUCTION.strip(), "", *rows, "", toctree(f"errors/{page}" for page in SUBJECTS)])
    return {"errors.md": first, **{f"errors/{page}.md": _page(page, every[page]) for page in SUBJECTS}}


def _page(page: str, of: dict[str, str]) -> str:
    heading, about, _ = SUBJECTS[page]
    parts = [NOTE, f"# Errors: {heading[0].lower()}{heading[1:]}\n", f"{about} Values of your case are in italics.\n"]
    for (problem, remedy), place in zip(of.items(), anchors(of), strict=True):
        told = (
            "The message says what to do." if SAYS.search(problem) else "The message says what is needed, or there is."
        )
        what_to_do = _sentence(shown(remedy)) if remedy else told
        parts += [f'<a id="{place}"></a>{shown(problem)}', f": {what_to_do}\n"]
    return "\n".join(parts)


def anchors(problems: Iterable[str]) -> list[str]:
    """The places of messages on their page: their first words, and a number where another begins so.

    >>> anchors(["no such file", "no such file: why"])
    ['no-such-file', 'no-such-file-why']
    """
    made: list[str] = []
    twins: Counter[str] = Counter()
    for problem in problems:
        place = "-".join(re.findall("[a-z0-9]+", without_values(problem).lower())[:8]) or "message"
        twins[place] += 1
        made.append(f"{place}--{twins[place]}" if twins[place] > 1 else place)
    return made


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.?!' else '.'}"


INTRODUCTION = """
# Errors and what to do

An error names what is wrong, with its value and place, and then what to do. The command line prints it as one line that
begins with `error:` and ends with exit code 2; nothing is written. An option, argument or command that is not known, is
missing or is no number is refused before the command begins, with exit code 2, too, in four lines: how the command is
used, how to see its help, an empty one, and one that begins with `Error:`. In Python an error is a
[`tg.TruegainError`](api/truegain.TruegainError.md) or one of its kinds:

| class | meaning | fields beside `argument`, `value`, `allowed`, `remedy` |
|---|---|---|
| [`TruegainError`](api/truegain.TruegainError.md) | An option, or a question that the data cannot answer. | |
| [`InputError`](api/truegain.InputError.md) | Bad data, with its place. | `file`, `line`, `row`, `text`, `hint` |
| [`MeasureError`](api/truegain.MeasureError.md) | A measure that is not known or does not fit. | |

Legal but suspicious data is no error: a [`tg.DataWarning`](api/truegain.DataWarning.md) counts it, once.

To find a message, paste it into the search of this site, or look on the page of its subject. The pages use the words
of the command line; in Python, options are called by their keywords (`min_effect` for `--min-effect`).
"""
