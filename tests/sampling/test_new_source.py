"""A source of uncertainty is one file and one line in the catalogue: a toy one goes through verdict and report."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from truegain.cli.commands import COMPLETERS
from truegain.io.columns import Floats
from truegain.sampling.catalogue import SOURCES
from truegain.sampling.source import Source
from truegain.stats.contrasts import Contrasts

# ---------------------------------------------------------------------- the whole of a new source's file


def _days(topics: Sequence[str]) -> list[str]:
    """The day that each topic was asked on, which its id begins with."""
    return [topic.partition("-")[0] for topic in topics]


DAYS = Source(
    "days",
    "day",
    holds=("topics",),
    groups=_days,
    claim="on days like these {n}",
    other="other days",
    cause="having few days",
    shown="days",
    units="Days",
)

# ---------------------------------------------------------------------- through every command

DAYS_THERE, EACH = 8, 5
LABELS = {f"day{d}-q{q}": {f"x{i}": int(i < 5) for i in range(10)} for d in range(DAYS_THERE) for q in range(EACH)}
Runs = dict[str, dict[str, dict[str, float]]]


def runs() -> Runs:
    """Two systems whose difference is one of days: on each, a good day or a bad one for all of its topics."""
    rng = np.random.default_rng(3)
    made: Runs = {"now": {}, "new": {}}
    for d, good in enumerate(rng.uniform(0.2, 1.0, DAYS_THERE).tolist()):
        for q in range(EACH):
            topic = f"day{d}-q{q}"
            for system, share in (("now", 0.5), ("new", good)):
                right = rng.random(5) < share
                docs = [f"x{i if hit else 5 + i}" for i, hit in enumerate(right.tolist())]
                made[system][topic] = {doc: float(-rank) for rank, doc in enumerate(docs)}
    return made


@pytest.fixture
def registered(folder: Path, commands: None, monkeypatch: pytest.MonkeyPatch) -> Runs:  # noqa: F811
    """The runs, also as files, with the source in the catalogue."""
    monkeypatch.setitem(SOURCES, DAYS.name, DAYS)
    made = runs()
    for name, lists in made.items():
        tg.write_runs({name: lists}, folder / f"{name}.run")
    tg.write_judgments(LABELS, folder / "labels.qrels")
    return made


def differences(made: Runs) -> Floats:
    """New less now on P@5, a row a day."""
    by_topic = {s: {t: sum(LABELS[t][d] for d in docs) / 5 for t, docs in lists.items()} for s, lists in made.items()}
    return np.array([by_topic["new"][t] - by_topic["now"][t] for t in LABELS]).reshape(DAYS_THERE, EACH)


def test_a_verdict_speaks_of_the_new_source(run: Run, registered: Runs) -> None:  # noqa: F811
    """Guards the table of variance and the limits, against the closed form of a mean of clusters."""
    code, out, err = run(
        "verdict", "labels.qrels", "now.run", "new.run", "-m", "P@5", "--pair", "now,new", "--population", "days",
        "--format", "json",
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(out)["verdicts"][0]
    x = differences(registered)
    away = (x - x.mean()).sum(axis=1) / x.size
    variance = DAYS_THERE / (DAYS_THERE - 1) * float((away**2).sum())
    half = float(stats.t.ppf(0.975, DAYS_THERE - 1)) * math.sqrt(variance)
    of_topics = float(x.var(ddof=1)) / x.size
    assert variance > 2 * of_topics  # days matter here
    lines = {line["source"]: line for line in found["by_source"]}
    assert [*lines] == ["topics", "days", "all sources"]
    for line in (lines["days"], lines["all sources"]):
        assert [line["low"], line["high"]] == pytest.approx([x.mean() - half, x.mean() + half])
    assert found["difference"] == pytest.approx(x.mean())
    half = float(stats.t.ppf(0.975, x.size - 1)) * math.sqrt(of_topics)
    assert lines["topics"]["high"] == pytest.approx(x.mean() + half)
    assert found["holds_for"] == f"for topics like these {x.size}, on days like these {DAYS_THERE}"
    assert found["influential"]["days"][0]["unit"] == f"day{int(np.abs(away).argmax())}"
    study = tg.Study(registered, LABELS, "P@5", population=["days"])
    parts = study.variance_model().own_parts(Contrasts.of([(0, 1)]))
    assert {s: float(v[0]) for s, v in parts.items()} == pytest.approx(
        {"topics": of_topics, "days": variance - of_topics}
    )


def test_a_day_for_each_topic_is_the_spread_over_topics(registered: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the scale of groups of topics: of one topic each they say what topics say."""
    monkeypatch.setitem(SOURCES, "days", Source("days", "day", holds=("topics",), groups=list, claim="on {n} days"))
    by_day, by_topic = (tg.Study(registered, LABELS, "P@5", population=over) for over in ("days", "topics"))
    one, other = by_day.verdict("now", "new"), by_topic.verdict("now", "new")
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_names_come_from_the_catalogue(run: Run, registered: Runs, folder: Path) -> None:  # noqa: F811
    """Guards errors, completion, the printed table, and the page."""
    words = ("labels.qrels", "now.run", "new.run", "-m", "P@5")
    code, _, err = run("verdict", *words, "--population", "weeks")
    assert (code, err.strip().endswith("several of topics, collection, assessors, replicates, clusters, days")) == (
        2,
        True,
    )
    assert COMPLETERS["--population"]("topics,d") == ["topics,days"]
    _, out, _ = run("verdict", *words, "--population", "topics,days")
    assert "The row days already includes the uncertainty from topics" in out
    assert "Most influential days: day" in out
    code, _, err = run("report", *words, "--population", "days", "-o", "page.html")
    assert code == 0, err
    page = (folder / "page.html").read_text()
    assert "V = V(days), which includes all that is nested in days" in page
    assert "Most influential days" in page
