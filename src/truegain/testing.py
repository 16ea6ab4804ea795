"""Assertions for test suites: a test passes, fails or is skipped by a verdict, and says its sentence.

They decide as the command `gate` does.  A failure is an `AssertionError`; a skip is a `unittest.SkipTest`, which pytest
and unittest both know, so that neither has to be installed.
"""

from __future__ import annotations

import unittest
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from truegain.errors import TruegainError, an, check_one_of, warn
from truegain.message import arg, argname
from truegain.study.inputs import claims_of, exit_code, gate_result

if TYPE_CHECKING:
    from truegain.measures.catalogue import MeasureLike
    from truegain.study.experiment import Experiment
    from truegain.study.study import Study
    from truegain.study.verdict import Verdict

__all__ = ["NotEnoughEvidence", "assert_better", "assert_not_worse"]

OnUnknown = Literal["skip", "fail", "pass"]
FAILS, UNKNOWN = 1, 3  # exit codes of the gate


class NotEnoughEvidence(unittest.SkipTest):
    """The data cannot show whether the claim holds; test runners count the test as skipped.

    Examples
    --------
    >>> issubclass(NotEnoughEvidence, unittest.SkipTest)
    True
    """


def assert_not_worse(
    study: Study | Experiment,
    baseline: str | Sequence[str],
    candidate: str | None = None,
    measure: MeasureLike | None = None,
    *,
    by: float,
    on_unknown: OnUnknown = "skip",
) -> tuple[Verdict, ...]:
    """Fail unless the candidate is shown to be better, or not worse by a margin or more (non-inferiority).

    Parameters
    ----------
    study : Study or Experiment
        The runs, the judgments and what the verdict generalizes to; without `min_effect`.
    baseline : str or sequence of str
        The system in use; of several, the candidate is held against each.
    candidate : str, optional
        The system that would replace it; not needed where there is one other.
    measure : str or Measure, optional
        The measure; by default all of the study, each of which must hold.
    by : float
        The smallest loss that matters.
    on_unknown : {'skip', 'fail', 'pass'}, default 'skip'
        What to do where the data cannot show it: skip the test, fail it, or pass it with a warning.

    Returns
    -------
    tuple of Verdict
        One a baseline and measure.

    Raises
    ------
    AssertionError
        The candidate is worse, with the sentence of each verdict.
    NotEnoughEvidence
        The data cannot show it, and `on_unknown` is 'skip'.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(40)}
    >>> runs = {"now": {t: {"a": 2.0, "b": 1.0} for t in qrels},
    ...         "new": {t: {"a": 2.0, "b": 1.0 + 2 * (t == "7")} for t in qrels}}
    >>> study = tg.Study(runs, qrels, "P@1")
    >>> tg.testing.assert_not_worse(study, "now", "new", by=0.1)[0].outcome
    'not worse'
    >>> try:
    ...     tg.testing.assert_not_worse(study, "now", "new", by=0.01)
    ... except tg.testing.NotEnoughEvidence as skipped:
    ...     print(str(skipped)[:69])
    new: inconclusive
    Inconclusive: new scores lower than now, -0.0250 P@
    """
    return _assert(study, baseline, candidate, measure, by, on_unknown)


def assert_better(
    study: Study | Experiment,
    baseline: str | Sequence[str],
    candidate: str | None = None,
    measure: MeasureLike | None = None,
    *,
    on_unknown: OnUnknown = "skip",
) -> tuple[Verdict, ...]:
    """Fail unless the candidate is shown to be better, by the `min_effect` of the study where it has one.

    Parameters
    ----------
    study, baseline, candidate, measure, on_unknown
        As in `assert_not_worse`.

    Returns
    -------
    tuple of Verdict
        One a baseline and measure.

    Raises
    ------
    AssertionError
        The candidate is not better, with the sentence of each verdict.
    NotEnoughEvidence
        The data cannot show it, and `on_unknown` is 'skip'.

    Examples
    --------
    >>> import truegain as tg
    >>> qrels = {str(t): {"a": 1, "b": 0} for t in range(40)}
    >>> runs = {"now": {t: {"a": 1.5, "b": 1.0 + (int(t) % 3 > 0)} for t in qrels},
    ...         "new": {t: {"a": 2.0, "b": 1.0} for t in qrels}}
    >>> tg.testing.assert_better(tg.Study(runs, qrels, "P@1"), "now")[0].outcome
    'better'
    """
    return _assert(study, baseline, candidate, measure, None, on_unknown)


def _assert(
    study_or_experiment: Study | Experiment,
    baseline: str | Sequence[str],
    candidate: str | None,
    measure: MeasureLike | None,
    by: float | None,
    on_unknown: OnUnknown,
) -> tuple[Verdict, ...]:
    """Decide by the rule of the gate."""
    check_one_of("on_unknown", on_unknown, get_args(OnUnknown))
    study: Any = getattr(study_or_experiment, "study", study_or_experiment)
    if not hasattr(study, "verdict"):
        raise TruegainError(f"{argname('study')} is {an(study_or_experiment)}; give a tg.Study or a tg.Experiment")
    baselines = [baseline] if isinstance(baseline, str) else list(baseline)
    if not baselines:
        raise TruegainError(f"{argname('baseline')} is empty; name the system in use, as in {arg('baseline', 'bm25')}")
    pairs = claims_of(study.systems, None, baselines, candidate, one_candidate=True)
    measures = study.measures if measure is None else [measure]
    verdicts = tuple(study.verdict(a, b, m, not_worse_by=by) for a, b in pairs for m in measures)
    outcomes = [v.outcome for v in verdicts]
    code, result = exit_code(outcomes), gate_result(outcomes)
    message = "\n".join([f"{pairs[0][1]}: {result}", *(v.sentence for v in verdicts)])
    if advice := list(dict.fromkeys(v.how_to_check for v in verdicts if v.how_to_check)):
        message = "\n".join([message, *(f"First: {line}" for line in advice)])
    if code == FAILS or (code == UNKNOWN and on_unknown == "fail"):
        raise AssertionError(message)
    if code == UNKNOWN and on_unknown == "skip":
        raise NotEnoughEvidence(message)
    if code == UNKNOWN:
        warn(message)
    return verdicts
