"""How fast a server is asked: requests at a time, requests and tokens a minute; and what it may cost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from truegain.errors import TruegainError
from truegain.message import arg, argname

MILLION = 1_000_000


class Bucket:
    """So much a minute, evenly: a request may go when what went before has been earned.

    >>> now = 0.0
    >>> bucket = Bucket(60, lambda: now)
    >>> bucket.take(1), bucket.wait(), bucket.take(2)
    (None, 1.0, None)
    >>> now = 2.5
    >>> bucket.wait()
    0.5
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.clock = per_minute / 60, clock
        self.free_at = clock()

    def wait(self) -> float:
        """Seconds until the next request may go."""
        return max(0.0, self.free_at - self.clock())

    def take(self, amount: float) -> None:
        """Take something of it, also more than there is: those who come next wait longer."""
        self.free_at = max(self.free_at, self.clock()) + amount / self.rate

    def give_back(self, amount: float) -> None:
        """Give back what was taken and not used; a negative amount takes the rest that was."""
        self.free_at -= amount / self.rate


class Gate:
    """Lets requests go: few at first, more while the server keeps up, half as many where it says that it cannot.

    Limits are shared by all threads.  A request that enters must leave.
    """

    def __init__(
        self,
        concurrency: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most, self.clock = concurrency, clock
        self.allowed, self.threshold = 1.0, float(concurrency)
        self.in_flight = 0
        self.paused_until = clock()
        self.requests = None if requests_per_minute is None else Bucket(requests_per_minute, clock)
        self.tokens = None if tokens_per_minute is None else Bucket(tokens_per_minute, clock)
        self.closed = False
        self._changed = threading.Condition()

    def wait(self) -> float | None:
        """Seconds until a request may go; None: until one comes back."""
        if self.in_flight >= int(self.allowed):
            return None
        waits = [self.paused_until - self.clock(), *(b.wait() for b in (self.requests, self.tokens) if b is not None)]
        return max(0.0, *waits)

    def enter(self, tokens: int) -> bool:
        """Wait until a request of about so many tokens may go; False where the gate is closed meanwhile."""
        with self._changed:
            while not self.closed and (wait := self.wait()) != 0.0:
                self._changed.wait(wait)
            if self.closed:
                return False
            self.in_flight += 1
            if self.requests is not None:
                self.requests.take(1)
            if self.tokens is not None:
                self.tokens.take(tokens)
            return True

    def leave(self, unused_tokens: int = 0) -> None:
        """A request is back."""
        with self._changed:
            self.in_flight -= 1
            if self.tokens is not None:
                self.tokens.give_back(unused_tokens)
            self._changed.notify_all()

    def went_well(self) -> None:
        """The server answered: more may go at a time; doubling at first, one by one near where it refused."""
        with self._changed:
            more = 1.0 if self.allowed < self.threshold else 1.0 / self.allowed
            self.allowed = min(float(self.most), self.allowed + more)
            self._changed.notify_all()

    def went_too_fast(self, pause: float) -> None:
        """The server refused for now: half as many at a time, and none before the pause is over."""
        with self._changed:
            now = self.clock()
            if now >= self.paused_until:  # those that were sent together are refused together: halve once
                self.allowed = self.threshold = max(1.0, self.allowed / 2)
            self.paused_until = max(self.paused_until, now + pause)
            self._changed.notify_all()

    def close(self) -> None:
        """Let nobody in any more."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def pause(self, seconds: float) -> bool:
        """Wait before a request is tried again; False where the gate is closed meanwhile."""
        until = self.clock() + seconds
        with self._changed:
            while not self.closed and (left := until - self.clock()) > 0:
                self._changed.wait(left)
            return not self.closed


# ---- What calls cost.


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, in and out."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Of so many tokens.

        >>> Price(0.5, 2.0).cost(1_000_000, 250_000)
        1.0
        """
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / MILLION


def prices_of(texts: Sequence[str], models: Sequence[str]) -> dict[str, Price]:
    """By model its price, from IN,OUT for all models or MODEL=IN,OUT for one.

    >>> prices_of(["0.15,0.6", "big=2,8"], ["small", "big"])["big"]
    Price(tokens_in=2.0, tokens_out=8.0)
    """
    prices: dict[str, Price] = {}
    for text in sorted(texts, key=lambda x: "=" in x):  # those of one model come last, and count
        name, equals, numbers = text.rpartition("=")
        try:
            low, high = (float(x) for x in numbers.split(","))
        except ValueError:
            low = high = -1.0
        if not (0 <= low < float("inf") and 0 <= high < float("inf")):
            raise TruegainError(
                f"{argname('price', text)}: give the price of a million tokens, in and out, as in "
                f"{arg('price', '0.15,0.6')} or, of one model, {arg('price', 'NAME=0.15,0.6')}"
            )
        if equals and name.strip() not in models:
            raise TruegainError(
                f"{argname('price', text)}: no model {name.strip()} is used; choose from {', '.join(models)}"
            )
        prices |= dict.fromkeys([name.strip()] if equals else models, Price(low, high))
    return prices


@dataclass
class Budget:
    """What calls have cost, what those in flight may cost at most, and the limit of both.

    >>> budget = Budget({"m": Price(1, 2)}, most=3.5e-6)
    >>> budget.reserve("m", 1, 1), budget.settle("m", (1, 1), (1, 0)), budget.reserve("m", 1, 1)
    (True, None, False)
    >>> round(budget.spent * 1e6, 6)
    1.0
    """

    prices: Mapping[str, Price] = field(default_factory=dict)
    most: float | None = None
    spent: float = 0.0
    reserved: float = 0.0
    in_flight: int = 0
    _settled: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def cost(self, model: str, tokens: tuple[float, float]) -> float:
        """Of tokens in and out; 0 where no price is known."""
        price = self.prices.get(model)
        return 0.0 if price is None else price.cost(*tokens)

    def reserve(self, model: str, tokens_in: float, tokens_out: float) -> bool:
        """Set apart what a call may cost at most; False where it could pass the limit.

        Where that depends on calls in flight, which mostly cost less than they may, these are waited for.
        """
        cost = self.cost(model, (tokens_in, tokens_out))
        with self._settled:
            while self.most is not None and self.spent + self.reserved + cost > self.most:
                if self.spent + cost > self.most:
                    return False
                self._settled.wait()
            self.reserved += cost
            self.in_flight += 1
            return True

    def settle(self, model: str, reserved: tuple[float, float], used: tuple[float, float]) -> None:
        """Put what a call did cost in place of what was set apart."""
        with self._settled:
            self.in_flight -= 1
            self.reserved = self.reserved - self.cost(model, reserved) if self.in_flight else 0.0  # no rounding stays
            self.spent += self.cost(model, used)
            self._settled.notify_all()
