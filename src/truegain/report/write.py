"""The page of `truegain report`, from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Unpack

from truegain.errors import TruegainError
from truegain.inference.study.questions import Costs
from truegain.inference.study.study import DEFAULTS_OF_STUDY, Study
from truegain.inference.study.words import StudyWords
from truegain.keywords import check_pair, takes
from truegain.measures.parse import MeasuresLike
from truegain.report.facts.facts import Made
from truegain.report.facts.gather import gather
from truegain.report.page.page import page
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.notice import heard, tell
from truegain.tables.ratings import read_ratings
from truegain.tables.runs import Runs, read_runs
from truegain.tables.sources import STANDARD_INPUT, PathLike
from truegain.tables.targets import write_bytes
from truegain.text.corpus import CorpusLike

ENDINGS = (".html", ".htm", ".html.gz")


@takes(StudyWords, DEFAULTS_OF_STUDY)
def write_report(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    path: PathLike,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baselines: str | Sequence[str] = (),
    costs: Costs = None,
    corpus: CorpusLike | None = None,
    judged_corpus: CorpusLike | None = None,
    title: str = "",
    **words: Unpack[StudyWords],
) -> PathLike:
    """Write one page with everything: verdict, data health, systems, pairs, judge, what to do next, methods.

    The path is given back.

    pairs: (a, b) asks whether b is better than a; baselines: whether any other system is better than these; without
    either the claim is about the two best.  Further keywords are those of `Study`.  (`tg.report` is the package that
    draws and writes pages, so this is a verb.)

    >>> import tempfile, truegain as tg
    >>> from pathlib import Path
    >>> qrels = {str(t): {"a": 1, "b": 0, "c": t % 2} for t in range(12)}
    >>> runs = {"good": {str(t): {"a": 3.0, "c": 2.0, "b": 1.0} for t in range(12)},
    ...         "poor": {str(t): {"b": 3.0, "a": 2.0, "c": 1.0 + 2 * (t % 3 == 0)} for t in range(12)}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = tg.write_report(runs, qrels, "P@2", f"{folder}/report.html", pairs=[("poor", "good")])
    ...     "good is better than poor" in Path(path).read_text()
    True
    """
    study: dict[str, Any] = {**words}
    baselines = (baselines,) if isinstance(baselines, str) else tuple(baselines)
    for pair in pairs:
        check_pair("pairs", pair, [("a", "b")])
    name = os.fspath(path)
    if name != STANDARD_INPUT and not name.lower().endswith(ENDINGS):
        raise TruegainError(f"path {name!r}: a report is a page; end its name in .html")
    with heard() as told:
        table, judged = _tables(runs, judgments, study)
        made = Study(table, judged, measures, **study)
    tell(told)
    if len(made.systems) < 2:
        raise TruegainError(f"a report compares systems, and there is 1 ({made.systems[0]}); give another run")
    asked = {**made.made_by, "pairs": [list(pair) for pair in pairs], "baselines": list(baselines)}
    facts = gather(
        made, table, judged, pairs=pairs, baselines=baselines, costs=costs, gold_level=study.get("gold_level"),
        corpus=corpus, judged_corpus=judged_corpus, told=told, made=Made(str(made.made_by["truegain"]), "", asked),
    )  # fmt: skip
    write_bytes(path, page(facts, title).encode(errors="backslashreplace"))
    return path


def _tables(runs: Any, judgments: JudgmentsLike, study: dict[str, Any]) -> tuple[Runs, Judgments]:
    """What is given as tables, since it is looked at more than once."""
    table = read_runs(runs, name_by=study["name_by"]) if _are_tagged(runs, study) else Runs.of(runs)
    if study.get("rule") is None and study.get("normalise") is None:
        return table, Judgments.of(judgments)
    reading = {key: study[key] for key in ("scale", "outside", "repeated") if key in study}
    return table, read_ratings(judgments, **reading)


def _are_tagged(runs: Any, study: dict[str, Any]) -> bool:
    """Whether runs are files that are to be read by other names than their own."""
    paths = [runs] if isinstance(runs, str | os.PathLike) else runs
    files = isinstance(paths, list | tuple) and all(isinstance(p, str | os.PathLike) for p in paths)
    return files and study.get("name_by", "file") != "file"
