"""A study in plain words, as the command line and study files give it; the claims it is asked about; a gate's rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from truegain.aggregation.reading import OF_ANY_JUDGMENTS, RatingReading
from truegain.config import Empty, Gold, StudyConfig
from truegain.data.judgments import JudgmentsLike, read_judgments
from truegain.data.label_list_reading import gold_list_of
from truegain.data.models import models_named
from truegain.data.runs import RunsLike, read_runs
from truegain.errors import InputError, TruegainError, heard, no_system
from truegain.io.file_options import file_options
from truegain.io.files import can_be_read_again
from truegain.io.formats import has_lines
from truegain.io.trec import NameBy
from truegain.message import arg, argname
from truegain.results.table import Renamed
from truegain.sampling.catalogue import draws_topics
from truegain.settings import changed_fields

if TYPE_CHECKING:
    from truegain.study.documents import GateResult, Outcome
    from truegain.study.item_inputs import AnswerInputs
    from truegain.study.reading import RunsInput
    from truegain.study.study import Study
    from truegain.study.verdict import Verdict


def pair_of(systems: Sequence[str], text: str | None, called: Callable[[str], str] = str) -> tuple[str, str] | None:
    """The two systems that are asked about, the claim being that the second is better; None: the two best.

    called: the name that a system has here, by the one that was given.

    >>> pair_of(["bm25", "a,b", "dense"], "a,b,dense"), pair_of(["bm25", "dense"], None)
    (('a,b', 'dense'), ('bm25', 'dense'))
    """
    if len(systems) < 2:
        raise TruegainError(f"A verdict compares two systems, but there is only {systems[0]}; add another run.")
    if text is None:
        return (systems[0], systems[1]) if len(systems) == 2 else None
    parts = text.split(",")
    splits = [(",".join(parts[:i]).strip(), ",".join(parts[i:]).strip()) for i in range(1, len(parts))]
    if not splits:
        raise TruegainError(f"{argname('pair', text)} is not two systems; write {arg('pair', 'a,b')}")
    pair = next((new for a, b in splits if set(new := (called(a), called(b))) <= set(systems)), None)
    if pair is None:
        unknown = [name for name in splits[0] if called(name) not in systems]
        raise no_system("pair", unknown, systems)
    if pair[0] == pair[1]:
        raise TruegainError(f"{argname('pair', text)}: {pair[0]} is compared with itself; name two systems")
    return pair


def claims_of(
    systems: Sequence[str], pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
    called: Callable[[str], str] = str, one_candidate: bool = False,
) -> list[tuple[str, str]]:  # fmt: skip
    """The pairs (a, b) of which it is claimed that b is better; none where the two best are meant.

    A candidate against each baseline; baselines alone have every other system as candidate (with `one_candidate` there
    must be one other), and a candidate alone the only other one as baseline.

    >>> claims_of(["bm25", "dense", "fused"], None, ["bm25"], None)
    [('bm25', 'dense'), ('bm25', 'fused')]
    """
    if not (baselines or candidate):
        both = pair_of(systems, pair, called)
        return [] if both is None else [both]
    if pair is not None:
        raise TruegainError(
            f"{arg('pair')} names both systems; leave out {arg('baseline')} and {arg('candidate')}, or {arg('pair')}"
        )
    named = [*dict.fromkeys(baselines or ()), *([candidate] if candidate else [])]
    unknown = [name for name in named if name not in systems]
    if of_baseline := [name for name in unknown if name in (baselines or ())]:
        raise no_system("baseline", of_baseline, systems)
    if unknown:
        raise no_system("candidate", unknown, systems)
    if candidate in (baselines or ()):
        raise TruegainError(
            f"{candidate} is compared with itself; name another {arg('baseline')} or {arg('candidate')}"
        )
    others = [name for name in systems if name not in named]
    if candidate is not None:
        return [(a, candidate) for a in dict.fromkeys(baselines or _only(others, arg("baseline")))]
    if not others:
        raise TruegainError(f"every system is a {arg('baseline')}; leave one out, to be compared with the others")
    chosen = _only(others, arg("candidate")) if one_candidate else others
    return [(a, b) for b in chosen for a in dict.fromkeys(baselines or ())]


def _only(others: list[str], argument: str) -> list[str]:
    if len(others) != 1:
        raise TruegainError(f"{argument} is not given, and there are {len(others)} other systems; name one of them")
    return others


# ---- The study that options and study files describe.

# from measures, and those among them that the gold labels cannot correct with why: the measures to estimate
MeasureFilter = Callable[[Sequence[str], Mapping[str, str]], list[str]]


@dataclass(frozen=True, kw_only=True)
class StudyInputs(Renamed):
    """What a study is made of beside its config: measures, prices, and which models gave what."""

    measure: list[str] | None = None
    costs: str | None = None
    system_models: list[str] | None = None
    judge_model: str | None = None
    name_by: NameBy = "file"
    score: str | None = None
    less_is_better: bool = False
    cluster: str | None = None
    empty: Empty = "skip"

    def study_of_files(
        self, judgments: str, files: list[str], config: StudyConfig, reading: RatingReading,
        measure_filter: MeasureFilter | None = None,
    ) -> Study:  # fmt: skip
        """The study of these files; runs that can be read in this way only now are read at once."""
        self.check(config, reading)
        if (answers := self.answers([judgments, *files], config)) is not None:
            return self.study_of_answers(answers)
        if self.empty != "skip":
            raise TruegainError(f"{arg('empty', self.empty)} applies to measures of nuggets only; leave it out")
        must_read_now = not all(map(can_be_read_again, files)) or self.renames or bool(file_options().runs_header)
        runs = self.renamed(read_runs(files, name_by=self.name_by)) if must_read_now else files
        rated = config.ratings.are_aggregated
        labels = reading.load(judgments, normalize=config.ratings.normalize) if rated else judgments
        return self.study_of_tables(runs, labels, config, reading, measure_filter)

    @staticmethod
    def study_of_answers(answers: AnswerInputs, runs: RunsInput | None = None) -> Study:
        """The study of values of answers; runs: their lists, where these are kept."""
        from truegain.study.study import Study

        study = Study.configured(runs or answers.runs, answers.judgments, answers.measures, answers.config)
        study.items = answers.items
        return study

    def answers(self, files: Sequence[str], config: StudyConfig) -> AnswerInputs | None:
        """Values of answers, where files are logs of evaluation tools, or a score of theirs is named; else None."""
        score_is_named = self.score or self.cluster or self.less_is_better or file_options().board
        if not score_is_named and has_lines(files[0]):
            return None
        from truegain.study.item_inputs import answer_inputs, items_in, measures_of

        items = items_in(files, self.score, self.cluster, self.called, self.less_is_better)
        if items is None:
            return None
        if self.judge_model:
            items = items.judged_by(self.judge_model)
        return answer_inputs(items, None, measures_of(items, self.score, self.measure, self.empty), config)

    def check(self, config: StudyConfig, reading: RatingReading) -> None:
        """Refuse, before any work, what is only of use with ratings, and prices that are none."""
        from truegain.study.precision import prices_of

        rated = config.ratings.are_aggregated or (config.gold is not None and config.gold.aggregate is not None)
        if not rated and (names := changed_fields(reading, OF_ANY_JUDGMENTS)):
            of = ", ".join(arg(name) for name in names)
            raise TruegainError(
                f"{of}: this applies to ratings; choose how they become labels, as in {arg('aggregate', 'mean')}"
            )
        prices_of(self.costs)

    def study_of_tables(
        self, runs: RunsLike | RunsInput, judgments: JudgmentsLike, config: StudyConfig, reading: RatingReading,
        measure_filter: MeasureFilter | None = None,
    ) -> Study:  # fmt: skip
        """The study of runs and judgments, which may have been read before.

        measure_filter: what takes measures away that the gold labels cannot correct; without it these are refused.
        """
        from truegain.study.reading import RunsInput
        from truegain.study.study import Study

        gold = config.gold
        if gold is not None and gold.aggregate is not None:
            config = replace(config, gold=replace(gold, labels=reading.load(str(gold.labels))))
        models = {self.called(s): x for s, x in models_named(self.system_models).items()}
        input_ = runs if isinstance(runs, RunsInput) else RunsInput(runs, self.name_by, config.resampling.jobs)
        labels = read_judgments(judgments, model=self.judge_model) if self.judge_model else judgments
        measures = self.measure or [usual_measure(config)]
        if measure_filter is not None:
            measures = measure_filter(measures, self.uncorrectable_by_design(config))
        study = Study.configured(replace(input_, models=models), labels, measures, config)
        kept = measures if measure_filter is None else measure_filter(measures, uncorrectable_by_list(study, measures))
        return study if kept == measures else study.with_measures(kept)

    def uncorrectable_by_design(self, config: StudyConfig) -> dict[str, str]:
        """Which of the measures the gold labels cannot correct, drawn as they were, and why; none where all."""
        from truegain.measures.catalogue import parse_measures
        from truegain.study.gold import gold_and_design, uncorrectable

        gold = config.gold
        if gold is None or len(self.measure or ()) < 2 or not can_be_read_again(str(gold.labels)):
            return {}
        _, design, listed = (None, gold.design, None) if gold.aggregate else gold_and_design(gold)
        named = parse_measures(self.measure or ())
        why = uncorrectable([one.measure for one in named], design, listed is not None and listed.design == "ordered")
        return {one.name: why[str(one.measure)] for one in named if str(one.measure) in why}

    def inputs(self, judgments: str, files: Sequence[str], config: StudyConfig, study: str | None) -> list[str]:
        """All files that are read."""
        labels = (config.gold and config.gold.labels, config.sample and config.sample.labels)
        others = [str(x) for x in (*labels, self.names, study) if x]
        return [judgments, *others, *files, *(u for u in self.system_models or () if "=" not in u)]

    def provenance(self, study: Study, reading: RatingReading) -> dict[str, Any]:
        """How the answers were made, files aside."""
        options: dict[str, Any] = {"costs": self.costs, "name_by": self.name_by, "judge_model": study.judge_model}
        options |= {"system_models": study.system_models, "reading": vars(reading)}
        return {**study.provenance, **options, **self.renaming}

    def claims(
        self, systems: Sequence[str], pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
        one_candidate: bool = False,
    ) -> list[tuple[str, str]]:  # fmt: skip
        """The claims that are asked about, systems by their old names or the new ones; see `claims_of`."""
        named = [self.called(name) for name in baselines or ()]
        chosen = None if candidate is None else self.called(candidate)
        return claims_of(systems, pair, named, chosen, self.called, one_candidate)


def uncorrectable_by_list(study: Study, names: Sequence[str]) -> dict[str, str]:
    """Which measures a list of gold labels was not drawn for, and why; none where it has what one of them needs."""
    from truegain.measures.catalogue import parse_measures

    lost: dict[str, str] = {}
    for named in parse_measures(names) if study.gold_list is not None and len(names) > 1 else ():
        try:
            study.variance_model(named.measure)
        except InputError as error:
            lost[named.name] = error.problem
    return lost if len(lost) < len(names) else {}


USUAL = "nDCG@10"


def usual_measure(config: StudyConfig) -> str:
    """The measure where none is asked for: one that the gold labels can correct.

    >>> usual_measure(StudyConfig(gold="pairs.qrels")), usual_measure(StudyConfig())
    ('P@10', 'nDCG@10')
    """
    corrected = config.gold is not None or config.sample is not None
    return "P@10" if corrected and not draws_topics(_gold_design(config.gold)) else USUAL


def _gold_design(gold: Gold | None) -> str | None:
    """How gold labels were drawn, as given or as their list says; None where a file can be read only once."""
    if gold is None or gold.design is not None or gold.aggregate is not None:
        return None if gold is None else gold.design
    if isinstance(gold.labels, str) and not can_be_read_again(gold.labels):
        return None
    with heard():  # the study reads it again, and then tells
        listed = gold_list_of(gold.labels)
    return None if listed is None else listed.design


# ---- The rule of a gate: `truegain gate` and `truegain.testing` decide by it, and by no other.

CODES: dict[Outcome, int] = {
    "better": 0,
    "not worse": 0,
    "worse": 1,
    "not better": 1,
    "inconclusive": 3,
    "unchecked": 3,
}  # 2 is a mistake in the input
_RESULTS: dict[int, GateResult] = {0: "passes", 1: "fails", 3: "inconclusive"}


def exit_code(outcomes: Sequence[Outcome]) -> Literal[0, 1, 3]:
    """The exit code of a gate: 0 if all outcomes are good, 1 if one is bad, else 3; the claim is about all of them.

    >>> exit_code(["better", "inconclusive"]), exit_code(["inconclusive", "worse"]), exit_code(["not worse"])
    (3, 1, 0)
    """
    codes = {CODES[outcome] for outcome in outcomes}
    return 1 if 1 in codes else 3 if 3 in codes else 0


def gate_result(outcomes: Sequence[Outcome]) -> GateResult:
    """What a gate says of several outcomes: 'unchecked' where only unchecked labels keep it from passing.

    >>> gate_result(["better", "unchecked"]), gate_result(["inconclusive", "unchecked"])
    ('unchecked', 'inconclusive')
    """
    code = exit_code(outcomes)
    return "unchecked" if code == CODES["unchecked"] and "inconclusive" not in outcomes else _RESULTS[code]


# ---- What can be said of many candidates.

ORDER = ("better", "not worse", "worse", "not better", "inconclusive", "unchecked")  # in which outcomes are listed


def each_alone(verdicts: Sequence[Verdict]) -> str:
    """A note on the confidence of the verdicts on many candidates; empty where there is one candidate."""
    candidates = {v.comparison.b for v in verdicts}
    return (
        f"Each of these {len(verdicts)} verdicts is at its confidence level by itself, as if it were the only claim."
        if len(candidates) > 1
        else ""
    )


def joint_sentences(study: Study, verdicts: Sequence[Verdict]) -> list[str]:
    """What holds of many candidates at once, a sentence a measure; nothing where there is one candidate."""
    sentences = []
    for measure in dict.fromkeys(v.comparison.measure for v in verdicts):
        mine = [v for v in verdicts if v.comparison.measure == measure]
        if len({v.comparison.b for v in mine}) < 2:
            continue
        by_outcome: dict[str, list[str]] = {}
        several = len({v.comparison.a for v in mine}) > 1
        for v, outcome in zip(mine, study.together(mine), strict=True):
            c = v.comparison
            by_outcome.setdefault(outcome, []).append(f"{c.b} than {c.a}" if several else c.b)
        order = sorted(by_outcome, key=ORDER.index)
        outcomes = "; ".join(f"{outcome}: {', '.join(by_outcome[outcome])}" for outcome in order)
        sentences.append(
            f"All {len(mine)} jointly, on {measure} (simultaneous {100 * study.confidence:g}% confidence): {outcomes}."
        )
    return sentences
