"""Asking a server: its faults, its habits, and what is made of them; on a real connection to a server in a thread."""

from __future__ import annotations

import contextlib
import csv
import json
import socket
import sqlite3
import time
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import truegain as tg
from tests.llm.served import (
    Answer,
    Behavior,
    Body,
    JudgeServer,
    as_asked,
    completion,
    error,
    label_for,
    labels_of,
    served,
    user_text,
    write_study,
)
from truegain.errors import DataWarning, TruegainError
from truegain.llm import Asking, JudgeCosts, JudgeRun, JudgeSetup, Pace, run_judge
from truegain.llm import client as client_module
from truegain.llm import run as run_module
from truegain.llm.store import AnswerStore

pytestmark = pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
QUICK = Pace(concurrency=4, retries=4, timeout=10)


def judged(folder: Path, server: JudgeServer | str, **more: Any) -> JudgeRun:
    """The study of a folder, judged by a server."""
    options: dict[str, Any] = {
        "prompt": "graded",
        "models": ["judge"],
        "pace": QUICK,
        "output": folder / "llm.csv",
        **more,
    }
    url = server if isinstance(server, str) else server.url
    texts: dict[str, Any] = {"topics": folder / "topics.jsonl", "docs": folder / "docs.jsonl"}
    return run_judge(options.pop("pool", folder / "pool.csv"), url=url, **texts, **options)


def rows(folder: Path, name: str = "llm.csv") -> list[dict[str, str]]:
    """The labels that were written."""
    with (folder / name).open() as file:
        return list(csv.DictReader(file))


def often(*faults: Answer) -> Behavior:
    """A server that has a fault for each request the first times, and answers then."""
    seen: Counter[str] = Counter()

    def behave(body: Body, number: int) -> Answer | str | Body:
        seen[user_text(body)] += 1
        at = seen[user_text(body)] - 1
        return faults[at] if at < len(faults) else as_asked(body, number)

    return behave


# ---------------------------------------------------------------------- faults that pass


WHOLE = json.dumps(completion('{"label": "3"}')).encode()
BY_WORDS = "You exceeded your current quota, please check your plan and billing details. Please retry in 5ms."
FAULTS = {
    "429 in words": error(429, BY_WORDS),
    "429": error(429, "slow down", retry_after_ms="5"),
    "500": error(500, "oops"),
    "502": Answer(502, b"<html>bad gateway</html>"),
    "503": error(503, "busy", Retry_After="0"),
    "408": error(408, "time-out"),
    "409": error(409, "conflict"),
    "cut body": Answer(200, WHOLE, cut=40),
    "no JSON": Answer(200, b'{"choices": [{"mess'),
    "a page": Answer(200, b"<html>welcome</html>"),
    "no choices": Answer(200, b'{"detail": "later"}'),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_leaves_no_trace(folder: Path, fault: str) -> None:
    """Guards retries: each item has the label that a server without faults gives it, and the faults are counted."""
    with served() as server:
        judged(folder, server, output=folder / "sound.csv")
    with served(often(FAULTS[fault], FAULTS[fault])) as server:
        run = judged(folder, server)
    assert (run.statuses, run.requests, run.repeated) == ({"ok": 12}, 36, 24)
    assert (folder / "llm.csv").read_bytes() == (folder / "sound.csv").read_bytes()


def test_a_server_that_asks_to_wait_is_left_alone(folder: Path) -> None:
    """Guards Retry-After: no thread asks before the time is over."""
    refusal = error(429, "slow down", retry_after_ms="300")
    with served(lambda body, n: refusal if n == 6 else as_asked(body, n)) as server:
        run = judged(folder, server, pace=Pace(concurrency=4))
    assert (run.labels, run.repeated) == (12, 1)
    waits = [b - a for a, b in zip(server.times[6:], server.times[7:], strict=False)]
    assert max(waits) > 0.2  # less than 0.3: the last one in flight may come some time after the refusal
    assert len(server.times) - 7 - waits.index(max(waits)) >= 3  # all but those in flight came after it


def test_a_time_out_is_tried_again(folder: Path) -> None:
    """Guards servers that hang: after the time-out the same is asked again, with the same Idempotency-Key."""
    import time

    first: list[bool] = []

    def behave(body: Body, number: int) -> Body:
        if not first:
            first.append(True)
            time.sleep(0.5)
        return as_asked(body, number)

    with served(behave) as server:
        run = judged(folder, server, pace=Pace(concurrency=2, timeout=0.2))
    assert (run.labels, run.requests) == (12, 12 + run.repeated)
    assert run.repeated >= 1
    read = tg.read_judgments(folder / "llm.csv")
    assert run.judgments().label.tolist() == read.label.tolist()
    assert run.judgments().docs.strings() == read.docs.strings()
    assert server.headers[0]["idempotency-key"] == server.headers[1]["idempotency-key"]


# ---------------------------------------------------------------------- what ends a run


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (error(401, "Incorrect API key provided"), "does not accept the key .*TRUEGAIN_API_KEY"),
        (error(403, "forbidden"), "does not accept the key"),
        (error(404, "The model `judge` does not exist", "model_not_found"), "has no such model"),
        (error(404, "not found"), "addresses mostly end in /v1"),
        (error(400, "unknown model judge"), "has no such model"),
        (error(400, "messages: wrong"), "refuses the request .*messages: wrong"),
        (Answer(307, b"", {"Location": "http://elsewhere/v1"}), "sends us elsewhere"),
    ],
)
def test_what_no_request_would_be_answered_for_ends_at_once(folder: Path, fault: Answer, says: str) -> None:
    """Guards time and money: a wrong key, address, model or request ends the run, and no labels are written."""
    with served(lambda *_: fault) as server, pytest.raises(TruegainError, match=says):
        judged(folder, server)
    assert len(server.requests) <= 3
    assert not (folder / "llm.csv").exists()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (error(402, "payment required"), "no quota left"),
        (error(429, "You exceeded your current quota", "insufficient_quota"), "no quota left"),
        (error(429, "requests a day", Retry_After="7200"), "asks to wait 120 minutes"),
    ],
)
def test_no_quota_left_keeps_what_there_is(folder: Path, fault: Answer, says: str) -> None:
    """Guards what was paid for: the run stops, the labels so far are written, and the same call asks for the rest."""
    with served(lambda body, n: as_asked(body, n) if n < 5 else fault) as server:
        run = judged(folder, server, pace=Pace(concurrency=1))
        assert says in run.stopped
        assert run.statuses == {"ok": 5, "not_asked": 7}
        assert [row["label"] for row in rows(folder)[5:]] == [""] * 7
        server.behave = as_asked
        again = judged(folder, server)
    assert (again.statuses, again.requests, again.stopped) == ({"ok": 12}, 7, "")


def test_a_rate_limit_is_not_an_outage(folder: Path) -> None:
    """Guards the remedy: a server that only asks to be slower is there, and so is one with an error of its own."""
    says = r"asks to be slower.*HTTP 429.*\. Give requests_per_minute, a lower concurrency or more retries"
    slower = error(429, "slow down", retry_after_ms="1")
    with served(lambda *_: slower) as server, pytest.raises(TruegainError, match=says):
        judged(folder, server, pace=Pace(concurrency=1, retries=1))
    with (
        served(lambda *_: error(502, "oops")) as server,
        pytest.raises(TruegainError, match=r"server failed .HTTP 502: oops"),
    ):
        judged(folder, server, pace=Pace(concurrency=1, retries=0))


def test_a_refusal_says_nothing_of_tokens(folder: Path) -> None:
    """Guards the limit of costs: after a first answer that a filter refused, prompts are still set apart."""
    refusal = error(400, "blocked by the content filter", "content_filter")
    texts = {"d0": "tea", "d1": "long " * 2000}
    (folder / "docs.jsonl").write_text("".join(json.dumps({"id": d, "text": x}) + "\n" for d, x in texts.items()))
    (folder / "pool.csv").write_text("topic,doc\nt0,d0\nt0,d1\n")
    costs = JudgeCosts(price=["1,0"], max_cost=0.001)  # enough for the short text, not for the long one
    with served(lambda body, n: refusal if n == 0 else as_asked(body, n)) as server:
        with pytest.raises(TruegainError, match="could pass the limit of max_cost"):
            judged(folder, server, costs=costs, pace=Pace(concurrency=1, retries=0))
        assert len(server.requests) == 1


def test_an_answer_without_a_label_is_quoted(folder: Path) -> None:
    """Guards the error of a run without labels: it shows what the model says."""
    said = "I think that it is\nquite good. " + "Really. " * 100
    says = r"one answer: .I think that it is quite good\. Really"
    with served(lambda *_: completion(said)) as server, pytest.raises(TruegainError, match=says) as caught:
        judged(folder, server, pace=Pace(concurrency=1, retries=0))
    assert len(str(caught.value)) < 400


def test_an_unknown_price_is_no_cost_of_0(folder: Path) -> None:
    """Guards panels: where the price of one model is not known, neither is the cost."""
    costs = JudgeCosts(price=["judge=1,2"])
    with served() as server, pytest.warns(DataWarning, match="the price of other is not known"):
        run = judged(folder, server, models=["judge", "other"], costs=costs)
    assert run.cost is None
    assert json.loads((folder / "llm.provenance.json").read_text())["cost"] is None
    pool, topics, docs = (folder / name for name in ("pool.csv", "topics.jsonl", "docs.jsonl"))
    models, url = ["judge", "other"], "http://localhost:1/v1"
    setup = JudgeSetup(pool, topics, docs, "graded", models, url, str(folder / "x"), costs=costs)
    table = setup.dry_run()
    assert [row[7] is None for row in table.rows] == [False, True]
    assert any("price of other is not known" in note for note in table.notes)


def test_a_server_that_is_gone_is_told(folder: Path) -> None:
    """Guards outages: nothing judged is an error without labels, and never a table of zeros."""
    with served() as server:
        gone = server.url
    with pytest.raises(
        TruegainError, match=r"Nothing was judged: .* does not answer .no connection.\. Check that it runs, and url"
    ):
        judged(folder, gone)
    assert not (folder / "llm.csv").exists()


def test_a_server_that_hangs_is_told_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a server that takes connections and says nothing: told after a while, given up after two requests."""
    monkeypatch.setattr(run_module, "QUIET", 0.2)
    told: list[tuple[float, str]] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url, began = f"http://127.0.0.1:{silent.getsockname()[1]}/v1", time.monotonic()
        pool, topics, docs = (folder / name for name in ("pool.csv", "topics.jsonl", "docs.jsonl"))
        pace = Pace(concurrency=8, retries=4, timeout=0.8)
        setup = JudgeSetup(pool, topics, docs, "graded", ["judge"], url, str(folder / "x"), pace=pace)
        with pytest.raises(
            TruegainError, match=r"does not answer .no answer within the time-out.\. Check that it runs"
        ):
            setup.run(tell=lambda text: told.append((time.monotonic() - began, text)))
        silent.settimeout(0.1)
        taken = 0
        with contextlib.suppress(TimeoutError):
            while True:
                silent.accept()[0].close()
                taken += 1
    assert [text.split(" has ")[1][:26] for _, text in told] == ["answered nothing for 0.2 s"]
    assert "given up after 2 requests of 0.8 s" in told[0][1]
    assert taken == 2


def test_a_page_in_place_of_answers_is_told(folder: Path) -> None:
    """Guards an address that has a page, which does answer."""
    page = Answer(200, b"<html>log in</html>", {})
    with (
        served(lambda _body, _n: page) as server,
        pytest.raises(TruegainError, match=r"answers with a page of HTML\. Check url: it must be that of a model"),
    ):
        judged(folder, server, pace=Pace(concurrency=1, retries=0))


def test_an_outage_in_the_middle_ends_the_run(folder: Path) -> None:
    """Guards outages: after some requests in a row without an answer the run ends, and says what is missing."""
    with served(lambda body, n: as_asked(body, n) if n < 4 else error(503, "down")) as server:
        run = judged(folder, server, pace=Pace(concurrency=1, retries=1))
    assert run.stopped == "the server failed (HTTP 503: down (error))"
    assert run.statuses["ok"] == 4
    assert set(run.statuses) == {"ok", "failed", "not_asked"}


def test_nothing_but_refusals_is_an_error(folder: Path) -> None:
    """Guards against labels made of nothing: where no answer has a label, none is written."""
    with served(lambda *_: "I'm sorry, I can't.") as server, pytest.raises(TruegainError) as caught:
        judged(folder, server, pace=Pace(retries=1))
    assert "nothing was judged (12 refused)" in str(caught.value)
    assert not (folder / "llm.csv").exists()


def test_one_item_that_is_refused_ends_no_run(folder: Path) -> None:
    """Guards the others: a request that alone is wrong fails alone; where several in a row are, the run ends."""

    def behave(body: Body, number: int) -> Answer | Body:
        return error(400, "invalid character") if "hill 2" in user_text(body) else as_asked(body, number)

    with (
        served(behave) as server,
        pytest.warns(DataWarning, match="the server's last error: HTTP 400"),
    ):
        run = judged(folder, server, pace=Pace(concurrency=1))
    assert run.statuses == {"ok": 9, "failed": 3}
    with served(lambda body, n: as_asked(body, n) if n < 4 else error(400, "invalid")) as server:
        with pytest.raises(TruegainError, match=r"refuses the request .HTTP 400: invalid"):
            judged(folder, server, pace=Pace(concurrency=1), output=folder / "other.csv")
        assert len(server.requests) == 4 + 3


def test_a_server_that_asks_to_slow_down_often_is_obeyed(folder: Path) -> None:
    """Guards rate limits: refusals for now do not use up the tries of a request as failures do."""
    slow = error(429, "slow down", retry_after_ms="1")
    with served(often(*[slow] * 5)) as server:
        run = judged(folder, server, pace=Pace(concurrency=2, retries=2))
    assert (run.labels, run.requests) == (12, 12 * 6)
    with (
        served(often(*[error(500, "oops")] * 5)) as server,
        pytest.raises(TruegainError, match="Nothing was judged"),
    ):
        judged(folder, server, pace=Pace(concurrency=2, retries=1), output=folder / "other.csv")


@pytest.mark.parametrize(
    ("url", "proxy"),
    [("http://elsewhere/v1", "http://p:1"), ("https://elsewhere/v1", "http://q:2"), ("http://localhost:8000/v1", None)],
)
def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch, url: str, proxy: str | None) -> None:
    """Guards people behind a proxy: by the scheme of the address, and not for hosts that no_proxy names."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (("http_proxy", "http://p:1"), ("https_proxy", "http://q:2"), ("no_proxy", "localhost")):
        monkeypatch.setenv(name, value)
    assert client_module.proxy_for(url) == proxy


# ---------------------------------------------------------------------- answers without a label


STATUS_OF = {
    "d1": ("refused", completion(None, message={"refusal": "no"})),
    "d2": ("length", completion("", "length")),
    "d3": ("off_scale", completion('{"label": "9"}')),
}


def test_answers_without_a_label_are_asked_again_and_then_missing(folder: Path) -> None:
    """Guards statuses: each is asked for again with another seed, kept, and empty in the output."""

    def behave(body: Body, number: int) -> Body:
        at = user_text(body).partition("about teas of hill ")[2][0]
        return STATUS_OF[f"d{at}"][1] if at != "0" else as_asked(body, number)

    with served(behave) as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        run = judged(folder, server, pace=Pace(retries=2))
        assert run.statuses == {"ok": 3, "refused": 3, "length": 3, "off_scale": 3}
        assert {row["doc"]: (row["label"], row["status"]) for row in rows(folder) if row["doc"] != "d0"} == {
            doc: ("", status) for doc, (status, _) in STATUS_OF.items()
        }
        seeds = Counter(body["seed"] for body in server.requests)
        assert len(server.requests) == run.requests == 3 + 9 * 3
        assert sorted(seeds.values()) == [9, 9, 12]
        judged(folder, server, pace=Pace(retries=2))
    assert len(server.requests) == 3 + 9 * 3, "what was asked for and has no label is not asked for again"
    told = " ".join(str(w.message) for w in caught)
    assert "9 of 12 labels are missing (3 refused, 3 length, 3 off_scale)" in told
    assert "3 answers reached the limit of 4,096 tokens before the label" in told


def test_an_answer_that_comes_the_second_time_counts(folder: Path) -> None:
    """Guards asking again: a label of a later answer is taken, and both answers were paid for."""
    empty = Answer(200, json.dumps(completion("")).encode())
    with served(lambda body, n: as_asked(body, n) if body["seed"] > 10 or n < 1 else empty) as server:
        run = judged(folder, server)
    assert run.statuses == {"ok": 12}
    assert run.tokens() == (300 * 23, 6 * 23)


def test_a_prompt_that_is_too_long_is_not_asked_again(folder: Path) -> None:
    """Guards money: what the model cannot take, and what a filter stops, ends no run and is known the next time."""
    long = error(400, "This model's maximum context length is 8192 tokens", "context_length_exceeded")
    stopped = error(400, "The response was filtered due to the content management policy", "content_filter")

    def behave(body: Body, number: int) -> Answer | Body:
        text = user_text(body)
        return long if "hill 1" in text else stopped if "hill 2" in text else as_asked(body, number)

    with served(behave) as server:
        run = judged(folder, server, pace=Pace(retries=0))
        count = len(server.requests)
        judged(folder, server, pace=Pace(retries=0))
    assert run.statuses == {"ok": 6, "refused": 3, "too_long": 3}
    assert len(server.requests) == count == 12


def test_what_has_no_text_is_not_asked(folder: Path) -> None:
    """Guards missing texts: they are counted and have a status; where all are missing, that is an error."""
    (folder / "pool.csv").write_text("topic,doc\nt0,d0\nt0,nobody\nt9,d0\n")
    with served() as server:
        with pytest.warns(DataWarning, match=r"2 items of 3 have no text .first: topic t0, doc nobody."):
            run = judged(folder, server)
        assert run.statuses == {"ok": 1, "no_text": 2}
        assert run.calls == run.requests == 1
        (folder / "pool.csv").write_text("topic,doc\nt0,nobody\n")
        with pytest.raises(TruegainError, match="1 item of 1 has no text"):
            judged(folder, server)
    assert len(server.requests) == 1


# ---------------------------------------------------------------------- how a model is asked


def test_a_server_without_schemas_is_asked_for_a_line(folder: Path) -> None:
    """Guards older servers: the way is tried out once, by one request each, kept, and used for all."""

    def behave(body: Body, number: int) -> Answer | Body:
        if "response_format" in body or "guided_choice" in body:
            return error(400, "Unrecognized request argument supplied: response_format")
        return as_asked(body, number)

    with served(behave) as server:
        run = judged(folder, server)
        assert (run.labels, len(server.requests), run.ways["judge"]["way"]) == (12, 14, "line")
        judged(folder, server, asking=Asking(seed=5))
    assert len(server.requests) == 14 + 12
    assert all("Label: X" in user_text(body) for body in server.requests[2:])


def test_a_server_that_ignores_schemas_is_noticed(folder: Path) -> None:
    """Guards servers that take every parameter and heed none: an answer that is no label leads to the next way."""

    def behave(body: Body, _: int) -> Body:
        said = "Label: " in user_text(body)
        return completion(f"It is fine.\nLabel: {label_for(body)}" if said else "It is fine, I would say.")

    with served(behave) as server:
        run = judged(folder, server)
    assert (run.labels, run.ways["judge"]["way"]) == (12, "line")


def test_a_model_that_reasons_is_asked_as_it_wants(folder: Path) -> None:
    """Guards models that refuse usual parameters: what the server names is left out or called otherwise, and kept."""

    def behave(body: Body, number: int) -> Answer | Body:
        if "max_tokens" in body:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        for name in ("temperature", "seed"):
            if name in body:
                return error(400, f"Unsupported value: '{name}' does not support 0 with this model.")
        return as_asked(body, number)

    with served(behave) as server:
        run = judged(folder, server)
    assert run.ways["judge"] == {"way": "schema", "limit": "max_completion_tokens", "without": ["temperature", "seed"]}
    assert (run.labels, len(server.requests)) == (12, 15)
    assert server.requests[-1]["max_completion_tokens"] == 4096


def test_a_small_context_lowers_the_limit_of_answers(folder: Path) -> None:
    """Guards small models: a limit of tokens that does not fit beside the prompt is lowered once, told and kept."""

    def behave(body: Body, number: int) -> Answer | Body:
        if body["max_tokens"] > 4096 - 300:
            told = "'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens"
            return error(400, f"{told} and your request has 300 input tokens")
        return as_asked(body, number)

    with (
        served(behave) as server,
        pytest.warns(DataWarning, match="judge takes at most 2,048 tokens of an answer here"),
    ):
        run = judged(folder, server)
    assert (run.statuses, len(server.requests)) == ({"ok": 12}, 13)
    assert run.ways["judge"] == {"way": "schema", "most": 2048}


def test_a_long_text_does_not_decide_how_a_model_is_asked(folder: Path) -> None:
    """Guards the trial: it takes a short text; where none fits, no limit is kept that helped nothing."""
    texts = [{"id": f"d{d}", "text": ("long " if d < 3 else "") * 500 + f"hill {d}"} for d in range(4)]
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in texts))
    long = error(400, "max_tokens must be at least 1, got -186.")

    def behave(body: Body, number: int) -> Answer | Body:
        return long if "long long" in user_text(body) else as_asked(body, number)

    with served(behave) as server:
        run = judged(folder, server, pace=Pace(retries=0))
    assert (run.statuses, len(server.requests)) == ({"ok": 3, "too_long": 9}, 12)
    assert run.ways["judge"] == {"way": "schema"}


def test_a_server_that_fails_on_schemas_is_asked_otherwise(folder: Path) -> None:
    """Guards servers that answer 500 to what they do not know."""
    with served(lambda body, n: error(500, "oops") if "response_format" in body else as_asked(body, n)) as server:
        run = judged(folder, server, pace=Pace(retries=1))
    assert (run.labels, run.ways["judge"]["way"]) == (12, "choice")


# ---------------------------------------------------------------------- replicates, panels, soft labels, pairs


def test_replicates_have_seeds_of_their_own(folder: Path) -> None:
    """Guards replicates: each has its seed and its answer, at a temperature that leaves something to chance."""

    def behave(body: Body, _: int) -> Body:
        return completion(json.dumps({"label": str(body["seed"] % 2)}))

    with served(behave) as server:
        run = judged(folder, server, asking=Asking(repeat=3))
    assert Counter(row["replicate"] for row in rows(folder)) == {"1": 12, "2": 12, "3": 12}
    assert {(row["replicate"], row["label"]) for row in rows(folder)} == {("1", "1"), ("2", "0"), ("3", "1")}
    assert {body["temperature"] for body in server.requests} == {1.0}
    assert run.copies() == (12, 0)


def test_copies_are_told(folder: Path) -> None:
    """Guards replicates that are none: a server that ignores seeds gives copies, which is told."""
    with served() as server, pytest.warns(DataWarning, match="all 3 answers are the same text for every item"):
        run = judged(folder, server, asking=Asking(repeat=3, temperature=0))
    assert run.copies() == (12, 12)
    assert len(server.requests) == 36


def test_a_panel_is_several_assessors(folder: Path) -> None:
    """Guards panels: each model is an assessor, by the name that it was asked by; who answered is in the provenance."""

    def behave(body: Body, number: int) -> Body:
        return {**as_asked(body, number), "model": f"{body['model']}-2026" if body["model"] == "a" else "quite-other"}

    with served(behave) as server, pytest.warns(DataWarning, match="b was asked, and the server says that quite-other"):
        judged(folder, server, models=["a", "b"])
    assert Counter((row["assessor"], row["model"]) for row in rows(folder)) == {("a", "a"): 12, ("b", "b"): 12}
    facts = json.loads((folder / "llm.provenance.json").read_text())
    assert {name: m["answered"] for name, m in facts["models"].items()} == {
        "a": {"a-2026": 12},
        "b": {"quite-other": 12},
    }
    assert facts["models"]["a"]["fingerprints"] == {"fp_1": 12}
    assert facts["prompt"]["digest"].startswith("sha-")


def test_soft_labels(folder: Path) -> None:
    """Guards soft labels: probabilities are asked for, and the expected label and the mass outside are written."""
    top = [{"token": t, "logprob": p} for t, p in (("2", -0.6931472), ("1", -1.3862944), ("x", -1.3862944))]
    logprobs = {"content": [{"token": "2", "logprob": -0.6931472, "top_logprobs": top}]}
    with served(lambda *_: completion("2", choice={"logprobs": logprobs})) as server:
        run = judged(folder, server, asking=Asking(soft=True))
    assert all(body["logprobs"] is True and body["top_logprobs"] == 20 for body in server.requests)
    assert {(row["label"], row["outside"]) for row in rows(folder)} == {(repr(run.outcomes[0].parsed.value), "0.25")}
    assert run.outcomes[0].parsed.value == pytest.approx(5 / 3, abs=1e-6)


def test_answers_that_are_all_cut_off_say_which_limit_to_raise(folder: Path) -> None:
    """Guards the remedy: the limit of an answer's tokens, or of the texts', is what to change, not model and prompt."""
    with (
        served(lambda *_: completion("```json", "length")) as server,
        pytest.raises(TruegainError, match=r"\(12 length\); no labels are written; raise max_tokens \(3\); one answer"),
    ):
        judged(folder, server, asking=Asking(max_tokens=3), pace=Pace(retries=0))
    says = "request (3582 tokens) exceeds the available context size (2048 tokens), try increasing it"  # of llama.cpp
    with (
        served(lambda *_: error(400, says, "exceed_context_size_error")) as server,
        pytest.raises(TruegainError, match=r"\(12 too_long\); no labels are written; lower text_tokens \(4,000\)"),
    ):
        judged(folder, server)


@pytest.mark.parametrize("name", ["structured_outputs", "guided_choice", "grammar"])
def test_soft_labels_of_a_model_that_talks(folder: Path, name: str) -> None:
    """Guards servers that heed one name for a choice and ignore all others: vLLM since 0.12, before, and llama.cpp."""

    def behave(body: Body, _: int) -> Body:
        heeded = {
            "structured_outputs": {"choice": labels_of(body)}, "guided_choice": labels_of(body),
            "grammar": "root ::= " + " | ".join(f'"{label}"' for label in labels_of(body)),
        }[name]  # fmt: skip
        if body.get(name) != heeded:
            return completion("The document serves the need, and the need is about the subject.")
        top = [{"token": "1", "logprob": -2.0}, {"token": "The", "logprob": -2.3}]
        ends = {"token": "", "logprob": -4.9, "top_logprobs": [{"token": ".", "logprob": -0.6}]}  # as llama.cpp has it
        logprobs = {"content": [{"token": "1", "logprob": -2.0, "top_logprobs": top}, ends]}
        return completion("1", choice={"logprobs": logprobs})

    with served(behave) as server:
        run = judged(folder, server, asking=Asking(soft=True))
    assert (run.statuses, run.ways["judge"]["way"], len(server.requests)) == ({"ok": 12}, "choice", 12)


def test_soft_labels_that_a_server_does_not_give_are_refused(folder: Path) -> None:
    """Guards soft labels: a server without probabilities, and labels that are words, are told."""
    with served(lambda *_: "2") as server:
        with pytest.raises(TruegainError, match="it answers without them"):
            judged(folder, server, asking=Asking(soft=True))
        assert len(server.requests) == 2
    with served(lambda *_: error(400, "logprobs is not supported by this model")) as server:
        with pytest.raises(TruegainError, match="the server gives no probabilities of tokens"):
            judged(folder, server, asking=Asking(soft=True))
        write_answers(folder)
        with pytest.raises(TruegainError, match="the labels of the prompt nuggets are words"):
            judged(folder, server, asking=Asking(soft=True), prompt="nuggets", pool=folder / "nuggets.jsonl")


def write_answers(folder: Path) -> None:
    """Answers of two systems, pairs of them, nuggets, and claims."""
    answers = [{"topic": f"t{t}", "system": s, "answer": f"{s} says {t}"} for t in range(3) for s in ("old", "new")]
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    (folder / "pairs.csv").write_text("topic,a,b\n" + "".join(f"t{t},old,new\n" for t in range(3)))
    nuggets = [{"qid": f"t{t}", "nugget": f"fact {n}", "importance": "vital"} for t in range(3) for n in range(2)]
    (folder / "nuggets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in nuggets))


def by_content(body: Body, _: int) -> Body:
    """A judge of pairs that prefers the new system, wherever it is shown, but on topic 1 what is shown first."""
    text = user_text(body)
    new_first = text.index("new says") < text.index("old says")
    label = "A" if "number 1" in text or new_first else "B"
    return completion(json.dumps({"label": "tie" if "number 2" in text else label}))


def test_pairs_are_asked_both_ways(folder: Path) -> None:
    """Guards preferences: both orders, the winner by its own name, flips counted, what was first is written."""
    write_answers(folder)
    with served(by_content) as server:
        run = judged(folder, server, prompt="pairwise", pool=folder / "pairs.csv")
    assert list(rows(folder)[0]) == ["topic", "a", "b", "winner", "first", "judge", "replicate", "status", "model"]
    found = [(row["topic"], row["first"], row["winner"]) for row in rows(folder)]
    assert found == [
        ("t0", "a", "b"),
        ("t0", "b", "b"),
        ("t1", "a", "a"),
        ("t1", "b", "b"),
        ("t2", "a", "tie"),
        ("t2", "b", "tie"),
    ]
    assert run.flips() == (3, 1)
    facts = json.loads((folder / "llm.provenance.json").read_text())
    assert (facts["pairs_in_both_orders"], facts["flips"]) == (3, 1)


def test_one_order_is_chosen_by_the_pair(folder: Path) -> None:
    """Guards --one-order: half the calls, neither side first by habit, and the same order the next time."""
    write_answers(folder)
    names = [f"s{n}" for n in range(40)]
    answers = [{"topic": "t0", "system": s, "answer": f"{s} says so"} for s in names]
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    (folder / "pairs.csv").write_text("topic,a,b\n" + "".join(f"t0,{a},{b}\n" for a, b in pairwise(names)))
    with served() as server:
        judged(folder, server, prompt="pairwise", pool=folder / "pairs.csv", asking=Asking(one_order=True))
    first = Counter(row["first"] for row in rows(folder))
    assert len(rows(folder)) == 39
    assert 10 <= first["a"] <= 29


def test_nuggets_and_claims(folder: Path) -> None:
    """Guards the other prompts: every answer is checked for every nugget of its topic, claims for what they cite."""
    docs = (folder / "docs.jsonl").read_text()
    write_answers(folder)
    with served() as server:
        run = judged(folder, server, prompt="nuggets", pool=folder / "nuggets.jsonl")
        assert run.statuses == {"ok": 12}
        assert [*rows(folder)[0]][:5] == ["topic", "system", "nugget", "label", "assessor"]
        assert {row["label"] for row in rows(folder)} <= {"support", "partial_support", "not_support"}
        (folder / "docs.jsonl").write_text(docs)
        (folder / "claims.csv").write_text("topic,system,claim,doc\nt0,new,tea grows,d0\nt0,new,tea sinks,d0\n")
        run = judged(folder, server, prompt="claims", pool=folder / "claims.csv")
    assert [(row["claim"], row["status"]) for row in rows(folder)] == [("tea grows", "ok"), ("tea sinks", "ok")]


def test_what_is_in_memory_is_judged_as_files_are(folder: Path) -> None:
    """Guards Python: dicts and tuples give the labels that files give, and ask for nothing again."""
    topics = {f"t{t}": f"need number {t}" for t in range(3)}
    docs = {f"d{d}": f"Text {d} says something about teas of hill {d}." for d in range(4)}
    options: dict[str, Any] = {"models": ["judge"], "output": folder / "llm.csv", "pace": QUICK}
    with served() as server:
        judged(folder, server)
        before = (folder / "llm.csv").read_bytes()
        pairs = [(t, d) for t in topics for d in docs]
        pools: list[Any] = [{t: list(docs) for t in topics}, pairs, [{"topic": t, "doc": d} for t, d in pairs]]
        for pool in pools:
            run_judge(pool, topics=topics, docs=docs, prompt="graded", url=server.url, **options)
            assert (folder / "llm.csv").read_bytes() == before
        assert len(server.requests) == 12
        answers: Any = {(t, s): f"{s} says {t}" for t in topics for s in ("old", "new")}
        run = run_judge(
            [("t0", "old", "new")], topics=topics, docs=answers, prompt="pairwise", url=server.url, **options
        )
        assert run.statuses == {"ok": 2}
        with pytest.raises(TruegainError, match=r"rows for documents should be \(topic, doc\)"):
            run_judge([("t0", "old", "new")], topics=topics, docs=docs, prompt="graded", url=server.url, **options)
        again: dict[str, Any] = {"prompt": "graded", "url": server.url, **options}
        with pytest.raises(TruegainError, match=r"rows for documents should be \(topic, doc\)"):
            run_judge(["t0"], topics=topics, docs=docs, **again)  # type: ignore[arg-type]
        with pytest.raises(TruegainError, match=r"pool: there is no column doc among topic, text"):
            run_judge([{"topic": "t0", "text": "x"}], topics=topics, docs=docs, **again)
        listed: Any = [{"id": "t0", "text": "x"}]
        with pytest.raises(TruegainError, match=r"topics: cannot read a list as texts \(give a path, or a dict"):
            run_judge(pairs, topics=listed, docs=docs, **again)
        with pytest.raises(TruegainError, match=r"docs: cannot read a list as texts"):
            run_judge(pairs, topics=topics, docs=listed, **again)


def test_lists_of_nuggets_and_plain_documents_in_pairs(folder: Path) -> None:
    """Guards files as others write them: nuggets listed by topic, and documents without a header, compared in pairs."""
    (folder / "nuggets.jsonl").write_text(
        json.dumps({"qid": "t0", "nuggets": [{"text": "one"}, {"text": "two"}]}) + "\n"
    )
    (folder / "answers.jsonl").write_text(
        json.dumps({"id": 7, "topic": "t0", "run_id": "s", "answer": [{"text": "a b"}]})
    )
    (folder / "docs.tsv").write_text("d0\tone text\nd1\tanother text\n")
    (folder / "pairs.csv").write_text("topic,a,b\nt0,d0,d1\n")
    options: dict[str, Any] = {"models": ["judge"], "output": folder / "llm.csv", "topics": folder / "topics.jsonl"}
    with served() as server:
        answers: dict[str, Any] = {"docs": folder / "answers.jsonl", "prompt": "nuggets", "url": server.url}
        run = run_judge(folder / "nuggets.jsonl", **answers, **options)
        assert [(row["system"], row["nugget"]) for row in rows(folder)] == [("s", "one"), ("s", "two")]
        assert "\na b\n" in user_text(server.requests[0])
        run = run_judge(folder / "pairs.csv", docs=folder / "docs.tsv", prompt="pairwise", url=server.url, **options)
    assert run.statuses == {"ok": 2}


def test_texts_that_are_cut_are_counted(folder: Path) -> None:
    """Guards long documents: they are cut to the limit, and that is told."""
    text = "tea " * 4000
    (folder / "docs.jsonl").write_text(json.dumps({"id": "d0", "text": text}) + "\n")
    (folder / "pool.csv").write_text("topic,doc\nt0,d0\n")
    with served() as server, pytest.warns(DataWarning, match="texts of 1 call were cut to about 100 tokens"):
        judged(folder, server, asking=Asking(text_tokens=100))
    assert user_text(server.requests[0]).count("tea") == 100


# ---------------------------------------------------------------------- costs, keys, resuming


def test_the_limit_of_costs_is_never_passed(folder: Path) -> None:
    """Guards money: the run stops before the call that could pass the limit, also over several runs."""
    costs = JudgeCosts(price=["1,2"], max_cost=0.003)
    with served() as server:
        run = judged(folder, server, costs=costs, asking=Asking(max_tokens=100))
        assert "could pass the limit of max_cost 0.003" in run.stopped
        assert run.limited
        assert run.cost is not None
        assert run.cost <= 0.003
        needed = float(run.stopped.partition("raise max_cost to at least ")[2].partition(",")[0])
        assert needed > 0.003
        asked = len(server.requests)
        assert 3 <= asked < 12
        again = judged(folder, server, costs=costs, asking=Asking(max_tokens=100))
        assert (again.requests, again.cost) == (0, run.cost)
        raised = JudgeCosts(
            price=["1,2"], max_cost=max(needed, float(again.stopped.split("at least ")[1].split(",")[0]))
        )
        assert judged(folder, server, costs=raised, asking=Asking(max_tokens=100)).requests >= 1
        whole = judged(folder, server, costs=JudgeCosts(price=["1,2"]), asking=Asking(max_tokens=100))
    assert whole.statuses == {"ok": 12}
    assert len(server.requests) == 12
    assert whole.cost == pytest.approx(12 * (300 + 2 * 6) / 1e6)
    with pytest.raises(TruegainError, match="the price of judge is not known"):
        judged(folder, "http://localhost:1/v1", costs=JudgeCosts(max_cost=1.0))


def test_tokens_that_a_server_does_not_count_are_estimated(folder: Path) -> None:
    """Guards costs of servers that say nothing of tokens."""
    with served(lambda body, n: {k: v for k, v in as_asked(body, n).items() if k != "usage"}) as server:
        run = judged(folder, server, costs=JudgeCosts(price=["1,2"]))
    assert run.tokens()[0] > 12 * 200
    assert run.cost is not None
    assert run.cost > 12 * 200 / 1e6


SECRET = "sk-planted-5f2c9"


@pytest.mark.parametrize("status", [200, 401, 402, 503])
def test_the_key_is_shown_nowhere(folder: Path, monkeypatch: pytest.MonkeyPatch, status: int, caplog: Any) -> None:
    """Guards the key: it goes to the server, and into no file, message, warning or log, even if the server says it."""
    monkeypatch.setenv("MY_KEY", SECRET)
    caplog.set_level(0)

    def behave(body: Body, number: int) -> Answer | Body:
        if status != 200 and number > 2:
            return error(status, f"Incorrect API key provided: {SECRET}. You sent Bearer {SECRET}")
        return {**as_asked(body, number), "echo": f"Bearer {SECRET}", "system_fingerprint": SECRET}

    told = []
    with served(behave) as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run = judged(folder, server, key_env="MY_KEY", pace=Pace(concurrency=1, retries=1))
            told += [run.stopped, repr(run), str(run.provenance())]
        except TruegainError as fault:
            told.append(str(fault))
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    told += [str(w.message) for w in caught] + [caplog.text]
    assert SECRET not in " ".join(told)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) >= 4
    assert [path.name for path in files if SECRET.encode() in path.read_bytes()] == []
    connection = sqlite3.connect(folder / "llm.answers.sqlite")
    import zlib

    bodies = [zlib.decompress(body) for (body,) in connection.execute("SELECT body FROM answers")]
    connection.close()
    assert bodies
    assert not any(SECRET.encode() in body for body in bodies)


def test_keys_come_from_the_environment_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards keys: none is sent where none is set; one in the address or of odd characters is refused, unshown."""
    with served() as server:
        judged(folder, server)
        assert all("authorization" not in headers for headers in server.headers)
        monkeypatch.setenv(client_module.KEY, SECRET)
        judged(folder, server, asking=Asking(seed=3))
        assert server.headers[-1]["authorization"] == f"Bearer {SECRET}"
    for url in (f"http://me:{SECRET}@localhost/v1", f"http://localhost/v1?key={SECRET}", f"localhost/{SECRET[:2]}"):
        with pytest.raises(TruegainError) as caught:
            judged(folder, url)
        assert SECRET not in str(caught.value)
    monkeypatch.setenv(client_module.KEY, f"{SECRET}\u00fc")
    with pytest.raises(TruegainError, match="characters that no key can have") as caught:
        judged(folder, "http://localhost:1/v1")
    assert SECRET not in str(caught.value)
    with pytest.raises(TruegainError, match="there is no such variable"):
        judged(folder, "http://localhost:1/v1", key_env="NOT_SET")


def test_what_is_answered_is_not_asked_again(folder: Path) -> None:
    """Guards what was paid for: a larger pool and more replicates ask for the rest only; other words ask for all."""
    with served() as server:
        judged(folder, server, asking=Asking(temperature=0.5))
        assert len(server.requests) == 12
        judged(folder, server, asking=Asking(temperature=0.5, repeat=2))
        assert len(server.requests) == 24
        (folder / "pool.csv").write_text("topic,doc\nt0,d0\nt0,d1\n")
        judged(folder, server, asking=Asking(temperature=0.5))
        assert len(server.requests) == 24
        judged(folder, server, asking=Asking(temperature=0.7))
        assert len(server.requests) == 26


def test_the_same_request_goes_once(folder: Path) -> None:
    """Guards costs: a claim that two systems make of one document is one request with one answer, counted once."""
    made = [(t, s, n) for t in range(3) for n in range(4) for s in ("old", "new")]
    claims = "".join(f"t{t},{s},claim {n} of {t},d{n}\n" for t, s, n in made)
    (folder / "claims.csv").write_text(f"topic,system,claim,doc\n{claims}")
    claimed: dict[str, Any] = {"prompt": "claims", "pool": folder / "claims.csv", "asking": Asking(repeat=2)}
    costs = JudgeCosts(price=["1,2"])
    with served(delay=0.02) as server:
        run = judged(folder, server, costs=costs, **claimed)
        assert len(server.requests) == len({h["idempotency-key"] for h in server.headers}) == 12 * 2
        assert judged(folder, server, costs=costs, output=folder / "again.csv", store=folder / "llm.answers.sqlite",
                      **claimed).requests == 0  # fmt: skip
    assert (run.statuses, run.requests, run.calls, run.tokens()) == ({"ok": 48}, 24, 24, (24 * 300, 24 * 6))
    assert run.cost == pytest.approx(24 * (300 + 2 * 6) / 1e6)
    facts = run.provenance()
    assert (facts["items"], facts["calls"], facts["answers"]) == (24, 24, 24)
    assert facts["models"]["judge"]["answered"] == {"judge-2026-01-01": 24}
    written = rows(folder)
    assert len(written) == 48
    by_claim: dict[tuple[str, ...], set[str]] = {}
    for row in written:
        by_claim.setdefault((row["claim"], row["doc"], row["replicate"]), set()).add(row["label"])
    assert [len(labels) for labels in by_claim.values()] == [1] * 24
    with served(lambda body, n: as_asked(body, n) if n < 5 else error(402, "no money")) as server:
        run = judged(folder, server, output=folder / "some.csv", pace=Pace(concurrency=1), **claimed)
    assert (run.statuses, run.calls, run.tokens()[0]) == ({"ok": 10, "not_asked": 38}, 24, 5 * 300)


@pytest.mark.parametrize(("prompt", "one_order"), [("graded", False), ("pairwise", False), ("pairwise", True)])
def test_which_requests_are_the_same_is_told_by_their_keys(folder: Path, prompt: str, one_order: bool) -> None:
    """Guards against the keys of all calls: copies of documents, pairs in both orders, texts cut to the same words."""
    texts = {"a": "tea", "b": "coffee", "c": "tea", "long": "tea " * 90 + "x", "longer": "tea " * 900}
    pairs = [("a", "b"), ("b", "a"), ("c", "b"), ("a", "long"), ("long", "longer"), ("a", "none"), ("c", "none")]
    pool = [("t0", *pair) for pair in pairs] if prompt == "pairwise" else [("t0", d) for d in (*texts, "none")]
    setup = JudgeSetup(
        pool, {"t0": "a need"}, texts, prompt, ["m", "n"], "http://localhost:1/v1", "",
        Asking(repeat=3, text_tokens=20, one_order=one_order),
    )  # fmt: skip
    plan = setup.plan()
    for way in plan.ways():
        first: dict[object, int] = {}
        for at, call in enumerate(plan.calls()):
            key = at if call.item.texts is None else plan.key(call, plan.body(call, {"way": way})[0])
            assert plan.first_alike(at) == first.setdefault(key, at)
        assert [at for at, _ in plan.requests()] == list(first.values())
        assert plan.distinct == len(first) < len(plan)


def test_an_answer_is_kept_before_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards what was paid for against our own faults: where reading breaks, the answer is in the store, as it came."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with served() as server:
        with monkeypatch.context() as patched:
            patched.setattr("truegain.llm.run.parsed", broken)
            with pytest.raises(ZeroDivisionError):
                judged(folder, server)
        asked = len(server.requests)
        assert asked == 1
        judged(folder, server)
    assert len(server.requests) == 12
    with AnswerStore(folder / "llm.answers.sqlite") as store:
        key = bytes.fromhex(server.headers[0]["idempotency-key"].partition("-")[0])
        answer = store.get(key, 0)
    assert answer is not None
    assert answer.json() == as_asked(server.requests[0], 0)


def test_requests_are_spread_over_the_minute(folder: Path) -> None:
    """Guards limits a minute in a run: all threads together keep to them."""
    with served() as server:
        judged(folder, server, pace=Pace(concurrency=4, requests_per_minute=3000))
    waits = [b - a for a, b in pairwise(sorted(server.times))]
    assert sum(waits) > 0.012 * len(waits)  # 0.02 but for what the first took longer on its way


def test_no_more_at_a_time_than_asked_for(folder: Path) -> None:
    """Guards the server: the first request goes alone, and never more go together than allowed."""
    with served(delay=0.01) as server:
        judged(folder, server, pace=Pace(concurrency=3), asking=Asking(repeat=4))
    assert 2 <= server.most_in_flight <= 3


def outputs(folder: Path) -> list[bytes]:
    """The labels as they were written, and where they come from."""
    return [(folder / name).read_bytes() for name in ("llm.csv", "llm.provenance.json")]


def test_the_limit_of_costs_loses_no_stored_label(folder: Path) -> None:
    """Guards what was paid for: a run that the limit ends writes all that is stored, and so does the same again."""
    write_study(folder, topics=10)
    costs, asking = JudgeCosts(price=["1,1000"], max_cost=0.2), Asking(max_tokens=100)
    with served(delay=0.002) as server:
        first = judged(folder, server, costs=costs, asking=asking, pace=Pace(concurrency=8))
        assert first.limited
        assert 10 < first.labels < 40
        with AnswerStore(folder / "llm.answers.sqlite") as store:
            assert len(store) == first.labels
        left = outputs(folder)
        again = judged(folder, server, costs=costs, asking=asking, pace=Pace(concurrency=8))
        assert (again.statuses, again.requests) == (first.statuses, 0)
        assert outputs(folder) == left
        assert first.cost is not None
        assert first.cost <= 0.2


def put_new_rows_first(folder: Path) -> None:
    """Two topics more in the pool, their rows before those that were judged."""
    pool = (folder / "pool.csv").read_text().splitlines()
    write_study(folder, topics=5)
    new = [row for row in (folder / "pool.csv").read_text().splitlines() if row not in pool]
    (folder / "pool.csv").write_text("\n".join([pool[0], *new, *pool[1:]]) + "\n")


def test_stored_answers_come_before_the_limit_of_costs(folder: Path) -> None:
    """Guards a pool with new rows first: what is stored costs nothing and is written, only new rows are not asked."""
    with served() as server:
        judged(folder, server)
        put_new_rows_first(folder)
        run = judged(folder, server, costs=JudgeCosts(price=["1,2"], max_cost=1e-5))
        assert (run.statuses, run.requests, run.limited) == ({"ok": 12, "not_asked": 8}, 0, True)
        assert [row["status"] for row in rows(folder)] == ["not_asked"] * 8 + ["ok"] * 12


def test_an_outage_loses_no_stored_label(folder: Path) -> None:
    """Guards labels of earlier runs where the server is gone: they are written, wherever their rows are."""
    with served() as server:
        judged(folder, server)
        put_new_rows_first(folder)
        server.behave = lambda *_: error(402, "no money")
        run = judged(folder, server, pace=Pace(concurrency=1))
    assert run.statuses == {"ok": 12, "not_asked": 8}


def test_the_limit_keeps_answers_that_hold_no_label(folder: Path) -> None:
    """Guards statuses where a run ends between two attempts: what was answered is told, and stays so."""
    costs, asking = JudgeCosts(price=["1,1000"], max_cost=0.15), Asking(max_tokens=100)

    def behave(body: Body, number: int) -> Body:
        return as_asked(body, number) if number < 2 else completion("Perhaps so.")

    with served(behave) as server:
        pace = Pace(concurrency=1, retries=30)
        first = judged(folder, server, costs=costs, asking=asking, pace=pace)
        left = outputs(folder)
        assert first.statuses == {"ok": 2, "unparsed": 1, "not_asked": 9}
        assert judged(folder, server, costs=costs, asking=asking, pace=pace).requests == 0
        assert outputs(folder) == left
