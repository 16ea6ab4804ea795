"""The keywords of a study, for functions that make one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from truegain.gains.catalogue import FitWords
from truegain.gains.panel import GoldLike
from truegain.inference.study.checks import TopicsAs
from truegain.inference.study.models import Uses
from truegain.sampling.designs import Design
from truegain.tables.gold_list import GoldList
from truegain.tables.likes import JudgmentsLike
from truegain.tables.ratings import Outside, Repeated
from truegain.tables.read import NameBy
from truegain.tables.scale import Scale

HolesAs = Literal["bound", "non-relevant"]


class PlannedWords(FitWords, total=False):
    """The keywords of a study but for those that a plan has itself: the gold labels and the smallest gain."""

    generalise_to: str | Sequence[str] | None
    topics: TopicsAs
    confidence: float
    gold_level: float | None
    gold_rule: str | None
    uses: Uses | None
    judge_model: str | None
    trust_judge: bool
    holes: HolesAs
    hole_sample: JudgmentsLike | GoldList | None
    fill: str | None
    anytime: bool
    rule: str | None
    scale: Scale | str | None
    normalise: str | None
    repeated: Repeated
    outside: Outside
    level: float | None
    complete: bool
    name_by: NameBy
    replicates: int
    seed: int
    jobs: int | None


class StudyWords(PlannedWords, total=False):
    """All keywords of a study."""

    smallest: float
    gold: GoldLike | None
    design: Design | None
