"""The command `truegain demo`: see it on a simulated world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from truegain.cli.output import write_scores
from truegain.measures.evaluate import evaluate

MEASURES = ["AP", "nDCG@10", "P@10", "RR"]


def demo_command(
    folder: Annotated[Path, typer.Argument(help="Where to write the simulated collection.")] = Path("demo"),
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed is another world.")] = 0,
) -> None:
    """Simulate a small collection (topics, systems, true and noisy labels) into a folder, and score it."""
    from truegain.studies.ratings_world import magnitude_ratings, noisy_ratings, runs_over
    from truegain.studies.world import simulate
    from truegain.studies.world_text import texts
    from truegain.tables.sources import write_bytes
    from truegain.tables.write import write_judgments, write_runs

    world = simulate(seed=seed)
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    write_runs(world.runs, runs)
    write_judgments(world.gold, folder / "gold.qrels")
    write_judgments(world.noisy, folder / "llm.qrels")
    write_judgments(world.sample, folder / "gold_sample.qrels")
    lines = (json.dumps({"id": name, "text": text}) for name, text in texts(seed=seed).items())
    write_bytes(folder / "docs.jsonl", "".join(f"{line}\n" for line in lines).encode())
    write_judgments(noisy_ratings(world.gold, seed=seed), folder / "ratings.csv")
    people = magnitude_ratings(seed=seed)
    write_judgments(people.ratings, folder / "magnitudes.csv")
    write_judgments(people.expert, folder / "expert.qrels")
    (folder / "magnitude-runs").mkdir(exist_ok=True)
    write_runs(runs_over(people.truth, seed=seed), folder / "magnitude-runs")
    typer.echo(
        f"Simulated {len(world.gold.topic.values)} topics, {len(world.runs.systems)} systems and {len(world.gold):,} "
        f"judged pairs into {folder}: gold.qrels holds the truth, llm.qrels what a judge that errs says of it,\n"
        "gold_sample.qrels the truth about a fifth of the pairs, as one could buy it.\n"
    )
    options = " ".join(f"-m {m}" for m in MEASURES)
    for judgments in ("gold.qrels", "llm.qrels"):
        path = folder / judgments
        typer.echo(f"$ truegain eval {path} {runs} {options} --sort AP")
        scores = evaluate(str(runs), str(path), MEASURES).sorted_by("AP")
        write_scores(scores, "table", "-", MEASURES, topics=False, summary=True, inputs=[])
        typer.echo("")
    typer.echo("The same runs, scored by the truth and by the noisy judge: the numbers differ, and so may the order.")
    typer.echo(
        "\nNext:\n"
        f"  truegain correct {folder}/llm.qrels --gold {folder}/gold_sample.qrels {runs} -m P@10 --design random\n"
        f"  truegain eval {folder}/gold.qrels {runs} -m AP --intervals topics,collection\n"
        f"  truegain compare {folder}/gold.qrels {runs} -m AP"
    )
