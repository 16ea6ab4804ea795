"""Pages as HTML: what a template is given, with the study's texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from truegain.judging.server.platforms import way_back
from truegain.judging.study.display import answer_of, as_html, mark_words, query_words
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.base import CANNOT, Document, Wrong
from truegain.judging.texts import Wording
from truegain.judging.workflow.steps import Page, PageStep

if TYPE_CHECKING:
    from markupsafe import Markup


@cache
def templates() -> Environment:
    """All templates, each compiled once, when it is first used; what is missing is an error, and texts are escaped."""
    return Environment(
        loader=PackageLoader("truegain.judging", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def static(base: str, name: str) -> str:
    """The address of a file; it changes when the file does, so that browsers may keep it."""
    data = (files("truegain.judging") / "static" / name).read_bytes()
    return f"{base}/static/{name}?{hashlib.sha256(data).hexdigest()[:8]}"


HTMX = {
    "includeIndicatorStyles": False,  # an inline style, which our policy forbids
    "allowEval": False,
    "selfRequestsOnly": True,
    "historyCacheSize": 0,  # what was judged stays out of the browser's storage
    "refreshOnHistoryMiss": True,  # so the browser's Back asks the server
    "timeout": 60_000,
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "[23]..", "swap": True},
        {"code": "(413|429|5..)", "swap": False, "error": True},  # what was typed stays; judging.js says what happened
        {"code": "...", "swap": True, "error": True},
    ],
}
TEAM = {"doc": "team.html", "undo": "team.html", **dict.fromkeys(("none", "paused", "away"), "team_wait.html")}
ENDED = ("left", "declined", "screened", "failed", "none", "paused", "crowded")


@dataclass(frozen=True)
class ShownFault:
    """A mistake as it is shown: its sentence, the place that it links to, readings of a number to choose from."""

    text: str
    anchor: str
    choices: tuple[str, ...]


def path(step: PageStep) -> str:
    """The end of a step's address.

    >>> path(PageStep("doc", 3)), path(PageStep("consent"))
    ('doc/3', 'consent')
    """
    return f"{step.name}/{step.number}" if step.name in ("practice", "doc") else step.name


class Renderer:
    """Renders the pages of one study."""

    def __init__(self, study: JudgingStudy) -> None:
        self.study = study
        self.texts = Wording(study.words.language, {**study.task.texts, **study.words.texts})
        self._study_context = self._of_study()

    def page(self, page: Page, token: str, base: str = "", *, words: bool = False) -> str:
        """A page of someone's unit; `words`: practice with words, for who cannot see lines."""
        name = page.step.name
        template = self.study.task.template if name == "doc" else "ended.html" if name in ENDED else f"{name}.html"
        if page.team is not None:
            template = TEAM.get(name, template)
        unit = f"{base}/u/{token}"
        return self._render(
            template,
            base,
            page=page,
            here=f"{unit}/{path(page.step)}" + ("?words=1" if words else ""),
            at=lambda place: f"{unit}/{place}",
            wrong=self._wrong(page.errors),
            way=way_back(self.study.people, page),
            others=self._others(page.other),
            labels={key: name for key, name, _ in self._study_context["options"]},
            picks=[(*option, "") for option in page.options],
            notices=f"{unit}/notice" if name == "doc" else "",
            words_only=words,
            marked=self._marked(page),
        )

    def plain(self, name: str, base: str = "", again: Sequence[tuple[str, str]] | None = ()) -> str:
        """A page that belongs to no unit: `name` is 'http.404' and such, 'none', 'paused', 'excluded'.

        again: fields of a form that could not be taken; a button sends it once more to where it was sent.  None: it
        was not read, and has to be sent from its own page.
        """
        texts, platform = self.texts, self.study.people.platform
        title, text = (f"{name}_title", name) if name.startswith("from.") else (f"{name}.title", f"{name}.text")
        goes_back = platform in ("prolific", "mturk") and f"{name}.return" in texts
        more = texts(f"{name}.return", platform=texts(f"platform.{platform}")) if goes_back else ""
        return self._render("plain.html", base, title=texts(title), text=texts(text), more=more, again=again)

    def before(self, template: str, base: str = "", here: str = "") -> str:
        """A page before a unit is taken, or beside it: 'welcome', 'preview', 'instructions'."""
        return self._render(f"{template}.html", base, here=here)

    def _render(self, template: str, base: str, **about: Any) -> str:
        context = {**self._study_context, "wrong": {}, "notices": "", "page": None, **about}
        return templates().get_template(template).render(context, static=lambda name: static(base, name))

    def _of_study(self) -> dict[str, Any]:
        """What every page may use."""
        study, texts = self.study, self.texts
        words, task = study.words, study.task
        options = [(o.key, *texts.option(task.name, o.key, o.name, o.meaning)) for o in task.options]
        asks = any(topic.question for topic in study.topics.values())
        tries = [study.rules.practice_tries] * task.has_practice + [study.rules.question_tries] * asks
        what = "both" if task.has_practice and asks else "practice" if task.has_practice else "question"
        return {
            "study": study,
            "words": words,
            "rules": study.rules,
            "people": study.people,
            "t": texts,
            "kind": task.item,
            "options": options,
            "keys": keys_of([key for key, _, _ in options]),
            "team_reasons": [(name, texts(f"cannot.{name}")) for name in ("unclear", "language", "upsetting", "other")],
            "reasons": [(name, texts(f"cannot.{name}"), "") for name in CANNOT],
            "size": max((len(unit.items) for unit in study.units), default=0),
            "asks": asks,
            "what": texts(f"consent.what_{what}"),
            "tries": tries[0] if len(set(tries)) == 1 else 0,
            "contact": words.contact if "://" in words.contact else f"mailto:{words.contact}",
            "htmx": json.dumps(HTMX),
            "as_html": as_html,
            "answer_of": answer_of,
            "paragraphs": _paragraphs,
        }

    def _marked(self, page: Page) -> Callable[[Markup | str], Markup]:
        """Marks the words of the query in a text of a team's page."""
        words = query_words(page.topic.title) if page.team is not None and page.topic is not None else frozenset()
        return lambda text: mark_words(text, words)

    def _wrong(self, errors: tuple[Wrong, ...]) -> dict[str, ShownFault]:
        """The first mistake of each field."""
        faults: dict[str, ShownFault] = {}
        for error in errors:
            anchor = "number-meant" if error.choices else error.field
            faults.setdefault(error.field, ShownFault(self.texts(error.text, **error.about), anchor, error.choices))
        return faults

    def _others(self, fields: Mapping[str, str]) -> list[tuple[str, str]]:
        """What was sent the other time, as it is told to who sent it."""
        texts, task = self.texts, self.study.task
        names = {key: name for key, name, _ in self._study_context["options"]}
        rows = [(texts(task.ask), fields.get(task.field, "")), (texts("passed.reason"), fields.get("reason", ""))]
        if why := fields.get("cannot", ""):
            rows.append((texts("cannot.ask"), texts(f"cannot.{why}") if f"cannot.{why}" in texts else why))
        return [(label, names.get(value, value)) for label, value in rows if value]


def keys_of(labels: Sequence[str]) -> dict[str, str]:
    """The key of the keyboard for each label: its own digit, else a letter that means nothing else.

    >>> keys_of(["10", "2", "-1"])
    {'10': 'a', '2': '2', '-1': 'b'}
    """
    letters = (sign for sign in "abdefghijklmnoqrstvwxyz" if sign not in labels)
    return {label: label if len(label) == 1 else next(letters) for label in labels}


def _paragraphs(text: str) -> Markup:
    """A topic's text, which is shown as documents are."""
    return as_html(Document("", text))
