"""How fast a server is asked, and what it may cost: by a clock that the tests move."""

from __future__ import annotations

import threading

import pytest

from truegain.errors import TruegainError
from truegain.llm.client import retry_after, seconds_in
from truegain.llm.limits import Bucket, Budget, Gate, Price, prices_of


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def went(gate: Gate, clock: Clock, until: float, tokens: int = 1) -> list[float]:
    """When requests could go that come back at once, up to some time."""
    times: list[float] = []
    while clock.now < until:
        wait = gate.wait()
        assert wait is not None
        if wait > 0:
            clock.now += wait
            continue
        assert gate.enter(tokens)
        times.append(clock.now)
        gate.leave()
    return times


@pytest.mark.parametrize("per_minute", [6, 60, 300])
def test_requests_a_minute(per_minute: int) -> None:
    """Guards the limit: in no minute do more requests begin, wherever the minute begins."""
    clock = Clock()
    times = went(Gate(8, requests_per_minute=per_minute, clock=clock), clock, 180.0)
    most = max(sum(a <= t < a + 60 - 1e-9 for t in times) for a in times)
    assert per_minute - 1 <= most <= per_minute
    assert len(times) == pytest.approx(3 * per_minute, abs=1)


def test_tokens_a_minute() -> None:
    """Guards the limit of tokens: what was taken too much is given back, what was too little is taken later."""
    clock = Clock()
    gate = Gate(8, tokens_per_minute=6000, clock=clock)
    assert len(went(gate, clock, 60.0, tokens=500)) == 12
    bucket = Bucket(6000, clock)
    bucket.take(500)
    bucket.give_back(200)
    assert bucket.wait() == pytest.approx(3.0)
    bucket.give_back(-400)
    assert bucket.wait() == pytest.approx(7.0)


def test_a_run_starts_slowly_and_steps_back() -> None:
    """Guards the server: one request first, more with each answer; half as many after a refusal, none in its pause."""
    clock = Clock()
    gate = Gate(8, clock=clock)
    allowed = [int(gate.allowed)]
    for _ in range(10):
        gate.went_well()
        allowed.append(int(gate.allowed))
    assert allowed == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8]
    gate.went_too_fast(7.0)
    gate.went_too_fast(5.0)  # one that was sent with the first
    assert (gate.allowed, gate.wait()) == (4.0, 7.0)
    clock.now = 7.5
    assert gate.wait() == 0.0
    for _ in range(4):
        gate.went_well()
    assert 4.9 < gate.allowed < 5.1  # one more for a round of answers, no longer one for each


def test_so_many_at_a_time() -> None:
    """Guards concurrency: who comes too many waits until one comes back."""
    clock = Clock()
    gate = Gate(2, clock=clock)
    gate.went_well()
    assert gate.enter(1)
    assert gate.enter(1)
    assert gate.wait() is None
    gate.leave()
    assert gate.wait() == 0.0


def test_a_closed_gate_lets_nobody_in() -> None:
    """Guards the end of a run: threads that wait are let go, and told so."""
    gate = Gate(1)
    assert gate.enter(1)
    entered: list[bool] = []
    waiting = threading.Thread(target=lambda: entered.append(gate.enter(1)))
    waiting.start()
    gate.close()
    waiting.join(5)
    assert entered == [False]
    assert gate.pause(60.0) is False


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "86400"}, 86400.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    """Guards Retry-After: seconds or a date, and nothing of what is neither."""
    assert retry_after(headers, lambda: 100.0) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Rate limit reached. Please try again in 20s. Visit https://example.org/account/billing", 20.0),
        ("Please try again in 120ms.", 0.12),
        ("Please retry in 18.5s.", 18.5),
        ('"retryDelay": "18s"', 18.0),
        ("Please try again in 1h2m3s", 3723.0),
        ("You exceeded your current quota, please check your plan and billing details.", None),
        ("try again in a while", None),
    ],
)
def test_how_long_a_text_asks_to_wait(text: str, seconds: float | None) -> None:
    """Guards servers that say it in words: a limit a minute is waited for, and is no used-up quota."""
    assert seconds_in(text) == (None if seconds is None else pytest.approx(seconds))


def test_no_call_passes_the_limit_of_costs() -> None:
    """Guards money: what calls in flight may cost at most counts, and what they did cost takes its place."""
    budget = Budget({"m": Price(1.0, 10.0)}, most=0.01)
    assert budget.reserve("m", 500, 400)  # 0.0045
    assert budget.reserve("m", 500, 400)
    third: list[bool] = []
    waiting = threading.Thread(target=lambda: third.append(budget.reserve("m", 500, 400)))
    waiting.start()
    waiting.join(0.05)
    assert third == []  # all three could pass the limit: it waits for what the others come to
    budget.settle("m", (500, 400), (500, 10))  # 0.0006
    waiting.join(5)
    assert third == [True]
    budget.settle("m", (500, 400), (500, 400))
    budget.settle("m", (500, 400), (500, 400))
    assert budget.spent == pytest.approx(0.0096)
    assert not budget.reserve("m", 1, 40)
    assert budget.reserve("m", 1, 39)


@pytest.mark.parametrize("text", ["1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1", "other=1,2"])
def test_prices_that_are_none_are_refused(text: str) -> None:
    """Guards prices: two amounts, of a model that is asked."""
    with pytest.raises(TruegainError, match="price"):
        prices_of([text], ["m"])


def test_the_price_of_one_model_counts_before_that_of_all() -> None:
    """Guards panels: models have prices of their own, in whichever order these are given."""
    assert prices_of(["a=3,4", "1,2"], ["a", "b"]) == {"a": Price(3, 4), "b": Price(1, 2)}
