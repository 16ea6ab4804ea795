"""What a study is made of in plain words, as the command line and study files say it, and the study of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from truegain.errors import TruegainError
from truegain.gains.reading import RatingsAsked
from truegain.inference.study_file.claims import claims_of
from truegain.message import arg
from truegain.sampling.designs import Design
from truegain.tables.header import told
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
class StudyAsked(Renamed):
    """What a study is made of, judgments, runs and how ratings are read aside.

    >>> StudyAsked(gold="pairs.qrels").usual_measure, StudyAsked().usual_measure
    ('P@10', 'nDCG@10')
    """

    measure: list[str] | None = None
    generalise_to: str | None = None
    topics: Literal["sampled", "fixed"] = "sampled"
    gold: str | None = None
    design: Design | None = None
    gold_level: float | None = None
    gold_rule: str | None = None
    smallest: float = 0.0
    costs: str | None = None
    holes: Literal["bound", "non-relevant"] = "bound"
    hole_sample: str | None = None
    fill: Literal["predicted"] | None = None
    anytime: bool = False
    uses: list[str] | None = None
    judge_model: str | None = None
    trust_judge: bool = False
    rule: str | None = None
    p: float | None = None
    spread: str | None = None
    tolerance: float | None = None
    normalise: str | None = None
    level: float | None = None
    complete: bool = False
    confidence: float = 0.95
    replicates: int = 1000
    seed: int = 0
    name_by: NameBy = "file"
    jobs: int | None = None

    @property
    def rated(self) -> bool:
        """Whether the judgments are ratings."""
        return self.rule is not None or self.normalise is not None

    @property
    def of_rule(self) -> dict[str, Any]:
        """Parameters of the rule that were given."""
        said = {"p": self.p, "spread": self.spread, "tolerance": self.tolerance}
        return {name: x for name, x in said.items() if x is not None}

    def study(self, judgments: str, files: list[str], reading: RatingsAsked) -> Study:
        """The study of these files; runs that can be read in this way only now are read at once."""
        self.check(reading)
        read = not all(map(can_be_read_again, files)) or self.renames or bool(told().ran)
        runs = self.renamed(read_runs(files, name_by=self.name_by)) if read else files
        return self.study_of(
            runs, reading.load(judgments, normalise=self.normalise) if self.rated else judgments, reading
        )

    def check(self, reading: RatingsAsked) -> None:
        """Refuse, before any work, what is only of use with ratings, and prices that are none."""
        from truegain.inference.study.next_steps import prices_of

        if not (self.rated or self.gold_rule) and (names := [*self.of_rule, *reading.asked]):
            of = ", ".join(arg(name) for name in names)
            raise TruegainError(f"{of}: this is about ratings; say how they become gains, as in {arg('rule', 'mean')}")
        prices_of(self.costs)

    def study_of(self, runs: RunsLike | Given, judgments: JudgmentsLike, reading: RatingsAsked) -> Study:
        """The study of runs and judgments, read or as files."""
        from truegain.inference.study.study import Study

        return Study(
            runs, judgments, self.measure or [self.usual_measure],
            gold=reading.load(self.gold) if self.gold and self.gold_rule else self.gold, design=self.design,
            generalise_to=self.generalise_to, topics=self.topics, rule=self.rule, gold_rule=self.gold_rule,
            scale=reading.scale if self.rated or self.gold_rule else None, repeated=reading.repeated,
            normalise=self.normalise, gold_level=self.gold_level,
            uses={self.called(s): x for s, x in models_named(self.uses).items()},
            judge_model=self.judge_model, trust_judge=self.trust_judge, smallest=self.smallest, holes=self.holes,
            hole_sample=self.hole_sample, fill=self.fill, anytime=self.anytime, confidence=self.confidence,
            replicates=self.replicates, seed=self.seed, jobs=self.jobs, name_by=self.name_by, level=self.level,
            complete=self.complete, **self.of_rule,
        )  # fmt: skip

    def beyond_gold(self) -> dict[str, str]:
        """Which of the measures the gold labels cannot set right, drawn as they were, and why; none where all."""
        from truegain.inference.study.making import beyond
        from truegain.inference.study.trusted import listed_in
        from truegain.measures.parse import parse_measures

        if self.gold is None or len(self.measure or ()) < 2 or not can_be_read_again(self.gold):
            return {}
        _, design, listed = (None, self.design, None) if self.gold_rule else listed_in(self.gold, self.design)
        asked = parse_measures(self.measure or ())
        why = beyond([one.measure for one in asked], design, listed is not None and listed.design == "ordered")
        return {one.name: why[str(one.measure)] for one in asked if str(one.measure) in why}

    @property
    def usual_measure(self) -> str:
        """The measure where none is asked for: one that the gold labels can set right."""
        return "nDCG@10" if not (self.gold or self.hole_sample) or self.design == "topics" else "P@10"

    def inputs(self, judgments: str, files: Sequence[str], study: str | None) -> list[str]:
        """All files that are read."""
        others = (self.gold, self.hole_sample, self.names, study)
        return [judgments, *(x for x in others if x), *files, *(u for u in self.uses or () if "=" not in u)]

    def made_by(self, study: Study, reading: RatingsAsked) -> dict[str, Any]:
        """How the answers were made, files aside."""
        names = ("gold_level", "gold_rule", "level", "normalise", "costs", "replicates", "name_by")
        said = {name: getattr(self, name) for name in names}
        said |= {"judge_model": study.judge_model, "uses": study.uses, "reading": vars(reading)}
        return {**study.made_by, **said, **self.of_rule, **self.told}

    def claims(
        self, systems: Sequence[str], pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
        one_candidate: bool = False,
    ) -> list[tuple[str, str]]:  # fmt: skip
        """The claims that are asked about, systems by their old names or the new ones; see `claims_of`."""
        named = [self.called(name) for name in baselines or ()]
        chosen = None if candidate is None else self.called(candidate)
        return claims_of(systems, pair, named, chosen, self.called, one_candidate)
