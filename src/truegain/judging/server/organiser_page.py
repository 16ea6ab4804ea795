"""The organiser's pages as HTML: figures put into words of the study's language."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from truegain.judging.collected import Collected, Readable, Row, collected
from truegain.judging.insight import AgreementSoFar, Insight, VerdictSoFar
from truegain.judging.server.overview import Overview, drawn, overview_of, ratings_of, small
from truegain.judging.server.templates import static, templates
from truegain.judging.study.study import JudgingStudy
from truegain.judging.texts import Wording

MOST = 20  # assessors shown unless all are asked for
COUNT = ("session", "number", "value", "seconds", "outcome", "excluded")  # what agreement and verdict follow from


class OrganiserPages:
    """Renders the organiser's pages of one study; what is worked out of ratings is kept until they change."""

    def __init__(
        self, study: JudgingStudy, insight: Insight, clock: Callable[[], datetime.datetime] | None = None
    ) -> None:
        self._study, self._insight = study, insight
        self._texts = Wording(study.words.language, study.words.texts, "organiser")
        self._clock = clock or (lambda: datetime.datetime.now(datetime.UTC))
        self._kept: tuple[int, AgreementSoFar, tuple[VerdictSoFar, ...] | None] | None = None
        self._lock = threading.Lock()
        self._environment = templates().overlay()  # with names of its own
        self._environment.globals = {
            **templates().globals,
            "study": study, "t": self._texts, "n": self._number, "signed": self._signed, "mark": self._mark,
            "money": lambda amount: self._texts.money(amount, study.people.currency), "flag": self._flag,
            "drawn": drawn, "small": small, "least": f"{study.rules.seconds:g}" if study.rules.seconds else "",
        }  # fmt: skip

    def sign_in(self, here: str, csrf: str, wrong: str = "", **about: object) -> str:
        """The page that asks for the password."""
        told = self._texts(wrong, **about) if wrong else ""
        return self._render("organiser_sign_in.html", here, csrf=csrf, wrong=told)

    def exclude(self, here: str, csrf: str, assessor: str, reason: str = "", wrong: str = "") -> str:
        """The page that asks why somebody is excluded."""
        told = self._texts(wrong) if wrong else ""
        return self._render("organiser_exclude.html", here, csrf=csrf, assessor=assessor, reason=reason, wrong=told)

    def missing(self, here: str, assessor: str) -> str:
        """The page that says that there is no such assessor."""
        text = self._texts("missing.assessor", id=assessor)
        return self._render("organiser_said.html", here, title=self._texts("missing.title"), text=text, lang="")

    def nothing(self, here: str, why: str) -> str:
        """The page that says why there is nothing to download; `why` is English."""
        return self._render("organiser_said.html", here, title=self._texts("missing.export"), text=why, lang="en")

    def figures(
        self, database: Readable, here: str, csrf: str, *, paused: bool, said: str = "", everyone: bool = False
    ) -> str:
        """The page of figures."""
        found = collected(database)
        agreement, verdicts = self._so_far(found)
        o = overview_of(self._study, found, failed_checks(database), agreement, verdicts)
        told = [v for v in o.verdicts or () if v.difference is not None]
        return self._render(
            "organiser.html", here, csrf=csrf, o=o, paused=paused, said=said,
            now=self._clock().strftime("%H:%M"), shown=o.assessors if everyone else o.assessors[:MOST],
            early=self._counts("early", o.early), early_total=sum(o.early.values()), checks=self._checks(o),
            has_verdict=bool(told), decided=bool(told) and all(v.outcome != "cannot be told" for v in told),
        )  # fmt: skip

    def _so_far(self, found: Collected) -> tuple[AgreementSoFar, tuple[VerdictSoFar, ...] | None]:
        """Agreement and verdict; worked out again only where a judgment came, changed, or counts no longer."""
        rows = found.ratings()
        key = hash(tuple(tuple(row[name] for name in COUNT) for row in rows))
        with self._lock:
            if self._kept is None or self._kept[0] != key:
                verdict = self._insight.verdict
                self._kept = (
                    key,
                    self._insight.agreement(ratings_of(self._study, found)),
                    None if verdict is None else verdict(rows),
                )
            return self._kept[1:]

    # ------------------------------------------------------------------ words and numbers

    def _number(self, value: float, digits: int = 2) -> str:
        return self._mark(f"{value:.{digits}f}")

    def _signed(self, value: float) -> str:
        return self._mark(f"{value:+.3f}")

    def _mark(self, text: str) -> str:
        return text.replace(".", self._texts("format.decimal"))

    def _flag(self, name: str) -> str:
        key = f"flag.{name.replace(' ', '_')}"
        return self._texts(key) if key in self._texts else name

    def _counts(self, part: str, counts: Mapping[str, int]) -> str:
        return ", ".join(self._texts(f"{part}.{name}", n=count) for name, count in counts.items())

    def _checks(self, o: Overview) -> str:
        known = {name: f"check.{name}" for name in o.failed if f"check.{name}" in self._texts}
        return "; ".join(
            self._texts(known.get(name, "check.other"), name=name, n=count) for name, count in sorted(o.failed.items())
        )

    def _render(self, template: str, here: str, **about: Any) -> str:
        base = here.partition("/organise/")[0]
        return self._environment.get_template(template).render(
            here=here, static=lambda name: static(base, name), **about
        )


def failed_checks(database: Readable) -> dict[str, int]:
    """How often each check of a whole set was failed."""
    from sqlalchemy import select

    from truegain.judging.store.schema import events

    query = select(events.c.about).where(events.c.kind == "checks")
    rows: Sequence[Row] = database.read(lambda connection: list(connection.execute(query).scalars()))
    counts: dict[str, int] = {}
    for about in rows:
        for name in about.get("failed", ()):
            counts[name] = counts.get(name, 0) + 1
    return counts
