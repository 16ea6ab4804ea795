"""Scores, with unjudged documents as not relevant or by their predicted relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from truegain.errors import TruegainError
from truegain.keywords import takes
from truegain.measures.evaluate import DEFAULTS, EvaluateWords
from truegain.measures.evaluate import evaluate as evaluate_as_judged
from truegain.measures.parse import MeasuresLike
from truegain.message import EVALUATE, arg, argname
from truegain.tables.scores import Scores

if TYPE_CHECKING:
    from truegain.tables.likes import JudgmentsLike, RunsLike

Fill = Literal["predicted"]


SAMPLED = (
    f"{argname('hole_sample')} sets scores right and gives them intervals, which {EVALUATE} has not; take "
    "tg.Study(runs, judgments, measures, fill='predicted', hole_sample=...).estimates()"
)


@takes(EvaluateWords, DEFAULTS, elsewhere={"hole_sample": SAMPLED})
def evaluate(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: MeasuresLike,
    *,
    fill: Fill | None = None,
    llm: JudgmentsLike | None = None,
    judge_model: str | None = None,
    **options: Unpack[EvaluateWords],
) -> Scores:
    """Score runs against judgments.

    `runs` and `judgments` are paths (runs also folders and globs), dicts of dicts, pandas or polars frames,
    ir_measures tuples or ranx objects; `measures` is one measure or several, as text or as objects; `corpus`, for
    measures that read text, is a folder of term statistics (`truegain.text.index`) or a dict of texts, `judged_corpus`
    another one that holds the judged documents; `intents`, `name_by`, `jobs` and `progress` say what is read and how;
    further keywords are those of `Options`.

    An unjudged document counts as not relevant, unless fill='predicted' puts its predicted relevance there, from the
    runs that list it and, where given, the texts of `corpus` and the labels of another judge, `llm`.  Such scores rank
    systems; they have no interval: `tg.Study(..., fill='predicted', hole_sample=...).estimates()` has, by a sample of
    the unjudged documents that `tg.hole_list` draws.

    `judge_model` is the model that gave the judgments, where no column `model` of these names it.  That no person has
    checked it, and doubts about ids or unjudged documents, are the `caveats` of the scores, shown wherever these are.

    >>> import truegain as tg
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "dense": {"1": {"a": 1.0, "b": 2.0}}}
    >>> print(tg.evaluate(runs, {"1": {"a": 1, "b": 0}}, ["AP", "nDCG@10"]))
    system       AP  nDCG@10
    bm25     1.0000   1.0000
    dense    0.5000   0.6309
    """
    if fill is None:
        if llm is not None:
            raise TruegainError(
                f"labels of another judge (llm) help to predict; give {arg('fill', 'predicted')} as well"
            )
        return evaluate_as_judged(runs, judgments, measures, judge_model=judge_model, **options)
    if fill != "predicted":
        raise TruegainError(
            f"{argname('fill', fill)} is not known; give 'predicted', or leave it out: unjudged counts 0"
        )
    from truegain.inference.holes.predicted import evaluate_filled  # needs scipy

    return evaluate_filled(runs, judgments, measures, llm, judge_model, dict(options))
