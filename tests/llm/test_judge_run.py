"""`truegain judge run`: what it writes is read by our own commands, what it costs is told before, and it can go on."""

from __future__ import annotations

import csv
import json
import os
import pty
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run
from tests.llm.served import (
    Answer,
    Body,
    JudgeServer,
    as_asked,
    completion,
    error,
    label_for,
    served,
    user_text,
    write_study,
)
from tests.reliability.test_alpha import brute
from truegain.data.rating_columns import WITHOUT_LABEL
from truegain.llm.parse import STATUSES

pytestmark = pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
COLUMNS = ("model", "calls", "before", "ask", "in", "out", "most", "cost", "cost_most", "minutes")
TEXTS = ("--topics", "topics.jsonl", "--docs", "docs.jsonl")


def command(server: JudgeServer | str, *more: str, prompt: str = "graded", pool: str = "pool.csv") -> list[str]:
    """The words of a run."""
    url = server if isinstance(server, str) else server.url
    models = () if "--model" in more else ("--model", "judge")
    return ["judge", "run", pool, *TEXTS, "--prompt", prompt, "--url", url, *models, *more]


def write_runs(folder: Path) -> None:
    """Two runs that rank the documents in other orders."""
    for name, order in (("old", (0, 1, 2, 3)), ("new", (3, 1, 0, 2))):
        lines = [f"t{t} Q0 d{(d + t) % 4} {r} {9 - r} {name}\n" for t in range(3) for r, d in enumerate(order, 1)]
        (folder / f"{name}.run").write_text("".join(lines))


# ---------------------------------------------------------------------- what it writes is read


def test_labels_are_read_as_those_of_a_model(run: Run, folder: Path) -> None:
    """Guards the road to a verdict: one command judges, the next compares, and says that no person has checked."""
    write_runs(folder)
    with served() as server:
        code, out, err = run(*command(server, "-o", "llm.csv"))
    assert (code, out) == (0, "")
    assert "12 calls: 12 ok" in err
    code, out, _ = run("verdict", "llm.csv", "old.run", "new.run", "-m", "DCG@3")
    assert code == 0
    assert out.startswith("By judge's labels, which no person has checked")
    read = tg.read_judgments(folder / "llm.csv")
    assert (len(read), read.assessor and read.assessor.values, set(read.extra["model"])) == (12, ("judge",), {"judge"})


def test_replicates_and_panels_are_read_as_ratings(run: Run, folder: Path) -> None:
    """Guards repeated answers: numbered replicates are no mistake, and count all; each model is an assessor."""

    def behave(body: Body, _: int) -> Body:
        lean = body["seed"] % 2 if body["model"] == "a" else 0
        return completion(json.dumps({"label": str(min(3, int(label_for(body)) + lean))}))

    write_runs(folder)
    with served(behave) as server:
        assert run(*command(server, "--model", "a", "--model", "b", "--repeat", "3", "-o", "llm.csv"))[0] == 0
    ratings = tg.read_ratings(folder / "llm.csv")
    assert (len(ratings), ratings.assessor and ratings.assessor.values) == (72, ("a", "b"))
    code, out, err = run("verdict", "llm.csv", "old.run", "new.run", "-m", "DCG@3", "--aggregate", "mean")
    assert code == 0, err
    assert out.startswith("By the labels of a and b, which no person has checked")
    code, out, err = run("agree", "llm.csv")
    assert code == 0, err
    assert "24 ratings by 2 assessors" in out
    assert "24 documents were rated more than once by one assessor; the first counts" in err


def test_replicates_of_one_model_are_compared(run: Run, folder: Path) -> None:
    """Guards agreement of `--repeat`: with one model all was undefined, and nothing said how to compare replicates."""
    with served(
        lambda body, _: completion(json.dumps({"label": str(int(label_for(body)) // 2 + body["seed"] % 2)}))
    ) as s:
        assert run(*command(s, "--repeat", "3", "-o", "llm.csv"))[0] == 0
    code, out, err = run("agree", "llm.csv", "--show", "overall")
    assert (code, "every label is by judge" in err) == (0, True), err
    assert "--columns assessor=replicate" in err
    code, out, err = run("agree", "llm.csv", "--columns", "assessor=replicate", "--show", "overall", "--format", "json")
    assert (code, err) == (0, "")
    labels = np.array(
        [float(row["label"]) for row in csv.DictReader((folder / "llm.csv").read_text().splitlines())]
    ).reshape(-1, 3)
    values = {row["statistic"]: row["value"] for row in json.loads(out)["rows"]}
    assert values["alpha interval"] == pytest.approx(brute(labels.T, "interval"), abs=1e-12)


def test_answers_without_a_label_are_told(run: Run, folder: Path) -> None:
    """Guards the count of requests: those sent because an answer held no label were not told, and hid earlier runs."""
    pool = (folder / "pool.csv").read_text().splitlines(keepends=True)
    (folder / "half.csv").write_text("".join(pool[:7]))
    seen: set[str] = set()

    def behave(body: Body, _: int) -> Body:
        known, text = len(seen), user_text(body)
        seen.add(text)
        return completion("no label here") if known >= 6 and len(seen) > known else as_asked(body, 0)

    with served(behave) as server:
        _, _, err = run(*command(server, "-o", "llm.csv", pool="half.csv"))
        assert "\n6 requests; tokens" in err
        _, _, err = run(*command(server, "-o", "llm.csv"))
    assert "\n12 requests (6 asked again for want of a label); tokens" in err
    assert "with those of the answers that earlier runs stored" in err


@pytest.mark.parametrize("models", [("judge",), ("a", "b")])
def test_replicates_lead_to_people_who_check_them(run: Run, folder: Path, models: tuple[str, ...]) -> None:
    """Guards `--repeat`: doctor called the labels refused, and no command that was printed to check them ran."""
    write_runs(folder)
    asked = [word for model in models for word in ("--model", model)]
    with served(lambda body, _: completion(json.dumps({"label": str(int(label_for(body)) + body["seed"] % 2)}))) as s:
        assert run(*command(s, *asked, "--repeat", "3", "-o", "llm.csv"))[0] == 0
    _, out, _ = run("doctor", "llm.csv", "old.run", "new.run")
    assert "ratings: 3 topics, 3 replicates" in out
    assert "will refuse" not in out
    assert "No judgments" not in out
    assert out.rstrip().endswith("-o list.csv")
    words = [shlex.split(line)[1:] for line in out.splitlines() if line.startswith("    truegain ")]
    assert [line[0] for line in words] == [*(["agree"] if len(models) > 1 else []), "verdict", "report", "plan"]
    for line in words:
        code, _, err = run(*line)
        assert code == 0, err
    key = (folder / "list.key.csv").read_text()
    assert "0 to 4" in key or "0 to 3" in key, "people give labels of the scale, not means of them"
    page = (folder / "report.html").read_text()
    _, out, _ = run("verdict", "llm.csv", "old.run", "new.run", "-m", "DCG@3", "--aggregate", "mean")
    _, gate, _ = run("gate", "llm.csv", "old.run", "new.run", "-m", "DCG@3", "--aggregate", "mean", "--baseline", "old",
                     "--candidate", "new")  # fmt: skip
    for text in (page, out, gate):
        (printed, *_) = re.findall(r"truegain (plan labels llm\.csv [^`<]*)", text)
        assert "--aggregate mean" in printed
        for old in folder.glob("LIST*"):
            old.unlink()
        code, _, err = run(*shlex.split(printed))
        assert code == 0, (printed, err)


def test_what_is_missing_is_left_out_and_not_zero(run: Run, folder: Path) -> None:
    """Guards missing labels on the way back: rows whose status says why are counted and left out by every reader."""
    write_runs(folder)

    def behave(body: Body, number: int) -> Body:
        return completion("", "length") if "hill 1" in user_text(body) else as_asked(body, number)

    with served(behave) as server:
        code, _, err = run(*command(server, "-o", "llm.csv", "--retries", "1"))
    assert code == 0
    assert "9 ok, 3 length" in err
    assert "give a larger one (--max-tokens 8192)" in err
    code, _, err = run("eval", "llm.csv", "old.run", "-m", "P@4", "--judged-only")
    assert code == 0
    assert "llm.csv: 3 of 12 rows have no label (3 length), and are left out" in err
    with pytest.warns(tg.DataWarning, match="3 of 12 rows have no label"):
        assert len(tg.read_judgments(folder / "llm.csv")) == 9
    with pytest.warns(tg.DataWarning, match="3 of 12 rows have no label"):
        assert len(tg.read_ratings(folder / "llm.csv")) == 9
    assert {s for s in STATUSES if s in (folder / "llm.csv").read_text()} == {"ok", "length"}


def test_an_empty_label_without_a_reason_is_still_refused(run: Run, folder: Path) -> None:
    """Guards typing mistakes: only a status that says why excuses an empty label."""
    write_runs(folder)
    (folder / "llm.csv").write_text("topic,doc,label,status\nt0,d0,1,ok\nt0,d1,,ok\nt0,d2,,refused\n")
    code, _, err = run("eval", "llm.csv", "old.run")
    assert code == 2
    assert "llm.csv:3: label is missing" in err
    (folder / "llm.csv").write_text("topic,doc,label,status\nt0,d0,1,done\nt0,d1,,done\n")
    assert run("eval", "llm.csv", "old.run")[0] == 2
    assert set(STATUSES) - WITHOUT_LABEL == {"ok"}
    (folder / "llm.csv").write_text("topic,doc,label,status\nt0,d0,,failed\nt0,d2,,refused\n")
    code, _, err = run("eval", "llm.csv", "old.run")
    assert (code, "no row has a label (1 failed, 1 refused)" in err) == (2, True)


def test_twice_the_same_replicate_is_still_refused(folder: Path) -> None:
    """Guards the readers: a rating that is there twice is a mistake, whatever its replicate."""
    rows = "topic,doc,label,assessor,replicate\nt0,d0,1,m,1\nt0,d0,2,m,{}\nt0,d1,2,m,1\n"
    (folder / "llm.csv").write_text(rows.format(2))
    assert len(tg.read_ratings(folder / "llm.csv")) == 3
    for number in ("1", ""):
        (folder / "llm.csv").write_text(rows.format(number))
        with pytest.raises(tg.InputError, match="assessor m rated topic t0, document d0 twice"):
            tg.read_ratings(folder / "llm.csv")


@pytest.mark.parametrize("ending", [".tsv", ".jsonl", ".parquet", ".csv.gz"])
def test_other_formats(run: Run, folder: Path, ending: str) -> None:
    """Guards formats: labels are the same in each."""
    with served() as server:
        assert run(*command(server, "-o", "llm.csv"))[0] == 0
        assert run(*command(server, "-o", f"other{ending}", "--store", "llm.answers.sqlite"))[0] == 0
        assert len(server.requests) == 12
    ours, other = (tg.read_judgments(folder / name) for name in ("llm.csv", f"other{ending}"))
    assert (ours.docs.strings(), ours.label.tolist()) == (other.docs.strings(), other.label.tolist())


# ---------------------------------------------------------------------- before it asks


def test_a_dry_run_asks_nothing(run: Run, folder: Path) -> None:
    """Guards money: calls, tokens, cost and time are told, what is answered already is counted, nothing is written."""
    with served() as server:
        words = command(server, "-o", "llm.csv", "--price", "1,10", "--repeat", "2", "--requests-per-minute", "4")
        code, out, err = run(*words, "--dry-run")
        assert (code, err, server.requests) == (0, "", [])
        assert sorted(p.name for p in folder.iterdir()) == ["docs.jsonl", "pool.csv", "topics.jsonl"]
        head, row = (line.split() for line in out.splitlines()[:2])
        told = dict(zip(COLUMNS, row, strict=True))
        assert (told["model"], told["calls"], told["before"], told["ask"]) == ("judge", "24", "0", "24")
        assert float(told["cost"]) == pytest.approx(float(told["in"]) / 1e6 + 24 * 30 * 1e-5, abs=1e-4)
        assert float(told["cost_most"]) == pytest.approx(float(told["in"]) / 1e6 + 24 * 4096 * 1e-5, abs=1e-3)
        assert float(told["minutes"]) == 6.0
        assert "Nothing was asked." in out
        assert "at most" in " ".join(head)
        assert run(*command(server, "-o", "llm.csv", "--temperature", "1"))[0] == 0
        assert run(*words, "--dry-run")[1].splitlines()[1].split()[1:4] == ["24", "12", "12"]
        sent = [sum(len(m["content"]) for m in body["messages"]) for body in server.requests]
    assert float(told["in"]) / 2 == pytest.approx(sum(sent) / 4, rel=0.1)


def test_a_resumed_run_tells_its_cost_and_that_of_all(run: Run, folder: Path) -> None:
    """Guards the bill: what this run paid, and what the answers of all runs cost, by the tokens of the requests."""
    with served() as server:
        words = [*command(server, "-o", "llm.csv"), "--price", "1,2", "--max-tokens", "100"]
        code, _, first = run(*words, "--max-cost", "0.003")
        assert code == 3
        asked = len(server.requests)
        assert 1 <= asked < 12
        one = 312 / 1e6  # 300 tokens in and 6 out
        assert f"; cost {asked * one:.4f}\n" in first
        _, _, second = run(*words)
        assert f"; cost {(12 - asked) * one:.4f}, with that of earlier runs {12 * one:.4f}\n" in second
        assert f"; cost 0.0000, with that of earlier runs {12 * one:.4f}\n" in run(*words)[2]


def test_what_says_the_same_is_planned_once(run: Run, folder: Path) -> None:
    """Guards the plan of claims that two systems make: dry run, batch file and run have each request once."""
    claims = "".join(f"t{t},{s},claim of {t},d0\n" for t in range(3) for s in ("old", "new"))
    (folder / "claims.csv").write_text(f"topic,system,claim,doc\n{claims}")
    with served(delay=0.02) as server:
        words = command(server, "-o", "llm.csv", pool="claims.csv", prompt="claims")
        code, out, _ = run(*words, "--dry-run")
        assert (code, out.splitlines()[1].split()[:4]) == (0, ["judge", "3", "0", "3"])
        assert "6 labels, 3 of them by the same request as another label" in out
        assert "requests.jsonl: 3 requests" in run(*words, "--batch", "requests.jsonl")[2]
        names = [json.loads(line)["custom_id"] for line in (folder / "requests.jsonl").read_text().splitlines()]
        assert len(set(names)) == 3
        code, _, err = run(*words)
        assert (code, len(server.requests)) == (0, 3)
        again = run(*words)[2]
    assert "6 labels by 3 calls: 6 ok\n3 requests; tokens 900 in, 18 out\n" in err
    assert "\n0 requests; tokens 900 in, 18 out, with those of the answers that earlier runs stored\n" in again
    words = command("http://127.0.0.1:9/v1", "-o", "batch.csv", pool="claims.csv", prompt="claims")
    assert run(*words, "--batch", "requests.jsonl")[0] == 0
    answered(folder, "first.jsonl", (folder / "requests.jsonl").read_text().splitlines())
    assert "6 labels by 3 calls: 4 ok, 2 failed" in run(*words, "--collect", "first.jsonl")[2]


def test_refusals_before_anything_is_asked(run: Run, folder: Path) -> None:
    """Guards slips: each is told with what to type, in the words of the command."""
    here = "http://localhost:1/v1"
    (folder / "other.csv").write_text("question,passage\nt0,d0\n")
    (folder / "pairs.csv").write_text("topic,doc_a,doc_b\nt0,d0,d0\n")
    (folder / "two.txt").write_text("t0 d0\n")
    wrong = [
        (
            command(here, "-o", "x.csv", pool="two.txt"),
            "'t0 d0' (give qrels, a run, or a table with the columns topic and",
        ),
        (command(here), "name an output file (-o llm.csv); the paid answers are kept beside it, or in --store FILE"),
        (command(here, "-o", "llm.qrels"), "TREC lines have no place for assessor"),
        (command("localhost:8000", "-o", "x.csv"), "--url localhost:8000 is not the address of a server"),
        (command(here, "-o", "x.csv", "--dry-run", "--batch", "b.jsonl"), "--dry-run and --batch do not go together"),
        (
            command(here, "-o", "x.csv", "--batch", "b.jsonl", "--concurrency", "2", "--timeout", "5"),
            "--concurrency and --timeout apply to a server that is asked; --batch only writes a file",
        ),
        (
            command(here, "-o", "x.csv", "--collect", "b.jsonl", "--requests-per-minute", "9"),
            "--requests-per-minute applies to a server that is asked; --collect only reads the answers in a file",
        ),
        (
            command(here, "-o", "x.csv", "--collect", "b.jsonl", "--price", "1,2", "--max-cost", "1"),
            "--max-cost does not apply to a batch, whose answers are paid for; leave it out with --collect",
        ),
        (command(here, "-o", "x.csv", "--max-cost", "1"), "--max-cost: the price of judge is not known"),
        (command(here, "-o", "x.csv", "--price", "1"), "--price 1: give the price of a million tokens"),
        (command(here, "-o", "x.csv", "--model", "a", "--model", "a"), "--model: name each model once"),
        (command(here, "-o", "x.csv", "--key-env", "NOT_SET"), "--key-env NOT_SET: there is no such variable"),
        (command(here, "-o", "x.csv", "--temperature", "-1"), "--temperature -1.0: give a number from 0 to 2"),
        (command(here, "-o", "x.csv", "--temperature", "3"), "--temperature 3.0: give a number from 0 to 2"),
        (command(here, "-o", "x.csv", "--timeout", "0"), "--timeout 0.0: give a number above 0"),
        (command(here, "-o", "x.csv", pool="pairs.csv", prompt="pairwise"), "topic t0 compares d0 with itself"),
        (command(here, "-o", "x.csv", pool="pairs.csv"), "this pool has pairs of documents"),
        (
            command(here, "-o", "x.csv", "--one-order"),
            "--one-order is for pairs, and the prompt graded judges documents",
        ),
        (command(here, "-o", "x.csv", prompt="pairwise"), "there are no columns for a pair among topic, doc"),
        (command(here, "-o", "x.csv", prompt="nuggets"), "there is no column nugget among topic, doc"),
        (command(here, "-o", "x.csv", pool="nobody.csv"), "nobody.csv"),
        (command(here, "-o", "x.csv", pool="other.csv"), "no topic and doc among question, passage (name the columns"),
        (command(here, "-o", "x.csv"), "does not answer (no connection). Check that it runs, and --url."),
    ]
    for words, says in wrong:
        code, out, err = run(*words)
        assert (code, out) == (2, ""), (words, err)
        assert says in err, (words, err)
    assert list(folder.glob("*.answers.sqlite*")) == []  # nothing was answered, so nothing is kept


def test_without_httpx_it_says_what_to_install(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the extra: a dry run needs nothing, asking says which extra it needs."""
    monkeypatch.setitem(sys.modules, "httpx", None)
    code, _, err = run(*command("http://localhost:1/v1", "-o", "llm.csv"))
    assert (code, "pip install 'truegain[llm]'" in err) == (2, True)
    assert run(*command("http://localhost:1/v1", "-o", "llm.csv", "--dry-run"))[0] == 0


# ---------------------------------------------------------------------- how it ends


def test_exit_codes(run: Run, folder: Path) -> None:
    """Guards scripts: 0 done, 3 ended early with labels kept, 2 nothing judged, and what to do on standard error."""
    with served(lambda body, n: as_asked(body, n) if n < 5 else error(402, "no money")) as server:
        code, _, err = run(*command(server, "-o", "llm.csv", "--concurrency", "1"))
        assert code == 3
        assert "5 ok, 7 not_asked" in err
        assert "ended early: the server has no quota left for this key (HTTP 402: no money (error)); add credit" in err
        assert "answers are kept in" in err
        server.behave = lambda *_: error(402, "no money")
        assert run(*command(server, "-o", "llm.csv", "--concurrency", "1"))[0] == 3
        code, _, err = run(*command(server, "-o", "other.csv"))
        assert (code, "error: Nothing was judged: the server has no quota left" in err) == (2, True)
        assert sorted(path.name for path in folder.glob("other*")) == []
        server.behave = as_asked
        assert run(*command(server, "-o", "llm.csv"))[0] == 0
        code, _, err = run(*command(server, "-o", "cheap.csv", "--price", "1,1", "--max-cost", "0.006"))
    assert code == 3
    assert "could pass the limit of --max-cost 0.006" in err


def test_a_run_without_labels_says_why_and_what_to_do(run: Run, folder: Path) -> None:
    """Guards the sentence that ends such a run: the cause, then what to do, and no store without answers is left."""
    with served(lambda *_: Answer(500, b"oops")) as server:
        code, _, err = run(*command(server, "-o", "llm.csv", "--retries", "0", "--concurrency", "1"))
        told = "error: Nothing was judged: the server failed (HTTP 500: oops). Try again later with the same command.\n"
        assert (code, err) == (2, told)
        server.behave = lambda *_: Answer(429, b"{}", {"Retry-After": "3600"})
        _, _, err = run(*command(server, "-o", "llm.csv"))
        told = "error: Nothing was judged: the server asks to wait 60 minutes (HTTP 429). Run the same command then.\n"
        assert err == told
        assert not (folder / "llm.answers.sqlite").exists()
        most = len(server.requests) + 3
        server.behave = lambda body, n: as_asked(body, n) if n < most else Answer(429, b"{}", {"Retry-After": "3600"})
        code, _, err = run(*command(server, "-o", "llm.csv", "--concurrency", "1"))
        assert code == 3
        told = "ended early: the server asks to wait 60 minutes (HTTP 429); answers are kept in llm.answers.sqlite;"
        assert f"{told} the same command continues\n" in err


def test_one_answer_is_told_as_one(run: Run, folder: Path) -> None:
    """Guards the number: 1 answer is kept."""
    with served(lambda body, n: as_asked(body, n) if n < 1 else error(401, "revoked")) as server:
        err = run(*command(server, "-o", "llm.csv", "--concurrency", "1"))[2]
    assert "; 1 answer is kept in llm.answers.sqlite; the same command continues from there" in err


def test_texts_that_lack_are_told_once(run: Run, folder: Path) -> None:
    """Guards one warning for one fault: where all that is missing lacks a text, that is all that is told."""
    with (folder / "pool.csv").open("a") as file:
        file.write("t0,nobody\nt1,nobody\n")
    with served() as server:
        code, _, err = run(*command(server, "-o", "llm.csv"))
    warned = [line for line in err.splitlines() if line.startswith("warning")]
    assert (code, len(warned)) == (0, 1)
    assert "2 items of 14 have no text" in warned[0]
    assert "their labels are empty, not 0" in warned[0]


def test_a_dry_run_tells_time_only_of_what_is_left(run: Run, folder: Path) -> None:
    """Guards a plan without calls: no time is assumed."""
    with served() as server:
        words = command(server, "-o", "llm.csv", "--dry-run")
        assert " Time assumes 2.0 s per answer, 8 at a time." in run(*words)[1]
        assert run(*words[:-1])[0] == 0
        assert "Time assumes" not in run(*words)[1]


def test_a_wrong_key_in_the_middle_keeps_what_there_is(run: Run, folder: Path) -> None:
    """Guards what was paid for where a run ends by an error: it is told, and the same command goes on."""
    with served(lambda body, n: as_asked(body, n) if n < 5 else error(401, "revoked")) as server:
        code, _, err = run(*command(server, "-o", "llm.csv", "--concurrency", "1"))
        assert code == 2
        assert "does not accept the key" in err
        assert "5 answers are kept in llm.answers.sqlite; the same command continues from there" in err
        server.behave = as_asked
        assert run(*command(server, "-o", "llm.csv"))[0] == 0
    assert len(server.requests) == 5 + 1 + 7


def test_the_key_is_in_nothing_that_a_command_leaves(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the key of the default variable: not in the output, not on the terminal, not in any file."""
    secret = "sk-planted-77aa01"
    monkeypatch.setenv("TRUEGAIN_API_KEY", secret)
    with served(lambda body, n: as_asked(body, n) if n < 5 else error(401, f"bad key {secret}")) as server:
        ends = [run(*command(server, "-o", "llm.csv", "--concurrency", "1", *more)) for more in ((), ("--dry-run",))]
        server.behave = as_asked
        ends += [run(*command(server, "-o", "llm.csv")), run(*command(server, "-o", "b.csv", "--batch", "b.jsonl"))]
    assert [code for code, _, _ in ends] == [2, 0, 0, 0]
    assert server.headers[0]["authorization"] == f"Bearer {secret}"
    assert not any(secret in text for _, out, err in ends for text in (out, err))
    assert "bad key ***" in ends[0][2]
    assert [path.name for path in folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()] == []


def test_the_run_and_the_verdict_count_the_same_changes(run: Run, folder: Path) -> None:
    """Guards one story of the order: a judge that changes with it, also to ties and over replicates, counts alike."""
    write_study(folder, topics=30, docs=2)
    (folder / "pairs.csv").write_text("topic,a,b\n" + "".join(f"t{t},d0,d1\n" for t in range(30)))
    for more in ((), ("--repeat", "3")):
        rng = random.Random(3)
        with served(lambda *_, rng=rng: completion(json.dumps({"label": rng.choice(["A", "B", "tie"])}))) as server:
            words = command(server, "-o", f"p{len(more)}.csv", *more, pool="pairs.csv", prompt="pairwise")
            told = next(line for line in run(*words)[2].splitlines() if line.startswith("the winner was reversed in "))
        assert not told.startswith("the winner was reversed in 0 ")
        assert f"T{told[1:]}" in run("verdict", f"p{len(more)}.csv")[1]


def test_pairs_tell_their_flips(run: Run, folder: Path) -> None:
    """Guards preferences on the command line: documents too can be compared, and flips are told."""
    (folder / "pairs.csv").write_text("topic,doc_a,doc_b\nt0,d0,d1\nt1,d2,d3\n")
    with served(lambda *_: completion('{"label": "A"}')) as server:
        code, _, err = run(*command(server, "-o", "prefs.csv", pool="pairs.csv", prompt="pairwise"))
    assert code == 0
    told = "the winner was reversed in 2 of 2 comparisons shown in both orders, and 0 became or ceased to be a tie"
    assert told in err
    winners = iter(("A", "tie", "A", "B"))
    with served(lambda *_: completion(json.dumps({"label": next(winners)}))) as server:
        words = command(server, "-o", "ties.csv", "--concurrency", "1", pool="pairs.csv", prompt="pairwise")
        err = run(*words)[2]
    told = "the winner was reversed in 0 of 2 comparisons shown in both orders, and 1 became or ceased to be a tie"
    assert told in err
    assert (folder / "prefs.csv").read_text().splitlines()[:2] == [
        "topic,a,b,winner,first,judge,replicate,status,model", "t0,d0,d1,a,a,judge,1,ok,judge",
    ]  # fmt: skip


# ---------------------------------------------------------------------- by batch files


def answered(folder: Path, name: str, lines: list[str]) -> None:
    """What a provider writes for a batch file: in another order, some failed."""
    rows = []
    for at, line in enumerate(reversed(lines)):
        request = json.loads(line)
        body = as_asked(request["body"], 0)
        done = {"status_code": 200, "request_id": f"r{at}", "body": body}
        failed = {"status_code": 500, "request_id": f"r{at}", "body": {"error": {"message": "oops"}}}
        response = failed if at == 0 and name == "first.jsonl" else done
        rows.append({"id": f"b{at}", "custom_id": request["custom_id"], "response": response, "error": None})
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_batch_gives_the_same_labels(run: Run, folder: Path) -> None:
    """Guards the batch way: requests are those that would be asked, answers go by name, the rest comes next."""
    with served() as server:
        assert run(*command(server, "-o", "live.csv"))[0] == 0
        bodies = sorted(json.dumps(body) for body in server.requests)
        words = command(server, "-o", "llm.csv")
        code, _, err = run(*words, "--batch", "requests.jsonl")
        assert (code, "requests.jsonl: 12 requests" in err) == (0, True)
        lines = (folder / "requests.jsonl").read_text().splitlines()
        assert sorted(json.dumps(json.loads(line)["body"]) for line in lines) == bodies
        assert {json.loads(line)["url"] for line in lines} == {"/v1/chat/completions"}
        answered(folder, "first.jsonl", lines)
        code, _, err = run(*words, "--collect", "first.jsonl")
        assert (code, "11 ok, 1 failed" in err) == (0, True)
        assert "1 request of the batch failed (the last: HTTP 500: oops)" in err
        assert "the next --batch FILE has what failed" in err
        assert run(*words, "--batch", "rest.jsonl")[0] == 0
        rest = (folder / "rest.jsonl").read_text().splitlines()
        assert len(rest) == 1
        answered(folder, "second.jsonl", rest)
        assert run(*words, "--collect", "second.jsonl")[0] == 0
        assert len(server.requests) == 12, "a batch asks nothing"
    assert (folder / "llm.csv").read_bytes() == (folder / "live.csv").read_bytes()


def test_a_batch_of_another_run_is_refused(run: Run, folder: Path) -> None:
    """Guards mix-ups: answers to other requests, and files that are none, are told with what to give."""
    words = command("http://localhost:1/v1", "-o", "llm.csv")
    assert run(*words, "--batch", "requests.jsonl")[0] == 0
    answered(folder, "answers.jsonl", (folder / "requests.jsonl").read_text().splitlines())
    code, _, err = run(*words, "--seed", "9", "--collect", "answers.jsonl")
    assert (code, "no answer of this run is in the file" in err) == (2, True)
    (folder / "answers.jsonl").write_text("topic,doc\n")
    code, _, err = run(*words, "--collect", "answers.jsonl")
    assert (code, "answers.jsonl:1: not a JSON object" in err) == (2, True)
    code, _, err = run(*words, "--collect", "requests.jsonl")
    assert (code, "requests.jsonl:1: these are requests of a batch, not answers" in err) == (2, True)
    code, _, err = run(*words, "--collect", "docs.jsonl")
    assert (code, "docs.jsonl:1: these are no answers to a batch" in err) == (2, True)
    code, _, err = run(*words, "--price", "1,2", "--max-cost", "1", "--batch", "b.jsonl")
    assert (code, "--max-cost does not apply to a batch" in err, "judge run --dry-run" in err) == (2, True, True)


def test_a_bad_request_in_a_batch_is_not_taken_for_a_long_text(run: Run, folder: Path) -> None:
    """Guards what is final: a batch and a live run read refusals alike, and a bad request is asked again."""
    words = command("http://localhost:1/v1", "-o", "llm.csv")
    assert run(*words, "--batch", "requests.jsonl")[0] == 0
    said = ["in this context max_tokens is wrong", "maximum context length is 8 tokens", "content policy violated"]
    rows = []
    for at, line in enumerate((folder / "requests.jsonl").read_text().splitlines()):
        request = json.loads(line)
        done = {"status_code": 200, "body": as_asked(request["body"], 0)}
        refused = {"status_code": 400, "body": {"error": {"message": said[at] if at < 3 else ""}}}
        rows.append({"custom_id": request["custom_id"], "response": refused if at < 3 else done})
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    err = run(*words, "--collect", "answers.jsonl")[2]
    assert "9 ok, 1 refused, 1 too_long, 1 failed" in err
    assert "answers.jsonl: 1 request of the batch failed" in err
    assert "of no request" not in err  # as there is none


def test_texts_that_are_missing_are_named(run: Run, folder: Path) -> None:
    """Guards ids: topics and documents without a text are both named, and nuggets without an answer are counted."""
    here = "http://localhost:1/v1"
    (folder / "some.csv").write_text("topic,doc\nt0,d0\nt9,d0\nt0,gone\n")
    err = run(*command(here, "-o", "x.csv", "--dry-run", pool="some.csv"))[2]
    assert "topics t9 have none in topics.jsonl, documents or answers gone have none in docs.jsonl" in err
    (folder / "nuggets.csv").write_text("topic,nugget\nt0,one\nt1,two\nt1,three\n")
    (folder / "answers.csv").write_text("topic,system,answer\nt0,old,Tea.\n")
    words = command(here, "-o", "x.csv", "--dry-run", pool="nuggets.csv", prompt="nuggets")
    words[words.index("docs.jsonl")] = "answers.csv"
    assert "2 nuggets of 3 are not judged: answers.csv has no answer to topics t1" in run(*words)[2]
    (folder / "answers.csv").write_text("topic,system,answer\nt0,old,Tea.\nt1,,Coffee.\n")
    code, _, err = run(*words)
    assert (code, "answers.csv:3: 1 answer without a system" in err) == (2, True)


def test_claims_need_no_topic_where_the_prompt_has_none(run: Run, folder: Path) -> None:
    """Guards prompts of claims: the text of a topic is wanted only where there is a field for it."""
    (folder / "claims.csv").write_text("topic,claim,doc\nnone,Tea is green.,d0\n")
    prompt = (
        'name = "c"\nversion = "1"\ntask = "claims"\nuser = "{claim} {document} {labels}"\n[labels]\n1 = "y"\n0 = "n"\n'
    )
    (folder / "c.toml").write_text(prompt)
    words = command("http://localhost:1/v1", "-o", "x.csv", "--dry-run", pool="claims.csv", prompt="c.toml")
    assert run(*words)[0] == 0
    assert run(*words[: words.index("c.toml")], "claims", *words[words.index("c.toml") + 1 :])[0] == 2


def test_each_model_has_a_batch_file(run: Run, folder: Path) -> None:
    """Guards panels by batch: providers take one model a file."""
    words = command("http://localhost:1/v1", "-o", "llm.csv", "--model", "a/1", "--model", "b")
    code, _, err = run(*words, "--batch", "requests.jsonl")
    assert code == 0
    assert "requests.a-1.jsonl: 12 requests" in err
    texts = [(folder / f"requests.{name}.jsonl").read_text() for name in ("a-1", "b")]
    models = [{json.loads(line)["body"]["model"] for line in text.splitlines()} for text in texts]
    assert models == [{"a/1"}, {"b"}]


# ---------------------------------------------------------------------- Ctrl-C, and what a terminal shows


def process(folder: Path, words: list[str], **more: int) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    environment = {**os.environ, "NO_PROXY": "*", "COLUMNS": "150", "TERM": "xterm"}
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([sys.executable, "-m", "truegain", *words], cwd=folder, env=environment, **streams)  # type: ignore[call-overload,no-any-return]


def until(server: JudgeServer, requests: int) -> None:
    """Wait until so many requests came."""
    end = time.monotonic() + 60
    while len(server.requests) < requests:
        assert time.monotonic() < end, "the command asks nothing"
        time.sleep(0.005)


@pytest.mark.slow
def test_ctrl_c_ends_cleanly_and_the_same_command_goes_on(folder: Path) -> None:
    """Guards Ctrl-C: requests in flight are waited for and stored, nothing is written, and nothing is asked twice."""
    with served(delay=0.05) as server:
        words = command(server, "-o", "llm.csv", "--repeat", "10", "--temperature", "0", "--concurrency", "4")
        started = process(folder, words)
        until(server, 30)
        started.send_signal(signal.SIGINT)
        _, told = started.communicate(timeout=30)
        assert started.returncode == 130
        lines = told.decode().splitlines()
        assert "in flight, whose answers are paid for; press Ctrl-C again to abandon them" in lines[0]
        asked = len(server.requests)
        assert f"interrupted: {asked} answers are kept in llm.answers.sqlite; the same command continues" in lines[1]
        assert lines[1].endswith("nothing was written")
        assert len(lines) == 2
        assert not (folder / "llm.csv").exists()
        server.delay = 0.0
        again = process(folder, words)
        assert again.wait(60) == 0
        again.communicate()
    assert len(server.requests) == 120
    assert asked < 120


@pytest.mark.slow
def test_ctrl_c_waits_for_the_first_answer(folder: Path) -> None:
    """Guards what is paid for: also while it is tried out how a model is asked, the answer in flight is stored."""
    with served(delay=0.7) as server:
        words = command(server, "-o", "llm.csv")
        started = process(folder, words)
        until(server, 1)
        started.send_signal(signal.SIGINT)
        _, told = started.communicate(timeout=30)
        assert started.returncode == 130
        assert "interrupted: waiting for 1 request in flight" in told.decode()
        assert "1 answer is kept in llm.answers.sqlite" in told.decode()
        server.delay = 0.0
        again = process(folder, words)
        assert again.wait(60) == 0
        again.communicate()
    assert len(server.requests) == 12


@pytest.mark.slow
def test_a_terminal_shows_how_far_it_is(folder: Path) -> None:
    """Guards the progress bar: calls, rate, cost and time left; and a second Ctrl-C that does not wait."""
    ours, theirs = pty.openpty()
    with served(delay=0.2) as server:
        words = command(server, "-o", "llm.csv", "--repeat", "20", "--price", "100,100", "--concurrency", "2")
        started = process(folder, words, stderr=theirs)
        os.close(theirs)
        until(server, 20)
        server.delay = 20.0
        time.sleep(0.5)
        started.send_signal(signal.SIGINT)
        time.sleep(0.5)
        started.send_signal(signal.SIGINT)
        assert started.wait(10) == 130
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    text = shown.decode(errors="replace")
    assert "/240" in text
    assert "a minute" in text
    assert "cost 0." in text
    assert "s left" in text
    assert "the same command continues" in text
