"""What `truegain settle` has an LLM label first: documents of the runs that no judge has labeled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

from truegain.cli.judge_run import AskingProgress
from truegain.cli.options import advanced
from truegain.cli.settle_folder import QUESTION
from truegain.cli.streams import tell
from truegain.data.judgments import Judgments
from truegain.data.run import ordered_columns
from truegain.data.runs import read_runs
from truegain.data.writing import table_bytes
from truegain.errors import InputError, TruegainError, counted
from truegain.io.files import STANDARD_INPUT, shown_path, write_bytes
from truegain.io.remote import is_irds, is_remote
from truegain.measures.catalogue import parse_measure
from truegain.message import option, with_marks

if TYPE_CHECKING:
    from truegain.llm.labels import JudgeRun

USUAL_DEPTH = 10


@dataclass(frozen=True, kw_only=True)
class LabeledByModel:
    """Which LLM labels what no judge has labeled."""

    model: Annotated[
        str | None, advanced("--model", help="LLM that labels the unjudged documents before people start.")
    ] = None
    url: Annotated[
        str | None, advanced("--url", help="Address of the server of --model, such as http://localhost:8000/v1.")
    ] = None
    prompt: Annotated[str, advanced("--prompt", help="Prompt of --model: graded, binary or your own FILE.toml.")] = (
        "graded"
    )
    key_env: Annotated[
        str | None, advanced("--key-env", help="Environment variable with the API key (default: TRUEGAIN_API_KEY).")
    ] = None


class TextFiles(Protocol):
    """Topics and documents."""

    @property
    def topics(self) -> str | None:
        """File of topics."""

    @property
    def docs(self) -> str | None:
        """File of documents."""


def label_unjudged(
    judgments: str,
    files: Sequence[str],
    texts: TextFiles,
    llm: LabeledByModel,
    folder: Path,
    measures: Sequence[str] | None,
    *,
    ask: bool = True,
) -> str:
    """The file of judgments, completed by an LLM where one is named; a file that is not there yet is made by it.

    Answers are stored before they are read, so that the same command goes on from them.  Once people have begun, labels
    stay as they are: the list was drawn with them.  ask=False: nothing is asked, what is lacking is told.
    """
    whole = folder / "judgments.csv"
    if whole.is_file() and ((folder / QUESTION).is_file() or (llm.model is not None and not ask)):
        _check_same(judgments, whole)
        return str(whole)
    if llm.model is None and llm.url is None:
        return judgments
    if llm.model is None or llm.url is None:
        raise TruegainError(f"{option('--model')} and {option('--url')} go together; give both, or none")
    if texts.topics is None or texts.docs is None:
        raise TruegainError(f"{option('--topics')} and {option('--docs')}: an LLM needs to read them, too")
    elsewhere = is_remote(judgments) or is_irds(judgments) or judgments == STANDARD_INPUT
    known = Judgments.of(judgments) if elsewhere or Path(judgments).exists() else None
    depth = getattr(parse_measure((measures or ["P@10"])[0]), "cutoff", None) or USUAL_DEPTH
    lacking = _lacking(files, known, depth)
    if not lacking:
        return judgments
    have = "has" if len(lacking) == 1 else "have"
    without = f"{counted(len(lacking), 'document')} of the runs {have} no label"
    if not ask:
        if known is None:
            raise TruegainError(
                f"{without}, and {shown_path(judgments)} is not there: without labels there is nothing to plan; leave "
                f"{option('--dry-run')} out, or give judgments"
            )
        tell(f"{without}: {llm.model} would label them; the numbers below are without its labels")
        return judgments
    if known is None:
        tell(
            f"{shown_path(judgments)} is not there: {llm.model} labels all {counted(len(lacking), 'document')}",
            "warning",
        )
    folder.mkdir(parents=True, exist_ok=True)
    pool = folder / "unjudged.csv"
    columns = {"topic": [t for t, _ in lacking], "doc": [d for _, d in lacking]}
    write_bytes(pool, table_bytes(columns, "csv", str(pool)))
    tell(f"{without}: asking {llm.model}")
    run = _asked(pool, texts, llm, folder)
    if (
        run.stopped
    ):  # answers that were not come to are not missing: a list without their documents would be kept for good
        raise TruegainError(
            f"{with_marks(run.stopped)}; no list is drawn, and {counted(run.labels, 'label')} are kept: run the same "
            "command again to continue"
        )
    run.warn("these documents stay unjudged, and are not on the list")
    made = run.judgments()
    rows = [*_rows(known), *_rows(made)] if known is not None else _rows(made)
    topics, docs, labels = ([row[i] for row in rows] for i in range(3))
    write_bytes(whole, table_bytes({"topic": topics, "doc": docs, "label": labels}, "csv", str(whole)))
    tell(f"{shown_path(whole)}: {counted(len(rows), 'label')}, {len(made):,} of them by {llm.model}")
    return str(whole)


def _check_same(judgments: str, whole: Path) -> None:
    """Refuse judgments that are not those which the list was drawn with; a file that is not there says nothing."""
    if not Path(judgments).is_file() or Path(judgments).resolve() == whole.resolve():
        return
    drawn = {(t, d): x for t, d, x in _rows(Judgments.of(str(whole)))}
    other = [(t, d) for t, d, x in _rows(Judgments.of(judgments)) if drawn.get((t, d)) != x]
    if other:
        t, d = other[0]
        raise InputError(
            f"{counted(len(other), 'label')} of this file {'is' if len(other) == 1 else 'are'} not among those that "
            f"the list was drawn with, such as that of topic {t}, document {d}", file=shown_path(judgments),
            hint=f"give the file as it was, or another {option('--folder')} to start again",
        )  # fmt: skip


def _lacking(files: Sequence[str], known: Judgments | None, depth: int) -> list[tuple[str, str]]:
    """Documents of the runs down to a depth that have no label."""
    labeled = set() if known is None else {(t, d) for t, d, _ in _rows(known)}
    unlabeled: dict[tuple[str, str], None] = {}
    for part in read_runs(list(files)).parts:
        columns = ordered_columns(part)
        for topic, doc, rank in zip(columns["topic"], columns["doc"], columns["rank"], strict=True):
            if rank <= depth and (topic, doc) not in labeled:
                unlabeled[topic, doc] = None
    return list(unlabeled)


def _rows(judgments: Judgments) -> list[tuple[str, str, float]]:
    return list(zip(judgments.topic.strings(), judgments.docs.strings(), judgments.label.tolist(), strict=True))


def _asked(pool: Path, texts: TextFiles, llm: LabeledByModel, folder: Path) -> JudgeRun:
    from truegain.llm.judge import JudgeSetup

    setup = JudgeSetup(
        str(pool), str(texts.topics), str(texts.docs), llm.prompt, [str(llm.model)], str(llm.url),
        str(folder / "llm.answers.sqlite"), key_env=llm.key_env,
    )  # fmt: skip
    with AskingProgress() as progress:
        return setup.run(progress.show, tell)
