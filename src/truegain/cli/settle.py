"""The command `truegain settle`: from runs and labels of a judge to a decision, with as few labels as it takes."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import tempfile
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truegain.cli.annotate_serve import HOST, PORT, DatabaseUrl
from truegain.cli.options import Judgments, RunFiles, advanced, holds_answers, with_options
from truegain.cli.output import write_table
from truegain.cli.rating_options import RatingOptions
from truegain.cli.settle_folder import QUESTION, Keeper, check_question, only_here
from truegain.cli.settle_llm import LabeledByModel, label_unjudged
from truegain.cli.streams import in_words, tell
from truegain.cli.study_options import Claims, StudyOptions
from truegain.config import StudyConfig
from truegain.data.runs import read_runs
from truegain.errors import DataWarning, InputError, TruegainError, counted, needs, some, without_secrets
from truegain.io.files import STANDARD_INPUT, can_be_read_again, expand, shown_path, write_bytes
from truegain.io.formats import system_name
from truegain.message import arg, argname, option, with_marks
from truegain.results.settlement import ANSWER, DECIDED, FILLED, REPORT, Aggregate, Settlement

if TYPE_CHECKING:
    from truegain.data.label_lists import GoldList
    from truegain.judging.study.study import JudgingStudy
    from truegain.judging.workflow.organizer import OrganizerService
    from truegain.planning.settle import Settling

NOT_KNOWN = 3  # exit code; 0: better, and 1: not, as `gate` has them
USUAL_MEASURE = "P@10"
BATCH = 25  # rows of a sheet to fill in before the next look
TURN = 0.001  # seconds after which a look lets a page go first; Python's own 0.005 adds up over a page's questions
TITLE = "Are these search results relevant?"  # what people read at the top of every page; measures mean nothing to them
TEXTS = {  # a team's work is no published research, unless its folder says so
    "consent.box": "I have read this page and I want to take part",
    "consent.published": "Your labels help to find out which search system is better. Only a random ID identifies you.",
}


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

    max_labels: Annotated[int | None, typer.Option("--max-labels", min=1, help="Stop after this many labels.")] = None
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost", help="Stop at this total cost of labels; needs their price, as in --costs gold=0.5."
        ),
    ] = None
    keep_going: Annotated[
        bool,
        advanced(
            "--keep-going", help="Keep labeling even if the forecast says that labels cannot decide the comparison."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class SettlePlace:
    """Who labels, and where it is kept."""

    people: Annotated[int, typer.Option("--people", min=1, max=500, help="How many people label.")] = 1
    double: Annotated[
        float, advanced("--double", min=0, max=1, help="Share of documents that a second person also labels.")
    ] = 0.0
    team_aggregate: Annotated[
        Aggregate,
        advanced(
            "--team-aggregate",
            help="How to combine two people's labels of a document: median (the lower one) or mean.",
        ),
    ] = "median"
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet",
            help="Write a CSV sheet to fill in from the top, instead of serving pages; run again to continue.",
        ),
    ] = None
    folder: Annotated[str, advanced("--folder", help="Folder for the labels and the answer.")] = "settle"
    host: Annotated[str, advanced("--host", help=HOST)] = "127.0.0.1"
    port: Annotated[int, advanced("--port", min=0, max=65535, help=PORT)] = 8000
    database: DatabaseUrl = None
    linger: Annotated[
        float, advanced("--linger", min=0, help="Seconds that the server keeps running after the decision.")
    ] = 600.0
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate how many labels the decision takes; collect none.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class SettleClaims(Claims):
    """The systems that may be better, one or several of them."""

    candidate: Annotated[
        list[str] | None,
        typer.Option(
            "--candidate", help="System that may be better than the baselines. Repeatable (default: every other one)."
        ),
    ] = None  # type: ignore[assignment]


@dataclass(frozen=True, kw_only=True)
class SettleOptions(StudyOptions):
    """What the study is made of; without a measure, one that labels of some documents decide as it stands."""

    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Measure that decides (default: P@10). For nDCG, which needs all labels, DCG is used.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SettleReading(RatingOptions):
    """How ratings are read; without any, `--scale` says what people may answer."""

    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            help="Labels that people may give, such as 0:3 (default: those of the judge); for ratings, their scale.",
        ),
    ] = None


@with_options(
    claims=SettleClaims, texts=SettleTexts, limits=SettleLimits, place=SettlePlace, llm=LabeledByModel,
    options=SettleOptions, config=StudyConfig, reading=SettleReading,
)  # fmt: skip
def settle_command(
    context: typer.Context,  # noqa: ARG001  # a study file is read into it
    judgments: Judgments,
    runs: RunFiles,
    *,
    claims: SettleClaims,
    texts: SettleTexts,
    limits: SettleLimits,
    place: SettlePlace,
    llm: LabeledByModel,
    options: SettleOptions,
    config: StudyConfig,
    reading: SettleReading,
) -> None:
    """Have people label documents until the labels decide whether the candidate is better.

    Draws the documents that can decide it and serves them to a team, or writes a sheet. Checks the result after every
    label, and stops once it is decided or no label can decide it. Writes the answer, a report page and the labels into
    the folder. Run the same command again to continue. Exit code 0: better. 1: not better. 3: not known. 2: bad input.
    Of several candidates, exit code 0 says that all are better, 1 that at least one is not, and 3 that none is known to
    be not better but at least one is not known.

    Examples:
        truegain settle demo/llm.qrels demo/runs --baseline system-5 --candidate system-7 -m P@10 \
--topics demo/queries.tsv --docs demo/docs.jsonl --people 3 --max-labels 300
        truegain settle demo/llm.qrels demo/runs --baseline system-5 --candidate system-7 -m P@10 --sheet labels.csv

    """
    if holds_answers(judgments):
        from truegain.planning.settle import not_of_answers  # for those who name answers

        raise not_of_answers()
    files = _of_named(expand(runs), claims, options)
    folder = Path(place.folder)
    if not options.measure and options.score is None:
        options = replace(options, measure=[USUAL_MEASURE])
    if config.gold is not None:
        tell(
            "the gold labels you have are not used: repeated looks are valid only for labels given in the order of a "
            "list; `truegain verdict --gold` uses yours"
        )
        config = replace(config, gold=None)
    if config.sample is not None:
        raise TruegainError(
            f"{argname('unjudged_sample')}: collected labels correct the judge, but a sample of the unjudged "
            "documents takes the judge's labels as correct; leave it out, or have an LLM label these "
            f"({option('--model')})"
        )
    if place.double and place.sheet is not None:
        raise TruegainError(f"{option('--double')} and {option('--sheet')}: a sheet has one label a row; leave one out")
    if place.team_aggregate != SettlePlace.team_aggregate and place.sheet is not None:
        raise TruegainError(
            f"{option('--team-aggregate')} and {option('--sheet')}: a sheet has one label a row; leave one out"
        )
    judgments = label_unjudged(judgments, files, texts, llm, folder, options.measure, ask=not place.dry_run)
    population = "topics" if _is_fixed(config) else config.population  # without gold labels, all is known of these
    scale = None
    if not config.ratings.are_aggregated:
        reading, scale = replace(reading, scale=None), reading.scale
    study = options.study_of_inputs(judgments, files, replace(config, population=population), reading)
    settling = _settling(study, options, claims, limits, config, place, scale)
    if place.dry_run:
        write_table(settling.outlook(), None, STANDARD_INPUT)
        raise typer.Exit
    where = "by a team" if place.sheet is None else f"in the sheet {place.sheet}"
    keeper = Keeper(settling, folder, judgments, files, config, where, _database(place))
    if place.sheet is not None:
        _by_sheet(keeper, place.sheet, texts)
    else:
        _end_if_known(keeper)
        _by_team(keeper, texts, place)


def _of_named(files: list[str], claims: SettleClaims, options: SettleOptions) -> list[str]:
    """The files of the systems that are named; all files where a named one is in none, or a file cannot be read.

    Others would change the answer: a topic that one of the systems lacks is left out for all of them.  Neither time nor
    an LLM's labels are spent on them.
    """
    if not claims.baseline or not claims.candidate:
        return files
    named = {options.called(name) for name in (*claims.baseline, *claims.candidate)}
    if options.name_by == "file":
        kept = {file: name for file in files if (name := options.called(system_name(file))) in named}
        if sorted(kept.values()) == sorted(named):
            return list(kept)
    if not all(map(can_be_read_again, files)):
        return files
    found: dict[str, set[str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # told when the study reads them
        try:
            for file in files:
                found[file] = {options.called(name) for name in read_runs([file], name_by=options.name_by).systems}
        except TruegainError:
            return files  # and the study says what is wrong
    theirs = [file for file in files if found[file] & named]
    return theirs if named <= {name for file in theirs for name in found[file]} else files


def _is_fixed(config: StudyConfig) -> bool:
    return config.population in ("fixed", ["fixed"], ("fixed",))


def _settling(
    study: Any,
    options: StudyOptions,
    claims: SettleClaims,
    limits: SettleLimits,
    config: StudyConfig,
    place: SettlePlace,
    scale: str | None,
) -> Settling:
    """The question, with the list that was drawn for it before, if one was."""
    from truegain.planning.settle import Settling
    from truegain.study.precision import prices_of
    from truegain.study.settled import LabelBudget

    if len(study.measures) > 1:
        named = some([str(m) for m in study.measures])
        raise TruegainError(f"give one measure, not several ({named}), as in {arg('measure', str(study.measures[0]))}")
    if len(study.systems) != 2 and not claims.baseline:
        raise TruegainError(
            f"there are {len(study.systems)} systems; name the one in use and the one that may be better, as in "
            f"{arg('baseline', study.systems[0])} and {arg('candidate', study.systems[-1])}"
        )
    baselines = claims.baseline or [study.systems[0]]
    candidates: list[str | None] = [*dict.fromkeys(claims.candidate or ())] or [None]
    pairs = [pair for name in candidates for pair in options.claims(study.systems, None, baselines, name)]
    price = prices_of(options.costs).get("gold") or None  # where labels cost nothing, there is no cost to tell
    if limits.max_cost is not None and price is None:
        raise TruegainError(
            f"{option('--max-cost')} needs the price of a label, above 0; give it, as in {option('--costs')} gold=0.5"
        )
    budget = LabelBudget(limits.max_labels, price, limits.max_cost, limits.keep_going, place.double)
    seed = config.resampling.seed
    folder = None if place.dry_run else Path(place.folder)
    drawn = None if folder is None else _drawn_before(folder)
    population = "fixed" if _is_fixed(config) else None
    if folder is not None:
        check_question(folder, {
            "baselines": [a for a, _ in pairs], "candidates": [b for _, b in pairs], "measure": str(study.measures[0]),
            "population": population or "topics", "min_effect": study.min_effect, "confidence": study.confidence,
            "seed": seed,
        })  # fmt: skip
    try:
        return Settling(
            study, [a for a, _ in pairs], [b for _, b in pairs], budget, population, seed, drawn, scale,
            place.team_aggregate,
        )  # fmt: skip
    except InputError as error:
        if drawn is None or error.file is not None:
            raise
        raise InputError(
            f"this folder belongs to another question: {with_marks(error.problem)}; its list and its labels are "
            "unchanged", file=shown_path(str(folder)),
            hint=f"give runs, labels and settings as before, or another {option('--folder')} to start over",
        ) from None  # fmt: skip


def _drawn_before(folder: Path) -> GoldList | None:
    from truegain.data.label_list_reading import read_gold_list

    file = folder / "list.csv"
    has_begun = (folder / QUESTION).is_file() or (folder / "judging.toml").is_file()  # or the list is half a study's
    if not has_begun or not file.is_file():
        return None
    listed = read_gold_list(file)
    return replace(listed, label=listed.label * float("nan"), cannot=frozenset())


def _database(place: SettlePlace) -> str:
    """The database as the folder's question names it: nothing secret, and nothing where it is in the folder."""
    if place.database is None or place.sheet is not None:
        return ""
    needs("sqlalchemy", "judging")
    from truegain.judging.store.database import default_url

    return "" if place.database == default_url(place.folder) else without_secrets(place.database)


def _code(known: Settlement) -> int:
    return 0 if known.status == "better" else 1 if known.status in DECIDED else NOT_KNOWN


def _end_if_known(keeper: Keeper) -> None:
    if (known := keeper.known()) is not None:
        tell(f"settled before; {shown_path(keeper.folder / ANSWER)} has the answer")
        _end(known, keeper)


def _end(known: Settlement, keeper: Keeper) -> None:
    typer.echo(_answer(known, keeper))
    raise typer.Exit(_code(known))


def _answer(known: Settlement, keeper: Keeper) -> str:
    """The answer, what else may be done where there is none, and where the files are."""
    lines = [known.sentence, *known.notes]
    if known.status == "out-of-reach":
        if any(pair.forecast for pair in known.pairs):
            lines.append("Add --keep-going to continue labeling.")
        if keeper.settling.over_topics:
            lines.append("Add --population fixed and another --folder to ask about these topics only.")
    limit = keeper.settling.budget.binding
    if limit and known.labels < known.listed and any(pair.status == "undecided" for pair in known.pairs):
        lines.append(
            f"Run the same command with a higher {option('--max-cost' if limit == 'max_cost' else '--max-labels')}."
        )
    files = [ANSWER, *([REPORT] if (keeper.folder / REPORT).is_file() else []), FILLED]
    lines.append(f"{known.in_words}; {shown_path(keeper.folder)} has {', '.join(files[:-1])} and {files[-1]}.")
    return "\n".join(map(in_words, lines))


# ---- By a sheet.


def _by_sheet(keeper: Keeper, sheet: str, texts: SettleTexts) -> None:
    """Read what was filled in, look, and say what to fill in next."""
    from truegain.cli.sheets import check_sheet, texts_of
    from truegain.data.label_list_reading import read_gold_list
    from truegain.data.label_lists import key_path
    from truegain.results.settlement import Label

    if Path(sheet).resolve() == (keeper.folder / FILLED).resolve():
        raise TruegainError(f"{option('--sheet')} {sheet}: the answer's labels go there; name another file")
    if Path(sheet).is_dir():
        raise TruegainError(f"{option('--sheet')} {sheet}: this is a folder; name a file in it, as {sheet}/labels.csv")
    settling = keeper.settling
    if not Path(sheet).is_file():
        _end_if_known(keeper)  # which refuses the folder of another question
        write_table(settling.outlook(), None, STANDARD_INPUT)
        listed = settling.listed
        if texts.topics is not None or texts.docs is not None:
            listed = listed.with_texts(*texts_of(listed.topics, listed.docs, texts.topics, texts.docs))
        try:
            listed.write(sheet)
        except InputError as error:  # the key of another list is in its place
            raise error.with_hint(f"name another sheet with {option('--sheet')}, or move this file away") from None
        keeper.begin()  # a sheet that cannot be written begins nothing
        settling.listed.write(keeper.folder / "list.csv")
        typer.echo(f"\n{_fill_in(sheet, 0, settling)}")
        raise typer.Exit(NOT_KNOWN)
    keeper.begin()
    key, kept = Path(key_path(sheet)), keeper.folder / "list.key.csv"
    if kept.is_file() and not key.exists() and key.suffix == kept.suffix:  # moved away from people who label
        write_bytes(key, kept.read_bytes())
    check_sheet(sheet, settling.listed)
    filled = read_gold_list(sheet)
    n = min(filled.judged, settling.most)
    if n < filled.judged:
        tell(f"{filled.judged:,} rows are filled in; the first {n:,} count, as many as were allowed")
    rows = [
        Label(t, d, (None if i in filled.cannot else float(filled.label[i]),))
        for i, (t, d) in enumerate(zip(filled.topics[:n], filled.docs[:n], strict=True))
    ]
    if changed := keeper.changed([row.labels[0] for row in rows]):
        tell(f"{counted(changed, 'label')} changed since the last look; truegain looks at all labels again", "warning")
        keeper.put_answer_aside()
    _end_if_known(keeper)
    now = settling.decide(rows, answers=filled.judged)
    if not now.ended:
        typer.echo(in_words(now.sentence))
        for pair in now.pairs:
            if forecast := forecast_in_words(now, pair.likely, pair.latest):
                name = f"{pair.candidate} against {pair.baseline}: " if len(now.pairs) > 1 else ""
                typer.echo(f"{in_words(name)}{forecast.strip()}")
        typer.echo(_fill_in(sheet, n, settling))
        raise typer.Exit(NOT_KNOWN)
    keeper.write(now, settling.filled(settling.labels_of(rows)))
    _end(now, keeper)


def _fill_in(sheet: str, n: int, settling: Settling) -> str:
    """Which rows to fill in next."""
    last = min(n + BATCH, settling.most)
    return (
        f"Fill in the column label of {shown_path(sheet)}, rows {n + 1} to {last}, from the top (labels "
        f"{settling.listed.labels}; 'cannot' where nobody can judge); then run the same command again."
    )


def forecast_in_words(now: Settlement, likely: int | None, latest: int | None) -> str:
    """When a pair is likely known; empty where there is no forecast.

    >>> now = Settlement("open", "", (), "P@10", 40, 40, 830, 500)
    >>> forecast_in_words(now, 120, 300)
    ' At this rate, the answer is known after about 120 labels in all, with 90% probability after 300.'
    >>> forecast_in_words(now, 620, 800)
    ' At this rate, the answer is not known within 500 labels; about 620 would be needed.'
    >>> forecast_in_words(Settlement("open", "", (), "P@10", 40, 80, 830, 500, double=1.0), 260, 300)
    ' At this rate, the answer is not known within 500 labels; about 520 would be needed.'
    """
    if likely is None:
        return ""
    needed = now.label_count(likely)
    if now.is_beyond(likely):
        return f" At this rate, the answer is not known within {now.most:,} labels; about {needed:,} would be needed."
    later = (
        "" if latest is None or now.is_beyond(latest) else f", with 90% probability after {now.label_count(latest):,}"
    )
    return f" At this rate, the answer is known after about {needed:,} labels in all{later}."


# ---- By a team, in the web app.


def _by_team(keeper: Keeper, texts: SettleTexts, place: SettlePlace) -> None:
    """Serve the list to the team, alone in the folder."""
    for module in ("fastapi", "sqlalchemy", "uvicorn", "nh3"):
        needs(module, "judging")
    if texts.topics is None or texts.docs is None:
        lack = "--topics" if texts.topics is None else "--docs"
        raise TruegainError(
            f"{option(lack)} is missing: people need the texts of topics and documents; or give {option('--sheet')}"
        )
    if place.double and place.people == 1:
        raise TruegainError(f"{option('--double')} needs a second person; give {option('--people')} 2")
    problem = "another `truegain settle` serves this folder already, on this machine or one that shares it"
    hint = f"stop it first (Ctrl-C there), or give another {option('--folder')}"
    with only_here(keeper.folder, problem, hint):
        _serve(keeper, texts, place)


def _serve(keeper: Keeper, texts: SettleTexts, place: SettlePlace) -> None:
    """Serve the list, and look after every label."""
    from truegain.cli.annotate_serve import FACTORY, SETTINGS, new_password, organizer_line
    from truegain.judging.server.serving import listen, run
    from truegain.judging.store.database import Database, default_url
    from truegain.judging.study.study import FILE, read_study
    from truegain.judging.watch import Watch
    from truegain.judging.workflow.assessor import AssessorService
    from truegain.judging.workflow.organizer import OrganizerService

    at = listen(place.host, place.port)
    if not (keeper.folder / FILE).is_file():
        _make_study(keeper, texts, place)
    judging = read_study(keeper.folder)
    _check_team(judging, place)
    keeper.begin()
    write_table(keeper.settling.outlook(), None, STANDARD_INPUT)
    url = place.database or default_url(judging.folder)
    database = Database(url)
    AssessorService(judging, database)
    typer.echo("")
    address = reachable(at.url)
    _invite(judging, OrganizerService(judging, database), address, place.people)
    password = new_password(keeper.folder)
    typer.echo(f"{organizer_line(judging, address)}decision" + (f"  password: {password}" if password else ""))
    if not password:
        made = f"truegain annotate password {shown_path(place.folder)}"
        typer.echo(f"the password is the one from the first start; to set a new one: {made}")
    if at.is_open:
        typer.echo("other machines can reach this server: put a proxy with TLS in front of it")
    typer.echo("Ctrl-C stops the server; run the same command to continue.")
    watch = Watch(keeper, judging, database, TerminalTeller(keeper), place.linger)
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
        raise typer.Exit(_code(watch.now))
    tell("stopped before the answer was known; run the same command to continue")
    raise typer.Exit(NOT_KNOWN)


def _check_team(judging: JudgingStudy, place: SettlePlace) -> None:
    """Refuse another share of second labels, or another rule, than before; say where the number of people differs."""
    from truegain.judging.study.study import FILE, Team

    began = 0.0 if judging.team is None else judging.team.double
    if place.double != began:
        raise InputError(
            f"this folder was started with --double {began:g}, and now it is {place.double:g}: the rows for a second "
            "person were drawn at the start", file=shown_path(judging.folder / FILE),
            hint=f"give {option('--double')} {began:g}, or another {option('--folder')}",
        )  # fmt: skip
    made = Team.aggregate if judging.team is None else judging.team.aggregate
    if place.team_aggregate != made:
        raise InputError(
            f"this folder was started with --team-aggregate {made}, and now it is {place.team_aggregate}: intervals "
            "are not valid if the rule is chosen after seeing labels",
            file=shown_path(judging.folder / FILE),
            hint=f"give {option('--team-aggregate')} {made}, or another {option('--folder')}",
        )  # fmt: skip
    number = judging.people.number
    if number is not None and number != place.people:
        links = "the others keep their links" if place.people < number else "the new ones get links"
        tell(
            f"this folder was started with --people {number}, and now it is {place.people}: {links}; a document that "
            f"someone cannot judge still goes to no more than {number} people in all"
        )


def _invite(judging: JudgingStudy, organizer: OrganizerService, url: str, people: int) -> None:
    """Print a link for each person who has none."""
    if (there := organizer.invited()) < people:
        for token in organizer.invite(people - there):
            typer.echo(f"a link for one person: {url}/s/{judging.name}/?invitation={token}")
    else:
        typer.echo(
            f"people keep using their links, at {url}; more links: truegain annotate invite "
            f"{shown_path(judging.folder)} --url {url}"
        )


def reachable(url: str) -> str:
    """An address that others can open, where the server listens at all of this machine's.

    >>> reachable("http://127.0.0.1:8000")
    'http://127.0.0.1:8000'
    """
    for everywhere in ("//0.0.0.0:", "//[::]:"):
        url = url.replace(everywhere, f"//{socket.gethostname()}:")
    return url


class TerminalTeller:
    """Says on the terminal what looks find: the answer, and every ten labels how far it is."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper, self._told = keeper, -1

    def look(self, now: Settlement) -> None:
        """Tell a look."""
        if now.ended:
            typer.echo(_answer(now, self._keeper))
        elif now.labels // 10 != self._told // 10:
            for pair in now.pairs:
                tell(in_words(pair.sentence) + forecast_in_words(now, pair.likely, pair.latest))
        self._told = now.labels

    def failure(self, message: str) -> None:
        """Tell why a look failed."""
        tell(message, "warning")


def _make_study(keeper: Keeper, texts: SettleTexts, place: SettlePlace) -> None:
    """The folder of the app: the list, its topics and documents, and the rules of a team."""
    from truegain.judging.study.create import gather, usual_labels, write_study
    from truegain.judging.study.study import JudgingSettings, People, Rules, Team, Words, name_of, usual_rules
    from truegain.judging.study.units import Design

    listed = keeper.settling.listed
    with tempfile.TemporaryDirectory() as made:
        listed.write(Path(made) / "list.csv")
        gathered = gather(str(texts.topics), str(texts.docs), [str(Path(made) / "list.csv")])
        topics, documents = {row.topic.id for row in gathered.topics}, {document.id for document in gathered.documents}
        for what, file, lacking in (
            ("topic", texts.topics, set(listed.topics) - topics), ("document", texts.docs, set(listed.docs) - documents)
        ):  # fmt: skip
            if lacking:
                raise InputError(
                    f"{counted(len(lacking), what)} of the list {'is' if len(lacking) == 1 else 'are'} not in this "
                    f"file ({some(sorted(lacking))})", file=shown_path(str(file)),
                    hint=f"every row of the list must be labeled in its turn: give the {what}s of all rows",
                )  # fmt: skip
        rules = usual_rules("graded", 1) | {"seconds": 0.0}
        settings = JudgingSettings(
            name_of(keeper.folder), "graded", gold_list="list.csv", labels=usual_labels("graded", listed.scale),
            design=Design(1, 1, "decisive", 0), words=Words(TITLE, texts=TEXTS),
            rules=Rules(reason=False, **rules), people=People("invitation", number=place.people, most_of_topic=None),
            team=Team(place.double, aggregate=place.team_aggregate),
        )  # fmt: skip
        copied = [
            (name, Path(made) / name) for name in ("list.key.csv", "list.csv")
        ]  # the key first: a list without it is none
        write_study(keeper.folder, settings, gathered.topics, gathered.documents, gathered.rows, copied)
