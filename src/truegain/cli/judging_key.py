"""The commands `truegain judging key` and `truegain judging password`: who else than assessors may come in."""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from truegain.cli.judging_open import FolderOfStudy
from truegain.errors import TruegainError, needs
from truegain.message import option
from truegain.tables.sources import read_bytes, shown_path

PASSWORD = "organiser.argon2"  # in the study's folder: the hash alone


def key_command(
    folder: FolderOfStudy,
    model: Annotated[str, typer.Option("--model", help="The name of the model that judges.")],
    prompt: Annotated[str, typer.Option("--prompt", help="The file with the prompt; its digest is kept.")],
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", help="What else makes it this judge, as name=value; repeatable.")
    ] = None,
) -> None:
    """Make a key for an LLM judge, and print it once: it is who has this model, prompt and parameters."""
    needs("sqlalchemy", "judging")
    from truegain.judging.keys import JudgeKeys, LlmJudge
    from truegain.judging.study.study import read_study

    study = read_study(folder)
    judge = LlmJudge.of(model, read_bytes(prompt), _parameters(parameter or []))
    key = JudgeKeys(study.folder).make(judge)
    typer.echo(key)
    told = f"judge {judge.id}: model {judge.model}, prompt {judge.prompt[:23]}..."
    typer.echo(f"{told}; this key is not shown again.  API: /api/{study.name}, Authorization: Bearer KEY", err=True)


def password_command(folder: FolderOfStudy) -> None:
    """Set the password of the organiser's page; it is asked for, or read from standard input, and kept as a hash."""
    needs("argon2", "judging")
    from truegain.judging.server.sign_in import password_hash_of
    from truegain.judging.study.study import read_study

    study = read_study(folder)
    path = keep_password(study.folder, password_hash_of(_asked()))
    typer.echo(
        f"{shown_path(path)}: the page is /organise/{study.name}/ of the server, from its next start on", err=True
    )


def keep_password(folder: Path, kept: str) -> Path:
    """Put the hash of the organiser's password into a study's folder, whole or not at all, for its owner's eyes."""
    path = folder / PASSWORD
    handle = os.open(path.with_suffix(".new"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{kept}\n")
    path.with_suffix(".new").replace(path)
    return path


def organiser_password(folder: Path) -> str | None:
    """The hash of the organiser's password; None where none was set, and there is no page."""
    path = folder / PASSWORD
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def _asked() -> str:
    """The password, typed twice at a terminal, or the first line that comes in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password of the organiser's page: ")
    if getpass.getpass("Once more: ") != password:
        raise TruegainError("the two are not the same; nothing was changed")
    return password


def _parameters(given: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not name.strip() or not sign:
            raise TruegainError(f"{option('--parameter')} {text!r}: give a name and a value, as in temperature=0")
        if name.strip() in found:
            raise TruegainError(f"{option('--parameter')} {name.strip()} is given twice")
        found[name.strip()] = value.strip()
    return found
