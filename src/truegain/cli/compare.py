"""The command `truegain compare`: which systems differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truegain.cli.counting import CountingOption
from truegain.cli.gold import (
    Accuracy,
    BothLabels,
    Clusters,
    Columns,
    Design,
    GoldLevel,
    Labels,
    Method,
    Missing,
    Outside,
    Repeated,
    Rule,
    both_labels,
    refuse,
)
from truegain.cli.options import (
    Complete,
    CorpusFolder,
    Depth,
    Figure,
    Jobs,
    JudgedCorpus,
    JudgedOnly,
    Judgments,
    Level,
    Measures,
    NameBy,
    NoRelevant,
    Output,
    OutputFormat,
    RunFiles,
    TiesBy,
    TrecEval,
)
from truegain.cli.output import table_format_of, write_table
from truegain.cli.over_collection import Meta, Pairing, Scale, collection_answers, collection_table
from truegain.cli.progress import Progress
from truegain.cli.writing import Writing, writes_papers
from truegain.errors import TruegainError
from truegain.measures.base import Measure
from truegain.measures.evaluate import Options, at_level, evaluate
from truegain.measures.parse import parse_measures
from truegain.tables.runs import Runs, read_runs
from truegain.tables.scores import Scores
from truegain.tables.sources import expand
from truegain.tables.table import joined

if TYPE_CHECKING:
    from truegain.inference.results import Answers, Comparison

FEW = 6  # systems whose pairs are all printed

TestName = Literal[
    "tukey-hsd",
    "randomised-tukey-hsd",
    "one-way-tukey-hsd",
    "paired-t",
    "wilcoxon",
    "sign",
    "randomisation",
    "bootstrap",
    "welch",
]
Adjustment = Literal["holm", "bonferroni", "hochberg", "holm-sidak", "bh", "by", "none"]


@writes_papers
def compare_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Measures = None,
    test: Annotated[
        TestName | None, typer.Option("--test", help="The test (default tukey-hsd, which sees all pairs at once).")
    ] = None,
    adjust: Annotated[
        Adjustment | None,
        typer.Option("--adjust", help="For the number of pairs (default holm; Tukey's tests need none)."),
    ] = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="Compare all systems with this one only.")] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials", min=1, help="Replicates, where the test resamples (default 10000; more where p could not pass)."
        ),
    ] = None,
    counting: CountingOption = "plus-one",
    confidence: Annotated[float, typer.Option("--confidence", help="Level of intervals; 1 - alpha.")] = 0.95,
    over: Annotated[
        Literal["topics", "collection"],
        typer.Option("--over", help="Other topics, or other collections of the same kind."),
    ] = "topics",
    meta: Annotated[
        Meta, typer.Option("--meta", help="How topics are put together, over collections: all alike, or weighed.")
    ] = "mean",
    scale: Annotated[Scale, typer.Option("--scale", help="Differences of AP or of its logit.")] = "ap",
    pairing: Annotated[
        Pairing, typer.Option("--pairing", help="The same collection for both systems, or one for each.")
    ] = "paired",
    by_topic: Annotated[bool, typer.Option("-q", "--topics", help="By topic, over collections.")] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Print all pairs, however many.")] = False,
    groups: Annotated[bool, typer.Option("--groups", help="Print the groups, however few the systems.")] = False,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Also the intervals of the means, in tables of systems by measures.")
    ] = False,
    gold: Annotated[
        str | None, typer.Option("--gold", help="Gold labels of some pairs: compare without the judge's errors.")
    ] = None,
    design: Design = None,
    gold_sample: Annotated[
        Literal["shared", "separate"],
        typer.Option("--gold-sample", help="One gold sample behind both systems, or one for each (eq. 10)."),
    ] = "shared",
    gold_level: GoldLevel = None,
    rule: Rule = None,
    labels: Labels = None,
    outside: Outside = "error",
    repeated: Repeated = "error",
    columns: Columns = None,
    method: Method = "default",
    accuracy: Accuracy = None,
    clusters: Clusters = "topics",
    missing: Missing = "refuse",
    complete: Complete = False,
    level: Level = None,
    depth: Depth = None,
    judged_only: JudgedOnly = False,
    no_relevant: NoRelevant = "zero",
    trec_eval: TrecEval = "10",
    ties: TiesBy = "descending",
    corpus: CorpusFolder = None,
    judged_corpus: JudgedCorpus = None,
    name_by: NameBy = "file",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same answer, for any --jobs.")] = 0,
    jobs: Jobs = None,
    figure: Figure = None,
    output_format: OutputFormat = None,
    output: Output = "-",
    *,
    writing: Writing,
) -> None:
    """Compare systems: all pairs (or groups of systems that cannot be told apart), or all with a baseline."""
    from truegain.inference.differences.by_measure import ComparisonsByMeasure
    from truegain.inference.differences.compare import compare
    from truegain.inference.differences.effort import TRIALS
    from truegain.inference.results import Answers

    wide = _is_wide(writing, table_format_of(output_format, output), by_topic, pairs=pairs, groups=groups)
    if intervals and not wide:
        raise TruegainError("--intervals: these stand in tables of systems by measures; give --wide as well")
    if (corpus or judged_corpus) and (over == "collection" or gold is not None):
        raise TruegainError("measures that read text are compared over topics, without --gold; leave out --corpus")
    if gold is None:
        refuse(
            "is about gold labels; give these with --gold",
            design=design, gold_sample=gold_sample != "shared", gold_level=gold_level, rule=rule, accuracy=accuracy,
            method=method != "default", clusters=clusters != "topics", missing=missing != "refuse", labels=labels,
            outside=outside != "error", repeated=repeated != "error", columns=columns,
        )  # fmt: skip
    else:
        _not_with_gold(
            over=over == "collection", complete=complete, depth=depth, judged_only=judged_only, topics=by_topic,
            no_relevant=no_relevant != "zero", groups=groups, trec_eval=trec_eval != "10",
            counting=counting != "plus-one", ties=ties != "descending",
        )  # fmt: skip
    if over == "topics":
        refuse(
            "is about other collections; give --over collection, or leave it out",
            topics=by_topic, meta=meta != "mean", scale=scale != "ap", pairing=pairing != "paired"
        )  # fmt: skip
    if over == "collection":
        refuse(
            "has no place over collections; leave it out",
            test=test, groups=groups, complete=complete, depth=depth, judged_only=judged_only,
            no_relevant=no_relevant != "zero", figure=figure, counting=counting != "plus-one",
            ties=ties != "descending",
        )  # fmt: skip
        answer = collection_answers(
            judgments, runs, measure, writing=writing, meta=meta, scale=scale, pairing=pairing, adjust=adjust,
            by_topic=by_topic, baseline=writing.baseline(baseline), level=level, name_by=name_by, trec_eval=trec_eval,
            replicates=trials or TRIALS, confidence=confidence, seed=seed, jobs=jobs,
        )  # fmt: skip
        table = answer.paper(**writing.style, intervals=intervals) if wide else collection_table(answer)
        write_table(table, output_format, output)
        return
    if gold is not None:
        read = both_labels(
            judgments, gold, rule=rule, labels=labels, outside=outside, repeated=repeated, columns=columns
        )  # fmt: skip
        heeded = Options(level=level).level
        asked = [at_level(a.measure, heeded) for a in parse_measures(measure or ["P@10"])]
        corrected = _corrected(
            read, writing.renamed(read_runs(expand(runs), name_by=name_by)), asked, figure, design=design,
            gold_level=gold_level, missing=missing, test=test, gold_sample=gold_sample, method=method,
            accuracy=accuracy, clusters=clusters, adjust=adjust, baseline=writing.baseline(baseline),
            confidence=confidence, trials=trials, seed=seed, jobs=jobs,
        )  # fmt: skip
        table = joined([c.table() for c in corrected], tuple(map(str, asked)))
        if wide:
            table = Answers.joined(corrected).paper(**writing.style, intervals=intervals)
        write_table(replace(table, notes=(*read.said, *table.notes)), output_format, output)
        return
    scores = scored(
        judgments, runs, measure, name_by=name_by, jobs=jobs, complete=complete, level=level, depth=depth,
        judged_only=judged_only, no_relevant=no_relevant, trec_eval=trec_eval, ties=ties, corpus=corpus,
        judged_corpus=judged_corpus,
    )  # fmt: skip
    scores, baseline = writing.renamed(scores), writing.baseline(baseline)
    systems = len(scores.systems)
    all_pairs = systems - 1 if baseline else systems * (systems - 1) // 2
    with _progress(test, all_pairs * len(scores.measures)) as progress:
        found = [
            compare(
                scores, measures=name, test=test, adjust=adjust, replicates=trials, seed=seed, jobs=jobs,
                confidence=confidence, baseline=baseline, counting=counting, tested=progress.advance,
            )
            for name in scores.measures
        ]  # fmt: skip
    _draw([c.pairs for c in found], figure)
    if wide:
        table = ComparisonsByMeasure.of(found).paper(**writing.style, intervals=intervals)
        write_table(table, output_format, output)
        return
    in_groups = groups or (len(scores.systems) > FEW and baseline is None and not pairs)
    tables = [c.group_table() if in_groups else c.table() for c in found]
    write_table(joined(tables, scores.measures), output_format, output)


def _corrected(
    read: BothLabels,
    runs: Runs,
    measures: list[Measure],
    figure: str | None,
    *,
    design: Design,
    gold_level: float | None,
    missing: Missing,
    **options: Any,
) -> list[Answers[Comparison]]:
    """The comparison without the judge's errors: the judge is fitted once, for all measures."""
    from truegain.inference.corrections.comparison import compare_each
    from truegain.inference.judges.label_weights import fit_judge

    judge = fit_judge(read.bronze, read.gold, design, measures[0], gold_level, missing=missing, scale=read.labels)
    found = compare_each(runs, read.bronze, judge, measures, gold_level=gold_level, **options)
    _draw([c.pairs for c in found], figure)
    return found


def _is_wide(writing: Writing, chosen: str, by_topic: bool, **others: bool) -> bool:
    """Whether one table of systems by measures is written; of the ways to print pairs only one may be asked for."""
    asked = [f"--{name}" for name, given in {**others, "wide": writing.wide}.items() if given]
    if len(asked) > 1:
        raise TruegainError(f"{' and '.join(asked)} ask for different tables; give one of them")
    if by_topic and writing.wide:
        raise TruegainError("--wide shows systems by measures, and -q shows topics; give one of them")
    return writing.is_wide(chosen, else_shown=by_topic or any(others.values()))


NOT_WITH_GOLD = {
    "over": "--over collection compares bronze scores; without --gold, or over topics",
    "complete": "-c: corrected differences are over the topics that both systems answer; leave it out",
    "depth": "-M: give the measure a cutoff instead, such as P@10",
    "judged_only": "-J: say it in the measure instead, such as P(judged_only=True)@10",
    "topics": "-q shows pairs by topic over collections; leave it out",
    "no_relevant": "--no-relevant: with gold labels every topic counts; leave it out",
    "counting": "--counting: with gold labels no p-value is counted; leave it out",
    "groups": "--groups are of Tukey's test; with gold labels pairs are printed",
    "trec_eval": "--trec-eval 9: corrected scores go by the rules of 10; leave it out",
    "ties": "--ties ascending: corrected scores go by trec_eval's order; leave it out",
}


def _not_with_gold(**options: object) -> None:
    """Refuse options that a comparison with gold labels would not heed."""
    for name, value in options.items():
        if value:
            raise TruegainError(f"{NOT_WITH_GOLD[name]} (with --gold)")


def _progress(test: str | None, pairs: int) -> Progress:
    """Pairs compared; the randomised Tukey test draws for all pairs at once, and tells its draws."""
    return Progress(None, "permutations") if test == "randomised-tukey-hsd" else Progress(pairs, "pairs compared")


def _draw(pairs: Sequence[Sequence[Comparison]], figure: str | None) -> None:
    if figure is None:
        return
    if len(pairs) > 1:
        raise TruegainError("a matrix of pairs shows one measure; give one -m with --figure")
    from truegain.report.figures import comparisons_chart
    from truegain.report.saving import save

    save(comparisons_chart(pairs[0]), figure)


def scored(judgments: str, runs: list[str], measure: list[str] | None, **options: object) -> Scores:
    """Scores of the runs on the measures asked for, with the options of `eval`."""
    files = expand(runs)
    with Progress(len(files), "runs scored") as progress:
        return evaluate(
            files,
            judgments,
            parse_measures(measure or ["AP"]),
            progress=progress.advance,
            **options,  # type: ignore[arg-type]
        )
