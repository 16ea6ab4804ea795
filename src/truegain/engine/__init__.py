"""Engines: what runs the pieces of a job, with the same answer wherever they run."""

from truegain.engine.choice import engine_for, run_on
from truegain.engine.jobs import Engine, Interrupted, JobAsked, Piece, PieceError, Progress, Result, Work, cores
from truegain.engine.local import Local

__all__ = [
    "Engine",
    "Interrupted",
    "JobAsked",
    "Local",
    "Piece",
    "PieceError",
    "Progress",
    "Result",
    "Work",
    "cores",
    "engine_for",
    "run_on",
]
