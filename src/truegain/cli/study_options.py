"""Options of every command that asks a study: what it is made of, and whom the answer is about."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.gold import Design, GoldLevel
from truegain.cli.options import Confidence, Jobs, Level, NameBy, Seed
from truegain.cli.ratings import NormaliseOption, POption, Reading, RuleOption, SpreadOption, given
from truegain.cli.renaming import Renaming
from truegain.errors import InputError, TruegainError, some
from truegain.tables.likes import JudgmentsLike, RunsLike
from truegain.tables.runs import read_runs
from truegain.tables.sources import STANDARD_INPUT, read_bytes, shown_path

if TYPE_CHECKING:
    from truegain.inference.study.given import Given
    from truegain.inference.study.study import Study

PairOption = Annotated[
    str | None, typer.Option("--pair", help="Two systems of many, a,b: is b better than a? (default: the two best)")
]


@dataclass(frozen=True, kw_only=True)
class StudyOptions(Renaming):
    """What a study is made of, judgments and runs aside."""

    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure; may be given several times, a verdict each (default nDCG@10; with gold pairs P@10).",
        ),
    ] = None
    generalise_to: Annotated[
        str | None,
        typer.Option(
            "--generalise-to",
            help="What it shall hold for: topics, collection, assessors, replicates, with commas (default topics).",
        ),
    ] = None
    topics: Annotated[
        Literal["sampled", "fixed"],
        typer.Option("--topics", help="Topics like these, or fixed: these questions only."),
    ] = "sampled"
    gold: Annotated[
        str | None, typer.Option("--gold", help="Labels of the trusted judge for some of the same pairs.")
    ] = None
    design: Design = None
    gold_level: GoldLevel = None
    gold_rule: Annotated[
        str | None,
        typer.Option("--gold-rule", help="Gold from several assessors: how their ratings become one label (mean)."),
    ] = None
    smallest: Annotated[float, typer.Option("--smallest", min=0, help="The smallest gain that matters.")] = 0.0
    costs: Annotated[
        str | None, typer.Option("--costs", help="Prices for what to buy next: topic=5,gold=1.5,rating=0.1.")
    ] = None
    holes: Annotated[
        Literal["bound", "non-relevant"],
        typer.Option("--holes", help="Unjudged documents hold the verdict back, or count as not relevant."),
    ] = "bound"
    hole_sample: Annotated[
        str | None,
        typer.Option("--hole-sample", help="Labels of a random sample of the runs' unjudged documents, to the cutoff."),
    ] = None
    fill: Annotated[
        Literal["predicted"] | None,
        typer.Option("--fill", help="Unjudged documents by prediction, set right by a --hole-sample drawn for that."),
    ] = None
    anytime: Annotated[
        bool, typer.Option("--anytime", help="Limits that hold at every look at a growing list of gold labels.")
    ] = False
    uses: Annotated[
        list[str] | None,
        typer.Option("--uses", help="system=model, the model a system uses, or a file of system,model; repeatable."),
    ] = None
    judge_model: Annotated[str | None, typer.Option("--judge-model", help="The model that gave the judgments.")] = None
    rule: RuleOption = None
    p: POption = None
    spread: SpreadOption = None
    normalise: NormaliseOption = None
    level: Level = None
    confidence: Confidence = 0.95
    replicates: Annotated[int, typer.Option("--replicates", min=100, help="Collections drawn.")] = 1000
    seed: Seed = 0
    name_by: NameBy = "file"
    jobs: Jobs = None

    @property
    def rated(self) -> bool:
        """Whether the judgments are ratings."""
        return self.rule is not None or self.normalise is not None

    def study(self, judgments: str, files: list[str], reading: Reading) -> Study:
        """The study of these files."""
        self.check(reading)
        read = STANDARD_INPUT in files or self.renames
        runs = self.renamed(read_runs(files, name_by=self.name_by)) if read else files
        return self.study_of(
            runs, reading.load(judgments, normalise=self.normalise) if self.rated else judgments, reading
        )

    def check(self, reading: Reading) -> None:
        """Refuse, before any work, what is only of use with ratings, and prices that are none."""
        from truegain.inference.study.next_steps import prices_of

        about = given(p=self.p, spread=self.spread)
        if not (self.rated or self.gold_rule) and (names := [*(f"--{n}" for n in about), *reading.given]):
            raise TruegainError(
                f"{', '.join(names)}: this is about ratings; say how they become gains, as in --rule mean"
            )
        prices_of(self.costs)

    def study_of(self, runs: RunsLike | Given, judgments: JudgmentsLike, reading: Reading) -> Study:
        """The study of runs and judgments, read or as files."""
        from truegain.inference.study.study import Study

        return Study(
            runs, judgments, self.measure or [self.usual_measure],
            gold=reading.load(self.gold) if self.gold and self.gold_rule else self.gold, design=self.design,
            generalise_to=self.generalise_to, topics=self.topics, rule=self.rule, gold_rule=self.gold_rule,
            scale=reading.scale if self.rated or self.gold_rule else None, repeated=reading.repeated,
            normalise=self.normalise, gold_level=self.gold_level,
            uses={self.called(s): x for s, x in models_of(self.uses).items()},
            judge_model=self.judge_model, smallest=self.smallest, holes=self.holes, hole_sample=self.hole_sample,
            fill=self.fill, anytime=self.anytime, confidence=self.confidence, replicates=self.replicates,
            seed=self.seed, jobs=self.jobs, name_by=self.name_by, level=self.level,
            **given(p=self.p, spread=self.spread),
        )  # fmt: skip

    @property
    def usual_measure(self) -> str:
        """The measure where none is asked for: one that the gold labels can set right."""
        return "nDCG@10" if not (self.gold or self.hole_sample) or self.design == "topics" else "P@10"

    def inputs(self, judgments: str, files: Sequence[str], study: str | None) -> list[str]:
        """All files that are read."""
        others = (self.gold, self.hole_sample, self.names, study)
        return [judgments, *(x for x in others if x), *files, *(u for u in self.uses or () if "=" not in u)]

    def made_by(self, study: Study, reading: Reading) -> dict[str, Any]:
        """How the answers were made, files aside."""
        names = ("gold_level", "gold_rule", "level", "normalise", "costs", "judge_model", "replicates", "name_by")
        said = {name: getattr(self, name) for name in names}
        about = given(p=self.p, spread=self.spread)
        return {**study.made_by, **said, "uses": study.uses, "reading": vars(reading), **about, **self.told}

    def claims(
        self, study: Study, pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
        one_candidate: bool = False,
    ) -> list[tuple[str, str]]:  # fmt: skip
        """The claims that are asked about, systems by their old names or the new ones; see `claims_of`."""
        named = [self.called(name) for name in baselines or ()]
        chosen = None if candidate is None else self.called(candidate)
        return claims_of(study, pair, named, chosen, self.called, one_candidate)


def pair_of(study: Study, text: str | None, called: Callable[[str], str] = str) -> tuple[str, str] | None:
    """The two systems that are asked about, the claim being that the second is better; None: the two best.

    called: the name that a system has here, by the one that was given.
    """
    systems = study.systems
    if len(systems) < 2:
        raise TruegainError(f"a verdict is about two systems, and there is 1 ({systems[0]}); give another run")
    if text is None:
        return (systems[0], systems[1]) if len(systems) == 2 else None
    parts = text.split(",")
    splits = [(",".join(parts[:i]).strip(), ",".join(parts[i:]).strip()) for i in range(1, len(parts))]
    if not splits:
        raise TruegainError(f"--pair {text!r} is not two systems; write --pair a,b")
    known = next((new for a, b in splits if set(new := (called(a), called(b))) <= set(systems)), None)
    if known is None:
        unknown = [name for name in splits[0] if called(name) not in systems]
        raise TruegainError(f"--pair names {some(unknown)}, which is no system here; there are {some(systems, 8)}")
    if known[0] == known[1]:
        raise TruegainError(f"--pair {text}: {known[0]} is compared with itself; name two systems")
    return known


def claims_of(
    study: Study, pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
    called: Callable[[str], str] = str, one_candidate: bool = False,
) -> list[tuple[str, str]]:  # fmt: skip
    """The pairs (a, b) of which it is claimed that b is better; none where the two best are meant.

    A candidate against each baseline; baselines alone have every other system as candidate (with `one_candidate` there
    must be one other), and a candidate alone the only other one as baseline.
    """
    if not (baselines or candidate):
        both = pair_of(study, pair, called)
        return [] if both is None else [both]
    if pair is not None:
        raise TruegainError("--pair names both systems; leave out --baseline and --candidate, or --pair")
    named = [*dict.fromkeys(baselines or ()), *([candidate] if candidate else [])]
    if unknown := [name for name in named if name not in study.systems]:
        raise TruegainError(
            f"{some(unknown)} {'is' if len(unknown) == 1 else 'are'} no system here; there are {some(study.systems, 8)}"
        )
    if candidate in (baselines or ()):
        raise TruegainError(f"{candidate} is compared with itself; name another --baseline or --candidate")
    others = [name for name in study.systems if name not in named]
    if candidate is not None:
        return [(a, candidate) for a in dict.fromkeys(baselines or _only(others, "--baseline"))]
    if not others:
        raise TruegainError("every system is a --baseline; leave one out, to be compared with the others")
    chosen = _only(others, "--candidate") if one_candidate else others
    return [(a, b) for b in chosen for a in dict.fromkeys(baselines or ())]


def _only(others: list[str], option: str) -> list[str]:
    if len(others) != 1:
        raise TruegainError(f"{option} is not given, and there are {len(others)} other systems; name one of them")
    return others


def models_of(uses: list[str] | None) -> dict[str, list[str]]:
    """The models of each system, from system=model and from files of system,model."""
    found: dict[str, list[str]] = {}
    for text in uses or ():
        for system, model in [_named(text)] if "=" in text else _from_file(text):
            found.setdefault(system, []).append(model)
    return found


def _named(text: str) -> tuple[str, str]:
    system, _, model = (part.strip() for part in text.rpartition("="))
    if not (system and model):
        raise TruegainError(f"--uses {text!r} is not system=model, such as --uses dense=gpt-4o")
    return system, model


def _from_file(name: str) -> list[tuple[str, str]]:
    try:
        rows = list(csv.reader(io.StringIO(read_bytes(name).decode())))
    except UnicodeDecodeError:
        raise InputError("this is no text", file=shown_path(name), hint="give lines of system,model") from None
    except InputError as error:
        raise TruegainError(f"--uses {name!r} is neither system=model nor a file that can be read: {error}") from None
    found = []
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and cells == ["system", "model"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(
                "a line should be system,model", file=shown_path(name), line=line, text=",".join(row),
                hint="two fields, the system as its run is named",
            )  # fmt: skip
        found.append((cells[0], cells[1]))
    return found
