"""What LLM judges send and get: the models that the OpenAPI document is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema

from truegain.judging.desk.steps import Page
from truegain.judging.study.study import JudgingStudy
from truegain.judging.tasks.task import Wrong

LONGEST = 10_000  # characters of a text, as the tasks have it

Text = Annotated[str, StringConstraints(max_length=LONGEST)]
Short = Annotated[str, StringConstraints(max_length=200)]
Mark = Annotated[str, StringConstraints(max_length=1_000)]
Where = Literal["judge", "done", "ended", "none", "paused"]


@dataclass(frozen=True)
class JsonNumber:
    """A number of a body, as it is written there; no text but where a field takes one."""

    written: str


Digits = Annotated[
    Short,
    BeforeValidator(lambda value: value.written if isinstance(value, JsonNumber) else value),
    WithJsonSchema({"type": ["string", "number"], "maxLength": 200}),
]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ApiOption(BaseModel):
    """A label to choose."""

    key: str = Field(description="What to send.")
    name: str
    meaning: str


class ApiStudy(BaseModel):
    """What is asked in this study."""

    name: str
    title: str
    language: str
    task: str = Field(description="magnitude, graded, binary, preference or claim")
    field: str = Field(description="The field of an answer that holds the judgment.")
    options: list[ApiOption] = Field(description="Labels to choose from; none for numbers.")
    reason: bool = Field(description="Whether a reason must be given.")
    judge: str = Field(description="Your id in the study: model, prompt and parameters make it.")


class ApiTopic(BaseModel):
    """The information need that documents are judged for."""

    title: str
    text: str
    counts: str = Field(description="What helps.")
    counts_not: str = Field(description="What does not.")


class ApiDocument(BaseModel):
    """A document, as it is given to people."""

    title: str
    source: str
    text: str
    format: str = Field(description="Of the text: text or html.")


class ApiWrong(BaseModel):
    """What must be put right before an answer counts."""

    field: str
    text: str = Field(description="Names the fault, such as number.zero or reason.empty.")
    about: dict[str, str] = Field(default_factory=dict, description="What the fault mentions.")
    choices: list[str] = Field(default_factory=list, description="Readings of an ambiguous number: send one as it is.")


class ApiPage(BaseModel):
    """Where you are.

    `judge`: judge the documents here, and send the answer with this page's `csrf` and `once`.  `done`: the unit is
    complete; take another one.  `ended`: it ended otherwise.  `none`: no unit is free for you.  `paused`: the study is.
    """

    where: Where
    unit: str = Field(default="", description="Names your unit in addresses.")
    number: int = Field(default=0, description="Which item of the unit this is, from 1.")
    total: int = Field(default=0, description="How many items the unit has.")
    topic: ApiTopic | None = None
    documents: list[ApiDocument] = Field(default_factory=list, description="One; for preferences two, A and B.")
    claim: str = Field(default="", description="The claim to judge by the document, which it cites.")
    answer: str = Field(default="", description="The answer that the claim stands in.")
    csrf: str = Field(default="", description="Send it back with the answer.")
    once: str = Field(default="", description="Send it back: the same page sent again counts once.")
    again: bool = Field(default=False, description="The set was not accepted: go through all items once more.")
    errors: list[ApiWrong] = Field(default_factory=list)
    notice: str = Field(default="", description="saved, resumed (a page was too old), reported, twice; or nothing.")
    outcome: str = Field(default="", description="Where the unit ended otherwise: how.")


class ApiAnswer(_Given):
    """A judgment of one item.

    Send the field that the study's task has, and a reason; or with action `cannot`, why the item cannot be judged.
    """

    csrf: Mark
    once: Mark
    action: Literal["next", "back", "cannot", "report"] = "next"
    number: Digits = Field(
        default="", description="Task magnitude: a number above 0, as JSON's number or as text: 0.5, 1/2, 1e3."
    )
    number_meant: Short = Field(default="", description="Where a number can be read in several ways: the one meant.")
    label: Digits = Field(default="", description="Tasks graded and binary: the key of a label.")
    prefer: Short = Field(default="", description="Task preference: left, right or same.")
    support: Short = Field(default="", description="Task claim: full, part, none or against.")
    reason: Text = ""
    cannot: Short = Field(default="", description="Action cannot: language, unclear, upsetting or other.")
    cannot_note: Text = ""
    report: Text = Field(default="", description="Action report: what does not display.")


class ApiProblem(BaseModel):
    """What is wrong, in words; `errors` where an answer has to be put right, `page` then is the one to send again."""

    detail: str
    errors: list[ApiWrong] = Field(default_factory=list)
    page: ApiPage | None = None


def study_shown(study: JudgingStudy, judge: str) -> ApiStudy:
    """What a judge is told of a study."""
    options = [ApiOption(key=o.key, name=o.name, meaning=o.meaning) for o in study.task.options]
    return ApiStudy(
        name=study.name, title=study.words.title, language=study.words.language, task=study.task.name,
        field=study.task.field, options=options, reason=study.rules.reason, judge=judge,
    )  # fmt: skip


def wrong_shown(wrong: Wrong) -> ApiWrong:
    """A fault of an answer."""
    return ApiWrong(field=wrong.field, text=wrong.text, about=dict(wrong.about), choices=list(wrong.choices))


def page_shown(token: str, page: Page, *, again: bool = False) -> ApiPage:
    """A page as a judge gets it: what people get, neither ids of documents nor anything of the design."""
    if page.step.name == "done":
        return ApiPage(where="done", unit=token)
    if page.step.name in ("none", "paused"):
        return ApiPage(where="none" if page.step.name == "none" else "paused", unit=token)
    if page.step.name != "doc":
        return ApiPage(where="ended", unit=token, outcome=page.step.name)
    t = page.topic
    topic = None if t is None else ApiTopic(title=t.title, text=t.text, counts=t.counts, counts_not=t.counts_not)
    return ApiPage(
        where="judge", unit=token, number=page.step.number, total=page.total, topic=topic,
        documents=[ApiDocument(title=d.title, source=d.source, text=d.text, format=d.format) for d in page.documents],
        claim=page.item.claim if page.item else "", answer=page.item.answer if page.item else "",
        csrf=page.csrf, once=page.once, again=again, errors=[wrong_shown(w) for w in page.errors],
        notice=page.notice,
    )  # fmt: skip
