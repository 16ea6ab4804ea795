"""The page of `truegain report`: head, sections and data in one file that asks nobody for anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from truegain.config import Ratings, StudyConfig
from truegain.data.items import Items
from truegain.data.judgments import Judgments, JudgmentsLike
from truegain.data.ratings import read_ratings
from truegain.data.runs import Runs, RunsLike
from truegain.data.teams import TeamsLike, read_teams
from truegain.errors import TruegainError, heard, tell
from truegain.io.files import STANDARD_INPUT, PathLike, write_bytes
from truegain.keywords import check_pair, checked_keywords
from truegain.measures.catalogue import MeasuresLike
from truegain.preferences.study import PreferenceStudy
from truegain.preferences.table import Preferences
from truegain.report.facts import Facts, Made
from truegain.report.gather import gather
from truegain.report.gather_preferences import gather_preferences
from truegain.report.html import EN, Html, Section, el, join, json_script, many, name
from truegain.report.sections.catalogue import sections_for
from truegain.study.inputs import StudyInputs
from truegain.study.item_inputs import answer_inputs
from truegain.study.study import Costs, Study
from truegain.text.corpus import CorpusLike

# ---- The page: head, sections, data; one file that asks nobody for anything.

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def page(facts: Facts, title: str = "", sections: Sequence[Section] | None = None) -> str:
    """The whole page as text; `sections` are those of the facts, where they were made already."""
    sections = sections_for(facts) if sections is None else sections
    about = title or f"{many(len(facts.systems), 'system')}, {', '.join(m.name for m in facts.measures)}"
    return document(sections, facts.made.version, about, "To the verdict")


def document(sections: Sequence[Section], version: str, about: str, skip: str, kind: str = "report") -> str:
    """A page of sections, the first with the heading of the page (`data["headline"]`).

    Parameters
    ----------
    sections : sequence of Section
        In the order of the page.
    version : str
        Of truegain.
    about : str
        What the page is about, in a few words beside its brand.
    skip : str
        The words of the link to the first section, for those who use keys.
    kind : str, default 'report'
        What the page is, beside the brand.

    Returns
    -------
    str
        HTML that loads nothing.
    """
    data = {"truegain": version, "sections": {s.id: s.data for s in sections}}
    body = el(
        "body",
        el("a", skip, class_="skip", href=f"#{sections[0].id}"),
        _top(sections, about, kind),
        el("main", *(s.html(i) for i, s in enumerate(sections, 1)), class_="wrap"),
        el(
            "footer",
            el("div", "One file that loads nothing from elsewhere. Figures include their data.", class_="wrap"),
        ),
        json_script(data, "truegain-data"),
        Html(f"<script>{_asset('script.js')}</script>"),
    )
    headline = str(sections[0].data["headline"]).rstrip(".")
    head = _head(version, f"{headline} {EN} truegain {kind}")
    return join(Html("<!doctype html>\n"), el("html", head, "\n", body, lang="en"), "\n")


def _head(version: str, title: str) -> Html:
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width,initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="generator", content=f"truegain {version}"),
        el("title", title),
        Html(f"<style>{_asset('style.css')}</style>"),
    )


def _top(sections: Sequence[Section], about: str, kind: str) -> Html:
    inside = (
        el("div", "truegain ", el("i", kind), class_="brand"),
        el("div", name(about), class_="m sk"),
        el("nav", el("ol", *(el("li", el("a", s.nav, href=f"#{s.id}")) for s in sections)), aria_label="Sections"),
    )
    return el("header", el("div", *inside, class_="wrap"), class_="top")


@cache
def _asset(file: str) -> str:
    return files(__package__).joinpath(file).read_text(encoding="utf-8").strip()


# ---- The page of `truegain report`, from Python.

ENDINGS = (".html", ".htm", ".html.gz")


@checked_keywords()
def write_report(
    runs: RunsLike | Items | Preferences | Study,
    judgments: JudgmentsLike | None,
    measures: MeasuresLike | None,
    path: PathLike,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baselines: str | Sequence[str] = (),
    costs: Costs = None,
    corpus: CorpusLike | None = None,
    judged_corpus: CorpusLike | None = None,
    teams: TeamsLike | None = None,
    title: str = "",
    config: StudyConfig | None = None,
) -> PathLike:
    """Write one page with everything: verdict, data health, systems, pairs, judge, what to do next, methods.

    Parameters
    ----------
    runs, judgments, measures
        As those of `Study`.  `Items` and `Preferences` need no judgments (None); measures None are then the default.
        A `Study` has its judgments, measures and config already (None).
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
    teams : path-like, frame or mapping, optional
        The team of each run, shown beside its system.
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
    baselines = (baselines,) if isinstance(baselines, str) else tuple(baselines)
    for pair in pairs:
        check_pair("pairs", pair, [("a", "b")])
    name = os.fspath(path)
    if name != STANDARD_INPUT and not name.lower().endswith(ENDINGS):
        raise TruegainError(f"path {name!r}: a report is a page; end its name in .html")
    questions: dict[str, Any] = {"pairs": pairs, "baselines": baselines, "costs": costs}
    if isinstance(runs, Preferences | PreferenceStudy):
        if judgments is not None or corpus is not None or judged_corpus is not None:
            raise TruegainError("preferences have no judgments and no corpus; give None for both")
        facts = _of_preferences(runs, measures, config, questions)
    elif isinstance(runs, Study):
        if judgments is not None or measures is not None or config is not None:
            raise TruegainError("a Study already has its judgments, measures and config; give None for them")
        table, labels = runs.inputs
        judged = Judgments.of(labels) if runs.items is not None else _labels(labels, runs.config.ratings)
        facts = _of_study(runs, table, judged, corpus, judged_corpus, questions)
    else:
        facts = _of_runs(runs, judgments, measures, config or StudyConfig(), corpus, judged_corpus, questions)
    if teams is not None:
        facts = replace(facts, teams=read_teams(teams).among(facts.systems).of)
    write_bytes(path, page(facts, title).encode(errors="backslashreplace"))
    return path


def _made(study: Study, questions: Mapping[str, Any]) -> Made:
    claims = {"pairs": [list(pair) for pair in questions["pairs"]], "baselines": list(questions["baselines"])}
    return Made(str(study.provenance["truegain"]), "", {**study.provenance, **claims})


def _of_runs(
    runs: RunsLike | Items, judgments: JudgmentsLike | None, measures: MeasuresLike | None, config: StudyConfig,
    corpus: CorpusLike | None, judged_corpus: CorpusLike | None, questions: Mapping[str, Any],
) -> Facts:  # fmt: skip
    with heard() as messages:
        if isinstance(runs, Items):
            answers = answer_inputs(runs, judgments, measures, config)
            table, judged, made = answers.runs, answers.judgments, StudyInputs.study_of_answers(answers)
        elif judgments is None:
            raise TruegainError("judgments are missing; give them after the runs, or give Items or Preferences")
        else:
            table, judged = Runs.of(runs), _labels(judgments, config.ratings)
            made = Study.configured(table, judged, measures, config)
    tell(messages)
    return _of_study(made, table, judged, corpus, judged_corpus, questions, messages)


def _of_study(
    study: Study, runs: Runs, judgments: Judgments, corpus: CorpusLike | None, judged_corpus: CorpusLike | None,
    questions: Mapping[str, Any], messages: Sequence[str] | None = None,
) -> Facts:  # fmt: skip
    if len(study.systems) < 2:
        raise TruegainError(
            f"a report compares systems, and there is 1 ({study.systems[0]}); give the run or the answers of another"
        )
    return gather(
        study, runs, judgments, **questions, corpus=corpus, judged_corpus=judged_corpus, messages=messages,
        made=_made(study, questions),
    )  # fmt: skip


def _of_preferences(
    votes: Preferences | PreferenceStudy, measures: MeasuresLike | None, config: StudyConfig | None,
    questions: Mapping[str, Any],
) -> Facts:  # fmt: skip
    if isinstance(votes, PreferenceStudy):
        if measures is not None or config is not None:
            raise TruegainError("a PreferenceStudy already has its measures and config; give None for both")
        return gather_preferences(
            votes, **questions, messages=None, made=_made(votes, questions)
        )  # told when it was made
    names = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else measures
    with heard() as messages:
        study = PreferenceStudy.from_config(votes, None if measures is None else list(map(str, names)),
                                            config or StudyConfig())  # fmt: skip
    tell(messages)
    return gather_preferences(study, **questions, messages=messages, made=_made(study, questions))


def _labels(judgments: JudgmentsLike, ratings: Ratings) -> Judgments:
    """Labels, or ratings, as a table, since it is looked at more than once."""
    if not ratings.are_aggregated:
        return Judgments.of(judgments)
    return read_ratings(judgments, scale=ratings.scale, out_of_range=ratings.out_of_range, repeated=ratings.repeated)
