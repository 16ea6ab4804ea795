"""Teams: which team submitted each run, and which runs went into the pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from truegain.errors import InputError, TruegainError, some
from truegain.io.columns import COLUMNS, Places, RawTable, is_bool, plain_name
from truegain.io.files import PathLike, read_bytes, shown_path
from truegain.io.formats import format_of_ending, kind_of, marked, read
from truegain.io.frames import Frame, FrameLike, is_frame, opened
from truegain.io.named_tables import is_missing
from truegain.message import argname

RUN = ("run", *COLUMNS["system"])
TEAM = ("team", "group", "participant")
YES, NO = ("1", "true", "yes", "y"), ("0", "false", "no", "n")
WRITE = "write a table with columns run and team (and pooled: yes or no), such as run,team"


@dataclass(frozen=True)
class Teams:
    """The team that submitted each run, and the runs whose documents were pooled.

    Parameters
    ----------
    of : mapping of str to str
        The team of each run.
    pooled : frozenset of str
        The runs that contributed to the pool; all runs where nothing else is known.

    Examples
    --------
    >>> teams = Teams({"a1": "A", "a2": "A", "b1": "B"}, frozenset({"a1", "b1"}))
    >>> teams.best_run_of_each({"a1": 0.3, "a2": 0.4, "b1": 0.1})
    ['a2', 'b1']
    """

    of: Mapping[str, str]
    pooled: frozenset[str]

    def best_run_of_each(self, scores: Mapping[str, float]) -> list[str]:
        """The run with the highest score of each team, in the order of `scores`.

        Of several with the same score the first is taken.  A team none of whose runs has a score has no best run.

        Parameters
        ----------
        scores : mapping of str to float
            A score for each run, such as its mean over topics.

        Returns
        -------
        list of str
            One run of each team.

        Raises
        ------
        TruegainError
            Where a run has no team.
        """
        self.check(scores)
        best: dict[str, str] = {}
        for run, score in scores.items():
            team = self.of[run]
            if team not in best or score > scores[best[team]]:
                best[team] = run
        chosen = set(best.values())
        return [run for run in scores if run in chosen]

    def check(self, runs: Mapping[str, Any] | tuple[str, ...] | list[str]) -> None:
        """Refuse runs that have no team.

        Parameters
        ----------
        runs : collection of str
            The names of the runs that are scored.
        """
        if lost := [run for run in runs if run not in self.of]:
            raise TruegainError(
                f"{argname('teams')} names no team for {some(lost)}; its runs are {some(list(self.of))}: add a row "
                "run,team for each, the run named as its system"
            )


def read_teams(teams: Teams | Mapping[str, str] | FrameLike | PathLike) -> Teams:
    r"""Read which team submitted each run.

    Parameters
    ----------
    teams : path-like, frame or mapping of run to team
        A CSV, TSV, JSON, JSONL or Parquet file or a frame with columns `run`, `team` and, where it is known, `pooled`
        (yes or no).  Without the column `pooled` all runs count as pooled.

    Returns
    -------
    Teams
        Who submitted what.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "teams.csv").write_text("run,team,pooled\na1,A,yes\na2,A,no\nb1,B,yes\n")
    ...     teams = read_teams(f"{folder}/teams.csv")
    >>> teams.of["a2"], sorted(teams.pooled)
    ('A', ['a1', 'b1'])
    """
    if isinstance(teams, Teams):
        return teams
    if isinstance(teams, Mapping):
        return Teams({str(run): str(team) for run, team in teams.items()}, frozenset(map(str, teams)))
    if is_frame(teams):
        return _of_columns(opened(teams), "teams")
    return _of_columns(*_table(teams))  # type: ignore[arg-type]


def _table(path: PathLike) -> tuple[RawTable | Frame, str]:
    file = shown_path(path)
    text, kind = marked(read_bytes(path), file)
    by_ending = format_of_ending(file)
    kind = kind or (by_ending.name if by_ending else kind_of(text, file))
    if kind is None and not text.strip():
        raise InputError("the file names no runs", file=file, hint=WRITE)
    first = text.lstrip().split(b"\n", 1)[0]
    return read(text, kind or ("tsv" if b"\t" in first else "csv"), file), file


def _of_columns(table: RawTable | Frame, file: str) -> Teams:
    names = [plain_name(str(name).strip().lower()) for name in table.columns]

    def column(wanted: tuple[str, ...]) -> list[Any]:
        at = next((names.index(name) for name in wanted if name in names), None)
        if at is None:
            raise InputError(
                f"there is no column '{wanted[0]}' among {', '.join(map(str, table.columns))}", file=file, hint=WRITE
            )
        return list(table.column(at))

    def fault(problem: str, row: int, value: object, hint: str) -> InputError:
        places = table.places if isinstance(table, RawTable) else None
        place = (places or Places.rows(row + 1)).of(row)
        return InputError(problem, file=file, **place, text=None if is_missing(value) else str(value), hint=hint)

    runs, groups = column(RUN), column(TEAM)
    said = column(("pooled",)) if "pooled" in names else [True] * len(runs)
    of: dict[str, str] = {}
    pooled: set[str] = set()
    for row, (run, team, is_pooled) in enumerate(zip(runs, groups, said, strict=True)):
        for name, value in (("run", run), ("team", team), ("pooled", is_pooled)):
            if is_missing(value):
                raise fault(f"{name} is missing", row, value, "every row needs one")
        key, group = str(run).strip(), str(team).strip()
        if of.setdefault(key, group) != group:
            raise fault(f"run {key} is of two teams, {of[key]} and {group}", row, run, "give every run one row")
        word = str(is_pooled).strip().lower()
        if not is_bool(is_pooled) and word not in (*YES, *NO):
            raise fault("pooled is neither yes nor no", row, is_pooled, "write yes or no")
        if word in YES:
            pooled.add(key)
    if not of:
        raise InputError("the file names no runs", file=file, hint=WRITE)
    return Teams(of, frozenset(pooled))
