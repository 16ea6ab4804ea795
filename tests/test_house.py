"""The house: which floor may import which, and what the public face shows."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.syntax import SOURCE, facts_of, package_facts

FLOORS = (
    ("cli",),
    ("report",),
    ("llm",),
    ("judging",),
    ("experiments",),
    ("planning",),
    ("preferences",),
    ("study",),
    ("pooling",),
    ("judge_error",),
    ("reliability",),
    ("aggregation",),
    ("stats",),
    ("sampling",),
    ("measures",),
    ("text",),
    ("parallel",),
    ("data",),
    ("results",),
    ("io",),
    ("keywords", "lazy"),
    ("config",),
    ("settings",),
    ("errors", "_version"),
    ("io.remote", "message"),
)
HEIGHT = {name: len(FLOORS) - i for i, floor in enumerate(FLOORS) for name in floor}
FACE = {
    "Cluster",
    "DataWarning",
    "Experiment",
    "Gold",
    "InputError",
    "Intents",
    "Items",
    "Judge",
    "Judgments",
    "MeasureError",
    "PreferenceStudy",
    "Preferences",
    "PublishedTest",
    "Ratings",
    "Resampling",
    "Runs",
    "Scores",
    "Scoring",
    "Study",
    "StudyConfig",
    "TruegainError",
    "UnjudgedSample",
    "__version__",
    "aggregate",
    "agreement",
    "compare",
    "correct",
    "correlate",
    "evaluate",
    "intervals",
    "judge_quality",
    "list_measures",
    "next_to_judge",
    "parse_measure",
    "plan_assessors",
    "plan_labels",
    "plan_topics",
    "read_gold_list",
    "read_intents",
    "read_items",
    "read_judgments",
    "read_nuggets",
    "read_preferences",
    "read_ratings",
    "read_runs",
    "read_scores",
    "read_study",
    "run_judge",
    "run_on",
    "sample_gold",
    "sample_unjudged",
    "unjudged",
    "write_judgments",
    "write_participants",
    "write_report",
    "write_runs",
}


def module_name(path: Path) -> str:
    """The dotted name of a file below the package, without the package itself."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports_of(path: Path) -> set[str]:
    """The modules of ours that a file imports; config names the types of what it holds, and needs none of them."""
    facts = package_facts()[path]
    needed = imports(n for n in facts.imports if path.name != "config.py" or n not in facts.type_imports)
    return needed | {name.partition(".")[2] for name in facts.by_name}


def imports(nodes: Iterable[ast.Import | ast.ImportFrom]) -> set[str]:
    """The modules of ours that are imported by any of these: in functions and for types alone as well."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        else:
            assert not node.level, f"a relative import of {node.module}: write truegain. ... in full"
            names = {f"{node.module}.{a.name}" for a in node.names}
            found |= {name if module_file(name) else node.module or "" for name in names}
    return {name.partition(".")[2] for name in found if name.partition(".")[0] == "truegain"}


def module_file(name: str) -> bool:
    """Whether a dotted name, with the package's own, is a file or a folder of ours."""
    place = SOURCE.parent / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").exists()


def folder(name: str) -> str:
    """The folder of a module; one that lies right below the package is its own."""
    is_folder = (SOURCE / name.replace(".", "/")).is_dir()
    return name if is_folder else name.rpartition(".")[0] or name


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Names that need one another, each the one after it; none where all can be put in an order."""
    try:
        TopologicalSorter({name: needed - {name} for name, needed in graph.items()}).prepare()
    except CycleError as error:
        return list(error.args[1])[::-1]
    return []


FILES = sorted(p for p in SOURCE.rglob("*.py") if p.parent != SOURCE)


def imported(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Each module with each module of ours that it imports."""
    for path in files:
        yield from ((module_name(path), target) for target in sorted(imports_of(path)))


def test_imports_go_down_only() -> None:
    """Guards the floors: a folder may import itself and what lies below it, never beside or above."""
    faults = []
    for module, target in imported(FILES):
        here, there = module.split(".")[0], target.split(".")[0]
        if there != here and HEIGHT[there] >= HEIGHT[here]:
            faults.append(f"{module} imports {target}")
    assert faults == []


def test_judging_stands_alone() -> None:
    """Guards the extra: what collects judgments imports io, data, sampling and errors, and nothing that scores them."""
    allowed = {"judging", "io", "data", "results", "sampling", "errors", "message", "_version"}
    files = [p for p in FILES if "judging" in p.relative_to(SOURCE).parts]
    faults = [f"{module} imports {target}" for module, target in imported(files) if target.split(".")[0] not in allowed]
    assert faults == []


@cache
def graph() -> dict[str, set[str]]:
    """Each module and the modules that it imports."""
    return {module_name(p): imports_of(p) for p in sorted(SOURCE.rglob("*.py")) if p.name != "__main__.py"}


def test_no_files_need_one_another() -> None:
    """Guards against cycles of files, also those that an import inside a function or for types alone would hide."""
    assert " -> ".join(cycle(graph())) == ""


def test_no_folders_need_one_another() -> None:
    """Guards against cycles of folders at any depth: files that lie in a folder itself are apart from its folders."""
    between: dict[str, set[str]] = {}
    for name, needed in graph().items():
        if name:  # the public face, which gathers all of them
            between.setdefault(folder(name), set()).update(folder(n) for n in needed)
    assert " -> ".join(cycle(between)) == ""


def test_a_hidden_cycle_is_seen() -> None:
    """Guards the check itself: imports in functions, for types and of whole modules count, and cycles are named."""
    text = """
import truegain.data.runs
from truegain.stats import multiple_testing as multiple
def f():
    from truegain.data.judgments import Judgments
if TYPE_CHECKING:
    from truegain.study.study import Study
"""
    needed = imports(facts_of(text).imports)
    assert needed == {"data.runs", "stats.multiple_testing", "data.judgments", "study.study"}
    assert {folder(n) for n in needed} == {"data", "stats", "study"}
    assert facts_of('importlib.import_module("truegain.study.study").Study').by_name == ("truegain.study.study",)
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})[0] in "abc"
    assert cycle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_the_public_face_is_what_we_promise() -> None:
    """Guards the names users rely on: none appears or goes by accident, all are documented."""
    assert set(tg.__all__) == FACE
    for name in FACE - {"__version__"}:
        assert getattr(tg, name).__doc__, name


@pytest.mark.parametrize("folder_name", ["experiments", "llm", "text"])
def test_a_folder_shows_its_public_names_and_no_others(folder_name: str) -> None:
    """Guards `dir` and what type checkers see; no module may hide a name that it is called."""
    code = f"import sys, truegain.{folder_name} as f; print('numpy' in sys.modules, *dir(f))"
    loaded, *names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split()
    assert loaded == "False", "the import waits for numpy"
    found = importlib.import_module(f"truegain.{folder_name}")
    assert names == sorted(found.__all__) == sorted(found._LAZY) == dir(found)
    assert not set(names) & {path.stem for path in (SOURCE / folder_name).glob("*.py")}
    tree = ast.parse((SOURCE / folder_name / "__init__.py").read_text())
    imported = {a.name: n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
    assert {name: imported.get(name) for name in names} == found._LAZY
    for name in names:
        assert getattr(found, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        found.no_such_name  # noqa: B018


ORDER = ("runs", "judgments", "measures", "measure")  # what is given by place, in this order; the rest is by keyword
NOT_OURS = {  # one name for one thing: other words for it, which no function of the face may have
    "trials": "replicates", "draws": "replicates", "n_boot": "replicates", "alpha": "confidence", "level_of": "level",
    "qrels": "judgments", "bronze": "judgments", "judge": "gold", "random_state": "seed", "workers": "jobs",
    "n_jobs": "jobs", "metric": "measure", "metrics": "measures", "run": "runs",
}  # fmt: skip
TYPES = {  # a parameter of this name is always of this type, or of it and something else
    "runs": "RunsLike", "judgments": "JudgmentsLike", "measures": "MeasuresLike", "measure": "MeasureLike",
    "ratings": "Ratings(Like)?", "expert": "JudgmentsLike", "against": "JudgmentsLike", "llm": "JudgmentsLike",
    "corpus": "CorpusLike", "judged_corpus": "CorpusLike", "replicates": "int", "confidence": "float", "seed": "int",
    "jobs": "int", "name_by": "NameBy", "level": "float", "gold_relevant_from": "float", "baseline": "str",
}  # fmt: skip
DEFAULTS: dict[str, object] = {
    "confidence": 0.95,
    "seed": 0,
    "name_by": "file",
    "level": None,
    "gold_relevant_from": None,
}
FUNCTIONS = sorted(name for name in FACE if inspect.isfunction(getattr(tg, name)))
ASKED = ["Study", "Judge.fit", *(f"Study.{name}" for name in dir(tg.Study) if name[0] != "_")]


def called(name: str) -> Any:
    """A function or method of the public face by its name; None for what is not called."""
    found: Any = tg
    for part in name.split("."):
        found = getattr(found, part)
    return found if callable(found) else None


def test_one_name_and_place_for_the_same_thing() -> None:
    """Guards signatures: runs, judgments, measures come in this order, names, types and defaults are one table."""
    names = [*FUNCTIONS, *(n for n in ASKED if called(n) is not None)]
    assert {name: faults for name in names if (faults := signature_faults(name))} == {}


def signature_faults(name: str) -> list[str]:
    """What is wrong with the parameters of a function or method."""
    parameters = inspect.signature(called(name)).parameters
    placed = [p for p in parameters if p in ORDER and parameters[p].kind is not inspect.Parameter.KEYWORD_ONLY]
    faults = [] if placed == sorted(placed, key=ORDER.index) else [f"order: {placed}"]
    faults += [f"{p}: we call it {NOT_OURS[p]}" for p in parameters if p in NOT_OURS]
    for p, found in parameters.items():
        if p == "self":
            continue
        words = re.findall(r"\w+", str(found.annotation))
        if found.annotation is inspect.Parameter.empty or {"object", "Any"} & set(words):
            faults.append(f"{p}: say what it takes")
        if found.kind is inspect.Parameter.VAR_KEYWORD:
            faults.append(f"{p}: name the keywords, with truegain.keywords.takes")
        if p in TYPES and not any(re.fullmatch(TYPES[p], w) for w in words):
            faults.append(f"{p}: {found.annotation}")
        if p in DEFAULTS and found.default not in (inspect.Parameter.empty, DEFAULTS[p]):
            faults.append(f"{p}: the default is {found.default}")
        by_keyword = p in ("replicates", "confidence", "seed", "jobs") and name != "Judge.fit"
        if by_keyword and found.kind is not inspect.Parameter.KEYWORD_ONLY:
            faults.append(f"{p}: by keyword only")
    return faults


OPEN = [n for n in [*FUNCTIONS, "Study"] if "takes" in inspect.getsource(called(n))[:40] or n == "Study"]


@pytest.mark.parametrize("name", OPEN)
def test_a_keyword_that_is_none_is_refused_with_all_there_are(name: str) -> None:
    """Guards the list of an error: it is of the function called, whole, and names the keyword that was meant."""
    function = called(name)
    parameters = inspect.signature(function).parameters.values()
    placed: list[object] = [{}] * sum(p.default is p.empty and p.kind is not p.KEYWORD_ONLY for p in parameters)
    keywords = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    one = keywords[-1]
    with pytest.raises(tg.TruegainError) as caught:
        function(*placed, **{one + "x": 1})
    said, _, listed = str(caught.value).partition("? It has ")
    assert said.startswith(f"{name} has no option {one}x; did you mean ")
    assert listed.split(", ") == keywords


def test_keywords_that_are_handed_on_are_those_of_what_takes_them() -> None:
    """Guards the shared lists of keywords: of rules, of the options of scoring, of a study, of gold labels."""
    from truegain.judge_error.judges import OVER_COLLECTIONS, WITH_GOLD, CorrectionOptions
    from truegain.stats.collection_pairs import CollectionPairs
    from truegain.study.compare import ComparisonWords

    study = inspect.signature(tg.Study).parameters.values()
    assert [p.name for p in study if p.kind is p.KEYWORD_ONLY] == [f.name for f in fields(tg.StudyConfig)]
    assert set(OVER_COLLECTIONS) <= {f.name for f in fields(CollectionPairs)}
    of_gold = {f.name for f in fields(CorrectionOptions)} - {"confidence", "seed", "resamples", "gold_relevant_from"}
    assert of_gold | {"unmatched", "gold_sample"} == set(WITH_GOLD)
    assert set(ComparisonWords.__annotations__) < set(inspect.signature(tg.compare).parameters)
    shown = inspect.signature(tg.PublishedTest).parameters
    for p in inspect.signature(CollectionPairs).parameters.values():
        assert p.name not in OVER_COLLECTIONS or shown[p.name].default == p.default
    for p in inspect.signature(CorrectionOptions).parameters.values():
        assert p.name not in WITH_GOLD or shown[p.name].default == p.default


def test_keywords_of_one_kind_of_comparison() -> None:
    """Guards compare against keywords that nothing is done with: each kind refuses those of the others."""
    runs = {s: {str(t): {"a": 1.0 + (t + n) % 3, "b": 2.0} for t in range(6)} for n, s in enumerate("xy")}
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"test": tg.PublishedTest(meta="random")}, "meta: this goes with population='collection'"),
        ({"test": tg.PublishedTest(clusters="none")}, "clusters: this goes with gold="),
        ({"gold": qrels, "scoring": tg.Scoring(depth=5)}, "depth: does not apply here"),
        ({"gold": qrels, "test": tg.PublishedTest(meta="random")}, "meta: cannot be combined with gold="),
        ({"gold": qrels, "test": "sign"}, "test 'sign': with gold labels the corrected difference is tested"),
        (
            {"population": "collection", "test": tg.PublishedTest(clusters="none")},
            "clusters: does not apply over collections",
        ),
    ]
    for options, says in wrong:
        with pytest.raises(tg.TruegainError, match=says):
            tg.compare(runs, qrels, "P@1", **options)


def test_every_function_has_an_example() -> None:
    """Guards documentation: each function of the face shows a call of itself, which the tests run."""
    examples = {
        name: [line for line in called(name).__doc__.splitlines() if line.strip().startswith((">>>", "..."))]
        for name in [*FUNCTIONS, "Study"]
    }
    assert [name for name, lines in examples.items() if not any(f"{name}(" in line for line in lines)] == []


def test_import_is_light() -> None:
    """Guards the first minute: importing truegain loads no table, plotting, web or cluster library."""
    heavy = ["polars", "pandas", "scipy", "rich", "typer", "altair", "fastapi", "dask", "numba", "statsmodels"]
    code = f"import sys, truegain; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_a_class_name_means_one_thing() -> None:
    """Guards names: a reader who meets a class name anywhere below the package finds one class."""
    where: dict[str, list[str]] = {}
    for path, facts in package_facts().items():
        for name in facts.classes:
            where.setdefault(name, []).append(module_name(path))
    assert {name: sorted(places) for name, places in where.items() if len(places) > 1} == {}


MOST_PARAMETERS = 12
LONG_SIGNATURES = {  # reasons why a function may have more
    "study.study.__init__": "12, and self",
    "study.study.settle": "12, and self",
}


def test_signatures_are_short() -> None:
    """Guards what a reader must hold in mind: more than 12 parameters become an object of options, or two functions."""
    long = {
        f"{module_name(path)}.{name}": count
        for path, facts in package_facts().items()
        for name, count in facts.functions
        if count > MOST_PARAMETERS
    }
    assert long == dict.fromkeys(LONG_SIGNATURES, MOST_PARAMETERS + 1)


def test_students_t_has_one_home() -> None:
    """Guards one way to a quantile or p of Student's t: nobody but `stats.student_t` calls the distribution itself."""
    calls = ("stdtr", "stdtrit", "stats.t.")
    assert [module_name(p) for p in SOURCE.rglob("*.py") if any(c in p.read_text() for c in calls)] == [
        "stats.student_t"
    ]


def test_warnings_have_one_home() -> None:
    """Guards the line that a warning points at: all go by `errors.warn`, which finds that of the user."""
    calls = ("warnings.warn(", "from warnings import warn", "warn_explicit(")
    made = [module_name(p) for p in sorted(SOURCE.rglob("*.py")) if any(c in p.read_text() for c in calls)]
    assert made == ["errors"]


def test_random_numbers_have_one_home() -> None:
    """Guards streams by (seed, source, replicate): statistics and sampling make no generators but by `streams`."""
    calls = ("default_rng(", "SeedSequence(", "RandomState(")
    made = [
        module_name(p)
        for folder in ("reliability", "judge_error", "planning", "sampling", "stats", "study", "pooling")
        for p in sorted((SOURCE / folder).rglob("*.py"))
        if any(c in line for line in p.read_text().splitlines() for c in calls if ">>>" not in line)
    ]
    assert made == ["sampling.streams"]
