"""The command `truegain settle`: from runs and labels of a judge to a decision, with as few labels as it takes."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.annotate_serve import HOST, PORT, DatabaseUrl
from truegain.cli.options import Judgments, RunFiles, advanced, takes
from truegain.cli.output import write_table
from truegain.cli.rating_options import Reading
from truegain.cli.settle_llm import LabeledByModel, label_unjudged
from truegain.cli.streams import in_words, tell
from truegain.cli.study_options import Claims, StudyOptions
from truegain.config import Gold, StudyConfig
from truegain.errors import InputError, TruegainError, counted, needs, some
from truegain.io.files import STANDARD_INPUT, expand, shown_path, write_bytes
from truegain.message import arg, option
from truegain.results.settlement import Settlement

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from truegain.data.label_lists import GoldList
    from truegain.data.runs import Runs
    from truegain.judging.labels import ListedLabels, ListedRows
    from truegain.judging.store.database import Database
    from truegain.judging.study.study import JudgingStudy
    from truegain.planning.settle import Settling

QUESTION = "question.json"  # in the folder: what is settled there, so that no other question goes on with its labels
ANSWER, REPORT, FILLED = "decision.json", "report.html", "labels.csv"
EXIT = {"better": 0, "not-better": 1, "worse": 1}  # as `gate` has them; 3: not known
NOT_KNOWN = 3
BATCH = 25  # rows of a sheet to fill in before the next look
LISTEN = 0.4  # seconds between looks for new labels
TURN = 0.001  # seconds after which a look lets a page go first; Python's own 0.005 adds up over a page's questions
AFTER_FAILURE = 5.0  # seconds until the next look, where one failed
LINGER = 600.0  # seconds that the server goes on after the answer, so that people see that it is known
TITLE = "Are these search results relevant?"  # what people read at the top of every page; measures mean nothing to them
TEXTS = {  # a team's work is no published research, unless its folder says so
    "consent.box": "I have read this page and I want to take part",
    "consent.published": "Your labels help to find out which search system is better. A random ID stands for you.",
}
ON_THEIR_WAY = 50  # labels at most that came in between a decision and the end of the process that made it


@dataclass(frozen=True, kw_only=True)
class SettleTexts:
    """What people read."""

    topics: Annotated[
        str | None, typer.Option("--topics", help="Topics that people read: JSONL, CSV, TSV or TREC format.")
    ] = None
    docs: Annotated[
        str | None, typer.Option("--docs", help="Documents that people read: JSONL (also BEIR's), CSV or TSV.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class SettleLimits:
    """How far labeling may go."""

    max_labels: Annotated[int | None, typer.Option("--max-labels", min=1, help="Labels after which to give up.")] = None
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", help="What labels may cost together, at the price in --costs gold=0.5."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SettlePlace:
    """Who labels, and where it is kept."""

    people: Annotated[int, typer.Option("--people", min=1, max=500, help="How many people label.")] = 1
    double: Annotated[
        float, advanced("--double", min=0, max=1, help="Share of documents that a second person labels, too.")
    ] = 0.0
    sheet: Annotated[
        str | None,
        typer.Option("--sheet", help="No server: a sheet (CSV) to fill in from its top; run again to go on."),
    ] = None
    folder: Annotated[str, advanced("--folder", help="Folder of the labels and the answer.")] = "settle"
    host: Annotated[str, advanced("--host", help=HOST)] = "127.0.0.1"
    port: Annotated[int, advanced("--port", min=0, max=65535, help=PORT)] = 8000
    database: DatabaseUrl = None
    linger: Annotated[float, advanced("--linger", min=0, help="Seconds that the server stays up once it is known.")] = (
        LINGER
    )
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell how many labels it may take; collect none.")] = False


@takes(
    claims=Claims, texts=SettleTexts, limits=SettleLimits, place=SettlePlace, llm=LabeledByModel, options=StudyOptions,
    config=StudyConfig, reading=Reading,
)  # fmt: skip
def settle_command(
    context: typer.Context,  # noqa: ARG001  # a study file is read into it
    judgments: Judgments,
    runs: RunFiles,
    *,
    claims: Claims,
    texts: SettleTexts,
    limits: SettleLimits,
    place: SettlePlace,
    llm: LabeledByModel,
    options: StudyOptions,
    config: StudyConfig,
    reading: Reading,
) -> None:
    """Have people label documents until it is known whether the candidate is better, and no further.

    Draws the documents that can decide it, serves them to a team (or writes a sheet), looks after every label, and
    stops when it is decided or cannot be: then the answer, a report page and the labels are in the folder. The same
    command goes on where it was. Exit code 0: better. 1: not better. 3: not known. 2: bad input.

    Examples:
        truegain settle demo/llm.qrels demo/runs --baseline system-5 --candidate system-7 -m P@10 \
--topics demo/queries.tsv --docs demo/docs.jsonl --people 3 --max-labels 300
        truegain settle demo/llm.qrels demo/runs --baseline system-5 --candidate system-7 -m P@10 --sheet labels.csv

    """
    files = expand(runs)
    folder = Path(place.folder)
    if config.gold is not None:
        tell(
            "gold labels that are there are not used: only labels in the order of a list may be looked at again and "
            "again; `truegain verdict --gold` answers with those that are there"
        )
        config = replace(config, gold=None)
    judgments = label_unjudged(judgments, files, texts, llm, folder, options.measure, ask=not place.dry_run)
    population = "topics" if _is_fixed(config) else config.population  # without gold labels, all is known of these
    study = options.study(judgments, files, replace(config, population=population), reading)
    settling = _settling(study, options, claims, limits, config, None if place.dry_run else folder)
    if place.dry_run:
        write_table(settling.outlook(), None, STANDARD_INPUT)
        raise typer.Exit
    where = "by a team" if place.sheet is None else f"in the sheet {place.sheet}"
    keeper = Keeper(settling, folder, judgments, files, config, where)
    if (known := keeper.known()) is not None:
        tell(f"settled before; {shown_path(folder / ANSWER)} has the answer")
        _end(known)
    if place.sheet is not None:
        _by_sheet(keeper, place.sheet, texts)
    else:
        _by_team(keeper, texts, place)


def _is_fixed(config: StudyConfig) -> bool:
    return config.population in ("fixed", ["fixed"], ("fixed",))


def _settling(
    study: Any, options: StudyOptions, claims: Claims, limits: SettleLimits, config: StudyConfig, folder: Path | None
) -> Settling:
    """The question, with the list that was drawn for it before, if one was."""
    from truegain.planning.settle import LabelBudget, Settling
    from truegain.study.precision import prices_of

    if len(study.measures) > 1:
        named = some([str(m) for m in study.measures])
        raise TruegainError(
            f"one measure decides, and there are {named}; name one, as in {arg('measure', str(study.measures[0]))}"
        )
    if len(study.systems) != 2 and not claims.baseline:
        raise TruegainError(
            f"there are {len(study.systems)} systems; name the one in use and the one that may be better, as in "
            f"{arg('baseline', study.systems[0])} and {arg('candidate', study.systems[-1])}"
        )
    pairs = options.claims(study.systems, None, claims.baseline or [study.systems[0]], claims.candidate)
    price = prices_of(options.costs).get("gold")
    if limits.max_cost is not None and price is None:
        raise TruegainError(f"{option('--max-cost')} needs the price of a label; give it, as in --costs gold=0.5")
    budget = LabelBudget(limits.max_labels, price, limits.max_cost)
    seed = config.resampling.seed
    drawn = None if folder is None else _drawn_before(folder)
    population = "fixed" if _is_fixed(config) else None
    try:
        return Settling(study, [a for a, _ in pairs], [b for _, b in pairs], budget, population, seed, drawn)
    except InputError:
        if drawn is None:
            raise
        raise InputError(
            "this folder settles another question: its list was drawn for other systems, labels or another measure",
            file=shown_path(str(folder)), hint=f"give {option('--folder')} another name, or ask the same question",
        ) from None  # fmt: skip


def _drawn_before(folder: Path) -> GoldList | None:
    from truegain.data.label_list_reading import read_gold_list

    file = folder / "list.csv"
    has_begun = (folder / QUESTION).is_file() or (folder / "judging.toml").is_file()  # or the list is half a study's
    if not has_begun or not file.is_file():
        return None
    listed = read_gold_list(file)
    return replace(listed, label=listed.label * float("nan"), cannot=frozenset())


def _end(known: Settlement) -> None:
    typer.echo(in_words(known.sentence))
    for note in known.notes:
        typer.echo(in_words(note))
    raise typer.Exit(EXIT.get(known.status, NOT_KNOWN))


# ---- What is kept in the folder.


@dataclass(frozen=True, eq=False)
class Keeper:
    """A folder with one question, its labels and its answer."""

    settling: Settling
    folder: Path
    judgments: str
    runs: Sequence[str]
    config: StudyConfig
    where: str  # the sheet that labels are in; or that a team gives them

    def question(self) -> dict[str, object]:
        """What is settled, as the folder keeps it."""
        s = self.settling
        return {
            "baselines": list(s.baselines), "candidates": list(s.candidates), "measure": str(s.measure),
            "population": s.population or "topics", "min_effect": s.study.min_effect,
            "confidence": s.study.confidence, "list": s.listed.digest, "labels": self.where,
        }  # fmt: skip

    def begin(self) -> None:
        """Keep the question, or refuse to go on with another."""
        path, now = self.folder / QUESTION, self.question()
        if not path.is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, json.dumps(now, indent=2).encode())
            return
        before = json.loads(path.read_text(encoding="utf-8"))
        if changed := [name for name, value in now.items() if before.get(name) != value]:
            was, is_now = (_told(part.get(changed[0])) for part in (before, now))
            raise InputError(
                f"this folder settles another question ({changed[0]}: {was} before, {is_now} now)",
                file=shown_path(path), hint=f"give {option('--folder')} another name, or ask the same question",
            )  # fmt: skip

    def known(self) -> Settlement | None:
        """The answer, where it is there already and to the same question."""
        if not (self.folder / QUESTION).is_file():
            return None
        self.begin()
        path = self.folder / ANSWER
        if not path.is_file():
            return None
        known = Settlement.of_json(path.read_bytes())
        is_open = any(pair.status == "undecided" for pair in known.pairs)
        open_again = is_open and self.settling.most > known.given  # a higher limit than before
        return None if open_again or not known.ended else known

    def write(self, known: Settlement, filled: GoldList) -> None:
        """Write the labels, the report page and, last, the answer."""
        self.write_basis(filled)
        self.write_answer(known)

    def write_answer(self, known: Settlement) -> None:
        """Write the answer: where it is there, all else is."""
        write_bytes(self.folder / ANSWER, f"{known.to_json()}\n".encode())

    def _put_aside(self) -> None:
        """Rename the labels of an answer that did not last: some may have changed since, and none is deleted."""
        from truegain.data.label_list_reading import read_gold_list

        path = self.folder / FILLED
        with suppress(TruegainError):  # not ours
            if path.is_file() and read_gold_list(path).digest == self.settling.listed.digest:
                path.replace(self.folder / f"earlier.{FILLED}")

    def write_basis(self, filled: GoldList) -> None:
        """Write what the answer rests on: the labels, and the report page."""
        from truegain.report.page.page import write_report

        self._put_aside()
        filled.write(self.folder / FILLED)
        try:
            s = self.settling
            config = replace(
                self.config, gold=Gold(filled, sequential=True), confidence=s.confidence,
                population=s.population or self.config.population,
            )  # fmt: skip
            measure, page = [str(s.measure)], self.folder / REPORT
            write_report(self._runs(), self.judgments, measure, page, pairs=s.pairs, config=config)
        except TruegainError as error:  # the answer and the labels stand
            tell(f"no {REPORT}: {error}", "warning")

    def _runs(self) -> Runs:
        """The runs of the systems in question: of others the labels say nothing."""
        from truegain.data.runs import Runs

        runs, asked = Runs.of(list(self.runs)), {name for pair in self.settling.pairs for name in pair}
        kept = tuple(run for run in runs.parts if run.system in asked)
        return Runs(kept) if len(kept) == len(asked) else runs


# ---- By a sheet.


def _by_sheet(keeper: Keeper, sheet: str, texts: SettleTexts) -> None:
    """Read what was filled in, look, and say what to fill in next."""
    from truegain.cli.sheets import texts_of
    from truegain.data.label_list_reading import read_gold_list
    from truegain.results.settlement import Label

    if Path(sheet).resolve() == (keeper.folder / FILLED).resolve():
        raise TruegainError(f"{option('--sheet')} {sheet}: the answer's labels go there; name another file")
    keeper.begin()
    settling = keeper.settling
    if not Path(sheet).is_file():
        write_table(settling.outlook(), None, STANDARD_INPUT)
        listed = settling.listed
        if texts.topics is not None or texts.docs is not None:
            listed = listed.with_texts(*texts_of(listed.topics, listed.docs, texts.topics, texts.docs))
        listed.write(sheet)
        settling.listed.write(keeper.folder / "list.csv")
        typer.echo(f"\n{_fill_in(sheet, 0, settling)}")
        raise typer.Exit(NOT_KNOWN)
    filled = read_gold_list(sheet)
    if filled.digest != settling.listed.digest:
        raise InputError(
            "this sheet was drawn for another question", file=shown_path(sheet),
            hint=f"name another sheet ({option('--sheet')}) and another folder ({option('--folder')})",
        )  # fmt: skip
    n = min(filled.judged, settling.most)
    if n < filled.judged:
        tell(f"{filled.judged:,} rows have a label; the first {n:,} count, as many as were allowed")
    rows = [
        Label(t, d, (None if i in filled.cannot else float(filled.label[i]),))
        for i, (t, d) in enumerate(zip(filled.topics[:n], filled.docs[:n], strict=True))
    ]
    now = settling.decide(rows)
    if not now.ended:
        typer.echo(in_words(now.sentence))
        for pair in now.pairs:
            if pair.likely is not None:
                typer.echo(foretold(pair.likely, pair.latest, settling.most))
        typer.echo(_fill_in(sheet, n, settling))
        raise typer.Exit(NOT_KNOWN)
    keeper.write(now, settling.filled(settling.labels_of(rows)))
    _end(now)


def _fill_in(sheet: str, n: int, settling: Settling) -> str:
    """Which rows to fill in next."""
    last = min(n + BATCH, settling.most)
    return (
        f"Fill in the column label of {shown_path(sheet)}, rows {n + 1} to {last}, from the top (labels "
        f"{settling.listed.labels}; 'cannot' where nobody can judge); then run the same command again."
    )


def foretold(likely: int, latest: int | None, most: int) -> str:
    """When it is likely known.

    >>> foretold(120, 300, 500)
    'If it goes on like this: known after about 120 labels in all, with a chance of 90% after 300.'
    >>> foretold(620, 800, 500)
    'If it goes on like this: not known within 500 labels; about 620 would be needed.'
    """
    if likely > most:
        return f"If it goes on like this: not known within {most:,} labels; about {likely:,} would be needed."
    later = "" if latest is None or latest > most else f", with a chance of 90% after {latest:,}"
    return f"If it goes on like this: known after about {likely:,} labels in all{later}."


def _told(value: object) -> str:
    """A part of a question in words."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


# ---- By a team, in the web app.


def _by_team(keeper: Keeper, texts: SettleTexts, place: SettlePlace) -> None:
    """Serve the list to the team, and look after every label."""
    for module in ("fastapi", "sqlalchemy", "uvicorn", "nh3"):
        needs(module, "judging")
    from truegain.cli.annotate_serve import FACTORY, SETTINGS, new_password, organizer_line
    from truegain.judging.server.serving import listen, run
    from truegain.judging.store.database import Database, default_url
    from truegain.judging.study.study import FILE, read_study
    from truegain.judging.workflow.assessor import AssessorService
    from truegain.judging.workflow.organizer import OrganizerService

    if texts.topics is None or texts.docs is None:
        lack = "--topics" if texts.topics is None else "--docs"
        raise TruegainError(f"{option(lack)}: people need to read topics and documents; or give {option('--sheet')}")
    at = listen(place.host, place.port)
    is_new = not (keeper.folder / FILE).is_file()
    if is_new:
        _make_study(keeper, texts, place)
    keeper.begin()
    write_table(keeper.settling.outlook(), None, STANDARD_INPUT)
    judging = read_study(keeper.folder)
    url = place.database or default_url(judging.folder)
    database = Database(url)
    AssessorService(judging, database)
    organizer = OrganizerService(judging, database)
    typer.echo("")
    if organizer.invited() < place.people:
        for token in organizer.invite(place.people - organizer.invited()):
            typer.echo(f"a link for one person: {at.url}/s/{judging.name}/?invitation={token}")
    else:
        typer.echo(
            f"people go on with the links they have, at {at.url}; more links: truegain annotate invite "
            f"{shown_path(keeper.folder)} --url {at.url}"
        )
    password = new_password(keeper.folder)
    typer.echo(f"{organizer_line(judging, at.url)}decision" + (f"  password: {password}" if password else ""))
    if at.is_open:
        typer.echo("other machines can reach this server: put a proxy with TLS in front of it")
    typer.echo("Ctrl-C stops the server; the same command goes on.")
    watch = Watch(keeper, judging, database, place.linger)
    os.environ[SETTINGS] = json.dumps(
        {"folder": str(judging.folder), "database": url, "per_address": 0, "prolific_key": None}
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    watch.start()
    with suppress(KeyboardInterrupt):
        run(FACTORY, at, log=False)
    sys.setswitchinterval(usual)
    watch.stop()
    database.close()
    if watch.now is not None and watch.now.ended:
        raise typer.Exit(EXIT.get(watch.now.status, NOT_KNOWN))
    tell("stopped before it was known; the same command goes on")
    raise typer.Exit(NOT_KNOWN)


def _make_study(keeper: Keeper, texts: SettleTexts, place: SettlePlace) -> None:
    """The folder of the app: the list, its topics and documents, and the rules of a team."""
    from truegain.judging.study.create import gather, usual_labels, write_study
    from truegain.judging.study.study import JudgingSettings, People, Rules, Team, Words, name_of, usual_rules
    from truegain.judging.study.units import Design

    listed = keeper.settling.listed
    with tempfile.TemporaryDirectory() as made:
        listed.write(Path(made) / "list.csv")
        found = gather(str(texts.topics), str(texts.docs), [str(Path(made) / "list.csv")])
        if found.left_out:
            raise InputError(
                found.left_out[0], file=shown_path(str(texts.topics)),
                hint="every row of the list must be labeled in its turn: give the topics of all rows",
            )  # fmt: skip
        rules = usual_rules("graded", 1) | {"seconds": 0.0}
        settings = JudgingSettings(
            name_of(keeper.folder), "graded", gold_list="list.csv", labels=usual_labels("graded", listed.scale),
            design=Design(1, 1, "decisive", 0), words=Words(TITLE, texts=TEXTS),
            rules=Rules(reason=False, **rules), people=People("invitation", number=place.people, most_of_topic=None),
            team=Team(place.double),
        )  # fmt: skip
        copied = [
            (name, Path(made) / name) for name in ("list.key.csv", "list.csv")
        ]  # the key first: a list without it is none
        write_study(keeper.folder, settings, found.topics, found.documents, found.rows, copied)


class Watch(threading.Thread):
    """Looks after every label, beside the server; when it is known, collecting pauses and the answer is written."""

    def __init__(self, keeper: Keeper, judging: JudgingStudy, database: Database, linger: float = LINGER) -> None:
        super().__init__(daemon=True, name="settle")
        self.keeper, self.judging, self.database, self.linger = keeper, judging, database, linger
        self.now: Settlement | None = None
        self.looks, self.busy = 0, 0.0  # how many, and the processor's seconds that they took
        self._ended = threading.Event()
        self._told, self._failed = -1, ""
        self._rows: ListedRows | None = None

    def stop(self) -> None:
        """End it, after the look that it is at."""
        self._ended.set()
        self.join(timeout=30)

    def run(self) -> None:
        """Look until it is known."""
        from truegain.judging.labels import labels_version

        seen: tuple[int, ...] | None = None
        while not self._ended.is_set():
            try:
                version = labels_version(self.database)
                if version != seen:
                    self.look()
                    seen, self._failed = version, ""
            except Exception as error:  # were it to end here, people would label on and nobody would look
                self._fail(error)
            if self.now is not None and self.now.ended:
                break
            self._ended.wait(LISTEN)
        if self.now is not None and self.now.ended and not self._ended.wait(self.linger):
            os.kill(os.getpid(), signal.SIGINT)

    def _fail(self, error: Exception) -> None:
        """Say what is wrong, once, and give it time."""
        known = isinstance(error, TruegainError)
        said = str(error) if known else f"{type(error).__name__}: {error}"
        if said != self._failed:
            tell(f"{said}; labels are kept, and looked at again in {AFTER_FAILURE:g} s", "warning")
        self._failed = said
        self._ended.wait(AFTER_FAILURE)

    def look(self) -> None:
        """One look: what is known now, kept where the pages find it."""
        from truegain.judging.decision_store import store_decision
        from truegain.judging.labels import ListedRows, labels_of_list
        from truegain.judging.workflow.pausing import DECIDED, pause_reason

        began = time.thread_time()
        self._rows = self._rows or ListedRows(self.judging)
        found = labels_of_list(self.database, self.judging, self._rows)
        is_over = self.now is None or self.database.read(pause_reason) in DECIDED  # an end that failed half way
        now = self._again(found) if is_over else self._decided(found)
        if now.ended:
            self._end(now, found)
        else:
            self.database.write(lambda connection: store_decision(connection, now, time.time()))
        self.now = now
        self.looks, self.busy = self.looks + 1, self.busy + time.thread_time() - began
        self._tell(now)

    def _decided(self, found: ListedLabels, top: int | None = None) -> Settlement:
        return self.keeper.settling.decide(found.labels, found.top if top is None else top, found.given)

    def _again(self, found: ListedLabels) -> Settlement:
        """The first look of a process: what one before it knew, where it had no time to write the answer.

        Labels that were on their way when it was known may be there by now.  Limits hold at every look together, so
        the look that decided it stands.  Where none does, since more labels may be given than before or somebody took
        theirs back, people go on.
        """
        from truegain.judging.decision_store import store_decision, stored_decision
        from truegain.judging.workflow.pausing import DECIDED, pause_reason, resume

        before = self.database.read(stored_decision)
        if before is not None:
            self.keeper.settling.remember(before.decision)
        now, reason = self._decided(found), self.database.read(pause_reason)
        if now.ended or reason not in DECIDED:
            return now
        if reason == "known":
            for top in range(found.top - 1, max(found.top - ON_THEIR_WAY, 0), -1):
                if (earlier := self._decided(found, top)).status in EXIT:
                    return earlier
            now = self._decided(found)

        def go_on(connection: Connection) -> None:
            store_decision(connection, now, time.time(), reopen=True)
            resume(connection)

        self.database.write(go_on)
        return now

    def _end(self, now: Settlement, found: ListedLabels) -> None:
        """Collecting pauses first, the answer comes last: who is killed in between finds here again, and ends it."""
        from truegain.judging.decision_store import store_decision
        from truegain.judging.workflow.pausing import Reason, pause

        reason: Reason = "known" if all(pair.status in EXIT for pair in now.pairs) else "given-up"
        self.database.write(lambda connection: pause(connection, reason))
        settling = self.keeper.settling
        self.keeper.write_basis(settling.filled(settling.labels_of(found.labels, now.labels)))
        self.database.write(lambda connection: store_decision(connection, now, time.time()))
        self.keeper.write_answer(now)

    def _tell(self, now: Settlement) -> None:
        if now.ended:
            typer.echo(in_words(now.sentence))
            for note in now.notes:
                typer.echo(in_words(note))
            folder = shown_path(self.keeper.folder)
            typer.echo(f"{counted(now.labels, 'label')}; {folder} has {ANSWER}, {REPORT} and {FILLED}.")
        elif now.labels // 10 != self._told // 10:
            for pair in now.pairs:
                most = self.keeper.settling.most
                later = foretold(pair.likely, pair.latest, most) if pair.likely is not None else ""
                tell(f"{in_words(pair.sentence)} {later}".strip())
        self._told = now.labels
