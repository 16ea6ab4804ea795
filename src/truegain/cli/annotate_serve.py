"""`truegain annotate serve` and `demo`, and who may come in: `invite`, `key`, `password`."""

from __future__ import annotations

import getpass
import json
import os
import secrets
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from truegain.cli.annotate_insight import insight_of
from truegain.cli.options import advanced
from truegain.errors import InputError, TruegainError, counted, needs
from truegain.io.files import read_bytes, shown_path
from truegain.judging.tasks.catalogue import TASKS
from truegain.message import option
from truegain.results.settlement import ANSWER, FILLED, REPORT

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from fastapi import FastAPI

    from truegain.judging.server.app import Routes, Verify
    from truegain.judging.server.serving import Listening
    from truegain.judging.store.database import Database
    from truegain.judging.study.study import JudgingStudy


FolderOfStudy = Annotated[str, typer.Argument(help="Folder of the study, with judging.toml in it.", metavar="FOLDER")]
TaskName = Annotated[str, typer.Option("--task", metavar=f"<{'|'.join(TASKS)}>", help="What assessors judge, and how.")]
DatabaseUrl = Annotated[
    str | None, advanced("--database", help="Database, as postgresql://... (default: SQLite in the folder).")
]


RESULTS = (REPORT, ANSWER, FILLED)  # in the study's folder: what the organizer is given when it is decided


def parts_of(study: JudgingStudy) -> list[Routes]:
    """The interface of LLM judges, and the organizer's page where a password is set."""
    from truegain.judging.server.api import judge_routes
    from truegain.judging.server.organizer import organizer_routes
    from truegain.judging.workflow.organizer import OrganizerService
    from truegain.judging.workflow.tokens import JudgeKeys

    parts: list[Routes] = [lambda _, service, __: judge_routes(study, service, JudgeKeys(study.folder))]
    password = organizer_password(study.folder)
    if password is not None:
        insight = insight_of(study)
        files = {name: study.folder / name for name in RESULTS}
        parts.append(
            lambda _, __, database: organizer_routes(study, OrganizerService(study, database), insight, password, files)
        )
    return parts


def organizer_line(study: JudgingStudy, url: str) -> str:
    """Where the organizer's page is, or how to get one."""
    if organizer_password(study.folder) is None:
        command = f"truegain annotate password {shown_path(study.folder)}"
        return f"organizer's page: off; to turn it on, set its password ({command})"
    return f"organizer: {url}/organize/{study.name}/"


def verifier(key_file: str | None) -> Verify | None:
    """What asks Prolific whether who comes is who the address says; None where no key is given."""
    if key_file is None:
        return None
    from truegain.judging.server.platforms import Doorkeeper, Prolific
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
    from truegain.judging.server.platforms import PLATFORM, Prolific, keep_taking_back
    from truegain.judging.workflow.organizer import OrganizerService

    if study.people.platform != PLATFORM:
        raise InputError(
            f"this is a key for Prolific, but assessors come from {study.people.platform}",
            file=shown_path(key_file),
            hint=f"leave {option('--prolific-key')} out, or set platform = 'prolific' in [people]",
        )
    organizer = OrganizerService(study, database)
    return keep_taking_back(
        Prolific(_key(key_file)), partial(organizer.studies_going_on, PLATFORM), organizer, tell=tell
    )


# ---------------------------------------------------------------------- serve


SETTINGS = "TRUEGAIN_ANNOTATE"  # what a worker is told: folder, database and the file of a key, as JSON
FACTORY = "truegain.cli.annotate_serve:app_of_settings"
DEMO_SECONDS = 1.0  # on each document: a demo is clicked through

HOST = "Address to listen on; 0.0.0.0 lets other machines in."
PORT = "Port to listen on; 0 picks a free one."
Host = Annotated[str, typer.Option("--host", help=HOST)]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help=PORT)]


def _check_libraries() -> None:
    for module in ("fastapi", "sqlalchemy", "uvicorn", "nh3"):
        needs(module, "judging")


def serve_command(
    folder: FolderOfStudy,
    database: DatabaseUrl = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[
        int, advanced("--workers", min=1, max=64, help="Server processes; more than 1 helps with PostgreSQL only.")
    ] = 1,
    prolific_key: Annotated[
        str | None,
        advanced(
            "--prolific-key",
            help="File with a token of Prolific's API: verifies participants and frees the units of those who "
            "returned. Without it, ids in the address are not verified.",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        advanced(
            "--proxy",
            help="Address or network of a proxy whose X-Forwarded-For and X-Forwarded-Proto headers to trust, such as "
            "127.0.0.1. Repeatable.",
        ),
    ] = None,
    per_address: Annotated[
        int,
        advanced(
            "--per-address",
            min=0,
            help="Largest number of sets that one address (IPv6: one /64 network) may hold at a time; 0: no limit. "
            "Raise it for a class behind one address. Does not apply to invitations, verified participants and "
            "this machine.",
        ),
    ] = 10,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Log only failures, not every request.")] = False,
) -> None:
    """Serve a study to assessors until Ctrl-C. Answers are stored; serve the study again to continue.

    Limits per request: 512 KB, header within 20 s, body within 60 s.

    Limits per process: 2,000 connections, 250 from one address; a response that the client does not read for 60 s is
    dropped.

    Limits per address: 60 requests a second, 10 to one set (bursts of 600 and 120); a new person every 2 s (bursts of
    100).

    Examples:
        truegain annotate serve study
        truegain annotate serve study --database postgresql://user@host/study --workers 4 --proxy 127.0.0.1

    """
    _check_libraries()
    from truegain.judging.server.serving import listen, trusted
    from truegain.judging.study.checking import check_study

    trusted(proxy or ())  # or it says what is wrong
    study = check_study(folder).study()
    at = listen(host, port)
    _run(
        study,
        database,
        at,
        _served(study, at, is_verified=prolific_key is not None),
        workers,
        quiet,
        prolific_key,
        proxy or (),
        per_address,
    )


def demo_study_command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Folder for the study (default: a temporary one).")
    ] = None,
    task: TaskName = "magnitude",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the simulated documents.")] = 0,
) -> None:
    """Try the app in a minute: serve a study with simulated documents.

    Examples:
        truegain annotate demo
        truegain annotate demo demo-study --task graded --port 0

    """
    _check_libraries()
    from truegain.judging.server.serving import listen
    from truegain.judging.study.simulated import simulated_study
    from truegain.judging.study.study import FILE, Rules, read_study

    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))) / "study"
        at = listen(host, port)
        if not (place / FILE).is_file():
            rules = Rules(seconds=DEMO_SECONDS, practice_tries=3, question_tries=3)
            simulated_study(place, task=task, seed=seed, rules=rules)
        study = read_study(place)
        password = new_password(place)
        greeting = _served(study, at)
        if password:
            greeting += f"\norganizer's password: {password}"
        greeting += (
            "\nClick Begin. Give longer lines larger numbers, answer the question from the topic's text, and give "
            "larger\nnumbers to documents that say what the topic asks for. A private window is another assessor.\n"
            + (f"Afterwards: truegain annotate export {shown_path(place)} -o ratings.csv\n" if folder else "")
            + "Ctrl-C stops the server."
        )
        _run(study, None, at, greeting, 1, quiet=True)


def new_password(place: Path) -> str:
    """A password for the organizer's page of a demo; empty where the folder has one."""
    from truegain.judging.server.organizer import password_hash_of

    if organizer_password(place) is not None:
        return ""
    made = secrets.token_urlsafe(9)
    keep_password(place, password_hash_of(made))
    return made


def _served(study: JudgingStudy, at: Listening, *, is_verified: bool = False) -> str:
    """What is served, and where."""
    address = {
        "open": "/",
        "invitation": "/?invitation=TOKEN",
        "prolific": "/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "mturk": "/",
    }
    people = study.people.platform
    sets, topics = counted(len(study.units), "set"), counted(len(study.topics), "topic")
    greeting = f"{study.words.title}: {sets} of {study.task.name} judgments on {topics}"
    greeting += f"\nassessors ({people}): {at.url}/s/{study.name}{address[people]}"
    if people in ("prolific", "mturk") and not is_verified:
        greeting += f"\nids of {people} come from the address and are not verified: anyone can make one up"
        greeting += " (--prolific-key verifies them)" if people == "prolific" else ""
    greeting += f"\n{organizer_line(study, at.url)}"
    if at.is_open:
        greeting += "\nother machines can reach this server: put a proxy with TLS in front of it"
    return greeting


def _run(
    study: JudgingStudy,
    database: str | None,
    at: Listening,
    greeting: str,
    workers: int,
    quiet: bool,
    prolific_key: str | None = None,
    proxies: Sequence[str] = (),
    per_address: int = 0,
) -> None:
    """Open the database here first, so that what is wrong with it is said once and nothing else is, then serve."""
    from truegain.judging.server.serving import run
    from truegain.judging.store.database import Database, default_url
    from truegain.judging.workflow.assessor import AssessorService

    url = database or default_url(study.folder)
    first = Database(url)
    AssessorService(study, first)
    typer.echo(greeting)
    stop = taken_back(study, first, prolific_key, lambda message: typer.echo(message, err=True))
    settings = {"folder": str(study.folder), "database": url, "per_address": per_address, "prolific_key": prolific_key}
    os.environ[SETTINGS] = json.dumps(settings)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what is open is closed
    with suppress(KeyboardInterrupt):  # the way to end it
        run(FACTORY, at, workers=workers, log=not quiet, proxies=proxies)
    if stop is not None:
        stop.set()
    first.close()


def app_of_settings() -> FastAPI:
    """The app of a worker, from what the command put into its environment."""
    from truegain.judging.server.app import create_app
    from truegain.judging.study.study import read_study

    settings = json.loads(os.environ[SETTINGS])
    study = read_study(settings["folder"])
    verify = verifier(settings["prolific_key"])
    return create_app(
        study, settings["database"], more=parts_of(study), per_address=settings["per_address"], verify=verify
    )


# ---------------------------------------------------------------------- invite


def invite_command(
    folder: FolderOfStudy,
    number: Annotated[int, typer.Option("--number", "-n", min=1, max=100_000, help="Number of invitations.")] = 1,
    url: Annotated[
        str, typer.Option("--url", help="Address of the server, such as https://judge.example.")
    ] = "http://127.0.0.1:8000",
    database: DatabaseUrl = None,
) -> None:
    """Create invitations and print their addresses. Each admits one person, who can come back with it.

    The addresses are printed once; only their digests are stored.

    Examples:
        truegain annotate invite study --number 30 --url https://judge.example
        truegain annotate invite study -n 5 > invitations.txt

    """
    needs("sqlalchemy", "judging")
    from truegain.judging.store.database import Database, default_url
    from truegain.judging.study.checking import check_study
    from truegain.judging.study.study import FILE, read_study
    from truegain.judging.workflow.organizer import OrganizerService

    study = read_study(folder)
    if study.people.platform != "invitation":
        raise InputError(
            f"assessors come from {study.people.platform} and need no invitation",
            file=shown_path(study.folder / FILE),
            hint="set platform = 'invitation' in [people]",
        )
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise TruegainError(
            f"{option('--url')} {url!r} is not the address of a server; give one such as https://judge.example"
        )
    store = Database(database or default_url(folder))
    organizer = OrganizerService(study, store)
    tokens = organizer.invite(number)
    invited = organizer.invited()
    store.close()
    needed = check_study(folder).needs
    if needed is not None and invited < needed.people:
        typer.echo(
            f"{invited:,} invited so far; judging all {needed.units:,} units takes at least "
            f"{needed.people:,} people (truegain annotate check)",
            err=True,
        )
    for token in tokens:
        typer.echo(f"{url.rstrip('/')}/s/{study.name}/?invitation={token}")


# ---------------------------------------------------------------------- key


PASSWORD = "organizer.argon2"  # in the study's folder: the hash alone


def key_command(
    folder: FolderOfStudy,
    model: Annotated[str, typer.Option("--model", help="Name of the model.")],
    prompt: Annotated[str, typer.Option("--prompt", help="File with the prompt; only its digest is stored.")],
    parameter: Annotated[
        list[str] | None, advanced("--parameter", help="Another setting of the judge, as name=value. Repeatable.")
    ] = None,
) -> None:
    """Create an API key for an LLM judge and print it. The model, prompt and parameters identify the judge.

    The key is printed once; only its digest is stored.

    Examples:
        truegain annotate key study --model some-model --prompt prompt.txt
        truegain annotate key study --model some-model --prompt prompt.txt --parameter temperature=0

    """
    needs("sqlalchemy", "judging")
    from truegain.judging.study.study import read_study
    from truegain.judging.workflow.tokens import JudgeKeys, LlmJudge

    study = read_study(folder)
    judge = LlmJudge.of(model, read_bytes(prompt), _parameters(parameter or []))
    key = JudgeKeys(study.folder).make(judge)
    typer.echo(key)
    summary = f"judge {judge.id}: model {judge.model}, prompt {judge.prompt[:23]}..."
    typer.echo(f"{summary}; this key is not printed again. API: /api/{study.name}, Authorization: Bearer KEY", err=True)


def password_command(folder: FolderOfStudy) -> None:
    """Set the password of the organizer's page, typed or from standard input. Only its hash is stored.

    Examples:
        truegain annotate password study
        truegain annotate password study < password.txt

    """
    needs("argon2", "judging")
    from truegain.judging.server.organizer import password_hash_of
    from truegain.judging.study.study import read_study

    study = read_study(folder)
    path = keep_password(study.folder, password_hash_of(_read_password()))
    typer.echo(f"{shown_path(path)}: the page is /organize/{study.name}/ once the server is started again", err=True)


def keep_password(folder: Path, kept: str) -> Path:
    """Put the hash of the organizer's password into a study's folder, whole or not at all, for its owner's eyes."""
    path = folder / PASSWORD
    handle = os.open(path.with_suffix(".new"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{kept}\n")
    path.with_suffix(".new").replace(path)
    return path


def organizer_password(folder: Path) -> str | None:
    """The hash of the organizer's password; None where none was set, and there is no page."""
    path = folder / PASSWORD
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def _read_password() -> str:
    """The password, typed twice at a terminal, or the first line that comes in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password of the organizer's page: ")
    if getpass.getpass("Once more: ") != password:
        raise TruegainError("the two passwords differ, and nothing was changed; type the same one twice")
    return password


def _parameters(texts: list[str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not name.strip() or not sign:
            raise TruegainError(f"{option('--parameter')} {text!r}: give a name and a value, as in temperature=0")
        if name.strip() in parameters:
            raise TruegainError(f"{option('--parameter')} {name.strip()} is repeated; give it once")
        parameters[name.strip()] = value.strip()
    return parameters
