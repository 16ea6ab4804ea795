"""The commands `truegain judging serve` and `truegain judging demo`: the pages on which judgments are made."""

from __future__ import annotations

import json
import os
import secrets
import signal
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truegain.cli.judging_key import keep_password, organiser_password
from truegain.cli.judging_open import DatabaseUrl, FolderOfStudy
from truegain.cli.judging_parts import organiser_told, parts_of, taken_back, verifier
from truegain.errors import needs
from truegain.tables.paper import counted
from truegain.tables.sources import shown_path

if TYPE_CHECKING:
    from fastapi import FastAPI

    from truegain.judging.server.serving import Listening
    from truegain.judging.study.study import JudgingStudy

SETTINGS = "TRUEGAIN_JUDGING"  # what a worker is told: folder, database and the file of a key, as JSON
FACTORY = "truegain.cli.judging_serve:app_of_settings"
DEMO_SECONDS = 1.0  # on each document: a demo is clicked through

Host = Annotated[
    str, typer.Option("--host", help="The address to listen on; others than this machine reach 0.0.0.0 (all).")
]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes one that is free.")]


def serve_command(
    folder: FolderOfStudy,
    database: DatabaseUrl = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=64, help="Server processes; SQLite gains little by more than 1.")
    ] = 1,
    prolific_key: Annotated[
        str | None,
        typer.Option(
            "--prolific-key",
            help="A file with a token of Prolific's API: who comes is verified there, and what it takes back is free "
            "again.  Without it the ids in an address are believed.",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            help="The address, or network, of a proxy whose X-Forwarded-For and X-Forwarded-Proto count, such as "
            "127.0.0.1 for one on this machine; may be repeated.  Nobody else is believed.",
        ),
    ] = None,
    per_address: Annotated[
        int,
        typer.Option(
            "--per-address",
            min=0,
            help="Sets that may be held from one address at a time (of IPv6: a /64 network), so that nobody takes all; "
            "raise it for a class behind one address; 0: any number.  Not for invitations, verified people and this "
            "machine.",
        ),
    ] = 10,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Log failures alone, not every request.")] = False,
) -> None:
    """Serve a study: pages for assessors, until Ctrl-C.  What was collected stays, and serving it again goes on.

    A request is 512 KB at most; its head must be there within 20 s, its body within 60 s, or it counts for nothing.

    A process takes 2,000 connections, 250 from one address, and gives an answer up that is not read for 60 s.

    From one address come 60 requests a second, 10 to one set (600 and 120 at once), and one person every 2 s (100).
    """
    for module in ("fastapi", "sqlalchemy", "uvicorn", "nh3"):
        needs(module, "judging")
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


def demo_judging_command(
    folder: Annotated[
        Path | None,
        typer.Argument(help="A new folder for the study and what is judged (default: one that is dropped)."),
    ] = None,
    task: Annotated[
        Literal["magnitude", "graded", "binary", "preference", "claim"], typer.Option("--task", help="What is asked.")
    ] = "magnitude",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed is another study.")] = 0,
) -> None:
    """Serve a study with simulated documents, to click through in a minute: it wants 1 s on each document, not 20."""
    for module in ("fastapi", "sqlalchemy", "uvicorn", "nh3"):
        needs(module, "judging")
    from truegain.judging.server.serving import listen
    from truegain.judging.study.simulated import simulated_study
    from truegain.judging.study.study import FILE, Rules, read_study

    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))) / "study"
        at = listen(host, port)
        if (place / FILE).is_file():
            study = read_study(place)
        else:
            rules = Rules(seconds=DEMO_SECONDS, practice_tries=3, question_tries=3)
            simulated_study(place, task=task, seed=seed, rules=rules)
            study = read_study(place)
        password = _new_password(place)
        told = _served(study, at)
        if password:
            told += f"\nthe organiser's password: {password}"
        told += (
            "\nClick Begin.  Give longer lines larger numbers; the right answer to the question fits the topic's text; "
            "documents that\nsay what is asked for get the larger numbers.  A private window is another assessor.\n"
            + (f"Afterwards: truegain judging export {shown_path(place)} -o ratings.csv\n" if folder else "")
            + "Ctrl-C ends it."
        )
        _run(study, None, at, told, 1, quiet=True)


def _new_password(place: Path) -> str:
    """A password for the organiser's page of a demo; empty where the folder has one."""
    from truegain.judging.server.sign_in import password_hash_of

    if organiser_password(place) is not None:
        return ""
    made = secrets.token_urlsafe(9)
    keep_password(place, password_hash_of(made))
    return made


def _served(study: JudgingStudy, at: Listening, *, is_verified: bool = False) -> str:
    """What is served, and where."""
    ways = {
        "open": "/",
        "invitation": "/?invitation=TOKEN",
        "prolific": "/?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "mturk": "/",
    }
    people = study.people.platform
    sets, topics = counted(len(study.units), "set"), counted(len(study.topics), "topic")
    told = f"{study.words.title}: {sets} of {study.task.name} judgments on {topics}"
    told += f"\nassessors ({people}): {at.url}/s/{study.name}{ways[people]}"
    if people in ("prolific", "mturk") and not is_verified:
        told += f"\nids of {people} are taken from the address and not verified: anybody can make one up"
        told += " (--prolific-key verifies them)" if people == "prolific" else ""
    told += f"\n{organiser_told(study, at.url)}"
    if at.is_open:
        told += "\nothers can reach this server: put a proxy with TLS before it, so that nobody reads along"
    return told


def _run(
    study: JudgingStudy,
    database: str | None,
    at: Listening,
    told: str,
    workers: int,
    quiet: bool,
    prolific_key: str | None = None,
    proxies: Sequence[str] = (),
    per_address: int = 0,
) -> None:
    """Open the database here first, so that what is wrong with it is said once and nothing else is, then serve."""
    from truegain.judging.desk.desk import Desk
    from truegain.judging.server.serving import run
    from truegain.judging.store.database import Database, default_url

    url = database or default_url(study.folder)
    first = Database(url)
    Desk(study, first)
    typer.echo(told)
    stop = taken_back(study, first, prolific_key, lambda said: typer.echo(said, err=True))
    given = {"folder": str(study.folder), "database": url, "per_address": per_address, "prolific_key": prolific_key}
    os.environ[SETTINGS] = json.dumps(given)
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

    given = json.loads(os.environ[SETTINGS])
    study = read_study(given["folder"])
    verify = verifier(given["prolific_key"])
    return create_app(study, given["database"], more=parts_of(study), per_address=given["per_address"], verify=verify)
