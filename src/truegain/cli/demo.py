"""The command `truegain demo`: see it on a simulated world."""

from __future__ import annotations

import filecmp
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import typer

from truegain.cli.output import Writing, write_scores
from truegain.data.run import ordered_columns
from truegain.errors import InputError, some, why
from truegain.io.files import shown_path, write_bytes
from truegain.io.overwrite import wrote
from truegain.measures.evaluate import evaluate

if TYPE_CHECKING:
    from truegain.data.judgments import Judgments
    from truegain.experiments.worlds import World

MEASURES = ["AP", "nDCG@10", "P@10", "RR"]
GOLD_TOPICS = 15
TEAMS = ("ada", "bell", "curie", "dirac")
PAGE, CORPUS = "report.html", "corpus"  # what may be made in the folder afterwards
RAG, RAG_DEPTH, RAG_LABELS = ("system-5", "system-8"), 10, 150
RANKED = ("topic", "doc", "rank", "score")
STUDY = """\
# A judge that favors {favored}, the truth about a fifth of its labels, and the truth about every score:
# truegain report study.toml -o report.html
title = "A simulated world, seed {seed}"
judgments = "leaning.qrels"
runs = "runs"
gold = "gold_sample.qrels"
design = "random"
measure = ["P@10", "DCG@10"]
baseline = "system-5"
truth = "truth.csv"
"""


def demo_command(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Folder to create.")] = Path("demo"),
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Random seed; another seed simulates another collection.")
    ] = 0,
    kind: Annotated[
        Literal["search", "rag"],
        typer.Option("--kind", help="What to simulate: a collection with 8 systems, or two retrievers of a RAG team."),
    ] = "search",
) -> None:
    """Create a small simulated collection to try truegain on: runs, judgments, gold labels and ratings.

    Examples:
        truegain demo demo
        truegain demo rag --kind rag

    """
    if kind == "rag":
        _demo_rag(folder, seed)
    else:
        _demo_search(folder, seed)


def _demo_search(folder: Path, seed: int) -> None:
    """Simulate a collection with eight systems, show two tables of scores, and name commands to go on with."""
    from truegain.experiments.worlds import FAVORED

    runs = folder / "runs"
    with _made(folder) as new:
        world = _simulated(new, seed)
    typer.echo(
        f"Simulated {len(world.gold.topic.values)} topics, {len(world.runs.systems)} systems and {len(world.gold):,} "
        f"judged pairs into {folder}:\n"
        "  runs                   what the systems retrieved\n"
        "  gold.qrels             the true labels\n"
        "  llm.qrels              labels of a judge that makes errors\n"
        f"  leaning.qrels          labels of a judge that favors {FAVORED}\n"
        "  gold_sample.qrels      true labels of a fifth of the pairs, drawn at random\n"
        f"  gold_topics.qrels      true labels of all pairs of {GOLD_TOPICS} topics\n"
        "  pooled.qrels           true labels of what was judged before the last system was added\n"
        "  unjudged_sample.qrels  true labels of a quarter of its unjudged documents in the top 10\n"
        "  ratings.csv            ratings by several assessors\n"
        "  magnitudes.csv         magnitudes by several assessors, with magnitude-runs and expert.qrels\n"
        "  preferences.csv        which of two answers an LLM judge prefers, with people-preferences.csv of some\n"
        "  truth.csv              true scores\n"
        "  teams.csv              the team of each system\n"
        "  study.toml             a study of leaning.qrels, with gold labels and true scores\n"
        "  rag-runs               two systems, with rag-llm.jsonl and rag-labels.csv, as a RAG engineer has them\n"
        "  rag-nuggets.jsonl      facts that an answer should state, with rag-assignments.jsonl (an LLM's) and "
        "rag-people.jsonl\n"
    )
    options = " ".join(f"-m {m}" for m in MEASURES)
    for judgments in ("gold.qrels", "llm.qrels"):
        path = folder / judgments
        typer.echo(f"$ truegain eval {path} {runs} {options} --sort AP")
        scores = evaluate(str(runs), str(path), MEASURES).sorted_by("AP")
        write_scores(scores, "table", "-", MEASURES, topics=False, summary=True, inputs=[], writing=Writing())
        typer.echo("")
    typer.echo("The same runs, scored by the truth and by the noisy judge: the numbers differ, and so may the order.")
    typer.echo(
        "\nNext:\n"
        f"  truegain correct {folder}/llm.qrels --gold {folder}/gold_sample.qrels {runs} -m P@10 --design random\n"
        f"  truegain eval {folder}/gold.qrels {runs} -m AP --intervals topics,collection\n"
        f"  truegain compare {folder}/gold.qrels {runs} -m AP\n"
        f"  truegain verdict {folder}/llm.qrels {runs} --gold {folder}/gold_topics.qrels --design topics\n"
        f"  truegain report {folder}/study.toml -o {folder}/{PAGE}"
    )


def _demo_rag(folder: Path, seed: int) -> None:
    """Simulate what a RAG team has, in files with names of its own, and name commands to go on with."""
    from truegain.experiments.worlds import PASSAGES, RETURNED, simulate_rag

    world = simulate_rag(seed=seed)
    with _made(folder) as new:
        files = {"questions": world.questions, "passages": world.passages, **world.runs, "llm": world.llm}
        for name, records in files.items():
            write_bytes(new / f"{name}.jsonl", _json_lines(records))
        for name, labels in {"people": world.people, "truth": world.truth}.items():
            lines = (f"{','.join(map(str, record.values()))}\n" for record in labels)
            write_bytes(new / f"{name}.csv", "".join([f"{','.join(labels[0])}\n", *lines]).encode())
    typer.echo(
        f"Simulated {len(world.questions)} questions and 2 retrievers into {folder}:\n"
        f"  questions.jsonl  the questions\n"
        f"  passages.jsonl   {PASSAGES} candidate passages per question\n"
        f"  prod.jsonl       the {RETURNED} passages that the retriever in production returned for each question\n"
        "  new.jsonl        those of the new retriever\n"
        f"  llm.jsonl        an LLM judge's labels of all {len(world.llm)} returned passages\n"
        f"  people.csv       human labels of {len(world.people)} of these, drawn at random\n"
        "  truth.csv        the true labels, known only in a simulation\n"
        "\nNext:\n"
        f"  truegain doctor {folder}\n"
        f"  truegain init {folder}/llm.jsonl {folder}/prod.jsonl {folder}/new.jsonl --gold {folder}/people.csv "
        f"--design random --columns label=relevant,score=similarity -m P@{RETURNED} -o {folder}/study.toml\n"
        f"  truegain verdict {folder}/study.toml"
    )


def _simulated(folder: Path, seed: int) -> World:
    """Write a world, with its text and its ratings, into an empty folder."""
    from truegain.data.writing import write_judgments, write_runs
    from truegain.experiments.worlds import (
        FAVORED,
        leaning,
        magnitude_ratings,
        newcomer,
        noisy_ratings,
        nugget_records,
        query_of,
        runs_over,
        second_expert,
        simulate,
        texts,
        true_scores,
    )
    from truegain.judging.study.simulated import write_material
    from truegain.preferences.simulated import simulated_votes, votes_as_csv

    world = simulate(seed=seed)
    write_runs(world.runs, f"{folder}/runs/")
    write_judgments(world.gold, folder / "gold.qrels")
    write_judgments(world.noisy, folder / "llm.qrels")
    write_judgments(world.sample, folder / "gold_sample.qrels")
    first = np.flatnonzero(np.asarray(world.gold.topic.code) < GOLD_TOPICS)  # topics are alike: these are a sample
    write_judgments(world.gold.take(first), folder / "gold_topics.qrels")
    for judgments, name in zip(newcomer(world, seed=seed), ("pooled.qrels", "unjudged_sample.qrels"), strict=True):
        write_judgments(judgments, folder / name)
    write_judgments(leaning(world, seed=seed), folder / "leaning.qrels")
    rows = (f"{system},{measure},{value:.6f}\n" for system, measure, value in true_scores())
    write_bytes(folder / "truth.csv", "".join(["system,measure,value\n", *rows]).encode())
    write_bytes(folder / "teams.csv", _teams(world.runs.systems).encode())
    write_bytes(folder / "study.toml", STUDY.format(favored=FAVORED, seed=seed).encode())
    docs = _json_lines({"id": name, "text": text} for name, text in texts(seed=seed).items())
    write_bytes(folder / "docs.jsonl", docs)
    queries = (f"{topic}\t{' '.join(query_of(int(topic)))}\n" for topic in world.gold.topic.values)
    write_bytes(folder / "queries.tsv", "".join(queries).encode())
    write_judgments(noisy_ratings(world.gold, seed=seed), folder / "ratings.csv")
    for votes, name in zip(simulated_votes(seed=seed), ("preferences.csv", "people-preferences.csv"), strict=True):
        write_bytes(folder / name, votes_as_csv(votes))
    people = magnitude_ratings(seed=seed)
    write_judgments(people.ratings, folder / "magnitudes.csv")
    write_judgments(people.expert, folder / "expert.qrels")
    write_judgments(second_expert(people.expert, seed=seed), folder / "second.qrels")
    write_material(people.expert, folder / "magnitude-topics.jsonl", folder / "magnitude-docs.jsonl", seed=seed)
    write_runs(runs_over(people.truth, seed=seed), f"{folder}/magnitude-runs/")
    _as_rag(world, folder, seed)
    for name, records in zip(("nuggets", "assignments", "people"), nugget_records(RAG, seed=seed), strict=True):
        write_bytes(folder / f"rag-{name}.jsonl", _json_lines(records))
    return world


def _teams(systems: Sequence[str]) -> str:
    """Which systems are of one team, two each; all were pooled."""
    lines = (f"{system},{TEAMS[i // 2 % len(TEAMS)]},1\n" for i, system in enumerate(systems))
    return "".join(["run,team,pooled\n", *lines])


def _as_rag(world: World, folder: Path, seed: int) -> None:
    """Two systems as a RAG engineer has them: own names, an LLM's labels of what they found, 150 labels of people."""
    retrieved: dict[tuple[str, str], None] = {}
    (folder / "rag-runs").mkdir()
    for part in world.runs.parts:
        if part.system in RAG:
            rows = ordered_columns(part)
            best = [(t, d, s) for t, d, r, s in zip(*(rows[n] for n in RANKED), strict=True) if r <= RAG_DEPTH]
            retrieved |= {(t, d): None for t, d, _ in best}
            _write_lines(folder / "rag-runs" / f"{part.system}.jsonl", "score", best)
    noisy, true = _labels(world.noisy), _labels(world.gold)
    pairs = [pair for pair in retrieved if pair in noisy]
    _write_lines(folder / "rag-llm.jsonl", "relevance", [(*pair, noisy[pair]) for pair in pairs])
    drawn = np.random.default_rng(seed).permutation(len(pairs))[:RAG_LABELS].tolist()
    lines = [f"{t},{d},{true[t, d]:g}\n" for t, d in (pairs[i] for i in drawn)]
    write_bytes(folder / "rag-labels.csv", "".join(["question_id,passage_id,label\n", *lines]).encode())
    questions = [{"question_id": t, "question": f"What is known of {t}?"} for t in world.gold.topic.values]
    write_bytes(folder / "rag-questions.jsonl", _json_lines(questions))


def _labels(table: Judgments) -> dict[tuple[str, str], float]:
    return dict(zip(zip(table.topic.strings(), table.docs.strings(), strict=True), table.label.tolist(), strict=True))


def _write_lines(path: Path, name: str, rows: Iterable[tuple[str, str, float]]) -> None:
    write_bytes(path, _json_lines({"question_id": t, "passage_id": d, name: round(float(x), 4)} for t, d, x in rows))


def _json_lines(records: Iterable[object]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    """A new folder, whose files go into `folder` when all are there, unless something else is there already."""
    try:
        with _kept(folder), TemporaryDirectory(prefix=".", dir=folder) as temporary:
            new = Path(temporary)
            yield new
            paths = [path.relative_to(new) for path in sorted(new.rglob("*")) if path.is_file()]
            if others := _others(folder, new):
                raise InputError(
                    f"the folder has other files ({some(others)})",
                    file=shown_path(folder),
                    hint="name a new folder, or an empty one",
                )
            for path in paths:
                (folder / path).parent.mkdir(exist_ok=True)
                (new / path).replace(folder / path)
                wrote(folder)
    except OSError as error:
        raise InputError(f"cannot be written: {why(error)}", file=shown_path(folder), hint="name a folder") from None


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Make a folder where there is none; where the work in it fails, what was made is removed, unless it is filled."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for path in made:
                path.rmdir()
        raise


def _others(folder: Path, new: Path) -> list[str]:
    """Files in a folder, but hidden ones and what was made of them, that are not byte for byte what is to be there."""
    later = (PAGE, CORPUS)
    present = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and path.name not in later)
    if strange := [shown_path(path.name) for path in present if not (new / path.name).exists()]:
        return strange  # without a look into all that lies below
    files = (path.relative_to(folder) for top in present for path in (top, *top.rglob("*")) if path.is_file())
    return [
        shown_path(path)
        for path in files
        if not ((new / path).is_file() and filecmp.cmp(folder / path, new / path, shallow=False))
    ]
