"""What a run of a judge gives: labels with their assessor, replicate and status, in a file that our readers take."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from truegain._version import __version__
from truegain.data.judgments import Judgments, judgments_of_columns
from truegain.data.writing import ID_COLUMNS, kind_to_write, table_bytes
from truegain.errors import InputError, TruegainError, counted, warn
from truegain.io.columns import frozen
from truegain.io.files import STANDARD_INPUT, PathLike, shown_path, write_bytes
from truegain.io.named_tables import harmless
from truegain.llm.client import CALL, host_alias
from truegain.llm.parse import FAILED, LENGTH, NO_TEXT, NOT_ASKED, OK, STATUSES, Parsed
from truegain.llm.plan import Call, CallPlan
from truegain.llm.run import CallOutcome
from truegain.llm.store import beside
from truegain.message import arg, argname

WINNERS = {"A": "a", "B": "b", "both_bad": "both bad"}  # of what is shown first as a; other labels stay as they are
SWAPPED = {"a": "b", "b": "a"}
PROVENANCE = ".provenance.json"
NOT_YET = CallOutcome(Parsed(None, NOT_ASKED))


@dataclass(frozen=True, eq=False)
class JudgeRun:
    """The labels of a run, and how they came about.

    Attributes
    ----------
    plan : CallPlan
        What was asked.
    outcomes : sequence of CallOutcome
        What came of each call, in the order of the plan.
    requests : int
        Requests that were sent this time.
    repeated : int
        How many of them were tried again, after an error of the server.
    asked_again : int
        How many of them were sent because the answer before held no label.
    cost : float or None
        What all answers in the store cost; None where no prices were given.
    stopped : str
        Why the run ended early; empty where it did not.
    ways : mapping of str to mapping
        How each model was asked.
    fault : str
        The last error of the server.
    limited : bool
        Whether the limit of costs ended it, so that the same call would end there again.
    cost_before : float or None
        What the answers cost that earlier runs stored; None where no prices were given.

    Examples
    --------
    >>> from truegain.llm import Asking, run_judge
    >>> run = run_judge("pool.csv", topics="topics.jsonl", docs="docs.jsonl", prompt="graded", models=["some-model"],
    ...     url="http://localhost:8000/v1", output="llm.csv", asking=Asking(repeat=3))  # doctest: +SKIP
    >>> run.statuses, run.judgments()  # doctest: +SKIP
    """

    plan: CallPlan
    outcomes: Sequence[CallOutcome]
    requests: int = 0
    repeated: int = 0
    cost: float | None = None
    stopped: str = ""
    ways: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fault: str = ""
    limited: bool = False
    cost_before: float | None = None
    asked_again: int = 0

    @property
    def statuses(self) -> dict[str, int]:
        """How many calls ended with each status, labels first."""
        counts = Counter(outcome.parsed.status for outcome in self.outcomes)
        return {status: counts[status] for status in STATUSES if counts[status]}

    @property
    def labels(self) -> int:
        """How many calls gave a label."""
        return self.statuses.get(OK, 0)

    @property
    def calls(self) -> int:
        """How many calls there are; labels that have the same request are of one, items without a text of none."""
        return sum(call.item.texts is not None for _, call in self.plan.requests())

    def _asked(self) -> list[tuple[Call, CallOutcome]]:
        """What came of each call, without those that took the answer to the same request."""
        return [(call, self.outcomes[at]) for at, call in self.plan.requests()]

    def columns(self) -> dict[str, list[Any]]:
        """The columns of the output, a row for each label."""
        pairs = list(zip(self.plan.calls(), self.outcomes, strict=True))
        columns: dict[str, list[Any]] = {
            name: [call.item.ids[name] for call, _ in pairs] for name in self.plan.items[0].ids
        }
        models = [call.model for call, _ in pairs]
        if self.plan.prompt.task == "preferences":
            columns |= {
                "winner": [winner(call, outcome) for call, outcome in pairs],
                "first": [call.first for call, _ in pairs],
                "judge": models,
            }
        else:
            columns |= {"label": [_label(outcome.parsed) for _, outcome in pairs], "assessor": models}
        columns["replicate"] = [call.replicate for call, _ in pairs]
        columns["status"] = [outcome.parsed.status for _, outcome in pairs]
        columns["model"] = models
        if self.plan.asking.soft:
            columns["outside"] = [None if x is None else round(x, 6) for x in (o.parsed.outside for o in self.outcomes)]
        return columns

    def judgments(self) -> Judgments:
        """The labels of documents, as `tg.read_judgments` would read them from the output.

        Returns
        -------
        Judgments
            One row a label, with its assessor, the model; what has no label is left out.
        """
        import numpy as np

        columns = self.columns()
        if not {"doc", "label"} <= set(columns) or self.plan.prompt.numbers is None:
            raise TruegainError(f"labels of {self.plan.prompt.task} are not judgments of documents; read the output")
        rows = [at for at, label in enumerate(columns["label"]) if label is not None]
        kept = {name: [column[at] for at in rows] for name, column in columns.items()}
        return judgments_of_columns(
            kept["topic"],
            kept["doc"],
            frozen(np.array(kept["label"], np.float64)),
            "judge run",
            assessors=kept["assessor"],
            extra={name: kept[name] for name in ("replicate", "status", "model")},
        )

    # ---- What the answers show of the judge.

    def flips(self) -> tuple[int, int]:
        """Pairs that were asked both ways, and how many of them had the other winner in the other order."""
        both = self._both_orders()
        return len(both), sum(one * other < 0 for one, other in both)

    def lost_winners(self) -> int:
        """Of the pairs that were asked both ways, those with a winner in one order and none in the other."""
        return sum((one == 0) != (other == 0) for one, other in self._both_orders())

    def _both_orders(self) -> list[tuple[int, int]]:
        """By pair and model with answers in both orders, how much oftener a won than b in each; replicates together."""
        ahead: dict[tuple[Any, ...], dict[str, int]] = defaultdict(dict)
        for call, outcome in zip(self.plan.calls(), self.outcomes, strict=True):
            if call.first and outcome.parsed.label is not None:
                of_order = ahead[*call.item.ids.values(), call.model]
                won = {"a": 1, "b": -1}.get(winner(call, outcome) or "", 0)
                of_order[call.first] = of_order.get(call.first, 0) + won
        return [(of["a"], of["b"]) for of in ahead.values() if len(of) == 2]

    def copies(self) -> tuple[int, int]:
        """Items that were asked about more than once, and how many of them had the same text each time."""
        texts: dict[tuple[Any, ...], list[bytes]] = defaultdict(list)
        for call, outcome in zip(self.plan.calls(), self.outcomes, strict=True):
            if outcome.parsed.alike:
                texts[*call.item.ids.values(), call.model, call.first].append(outcome.parsed.alike)
        several = [hashes for hashes in texts.values() if len(hashes) > 1]
        return len(several), sum(len(set(hashes)) == 1 for hashes in several)

    def answered_by(self) -> dict[str, dict[str, int]]:
        """By model that was asked, the models that the server says answered."""
        names: dict[str, Counter[str]] = {model: Counter() for model in self.plan.models}
        for call, outcome in self._asked():
            if outcome.answered:
                names[call.model][outcome.answered] += 1
        return {model: dict(sorted(counts.items())) for model, counts in names.items()}

    def tokens(self) -> tuple[int, int]:
        """Tokens of all answers that were used, in and out."""
        used = [outcome.tokens for _, outcome in self._asked()]
        return sum(tokens_in for tokens_in, _ in used), sum(tokens_out for _, tokens_out in used)

    def warn(self, missing: str = "they are empty in the output, not 0") -> None:
        """Tell what should not pass unnoticed, once, with counts.

        Parameters
        ----------
        missing : str
            What becomes of labels that are missing.
        """
        total, lost = len(self.outcomes), len(self.outcomes) - self.labels
        if lost > self.statuses.get(NO_TEXT, 0):  # those without a text were told when texts were read
            reasons = ", ".join(f"{n:,} {status}" for status, n in self.statuses.items() if status != OK)
            warn(f"{lost:,} of {counted(total, 'label')} are missing ({reasons}); {missing}")
        if FAILED in self.statuses and self.fault:
            warn(f"the server's last error: {self.fault}; the same {CALL} retries what failed")
        if length := sum(outcome.parsed.status == LENGTH for _, outcome in self._asked()):
            warn(
                f"{counted(length, 'answer')} reached the limit of {self.plan.asking.max_tokens:,} tokens before the "
                f"label; give a larger one ({arg('max_tokens', 2 * self.plan.asking.max_tokens)})"
            )
        if cuts := sum(outcome.cuts > 0 for _, outcome in self._asked()):
            warn(
                f"texts of {counted(cuts, 'call')} were cut to about {self.plan.asking.text_tokens:,} tokens "
                f"({arg('text_tokens', 2 * self.plan.asking.text_tokens)} keeps more)"
            )
        for model, way in self.ways.items():
            if "most" in way:
                limit = f"{way['most']:,} tokens of an answer"
                warn(f"{model} takes at most {limit} here; {argname('max_tokens')} was lowered to it")
        several, same = self.copies()
        if several and same == several:
            warn(
                f"all {self.plan.asking.repeat} answers are the same text for every item: the server ignores seeds, or "
                f"the temperature ({self.plan.asking.heat:g}) removes all randomness, so replicates add no information"
            )
        for model, names in self.answered_by().items():
            if others := [name for name in names if not name.startswith(model)]:  # model-DATE is a version of it
                warn(f"{model} was asked, and the server says that {', '.join(others)} answered")

    def provenance(self) -> dict[str, Any]:
        """How the labels came about: server, models, prompt, parameters, times, tokens, cost."""
        plan, requests, times = self.plan, self._asked(), [o.at for o in self.outcomes if o.at]
        marks: dict[str, Counter[str]] = {model: Counter() for model in plan.models}
        for call, outcome in requests:
            if outcome.fingerprint:
                marks[call.model][outcome.fingerprint] += 1
        tokens = self.tokens()
        prompt = {"name": plan.prompt.name, "version": plan.prompt.version, "digest": plan.prompt.digest}
        facts: dict[str, Any] = {
            "tool": "truegain",
            "version": __version__,
            "server": host_alias(plan.url),
            "prompt": {**prompt, "task": plan.prompt.task, "labels": list(plan.prompt.labels)},
            "models": {
                model: {
                    "answered": counts,
                    "fingerprints": dict(sorted(marks[model].items())),
                    **self.ways.get(model, {}),
                }
                for model, counts in self.answered_by().items()
            },
            "parameters": {**vars(plan.asking), "temperature": plan.asking.heat},
            "items": len(plan.items),
            "statuses": self.statuses,
            "calls": self.calls,
            "answers": sum(o.attempts for _, o in requests),
            "first_answer": _time(min(times)) if times else None,
            "last_answer": _time(max(times)) if times else None,
            "tokens": {"in": tokens[0], "out": tokens[1]},
            "cost": self.cost,
            "texts_cut": sum(o.cuts for _, o in requests),
        }
        if plan.orders == 2:
            facts["pairs_in_both_orders"], facts["flips"] = self.flips()
            facts["winners_in_one_order"] = self.lost_winners()
        if plan.asking.repeat > 1:
            facts["items_repeated"], facts["copies"] = self.copies()
        if self.stopped:
            facts["stopped"] = self.stopped
        return facts

    def write(self, path: PathLike) -> None:
        """Write the labels, and beside them where they come from (LABELS.provenance.json).

        Parameters
        ----------
        path : path-like
            Where to; the ending says in which format.
        """
        name = str(path)
        kind = table_kind(name)
        columns = self.columns()
        if kind in ("csv", "tsv"):  # our readers take a quote away before what looks like a formula
            columns |= {
                n: [harmless(x) if x.startswith("'") else x for x in columns[n]] for n in ID_COLUMNS if n in columns
            }
        write_bytes(name, table_bytes(columns, kind, shown_path(name)))
        if name != STANDARD_INPUT:
            text = json.dumps(self.provenance(), ensure_ascii=False, indent=1) + "\n"
            write_bytes(beside(name, PROVENANCE), text.encode())


def table_kind(output: str) -> str:
    """The kind of table that an output is, CSV where it has no name; lines of TREC have no place for assessors."""
    kind = "csv" if output == STANDARD_INPUT else kind_to_write(output)
    if kind is None:
        hint = "end the name in .csv, .tsv, .jsonl or .parquet"
        raise InputError(
            "TREC lines have no place for assessor, replicate and status", file=shown_path(output), hint=hint
        )
    return kind


def winner(call: Call, outcome: CallOutcome) -> str | None:
    """Who won a pair, a or b as the pool names them, whichever was shown first; None where there is no answer."""
    label = outcome.parsed.label
    if label is None:
        return None
    name = WINNERS.get(label, label)
    return SWAPPED.get(name, name) if call.first == "b" else name


def _label(parsed: Parsed) -> Any:
    return parsed.label if parsed.value is None else parsed.value


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
