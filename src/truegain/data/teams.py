"""Teams: which runs are of one group, and which of them the pool was made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from truegain.errors import InputError, TruegainError, an, counted, some, warn
from truegain.io import formats
from truegain.io.columns import COLUMNS, plain_name
from truegain.io.files import PathLike
from truegain.io.frames import FrameLike, is_frame, opened
from truegain.io.named_tables import Columns, is_missing, number_of
from truegain.message import arg
from truegain.results.base import Table

RUN = (*COLUMNS["system"], "runid", "run_tag", "tag", "name")
TEAM = ("team", "group", "participant", "organization", "organisation", "pid")
POOLED = ("pooled", "in_pool")
YES, NO = ("1", "yes", "y", "true", "t"), ("0", "no", "n", "false", "f")
BESIDE = {"system": "team", "a": "team_a", "b": "team_b"}  # columns of systems, and those of their teams
_HINT = "begin with a header run,team or run,team,pooled, and write one line for each run"


@dataclass(frozen=True)
class Teams:
    """The team of each run, and the runs whose documents were pooled.

    Parameters
    ----------
    of : mapping of str to str
        The team of each run.
    pooled : frozenset of str
        The runs that the pool was made of; those that brought it no document have no part in it.
    source : str, default 'teams'
        Where they were read, for messages.

    Examples
    --------
    >>> teams = Teams({"a-1": "a", "a-2": "a", "b-1": "b"}, frozenset({"a-1", "b-1"}))
    >>> teams.names, teams.runs_of("a")
    (('a', 'b'), ('a-1', 'a-2'))
    """

    of: Mapping[str, str]
    pooled: frozenset[str]
    source: str = field(default="teams", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", MappingProxyType(dict(self.of)))
        object.__setattr__(self, "pooled", frozenset(self.pooled))
        if alone := sorted(self.pooled - set(self.of)):
            raise InputError(
                f"{counted(len(alone), 'pooled run')} without a team: {some(alone)}", file=self.source,
                hint="give each run its team",
            )  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """The teams, in the order in which they are named first."""
        return tuple(dict.fromkeys(self.of.values()))

    def runs_of(self, team: str) -> tuple[str, ...]:
        """The runs of one team, in the order in which they are named."""
        if team not in self.names:
            raise TruegainError(f"{self.source} has no team {team!r}; there are {some(self.names, 10)}")
        return tuple(run for run, theirs in self.of.items() if theirs == team)

    def among(self, runs: Sequence[str], tags: Iterable[str] = ()) -> Teams:
        """The teams of these runs alone, in their order.

        Parameters
        ----------
        runs : sequence of str
            The runs at hand.  Each needs a team; teams of other runs are left out, with one warning.
        tags : iterable of str, optional
            The tags in the run files: where these are the names in the table, the error says how to use them.

        Returns
        -------
        Teams
            The teams of `runs`.

        Examples
        --------
        >>> Teams({"a-1": "a", "b-1": "b"}, frozenset({"a-1"})).among(["b-1", "a-1"]).names
        ('b', 'a')
        """
        if lost := [run for run in runs if run not in self.of]:
            named = f"add a line for each run, with these names; the table has {some(list(self.of))}"
            if (of_files := set(tags)) and of_files <= set(self.of) and len(lost) == len(runs):
                named = f"the table has the run tags: name systems by these, {arg('name_by', 'tag')}"
            raise InputError(
                f"{len(lost)} of {counted(len(runs), 'run')} without a team: {some(lost)}", file=self.source,
                hint=named,
            )  # fmt: skip
        if others := [run for run in self.of if run not in set(runs)]:
            warn(
                f"{self.source}: {len(others)} of {counted(len(self.of), 'run')} are not among the runs: {some(others)}"
            )
        return Teams({run: self.of[run] for run in runs}, self.pooled & set(runs), self.source)

    def renamed(self, called: Callable[[str], str]) -> Teams:
        """These teams, of runs that are called otherwise.

        >>> Teams({"a-1": "a"}, frozenset()).renamed(str.upper).runs_of("a")
        ('A-1',)
        """
        return replace(
            self, of={called(run): team for run, team in self.of.items()}, pooled=frozenset(map(called, self.pooled))
        )

    def best_run_of_each(self, scores: Mapping[str, float]) -> list[str]:
        """The run of each team that scores highest, best first.

        Parameters
        ----------
        scores : mapping of str to float
            The score of each run; of equal scores the run named first in `scores` counts.  A score that is NaN is
            missing, and a team without any other has no best run.

        Returns
        -------
        list of str
            One run of each team.

        Examples
        --------
        >>> teams = Teams({"a-1": "a", "a-2": "a", "b-1": "b"}, frozenset())
        >>> teams.best_run_of_each({"a-1": 0.3, "a-2": 0.4, "b-1": 0.5})
        ['b-1', 'a-2']
        """
        best: dict[str, str] = {}
        for run in self.among(list(scores)).of:
            team, score = self.of[run], scores[run]
            if score == score and (team not in best or score > scores[best[team]]):
                best[team] = run
        return sorted(best.values(), key=lambda run: -scores[run])


TeamsLike = PathLike | FrameLike | Mapping[str, str] | Teams


def with_teams(table: Table, team_of: Mapping[str, str]) -> Table:
    """The table with the team beside each system: a column `team`, or `team_a` and `team_b` of pairs.

    >>> print(with_teams(Table(("system", "mean"), [("a-1", 0.5)]), {"a-1": "ada"}).rows)
    [('a-1', 'ada', 0.5)]
    """
    beside = {name: team for name, team in BESIDE.items() if name in table.columns}
    if "system" in beside:
        beside = {"system": BESIDE["system"]}
    columns = tuple(n for name in table.columns for n in (name, *filter(None, [beside.get(name)])))
    rows = [
        tuple(
            c
            for name, cell in zip(table.columns, row, strict=True)
            for c in ((cell, team_of[str(cell)]) if name in beside else (cell,))
        )
        for row in table.rows
    ]
    return replace(table, columns=columns, rows=rows)


def read_teams(data: TeamsLike) -> Teams:
    r"""Read which runs are of one team, and which were pooled.

    Parameters
    ----------
    data : path-like, frame or mapping
        A table with the columns run, team and, where not all runs were pooled, pooled (1 or 0, yes or no): a CSV, TSV,
        JSON, JSONL or Parquet file, or a frame of pandas, polars or pyarrow.  A table of runs that has a column
        team will do, too.  Or ``{run: team}``.

    Returns
    -------
    Teams
        The team of each run, as `leave_out` takes it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "teams.csv").write_text("run,team,pooled\na-1,a,1\na-2,a,0\nb-1,b,1\n")
    ...     teams = read_teams(f"{folder}/teams.csv")
    >>> dict(teams.of), sorted(teams.pooled)
    ({'a-1': 'a', 'a-2': 'a', 'b-1': 'b'}, ['a-1', 'b-1'])
    """
    if isinstance(data, Teams):
        return data
    if isinstance(data, Mapping):
        return _of_dict(data)
    table = _table(data)
    named = {"run": _named(table, RUN), "team": _named(table, TEAM), "pooled": _named(table, POOLED)}
    if lost := [name for name in ("run", "team") if named[name] is None]:
        there = ", ".join(table.all_written)
        raise InputError(f"there is no column {some(lost)} among {there}", file=table.file, hint=_HINT)
    table.matches |= {ours: [theirs] for ours, theirs in named.items() if theirs is not None}
    runs, teams = table.ids("run"), table.any_ids("team")
    if not runs:
        raise InputError("there are no runs", file=table.file, hint=_HINT)
    raw_teams = table._raw("team")
    pooled = [True] * len(runs) if named["pooled"] is None else _flags(table)
    is_of_runs = "topic" in table  # a table of runs names each run in every line
    seen: dict[str, tuple[str, bool]] = {}
    for row, (run, team, in_pool) in enumerate(zip(map(str.strip, runs), map(str.strip, teams), pooled, strict=True)):
        if is_missing(raw_teams[row]) or not team:
            raise table._fault(f"run {run} has no team", row, run, "give every run a team; a run alone is its own")
        if run in seen and not is_of_runs:
            raise table._fault(f"run {run} appears twice", row, f"{run},{team}", "keep one line for each run")
        if seen.setdefault(run, (team, in_pool)) != (team, in_pool):
            was = f"of {seen[run][0]}{'' if seen[run][1] else ', not pooled'}"
            raise table._fault(f"run {run} is {was} in another line", row, f"{run},{team}", "keep one of them")
    return Teams({run: t for run, (t, _) in seen.items()}, frozenset(r for r, (_, p) in seen.items() if p), table.file)


def names_teams(table: Columns) -> bool:
    """Whether a table of no topics has a column of runs, and one of their teams."""
    return "topic" not in table and _named(table, RUN) is not None and _named(table, TEAM) is not None


def _of_dict(data: Mapping[Any, Any]) -> Teams:
    for run, team in data.items():
        if not (isinstance(run, str) and isinstance(team, str) and run.strip() and team.strip()):
            raise InputError(f"run {run!r} has the team {team!r}", file="teams", hint="give {run: team}, both as text")
    named = [run.strip() for run in data]
    if twice := sorted({run for run in named if named.count(run) > 1}):
        raise InputError(f"run {twice[0]} appears twice", file="teams", hint="keep one of them")
    return Teams({run.strip(): team.strip() for run, team in data.items()}, frozenset(named))


def _table(data: object) -> Columns:
    if is_frame(data):
        return Columns(opened(data), "teams")
    if not isinstance(data, str | os.PathLike):
        raise InputError(f"cannot read {an(data)} as teams", hint="give a path, a frame, or {run: team}")
    return Columns(*formats.read_file(data))


def _named(table: Columns, names: Sequence[str]) -> str | None:
    """The column that has one of these names, the first of them first."""
    plain = [plain_name(name) for name in table.names]
    return next((table.names[plain.index(name)] for name in names if name in plain), None)


def _flags(table: Columns) -> list[bool]:
    """Whether each run was pooled."""
    flags = []
    for row, value in enumerate(table._raw("pooled")):
        number = number_of(value)
        word = str(int(number)) if number in (0, 1) else "" if is_missing(value) else str(value).strip().lower()
        if word not in (*YES, *NO):
            problem = "pooled is neither yes nor no" if word else "pooled is missing"
            raise table._fault(problem, row, value, "write 1 or 0, yes or no")
        flags.append(word in YES)
    return flags
