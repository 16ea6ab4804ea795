"""A server that is killed again and again while assessors work: what it acknowledged, and what is there."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from tests.judging.killing import kept, kill, told, under_load
from tests.judging.served import Nest, Served
from tests.judging.visiting import Knowledge, Visitor

from benchmarks.judging.load import database_at, machine
from truegain.judging.store.database import Database
from truegain.judging.study.simulated import simulated_study
from truegain.judging.study.study import Rules

ASSESSORS = 12
PATIENCE = 300.0  # seconds: on a busy machine a start takes its time


def faults(asked: argparse.Namespace) -> None:
    """Print a line for each database; databases lie on disk, and commits reach it."""
    print(machine(), flush=True)
    for name in asked.database:
        with (
            tempfile.TemporaryDirectory(prefix="truegain-faults-") as place,
            database_at(name, Path(place)) as (url, _),
        ):
            print(run(url, Path(place), name, asked.kills, asked.seed), flush=True)


def run(url: str, folder: Path, name: str, kills: int, seed: int) -> str:
    """Kill it, and tell what is left."""
    study = simulated_study(folder / "study", topics=40, docs=10, judgments=12, seed=seed, rules=Rules(seconds=0.0))
    nest, knows = Nest(folder), Knowledge.of(study)
    try:
        with Served(nest, study.folder, url) as served:
            visitors = [Visitor(served.port, knows, f"p{n}", patience=PATIENCE) for n in range(ASSESSORS)]

            async def all_of_it() -> None:
                await under_load(visitors, asyncio.create_task(kill(served, visitors, kills, Random(seed))))

            asyncio.run(all_of_it())
    finally:
        nest.close()
    database = Database(url)
    found = kept(database, visitors)
    database.close()
    troubles = sum((visitor.troubles for visitor in visitors), Counter[str]())
    return told(f"{name}, {kills} kills", found, troubles)
