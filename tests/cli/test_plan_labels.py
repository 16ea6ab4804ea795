"""`truegain plan labels`, `plan fill`, `verdict --gold LIST` and `experiment spending` as a user runs them."""

from __future__ import annotations

import csv
import html
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.planning.test_label_plan import world
from truegain.planning.labels import Aim, needed_told

RUNS = ("s0.run", "s1.run")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an LLM's labels, all gold labels and two runs."""
    runs, bronze, gold = world(4, topics=30)
    tg.write_judgments(bronze, tmp_path / "llm.qrels")
    tg.write_judgments(gold, tmp_path / "gold.qrels")
    for name, lists in runs.items():
        tg.write_runs({name: lists}, tmp_path / f"{name}.run")
    return tmp_path


def test_from_two_runs_to_a_verdict(run: Run, folder: Path) -> None:
    """Guards a product team's evening: a list, labels for its first 60 rows, a verdict, how many more, a verdict."""
    code, out, err = run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", "--population", "fixed", "-o", "list.csv")
    assert (code, err) == (0, "")
    assert (
        "labeled documents can change the difference s1 - s0 on P@5: labeling all of them decides the comparison" in out
    )
    assert "fill in `label` from the top, stop anywhere" in out
    code, out, _ = run("plan", "fill", "list.csv", "gold.qrels", "--rows", "60", "-o", "filled.csv")
    assert (code, out.startswith("60 of ")) == (0, True)
    code, out, _ = run("verdict", "llm.qrels", *RUNS, "-m", "P@5", "--gold", "filled.csv", "--population", "fixed")
    assert code == 0
    assert "for these 30 topics only" in out
    words = ("--gold", "filled.csv", "--min-effect", "0.05", "--population", "fixed")
    code, out, _ = run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", *words)
    assert code == 0
    assert "60 of the 60 gold labels affect this difference" in out
    assert "more gold labels detect a true difference of 0.05" in out
    code, out, _ = run("plan", "fill", "filled.csv", "gold.qrels", "--rows", "1000", "-o", "all.csv")
    assert code == 0
    code, out, _ = run("verdict", "llm.qrels", *RUNS, "-m", "P@5", "--gold", "all.csv", "--population", "fixed")
    assert "exact, because all labels are gold" in out
    assert (folder / "list.csv").exists()


def test_ratings_become_labels_by_a_rule(run: Run, folder: Path) -> None:
    """Guards ratings: a list is drawn from what their rule makes of them, here and by a study file."""
    rows = [(t, d, who, min(1, x + (who == "bob" and d == "d1"))) for t, of in world(4, topics=30)[1].items()
            for d, x in of.items() for who in ("ann", "bob")]  # fmt: skip
    with (folder / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("topic", "doc", "assessor", "label"), *rows])
    words = ("plan", "labels", "ratings.csv", *RUNS, "-m", "P@5")
    code, _, err = run(*words, "-o", "list.csv")
    assert (code, "--aggregate mean (of eval, verdict and others)" in err) == (2, True)
    code, out, err = run(*words, "--aggregate", "majority", "-o", "list.csv")
    assert (code, err) == (0, "")
    assert "labeled documents can change the difference s1 - s0" in out
    (folder / "study.toml").write_text(
        'judgments = "ratings.csv"\nruns = ["s0.run", "s1.run"]\nmeasure = "P@5"\n[ratings]\naggregate = "majority"\n'
    )
    assert run("plan", "labels", "study.toml", "-o", "again.csv")[0] == 0
    assert (folder / "again.csv").read_bytes() == (folder / "list.csv").read_bytes()
    code, _, err = run("plan", "labels", "llm.qrels", *RUNS, "--repeated", "mean")
    assert (code, "--repeated applies to ratings; choose how they become labels" in err) == (2, True)


def _write_ratings(path: Path, label: Callable[[int, float], float], times: int = 3) -> None:
    """Ratings of an LLM that was asked several times: a function of the label and of the row."""
    rows = [(t, d, "gpt-4o", label(i, min(1, x))) for t, of in world(4, topics=30)[1].items() for d, x in of.items()
            for i in range(times)]  # fmt: skip
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("topic", "doc", "assessor", "label"), *rows])


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        (lambda i, x: 0.5 + x + 0.25 * (i == 1), "0.5 to 1.75"),  # no whole numbers
        (lambda i, x: 7000 * x + i, "0 to 7002"),  # more than a list of labels holds
        (lambda i, x: 1 + 0 * i * x, "0 to 1"),  # one label alone
        (lambda i, x: 2 * x - (i == 1), "0 to 2"),  # below 0, where no label of people's is
    ],
    ids=["fractions", "thousands", "one", "below 0"],
)
def test_any_ratings_have_a_list(run: Run, folder: Path, label: Callable[[int, float], float], ends: str) -> None:
    """Guards against a list that is refused for the ratings' own ends, by an option that nobody gave."""
    _write_ratings(folder / "ratings.csv", label)
    words = ("plan", "labels", "ratings.csv", *RUNS, "-m", "P@5", "--aggregate", "mean", "--repeated", "all")
    code, _, err = run(*words, "-o", "list.csv")
    assert (code, "error" in err) == (0, False)
    with (folder / "list.csv").open() as file:
        assert {row["scale"] for row in csv.DictReader(file)} == {ends}


@pytest.mark.parametrize(
    "options",
    [
        ("--aggregate", "mean", "--repeated", "all"),
        ("--aggregate", "unanimity(p=0.2)", "--scale", "0:2", "--repeated", "all"),
        ("--aggregate", "mean", "--scale", "0:1", "--out-of-range", "drop", "--repeated", "all"),
        ("--normalize", "range", "--repeated", "last"),
        ("--aggregate", "median", "--repeated", "all", "--first", "2"),
    ],
    ids=["mean", "scale", "out of range", "normalized", "first"],
)
def test_the_printed_command_draws_the_list_that_verdict_takes(
    run: Run, folder: Path, options: tuple[str, ...]
) -> None:
    """Guards people's work: the list that verdict has drawn is of the labels that verdict makes, with all its options.

    Each option changes labels here: without one of them the list is refused, or is of other judgments.
    """
    _write_ratings(folder / "ratings.csv", lambda i, x: x + 0.5 * (i == 1) + (i == 2))
    words = ("verdict", "ratings.csv", *RUNS, "-m", "P@5", *options)
    code, out, err = run(*words, "--judge-model", "gpt-4o")
    assert code == 0, err
    command = out.partition("`truegain plan labels ")[2].partition("`")[0]
    code, _, err = run("plan", "labels", *shlex.split(command))
    assert code == 0, err
    with (folder / "LIST.csv").open() as file:
        rows = list(csv.DictReader(file))
    for n, row in enumerate(rows):
        row["label"] = row["scale"].split(" to ")[n % 3 == 0]
    with (folder / "LIST.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    code, _, err = run(*words, "--gold", "LIST.csv")
    assert code == 0, err
    run("gate", "ratings.csv", *RUNS, "-m", "P@5", *options, "--judge-model", "gpt-4o", "-o", "gate.md")
    assert command.replace(" --draw", "") in (folder / "gate.md").read_text().replace(" --draw", "")
    run("report", "ratings.csv", *RUNS, "-m", "P@5", *options, "--judge-model", "gpt-4o", "-o", "page.html")
    assert html.escape(command, quote=False) in html.unescape((folder / "page.html").read_text())


def test_a_scale_of_ratings(run: Run, folder: Path) -> None:
    """Guards a rule that needs a scale: it is told so once, and heeds it; labels with commas say its ends."""
    _write_ratings(folder / "ratings.csv", lambda i, x: x + (i == 2))
    words = ("plan", "labels", "ratings.csv", *RUNS, "-m", "P@5", "--repeated", "all", "--aggregate", "unanimity")
    code, _, err = run(*words, "-o", "list.csv")
    assert (code, "the rule unanimity needs the limits of the scale" in err) == (2, True)
    for n, scale in enumerate(("0:2", "0,1,2")):
        assert run(*words, "--scale", scale, "-o", f"list{n}.csv")[0] == 0
    assert (folder / "list0.csv").read_bytes() == (folder / "list1.csv").read_bytes()
    code, _, err = run(*words, "--scale", "0:1", "-o", "list.csv")
    assert (code, "--out-of-range drop" in err) == (2, True)


def test_a_list_of_whole_topics(run: Run) -> None:
    """Guards what is said of such a list: no heading without rows, how many topics, no other design when too few."""
    code, out, _ = run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", "--draw", "topics", "-o", "list.csv")
    assert (code, "\ngold labels" in out, "stop anywhere" in out) == (0, False, False)
    said = " ".join(out.split())
    assert "Label at least 6 whole topics, better 20; then labeling may stop after any topic." in said
    assert "fill in `label` from the top, stop after a whole topic, and give it" in said
    run("plan", "fill", "list.csv", "gold.qrels", "--rows", "50", "-o", "filled.csv")
    code, _, err = run("verdict", "llm.qrels", *RUNS, "-m", "P@5", "--gold", "filled.csv")
    assert (code, "at least 6 whole topics are needed" in err, "by-bronze" in err) == (2, True, False)


def test_looking_at_every_batch(run: Run) -> None:
    """Guards --sequential: wider limits, and how many more labels are expected."""
    run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", "-o", "list.csv")
    run("plan", "fill", "list.csv", "gold.qrels", "--rows", "40", "-o", "filled.csv")
    words = ("llm.qrels", *RUNS, "-m", "P@5", "--gold", "filled.csv", "--population", "fixed", "--format", "json")
    plain, often = (json.loads(run("verdict", *words, *more)[1])["verdicts"][0] for more in ((), ("--sequential",)))
    width = [v["high"] - v["low"] for v in (plain, often)]
    assert 1.2 < width[1] / width[0] < 2.2
    assert json.loads(run("verdict", *words, "--sequential")[1])["provenance"]["sequential"] is True


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("probability", 2, "0.5"), "list.key.csv:4: size"),
        (("bronze", 2, "7"), "list.key.csv: the list was changed"),
        (("order", 2, "9"), "list.csv:4: order 9 is topic"),
        (("label", 0, "8"), "list.csv:2: label 8 of topic"),
        (("label", 1, ""), "list.csv:3: order 2"),
        (("doc", 3, "zzz"), "list.csv:5: order 4 is doc"),
    ],
)
def test_a_list_that_was_changed_is_refused(run: Run, folder: Path, change: tuple[str, int, str], said: str) -> None:
    """Guards bad input: exit code 2, the row, and what to do; no traceback."""
    run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", "-o", "drawn.csv")
    run("plan", "fill", "drawn.csv", "gold.qrels", "--rows", "20", "-o", "list.csv")
    name, at, value = change
    changed = "list.key.csv" if name in ("probability", "bronze") else "list.csv"
    (folder / "drawn.key.csv").unlink()
    with (folder / changed).open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows[at][name] = value
    with (folder / changed).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    code, out, err = run("verdict", "llm.qrels", *RUNS, "-m", "P@5", "--gold", "list.csv")
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_list_for_other_runs_is_told(run: Run, folder: Path) -> None:
    """Guards a list that does not hold what these runs differ in."""
    runs, _, _ = world(4, topics=30, systems=3)
    tg.write_runs({"s2": runs["s2"]}, folder / "s2.run")
    run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", "-o", "drawn.csv")
    run("plan", "fill", "drawn.csv", "gold.qrels", "--rows", "60", "-o", "list.csv")
    code, out, err = run("verdict", "llm.qrels", "s0.run", "s2.run", "-m", "P@5", "--gold", "list.csv")
    assert (code, out) == (2, "")
    assert "list.csv: this list was sampled for other runs or another measure (P@5)" in err
    assert "draw one for these" in err
    code, out, _ = run("verdict", "llm.qrels", *RUNS, "s2.run", "--pair", "s0,s2", "-m", "P@5", "--gold", "list.csv")
    assert code == 0
    assert "sampled for other runs or another measure; draw one for these" in out


def test_labels_that_do_not_belong_to_a_list(run: Run, folder: Path) -> None:
    """Guards `plan fill`: pairs that are not on it, and two labels for one pair."""
    run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", "-o", "list.csv")
    code, _, err = run("plan", "fill", "list.csv", "gold.qrels", "-o", "filled.csv")
    assert (code, "is not on the list" in err) == (2, True)
    assert not (folder / "filled.csv").exists()
    run("plan", "fill", "list.csv", "gold.qrels", "--rows", "5", "-o", "five.csv")
    with (folder / "five.csv").open(newline="") as file:
        first = next(csv.DictReader(file))
    other = (int(first["label"]) + 1) % 3
    (folder / "again.qrels").write_text(f"{first['topic']} 0 {first['doc']} {other}\n")
    code, _, err = run("plan", "fill", "five.csv", "again.qrels", "-o", "six.csv")
    assert code == 2
    assert f"has the label {first['label']} already, and {other} here" in err


def test_gold_labels_at_hand_come_first_in_a_list(run: Run, folder: Path) -> None:
    """Guards a sample that goes on: gold drawn at random before is the head of a random list."""
    rows = tg.read_judgments(folder / "gold.qrels").frame().rows()
    some = [f"{t} 0 {d} {x:g}\n" for i, (t, _, d, x) in enumerate(rows) if i % 7 == 0]
    (folder / "some.qrels").write_text("".join(some))
    words = ("llm.qrels", *RUNS, "-m", "P@5", "--gold", "some.qrels", "--design", "random", "-o", "list.csv")
    assert run("plan", "labels", *words)[0] == 0
    with (folder / "list.csv").open(newline="") as file:
        listed = list(csv.DictReader(file))
    assert [bool(r["label"]) for r in listed] == [i < len(some) for i in range(len(listed))]
    one = run("verdict", *words[:5], "--gold", "list.csv", "--format", "json")[1]
    two = run("verdict", *words[:5], "--gold", "some.qrels", "--design", "random", "--format", "json")[1]
    assert json.loads(one)["verdicts"][0]["low"] == pytest.approx(json.loads(two)["verdicts"][0]["low"])


def test_spending_old_labels_again(run: Run) -> None:
    """Guards the replay: ordered labels decide more than the pool's, hardly ever wrongly, and the figure is drawn."""
    words = ("--draws", "6", "--drawn-pairs", "1", "--numbers", "20,60", "--figure", "spent.svg", "--format", "json")
    code, out, _ = run("experiment", "spending", "llm.qrels", *RUNS, "--gold", "gold.qrels", "-m", "P@5", *words)
    assert code == 0
    rows = {(r["drawn_from"], r["gold_labels"]): r for r in json.loads(out)["rows"]}
    assert rows["ordered", 60]["half_width"] < rows["pool", 60]["half_width"]
    assert "gold labels" in Path("spent.svg").read_text()
    code, _, err = run("experiment", "spending", "llm.qrels", *RUNS, "--gold", "gold.qrels", "--numbers", "x")
    assert (code, "not whole numbers with commas" in err) == (2, True)


def short_list(folder: Path, rows: int) -> None:
    """Two systems that differ in so many documents, a list of these, and their labels."""
    topics = [str(t) for t in range(20)]
    other = {t: "bacd" if int(t) < rows // 2 else "abcd" for t in topics}
    for name, docs in (("a", dict.fromkeys(topics, "abcd")), ("b", other)):
        tg.write_runs(
            {name: {t: {d: -float(docs[t].index(d)) for d in "abcd"} for t in topics}}, folder / f"{name}.run"
        )
    tg.write_judgments({t: {"a": int(t) % 2, "b": 0, "c": 1, "d": 0} for t in topics}, folder / "short.qrels")


@pytest.mark.parametrize(
    ("rows", "labels", "advice", "more"),
    [
        (4, 3, "only 3 gold labels affect it; at least 10 are needed, or all of the list: judge its last row", 1),
        (4, 2, "only 2 gold labels affect it; at least 10 are needed, or all of the list: judge its last 2 rows", 2),
        (30, 9, "only 9 gold labels affect it; at least 10 are needed: judge the next rows of the list", 1),
    ],
)  # fmt: skip
def test_a_short_list_is_no_dead_end(run: Run, folder: Path, rows: int, labels: int, advice: str, more: int) -> None:
    """Guards few labels of a list: verdict and plan name the same rows to judge, and no limits are spoken of."""
    short_list(folder, rows)
    words = ("short.qrels", "a.run", "b.run", "-m", "P@1")
    assert run("plan", "labels", *words, "-o", "list.csv")[0] == 0
    lines = (folder / "list.csv").read_text().splitlines()
    filled = [",".join([*r[:3], "0", *r[4:]]) for r in (line.split(",") for line in lines[1 : labels + 1])]
    (folder / "few.csv").write_text("\n".join([lines[0], *filled, *lines[labels + 1 :]]) + "\n")
    _, out, _ = run("verdict", *words, "--gold", "few.csv", "--sequential")
    assert advice in out.splitlines()[0]
    assert "Limits hold at every look" not in out
    found = run(
        "plan", "labels", *words, "--gold", "few.csv", "--min-effect", "0.99", "--costs", "gold=2", "--format", "json"
    )
    told = json.loads(found[1])
    said = " ".join(told["notes"])
    assert advice in said
    assert f"{more} more gold label{'s detect' if more > 1 else ' detects'} a true difference" in said
    assert told["provenance"]["half_width"] is None
    assert told["provenance"]["mix"]["cost"] == 2 * more
    assert told["rows"][0]["gold_labels"] == labels + more


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda rows: [*rows[:2], [*rows[2][:2], "9"], *rows[3:]], "bad.csv:4: label 9 of topic "),
        (lambda rows: [*rows[:2], *rows[3:]], "bad.csv: order 3 (topic "),
        (lambda rows: [[r[0], f"x{r[1]}", r[2]] for r in rows], "bad.csv: no label here is of the first 9 rows of "),
    ],
    ids=["off the scale", "gap", "no match"],
)  # fmt: skip
def test_fill_names_the_file_at_fault(
    run: Run, folder: Path, spoil: Callable[[list[list[str]]], list[list[str]]], said: str
) -> None:
    """Guards plan fill: a fault of the labels is told by their file and line, not by the list, and writes nothing."""
    run("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5", "-o", "list.csv")
    listed = csv.DictReader((folder / "list.csv").read_text().splitlines())
    rows = spoil([[row["topic"], row["doc"], "1"] for row in listed][:9])
    (folder / "bad.csv").write_text("\n".join(",".join(row) for row in [["topic", "doc", "label"], *rows]) + "\n")
    code, out, err = run("plan", "fill", "list.csv", "bad.csv", "--rows", "9", "-o", "filled.csv")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert not (folder / "filled.csv").exists()


def test_errors_of_an_earlier_list_are_not_called_unknown(run: Run) -> None:
    """Guards the sentence with --errors: where the judge errs is known, and the limits are the widest all the same."""
    words = ("plan", "labels", "llm.qrels", *RUNS, "-m", "P@5")
    run(*words, "-o", "list.csv")
    run("plan", "fill", "list.csv", "gold.qrels", "--rows", "40", "-o", "judged.csv")
    code, out, _ = run(*words, "--earlier", "judged.csv", "-o", "next.csv")
    assert code == 0
    assert "not known yet" not in out
    assert "An earlier list shows where the judge errs, and orders this one; the intervals assume" in out


def test_holes_keep_a_difference_open(run: Run, folder: Path) -> None:
    """Guards 'settles it': not said where documents of the two lists have no label at all."""
    some = [line for i, line in enumerate((folder / "llm.qrels").read_text().splitlines()) if i % 3]
    (folder / "pool.qrels").write_text("\n".join(some) + "\n")
    for more in ((), ("--gold", "judged.csv")):
        _, out, _ = run(
            "plan", "labels", "pool.qrels", *RUNS, "-m", "P@5", *more, *(() if more else ("-o", "list.csv"))
        )
        assert "labeling all of them leaves only unlabeled documents open, and no plan needs more" in out
        assert "settles it" not in out
        run("plan", "fill", "list.csv", "gold.qrels", "--rows", "20", "-o", "judged.csv")


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([40, None, None], "40 gold labels in all detect X for 1 of the 3 pairs; for the other 2 no number is enough."),
        ([40, 30, 20, None], "40 gold labels in all detect X for 3 of the 4 pairs, 30 for half of them; for the other"),
        ([40, 30, 20, 10], "40 gold labels in all detect X for each of the pairs, 20 for half of them."),
    ],
)  # fmt: skip
def test_half_of_the_pairs_are_half_of_all(counts: list[int | None], said: str) -> None:
    """Guards the sentence for many pairs: half is of all pairs, and not told where fewer can be found."""
    aim = Aim(0.02, 0.8, 0.95, False, True, {})
    told = needed_told(counts, 0, None, "gold labels", aim)
    assert told.replace("a true difference of 0.02 (80% power, +-0.0140)", "X").startswith(said)


def test_pairs_that_nobody_could_judge_have_no_label(run: Run, folder: Path) -> None:
    """Guards what is counted: `cannot` is no label, where `plan fill` and a verdict tell of the list."""
    words = ("llm.qrels", *RUNS, "-m", "P@5", "--population", "fixed")
    run("plan", "labels", *words, "-o", "list.csv")
    run("plan", "fill", "list.csv", "gold.qrels", "--rows", "40", "-o", "filled.csv")
    with (folder / "filled.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows[4:40:5]:
        row["label"] = "cannot"
    with (folder / "sheet.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    _, out, err = run("plan", "fill", "list.csv", "sheet.csv", "-o", "judged.csv")
    assert (out, err) == (f"32 of {len(rows):,} pairs have a label, 32 of them new; 8 could not be judged.\n", "")
    _, out, _ = run("verdict", *words, "--gold", "judged.csv")
    said = f"32 of the list's {len(rows):,} pairs have a label, and 8 could not be judged. These intervals hold"
    assert said in " ".join(out.split())
