"""`run_judge`: from a pool and its texts to labels; what it will cost, and the way by batch files."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from truegain.errors import InputError, TruegainError, counted, some, warn
from truegain.io.files import STANDARD_INPUT, PathLike, pieces_of, shown_path, write_pieces
from truegain.llm.client import Endpoint, ServerReply, base_url, error_of, is_open, key_from, refused_alone
from truegain.llm.labels import NOT_YET, JudgeRun, table_kind
from truegain.llm.limits import Budget, prices_of
from truegain.llm.parse import FAILED, FINAL, LENGTH, NO_TEXT, TOO_LONG, Parsed
from truegain.llm.plan import REASONING, Asking, CallPlan, PoolLike, TextsLike, attempt_body, read_items, tokens_in
from truegain.llm.prompts import Prompt, read_prompt
from truegain.llm.run import CallOutcome, CostLimitError, Judging, Pace, used_tokens
from truegain.llm.store import AnswerStore, StoredAnswer, in_json, of_json, store_for
from truegain.message import arg, argname, by_surface, with_marks
from truegain.results.base import Table

SECONDS = 2.0  # that an answer takes, where none is known
LOST_CALL = CallOutcome(Parsed(None, FAILED))
DRY_RUN = by_surface("JudgeSetup.dry_run", "`truegain judge run --dry-run`")
MOST_LINES = 50_000  # of a batch file, at the providers that have them


@dataclass(frozen=True)
class JudgeCosts:
    """What tokens cost, and what a run may cost.

    Parameters
    ----------
    price : sequence of str, default ()
        What a million tokens cost, in and out: '0.15,0.6' of all models, 'NAME=0.15,0.6' of one.
    max_cost : float, optional
        The run stops before the call that could pass this; all answers in the store count.

    Examples
    --------
    >>> JudgeCosts(price=["0.15,0.6"], max_cost=5).max_cost
    5
    """

    price: Sequence[str] = ()
    max_cost: float | None = None

    def budget(self, models: Sequence[str]) -> Budget:
        """What the calls of some models may cost."""
        prices = prices_of(self.price, models)
        if self.max_cost is not None and not self.max_cost > 0:
            raise TruegainError(f"{argname('max_cost', self.max_cost)}: give an amount above 0")
        if self.max_cost is not None and (unpriced := [model for model in models if model not in prices]):
            raise TruegainError(
                f"{argname('max_cost')}: the price of {some(unpriced)} is not known; give what a million tokens cost, "
                f"in and out ({arg('price', '0.15,0.6')})"
            )
        return Budget(prices, self.max_cost)


@dataclass(frozen=True)
class JudgeSetup:
    """All that a run of a judge is given: to run it, to tell what it will take, or to go by batch files.

    Parameters
    ----------
    pool, topics, docs, prompt, models, url, key_env
        As `run_judge` takes them.
    store : str
        The file of answers.
    asking : Asking, optional
        Replicates, temperature, soft labels, orders of pairs.
    pace : Pace, optional
        How many requests at a time and a minute, and how often again.
    costs : JudgeCosts, optional
        Prices, and the limit of costs.
    depth : int, default 10
        Documents per run, if the pool consists of runs.

    Examples
    --------
    >>> from truegain.llm import JudgeSetup
    >>> setup = JudgeSetup("pool.csv", "topics.jsonl", "docs.jsonl", "graded", ["some-model"], "http://localhost:8000/v1",
    ...     store="llm.answers.sqlite")
    >>> print(setup.dry_run())  # doctest: +SKIP
    >>> setup.run().write("llm.csv")  # doctest: +SKIP
    """

    pool: PoolLike
    topics: TextsLike
    docs: TextsLike
    prompt: PathLike | Prompt
    models: Sequence[str]
    url: str
    store: str
    asking: Asking = field(default_factory=Asking)
    pace: Pace = field(default_factory=Pace)
    costs: JudgeCosts = field(default_factory=JudgeCosts)
    key_env: str | None = None
    depth: int = 10

    def plan(self) -> CallPlan:
        """The calls."""
        prompt, url = read_prompt(self.prompt), base_url(self.url)
        if self.asking.one_order and prompt.task != "preferences":
            raise TruegainError(
                f"{argname('one_order')} is for pairs, and the prompt {prompt.name} judges {prompt.task}; leave it out"
            )
        items = read_items(self.pool, self.topics, self.docs, prompt, self.depth)
        return CallPlan(items, prompt, tuple(self.models), url, self.asking)

    def run(
        self,
        on_change: Callable[[Judging], object] = id,
        tell: Callable[[str], object] = id,
        *,
        ask: bool = True,
        failed: frozenset[str] = frozenset(),
    ) -> JudgeRun:
        """Ask, or where `ask` is False read what is in the store alone.

        failed: the keys of calls that failed elsewhere, as in a batch.
        """
        budget = self.costs.budget(self.models)
        key = key_from(self.key_env) if ask else None
        plan = self.plan()
        if key is not None and is_open(plan.url):
            warn(f"{plan.url} has no https: the key can be read on its way")
        endpoint = Endpoint(plan.url, key, self.pace.timeout, self.pace.retries) if ask else None
        with AnswerStore(self.store) as store:
            store.keep_prompt(plan.prompt.digest, json.dumps(asdict(plan.prompt), ensure_ascii=False))
            judging = Judging(plan, store, endpoint, self.pace, budget)
            try:
                judging.run(on_change, tell)
            finally:
                if endpoint is not None:
                    endpoint.close()
            end = judging.stopped_by
            stopped = "" if end is None else end.message if end.waits else end.in_full
            if unpriced := self._unpriced(budget):
                warn(f"the price of {some(unpriced)} is not known, so the cost of the run is unknown")
            is_priced = bool(budget.prices) and not unpriced
            run = JudgeRun(
                plan,
                [
                    outcome or (LOST_CALL if failed and judging.key(call).hex() in failed else NOT_YET)
                    for call, outcome in zip(plan.calls(), judging.outcomes, strict=True)
                ],
                0 if endpoint is None else endpoint.requests,
                0 if endpoint is None else endpoint.repeated,
                round(budget.spent, 10) if is_priced else None,  # a sum of many, rounded each
                stopped,
                judging.ways,
                "" if endpoint is None else endpoint.last_fault,
                isinstance(judging.stopped_by, CostLimitError),
                round(judging.spent_before, 10) if is_priced else None,
                judging.asked_again,
            )
            if not run.labels:
                raise _no_label(run, judging)
            return run

    def _unpriced(self, budget: Budget) -> list[str]:
        """The models without a price, where others have one."""
        return [model for model in self.models if budget.prices and model not in budget.prices]

    # ---- What it will take.

    def dry_run(self) -> Table:
        """What the calls will take, by model; nothing is asked."""
        plan, budget = self.plan(), self.costs.budget(self.models)
        stored = AnswerStore(self.store) if Path(self.store).is_file() else None
        seconds = SECONDS
        try:
            counts = {model: [0, 0, 0, 0] for model in self.models}  # calls, stored, tokens in, texts cut
            ways = {
                model: (stored and stored.way(plan.way_name(model))) or {"way": plan.ways()[0]} for model in self.models
            }
            for _, call in plan.requests():
                if call.item.texts is None:
                    continue
                count = counts[call.model]
                body, cuts = plan.body(call, ways[call.model])
                is_there = stored is not None and stored.get(plan.key(call, body), 0) is not None
                count[0] += 1
                count[1] += is_there
                count[2] += 0 if is_there else tokens_in(body)
                count[3] += cuts
            if stored is not None:
                seconds = stored.seconds() or SECONDS
        finally:
            if stored is not None:
                stored.close()
        rows, most_out = [], self.asking.max_tokens
        for model, (calls, there, tokens, _) in counts.items():
            left = calls - there
            out = REASONING * left
            has_price = model in budget.prices
            cost = [budget.cost(model, (tokens, x)) if has_price else None for x in (out, most_out * left)]
            minutes = self._minutes(left, tokens + out, seconds)
            rows.append(
                (
                    model,
                    calls,
                    there,
                    left,
                    tokens,
                    out,
                    most_out * left,
                    *cost,
                    round(minutes, 1 if minutes >= 1 else 2),
                )
            )
        columns = (
            "model", "calls", "answered before", "to ask", "tokens in", "tokens out", "at most", "cost", "cost at most",
            "minutes",
        )  # fmt: skip
        return Table(columns, rows, {"prompt": plan.prompt.digest}, notes=tuple(self._notes(plan, counts, seconds)))

    def _minutes(self, calls: int, tokens: int, seconds: float) -> float:
        """How long calls take: by what the server takes, and by the limits."""
        pace = self.pace
        times = [calls * seconds / pace.concurrency / 60]
        times += [] if pace.requests_per_minute is None else [calls / pace.requests_per_minute]
        times += [] if pace.tokens_per_minute is None else [tokens / pace.tokens_per_minute]
        return max(times)

    def _notes(self, plan: CallPlan, counts: Mapping[str, list[int]], seconds: float) -> Iterator[str]:
        prompt = plan.prompt
        per = f"{counted(len(plan.items), 'item')}, {counted(self.asking.repeat, 'replicate')}"
        orders = ", both orders" if plan.orders == 2 else ""
        yield f"Prompt {prompt.name}, version {prompt.version} ({prompt.digest}); {per}{orders}. Nothing was asked."
        if shared := len(plan) - plan.distinct:
            yield (
                f"{counted(len(plan), 'label')}, {shared:,} of them by the same request as another label: identical "
                "requests are sent once."
            )
        shown = f"{seconds:.1f}" if seconds >= 0.05 else f"{seconds:.2g}"
        time_of = f" Time assumes {shown} s per answer, {self.pace.concurrency} at a time."
        yield (
            f"Tokens in are estimated; tokens out are {REASONING} an answer, more where the model reasons (at most "
            f"{self.asking.max_tokens:,}).{time_of if any(x[0] > x[1] for x in counts.values()) else ''}"
        )
        if self.costs.max_cost is not None:
            yield f"{argname('max_cost')} is not applied here: the run stops before the call that could exceed it."
        if cuts := sum(count[3] for count in counts.values()):
            yield f"{counted(cuts, 'text')} would be cut to about {self.asking.text_tokens:,} tokens."
        if not self.costs.price:
            yield f"Without prices there is no cost; give the price of a million tokens ({arg('price', '0.15,0.6')})."
        if unpriced := self._unpriced(self.costs.budget(self.models)):
            yield (
                f"The price of {some(unpriced)} is not known; give what a million tokens cost "
                f"({arg('price', f'{unpriced[0]}=0.15,0.6')})."
            )

    # ---- By batch files.

    def write_batch(self, path: str) -> list[tuple[str, int]]:
        """Write what is not answered yet as batch files, one a model; each with its number of requests."""
        if self.costs.max_cost is not None:
            raise TruegainError(
                f"{argname('max_cost')} does not apply to a batch, which the provider runs as a whole; leave it out, "
                f"and see what the batch costs at most with {DRY_RUN}"
            )
        plan = self.plan()
        files: list[tuple[str, int]] = []
        with AnswerStore(self.store) as store:
            for model in self.models:
                name = plan.way_name(model)
                way = store.way(name) or {"way": plan.ways()[0]}
                lines = [in_json(line) + b"\n" for line in self._lines(plan, store, model, way)]
                store.keep_way(name, way)  # as what is collected will be looked up
                file = path if len(self.models) == 1 else _of_model(path, model)
                if len(lines) > MOST_LINES:
                    warn(f"{shown_path(file)} has {len(lines):,} requests; providers take {MOST_LINES:,} in a file")
                write_pieces(file, lines)
                files.append((file, len(lines)))
        return files

    def _lines(
        self, plan: CallPlan, store: AnswerStore, model: str, way: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        judging = Judging(plan, store, None, self.pace)
        for _, call in plan.requests():
            if call.model != model or call.item.texts is None:
                continue
            body, cuts = plan.body(call, way)
            key, attempt = plan.key(call, body), 0
            while (answer := store.get(key, attempt)) is not None:
                if judging.read(answer, attempt + 1, cuts, (0, 0)).parsed.status in FINAL:
                    break
                attempt += 1
            if answer is None and attempt <= self.pace.retries:
                url = "/v1/chat/completions"
                name = f"{key.hex()}-{attempt}"
                yield {"custom_id": name, "method": "POST", "url": url, "body": attempt_body(body, attempt)}

    def collect(self, path: PathLike) -> JudgeRun:
        """Put the answers of a batch into the store, and read the labels of all that is there."""
        plan = self.plan()
        file, added, failed, unknown, fault = shown_path(path), 0, set[str](), 0, ""
        with AnswerStore(self.store) as store:
            wanted = {}
            for call in plan.calls():
                if call.item.texts is not None:
                    body, _ = plan.body(call, store.way(plan.way_name(call.model)) or {"way": plan.ways()[0]})
                    wanted[plan.key(call, body).hex()] = call, body
            for row in _answers(path, file):
                name, _, attempt = str(row.get("custom_id", "")).partition("-")
                reply = _batch_reply(row)
                if name not in wanted or not attempt.isdigit():
                    unknown += 1
                elif reply is None:
                    failed.add(name)
                    fault = _fault_of(row) or fault
                else:
                    call, body = wanted[name]
                    used = used_tokens(reply, tokens_in(body))
                    at = float(reply.whole.get("created") or 0) or time.time()
                    about = bytes.fromhex(name), int(attempt), call.name, reply.http, reply.body, call.model
                    store.put(StoredAnswer(*about, *used, at, 0.0))
                    added += 1
        last = f" (the last: {fault})" if fault else ""
        if not added:
            why = f"{unknown:,} are of other requests, {len(failed):,} failed{last}"
            raise InputError(
                f"no answer of this run is in the file ({why})", file=file,
                hint=f"give the same pool, texts, prompt, model and store as with {arg('batch', 'FILE')}",
            )  # fmt: skip
        if unknown or failed:
            said = [f"{counted(len(failed), 'request')} of the batch failed{last}"] if failed else []
            if unknown:
                said.append(f"{counted(unknown, 'answer')} {'is' if unknown == 1 else 'are'} of no request of this run")
            again = f"; the next {arg('batch', 'FILE')} has what failed" if failed else ""
            warn(f"{file}: {', '.join(said)}{again}")
        return self.run(ask=False, failed=frozenset(failed))


def _of_model(path: str, model: str) -> str:
    """A batch file for one of several models."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in model)
    return str(Path(path).with_name(f"{Path(path).stem}.{plain}{Path(path).suffix}"))


def _answers(path: PathLike, file: str) -> Iterator[Mapping[str, Any]]:
    """The lines of a file of answers to a batch."""
    left, number = b"", 0
    for piece in (*pieces_of(path), b"\n"):
        *lines, left = (left + piece).split(b"\n")
        for line in lines:
            number += 1
            if not line.strip():
                continue
            row = of_json(line)
            if row is None:
                hint = "give the file of answers that the provider wrote, one JSON object a line"
                raise InputError(
                    "not a JSON object", file=file, line=number, text=line.decode(errors="replace"), hint=hint
                )
            if "custom_id" not in row or not {"response", "error"} & set(row):
                is_request = "custom_id" in row and "body" in row
                what = "requests of a batch, not answers" if is_request else "no answers to a batch"
                raise InputError(
                    f"these are {what}", file=file, line=number, text=line.decode(errors="replace"),
                    hint="give the file of answers that the provider wrote: its lines have custom_id and response",
                )  # fmt: skip
            yield row


def _fault_of(row: Mapping[str, Any]) -> str:
    """What a line of a batch's answers says of a request that failed."""
    response = row.get("response")
    if isinstance(response, Mapping):
        body = response.get("body")
        message = error_of(in_json(body)) if isinstance(body, Mapping) else ""
        return f"HTTP {response.get('status_code')}: {message}"
    return error_of(in_json({"error": row["error"]})) if row.get("error") else ""


def _batch_reply(row: Mapping[str, Any]) -> ServerReply | None:
    """The answer in a line of a batch's answers; None where the request failed."""
    response = row.get("response")
    body = response.get("body") if isinstance(response, Mapping) else None
    if not isinstance(response, Mapping) or not isinstance(body, Mapping):
        return None
    status, raw = response.get("status_code"), in_json(body)
    if status == 200 and isinstance(body.get("choices"), list):
        return ServerReply(200, raw, body, 0.0)
    return refused_alone(status, raw) if isinstance(status, int) else None


def _no_label(run: JudgeRun, judging: Judging) -> TruegainError:
    """The error of a run in which nothing was judged."""
    if judging.stopped_by is not None:
        cause, again = judging.stopped_by, with_marks(judging.stopped_by.again)
        error = TruegainError(f"Nothing was judged: {with_marks(cause)}. {again}", remedy=again)
        error.is_whole = True  # the message begins a sentence with the remedy
        return error
    statuses = {status: n for status, n in run.statuses.items() if status != NO_TEXT}
    reasons = ", ".join(f"{n:,} {status}" for status, n in statuses.items())
    fault = judging.endpoint.last_fault if judging.endpoint is not None else ""
    last_error = f"; the server's last error: {fault}" if fault and FAILED in statuses else ""
    answer = f"; one answer: {judging.unlabeled!r}" if judging.unlabeled else ""
    check = "check model and prompt"
    if len(statuses) == 1:  # what the limit of tokens did
        check = {
            LENGTH: f"raise {argname('max_tokens')} ({judging.plan.asking.max_tokens:,})",
            TOO_LONG: f"lower {argname('text_tokens')} ({judging.plan.asking.text_tokens:,})",
        }.get(next(iter(statuses)), check)
    return TruegainError(f"nothing was judged ({reasons}{last_error}); no labels are written; {check}{answer}")


def run_judge(
    pool: PoolLike,
    *,
    topics: TextsLike,
    docs: TextsLike,
    prompt: PathLike | Prompt,
    models: Sequence[str],
    url: str,
    output: PathLike | None = None,
    asking: Asking | None = None,
    pace: Pace | None = None,
    costs: JudgeCosts | None = None,
    store: PathLike | None = None,
    key_env: str | None = None,
) -> JudgeRun:
    """Have language models judge a pool, by any server that speaks OpenAI's chat completions.

    Every answer is committed to a store before it is read: the same call goes on where one was ended, and asks
    again only for what was in flight when it was killed.  What says the same, as a claim that two systems make of one
    document, is asked once.  The key comes from the environment only.

    Parameters
    ----------
    pool : path-like, mapping, sequence of tuple or list of dict
        What to judge: qrels, a run, a list of `sample_gold`; pairs (topic, a, b), nuggets (topic, nugget) or claims
        (topic, claim, doc) in a table, as the prompt asks for.  Or ``{topic: documents}``, or such rows as tuples or
        dicts.
    topics : path-like or mapping
        Texts of the topics: a file, or ``{topic: text}``.
    docs : path-like or mapping
        Texts of the documents, a file or ``{doc: text}``; of pairs of systems and of nuggets their answers, a file
        (topic, system, answer) or ``{(topic, system): text}``.
    prompt : str, path-like or Prompt
        'graded', 'binary', 'pairwise', 'nuggets', 'claims', or a TOML file of your own; see `read_prompt`.
    models : sequence of str
        The models; each is an assessor.
    url : str
        The server, such as 'http://localhost:8000/v1'.
    output : path-like, optional
        Where the labels go: a name that ends in .csv, .tsv, .jsonl or .parquet.
    asking : Asking, optional
        Replicates, temperature, soft labels, orders of pairs.
    pace : Pace, optional
        How many requests at a time and a minute, and how often again.
    costs : JudgeCosts, optional
        Prices, and the limit of costs.
    store : path-like, optional
        The file of answers; by default beside the output, as in llm.answers.sqlite.
    key_env : str, optional
        The variable that has the key; by default TRUEGAIN_API_KEY, and no key where it is not set.

    Returns
    -------
    JudgeRun
        The labels with their statuses; what has none is missing, and is not 0.

    Examples
    --------
    >>> from truegain.llm import run_judge
    >>> run = run_judge("pool.csv", topics="topics.jsonl", docs="docs.jsonl", prompt="graded", models=["some-model"],
    ...     url="http://localhost:8000/v1", output="llm.csv")  # doctest: +SKIP
    """
    name = STANDARD_INPUT if output is None else str(output)
    table_kind(name)
    place = store_for(name, store)
    setup = JudgeSetup(
        pool, topics, docs, prompt, [models] if isinstance(models, str) else list(models), url, place,
        asking or Asking(), pace or Pace(), costs or JudgeCosts(), key_env,
    )  # fmt: skip
    run = setup.run()
    run.warn()
    if run.stopped:
        warn(f"the run ended early: {with_marks(run.stopped)}{'' if run.limited else '; the same call continues'}")
    if output is not None:
        run.write(output)
    return run


def about_left(done: int, total: int, seconds: float) -> str:
    """How long the rest will take, in words.

    >>> about_left(50, 200, 60.0), about_left(0, 5, 1.0), about_left(1, 100, 60.0)
    ('3m 00s left', '', '1h 39m left')
    """
    if not done:
        return ""
    left = math.ceil(seconds * (total - done) / done)
    hours, minutes = left // 3600, left % 3600 // 60
    return f"{hours}h {minutes:02}m left" if hours else f"{minutes}m {left % 60:02}s left"
