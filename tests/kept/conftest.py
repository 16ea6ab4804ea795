"""The small study that kept answers are about: every kind of file a command reads, from fixed seeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import truegain as tg
from tests.kept.crew import write_crew
from tests.kept.filled import write_lists, write_nuggets, write_panels
from tests.kept.rough import write_rough
from tests.kept.scores import write_answers
from truegain.experiments.worlds import magnitude_ratings, noisy_ratings, runs_over, simulate, texts
from truegain.preferences.simulated import simulated_votes, votes_as_csv


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 16 topics and 5 systems.

    runs/, gold.qrels (0 to 3), llm.qrels (a judge that errs), sample.qrels (random gold pairs), whole.qrels (gold of
    the first 9 topics), few.qrels (1 to 4 relevant a topic), holes.qrels (a third unjudged), judged-holes.csv (40 of
    these, drawn), tied/ (rounded scores), binary-llm.qrels, binary-sample.qrels, ratings.csv, magnitudes.csv,
    expert.qrels, magnitude-runs/, docs.jsonl, intents.qrels (three subtopics), panel.csv (llm.qrels, half of the topics
    by each of two assessors), gaps/ (two systems, one without the first three topics), teams.csv (three teams, system-3
    not pooled), votes.csv and people.csv (preferences of a judge in both orders, and of people on half of them),
    crowd.csv (two votes a pair by five people); and the files of `write_crew`, `write_answers`, `write_lists`,
    `write_panels` and `write_nuggets`.
    """
    folder = tmp_path_factory.mktemp("study")
    write_answers(folder)
    world = simulate(topics=16, systems=5, docs=80, depth=40, pool_depth=20, seed=7)
    tg.write_runs(world.runs, f"{folder}/runs/")
    gold, llm, sample = (rows(j) for j in (world.gold, world.noisy, world.sample))
    qrels = {
        "gold": gold,
        "llm": llm,
        "sample": sample,
        "whole": {t: gold[t] for t in sorted(gold)[:9]},
        "few": {t: few(row, 1 + i % 4) for i, (t, row) in enumerate(sorted(gold.items()))},
        "holes": {t: {d: g for i, (d, g) in enumerate(row.items()) if i % 3} for t, row in gold.items()},
        "binary-llm": {t: {d: int(g > 1) for d, g in row.items()} for t, row in llm.items()},
        "binary-sample": {t: {d: int(g > 1) for d, g in row.items()} for t, row in sample.items()},
    }
    for name, labels in qrels.items():
        tg.write_judgments(labels, folder / f"{name}.qrels")
    drawn = tg.sample_unjudged(world.runs, qrels["holes"], "P@10", scale=(0, 3))
    drawn.filled(qrels["gold"], rows=40).write(folder / "judged-holes.csv")
    (folder / "tied").mkdir()
    for system in world.runs.systems:
        tied = {t: {d: round(s, 0) for d, s in row.items()} for t, row in lists(folder / "runs", system).items()}
        tg.write_runs({system: tied}, folder / "tied" / f"{system}.run")
    tg.write_judgments(noisy_ratings(world.gold, seed=7), folder / "ratings.csv")
    people = magnitude_ratings(seed=7)
    tg.write_judgments(people.ratings, folder / "magnitudes.csv")
    tg.write_judgments(people.expert, folder / "expert.qrels")
    tg.write_runs(runs_over(people.truth, seed=7), f"{folder}/magnitude-runs/")
    told = (json.dumps({"id": d, "text": text}) for d, text in texts(topics=16, docs=80, seed=7).items())
    (folder / "docs.jsonl").write_text("".join(f"{line}\n" for line in told))
    subtopics = (
        f"{t} {1 + (i * 7 + k) % 3} {d} {g}\n"
        for t, row in sorted(gold.items())
        for i, (d, g) in enumerate(sorted(row.items()))
        for k in range(1 + i % 2)
    )
    (folder / "intents.qrels").write_text("".join(subtopics))
    who = {t: f"assessor-{1 + i % 2}" for i, t in enumerate(sorted(llm))}
    shared = (f"{t},{d},{g},{who[t]}\n" for t, row in sorted(llm.items()) for d, g in row.items())
    (folder / "panel.csv").write_text("topic,doc,label,assessor\n" + "".join(shared))
    (folder / "gaps").mkdir()
    tg.write_runs({"system-1": lists(folder / "runs", "system-1")}, folder / "gaps" / "system-1.run")
    late = {t: row for t, row in lists(folder / "runs", "system-5").items() if t > "003"}
    tg.write_runs({"system-5": late}, folder / "gaps" / "system-5.run")
    teams = (
        f"system-{n},{team},{pooled}\n"
        for n, team, pooled in [*zip("1234", "aabb", "1101", strict=True), ("5", "c", 1)]
    )
    (folder / "teams.csv").write_text("run,team,pooled\n" + "".join(teams))
    write_crew(folder)
    write_rough(folder, gold, {s: lists(folder / "runs", s) for s in ("system-1", "system-3")})
    write_lists(folder, gold)
    write_panels(folder)
    write_nuggets(folder)
    judges_inputs(folder, gold, llm)
    preferences_inputs(folder)
    return folder


def rows(judgments: tg.Judgments) -> dict[str, dict[str, int]]:
    """Labels by topic and document."""
    table: dict[str, dict[str, int]] = {}
    for topic, doc, label in judgments.frame().select("topic", "doc", "label").iter_rows():
        table.setdefault(topic, {})[doc] = int(label)
    return table


def few(row: dict[str, int], relevant: int) -> dict[str, int]:
    """The same documents, only the best so many of them relevant."""
    best = sorted(row, key=lambda d: (-row[d], d))[:relevant]
    return {d: 1 + i % 3 if d in best else 0 for i, d in enumerate(row)}


def lists(folder: Path, system: str) -> dict[str, dict[str, float]]:
    """Scores of a run file."""
    table: dict[str, dict[str, float]] = {}
    for line in (folder / f"{system}.run").read_text().splitlines():
        topic, _, doc, _, score, _ = line.split()
        table.setdefault(topic, {})[doc] = float(score)
    return table


def judges_inputs(folder: Path, gold: dict[str, dict[str, int]], llm: dict[str, dict[str, int]]) -> None:
    """What only judges are asked about.

    assessed.csv (llm.qrels, an assessor for every topic), turned.qrels (llm.qrels upside down), partly.qrels
    (whole.qrels, a part of two topics more and a pair that could not be judged), short.run (system-2, ten topics).
    """
    rows_ = [f"{t},{d},{g},{'xyx'[i % 3]}" for i, (t, row) in enumerate(sorted(llm.items())) for d, g in row.items()]
    (folder / "assessed.csv").write_text("\n".join(["topic,doc,label,assessor", *rows_]) + "\n")
    tg.write_judgments({t: {d: 3 - g for d, g in row.items()} for t, row in llm.items()}, folder / "turned.qrels")
    whole = {t: dict(list(gold[t].items())[: None if i < 9 else 12]) for i, t in enumerate(sorted(gold)[:11])}
    whole["011"][next(iter(whole["011"]))] = -1
    tg.write_judgments(whole, folder / "partly.qrels")
    short = [x for x in (folder / "runs" / "system-2.run").read_text().splitlines() if x[:3] <= "010"]
    (folder / "short.run").write_text("\n".join(short) + "\n")


def preferences_inputs(folder: Path) -> None:
    """Preferences: votes.csv, people.csv and crowd.csv, whose votes were shown in one order each."""
    judge, people = simulated_votes(topics=16, seed=7)
    (folder / "votes.csv").write_bytes(votes_as_csv(judge))
    (folder / "people.csv").write_bytes(votes_as_csv(people))
    crowd = [
        {"topic": r["topic"], "a": r["a"], "b": r["b"], "winner": r["winner"], "first": "ab"[i * 7 % 3 == 0],
         "assessor": f"p{(i // 2 * 3 + i % 2) % 5}"}
        for i, r in enumerate(judge)
    ]  # fmt: skip
    crowd[3]["winner"] = crowd[8]["winner"] = "both bad"
    (folder / "crowd.csv").write_bytes(votes_as_csv(crowd))
