"""The page of `truegain report`, from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence

from truegain.config import Ratings, StudyConfig
from truegain.errors import TruegainError
from truegain.inference.study.questions import Costs
from truegain.inference.study.study import Study
from truegain.keywords import check_pair, takes
from truegain.measures.parse import MeasuresLike
from truegain.report.facts.facts import Made
from truegain.report.facts.gather import gather
from truegain.report.page.page import page
from truegain.tables.judgments import Judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.notice import heard, tell
from truegain.tables.ratings import read_ratings
from truegain.tables.runs import Runs
from truegain.tables.sources import STANDARD_INPUT, PathLike
from truegain.tables.targets import write_bytes
from truegain.text.corpus import CorpusLike

ENDINGS = (".html", ".htm", ".html.gz")


@takes()
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
    config: StudyConfig | None = None,
) -> PathLike:
    """Write one page with everything: verdict, data health, systems, pairs, judge, what to do next, methods.

    Parameters
    ----------
    runs, judgments, measures
        As those of `Study`.
    path : path
        Where to write the page; its name ends in .html.
    pairs : list of (str, str), optional
        (a, b) asks whether b is better than a.  Without pairs and baselines the claim is about the two best systems.
    baselines : str or list of str, optional
        Is any other system better than these?
    costs : mapping or str, optional
        Prices for what to do next, such as ``{"topic": 5, "gold": 1.5}``.
    corpus, judged_corpus : corpus, optional
        Texts of the documents, for scores from the text of judged documents.
    title : str, optional
        The title of the page.
    config : StudyConfig, optional
        All else that a study is told: gold labels, the population, the smallest difference that matters.

    Returns
    -------
    path
        As given.

    Examples
    --------
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
    config = config or StudyConfig()
    baselines = (baselines,) if isinstance(baselines, str) else tuple(baselines)
    for pair in pairs:
        check_pair("pairs", pair, [("a", "b")])
    name = os.fspath(path)
    if name != STANDARD_INPUT and not name.lower().endswith(ENDINGS):
        raise TruegainError(f"path {name!r}: a report is a page; end its name in .html")
    with heard() as told:
        table, judged = Runs.of(runs), _labels(judgments, config.ratings)
        made = Study.configured(table, judged, measures, config)
    tell(told)
    if len(made.systems) < 2:
        raise TruegainError(f"a report compares systems, and there is 1 ({made.systems[0]}); give another run")
    asked = {**made.made_by, "pairs": [list(pair) for pair in pairs], "baselines": list(baselines)}
    facts = gather(
        made, table, judged, pairs=pairs, baselines=baselines, costs=costs,
        gold_relevant_from=None if config.gold is None else config.gold.relevant_from,
        corpus=corpus, judged_corpus=judged_corpus, told=told, made=Made(str(made.made_by["truegain"]), "", asked),
    )  # fmt: skip
    write_bytes(path, page(facts, title).encode(errors="backslashreplace"))
    return path


def _labels(judgments: JudgmentsLike, ratings: Ratings) -> Judgments:
    """Labels, or ratings, as a table, since it is looked at more than once."""
    if not ratings.are_aggregated:
        return Judgments.of(judgments)
    return read_ratings(judgments, scale=ratings.scale, out_of_range=ratings.out_of_range, repeated=ratings.repeated)
