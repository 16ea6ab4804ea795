"""Trusted labels as a study uses them: of the topics that are left, with the judge that they measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from truegain.config import Gold, UnjudgedSample
from truegain.errors import InputError, TruegainError
from truegain.gains.judge import Judge
from truegain.gains.pairs import UNMATCHED
from truegain.inference.holes.sample import DESIGN as HOLES
from truegain.inference.judges.options import fit_judge
from truegain.inference.study.checks import gold_of, tell_same_topics, tell_unlike_design, tell_whole_topics
from truegain.inference.study.given import Given, of_topics
from truegain.inference.study.hole_list import HoleList
from truegain.inference.study.hole_sample import HoleSample
from truegain.measures.base import Measure
from truegain.message import SAMPLE_UNJUDGED, arg, argname
from truegain.sampling.designs import SAME_POPULATION, Design, check_design
from truegain.sampling.ordered import OrderedDraws
from truegain.tables.columns import Floats
from truegain.tables.gold_list import GoldList
from truegain.tables.gold_list_read import gold_list_of
from truegain.tables.judgments import Judgments


def listed_in(gold: Gold | None) -> tuple[Any, Design | None, GoldList | None]:
    """Gold labels, their design, and the list they stand in, None where there is none: it knows how it was drawn."""
    if gold is None:
        return None, None, None
    listed = gold_list_of(gold.labels)
    if listed is None:
        return gold.labels, gold.design, None
    if gold.design is not None:
        raise TruegainError(
            f"{listed.source} knows its design ({listed.design}); leave {arg('design', gold.design)} out"
        )
    if listed.design == HOLES:
        raise InputError("this is a sample of unjudged documents, no gold labels of judged ones", file=listed.source,
                         hint=f"give it as {arg('unjudged_sample')}")  # fmt: skip
    if listed.design == "ordered" or (listed.cannot and listed.design == "random"):
        # pairs drawn at random are an ordered list with sizes all alike, which goes on past what nobody could judge
        return listed.judgments(), "random", replace(listed, design="ordered")
    if listed.cannot:
        raise InputError(
            f"people could not judge {len(listed.cannot):,} documents of this list, and the labels of the others alone "
            f"are no sample of the design {listed.design!r}", file=listed.source,
            hint="have them judged, or draw an ordered or a random list, which takes them at worst and at best",
        )  # fmt: skip
    known = next((d for d in get_args(Design) if d == listed.design), None)
    check_design(known)
    return listed.judgments(), known, listed


@dataclass(frozen=True, eq=False)
class Labels:
    """All labels that were given, and those of the topics of the study."""

    given: Judgments
    kept: Judgments
    topics: tuple[str, ...]

    def of_study(self, trusted: Judgments) -> Judgments:
        """Trusted labels without those of judged topics that are left out."""
        left_out = set(self.given.topic.values) - set(self.topics)
        return of_topics(trusted, set(trusted.topic.values) - left_out)

    def judge(
        self,
        gold: object,
        design: Design | None,
        measure: Measure,
        gold_relevant_from: float | None,
        rated: bool,
        listed: GoldList | None = None,
    ) -> Judge | None:
        """The judge, on all labels where gold is not a sample of those scored, else on the topics of the study.

        rated: gold labels are means of ratings, which lie between the labels that a judge may give.
        """
        if isinstance(gold, Judge) and design not in (None, gold.design):
            raise TruegainError(
                f"the judge was fitted with design {gold.design!r}, not {design!r}; leave {argname('design')} out"
            )
        if gold is None or isinstance(gold, Judge):
            return gold
        trusted, labels, scale = gold_of(gold), self.given, None
        if design in SAME_POPULATION:
            trusted, labels = self.of_study(trusted), self.kept
        if rated:
            said, meant = labels.label, trusted.label
            if said.min() <= meant.min() and meant.max() <= said.max():
                scale = np.union1d(said, meant).tolist()
        weights = None
        if listed is not None:  # which says what labels there are
            weights = expansion_in(listed, trusted)
            known = np.concatenate([labels.label, trusted.label, np.arange(listed.scale[0], listed.scale[1] + 1)])
            scale = np.unique(known[known >= 0]).tolist()
        try:
            judge = fit_judge(labels, trusted, design, measure, gold_relevant_from, scale=scale, weights=weights)
        except InputError as error:  # a study leaves none out by itself
            if error.hint is None or UNMATCHED not in error.hint.marked:
                raise
            hint = error.hint.marked.replace(UNMATCHED, "leave them out of the gold labels")
            raise InputError(error.problem, file=error.file, hint=hint) from None
        if listed is None:
            if not tell_whole_topics(judge):
                tell_unlike_design(judge)
            tell_same_topics(judge, self.kept.topic.values)
        return judge

    def sample(self, sample: UnjudgedSample, runs: Given, measures: Sequence[Measure]) -> HoleSample | HoleList:
        """The sample of the holes: a list knows with which chances it was drawn, any other has equal ones."""
        rows = gold_list_of(sample.labels)
        if rows is not None:
            return HoleList.of(runs.all(self.kept), self.kept, rows, tuple(measures))
        if sample.predicted:
            raise TruegainError(
                "predictions are corrected by a sample that was drawn in proportion to what they leave open; draw it "
                f"with {SAMPLE_UNJUDGED}, or do not predict: these labels, drawn with equal chances, then stand for "
                "the other unjudged documents"
            )
        drawn = Judgments.of(sample.labels)
        drawn.check_drawn("labels of the sample")
        return HoleSample.of(runs.all(self.kept), self.kept, self.of_study(drawn), tuple(measures))


def expansion_in(listed: GoldList, kept: Judgments) -> Floats:
    """How many pairs each gold label that is kept stands for."""
    draws = OrderedDraws(listed.size, listed.judged)
    left = set(kept.topic.values)
    return np.asarray(draws.expansion[[i for i in listed.labelled.tolist() if listed.topics[i] in left]])
