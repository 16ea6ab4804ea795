"""A simulated study: invented documents whose worth a reader can see, for the demo and for tests."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from truegain.errors import TruegainError
from truegain.judging.study.invented import SUBJECTS, Subject
from truegain.judging.study.pool import PoolRow
from truegain.judging.study.reading import TopicRow
from truegain.judging.study.settings import JudgingSettings, People, Rules, Words, usual_of_topic, usual_rules
from truegain.judging.study.study import JudgingStudy, read_study
from truegain.judging.study.units import Design
from truegain.judging.study.writing import document_line, topic_line, write_study
from truegain.judging.tasks.material import Document, Item, Question, Topic
from truegain.sampling.streams import generator
from truegain.tables.judgments import Judgments
from truegain.tables.sources import PathLike
from truegain.tables.targets import write_bytes

if TYPE_CHECKING:
    import numpy as np

TRUTH = "truth.jsonl"


class Recipe(NamedTuple):
    """What a document holds, and what it is worth: on a scale of ratios, and as a grade."""

    worth: float
    grade: int
    told: int = 0
    mentioned: int = 0
    near: int = 1


RECIPES = (  # the first holds all that is asked for, the second is about something else; each eight once more
    Recipe(80, 3, told=5), Recipe(1, 0, near=0), Recipe(2, 0, near=3), Recipe(5, 1, mentioned=1, near=3),
    Recipe(20, 2, told=1, near=2), Recipe(10, 1, mentioned=3, near=2), Recipe(40, 2, told=2), Recipe(60, 3, told=3),
    Recipe(2, 0, near=2), Recipe(1, 0, near=0), Recipe(20, 2, told=1), Recipe(5, 1, mentioned=1, near=2),
    Recipe(2, 0, near=3), Recipe(1, 0, near=0), Recipe(10, 1, mentioned=2), Recipe(40, 2, told=2, near=2),
)  # fmt: skip
_FIRST = ("ar", "bel", "cor", "dan", "el", "fen", "gar", "hol", "is", "kel", "lor", "mar", "nor", "os", "pel", "ros")
_LAST = ("by", "den", "ford", "gate", "ham", "ley", "low", "mere", "ness", "stead", "ton", "vale", "wick", "worth")


class Worth(NamedTuple):
    """What a document is worth for its topic: on a scale of ratios, and as a grade from 0 to 3."""

    topic: str
    doc: str
    worth: float
    grade: int


def simulated_study(
    folder: str | Path,
    *,
    task: str = "magnitude",
    topics: int = 4,
    docs: int = 20,
    judgments: int = 10,
    size: int = 8,
    seed: int = 0,
    rules: Rules | None = None,
    people: People | None = None,
) -> JudgingStudy:
    """Write a study with invented topics and documents into a folder that is new or empty, and open it.

    docs: of each topic, at least 3.  size: items of a unit.  What each document is worth is told by `simulated_truth`;
    a claim is a sentence of an invented answer, and a document supports it where it has that sentence.
    """
    made = [_topic(f"{i + 1}", SUBJECTS[i % len(SUBJECTS)], docs, seed) for i in range(topics)]
    if docs < 3 or topics < 1:
        raise TruegainError(f"{topics} topics of {docs} documents: give at least 1 topic, and 3 documents")
    settings = JudgingSettings(
        "simulated", task, design=Design(judgments, size, seed=seed), words=Words("A simulated study"),
        rules=rules or Rules(**usual_rules(task, judgments)),
        people=people or People(most_of_topic=usual_of_topic(task)),
    )  # fmt: skip
    rows = [row for topic, documents, truths in made for row in _rows(task, topic, documents, truths, seed)]
    with tempfile.TemporaryDirectory() as place:
        truth = Path(place) / TRUTH
        truth.write_text("".join(json.dumps(t._asdict()) + "\n" for _, _, own in made for t in own))
        write_study(
            folder, settings, [TopicRow(t, "", "", "") for t, _, _ in made], [d for _, own, _ in made for d in own],
            rows, [(TRUTH, truth)],
        )  # fmt: skip
    return read_study(folder)


def simulated_material(grades: Mapping[str, Mapping[str, int]], *, seed: int = 0) -> tuple[list[Topic], list[Document]]:
    """Invented topics and documents for given grades, 0 to 3, by topic and document: a reader can see the grade.

    No two documents have one text: each ends with a number that tells nothing of its worth.

    >>> topics, documents = simulated_material({"7": {"a": 3, "b": 0}})
    >>> topics[0].id, [d.id for d in documents], len(documents[0].text) > len(documents[1].text)
    ('7', ['a', 'b'], True)
    """
    topics: list[Topic] = []
    documents: list[Document] = []
    numbers = generator(seed, "simulated numbers").permutation(9 * sum(map(len, grades.values()))).tolist()
    for place, (name, docs) in enumerate(grades.items()):
        draws = generator(seed, f"simulated material {name}")
        subject = SUBJECTS[place % len(SUBJECTS)]
        topic, words = _asked(name, subject, draws)
        topics.append(topic)
        for doc, grade in docs.items():
            known = [recipe for recipe in RECIPES if recipe.grade == grade]
            if not known:
                raise TruegainError(f"document {doc} of topic {name} has the grade {grade}; grades are 0 to 3")
            recipe = known[int(draws.integers(len(known)))]
            made = _document(doc, *_about(subject, words, recipe, draws), recipe, draws)
            text = f"{made.text}\n\nNumber {numbers[len(documents)] + 1000} of the archive."
            documents.append(replace(made, text=text))
    return topics, documents


def write_material(levels: Judgments, topics: PathLike, documents: PathLike, *, seed: int = 0) -> None:
    """Write invented topics and documents for given levels, 0 to 3, as `truegain judging init` reads them."""
    grades: dict[str, dict[str, int]] = {}
    for code, doc, level in zip(levels.topic.code, levels.docs.strings(), levels.label, strict=True):
        grades.setdefault(levels.topic.values[code], {})[doc] = int(level)
    asked, made = simulated_material(grades, seed=seed)
    write_bytes(topics, "".join(topic_line(TopicRow(topic, "", "", "")) for topic in asked).encode())
    write_bytes(documents, "".join(map(document_line, made)).encode())


def _rows(task: str, topic: Topic, documents: list[Document], truths: list[Worth], seed: int) -> list[PoolRow]:
    """What is judged of a topic: each document with its grade, or with a claim that it may support."""
    if task != "claim":
        return [PoolRow(t.topic, Item((t.doc,)), t.grade) for t in truths]
    draws = generator(seed, f"simulated claims {topic.id}")
    told = documents[0].text.split("\n\n")[1:-1]  # all that is asked for, between what is near and the last line
    claims = [paragraph.split(". ")[0].rstrip(".") + "." for paragraph in told]
    return [
        PoolRow(topic.id, Item((d.id,), claim=_one(claims, draws), answer=" ".join(claims)), None) for d in documents
    ]


def simulated_truth(folder: str | Path) -> list[Worth]:
    """What each document of a simulated study is worth, topic by topic; Hk and Nk of a topic come first."""
    return [Worth(**json.loads(line)) for line in (Path(folder) / TRUTH).read_text().splitlines()]


def _topic(name: str, subject: Subject, docs: int, seed: int) -> tuple[Topic, list[Document], list[Worth]]:
    """A topic, its documents, and their worth; Hk and Nk are the first two."""
    draws = generator(seed, f"simulated topic {name}")
    topic, words = _asked(name, subject, draws)
    numbers = draws.permutation(9000)[:docs] + 1000  # which tell nothing of the worth
    documents, truths = [], []
    for i, number in enumerate(numbers):
        recipe = RECIPES[i % len(RECIPES)]
        documents.append(_document(f"{name}-{number}", *_about(subject, words, recipe, draws), recipe, draws))
        truths.append(Worth(name, f"{name}-{number}", recipe.worth, recipe.grade))
    return topic, documents, truths


def _asked(name: str, subject: Subject, draws: np.random.Generator) -> tuple[Topic, dict[str, str]]:
    """A topic about a subject, and the names that were invented for it."""
    words = {"name": _word(draws), "place": _word(draws)}
    question = Question(subject.asked.format(**words), tuple(o.format(**words) for o in subject.options), 0)
    topic = Topic(
        name, subject.title.format(**words), subject.text.format(**words), subject.counts.format(**words),
        subject.counts_not.format(**words), question,
    )  # fmt: skip
    return topic, words


def _about(
    subject: Subject, words: dict[str, str], recipe: Recipe, draws: np.random.Generator
) -> tuple[Subject, dict[str, str]]:
    """What a document is about: the subject, or another one where it has nothing to do with it."""
    if recipe.told or recipe.mentioned or recipe.near:
        return subject, words
    others = [s for s in SUBJECTS if s is not subject]
    return others[int(draws.integers(len(others)))], {"name": _word(draws), "place": _word(draws)}


def _document(
    name: str, subject: Subject, words: dict[str, str], recipe: Recipe, draws: np.random.Generator
) -> Document:
    facts = [subject.facts[k] for k in draws.permutation(len(subject.facts))]
    told = [fact.told for fact in facts[: recipe.told]]
    passing = [fact.mentioned for fact in facts[recipe.told : recipe.told + recipe.mentioned]]
    near = [subject.near[k] for k in draws.permutation(len(subject.near))[: recipe.near or 2]]
    if passing:
        at = int(draws.integers(len(near)))
        near[at] += f" Some add that {passing[0]}" + "".join(f", and that {p}" for p in passing[1:]) + "."
    year = int(draws.integers(1, 28))
    first = f"This page was looked through on {year} {_one(('March', 'May', 'June', 'October'), draws)}."
    text = "\n\n".join([*near[:1], *told, *near[1:], first]).format(**words)
    return Document(
        name, text, _one(subject.titles, draws).format(**words), _one(subject.sources, draws).format(**words)
    )


def _one(texts: Sequence[str], draws: np.random.Generator) -> str:
    return texts[int(draws.integers(len(texts)))]


def _word(draws: np.random.Generator) -> str:
    return (_one(_FIRST, draws) + _one(_LAST, draws)).capitalize()
