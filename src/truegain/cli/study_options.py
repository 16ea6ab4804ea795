"""Options of every command that asks a study: what it is made of, and whom the answer is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.gold import Design, GoldLevel
from truegain.cli.options import Complete, Confidence, Jobs, JudgeModel, Level, NameBy, Seed
from truegain.cli.ratings import NormaliseOption, POption, RuleOption, SpreadOption, ToleranceOption
from truegain.cli.study_said import for_whom, is_of_file, within_gold
from truegain.inference.study_file.asked import StudyAsked

if TYPE_CHECKING:
    from truegain.gains.reading import RatingsAsked
    from truegain.inference.study.study import Study

PairOption = Annotated[
    str | None, typer.Option("--pair", help="Two systems of many, a,b: is b better than a? (default: the two best)")
]


@dataclass(frozen=True, kw_only=True)
class StudyOptions(StudyAsked):
    """What a study is made of, judgments and runs aside."""

    names: Annotated[
        str | None,
        typer.Option("--names", help="File of two columns: names of systems, and what they are called instead."),
    ] = None
    strip_prefix: Annotated[str, typer.Option("--strip-prefix", help="Leave this out where names begin with it.")] = ""
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
    judge_model: JudgeModel = None
    trust_judge: Annotated[
        bool, typer.Option("--trust-judge", help="Take labels of a model for decided, though no person checked them.")
    ] = False
    rule: RuleOption = None
    p: POption = None
    spread: SpreadOption = None
    tolerance: ToleranceOption = None
    normalise: NormaliseOption = None
    level: Level = None
    complete: Complete = False
    confidence: Confidence = 0.95
    replicates: Annotated[int, typer.Option("--replicates", min=100, help="Collections drawn.")] = 1000
    seed: Seed = 0
    name_by: NameBy = "file"
    jobs: Jobs = None

    def study_of(self, runs: Any, judgments: Any, reading: RatingsAsked) -> Study:
        """The study of runs and judgments; what was typed about topics comes before a file."""
        generalise_to, topics = for_whom(self.generalise_to, self.topics)
        asked: Any = replace(self, generalise_to=generalise_to, topics=topics)  # type: ignore[arg-type]
        if not is_of_file("measure"):
            return StudyAsked.study_of(asked, runs, judgments, reading)
        asked = replace(asked, measure=within_gold(self.measure or [], self.beyond_gold()))
        made = StudyAsked.study_of(asked, runs, judgments, reading)
        left = within_gold(asked.measure, _beyond_list(made, asked.measure))
        return made if left == asked.measure else StudyAsked.study_of(replace(asked, measure=left), runs, judgments,
                                                                      reading)  # fmt: skip


def _beyond_list(study: Study, names: list[str]) -> dict[str, str]:
    """Which measures a list of gold labels was not drawn for, and why; none where it has what one of them needs."""
    from truegain.errors import InputError
    from truegain.measures.parse import parse_measures

    lost: dict[str, str] = {}
    for one in parse_measures(names) if study.gold_list is not None and len(names) > 1 else ():
        try:
            study.lattice(one.measure)
        except InputError as error:
            lost[one.name] = error.problem
    return lost if len(lost) < len(names) else {}
