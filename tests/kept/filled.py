"""Lists with the labels that people gave so far, answers of several judges and repeats, nuggets, and a study file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import truegain as tg

Labels = dict[str, dict[str, int]]
PAIR = ("system-1", "system-5")
STUDY = """
judgments = "llm.qrels"
runs = ["runs"]
measure = ["P@10", "nDCG@10"]
population = ["topics"]
min-effect = 0.02

[gold]
labels = "whole.qrels"
design = "topics"

[costs]
topic = 5
gold = 1
"""


def write_lists(folder: Path, gold: Labels) -> None:
    """lists/: drawn for system-1 and system-5 (all: for every system), each with the labels of so many rows.

    ordered-p.csv, ordered-all.csv, ordered-dcg.csv, cannot.csv (one document that nobody could judge), random.csv,
    by-bronze.csv, topics.csv.
    """
    (folder / "lists").mkdir()
    runs, llm = str(folder / "runs"), str(folder / "llm.qrels")
    drawn = {
        "ordered-p": ("P@10", "ordered", PAIR, 70),
        "ordered-dcg": ("DCG@10", "ordered", PAIR, 90),
        "ordered-all": ("P@10", "ordered", None, 150),
        "cannot": ("P@10", "ordered", PAIR, 60),
        "random": ("P@10", "random", PAIR, 120),
        "by-bronze": ("P@10", "by-bronze", PAIR, 120),
        "topics": ("nDCG@10", "topics", PAIR, 400),
    }
    for name, (measure, draw, pair, rows) in drawn.items():
        listed = tg.sample_gold(runs, llm, measure, draw=draw, pair=pair, scale="0:3", seed=5)
        listed.filled(gold, rows=rows).write(folder / "lists" / f"{name}.csv")
    path = folder / "lists" / "cannot.csv"
    lines = path.read_text().splitlines(keepends=True)
    label = lines[0].rstrip("\n").split(",").index("label")
    cells = lines[4].rstrip("\n").split(",")
    cells[label] = "cannot"
    path.write_text("".join([*lines[:4], ",".join(cells) + "\n", *lines[5:]]))
    (folder / "study.toml").write_text(STUDY)


def write_panels(folder: Path) -> None:
    """Write tables of single values into answers/, of three judges and two repeats: people's values of some.

    crossed.csv (every judge in both repeats), uneven.csv (one to three repeats), panel.csv (judges alone),
    checked.csv (people's values of half of the answers).
    """
    rng = np.random.default_rng(11)
    truth = np.clip(rng.normal([[0.5], [0.6]], 0.2, (2, 24)), 0, 1)
    lean = {"gpt": 0.1, "claude": 0.0, "llama": -0.05}
    head = "question_id,system,judge,replicate,faithfulness"
    tables: dict[str, list[str]] = {name: [head] for name in ("crossed", "uneven", "panel")}
    for s, system in enumerate(("prod", "new")):
        for t in range(24):
            for judge, more in lean.items():
                for r in (1, 2, 3):
                    value = float(np.clip(truth[s, t] + more * (1 + s) + rng.normal(0, 0.1), 0, 1))
                    row = f"q{t},{system},{judge},{r},{value:.3f}"
                    tables["crossed"] += [row] if r < 3 else []
                    tables["uneven"] += [row] if r <= 1 + (t * 5 + s) % 3 + (t % 11 != 3) else []
                    tables["panel"] += [row] if r == 1 else []
    people = ["question_id,system,faithfulness"]
    for s, t in np.argwhere(rng.random((2, 24)) < 0.5).tolist():
        people.append(f"q{t},{('prod', 'new')[s]},{truth[s, t]:.3f}")
    tables["checked"] = people
    for name, lines in tables.items():
        (folder / "answers" / f"{name}.csv").write_text("\n".join(lines) + "\n")


def write_nuggets(folder: Path) -> None:
    """nuggets/: nuggets.jsonl, assigned.jsonl (a judge that sees support too often), people.jsonl, again.jsonl.

    people.jsonl has a third of the nuggets, at random; answers.jsonl all nuggets of some answers; again.jsonl the
    judge's assignments twice.
    """
    rng = np.random.default_rng(13)
    kinds = ("not_support", "partial_support", "support")
    files: dict[str, list[dict[str, object]]] = {n: [] for n in ("nuggets", "assigned", "people", "answers", "again")}
    for t in range(14):
        names = [f"nugget {n} of {t}" for n in range(3 + t % 4)]
        for n, name in enumerate(names):
            files["nuggets"].append({"qid": f"t{t}", "nugget": name, "importance": ("vital", "okay")[n % 2]})
        for s, system in enumerate(("one", "two", "three")):
            whole = rng.random() < 0.3
            for name in names:
                true = int(rng.choice(3, p=(0.5 - 0.1 * s, 0.2, 0.3 + 0.1 * s)))
                row: dict[str, object] = {"qid": f"t{t}", "system": system, "nugget": name}
                for r in (1, 2):
                    seen = min(2, true + int(rng.random() < 0.25))
                    files["again"].append({**row, "assignment": kinds[seen], "replicate": r})
                    files["assigned"] += [{**row, "assignment": kinds[seen]}] if r == 1 else []
                files["people"] += [{**row, "assignment": kinds[true]}] if rng.random() < 0.35 else []
                files["answers"] += [{**row, "assignment": kinds[true]}] if whole else []
    (folder / "nuggets").mkdir()
    for name, rows in files.items():
        (folder / "nuggets" / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
