"""The command `truegain judge run`: labels by language models, from any OpenAI-compatible server."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.options import Output, Seed, advanced, changed, with_options
from truegain.cli.output import write_table
from truegain.cli.streams import Progress, own_errors, tell
from truegain.errors import TruegainError, counted
from truegain.io.files import STANDARD_INPUT, shown_path
from truegain.message import option, with_marks

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from truegain.llm.judge import JudgeSetup
    from truegain.llm.labels import JudgeRun
    from truegain.llm.run import Judging

ENDED_EARLY = 3  # exit code of a run that can be gone on with


@dataclass(frozen=True, kw_only=True)
class JudgedTexts:
    """What the judge reads."""

    topics: Annotated[str, typer.Option("--topics", help="Topics: JSONL, CSV, TSV or TREC format.")]
    docs: Annotated[
        str,
        typer.Option(
            "--docs", help="Documents: JSONL (also BEIR's), CSV or TSV. Or answers: topic, system and answer."
        ),
    ]
    depth: Annotated[
        int, typer.Option("-M", "--depth", min=1, help="Documents per run, if the pool consists of runs.")
    ] = 10


@dataclass(frozen=True, kw_only=True)
class AskedHow:
    """What each model is asked, and how."""

    repeat: Annotated[int, typer.Option("--repeat", min=1, help="How many times each model judges each item.")] = 1
    soft: Annotated[
        bool, typer.Option("--soft", help="Expected labels, from the token probabilities of the answer.")
    ] = False
    one_order: Annotated[bool, typer.Option("--one-order", help="Show each pair in one order instead of both.")] = False
    temperature: Annotated[
        float | None, advanced("--temperature", help="Temperature (default: 0, or 1 with --repeat).")
    ] = None
    max_tokens: Annotated[
        int, advanced("--max-tokens", min=1, help="Largest number of tokens in an answer, including reasoning.")
    ] = 4096
    text_tokens: Annotated[int, advanced("--text-tokens", min=1, help="Cut long texts to about this many tokens.")] = (
        4000
    )
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class AskedHowFast:
    """How fast the server is asked."""

    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Largest number of requests at a time.")] = 8
    retries: Annotated[
        int, typer.Option("--retries", min=0, help="How often to retry after an error or an answer without a label.")
    ] = 4
    timeout: Annotated[float, advanced("--timeout", help="Seconds that an answer may take.")] = 120.0
    requests_per_minute: Annotated[
        float | None, typer.Option("--requests-per-minute", help="Largest number of requests per minute.")
    ] = None
    tokens_per_minute: Annotated[
        float | None,
        typer.Option(
            "--tokens-per-minute", help="Largest number of tokens per minute, input plus output (approximate)."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SpentHow:
    """What it may cost."""

    price: Annotated[
        list[str] | None,
        typer.Option("--price", help="Price of a million tokens: IN,OUT or MODEL=IN,OUT. Repeatable."),
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", help="Stop before a call that could bring the cost of all stored answers to more."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class KeptWhere:
    """Where labels and answers go, and what is done in place of asking."""

    output: Output = "-"
    store: Annotated[
        str | None, advanced("--store", help="File of answers (default: beside the output, llm.answers.sqlite).")
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print calls, tokens, cost and time; send nothing.")] = (
        False
    )
    batch: Annotated[str | None, typer.Option("--batch", help="Write a batch file for the provider; send nothing.")] = (
        None
    )
    collect: Annotated[str | None, typer.Option("--collect", help="Read the provider's answers to a batch file.")] = (
        None
    )


@with_options(texts=JudgedTexts, asking=AskedHow, pace=AskedHowFast, costs=SpentHow, kept=KeptWhere)
def run_command(
    pool: Annotated[
        str,
        typer.Argument(
            help="What to judge: qrels, runs, a list that `plan labels` or `unjudged` wrote, or a table of topic and "
            "doc. For pairwise: a table of topic, a and b; for nuggets: of topic and nugget; for claims: of "
            "topic, claim and doc.",
            metavar="POOL",
        ),
    ],
    prompt: Annotated[
        str,
        typer.Option("--prompt", help="graded, binary, pairwise, nuggets, claims, or FILE.toml of your own."),
    ],
    model: Annotated[list[str], typer.Option("--model", help="Model to ask. Repeatable: each is an assessor.")],
    url: Annotated[str, typer.Option("--url", help="Address of the server, such as http://localhost:8000/v1.")],
    key_env: Annotated[
        str | None,
        typer.Option("--key-env", help="Environment variable with the API key (default: TRUEGAIN_API_KEY)."),
    ] = None,
    *,
    texts: JudgedTexts,
    asking: AskedHow,
    pace: AskedHowFast,
    costs: SpentHow,
    kept: KeptWhere,
) -> None:
    """Label a pool with LLM judges, from any OpenAI-compatible server.

    Stores each answer before reading it, so the same command continues after Ctrl-C or a crash, and repeats only the
    requests in flight at a crash. An item without a label gets a status; its label is missing, not 0. Exit code 0:
    done. 3: ended early, for example by --max-cost. 2: bad input, or nothing was judged.

    Examples:
        truegain judge run pool.csv --topics topics.jsonl --docs docs.jsonl --prompt graded --model some-model \
--url http://localhost:8000/v1 --repeat 3 -o llm.csv
        truegain judge run pool.csv --topics topics.jsonl --docs docs.jsonl --prompt graded --model some-model \
--url http://localhost:8000/v1 --price 0.15,0.6 -o llm.csv --dry-run

    """
    from truegain.llm.judge import JudgeCosts, JudgeSetup
    from truegain.llm.labels import table_kind
    from truegain.llm.plan import Asking
    from truegain.llm.run import Pace
    from truegain.llm.store import store_for

    chosen = [
        name
        for name, is_set in (("--dry-run", kept.dry_run), ("--batch", kept.batch), ("--collect", kept.collect))
        if is_set
    ]
    if len(chosen) > 1:
        raise TruegainError(f"{' and '.join(map(option, chosen))} do not go together; give one")
    batch = "--batch" if kept.batch is not None else "--collect" if kept.collect is not None else None
    if batch is not None and (names := changed(pace, leave_out=("retries",))):
        only = "writes a file" if kept.batch is not None else "reads the answers in a file"
        raise TruegainError(
            f"{' and '.join(map(option, names.values()))} {'applies' if len(names) == 1 else 'apply'} to a server that "
            f"is asked; {option(batch)} only {only}"
        )
    if kept.collect is not None and costs.max_cost is not None:
        raise TruegainError(
            f"{option('--max-cost')} does not apply to a batch, whose answers are paid for; leave it out with "
            f"{option('--collect')}"
        )
    table_kind(kept.output)
    setup = JudgeSetup(
        pool,
        texts.topics,
        texts.docs,
        prompt,
        model,
        url,
        ""
        if kept.dry_run and kept.output == STANDARD_INPUT and kept.store is None
        else store_for(kept.output, kept.store),
        Asking(**vars(asking)),
        Pace(**vars(pace)),
        JudgeCosts(tuple(costs.price or ()), costs.max_cost),
        key_env,
        texts.depth,
    )
    if kept.dry_run:
        write_table(setup.dry_run(), None, STANDARD_INPUT)
    elif kept.batch is not None:
        for file, requests in setup.write_batch(kept.batch):
            tell(f"{shown_path(file)}: {counted(requests, 'request')}; give the answers with --collect FILE")
    else:
        collected = kept.collect is not None
        _write(setup.collect(kept.collect) if kept.collect else _asked(setup), setup, kept.output, collected)


def _asked(setup: JudgeSetup) -> JudgeRun:
    with AskingProgress() as progress:
        return setup.run(progress.show, tell)


def _write(run: JudgeRun, setup: JudgeSetup, output: str, collected: bool = False) -> None:
    """Write the labels, and tell on standard error what they are and what they took."""
    run.write(output)
    run.warn()
    statuses = ", ".join(f"{n:,} {status}" for status, n in run.statuses.items())
    tokens_in, tokens_out = run.tokens()
    calls = counted(run.calls, "call")
    shared = run.calls < len(run.outcomes)
    tell(f"{f'{len(run.outcomes):,} labels by {calls}' if shared else calls}: {statuses}")
    why = {"tried again after an error": run.repeated, "asked again for want of a label": run.asked_again}
    parts = ", ".join(f"{n:,} {words}" for words, n in why.items() if n)
    again = f" ({parts})" if parts else ""
    earlier = run.requests - run.repeated - run.asked_again < run.calls and not (run.stopped or collected)
    whose = ", with those of the answers that earlier runs stored" if earlier else ""
    cost = _cost_words(run, collected)
    tell(f"{counted(run.requests, 'request')}{again}; tokens {tokens_in:,} in, {tokens_out:,} out{whose}{cost}")
    if run.plan.orders == 2:
        from truegain.preferences.description import orders_words

        tell(orders_words(*run.flips(), run.lost_winners()))
    if run.stopped:
        place = shown_path(setup.store)
        go_on = "" if run.limited else "; the same command continues"
        tell(f"ended early: {with_marks(run.stopped)}; answers are kept in {place}{go_on}", "warning")
        raise typer.Exit(ENDED_EARLY)


def _cost_words(run: JudgeRun, collected: bool) -> str:
    """What the answers of this run cost, and those of all runs where earlier ones have stored some."""
    if run.cost is None:
        return ""
    if not run.cost_before or collected:
        return f"; cost {run.cost:.4f}"
    return f"; cost {run.cost - run.cost_before:.4f}, with that of earlier runs {run.cost:.4f}"


class AskingProgress(Progress):
    """How far a run is, how fast it asks, what it has cost, and how long the rest will take."""

    def __init__(self) -> None:
        super().__init__(None, "judged")
        self.status = ""

    def show(self, judging: Judging) -> None:
        """Show where a run is."""
        from truegain.llm.judge import about_left

        passed = time.monotonic() - self.began
        self.total = judging.planned
        rate = f"{60 * judging.answered / passed:,.0f} a minute" if passed else ""
        is_known = all(model in judging.budget.prices for model in judging.plan.models)
        cost = f"cost {judging.budget.spent:.4f}" if is_known else ""
        left = about_left(judging.answered, judging.answered + self.total - judging.done, passed)
        self.status = "  ".join(filter(None, [rate, cost, left]))
        self.advance(judging.done - self.done)
        if self.bar is not None:
            self.bar.update(self.bar.task_ids[0], total=self.total, status=self.status)

    def _start(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as RichProgress

        columns: tuple[Any, ...] = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[status]}"),
        )
        bar = RichProgress(*columns, console=Console(file=own_errors()), transient=True)
        bar.add_task(self.what, total=self.total, status=self.status)
        bar.start()
        return bar
