"""The calls of a run: threads ask, every answer is stored before it is read, and what has no label is asked again."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from truegain.errors import TruegainError, counted, shorten
from truegain.io.files import shown_path
from truegain.llm.client import (
    CALL,
    CUT,
    FILTERED,
    FIRST_TRIES,
    LONG,
    PAGE,
    AskingError,
    EndError,
    Endpoint,
    OutageError,
    ServerReply,
    usage_of,
)
from truegain.llm.limits import Budget, Gate
from truegain.llm.parse import (
    EMPTY,
    FAILED,
    FINAL,
    NO_LOGPROBS,
    NO_TEXT,
    REFUSED,
    TOO_LONG,
    UNPARSED,
    Parsed,
    content_of,
    parsed,
)
from truegain.llm.plan import Call, CallPlan, attempt_body, tokens_in
from truegain.llm.prompts import about_tokens
from truegain.llm.store import AnswerStore, StoredAnswer, in_json
from truegain.message import argname, with_marks

SHOWN = 200  # characters of an answer that an error quotes
QUIET = 8.0  # seconds without any answer, after which that is told
LOST = 3  # requests in a row that the server leaves unanswered, or as many as go at a time, before the run ends
USUAL_OUT = 60.0  # tokens of an answer, before any is known
UNSURE = 2.0  # times the estimated tokens of a prompt are set apart, where costs are limited, before any is known
SURE = 1.1  # times the most that prompts were seen to take
ADAPTED = 10  # times that a request is changed to what a server takes
TRIED = 100  # first calls, of which the one with the shortest texts shows how a model is asked
FEWER = 5  # probabilities of tokens, where a server refuses more
LEAST_OUT = 64  # tokens that an answer is left at least
_OF_ANSWER = re.compile("max_(completion_|new_|output_)?tokens|in the completion", re.IGNORECASE)


class CostLimitError(EndError):
    """The next call could pass the limit of costs."""

    next_cost = 0.0  # at most


@dataclass(frozen=True)
class Pace:
    """How fast a server is asked, and how often again.

    Parameters
    ----------
    concurrency : int, default 8
        The most requests at a time; a run begins with one and takes more while the server keeps up.
    retries : int, default 4
        How many times more a request is tried, and how many times more an item is asked about whose answer has no
        label.
    timeout : float, default 120
        Seconds that an answer may take.
    requests_per_minute : float, optional
        The most requests that begin in a minute.
    tokens_per_minute : float, optional
        The most tokens, in and out, about, in a minute.

    Examples
    --------
    >>> Pace(concurrency=2).retries
    4
    """

    concurrency: int = 8
    retries: int = 4
    timeout: float = 120.0
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        for name, least in (("concurrency", 1), ("retries", 0)):
            if getattr(self, name) < least:
                raise TruegainError(f"{argname(name, getattr(self, name))}: give a number of at least {least}")
        for name in ("timeout", "requests_per_minute", "tokens_per_minute"):
            if getattr(self, name) is not None and not getattr(self, name) > 0:
                raise TruegainError(f"{argname(name, getattr(self, name))}: give a number above 0")


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What came of one call."""

    parsed: Parsed
    attempts: int = 0  # answers that were needed
    answered: str = ""  # the model that the server says answered
    fingerprint: str = ""  # of the system that answered
    cuts: int = 0  # texts that were cut
    tokens: tuple[int, int] = (0, 0)  # of all its answers, in and out
    at: float = 0.0  # when the last answer came


class Judging:
    """The calls of a plan, asked for or read from the store.

    endpoint: None where answers are collected only, and nothing is asked.
    """

    def __init__(
        self, plan: CallPlan, store: AnswerStore, endpoint: Endpoint | None, pace: Pace, budget: Budget | None = None
    ) -> None:
        self.plan, self.store, self.endpoint, self.pace = plan, store, endpoint, pace
        self.budget = budget or Budget()
        for model, tokens in store.tokens().items():
            self.budget.spent += self.budget.cost(model, tokens)
        self.spent_before = self.budget.spent
        self.gate = Gate(pace.concurrency, pace.requests_per_minute, pace.tokens_per_minute)
        self.outcomes: list[CallOutcome | None] = [None] * len(plan)
        self.ways: dict[str, Mapping[str, Any]] = {}
        self.done = self.answered = self.lost = 0
        self.asked_again = 0  # answers asked for because the one before held no label
        self.stopped_by: EndError | None = None
        self._failure: BaseException | None = None
        self._times_in, self._mean_out = UNSURE, USUAL_OUT
        self._counted = 0  # answers whose tokens are known
        self.unlabeled = ""  # an answer without a label, to be shown
        self.planned = plan.distinct
        self._stored_before = len(store)
        self._calls = self._open_calls()
        self._lock, self._ended = threading.Lock(), threading.Condition()
        self._working = 0  # threads
        self._told_quiet = False

    # ---- The whole run.

    def run(self, on_change: Callable[[Judging], object] = id, tell: Callable[[str], object] = id) -> None:
        """Judge all items; a server that stops answering, and a limit of costs, end it early (`stopped_by`)."""
        try:
            self._in_threads(self._find_ways, 1, on_change, tell)  # so that Ctrl-C waits for the first answers, too
            if self.endpoint is not None and self._stored_before:
                self._in_threads(self._read_stored, 1, on_change, tell)
            self._in_threads(self._work, self.pace.concurrency if self.endpoint is not None else 1, on_change, tell)
            on_change(self)
        except CostLimitError as error:
            self.stopped_by = self._limit(self._read_rest() or error.next_cost)
        except EndError as error:
            self.stopped_by = error
            self._read_rest()
        except AskingError as error:
            kept = f"; {self.how_to_go_on()}" if self.answered else ""
            raise TruegainError(f"{with_marks(error)}{kept}") from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self.how_to_go_on()) from None
        self._share()

    def _share(self) -> None:
        """Give calls with the same request the answer of the first."""
        for at in range(len(self.outcomes)):
            self.outcomes[at] = self.outcomes[self.plan.first_alike(at)]

    def _open_calls(self) -> Iterator[tuple[int, Call]]:
        """The calls that nothing came of yet: each request once, so that none is in flight twice."""
        return ((at, call) for at, call in self.plan.requests() if self.outcomes[at] is None)

    def _read_stored(self) -> None:
        """Take what the store has before anything is asked: it costs nothing, and tells how long prompts are."""
        if not len(self.store):
            return
        for at, call in self._open_calls():
            if self.gate.closed:
                return
            outcome, is_final = self._stored(call)
            if is_final:
                with self._lock:
                    self.outcomes[at] = outcome
                    self.done += 1

    def _read_rest(self) -> float:
        """Take what the store has of the calls that a run did not come to, also where they would be asked again.

        What the first of those that are too expensive may cost, whichever thread came to one first; else 0.
        """
        next_cost = 0.0
        for model in self.plan.models:
            self.ways.setdefault(model, self.store.way(self.plan.way_name(model)) or {"way": self.plan.ways()[0]})
        for at, call in self._open_calls():
            self.outcomes[at], is_final = self._stored(call)
            if not is_final and not next_cost and self.budget.most is not None:
                cost = self.budget.cost(
                    call.model, self._at_most(tokens_in(self.plan.body(call, self.ways[call.model])[0]))
                )
                next_cost = cost if self.budget.spent + cost > self.budget.most else 0.0
        return next_cost

    def _limit(self, next_cost: float) -> CostLimitError:
        """The limit of costs, and what it would have to be for one more call."""
        most = math.ceil((self.budget.spent + next_cost) * 10_000) / 10_000
        return CostLimitError(
            f"the next call could pass the limit of {argname('max_cost', self.budget.most)}; {self.budget.spent:.4f} "
            "is spent",
            remedy=f"raise {argname('max_cost')} to at least {most:.4f}, or lower {argname('max_tokens')}",
        )

    def _in_threads(
        self,
        work: Callable[[], None],
        count: int,
        on_change: Callable[[Judging], object],
        tell: Callable[[str], object],
    ) -> None:
        """Do work in threads; Ctrl-C waits for what is in flight."""
        try:
            for n in range(count):
                with self._ended:
                    self._working += 1
                threading.Thread(target=self._to_the_end, args=(work,), daemon=True, name=f"asks {n}").start()
            began = time.monotonic()
            while self._wait(0.1):
                on_change(self)
                if time.monotonic() - began > QUIET:
                    self._tell_quiet(tell)
        except KeyboardInterrupt:
            self.gate.close()
            tell(
                f"interrupted: waiting for {counted(self.gate.in_flight, 'request')} in flight, whose answers are paid "
                "for; press Ctrl-C again to abandon them"
            )
            while self._wait(60.0):
                pass
            raise
        if self._failure is not None:
            raise self._failure

    def _tell_quiet(self, tell: Callable[[str], object]) -> None:
        """Say once that a server never answered: it may hang, or load its model."""
        if self.endpoint is None or self.endpoint.answered or self._told_quiet or not self.gate.in_flight:
            return
        self._told_quiet = True
        why = f" ({self.endpoint.last_fault})" if self.endpoint.last_fault else ""
        tell(
            f"{self.endpoint.url} has answered nothing for {QUIET:g} s{why}; check that it runs, and "
            f"{argname('url')} (a model that is still being loaded takes its time: it is given up after "
            f"{1 + min(self.pace.retries, FIRST_TRIES)} requests of {self.pace.timeout:g} s); Ctrl-C ends it"
        )

    def how_to_go_on(self) -> str:
        """What is kept, and how to go on."""
        kept = len(self.store)
        if not kept:
            return f"nothing was answered yet; run the same {CALL} again"
        place, are = shown_path(self.store.path), "is" if kept == 1 else "are"
        return f"{counted(kept, 'answer')} {are} kept in {place}; the same {CALL} continues from there"

    def _wait(self, seconds: float) -> bool:
        """Wait a while for the threads to end; whether some still work.

        Not by `Thread.join`, which takes a thread for ended where Ctrl-C interrupts it.
        """
        with self._ended:
            if self._working:
                self._ended.wait(seconds)
            return self._working > 0

    def _to_the_end(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            with self._lock:
                self._failure = self._failure or error
            self.gate.close()
        finally:
            with self._ended:
                self._working -= 1
                self._ended.notify_all()

    def _work(self) -> None:
        """What each thread does: take a call, judge it, take the next."""
        while not self.gate.closed:
            with self._lock:
                at, call = next(self._calls, (-1, None))
            if call is None:
                return
            outcome = self._judge(call)
            if outcome is None:
                continue
            with self._lock:
                self.outcomes[at] = outcome
                self.done += 1

    # ---- One call.

    def _judge(
        self, call: Call, way: Mapping[str, Any] | None = None, attempts: int | None = None
    ) -> CallOutcome | None:
        """What comes of a call; None where the run ended before."""
        if call.item.texts is None:
            return CallOutcome(Parsed(None, NO_TEXT))
        body, cuts = self.plan.body(call, way or self.ways[call.model])
        text = in_json(body)
        key = self.plan.key_of_text(call, text)
        outcome, tokens = None, (0, 0)
        for attempt in range(self.pace.retries + 1 if attempts is None else attempts):
            answer = self.store.get(key, attempt)
            if answer is None:
                if self.endpoint is None:
                    break
                if attempt:
                    text = in_json(attempt_body(body, attempt))
                answer = self._ask(call, text, tokens_in(body), key, attempt)
                if answer is None:
                    if self.gate.closed:
                        return None
                    break
            tokens = tokens[0] + answer.tokens_in, tokens[1] + answer.tokens_out
            outcome = self.read(answer, attempt + 1, cuts, tokens)
            if outcome.parsed.status in FINAL:
                break
        if outcome is not None or self.endpoint is None:
            return outcome
        return CallOutcome(Parsed(None, FAILED))

    def _stored(self, call: Call) -> tuple[CallOutcome | None, bool]:
        """What the store has of a call, and whether nothing is left to ask."""
        if call.item.texts is None:
            return CallOutcome(Parsed(None, NO_TEXT)), True
        body, cuts = self.plan.body(call, self.ways[call.model])
        key, about = self.plan.key(call, body), 0
        outcome, tokens = None, (0, 0)
        for attempt in range(self.pace.retries + 1):
            answer = self.store.get(key, attempt)
            if answer is None:
                return outcome, False
            about = about or tokens_in(body)
            self._learn(answer.http, (answer.tokens_in, answer.tokens_out), about)
            tokens = tokens[0] + answer.tokens_in, tokens[1] + answer.tokens_out
            outcome = self.read(answer, attempt + 1, cuts, tokens)
            if outcome.parsed.status in FINAL:
                break
        return outcome, True

    def _at_most(self, about: int) -> tuple[float, float]:
        """The tokens that a call may take, in and out."""
        return about * self._times_in, float(self.plan.asking.max_tokens)

    def _learn(self, http: int, used: tuple[int, int], about: int) -> None:
        """Keep what answers take of tokens; a refusal says nothing of that."""
        if http != 200:
            return
        times = SURE * used[0] / about
        self._times_in = max(self._times_in, times) if self._counted else times
        self._counted += 1
        self._mean_out += (used[1] - self._mean_out) / min(self._counted, 100)

    def _ask(self, call: Call, text: bytes, about: int, key: bytes, attempt: int) -> StoredAnswer | None:
        """Ask, and commit the answer as it came; None where there is none.

        text: the body of the request; about: its tokens, about.
        """
        assert self.endpoint is not None
        most = self._at_most(about)
        if not self.budget.reserve(call.model, *most):
            limit = CostLimitError("the next call could pass the limit of costs", remedy=f"raise {argname('max_cost')}")
            limit.next_cost = self.budget.cost(call.model, most)
            raise limit
        used = 0, 0
        try:
            reply = self._reply(text, f"{key.hex()}-{attempt}", about + round(self._mean_out))
            if reply is None:
                self._lost()
                return None
            used = used_tokens(reply, about)
            answer = StoredAnswer(
                key, attempt, call.name, reply.http, reply.body, call.model, *used, time.time(), reply.seconds
            )
            self.store.put(answer)
        finally:
            self.budget.settle(call.model, most, used)
        with self._lock:
            self.lost, self.answered = 0, self.answered + 1
            self.asked_again += attempt > 0
            self._learn(reply.http, used, about)
        return answer

    def _reply(self, text: bytes, name: str, tokens: int) -> ServerReply | None:
        """What the server answers; None where it does not, or refuses this request and has answered others like it."""
        assert self.endpoint is not None
        try:
            return self.endpoint.post(text, name, self.gate, tokens)
        except AskingError as error:
            if not error.may_adapt or not self.answered or self.lost + 1 >= self._most_lost:
                raise
            return None

    @property
    def _most_lost(self) -> int:
        return max(LOST, self.pace.concurrency)

    def _lost(self) -> None:
        """A request had no answer: after several in a row the server is taken to be down."""
        assert self.endpoint is not None
        with self._lock:
            self.lost += not self.gate.closed
            is_down = self.lost >= self._most_lost
        if is_down:
            raise self._outage(self.endpoint)

    def _outage(self, endpoint: Endpoint) -> OutageError:
        if endpoint.last_fault.startswith("HTTP 429"):
            return OutageError(
                f"the server asks to be slower, time and again ({endpoint.last_fault})",
                remedy=f"give {argname('requests_per_minute')}, a lower {argname('concurrency')} or more "
                f"{argname('retries')}",
            )
        if endpoint.last_fault.startswith("HTTP 5"):
            return OutageError(
                f"the server failed ({endpoint.last_fault})", remedy=f"try again later with the same {CALL}", waits=True
            )
        if endpoint.last_fault in (PAGE, CUT):
            return OutageError(
                f"{endpoint.url} answers with {endpoint.last_fault}",
                remedy=f"check {argname('url')}: it must be that of a model's server",
            )
        return OutageError(
            f"{endpoint.url} does not answer ({endpoint.last_fault})",
            remedy=f"check that it runs, and {argname('url')}",
        )

    def read(self, answer: StoredAnswer, attempts: int, cuts: int, tokens: tuple[int, int]) -> CallOutcome:
        """What a stored answer says."""
        if answer.http != 200:
            status = {LONG: TOO_LONG, FILTERED: REFUSED}.get(answer.http, FAILED)
            return CallOutcome(Parsed(None, status), attempts, cuts=cuts, tokens=tokens, at=answer.at)
        whole = answer.json()
        names = [whole.get(name) for name in ("model", "system_fingerprint")]
        model, fingerprint = (x if isinstance(x, str) else "" for x in names)
        label = parsed(whole, self.plan.prompt, self.plan.asking.soft)
        if label.label is None and not self.unlabeled:
            self.unlabeled = shorten(" ".join(answer_text(whole).split()), SHOWN)
        return CallOutcome(label, attempts, model, fingerprint, cuts, tokens, answer.at)

    def key(self, call: Call) -> bytes:
        """What identifies a call in the store."""
        return self.plan.key(call, self.plan.body(call, self.ways[call.model])[0]) if call.item.texts else b""

    # ---- How a model is asked: tried out once, and kept.

    def _find_ways(self) -> None:
        for model in self.plan.models:
            self.ways[model] = self._way(model)

    def _way(self, model: str) -> Mapping[str, Any]:
        """How a model is asked: as it was tried out before, or as it is now."""
        name, ways = self.plan.way_name(model), self.plan.ways()
        known = self.store.way(name)
        if known is not None:
            return known
        with_texts = (c for c in self.plan.calls() if c.model == model and c.item.texts is not None)
        call = min(islice(with_texts, TRIED), key=_size, default=None)  # not one that is too long for the model
        if self.endpoint is None or call is None:
            return {"way": ways[0]}
        changes: dict[str, Any] = {}
        for kind in ways:
            changes = {**changes, "way": kind}
            if self._fits(call, changes, last=kind == ways[-1]):
                break
        self.store.keep_way(name, changes)
        return changes

    def _fits(self, call: Call, changes: dict[str, Any], *, last: bool) -> bool:
        """Whether a model can be asked in a way, changed to what it takes."""
        for _ in range(ADAPTED):
            try:
                outcome = self._judge(call, changes, attempts=1)
            except AskingError as error:
                if error.may_adapt and self._changed_to(changes, error.server):
                    continue
                if last or not error.may_adapt:
                    raise
                return False
            if outcome is None:
                raise OutageError("the run was ended while the first request was tried", remedy="run it again")
            if outcome.parsed.status == TOO_LONG and self._lowered(changes):
                continue
            if outcome.parsed.status == TOO_LONG:
                changes.pop("most", None)  # the prompt alone is too long, and a lower limit of answers did not help
            if outcome.parsed.status == FAILED:
                return self._without_answer(last)
            if outcome.parsed.status == NO_LOGPROBS and last:
                raise self._no_probabilities("it answers without them")
            if outcome.parsed.status == NO_LOGPROBS:
                return False
            return last or outcome.parsed.status not in (UNPARSED, EMPTY)
        return False

    def _no_probabilities(self, why: str) -> TruegainError:
        return TruegainError(f"{argname('soft')}: the server gives no probabilities of tokens ({why}); leave it out")

    def _lowered(self, changes: dict[str, Any]) -> bool:
        """Whether the limit of an answer's tokens was too high beside the prompt, and is lowered to half."""
        assert self.endpoint is not None
        most = changes.get("most", self.plan.asking.max_tokens) // 2
        if most < LEAST_OUT or not _OF_ANSWER.search(self.endpoint.last_fault):
            return False
        changes["most"] = most
        return True

    def _without_answer(self, last: bool) -> bool:
        """What an error of the server means while a way is tried out: some have one for what they do not know."""
        assert self.endpoint is not None
        fault = self.endpoint.last_fault
        if last or not fault.startswith(("HTTP 500", "HTTP 501")):
            raise self._outage(self.endpoint)
        return False

    def _changed_to(self, changes: dict[str, Any], server: str) -> bool:
        """Whether a request was changed by what the server says of one of its parameters."""
        without = changes.get("without", [])
        if "max_completion_tokens" in server and "limit" not in changes:
            changes["limit"] = "max_completion_tokens"
            return True
        if self.plan.asking.soft and "logprobs" in server:
            if "top" in changes:
                raise self._no_probabilities(server)
            changes["top"] = FEWER
            return True
        for name in ("temperature", "seed"):
            if name in server and name not in without:
                changes["without"] = [*without, name]
                return True
        return False


def answer_text(whole: Mapping[str, Any]) -> str:
    """The text of a whole answer."""
    choice = next(iter(whole.get("choices") or ()), None)
    message = choice.get("message") if isinstance(choice, Mapping) else None
    return content_of(message) if isinstance(message, Mapping) else ""


def _size(call: Call) -> int:
    return sum(map(len, (call.item.texts or {}).values()))


def used_tokens(reply: ServerReply, about: int) -> tuple[int, int]:
    """Tokens in and out, as the server counts them, or about."""
    if reply.http != 200:
        return 0, 0
    used = usage_of(reply.whole)
    if used is not None:
        return used
    return about, about_tokens(answer_text(reply.whole))
