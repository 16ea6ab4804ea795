"""What the decision's page shows of a stored decision: words, numbers and pictures for its template."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truegain.judging.server.decision_chart import chart_of, looks_of
from truegain.judging.store.decisions import StoredDecision
from truegain.judging.texts import Wording
from truegain.judging.workflow.organizer import WorkingNow
from truegain.results.settlement import ANSWER, DECIDED, FILLED, REPORT, PairSettlement, Settlement

AGAIN = 15  # seconds after which the page is asked for again, where nothing is sent
# files that have words of their own
KNOWN = {REPORT: "report", ANSWER: "decision", FILLED: "list", "list.csv": "list"}


@dataclass(frozen=True)
class ResultFile:
    """A file of results that can be had; `known` names its words, '' where it has none."""

    name: str
    known: str


class DecisionWords:
    """What is said of a decision, in the words of a study."""

    def __init__(self, texts: Wording) -> None:
        self._texts = texts

    def signed(self, value: float) -> str:
        """A difference, with its sign."""
        return self._mark(f"{value:+z.3f}")

    def told(self, pair: PairSettlement, decision: Settlement) -> str:
        """The newest look of a pair, and the end that is forecast, or that this is beyond what may be collected."""
        now = self._now("decision.now", pair)
        if pair.status != "open" or pair.likely is None:
            return now
        name = "decision.forecast_one" if pair.latest is None else "decision.forecast"
        if decision.is_beyond(pair.likely):
            name = "decision.forecast_beyond"
        elif pair.latest is not None and decision.is_beyond(pair.latest):
            name = "decision.forecast_maybe"
        latest = None if pair.latest is None else decision.label_count(pair.latest)
        return f"{now} {self._texts(name, likely=decision.label_count(pair.likely), latest=latest, most=decision.most)}"

    def pictured(self, pair: PairSettlement) -> str:
        """The picture of a pair, for who cannot see it."""
        return self._now("decision.picture", pair)

    def percent(self, share: float) -> str:
        """A share in per cent."""
        return self._texts("percent", n=f"{100 * share:.0f}")

    def _now(self, name: str, pair: PairSettlement) -> str:
        now = pair.now
        if now.difference is None or now.low is None or now.high is None:
            return self._texts(f"{name}_none", n=now.labels)
        numbers = {key: self.signed(x) for key, x in (("value", now.difference), ("low", now.low), ("high", now.high))}
        return self._texts(name, n=now.labels, **numbers)

    def _mark(self, text: str) -> str:
        return text.replace(".", self._texts("format.decimal"))


def shown(
    stored: StoredDecision | None, working: WorkingNow, results: Mapping[str, Path], texts: Wording
) -> dict[str, Any]:
    """All that the template is given, but what every page has; nothing in it changes by itself as time goes by."""
    if stored is None:
        return {"d": None, "title": texts("decision.title"), "ended": False}
    decision, words = stored.decision, DecisionWords(texts)
    most = None if decision.most is None else decision.most_rows or decision.listed  # rows, as the charts have
    charts = [chart_of(pair, decision.min_effect, most) for pair in decision.pairs]
    open_pairs = [pair for pair in decision.pairs if pair.status == "open"]
    return {
        "d": decision,
        "title": texts("decision.title_state", state=texts(f"decision.state.{decision.status}")),
        "ended": decision.ended,
        "is_decided": decision.status in DECIDED,
        "decided": DECIDED,
        "is_capped": decision.is_capped,
        "is_beyond": decision.is_beyond,
        "label_count": decision.label_count,
        "made_at": _time(stored.at),
        "ended_at": "" if stored.ended is None else _time(stored.ended),
        "files": files_of(results) if decision.ended else [],
        "likely": _last(pair.likely for pair in open_pairs),
        "latest": _last(pair.latest for pair in open_pairs),
        "working": working,
        "held_until": "" if working.until is None else _time(working.until)[-5:],
        "confidence": f"{100 * decision.confidence:g}",
        "confidence_of_pair": f"{100 - 100 * (1 - decision.confidence) / len(decision.pairs):g}",
        "pairs": list(zip(decision.pairs, charts, map(looks_of, decision.pairs), strict=True)),
        "has_likely": any(chart.likely is not None for chart in charts),
        "has_most": any(chart.most is not None for chart in charts),
        "told": words.told,
        "pictured": words.pictured,
        "percent": words.percent,
        "plain_number": lambda value: f"{value:g}",
        "at_least": lambda value: f"{value:+g}" if value else "0",
    }


def files_of(results: Mapping[str, Path]) -> list[ResultFile]:
    """The files that are there."""
    return [ResultFile(name, KNOWN.get(name, "")) for name, path in results.items() if path.is_file()]


def _last(ends: Any) -> int | None:
    """When the last of several pairs is decided; None where that is not known of one of them."""
    ends = list(ends)
    return None if not ends or None in ends else max(ends)


def _time(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M")
