"""What `truegain judging serve` serves beside the assessors' pages, and does beside serving."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truegain.cli.judging_insight import insight_of
from truegain.cli.judging_key import organiser_password
from truegain.errors import InputError
from truegain.message import option
from truegain.tables.sources import read_bytes, shown_path

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from truegain.judging.server.app import Routes
    from truegain.judging.server.assessor import Verify
    from truegain.judging.store.database import Database
    from truegain.judging.study.study import JudgingStudy


def parts_of(study: JudgingStudy) -> list[Routes]:
    """The interface of LLM judges, and the organiser's page where a password is set."""
    from truegain.judging.desk.office import Office
    from truegain.judging.keys import JudgeKeys
    from truegain.judging.server.api import judge_routes
    from truegain.judging.server.organiser import organiser_routes

    parts: list[Routes] = [lambda _, desk, __: judge_routes(study, desk, JudgeKeys(study.folder))]
    password = organiser_password(study.folder)
    if password is not None:
        insight = insight_of(study)
        parts.append(lambda _, __, database: organiser_routes(study, Office(study, database), insight, password))
    return parts


def organiser_told(study: JudgingStudy, url: str) -> str:
    """Where the organiser's page is, or how to get one."""
    if organiser_password(study.folder) is None:
        return f"no organiser's page: set its password first (truegain judging password {shown_path(study.folder)})"
    return f"organiser: {url}/organise/{study.name}/"


def verifier(key_file: str | None) -> Verify | None:
    """What asks Prolific whether who comes is who the address says; None where no key is given."""
    if key_file is None:
        return None
    from truegain.judging.server.prolific import Doorkeeper, Prolific
    from truegain.judging.server.security import FAILED

    return Doorkeeper(Prolific(_key(key_file)), tell=FAILED.warning)


def _key(key_file: str) -> str:
    return read_bytes(key_file).decode("utf-8", "replace").strip()


def taken_back(
    study: JudgingStudy, database: Database, key_file: str | None, tell: Callable[[str], object]
) -> threading.Event | None:
    """Begin to take back what Prolific says was returned or timed out; None where no key is given.

    The Prolific studies are those that people came from who are at a unit.
    """
    if key_file is None:
        return None
    from truegain.judging.desk.office import Office
    from truegain.judging.server.prolific import PLATFORM, Prolific, keep_taking_back

    if study.people.platform != PLATFORM:
        raise InputError(
            f"a key for Prolific, and people come from {study.people.platform}", file=shown_path(key_file),
            hint=f"leave {option('--prolific-key')} out, or set platform = 'prolific' in [people]",
        )  # fmt: skip
    office = Office(study, database)
    return keep_taking_back(Prolific(_key(key_file)), partial(office.studies_going_on, PLATFORM), office, tell=tell)
