"""Gathers everything that a page says: from a study, its tables, the judge, and runs read when first looked at."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from truegain.config import Gold, Resampling
from truegain.data.items import Items
from truegain.data.judgments import Judgments
from truegain.data.label_lists import GoldList
from truegain.data.pool import Pool, RankedGains
from truegain.data.run import Run
from truegain.data.runs import RunPaths, Runs, read_runs
from truegain.errors import DataWarning, TruegainError, heard, tell
from truegain.io.columns import frozen
from truegain.io.trec import NameBy
from truegain.judge_error.confusion import clearly_positive
from truegain.judge_error.diagnostics import homogeneity, rank_notes
from truegain.judge_error.gold_pairs import TWO_SCALES, different_value_scales
from truegain.judge_error.judge import Judge
from truegain.judge_error.label_tables import label_table
from truegain.measures.base import Measure
from truegain.pooling.bounds import OpenOrder, has_bounds
from truegain.pooling.next_to_judge import Next, next_to_judge
from truegain.reliability.agree import AgreementReport, agreement
from truegain.report.answer_health import TOLD, answer_checks
from truegain.report.answer_health import gold_checks as value_checks
from truegain.report.data_health import (
    DEEP,
    MIXED,
    are_idle,
    assessors_check,
    gold_checks,
    identical_check,
    ids_check,
    labels_check,
    scales_check,
    ties_check,
    topics_check,
    unchecked_check,
    unjudged_by_system,
    unjudged_check,
    warnings_check,
)
from truegain.report.facts import Check, Claim, ContentFacts, Facts, JudgeFacts, Looks, Made, MeasureFacts
from truegain.report.study_facts import MOST_COMPARED, Keeping, as_made, study_facts
from truegain.results.base import Table
from truegain.results.serialization import hints_of
from truegain.sampling.catalogue import is_sample
from truegain.stats.rank_correlation import tau_interval
from truegain.study.gold import Labels
from truegain.study.intervals import intervals
from truegain.study.judge_by_system import judged_lists, value_errors
from truegain.study.reading import RunsInput, of_topics
from truegain.study.study import Costs, Study

# ---- The judge against the gold labels, as a page tells it.


def judges_by_list(
    listed: GoldList, bronze: Judgments, runs: RunPaths | None, measure: Measure, show: str | None,
    gold_relevant_from: float | None, replicates: int, seed: int, jobs: int | None,
) -> Table:  # fmt: skip
    """How good a judge is by the labels of an ordered list, as a page tells it: by system with runs, else by label."""
    if runs is None:
        within = Labels(bronze, bronze, tuple(bronze.topic.values))
        judge = within.judge(listed.judgments(), "random", measure, gold_relevant_from, False, listed)
        assert judge is not None
        return replace(_by_label(judge), notes=(_on_list(judge),))
    gold = Gold(listed, relevant_from=gold_relevant_from)
    resampling = Resampling(seed=seed, jobs=jobs)
    study = Study(runs, bronze, measure, gold=gold, resampling=resampling)
    facts = judge_facts(study, replicates)
    assert facts is not None
    by_system = None if facts.by_system is None else facts.by_system.table()
    if show == "systems" and by_system is None:
        raise TruegainError(facts.by_rank[0])
    table = by_system if by_system is not None and show != "labels" else facts.by_label
    notes = () if by_system is None else by_system.notes
    return replace(table, notes=(facts.summary, *facts.notes, *facts.by_rank, *notes))


def judge_facts(study: Study, trials: int = 2000) -> JudgeFacts | None:
    """The facts of the judge; None where there is no gold."""
    judge = study.judge
    if judge is None:
        return None
    if study.of_items:
        return _judge_of_answers(study, judge)
    ordered = study.gold_list is not None  # drawn with unequal chances, which its weights make up for
    notes = [] if ordered else [*judge.consistency()]
    if (inverted := judge.inverted()) is not None:
        notes.append(inverted)
    by_system = None
    try:
        lists = judged_lists(study)
        by_system = homogeneity(lists, trials=trials, seed=study.seed)
        ranks = rank_notes(lists, always=True, rectified=True)
    except TruegainError as error:
        ranks = [f"No error rates by system: {error}"]
    chance = ""
    try:
        clearly_positive(judge.rates())
    except TruegainError as error:
        chance = str(error)
    return JudgeFacts(
        summary=_on_list(judge) if ordered else str(judge),
        rates=(judge.sensitivity, judge.specificity, judge.informedness),
        not_chance=chance,
        rectified=is_sample(judge.design),
        pairs=judge.size,
        design="ordered" if ordered else judge.design,
        by_label=_by_label(judge),
        by_system=by_system,
        notes=tuple(notes),
        by_rank=tuple(ranks),
    )


def _labels_behind(study: Study, judgments: Judgments, rated: bool) -> int:
    """How many labels or ratings a study was given; of answers, how many values on the topics that are scored."""
    if study.items is not None:
        known = study.items.take(np.flatnonzero(~np.isnan(study.items.value)))
        return int(np.isin(known.topic.strings(), study.topics).sum())
    table = study.raters.ratings.judgments if rated and study.raters is not None else judgments
    return int(np.isin(table.topic.strings(), study.topics).sum()) if study.of_items else len(table)


def _judge_of_answers(study: Study, judge: Judge) -> JudgeFacts:
    """The facts of a judge that gave values to answers; rates only where these are pass and fail."""
    values = value_errors(study)
    chance, rates, summary = "", (math.nan, math.nan, math.nan), values.bias
    by_label = values.table()
    if values.is_binary:
        rates, by_label = (judge.sensitivity, judge.specificity, judge.informedness), _by_label(judge)
        try:
            clearly_positive(judge.rates())
        except TruegainError as error:
            chance = str(error)
    return JudgeFacts(
        summary=summary, rates=rates, not_chance=chance, rectified=is_sample(judge.design), pairs=len(values),
        design="ordered" if study.gold_list is not None else judge.design, by_label=by_label, by_system=None,
        notes=tuple(filter(None, [values.not_at_random])), by_rank=(), values=values,
        two_scales="" if judge.pairs is None
        else different_value_scales(judge.pairs, judge.gold is not None and judge.gold.turned),
    )  # fmt: skip


def _by_label(judge: Judge) -> Table:
    """What the judge says, given the gold label: shares by weight, and how many pairs were judged."""
    table = label_table(judge.confusion)
    if judge.pairs is None:
        return table
    rows = [
        (label, int((judge.pairs.gold == g).sum()), *shares)
        for g, (label, _, *shares) in zip(judge.confusion.gold, table.rows, strict=True)
    ]
    return replace(table, rows=rows)


def _on_list(judge: Judge) -> str:
    """How good the judge is on the documents that an ordered list was drawn from; labels counted, not weights."""
    assert judge.pairs is not None
    relevant = int((judge.pairs.gold >= judge.levels[1]).sum())
    return (
        f"bronze judge on {judge.size:,} gold labels of an ordered list, weighted by their chances to be drawn: "
        f"sensitivity {judge.sensitivity:.1%} ({relevant:,} relevant labels), specificity {judge.specificity:.1%} ("
        f"{judge.size - relevant:,} non-relevant labels), informedness {judge.informedness:z.3f}"
    )


# ---- Runs in files: read when they are first looked at, which is never where all that is asked was kept.

COLUMNS = hints_of(RankedGains, but="pool")  # which labels make again


class FiledRuns(Runs):
    """Runs that are read when somebody looks at them."""

    def __init__(self, files: Sequence[str], name_by: NameBy, rename: Callable[[Runs], Runs] | None = None) -> None:
        self.files, self.name_by, self.rename = list(files), name_by, rename

    @cached_property
    def parts(self) -> tuple[Run, ...]:
        """Of every file."""
        runs = read_runs(self.files, name_by=self.name_by)
        return runs.parts if self.rename is None else self.rename(runs).parts


@dataclass(frozen=True, eq=False)
class Filed(RunsInput):
    """Runs in files, as a study is given them; how they stand in line with labels is kept, and what was told of it."""

    kept: Keeping = as_made

    @classmethod
    def of(
        cls, files: Sequence[str], name_by: NameBy, jobs: int | None, kept: Keeping,
        rename: Callable[[Runs], Runs] | None = None,
    ) -> Filed:  # fmt: skip
        """From the names of the files; `rename` gives their systems other names."""
        return cls(FiledRuns(files, name_by, rename), name_by, jobs, kept)

    @property
    def table(self) -> Runs:
        """The runs."""
        assert isinstance(self.runs, Runs)
        return self.runs

    def on_common_topics(self, labels: Judgments, keep_keys: int, few: bool) -> tuple[RankedGains, Judgments]:
        """As ever, or as kept."""
        make = super().on_common_topics

        def now() -> dict[str, Any]:
            with heard() as messages:
                ranked = make(labels, keep_keys, few)[0]
            return {**{name: getattr(ranked, name) for name in COLUMNS}, "topics": ranked.topics, "said": messages}

        aligned = self.kept(
            ("aligned", digest_of_labels(labels), keep_keys, few, self.scoring, self.matching), now,
            {**COLUMNS, "topics": tuple[str, ...], "said": list[str]},
        )  # fmt: skip
        topics = aligned["topics"]
        tell(aligned["said"])
        left = labels if len(topics) == len(labels.topic.values) else of_topics(labels, set(topics))
        return _against(left, {name: aligned[name] for name in COLUMNS}), left


def _against(labels: Judgments, columns: dict[str, Any]) -> RankedGains:
    """Runs in line with labels, from what was kept; ValueError where lists do not fit the entries."""
    begin, entries = columns["begin"], len(columns["rank"])
    if begin[0] != 0 or begin[-1] != entries or np.any(begin[1:] < begin[:-1]) or len(columns["item"]) != entries:
        raise ValueError("lists and entries do not match")  # before some memory is asked for by them
    for column in columns.values():
        if isinstance(column, np.ndarray):
            frozen(column)
    return RankedGains(pool=Pool.of(labels), **columns)


def digest_of_labels(labels: Judgments) -> str:
    """The digest of what is matched with runs.

    >>> one, same, other = (Judgments.of({"1": {"a": x, "b": 0}}) for x in (1, 1, 2))
    >>> digest_of_labels(one) == digest_of_labels(same) != digest_of_labels(other)
    True
    """
    names = repr((labels.topic.values, labels.subtopic.values, labels.source, labels.are_gains))
    columns = (labels.topic.code, labels.docs.hash, labels.label, labels.subtopic.code, labels.chosen_rows)
    return hashlib.sha256(b"".join([names.encode(), *(c.tobytes() for c in columns)])).hexdigest()


# ---- Work out everything a page says: from a study, its tables, and what was asked.

BY_TEXT = ("AbsRB@20", "DeltaRB@20")
LISTED = 25  # documents to judge next


def gather(
    study: Study,
    runs: Runs,
    judgments: Judgments,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baselines: Sequence[str] = (),
    costs: Costs = None,
    corpus: object = None,
    judged_corpus: object = None,
    messages: Sequence[str] | None = (),
    made: Made | None = None,
    kept: Keeping = as_made,
) -> Facts:
    """The facts: `runs` and `judgments` are the tables the study was made of.

    messages: what reading them warned of; None where that is not known any more.
    corpus, judged_corpus: term statistics, or texts, for measures that read text (see `tg.evaluate`).
    pairs: (a, b) asks whether b is better than a; baselines: whether any other system is better than these.
    Without either the claim is about the two best, or the two there are.
    kept: has what was made before, by what it was made of (see `Cache`).
    """
    made = made or Made(str(study.provenance["truegain"]), options=study.provenance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told when the study was made
        measures, claims, claims_requested = study_facts(study, pairs, baselines, costs, made, kept)
        try:
            judge = judge_facts(study)
        except TruegainError as error:  # gold labels of one class only, which the verdict takes
            judge, messages = None, (*(messages or ()), f"There is no section on the judge: {error}")
        agreement = _agreement(study)
        rated = study.raters is not None and not study.gold_rated
        labels = study.raters.judgments() if rated and study.raters is not None else judgments  # one a document
        bounds = _open_order(study, kept)
        measures = tuple(_without_idle_unjudged(m, bounds) for m in measures)
        to_judge = _next(study, runs, labels, claims[0] if claims_requested else None, bounds, kept)
        content = None if corpus is None else _content(study, runs, labels, measures[0], corpus, judged_corpus)
        if study.items is not None:
            checks = _checks_of_answers(study, study.items, judge, messages)
        elif study.of_items:
            checks = _checks_of_nuggets(study, judgments, judge, messages)
        else:
            checks = _checks(study, runs, judgments, judge, agreement, bounds, messages, kept)
    return Facts(
        systems=study.systems,
        topics=len(study.topics),
        labels=_labels_behind(study, judgments, rated),
        gold=0 if study.judge is None else study.judge.size,
        assessors=0 if study.raters is None else len(study.raters),
        confidence=study.confidence,
        min_effect=study.min_effect,
        over=frozenset(study.over),
        holds_for=study.holds_for,
        not_covered=study.not_covered,
        measures=measures,
        claims=claims,
        claims_requested=claims_requested,
        checks=tuple(checks),
        made=made,
        judge=judge,
        agreement=agreement,
        next=to_judge,
        content=content,
        rule=_rule(study) if rated else "",
        replicates=study.resamples,
        seed=study.seed,
        unchecked="" if study.trust_judge else study.unchecked,
        answers=study.of_items,
        looks=_looks(study),
    )


def _looks(study: Study) -> Looks:
    """By what intervals hold at every look at a growing list of labels, where they do."""
    if study.variance_model(study.measures[0]).anytime_confidence is None:
        return ""
    return "asymptotic" if study.gold_list is None else "betting"


def _rule(study: Study) -> str:
    """How ratings became one label, in words."""
    assert study.raters is not None
    scaled = "" if study.raters.normalize == "none" else f", after normalizing by the {study.raters.normalize}"
    return f"rule {study.raters.rule.NAME}{scaled}"


# ---------------------------------------------------------------------- what labels are worth


def _agreement(study: Study) -> AgreementReport | None:
    """Whether assessors agree, where there are several; None where their ratings do not say."""
    raters = study.raters
    if raters is None or len(raters) < 2:
        return None
    how = None if raters.normalize == "none" else raters.normalize
    try:
        return agreement(raters.ratings.judgments, scale=raters.scale, normalize=how, confidence=study.confidence)
    except TruegainError:
        return None


def _open_order(study: Study, kept: Keeping) -> OpenOrder | None:
    """What unjudged documents could do, by the first measure of which it is known."""
    if len(study.systems) > MOST_COMPARED:
        return None
    for m in study.measures:
        if has_bounds(m) and unjudged_by_system(study.ranked, getattr(m, "cutoff", None))[0].any():
            try:
                bounds: OpenOrder = kept(("holes", str(m)), partial(OpenOrder.of, study.ranked, m), OpenOrder)
                return bounds
            except TruegainError:
                continue
    return None


def _without_idle_unjudged(m: MeasureFacts, bounds: OpenOrder | None) -> MeasureFacts:
    """Not a word at the ranking of unjudged documents that could turn none of its pairs; data health tells of them."""
    if not are_idle(bounds, m.measure):
        return m
    return replace(m, notes=tuple(n for n in m.notes if "unjudged" not in n))


def _next(
    study: Study, runs: Runs, judgments: Judgments, claim: Claim | None, bounds: OpenOrder | None, kept: Keeping
) -> Next | None:
    """Documents to judge next, for the first claim or for the whole ranking; none where none could turn a pair."""
    if len(study.systems) > MOST_COMPARED:
        return None
    scoring = replace(study.config.scoring, all_topics=False)  # an empty list has nothing to judge
    for m in study.measures:
        cutoff = getattr(m, "cutoff", None)
        if cutoff is None or not unjudged_by_system(study.ranked, cutoff)[0].any() or are_idle(bounds, m):
            continue
        pair = None if claim is None else (claim.a, claim.b)
        try:
            make = partial(next_to_judge, runs, judgments, m, pair=pair, most=LISTED, scoring=scoring)
            listed: Next = kept(("next", str(m), pair, scoring), make, Next)
        except TruegainError:
            continue
        if listed.documents:
            return listed
    return None


def _content(
    study: Study, runs: Runs, judgments: Judgments, main: MeasureFacts, corpus: Any, judged_corpus: Any
) -> ContentFacts:  # fmt: skip
    """Measures that read text, over topics, and Kendall's tau with the main measure over systems like these."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        scores = intervals(
            runs, judgments, list(BY_TEXT), confidence=study.confidence, resampling=Resampling(seed=study.seed),
            scoring=study.config.scoring, corpus=corpus, judged_corpus=judged_corpus,
        )  # fmt: skip
    by_system = {(e.measure, e.system): e for e in scores}
    names = dict.fromkeys(e.measure for e in scores)
    estimates = {m: tuple(by_system[m, s] for s in main.ranking.systems) for m in names}
    tau = {}
    for m in names:
        with suppress(TruegainError):  # too few systems, or all tied
            both = [e.value for e in main.estimates], [e.value for e in estimates[m]]
            tau[m] = tau_interval(*both, confidence=study.confidence)
    return ContentFacts(estimates, tau, tuple(str(w.message) for w in caught if "corpus" in str(w.message)))


# ---------------------------------------------------------------------- data health


def _checks(
    study: Study, runs: Runs, judgments: Judgments, judge: JudgeFacts | None, agreement: AgreementReport | None,
    bounds: OpenOrder | None, messages: Sequence[str] | None, kept: Keeping,
) -> list[Check]:  # fmt: skip
    checks, repeated = [topics_check(study.ranked, judgments)], []
    if doubts := study.ranked.doubts:
        checks.append(ids_check(doubts, len(study.systems)))
        repeated += [d.why for d in doubts]
    seen: set[object] = set()
    for m in study.measures:
        cutoff = getattr(m, "cutoff", None)
        if cutoff not in seen:
            checks.append(unjudged_check(study.ranked, m, bounds))
            seen.add(cutoff)
    depth = max(getattr(m, "cutoff", None) or DEEP for m in study.measures)
    ties = study.config.scoring.ties
    checks.append(kept(("ties", depth, ties), partial(ties_check, runs, depth, ties), Check))
    checks += [identical_check(study.ranked), labels_check(judgments, study.ranked)]
    if judge is not None:
        checks += gold_checks(judge, len(judgments))
    if study.unchecked:
        checks.append(unchecked_check(study.unchecked))
    if agreement is not None:
        checks.append(assessors_check(agreement))
    if study.raters is not None and len(study.raters) > 1 and study.raters.normalize == "none":
        checks.append(scales_check(study.raters.ratings.judgments, study.raters.scale.level))
        repeated.append(MIXED)
    return [*checks, *warnings_check(messages, repeated)]


def _checks_of_answers(
    study: Study, items: Items, judge: JudgeFacts | None, messages: Sequence[str] | None
) -> list[Check]:
    """Checks of values of answers."""
    checks = answer_checks(items, study.ranked, judge)
    if study.unchecked:
        checks.append(unchecked_check(study.unchecked, "answers"))
    return [*checks, *warnings_check(messages, (*TOLD, TWO_SCALES))]


def _checks_of_nuggets(
    study: Study, judgments: Judgments, judge: JudgeFacts | None, messages: Sequence[str] | None
) -> list[Check]:
    """Checks of answers that are scored by their nuggets: nothing is ranked, and every nugget has a value."""
    checks = [topics_check(study.ranked, judgments), labels_check(judgments, study.ranked)]
    if judge is not None and judge.values is not None:
        checks += value_checks(judge, judge.values, len(judgments))
    if study.unchecked:
        checks.append(unchecked_check(study.unchecked, "answers"))
    return [*checks, *warnings_check(messages, [TWO_SCALES])]
