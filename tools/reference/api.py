"""The Python reference: a page for each public name and each class that public functions give, from docstrings."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

import truegain as tg
from tools.reference.markdown import NOTE, plain, table, toctree
from truegain.results.base import Result

# heading: what it is about, and its names; each name of `dir(truegain)` stands once
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Decide": (
        "Is one system better than another, and for whom does the answer hold?",
        ("Study", "read_study", "PreferenceStudy", "Experiment", "compare", "correlate"),
    ),
    "Score": (
        "Scores by topic and on average, with intervals, corrected for the errors of a judge.",
        ("evaluate", "intervals", "correct", "list_measures", "parse_measure"),
    ),
    "Labels and judges": (
        "Which labels to buy, how good they are, and what unjudged documents could change.",
        (
            "sample_gold", "plan_labels", "plan_topics", "plan_assessors", "judge_quality", "Judge", "run_judge",
            "agreement", "aggregate", "unjudged", "next_to_judge", "sample_unjudged",
        ),
    ),
    "Read and write": (
        "Files, frames and mappings become data. Most functions also take paths and frames directly.",
        (
            "read_runs", "read_judgments", "read_ratings", "read_gold_list", "read_preferences", "read_nuggets",
            "read_items", "read_intents", "read_scores", "write_judgments", "write_runs",
        ),
    ),
    "Data": (
        "What the functions above read and give.",
        ("Runs", "Judgments", "Items", "Intents", "Preferences", "Scores"),
    ),
    "Options": (
        "Options that belong together are one object.",
        ("Gold", "UnjudgedSample", "Ratings", "Scoring", "Resampling", "StudyConfig", "PublishedTest"),
    ),
    "Reports": ("Pages for people.", ("write_report", "write_participants")),
    "Clusters": ("Run what is slow on other machines.", ("Cluster", "run_on")),
    "Errors and warnings": (
        "What is refused, and what is suspicious; [Errors](../errors.md) lists the messages.",
        ("TruegainError", "InputError", "MeasureError", "DataWarning"),
    ),
}  # fmt: skip
# module: what it is for; one page each
MODULES = {
    "testing": "Assertions for test suites: a test passes, fails or is skipped by a verdict.",
    "llm": "Labels by language models.",
    "text": "Term statistics of a document collection, for measures that read text.",
    "experiments": "Simulated worlds with known truth, and the experiments of published papers.",
    "typing": "Types for functions of your own.",
}
PARTS = ("VerdictText",)  # first parts of a class of another name: their members stand on its page
ASIDE = r"truegain\.(__main__|cli|judging|experiments|report)\b"  # classes of these are of no public function


def pages() -> dict[str, str]:
    """The pages of the Python reference, by their names below the reference."""
    made = {f"api/truegain.{name}.md": page_of(f"truegain.{name}", f"tg.{name}") for name in public_names()}
    made |= {f"api/{kind.__name__}.md": page_of(path_of(kind), kind.__name__) for kind in result_classes()}
    made |= {f"api/{module}.md": module_page(module, about) for module, about in MODULES.items()}
    return {"api/index.md": index(), "api/results.md": results_page(), **made}


def public_names() -> list[str]:
    """The names of `dir(truegain)` that have a page."""
    return [name for name in dir(tg) if name != "__version__"]


def path_of(kind: type[Any]) -> str:
    """The full name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def summary(thing: Any) -> str:
    """The first sentence of a docstring."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


# ---- Pages.


def index() -> str:
    """The page of all public names."""
    parts = [
        NOTE,
        "# Python API\n",
        "`import truegain as tg` gives every name below without a module. [Python and the command line](../python.md) "
        "says how names, arguments and options go together.\n",
    ]
    for heading, (about, names) in GROUPS.items():
        rows = [(f"[`tg.{name}`](truegain.{name}.md)", plain(summary(getattr(tg, name)))) for name in names]
        parts += [f"## {heading}\n", f"{about}\n", table(["name", "what it does"], rows)]
    rows = [(f"[`truegain.{module}`]({module}.md)", about) for module, about in MODULES.items()]
    parts += ["## Modules\n", table(["module", "what it is for"], rows)]
    parts += [
        "## Results\n",
        "Classes that these functions return are on a page of their own: [Results](results.md).\n",
    ]
    named = [f"truegain.{name}" for _, names in GROUPS.values() for name in names]
    parts.append(toctree([*named, *MODULES, "results"]))
    return "\n".join(parts)


def results_page() -> str:
    """The page of the classes that are returned and have no name in `truegain` itself."""
    results = [kind for kind in result_classes() if issubclass(kind, Result)]
    others = [kind for kind in result_classes() if not issubclass(kind, Result)]
    parts = [
        NOTE,
        "# Results\n",
        "Answers are objects. Each prints as the command line does, is shown as a table in notebooks, and has "
        "`to_dict()`, `records()`, `to_pandas()`, `to_polars()`, `to_latex()`, `plot()` and `provenance` "
        "([`Result`](Result.md)).\n",
        table(["class", "what it is"], [(f"[`{k.__name__}`]({k.__name__}.md)", plain(summary(k))) for k in results]),
        "## Parts of results\n",
        table(["class", "what it is"], [(f"[`{k.__name__}`]({k.__name__}.md)", plain(summary(k))) for k in others]),
        toctree(kind.__name__ for kind in [*results, *others]),
    ]
    return "\n".join(parts)


def page_of(path: str, shown: str) -> str:
    """The page of a function or class, which Sphinx makes of its docstring."""
    return "\n".join([NOTE, f"# {shown}\n", *_described(path), ""])


def _described(path: str) -> Iterator[str]:
    """The directive that describes a name, by what it is."""
    module, _, name = path.rpartition(".")
    thing = getattr(importlib.import_module(module), name)
    yield "```{eval-rst}"
    if inspect.isclass(thing):
        yield f".. autoclass:: {path}"
        yield "   :members:"
        if any(base.__name__ in PARTS for base in thing.__bases__):
            yield "   :inherited-members: Result"
        yield "   :show-inheritance:"
    elif callable(thing):
        yield f".. autofunction:: {path}"
    else:
        yield f".. autodata:: {path}"
        yield "   :no-value:"
    yield "```\n"


def module_page(module: str, about: str) -> str:
    """The page of a module: a table of its names, then each."""
    found = importlib.import_module(f"truegain.{module}")
    names = sorted(found.__all__, key=lambda name: (name[0].isupper(), name.lower()))
    own = {path_of(getattr(tg, name)): name for name in public_names() if inspect.isclass(getattr(tg, name))}
    parts = [NOTE, f"# truegain.{module}\n", f"{about}\n"]
    rows, described = [], []
    for name in names:
        thing = getattr(found, name)
        page = _page_elsewhere(thing, own)
        if page is None and (module == "typing" or name in dir(tg)):
            page = None if module == "typing" else f"truegain.{name}.md"
        link = f"[`{name}`]({page})" if page else f"`{name}`"
        rows.append((link, plain(_about(thing, name, module))))
        if page is None:
            described += [f"## {name}\n", *_described(f"truegain.{module}.{name}")] if module != "typing" else []
    parts += [table(["name", "what it is"], rows), *described]
    return "\n".join(parts)


def _about(thing: Any, name: str, module: str) -> str:
    """A sentence about a name of a module; of a type without a docstring, what it may be."""
    if module == "typing" and not inspect.isclass(thing):
        return f"Takes {TAKES[name]}."
    return summary(thing)


TAKES = {
    "CorpusLike": "a folder that `truegain text index` wrote, or a `Corpus`",
    "FrameLike": "a frame of pandas or polars, or a table of Arrow",
    "GoldLike": "a path, a frame, a mapping, `Judgments` or a label list",
    "JudgmentsLike": "a path, a frame, a mapping by topic and document, or `Judgments`",
    "MeasureLike": "the name of a measure, or a measure",
    "MeasuresLike": "one measure, or several",
    "RatingsLike": "a path, a frame, or `Judgments` with assessors",
    "RunsLike": "a path, several, a folder, a frame, a mapping by system, topic and document, or `Runs`",
}


def _page_elsewhere(thing: Any, own: dict[str, str]) -> str | None:
    """The page of a class that is described elsewhere."""
    if not inspect.isclass(thing):
        return None
    if path_of(thing) in own:
        return f"truegain.{own[path_of(thing)]}.md"
    return f"{thing.__name__}.md" if thing in result_classes() else None


# ---- The classes that public functions and methods give.


@cache
def result_classes() -> tuple[type[Any], ...]:
    """Classes that users get and that are no names of `truegain`: results, and what is returned beside them."""
    ours = {getattr(tg, name) for name in public_names() if inspect.isclass(getattr(tg, name))}
    kinds = _classes()
    found: set[type[Any]] = {kind for kind in kinds.values() if issubclass(kind, Result)}
    waiting: list[Any] = [getattr(tg, name) for name in public_names()] + list(found)
    seen: set[Any] = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if inspect.isclass(one):
            found.add(one)
            if one in ours or issubclass(one, Result):
                waiting += [kind for function in _functions(one) for kind in _returned(function, kinds)]
        else:
            waiting += _returned(one, kinds)
    typed = importlib.import_module("truegain.typing")
    found |= {getattr(typed, name) for name in typed.__all__ if inspect.isclass(getattr(typed, name))}
    found |= {base for kind in found for base in kind.__mro__ if base.__module__.startswith("truegain.")}
    found |= {kinds[name] for name in ("Step",) if name in kinds}  # what a list of results holds
    found = {kind for kind in found - ours if not kind.__name__.startswith("_") and kind.__name__ not in PARTS}
    return tuple(sorted(found, key=lambda kind: kind.__name__.lower()))


def _classes() -> dict[str, type[Any]]:
    """Every class of the package by its name, which is its own."""
    found: dict[str, type[Any]] = {}
    for module in pkgutil.walk_packages(tg.__path__, "truegain."):
        if not re.match(ASIDE, module.name):
            values = vars(importlib.import_module(module.name)).values()
            found |= {x.__name__: x for x in values if inspect.isclass(x) and x.__module__.startswith("truegain.")}
    return {name: kind for name, kind in found.items() if not re.match(ASIDE, kind.__module__)}


def _functions(kind: type[Any]) -> Iterator[Any]:
    """The functions behind the public methods and properties of a class."""
    for owner in kind.__mro__:
        for name, member in vars(owner).items() if owner.__module__.startswith("truegain.") else ():
            if isinstance(member, property):
                member = member.fget
            elif isinstance(member, cached_property):
                member = member.func
            member = getattr(member, "__func__", member)
            if name[0] != "_" and inspect.isfunction(member):
                yield member


def _returned(function: Any, kinds: dict[str, type[Any]]) -> list[type[Any]]:
    """The classes of ours that a return annotation names."""
    words = re.findall(r"\w+", str(getattr(function, "__annotations__", {}).get("return", "")))
    return [kinds[word] for word in words if word in kinds]
