"""A simulated study, for demonstrations and tests: invented topics and documents whose relevance is known.

`{name}` and `{place}` are drawn; every fact has a paragraph that tells it and a clause that mentions it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from truegain.data.judgments import Judgments
from truegain.errors import TruegainError
from truegain.io.files import PathLike, write_bytes
from truegain.judging.study.create import document_line, topic_line, write_study
from truegain.judging.study.files import PoolRow, TopicRow
from truegain.judging.study.study import (
    JudgingSettings,
    JudgingStudy,
    People,
    Rules,
    Words,
    read_study,
    usual_of_topic,
    usual_rules,
)
from truegain.judging.study.units import Design
from truegain.judging.tasks.base import Document, Item, Question, Topic
from truegain.judging.tasks.catalogue import TASKS
from truegain.sampling.streams import generator

if TYPE_CHECKING:
    import numpy as np


class Fact(NamedTuple):
    """What a helpful document tells: in a paragraph, or in passing."""

    paragraph: str
    mentioned: str


class Subject(NamedTuple):
    """An invented thing and the texts about it; `near` is about it too, but does not help."""

    title: str
    text: str
    counts: str
    counts_not: str
    question: str
    options: tuple[str, str, str, str]  # the first is right
    facts: tuple[Fact, ...]
    near: tuple[str, ...]
    titles: tuple[str, ...]  # of documents, whatever they tell
    sources: tuple[str, ...]


BEES = Subject(
    "treating {name} wilt in beehives",
    "A beekeeper has found {name} wilt in two hives and wants to know how it can be treated before winter.",
    "What to give or do, how much of it, when in the year, and how long it takes to work.",
    "How the disease was found, what it costs the trade, and diseases of other animals.",
    "What does the beekeeper want to know?",
    (
        "How to treat the disease before winter",
        "How to sell hives that have the disease",
        "Who described the disease first",
        "Which flowers bees of {place} prefer",
    ),
    (
        Fact(
            "The usual treatment is a syrup of one part sugar and one part water with 4 grams of sorrel salt to the "
            "litre. Half a litre is given to each hive in the evening, three times, with four days between. Stronger "
            "doses do not work faster and make the bees restless.",
            "sorrel salt in the syrup is what most keepers use against it",
        ),
        Fact(
            "Treatment should begin when the last honey has been taken off and end before the nights fall below 8 "
            "degrees, because bees stop taking syrup in the cold. In {place} this leaves about five weeks, from the "
            "end of August on.",
            "it has to be treated while the nights are still mild",
        ),
        Fact(
            "Combs with dark, sunken cells are the source of new infection and have to be taken out and melted. Up to "
            "half of the combs may be replaced at once if the colony is fed on the same day.",
            "combs with sunken cells should not stay in the hive",
        ),
        Fact(
            "Keepers see the first change after nine or ten days: bees clear dead brood from the entrance, and the "
            "sour smell goes. A hive counts as well when two inspections, three weeks apart, find no sunken cells.",
            "a hive that is treated smells better after a week or so",
        ),
        Fact(
            "Where one hive is ill, those that stand within about 30 metres should be treated with it, since bees "
            "drift between entrances. Entrances are narrowed to the width of two bees until the treatment is over.",
            "neighbouring hives are best treated at the same time",
        ),
    ),
    (
        "The disease has its name from {name}, a village near {place}, where it was described by a teacher who kept "
        "eleven hives behind the school. Her notebooks are shown in the local museum every second Sunday.",
        "The association of beekeepers of {place} counted 340 members this spring, twenty more than in the year "
        "before. The chairman thanked the volunteers who had painted the meeting hall.",
        "Losses to {name} wilt were the talk of the autumn fair. Traders said that prices of honey had risen by a "
        "tenth, and that buyers asked more often where a jar came from.",
        "A film about three generations of beekeepers in {place} won a prize for its music. {name} wilt is mentioned "
        "in one scene, when the grandfather decides to sell his hives.",
    ),
    (
        "{name} wilt and what to do",
        "Notes from the apiary, {place}",
        "{name} wilt: questions and answers",
        "Autumn in the hive",
        "A letter from {place}",
        "What we know about {name} wilt",
    ),
    ("Beekeeping Leaflets of {place}", "The Hive and the Garden", "apiary-notes.example", "{place} Weekly"),
)

FERRY = Subject(
    "taking a bicycle on the {name} ferry",
    "Someone plans a tour along the coast and wants to take a bicycle across to {place} on the {name} ferry.",
    "Rules and prices for bicycles, where and when to board with one, and what is different for electric ones.",
    "The ferry's history, food on board, and rules for cars alone.",
    "What is the traveller going to do?",
    (
        "Cross by ferry with a bicycle",
        "Rent a car in {place}",
        "Apply for work on a ferry",
        "Ship furniture along the coast",
    ),
    (
        Fact(
            "A bicycle travels for 3.20 each way; children's bicycles and trailers are free. The ticket is sold on the "
            "pier only, at the window with the blue sign, and not online.",
            "bicycles need a ticket of their own, which is not sold online",
        ),
        Fact(
            "There is room for 14 bicycles on each sailing. Places cannot be reserved: who comes first rides first. On "
            "Saturdays in July the rack is full half an hour before the boat leaves.",
            "on fine weekends there may be no room left for bicycles",
        ),
        Fact(
            "Cyclists board before the cars, through the side gate, and push their bicycles along the marked strip. "
            "The gate closes ten minutes before departure and is not opened again.",
            "cyclists have a gate of their own, which closes early",
        ),
        Fact(
            "Electric bicycles are taken if the battery is removed and carried in hand luggage. Bicycles of more than "
            "30 kilograms count as mopeds and pay 7.50.",
            "batteries of electric bicycles have to come off before boarding",
        ),
        Fact(
            "From November to March the small boat sails instead, and it takes no bicycles at all. Cyclists then go "
            "round by the bridge at {place}, which adds 26 kilometres.",
            "the winter boat is smaller, and does not take bicycles",
        ),
    ),
    (
        "The {name} ferry has crossed the sound since 1911. Its first boat was driven by steam and carried post, "
        "flour and, once a year, the judge on his way to {place}.",
        "The restaurant on the upper deck of the {name} ferry is known for its fish soup. In summer a band plays on "
        "Fridays, and the captain has been seen to dance.",
        "Cars on the {name} ferry pay by length. A car of less than five metres costs 18.00, a van 27.00; drivers "
        "stay in their seats until a member of the crew waves them forward.",
        "Cycling is popular around {place}: the club there counts 200 members and marks two routes through the "
        "marshes, both of which begin at the church.",
    ),
    (
        "The {name} ferry: information for passengers",
        "Across the sound to {place}",
        "A week by bicycle",
        "By boat to {place}",
        "{name} ferry, summer and winter",
        "Harbour news",
    ),
    ("Coastal Routes", "{place} Visitor OrganizerService", "twowheels.example", "Harbour Gazette"),
)

DYE = Subject(
    "keeping {name} cloth from fading",
    "Someone has bought a curtain of {name} cloth, dyed in {place}, and wants to keep its color from fading.",
    "How to wash, dry, hang and mend the cloth so that its color stays, and what harms it.",
    "Where to buy it, how the dye is made, and its place in fashion.",
    "What is the problem with the curtain?",
    ("Its color may fade", "It is too long for the window", "It was delivered late", "Its pattern was copied"),
    (
        Fact(
            "Wash {name} cloth cold, at no more than 20 degrees, with two spoons of vinegar and no soap powder. Powder "
            "opens the dye, and a single warm wash takes about a fifth of the color.",
            "it is washed cold and without powder",
        ),
        Fact(
            "Light does more harm than water. Behind a window that faces south the blue turns grey within two years; a "
            "lining of white cotton, sewn to the outer side, keeps it for ten or more.",
            "a lining helps against the sun",
        ),
        Fact(
            "Dry the cloth in the shade, lying flat, and iron it from the back while it is damp. A tumble dryer leaves "
            "pale lines along every fold, which cannot be mended.",
            "it should not be put into a dryer",
        ),
        Fact(
            "Color that has begun to fade can be fixed with alum: 15 grams in a bucket of water, in which the cloth "
            "rests for a night. Dyers in {place} advise to repeat this every third year.",
            "alum is sometimes used to fix the color",
        ),
        Fact(
            "Perfume, lemon and the fumes of gas heaters bleach the dye at once. Pale spots can be touched up with a "
            "cotton bud and a little of the dye, which the makers send by post.",
            "fumes of heaters are bad for it",
        ),
    ),
    (
        "{name} cloth is dyed with the bark of a tree that grows on the slopes above {place}. The bark is stripped in "
        "May, dried until winter and boiled for two days in copper kettles.",
        "Designers have found {name} cloth again. A jacket was shown this spring with buttons of horn, and shops in "
        "{place} sell bags, caps and even shoes of it.",
        "A metre of {name} cloth costs between 40 and 65, depending on the width. Buyers should look for the red "
        "thread in the selvedge, which shows that it was dyed in {place}.",
        "The oldest piece of {name} cloth hangs in the town hall of {place}. Visitors are surprised at how strong its "
        "colors are; the guide tells the story of the weaver and the mayor.",
    ),
    (
        "Caring for {name} cloth",
        "Cloth and color of {place}",
        "The blue of {name}",
        "A curtain for every window",
        "Ask the dyer",
        "{name} cloth through the years",
    ),
    ("Loom and Thread", "Dyers' Guild of {place}", "textile-notes.example", "The Household Page"),
)

LAMP = Subject(
    "{name} lamp flickers after a new battery",
    "The owner of a {name} reading lamp has put in a new battery; now the lamp flickers and should be made to stop.",
    "Causes of the flickering and what to do about them, with settings, parts and measures.",
    "Tests of other lamps, the company, and what the lamp costs.",
    "When did the lamp begin to flicker?",
    (
        "After its battery was changed",
        "After it fell into water",
        "When it was switched on for the first time",
        "After it was repaired in {place}",
    ),
    (
        Fact(
            "Flickering after a change of battery mostly comes from the limit that the lamp has learned. Hold the "
            "switch for twelve seconds until the ring turns green: the lamp forgets the old battery and learns the "
            "new one while it charges for the first time.",
            "holding the switch for a while resets what the lamp knows of its battery",
        ),
        Fact(
            "The contacts of the {name} lamp are plated and bend easily. If the lamp flickers when it is tapped, lift "
            "the two outer springs by about a millimetre and clean them with alcohol.",
            "bent contacts are a common cause of trouble with it",
        ),
        Fact(
            "Batteries of other makers give 3.6 volts instead of 3.85, which the lamp takes for an empty one. Their "
            "label shows a number that ends in B; those that end in D are right for lamps made since 2019.",
            "not every battery on the market fits it",
        ),
        Fact(
            "Version 2.1 of the lamp's software flickers at the two lowest settings with any battery. Version 2.2, "
            "which is loaded through the charging cable, mends this in about three minutes.",
            "an update of its software is said to help",
        ),
        Fact(
            "If nothing helps, the driver behind the ring is worn out. It is part 40-117, costs 9.00 and is held by "
            "two screws; the shop in {place} changes it while you wait.",
            "a driver that is worn out can be replaced",
        ),
    ),
    (
        "The {name} lamp was drawn by two students from {place} for a competition which they did not win. A museum "
        "bought the first one; by now more than 80,000 have been sold.",
        "In our test of nine reading lamps the {name} came third. Its light is warm and even, its arm stays where it "
        "is put, and it is the only one that can be folded into a pocket.",
        "The maker of the {name} lamp opens a second factory near {place} and wants to hire 60 people. The mayor "
        "spoke of a bright day for the town.",
        "Readers sent us pictures of their {name} lamps: beside a cradle, in a tent, above an aquarium, and on a desk "
        "in a lighthouse where a new battery comes by boat.",
    ),
    (
        "{name} lamp: help and manuals",
        "Light on the desk",
        "The {name} lamp in daily use",
        "Nine lamps for readers",
        "Workshop column",
        "{name} lamp, frequent questions",
    ),
    ("Repair Circle of {place}", "Lamps and Light", "fix-it-yourself.example", "{name} Owners' Forum"),
)

SUBJECTS = (BEES, FERRY, DYE, LAMP)


# ---------------------------------------------------------------------- studies


TRUTH = "truth.jsonl"


class Recipe(NamedTuple):
    """What a document holds, and what it is worth: on a scale of ratios, and as a grade."""

    worth: float
    grade: int
    paragraphs: int = 0
    mentioned: int = 0
    near: int = 1


RECIPES = (  # the first holds all that is asked for, the second is about something else; each eight once more
    Recipe(80, 3, paragraphs=5),
    Recipe(1, 0, near=0),
    Recipe(2, 0, near=3),
    Recipe(5, 1, mentioned=1, near=3),
    Recipe(20, 2, paragraphs=1, near=2),
    Recipe(10, 1, mentioned=3, near=2),
    Recipe(40, 2, paragraphs=2),
    Recipe(60, 3, paragraphs=3),
    Recipe(2, 0, near=2),
    Recipe(1, 0, near=0),
    Recipe(20, 2, paragraphs=1),
    Recipe(5, 1, mentioned=1, near=2),
    Recipe(2, 0, near=3),
    Recipe(1, 0, near=0),
    Recipe(10, 1, mentioned=2),
    Recipe(40, 2, paragraphs=2, near=2),
)
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
        "simulated",
        task,
        design=Design(judgments, size, seed=seed),
        words=Words("A simulated study"),
        rules=rules or Rules(**usual_rules(task, judgments)),
        people=people or People(most_of_topic=usual_of_topic(task)),
    )
    rows = [row for topic, documents, truths in made for row in _rows(task, topic, documents, truths, seed)]
    with tempfile.TemporaryDirectory() as place:
        truth = Path(place) / TRUTH
        truth.write_text("".join(json.dumps(t._asdict()) + "\n" for _, _, own in made for t in own))
        write_study(
            folder,
            settings,
            [TopicRow(t, "", "", "") for t, _, _ in made],
            [d for _, own, _ in made for d in own],
            rows,
            [(TRUTH, truth)],
        )
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
        topic, words = _simulated_topic(name, subject, draws)
        topics.append(topic)
        for doc, grade in docs.items():
            recipes = [recipe for recipe in RECIPES if recipe.grade == grade]
            if not recipes:
                raise TruegainError(f"document {doc} of topic {name} has the grade {grade}; give grades from 0 to 3")
            recipe = recipes[int(draws.integers(len(recipes)))]
            made = _document(doc, *_about(subject, words, recipe, draws), recipe, draws)
            text = f"{made.text}\n\nNumber {numbers[len(documents)] + 1000} of the archive."
            documents.append(replace(made, text=text))
    return topics, documents


def write_material(levels: Judgments, topics: PathLike, documents: PathLike, *, seed: int = 0) -> None:
    """Write invented topics and documents for given levels, 0 to 3, as `truegain annotate init` reads them."""
    grades: dict[str, dict[str, int]] = {}
    for code, doc, level in zip(levels.topic.code, levels.docs.strings(), levels.label, strict=True):
        grades.setdefault(levels.topic.values[code], {})[doc] = int(level)
    new_topics, new_documents = simulated_material(grades, seed=seed)
    write_bytes(topics, "".join(topic_line(TopicRow(topic, "", "", "")) for topic in new_topics).encode())
    write_bytes(documents, "".join(map(document_line, new_documents)).encode())


def _rows(task: str, topic: Topic, documents: list[Document], truths: list[Worth], seed: int) -> list[PoolRow]:
    """What is judged of a topic: each document with its grade, or with a claim that it may support."""
    if TASKS[task].item != "claim":
        return [PoolRow(t.topic, Item((t.doc,)), t.grade) for t in truths]
    draws = generator(seed, f"simulated claims {topic.id}")
    paragraphs = documents[0].text.split("\n\n")[1:-1]  # all that is asked for, between what is near and the last line
    claims = [paragraph.split(". ")[0].rstrip(".") + "." for paragraph in paragraphs]
    return [
        PoolRow(topic.id, Item((d.id,), claim=_one(claims, draws), answer=" ".join(claims)), None) for d in documents
    ]


def simulated_truth(folder: str | Path) -> list[Worth]:
    """What each document of a simulated study is worth, topic by topic; Hk and Nk of a topic come first."""
    return [Worth(**json.loads(line)) for line in (Path(folder) / TRUTH).read_text().splitlines()]


def _topic(name: str, subject: Subject, docs: int, seed: int) -> tuple[Topic, list[Document], list[Worth]]:
    """A topic, its documents, and their worth; Hk and Nk are the first two."""
    draws = generator(seed, f"simulated topic {name}")
    topic, words = _simulated_topic(name, subject, draws)
    numbers = draws.permutation(9000)[:docs] + 1000  # which tell nothing of the worth
    documents, truths = [], []
    for i, number in enumerate(numbers):
        recipe = RECIPES[i % len(RECIPES)]
        documents.append(_document(f"{name}-{number}", *_about(subject, words, recipe, draws), recipe, draws))
        truths.append(Worth(name, f"{name}-{number}", recipe.worth, recipe.grade))
    return topic, documents, truths


def _simulated_topic(name: str, subject: Subject, draws: np.random.Generator) -> tuple[Topic, dict[str, str]]:
    """A topic about a subject, and the names that were invented for it."""
    words = {"name": _word(draws), "place": _word(draws)}
    question = Question(subject.question.format(**words), tuple(o.format(**words) for o in subject.options), 0)
    topic = Topic(
        name,
        subject.title.format(**words),
        subject.text.format(**words),
        subject.counts.format(**words),
        subject.counts_not.format(**words),
        question,
    )
    return topic, words


def _about(
    subject: Subject, words: dict[str, str], recipe: Recipe, draws: np.random.Generator
) -> tuple[Subject, dict[str, str]]:
    """What a document is about: the subject, or another one where it has nothing to do with it."""
    if recipe.paragraphs or recipe.mentioned or recipe.near:
        return subject, words
    others = [s for s in SUBJECTS if s is not subject]
    return others[int(draws.integers(len(others)))], {"name": _word(draws), "place": _word(draws)}


def _document(
    name: str, subject: Subject, words: dict[str, str], recipe: Recipe, draws: np.random.Generator
) -> Document:
    facts = [subject.facts[k] for k in draws.permutation(len(subject.facts))]
    paragraphs = [fact.paragraph for fact in facts[: recipe.paragraphs]]
    passing = [fact.mentioned for fact in facts[recipe.paragraphs : recipe.paragraphs + recipe.mentioned]]
    near = [subject.near[k] for k in draws.permutation(len(subject.near))[: recipe.near or 2]]
    if passing:
        at = int(draws.integers(len(near)))
        near[at] += f" Some add that {passing[0]}" + "".join(f", and that {p}" for p in passing[1:]) + "."
    year = int(draws.integers(1, 28))
    first = f"This page was looked through on {year} {_one(('March', 'May', 'June', 'October'), draws)}."
    text = "\n\n".join([*near[:1], *paragraphs, *near[1:], first]).format(**words)
    return Document(
        name, text, _one(subject.titles, draws).format(**words), _one(subject.sources, draws).format(**words)
    )


def _one(texts: Sequence[str], draws: np.random.Generator) -> str:
    return texts[int(draws.integers(len(texts)))]


def _word(draws: np.random.Generator) -> str:
    return (_one(_FIRST, draws) + _one(_LAST, draws)).capitalize()
