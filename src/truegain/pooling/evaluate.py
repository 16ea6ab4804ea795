"""Scores, with unjudged documents as not relevant or by their predicted relevance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, cast

from truegain.config import Scoring
from truegain.data.scores import Scores
from truegain.errors import TruegainError
from truegain.keywords import checked_keywords
from truegain.measures.catalogue import MeasuresLike
from truegain.measures.evaluate import evaluate as evaluate_as_judged
from truegain.measures.scoring import heeded
from truegain.message import EVALUATE, arg, argname

if TYPE_CHECKING:
    from truegain.data.intents import Intents
    from truegain.data.items import Items
    from truegain.data.judgments import JudgmentsLike
    from truegain.data.runs import RunsLike
    from truegain.io.memory import MemoryLike
    from truegain.text.corpus import CorpusLike

Fill = Literal["predicted"]


SAMPLED = (
    f"{argname('unjudged_sample')} corrects scores and gives them intervals, which {EVALUATE} does not; use "
    "tg.Study(runs, judgments, measures, unjudged=tg.UnjudgedSample(..., predicted=True)).estimates()"
)


@checked_keywords(elsewhere={"unjudged_sample": SAMPLED})
def evaluate(
    runs: RunsLike | Items,
    judgments: JudgmentsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    scoring: Scoring | None = None,
    fill: Fill | None = None,
    llm: JudgmentsLike | None = None,
    intents: Intents | Mapping[str, Mapping[str, float]] | str | None = None,
    corpus: CorpusLike | None = None,
    judged_corpus: CorpusLike | None = None,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    memory: MemoryLike | None = None,
) -> Scores:
    """Score runs against judgments.

    Parameters
    ----------
    runs : path, list of paths, frame, list of dict, mapping, Runs, or objects of ir_measures or ranx
        What each system retrieved; a path may be a folder or a glob.  Or `Items`, values of answers, which need no
        judgments: their scores on each topic and means.
    judgments : path, frame, list of dict, mapping, Judgments, or objects of ir_measures or ranx
        The labels.  `read_judgments(..., model='gpt-4o')` says which model gave them.
    measures : measure, or several
        As text, such as 'nDCG@10', or as objects; of `Items` names of scores, by default all, and of nuggets measures
        such as 'V_strict'.
    scoring : Scoring, optional
        What counts as relevant, which topics count, and other conventions of trec_eval.
    fill : {'predicted'}, optional
        An unjudged document counts as not relevant, unless its relevance is predicted, from the runs that list it and,
        where given, the texts of `corpus` and the labels of `llm`.  Such scores rank systems; they have no interval:
        `tg.Study(..., unjudged=tg.UnjudgedSample(..., predicted=True)).estimates()` has, by a sample of the unjudged
        documents that `tg.sample_unjudged` draws.
    llm : path, frame, mapping or Judgments, optional
        Labels of another judge, which help to predict.
    intents : path, mapping or Intents, optional
        The probability of each subtopic, for measures of diversity.
    corpus : folder of term statistics, or mapping of texts, optional
        For measures that read text (`truegain.text.index` makes the folder), and for predictions.
    judged_corpus : the same, optional
        Where the judged documents are in another collection.
    jobs : int, optional
        Threads; by default one for each core.
    progress : function, optional
        Called with the number of runs that were scored since the last call.
    memory : int or str, optional
        How much may be taken, as '2GB'; files that take more are read in batches.

    Returns
    -------
    Scores
        Systems by topics for each measure, with means.  That no person has checked a model's labels, and doubts about
        ids or unjudged documents, are its `caveats`, shown wherever it is.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees, "Retrieval system evaluation", in TREC: Experiment and Evaluation in
           Information Retrieval, MIT Press, 2005; ``help(type(tg.parse_measure("nDCG")))`` cites the source of a
           measure.
    .. [2] J. A. Aslam and E. Yilmaz, "Inferring document relevance from incomplete information", CIKM 2007: to
           the same end as ``fill='predicted'``.

    Examples
    --------
    >>> import truegain as tg
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "dense": {"1": {"a": 1.0, "b": 2.0}}}
    >>> print(tg.evaluate(runs, {"1": {"a": 1, "b": 0}}, ["AP", "nDCG@10"]))
    system       AP  nDCG@10
    bm25     1.0000   1.0000
    dense    0.5000   0.6309
    """
    if (answers := _answers_in(runs)) is not None:
        heeded(scoring)
        others = {
            "fill": fill, "llm": llm, "intents": intents, "corpus": corpus, "judged_corpus": judged_corpus,
            "memory": memory,
        }  # fmt: skip
        if odd := [name for name, value in others.items() if value is not None]:
            raise TruegainError(f"{', '.join(map(argname, odd))}: does not apply to values of answers; leave it out")
        return _of_answers(answers, judgments, measures)
    runs = cast("RunsLike", runs)
    measures = cast("MeasuresLike", measures)  # none are refused where they are read, and so are judgments
    judgments = cast("JudgmentsLike", judgments)
    if fill is None:
        if llm is not None:
            raise TruegainError(
                f"labels of another judge (llm) help to predict; give {arg('fill', 'predicted')} as well"
            )
        return evaluate_as_judged(
            runs, judgments, measures, scoring=scoring, intents=intents, corpus=corpus, judged_corpus=judged_corpus,
            jobs=jobs, progress=progress, memory=memory,
        )  # fmt: skip
    if fill != "predicted":
        raise TruegainError(
            f"{argname('fill', fill)} is unknown; give 'predicted', or leave it out to count unjudged documents as 0"
        )
    for name, value in (("intents", intents), ("judged_corpus", judged_corpus), ("memory", memory)):
        if value is not None:
            raise TruegainError(f"{argname(name)} cannot be combined with {arg('fill', 'predicted')}; leave it out")
    from truegain.pooling.prediction import evaluate_filled  # needs scipy

    return evaluate_filled(runs, judgments, measures, scoring or Scoring(), llm=llm, corpus=corpus, jobs=jobs)


def _answers_in(runs: object) -> Items | None:
    """Values of answers, where runs are these; what reads them is not loaded for paths, so that these start sooner."""
    if isinstance(runs, str | tuple | list | dict):
        return None
    from truegain.data.items import Items

    return runs if isinstance(runs, Items) else None


def _of_answers(items: Items, judgments: object, measures: MeasuresLike | None) -> Scores:
    from truegain.measures.items import scores_of_items
    from truegain.pooling.answers import names_score, nugget_scores, score_names

    if judgments is not None:
        raise TruegainError(f"{argname('judgments')}: values of answers are already judgments; leave them out")
    if not names_score(items, measures):
        return nugget_scores(items, measures)
    return scores_of_items(items, score_names(measures))
