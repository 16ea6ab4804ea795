"""What runs can answer with judgments, gold labels and ratings beside them; no command that would be refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from truegain.cli.questions import (
    CHEAP,
    PAGE,
    TEAM_PAGES,
    TRUSTED,
    WHICH,
    FileQuestion,
    columns_of,
    command_of,
    folder_of,
    named_as,
    refusal,
    which_of,
)
from truegain.config import Gold, Ratings, Resampling, StudyConfig
from truegain.data.judgments import Judgments
from truegain.data.label_lists import list_of_key
from truegain.data.models import judge_in
from truegain.data.pool import Pool
from truegain.data.runs import Runs
from truegain.data.scores import Scores
from truegain.errors import some
from truegain.io.columns import Coded
from truegain.judge_error.judge_quality import judge_quality
from truegain.judge_error.judges import PublishedTest
from truegain.measures.evaluate import evaluate
from truegain.planning.settle import Settling
from truegain.pooling.first_ranks import unjudged_down_to
from truegain.study.compare import compared
from truegain.study.estimators import LEAST_TOPICS
from truegain.study.feasibility import at_depth_of, usual_measures, whole_topics
from truegain.study.file_kinds import GOLD_LIST, JUDGMENTS, RATINGS, RUN, TEAMS, UNKNOWN, Examined, files_below
from truegain.study.study import Study

DEPTHS = (1000, 500, 200, 100, 50, 20, 10, 5, 1)  # of pools, as tracks have them


def of_retrieval(files: Sequence[Examined], notes: list[str]) -> Iterator[FileQuestion]:
    """Questions about the runs of each folder; what looks wrong is added to the notes."""
    folders = _by_folder(files)
    judged = [file for file in files if file.kind == JUDGMENTS]
    if judged and not folders:
        about = some([file.file for file in judged])
        yield FileQuestion(about, WHICH, lacks="no runs: give the ranked lists of your systems")
    for folder, runs in folders.items():
        systems = Counter(system for run in runs for system in run.systems)
        if twice := [system for system, many in systems.items() if many > 1]:
            notes.append(f"{folder or '.'}: two runs have the name {some(twice)}")
        yield from _about_runs(_paths(folder, runs, files), runs, files, notes)


def _by_folder(files: Sequence[Examined]) -> dict[str, list[Examined]]:
    """The runs of each folder."""
    runs: dict[str, list[Examined]] = {}
    for file in files:
        if file.kind == RUN:
            runs.setdefault(folder_of(file.file), []).append(file)
    return runs


def _paths(folder: str, runs: Sequence[Examined], files: Sequence[Examined]) -> list[str]:
    """How a command names runs: by their folder where it holds nothing else."""
    inside = [file for file in files if folder_of(file.file) == folder]
    alone = len(inside) == len(runs) > 1 and bool(folder)
    return [folder] if alone and len(files_below([folder])) == len(runs) else [run.file for run in runs]


def _about_runs(
    paths: list[str], runs: Sequence[Examined], files: Sequence[Examined], notes: list[str]
) -> Iterator[FileQuestion]:
    systems = [system for run in runs for system in run.systems]
    which = which_of(systems) if len(systems) > 1 else f"How good is {systems[0]}"
    about = f"runs: {some(paths)}"
    judged = [file for file in files if file.kind == JUDGMENTS]
    fitting = sorted((j for j in judged if _fits(j.data, runs)), key=lambda j: len(j.data), reverse=True)
    if not fitting:
        if len(systems) > 1 and any(file.kind == RATINGS and _fits(file.data, runs) for file in files):
            return  # see `of_ratings`
        why = "no judgments: give relevance labels of their documents (qrels)"
        if unread := [file.file for file in files if file.kind == UNKNOWN]:
            why = (
                f"no judgments were read: {some(unread)} {'is' if len(unread) == 1 else 'are'} not read, see above why"
            )
        if judged:
            why = f"{some([j.file for j in judged])}: no document of the runs is judged; do the ids differ?"
        yield FileQuestion(about, f"{which}?", lacks=why)
        return
    if why := refusal(lambda: [part.ranking() for part in _together(runs).parts]):  # a document may stand twice
        yield FileQuestion(about, f"{which}?", lacks=why)
        return
    usable = [file for file in fitting if not file.refused]
    by_subtopic = [file for file in usable if _has_subtopics(file.data)]
    for file in by_subtopic:  # which no study takes
        ran = _together(runs)
        intervals = _intervals(file, ran)
        words = ("compare",) if len(systems) > 1 and intervals else ("eval", *intervals)
        chosen = (*paths, "-m", at_depth_of(ran, "alpha_nDCG@10"), *words[1:], *columns_of(file, runs=runs))
        yield FileQuestion(about, f"{which} by the subtopics of {file.file}?", command_of(words[0], file.file, *chosen))
    plain = [file for file in usable if file not in by_subtopic]
    smaller: list[Examined] = []
    if plain:
        smaller = [file for file in fitting if file not in by_subtopic and 2 * len(file.data) < len(plain[0].data)]
        whole = [file for file in plain if file not in smaller]
        yield from _about_judged(about, which, paths, runs, whole, smaller, files, notes)
    for file in fitting:
        if file.refused and file not in smaller:
            yield FileQuestion(about, f"{which} by {file.file}?", lacks=f"{file.file}: {file.refused}")


def _about_judged(
    about: str,
    which: str,
    paths: list[str],
    runs: Sequence[Examined],
    whole: Sequence[Examined],
    smaller: Sequence[Examined],
    files: Sequence[Examined],
    notes: list[str],
) -> Iterator[FileQuestion]:
    """Runs with judgments that commands take; smaller ones beside them may be gold labels."""
    first, others = whole[0], tuple(file.file for file in whole[1:])
    ran = _together(runs)
    systems = ran.systems
    measure = usual_measures(ran, first.data, gold=False, design=None)[0]
    if len(systems) == 1:
        command = command_of(
            "eval", first.file, *paths, "-m", measure, *_intervals(first, ran), *columns_of(first, runs=runs)
        )
        yield FileQuestion(about, f"{which} by {first.file}?", command, instead=others)
        yield FileQuestion(about, WHICH, lacks=f"one system only ({systems[0]}): give the run of another")
        return
    if problem := refusal(lambda: _study_by(runs, first, StudyConfig(), measure), notes):
        yield FileQuestion(about, f"{which}?", lacks=problem)
        return
    chosen = (first.file, *paths, "-m", measure, *columns_of(first, runs=runs))
    gold = list(_about_gold(about, paths, runs, whole, smaller, files))
    corrected = any(
        "--gold" in question.command for question in gold if question.command.startswith("truegain verdict")
    )
    if corrected:  # what people should quote comes first
        yield from gold
    alone = " alone, without correcting its mistakes" if corrected else ""
    yield FileQuestion(about, f"{which} by {first.file}{alone}?", command_of("verdict", *chosen), instead=others)
    if not corrected:
        yield FileQuestion(about, PAGE, command_of("report", *chosen, "-o", "report.html"))
    yield FileQuestion(about, "What could unjudged documents change?", command_of("unjudged", *chosen))
    for table in files:
        if table.kind == TEAMS:
            scores = evaluate(ran, first.data, measure)
            yield from _about_teams(
                about, chosen, table, _study_by(runs, first, StudyConfig(), measure), scores, ran.tags
            )
    pair = ("--baseline", systems[0], "--candidate", systems[-1], "--dry-run")
    question = f"How many human labels would decide between {systems[0]} and {systems[-1]}?"
    study = _study_by(runs, first, StudyConfig(), measure)
    lacks = refusal(lambda: Settling(study, systems[0], [systems[-1]]))
    yield FileQuestion(about, question, "" if lacks else command_of("settle", *chosen, *pair), lacks)
    if others and len(systems) > 2:
        question = f"Do {first.file} and {others[0]} rank the systems alike?"
        named_columns = columns_of(first, whole[1], runs=runs)
        command = command_of("correlate", first.file, others[0], *paths, "-m", measure, *named_columns)
        yield FileQuestion(about, question, command, instead=others[1:])
    if not corrected:
        yield from gold


def _about_teams(
    about: str, chosen: Sequence[str], table: Examined, study: Study, scores: Scores, tags: Sequence[str]
) -> Iterator[FileQuestion]:
    """What a table says that has the team of each run: a page for each team, pairs by team, and what the pool lacks."""
    if lacks := refusal(lambda: table.data.among(study.systems, tags)):
        yield FileQuestion(about, TEAM_PAGES, lacks=lacks)
        return
    by_team = ("--teams", table.file)
    yield FileQuestion(about, TEAM_PAGES, command_of("participants", *chosen, *by_team, "-o", "participants"))
    question = "Which pairs of runs differ, with the team of each?"
    lacks = refusal(
        lambda: compared(scores, scores.measures[0], PublishedTest(None), None, None, 0.95, Resampling(jobs=1))
    )
    yield FileQuestion(about, question, "" if lacks else command_of("compare", *chosen, *by_team), lacks)
    question = "How would each pooled run score if its team had brought no documents to the pool?"
    if depth := _pool_depth(study, table.data.pooled):
        words = ("--show", "left-out", *by_team, "--pool-depth", str(depth))
        yield FileQuestion(about, question, command_of("unjudged", *chosen, *words))
    else:
        lacks = (
            f"some first documents of the runs that {table.file} calls pooled are not judged; which runs were pooled?"
        )
        yield FileQuestion(about, question, lacks=lacks)


def _pool_depth(study: Study, pooled: Set[str]) -> int:
    """How deep all documents of the pooled runs are judged, as tracks say it; 0 where not even the first ones are."""
    ranked = study.ranked
    rows = [at for at, system in enumerate(ranked.systems) if system in pooled]
    longest = int(ranked.depth.max(initial=0))
    for depth in DEPTHS if rows else ():
        unjudged, _ = unjudged_down_to(ranked, depth)
        if depth <= longest and not unjudged[rows].any():
            return depth
    return 0


def _intervals(judged: Examined, runs: Runs) -> tuple[str, ...]:
    """The option for intervals over topics, where there are topics enough for one."""
    topics = {topic for part in runs.parts for topic in part.topic.values}
    return ("--intervals", "topics") if len(topics & {*judged.data.topic.values}) >= LEAST_TOPICS else ()


def _together(runs: Sequence[Examined]) -> Runs:
    """Runs as a command reads them; those of the same name are refused."""
    return Runs(tuple(part for run in runs for part in run.data.parts))


def _fits(labels: Judgments, runs: Sequence[Examined]) -> bool:
    """Whether judgments are of topics of the runs, and of some document of theirs."""
    topics, docs = set(labels.topic.values), set(labels.docs.strings())
    parts = [part for run in runs for part in run.data.parts]
    ran = any(not topics.isdisjoint(part.topic.values) for part in parts)
    return ran and any(not docs.isdisjoint(part.docs.strings()) for part in parts)


def _has_subtopics(labels: Judgments) -> bool:
    """Whether a document of a topic has labels of several subtopics."""
    return len(labels.subtopic.values) > 1 and bool(refusal(Pool.of(labels).check_one_label))


def _study_by(runs: Sequence[Examined], judged: Examined, config: StudyConfig, measure: str = "P@10") -> Study:
    return Study.configured(_together(runs), judged.data, measure, config)


def _about_gold(
    about: str,
    paths: list[str],
    runs: Sequence[Examined],
    whole: Sequence[Examined],
    smaller: Sequence[Examined],
    files: Sequence[Examined],
) -> Iterator[FileQuestion]:
    """Labels of people beside those of a cheap judge."""
    listed = _without_keys([file for file in files if file.kind == GOLD_LIST])
    linear = at_depth_of(_together(runs), "P@10")
    both = [_Checked(cheap, gold, linear, runs) for cheap in whole for gold in smaller if _checks(gold, cheap)]
    both.sort(key=lambda pair: named_as(pair.cheap, CHEAP) + named_as(pair.gold, TRUSTED), reverse=True)
    ready = [pair for pair in both if not pair.refusal]
    asked: list[tuple[str, ...]] = []
    for pair in ready:  # another design, or other columns, is another command
        if pair.cheap is ready[0].cheap and pair.options not in asked:
            asked.append(pair.options)
            alike = [one for one in ready if one.cheap is pair.cheap and one.options == pair.options]
            yield from pair.questions(about, paths, tuple(one.gold.file for one in alike if one is not pair))
    refused = {pair.gold.file: pair for pair in reversed(both)}  # by the judgments it fits best
    for pair in refused.values():
        if not any(one.gold is pair.gold for one in ready):
            yield from pair.questions(about, paths)
    for file in listed:
        yield from _about_list(about, paths, runs, whole[0], file, page=not ready)
    if whole[0].judges and not both and not listed:
        why = f"no person has checked the labels of {some(whole[0].judges)}; this draws documents to label:"
        at_depth = () if linear == "P@10" else ("-m", linear)
        named_columns = columns_of(whole[0], runs=runs)
        plan = command_of("plan", "labels", whole[0].file, *paths, *at_depth, *named_columns, "-o", "list.csv")
        yield FileQuestion(about, f"Can the judge of {whole[0].file} be trusted?", plan, why)


def _about_list(
    about: str, paths: Sequence[str], runs: Sequence[Examined], cheap: Examined, listed: Examined, *, page: bool
) -> Iterator[FileQuestion]:
    """A list of pairs that people label; who labels an ordered one from its top may look again, so limits allow it."""
    question = f"Which system is better by {cheap.file}, corrected by the labels in {listed.file}"
    if not listed.data.judged:
        sheet = list_of_key(listed.file)
        lacks = f"this is the key of {sheet}: give {sheet}, with labels" if sheet else "fill in labels from its top"
        yield FileQuestion(about, f"{question}?", lacks=lacks)
        return
    measure = at_depth_of(_together(runs), "P@10")
    looks = StudyConfig(gold=Gold(listed.data, sequential=True))
    again = not refusal(lambda: _study_by(runs, cheap, looks, measure).variance_model(measure))
    options = ("--gold", listed.file, *(("--sequential",) if again else ()), *columns_of(cheap, runs=runs))
    often = ", with intervals that stay valid however often you look while labeling" if again else ""
    yield FileQuestion(about, f"{question}{often}?", command_of("verdict", cheap.file, *paths, *options))
    if page:
        yield FileQuestion(about, PAGE, command_of("report", cheap.file, *paths, *options, "-o", "report.html"))


@dataclass(frozen=True, eq=False)
class _Checked:
    """Labels of a judge, and others of some of the same pairs, which seem to be gold."""

    cheap: Examined
    gold: Examined
    measure: str
    runs: Sequence[Examined]

    @cached_property
    def design(self) -> str:
        """How the gold labels seem to have been drawn."""
        return "topics" if whole_topics(self.cheap.data, self.gold.data) else "random"

    @property
    def options(self) -> tuple[str, ...]:
        """What a command is told of these labels, their file aside."""
        at_depth = () if self.measure == "P@10" else ("-m", self.measure)
        return ("--design", self.design, *at_depth, *columns_of(self.cheap, self.gold, runs=self.runs))

    @cached_property
    def refusal(self) -> str:
        """Why a verdict with these gold labels is refused; empty where it is not."""
        pool, gold = Pool.of(self.cheap.data), Pool.of(self.gold.data)
        lost = int((pool.find(Coded(gold.topics, gold.topic), gold.docs) < 0).sum())
        if lost:
            return (
                f"{lost:,} of {len(gold):,} gold pairs in {self.gold.file} have no judgment in {self.cheap.file}, so "
                f"verdict, report and judge check refuse them: have the judge of {self.cheap.file} label these pairs; "
                f"if it skips pairs regardless of relevance, remove them from {self.gold.file} (judge check and "
                "correct leave them out with --unmatched drop)"
            )
        config = StudyConfig(gold=Gold(self.gold.data, self.design))
        return refusal(lambda: _study_by(self.runs, self.cheap, config, self.measure).variance_model(self.measure))

    def questions(self, about: str, paths: Sequence[str], instead: tuple[str, ...] = ()) -> Iterator[FileQuestion]:
        """What these labels can answer; others may stand in place of the gold labels."""
        cheap, gold = self.cheap, self.gold
        options = ("--gold", gold.file, *self.options)
        drawn = "" if self.design == "topics" else ", if these were drawn at random"
        question = f"Which system is better by {cheap.file}, corrected by {gold.file}{drawn}?"
        if self.refusal:
            yield FileQuestion(about, question, lacks=self.refusal)
        else:
            yield FileQuestion(about, question, command_of("verdict", cheap.file, *paths, *options), instead=instead)
            yield FileQuestion(about, PAGE, command_of("report", cheap.file, *paths, *options, "-o", "report.html"))
        if not refusal(lambda: judge_quality(cheap.data, gold=Gold(gold.data, self.design))):
            question = f"How accurate are the labels in {cheap.file}, compared with {gold.file}{drawn}?"
            yield FileQuestion(about, question, command_of("judge", "check", cheap.file, *options), instead=instead)


def _without_keys(lists: Sequence[Examined]) -> list[Examined]:
    """The lists, without the keys of those that are there: people fill in the list."""
    there = {file.file for file in lists}
    return [file for file in lists if file.data.judged or list_of_key(file.file) not in there]


def _checks(gold: Examined, cheap: Examined) -> bool:
    """Whether labels differ from others of the same pairs, or only they are gold by name: they are no mere part."""
    known = dict(zip(_pairs(cheap.data), np.asarray(cheap.data.label).tolist(), strict=True))
    labels = zip(_pairs(gold.data), np.asarray(gold.data.label).tolist(), strict=True)
    by_name = named_as(gold, TRUSTED) > named_as(cheap, TRUSTED)
    return by_name or any(known.get(pair, label) != label for pair, label in labels)


def _pairs(labels: Judgments) -> list[tuple[str, str]]:
    return list(zip(labels.topic.strings(), labels.docs.strings(), strict=True))


def of_ratings(files: Sequence[Examined]) -> Iterator[FileQuestion]:
    """Questions about each table of ratings, and the runs of each folder by it."""
    for file in files:
        if file.kind != RATINGS:
            continue
        about = f"ratings: {file.file}"
        repeated = ("--repeated", "mean") if file.replicates > 1 else ()
        again = ", with repeated ratings averaged" if repeated else ""
        if len(file.judges) > 1:
            yield FileQuestion(
                about, f"Do the assessors agree{again}?", command_of("agree", file.file, *repeated, *columns_of(file))
            )
        for folder, runs in _by_folder(files).items():
            systems = [system for run in runs for system in run.systems]
            if len(systems) > 1 and _fits(file.data, runs):
                question = f"{which_of(systems)} by the mean of their ratings{again}?"
                words = (file.file, *_paths(folder, runs, files), "--aggregate", "mean", *repeated)
                words = (*words, *columns_of(file, runs=runs))
                config = StudyConfig(ratings=Ratings("mean", repeated="mean"))
                if lacks := refusal(partial(_study_by, runs, file, config)):
                    yield FileQuestion(about, question, lacks=lacks)
                    continue
                yield FileQuestion(about, question, command_of("verdict", *words))
                yield FileQuestion(about, PAGE, command_of("report", *words, "-o", "report.html"))
                if models := judge_in(file.data):
                    depth = ("-m", at_depth_of(_together(runs), "P@10"))
                    why = f"no person has checked the labels of {some(models)}; this draws documents to label:"
                    plan = command_of(
                        "plan", "labels", *words, *(() if depth[1] == "P@10" else depth), "-o", "list.csv"
                    )
                    yield FileQuestion(about, f"Can the judge of {file.file} be trusted?", plan, why)
