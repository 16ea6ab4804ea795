"""What a study is made of in plain words, as the command line and study files say it, and the study of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from truegain.config import StudyConfig
from truegain.errors import TruegainError
from truegain.gains.reading import RatingsAsked
from truegain.inference.study_file.claims import claims_of
from truegain.message import arg
from truegain.tables.header import told
from truegain.tables.judgments import read_judgments
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.models_used import models_named
from truegain.tables.read import NameBy
from truegain.tables.renaming import read_names
from truegain.tables.runs import Runs, read_runs
from truegain.tables.sources import can_be_read_again

if TYPE_CHECKING:  # `truegain verdict --help` does not wait for these
    from truegain.inference.study.given import Given
    from truegain.inference.study.study import Study


@dataclass(frozen=True, kw_only=True)
class Renamed:
    """Other names of systems: from a file, and without a prefix.

    >>> Renamed(strip_prefix="input.").called("input.bm25"), Renamed().called("bm25")
    ('bm25', 'bm25')
    """

    names: str | None = None
    strip_prefix: str = ""

    @property
    def renames(self) -> bool:
        """Whether systems get other names."""
        return self.names is not None or bool(self.strip_prefix)

    @cached_property
    def _new(self) -> Mapping[str, str]:
        return {} if self.names is None else read_names(self.names)

    def renamed(self, runs: Runs) -> Runs:
        """The runs under the names asked for."""
        return runs.renamed(self._new, self.strip_prefix) if self.renames else runs

    def called(self, name: str) -> str:
        """A system by the name that it has, whether it is given by the old one or the new one."""
        return self._new.get(name) or name.removeprefix(self.strip_prefix) or name

    @property
    def told(self) -> dict[str, str]:
        """What was asked for, to be told with the answers."""
        both = {"names": self.names, "strip_prefix": self.strip_prefix}
        return {name: value for name, value in both.items() if value}


@dataclass(frozen=True, kw_only=True)
class StudyInputs(Renamed):
    """What a study is made of beside its config: measures, prices, and which models gave what."""

    measure: list[str] | None = None
    costs: str | None = None
    system_models: list[str] | None = None
    judge_model: str | None = None
    name_by: NameBy = "file"

    def study(self, judgments: str, files: list[str], config: StudyConfig, reading: RatingsAsked) -> Study:
        """The study of these files; runs that can be read in this way only now are read at once."""
        self.check(config, reading)
        read = not all(map(can_be_read_again, files)) or self.renames or bool(told().ran)
        runs = self.renamed(read_runs(files, name_by=self.name_by)) if read else files
        rated = config.ratings.are_aggregated
        labels = reading.load(judgments, normalize=config.ratings.normalize) if rated else judgments
        return self.study_of(runs, labels, config, reading)

    def check(self, config: StudyConfig, reading: RatingsAsked) -> None:
        """Refuse, before any work, what is only of use with ratings, and prices that are none."""
        from truegain.inference.study.next_steps import prices_of

        rated = config.ratings.are_aggregated or (config.gold is not None and config.gold.aggregate is not None)
        if not rated and (names := reading.asked):
            of = ", ".join(arg(name) for name in names)
            raise TruegainError(
                f"{of}: this is about ratings; say how they become labels, as in {arg('aggregate', 'mean')}"
            )
        prices_of(self.costs)

    def study_of(
        self, runs: RunsLike | Given, judgments: JudgmentsLike, config: StudyConfig, reading: RatingsAsked
    ) -> Study:
        """The study of runs and judgments, read or as files."""
        from truegain.inference.study.given import Given
        from truegain.inference.study.study import Study

        gold = config.gold
        if gold is not None and gold.aggregate is not None:
            config = replace(config, gold=replace(gold, labels=reading.load(str(gold.labels))))
        models = {self.called(s): x for s, x in models_named(self.system_models).items()}
        input_ = runs if isinstance(runs, Given) else Given(runs, self.name_by, config.resampling.jobs)
        labels = read_judgments(judgments, model=self.judge_model) if self.judge_model else judgments
        measures = self.measure or [usual_measure(config)]
        return Study.configured(replace(input_, models=models), labels, measures, config)

    def beyond_gold(self, config: StudyConfig) -> dict[str, str]:
        """Which of the measures the gold labels cannot correct, drawn as they were, and why; none where all."""
        from truegain.inference.study.making import beyond
        from truegain.inference.study.trusted import listed_in
        from truegain.measures.parse import parse_measures

        gold = config.gold
        if gold is None or len(self.measure or ()) < 2 or not can_be_read_again(str(gold.labels)):
            return {}
        _, design, listed = (None, gold.design, None) if gold.aggregate else listed_in(gold)
        named = parse_measures(self.measure or ())
        why = beyond([one.measure for one in named], design, listed is not None and listed.design == "ordered")
        return {one.name: why[str(one.measure)] for one in named if str(one.measure) in why}

    def inputs(self, judgments: str, files: Sequence[str], config: StudyConfig, study: str | None) -> list[str]:
        """All files that are read."""
        labels = (config.gold and config.gold.labels, config.sample and config.sample.labels)
        others = [str(x) for x in (*labels, self.names, study) if x]
        return [judgments, *others, *files, *(u for u in self.system_models or () if "=" not in u)]

    def made_by(self, study: Study, reading: RatingsAsked) -> dict[str, Any]:
        """How the answers were made, files aside."""
        said: dict[str, Any] = {"costs": self.costs, "name_by": self.name_by, "judge_model": study.judge_model}
        said |= {"system_models": study.system_models, "reading": vars(reading)}
        return {**study.made_by, **said, **self.told}

    def claims(
        self, systems: Sequence[str], pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
        one_candidate: bool = False,
    ) -> list[tuple[str, str]]:  # fmt: skip
        """The claims that are asked about, systems by their old names or the new ones; see `claims_of`."""
        named = [self.called(name) for name in baselines or ()]
        chosen = None if candidate is None else self.called(candidate)
        return claims_of(systems, pair, named, chosen, self.called, one_candidate)


def usual_measure(config: StudyConfig) -> str:
    """The measure where none is asked for: one that the gold labels can correct.

    >>> usual_measure(StudyConfig(gold="pairs.qrels")), usual_measure(StudyConfig())
    ('P@10', 'nDCG@10')
    """
    corrected = config.gold is not None or config.sample is not None
    return "P@10" if corrected and not (config.gold and config.gold.design == "topics") else "nDCG@10"
