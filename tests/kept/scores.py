"""Tables of scores of answers, as a tool wrote them, and people's values of some."""

from __future__ import annotations

from pathlib import Path

import numpy as np

NAMES = ("prod", "new")


def write_answers(folder: Path) -> None:
    """answers/: prod.csv and new.csv (faithfulness, passed; by a model; one value of new failed), and people.csv."""
    rng = np.random.default_rng(7)
    truth = np.clip(rng.normal([[0.5], [0.62]], 0.2, (2, 40)), 0, 1)
    judge = np.clip(truth + rng.normal([[0.0], [0.1]], 0.1, (2, 40)), 0, 1)
    (folder / "answers").mkdir()
    for s, name in enumerate(NAMES):
        rows = ["question_id,domain,faithfulness,passed,judge_model"]
        for t, value in enumerate(judge[s].tolist()):
            failed = s == 1 and t == 3
            rows.append(f"q{t},d{t % 10},{'' if failed else f'{value:.3f}'},{int(value > 0.5)},gpt-4o")
        (folder / "answers" / f"{name}.csv").write_text("\n".join(rows))
    people = ["question_id,system,faithfulness,passed"]
    for s, t in np.argwhere(rng.random((2, 40)) < 0.5).tolist():
        people.append(f"q{t},{NAMES[s]},{truth[s, t]:.3f},{int(truth[s, t] > 0.5)}")
    (folder / "answers" / "people.csv").write_text("\n".join(people))
