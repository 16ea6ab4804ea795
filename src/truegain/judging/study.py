"""A study: what is judged, by whom, under which rules; a folder with `judging.toml` and the files it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from truegain.judging.material import Document, Topic, Unit
from truegain.judging.tasks.task import Task

FILE = "judging.toml"
Platform = Literal["open", "invitation", "prolific", "mturk"]


@dataclass(frozen=True)
class Rules:
    """What is asked of assessors; the paper's numbers unless the study says otherwise."""

    seconds: float = 20.0  # on each document, all visits; LLM judges are exempt
    practice_tries: int = 1
    question_tries: int = 1
    check_tries: int = 3  # times a set may be sent
    lease: float = 3600.0  # seconds that a place is kept after each step
    decimal: Literal[".", ","] = "."
    show_previous: bool = False
    reason: bool = True  # whether a reason is asked


@dataclass(frozen=True)
class People:
    """Where assessors come from, and what the platform wants back."""

    platform: Platform = "open"
    codes: Mapping[str, str] = field(default_factory=dict)  # the platform's: completed, screened, failed
    pay: float | None = None  # for a finished unit
    currency: str = ""
    minutes: float | None = None
    most: int | None = None  # units that one person may take


@dataclass(frozen=True)
class Words:
    """What the pages say of the study."""

    title: str
    language: str = "en"
    contact: str = ""
    approved: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)  # entries of the catalogue that the study puts otherwise


@dataclass(frozen=True)
class Study:
    """A study as it is served; `name` stands in addresses, `digest` changes whenever anything that is judged does."""

    folder: Path
    name: str
    task: Task
    topics: Mapping[str, Topic]
    documents: Mapping[str, Document]
    units: tuple[Unit, ...]
    words: Words
    rules: Rules = Rules()
    people: People = People()
    runs: tuple[str, ...] = ()  # for the verdict so far
    digest: str = ""
