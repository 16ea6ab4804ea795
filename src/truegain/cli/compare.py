"""The command `truegain compare`: which systems differ."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from truegain.cli.bundles import changed, takes
from truegain.cli.compare_gold import with_gold
from truegain.cli.compare_topics import over_topics
from truegain.cli.comparing import AskedPairs, Collections, PairsPrinting, Testing
from truegain.cli.gold import Correcting, GoldSampleOption, Labelling, refuse
from truegain.cli.options import JudgeModel, Judgments, Measures, RunFiles, Scoring
from truegain.cli.output import write_table
from truegain.cli.over_collection import over_collections
from truegain.cli.study_said import is_of_file, within_gold
from truegain.cli.writing import Writing
from truegain.errors import TruegainError
from truegain.inference.study_file.asked import StudyAsked
from truegain.message import option

COMMON = ("level", "name_by", "jobs", "corpus", "judged_corpus")  # of scoring, everywhere
NOT_WITH_GOLD = {
    "over": f"{option('--over')} collection compares bronze scores; without {option('--gold')}, or over topics",
    "complete": "-c: corrected differences are over the topics that both systems answer; leave it out",
    "depth": "-M: give the measure a cutoff instead, such as P@10",
    "judged_only": "-J: say it in the measure instead, such as P(judged_only=True)@10",
    "by_topic": "-q shows pairs by topic over collections; leave it out",
    "no_relevant": f"{option('--no-relevant')}: with gold labels every topic counts; leave it out",
    "groups": f"{option('--groups')} are of Tukey's test; with gold labels pairs are printed",
    "trec_eval": f"{option('--trec-eval')} 9: corrected scores go by the rules of 10; leave it out",
    "counting": f"{option('--counting')}: with gold labels no p-value is counted; leave it out",
    "ties": f"{option('--ties')}: corrected scores go by trec_eval's order; leave it out",
}


@takes(
    testing=Testing, collections=Collections, labelling=Labelling, correcting=Correcting, scoring=Scoring,
    printing=PairsPrinting, writing=Writing,
)  # fmt: skip
def compare_command(
    judgments: Judgments,
    runs: RunFiles,
    measure: Measures = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="Compare all systems with this one only.")] = None,
    gold: Annotated[
        str | None, typer.Option("--gold", help="Gold labels of some pairs: compare without the judge's errors.")
    ] = None,
    gold_sample: GoldSampleOption = "shared",
    judge_model: JudgeModel = None,
    *,
    testing: Testing,
    collections: Collections,
    labelling: Labelling,
    correcting: Correcting,
    scoring: Scoring,
    printing: PairsPrinting,
    writing: Writing,
) -> None:
    """Compare systems: all pairs (or groups of systems that cannot be told apart), or all with a baseline."""
    asked = AskedPairs(
        judgments, runs, measure, writing.baseline(baseline), testing, scoring, printing, writing,
        wide=printing.is_wide(writing), judge_model=judge_model,
    )  # fmt: skip
    if (scoring.corpus or scoring.judged_corpus) and (collections.over == "collection" or gold is not None):
        raise TruegainError(
            f"measures that read text are compared over topics, without {option('--gold')}; leave out "
            f"{option('--corpus')}"
        )
    if gold is not None:
        if judge_model is not None and not is_of_file("judge_model"):  # a study's gold labels check its judge
            raise TruegainError(
                f"{option('--judge-model')}: gold labels check the judge; leave it out (with {option('--gold')})"
            )
        _check_with_gold(asked, collections)
        if is_of_file("measure"):
            known = StudyAsked(measure=measure, gold=gold, design=labelling.design)
            asked = replace(asked, measure=within_gold(measure or [], known.beyond_gold()))
        table = with_gold(asked, gold, gold_sample, labelling, correcting)
    else:
        if is_of_file("rule"):
            raise TruegainError(
                f"{option('--rule')} makes labels of ratings beside gold labels; without these, make judgments of them "
                "first, with `truegain gains`, and compare with these"
            )  # fmt: skip
        about = {"gold_sample": "--gold-sample"} if gold_sample != "shared" else {}
        refuse(f"is about gold labels; give these with {option('--gold')}", about | changed(labelling, correcting))
        if collections.over == "collection":
            _check_over_collections(asked)
            table = over_collections(asked, collections)
        else:
            of_topics = {"by_topic": "--by-topic"} if printing.by_topic else {}
            refuse(f"is about other collections; give {option('--over')} collection, or leave it out",
                   of_topics | changed(collections))  # fmt: skip
            table = over_topics(asked)
    write_table(table, printing.output_format, printing.output)


def _check_with_gold(asked: AskedPairs, collections: Collections) -> None:
    """Refuse options that a comparison with gold labels would not heed."""
    given = changed(asked.scoring, asked.testing, asked.printing, collections)
    for name, why in NOT_WITH_GOLD.items():
        if name in given:
            raise TruegainError(f"{why} (with {option('--gold')})")
    refuse(f"is about other collections; give {option('--over')} collection, or leave it out", changed(collections))


def _check_over_collections(asked: AskedPairs) -> None:
    """Refuse options that a comparison over collections would not heed."""
    given = changed(asked.testing, leave_out=("adjust", "replicates", "confidence", "seed"))
    given |= {name: f"--{name}" for name in ("groups", "figure") if getattr(asked.printing, name)}
    given |= changed(asked.scoring, leave_out=(*COMMON, "trec_eval"))
    refuse("has no place over collections; leave it out", given)
