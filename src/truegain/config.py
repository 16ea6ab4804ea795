"""The options of a study, each declared once.

A config object is an argument in Python, a table of `study.toml` and a group of options on the command line.  Each of
its fields carries the help text, the name of the option and, where a file or the command line can give less than Python
can, the type that they give (see `settings`).  This module imports nothing heavy: pages of help are made from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from truegain.errors import InputError, TruegainError, an, check_one_of, meant
from truegain.message import OF_CONFIGS, SAMPLE_GOLD, SAMPLE_UNJUDGED, OfConfig, arg, argname
from truegain.settings import (
    Config,
    check_count,
    check_number,
    check_rule,
    choices_of,
    refusing_unknown,
    setting,
    settings_of,
)

if TYPE_CHECKING:
    from truegain.aggregation.rules import Rule
    from truegain.data.judgments import JudgmentsLike
    from truegain.data.label_lists import GoldList
    from truegain.data.ratings import Scale
    from truegain.judge_error.judges import GoldLike

Repeated = Literal["error", "first", "last", "mean", "all"]  # ratings of one document by one assessor
OutOfRange = Literal["error", "drop"]  # ratings outside the scale
Unjudged = Literal["bound", "non-relevant"]
NoRelevant = Literal["zero", "skip"]
Empty = Literal["skip", "zero"]
Ties = Literal["descending", "ascending", "input"]
Version = Literal["9", "10"]

REPEATED: tuple[Repeated, ...] = ("error", "first", "last", "mean", "all")
UNJUDGED: tuple[Unjudged, ...] = ("bound", "non-relevant")
OUT_OF_RANGE: tuple[OutOfRange, ...] = ("error", "drop")
TIES: tuple[Ties, ...] = ("descending", "ascending", "input")
# ---------------------------------------------------------------------- gold labels


@refusing_unknown
@dataclass(frozen=True, eq=False)
class Gold:
    """Trusted labels of some of the judged pairs, and how these pairs were chosen.

    Parameters
    ----------
    labels : path, frame, mapping, Judgments or label list
        The trusted labels.  A list that `sample_gold` drew knows its design.
    design : str, optional
        How the pairs were sampled: at random ('random'); at random within each bronze label ('by-bronze'); whole topics
        ('topics'); at random within each gold label ('by-gold'); or from other topics or another collection
        ('elsewhere').
    relevant_from : float, optional
        The smallest gold label that counts as relevant; by default that of the measure.
    aggregate : str, optional
        The labels are ratings by several assessors, aggregated to one label by this rule, such as 'mean'.
    sequential : bool
        Intervals hold at every look at a list that is still being labeled, however often you look.

    Examples
    --------
    >>> Gold("people.csv", design="random")
    Gold(labels='people.csv', design='random', relevant_from=None, aggregate=None, sequential=False)
    """

    labels: GoldLike | None = setting(
        name="gold",
        kind=str,
        help="Trusted labels of some judged pairs: a file, or column:NAME or assessor:NAME of the judgments.",
    )
    design: str | None = setting(None, choose=True, help="How the gold pairs were sampled: {meanings}.")
    relevant_from: float | None = setting(
        None,
        name="gold_relevant_from",
        advanced=True,
        help="Smallest relevant gold label (default: as for the measure).",
    )
    aggregate: str | None = setting(
        None,
        name="gold_aggregate",
        advanced=True,
        help="Rule that combines several gold ratings of a pair into one label, such as mean.",
    )
    sequential: bool = setting(
        False, advanced=True, help="Anytime-valid intervals, for repeated looks at a list that is being labeled."
    )

    def __post_init__(self) -> None:
        if self.design is not None:
            check_one_of("design", self.design, tuple(choices_of("design")))
        check_rule(self.aggregate)
        if self.relevant_from is not None:
            check_number("gold_relevant_from", self.relevant_from)


# ---------------------------------------------------------------------- unjudged documents


@refusing_unknown
@dataclass(frozen=True, eq=False)
class UnjudgedSample:
    """Labels of a random sample of the runs' unjudged documents, which then stand for the others.

    Parameters
    ----------
    labels : path, frame, mapping, Judgments or label list
        The labels, down to the deepest cutoff of the measures.  A list that `sample_unjudged` drew knows its chances.
    predicted : bool
        Unjudged documents count as predicted from the text of judged ones, and the sample corrects the predictions.
    sequential : bool
        Intervals hold at every look at a list that is still being labeled, however often you look.

    Examples
    --------
    >>> UnjudgedSample("sample.csv").predicted
    False
    """

    labels: JudgmentsLike | GoldList = setting(
        name="unjudged_sample",
        kind=str,
        help="Labels of a random sample of the runs' unjudged documents.",
    )
    predicted: bool = setting(
        False,
        advanced=True,
        help="Predict the relevance of unjudged documents, and correct the predictions with the sample.",
    )
    sequential: bool = setting(
        False, advanced=True, help="Anytime-valid intervals, for repeated looks at a list that is being labeled."
    )


# ---------------------------------------------------------------------- ratings by several assessors


@refusing_unknown
@dataclass(frozen=True)
class Ratings:
    """Judgments are ratings by several assessors, and how these become one label a document.

    Parameters
    ----------
    aggregate : str, optional
        The rule, with its parameters in parentheses: 'mean', 'median', 'majority', 'unanimity(p=0.1)', 'dawid-skene'.
        By default the median, where ratings are normalized.
    scale : str or Scale, optional
        What a rating can be: '0:3', '0,1,2,3', 'ratio' or 'nominal'.
    normalize : {'geometric', 'median', 'range', 'anchors'}, optional
        How magnitudes of different assessors are made comparable.
    repeated : {'error', 'first', 'last', 'mean', 'all'}
        Which of several ratings of a document by one assessor count.
    out_of_range : {'error', 'drop'}
        Ratings outside the scale: refused, or left out.

    Examples
    --------
    >>> Ratings("unanimity(p=0.1)", scale="0:3").repeated
    'error'
    """

    aggregate: str | Rule | None = setting(
        None,
        kind=str | None,
        help="Rule that combines ratings into one label: sum, mean, median, geometric, majority, supermajority, "
        "unanimity, weighted, dawid-skene, glad or mace; with parameters: 'unanimity(p=0.1)'.",
    )
    scale: Scale | str | None = setting(
        None, kind=str | None, help="Scale of the ratings: 0:3, ratio, nominal or 'ordinal 0:3' (default: not checked)."
    )
    normalize: str | None = setting(
        None, advanced=True, help="Put magnitudes on one scale: geometric, median, range or anchors."
    )
    repeated: Repeated = setting(
        "error", advanced=True, help="Which ratings count if an assessor rated a document more than once."
    )
    out_of_range: OutOfRange = setting("error", advanced=True, help="Ratings outside the scale: an error, or dropped.")

    def __post_init__(self) -> None:
        check_rule(self.aggregate)
        check_one_of("repeated", self.repeated, REPEATED)
        check_one_of("out_of_range", self.out_of_range, OUT_OF_RANGE)

    @property
    def are_aggregated(self) -> bool:
        """Whether the judgments are ratings that become labels."""
        return self.aggregate is not None or self.normalize is not None


# ---------------------------------------------------------------------- how scores are made


@refusing_unknown
@dataclass(frozen=True)
class Scoring:
    """How scores are made; the defaults are those of trec_eval 10, except that missing topics only warn.

    Parameters
    ----------
    relevant_from : float, optional
        The smallest label that counts as relevant, for measures that do not say (trec_eval -l).
    all_topics : bool
        Every judged topic counts; one that a run lacks counts 0 (trec_eval -c).
    depth : int, optional
        Keep only the first so many documents of each ranking (trec_eval -M).
    judged_only : bool
        Drop unjudged documents from the rankings first (trec_eval -J).
    no_relevant : {'zero', 'skip'}
        A topic with no relevant document counts 0 (trec_eval) or has no value (gdeval).
    trec_eval : {'10', '9'}
        Which version to follow: 9 compares scores as float32 and interpolates precision otherwise.
    ties : {'descending', 'ascending', 'input'}
        Of equal scores the largest document id comes first (trec_eval, gdeval), the smallest (pyndeval), or they stay
        in the order of the file (cwl).

    Examples
    --------
    >>> Scoring(relevant_from=2).all_topics
    False
    """

    relevant_from: float | None = setting(
        None,
        short="-l",
        least=0,
        help="Smallest relevant label, for measures that do not set it (default: 1; trec_eval -l).",
    )
    all_topics: bool = setting(False, short="-c", help="Count a judged topic missing from a run as 0 (trec_eval -c).")
    depth: int | None = setting(
        None,
        short="-M",
        advanced=True,
        least=1,
        help="Cut every ranking at this rank (trec_eval -M).",
    )
    judged_only: bool = setting(
        False, short="-J", advanced=True, help="Remove unjudged documents from the rankings (trec_eval -J)."
    )
    no_relevant: NoRelevant = setting(
        "zero", advanced=True, help="Score of a topic without relevant documents: 0 (trec_eval), or none (gdeval)."
    )
    trec_eval: Version | float = setting(
        "10", kind=Version, advanced=True, help="Version of trec_eval to follow; 9 compares scores as float32."
    )
    ties: Ties = setting(
        "descending",
        advanced=True,
        help="Order of equal scores: document id descending (trec_eval) or ascending (pyndeval), or as in the file.",
    )

    def __post_init__(self) -> None:
        if self.relevant_from is not None:
            check_number("relevant_from", self.relevant_from)
            if not math.isfinite(self.relevant_from):
                raise TruegainError(
                    f"{argname('relevant_from', self.relevant_from, 'g')} is not a finite number; give the smallest "
                    "relevant label"
                )
            if self.relevant_from < 0:
                raise TruegainError(
                    f"{argname('relevant_from', self.relevant_from, 'g')} is negative: unjudged documents would become "
                    "relevant; give 0 or more"
                )
        if self.depth is not None:
            check_count("depth", self.depth)
            if self.depth < 1:
                raise TruegainError(f"{argname('depth', self.depth)} keeps no document; give at least 1")
        object.__setattr__(self, "trec_eval", str(self.trec_eval).split(".")[0])  # 9, 9.08 and "10.0" are versions too
        check_one_of("trec_eval", self.trec_eval, ("10", "9"))
        check_one_of("ties", self.ties, TIES)
        check_one_of("no_relevant", self.no_relevant, ("zero", "skip"))


# ---------------------------------------------------------------------- drawing again


# of an interval, where no other number was chosen: the same in every command, so that two of them give one answer
RESAMPLES = 2000
LEAST_RESAMPLES = 100


@refusing_unknown
@dataclass(frozen=True)
class Resampling:
    """How often to resample, from which seed, and on how many processes.

    Parameters
    ----------
    n : int, optional
        How many resamples are drawn; by default 2,000 for an interval, and for a test 10,000 or as many as it needs.
    seed : int
        Where random numbers begin: the same seed gives the same answer.
    jobs : int, optional
        Processes that share the work; by default one for each core.

    Examples
    --------
    >>> Resampling(seed=7).n is None
    True
    """

    n: int | None = setting(
        None, name="resamples", least=1, advanced=True, help="Number of resamples (default: 2000; 10000 for a test)."
    )
    seed: int = setting(0, least=0, advanced=True, help="Random seed; the same seed gives the same numbers.")
    jobs: int | None = setting(None, least=1, advanced=True, help="Parallel jobs (default: one per core).")

    def __post_init__(self) -> None:
        if self.n is not None:
            check_count("resamples", self.n, 1)
        check_count("seed", self.seed, 0)
        if self.jobs is not None:
            check_count("jobs", self.jobs, 1)


# ---------------------------------------------------------------------- a study

# What `study/reading.py` refuses with a remedy: told to who gives it, and not offered on pages of help.
NOT_OF_STUDIES = ("depth", "judged_only", "no_relevant")


@refusing_unknown
@dataclass(frozen=True, eq=False)
class StudyConfig:
    """All options of a study, beside its runs, judgments and measures.

    Functions that make a study of their own, such as `plan_labels` and `write_report`, take them together as one.

    Parameters
    ----------
    population : str or list of str, default 'topics'
        What the answers are about; see `Study`.
    gold : Gold or path-like, optional
        Trusted labels of some of the judged pairs.
    unjudged : {'bound', 'non-relevant'}, UnjudgedSample or path-like, default 'bound'
        How unjudged documents count.
    ratings : Ratings or str, optional
        The judgments are ratings, and how they become labels.
    min_effect : float, default 0.0
        The smallest difference that matters.
    confidence : float, default 0.95
        Of every interval.
    scoring : Scoring, optional
        Which labels are relevant, which topics count, how ties are broken.  A measure cuts lists, as AP@10 does, and
        leaves unjudged documents out, as P(judged_only=True)@10: `depth` and `judged_only` are refused.
    resampling : Resampling, optional
        How many resamples, the seed, and how many processes.
    trust_judge : bool, default False
        Accept labels that a model gave as they are, though no person checked them.

    Examples
    --------
    >>> config = StudyConfig(gold=Gold("people.csv", design="random"), unjudged="sample.csv")
    >>> config.unjudged
    UnjudgedSample(labels='sample.csv', predicted=False, sequential=False)
    """

    population: str | Sequence[str] = setting(
        "topics",
        kind=str,
        help="What the answer should generalize to: {names}, or several with commas; fixed: these topics only.",
    )
    gold: Gold | None = setting(None, config=Gold)
    unjudged: Unjudged | UnjudgedSample = setting(
        "bound",
        kind=Unjudged,
        config=UnjudgedSample,
        help="Unjudged documents: bound their effect on the verdict, or count them as non-relevant.",
    )
    ratings: Ratings = setting(Ratings(), config=Ratings)
    min_effect: float = setting(0.0, least=0, help="Smallest difference that matters.")
    confidence: float = setting(0.95, between=(0, 1), help="Confidence level of the intervals; 1 - alpha of tests.")
    scoring: Scoring = setting(Scoring(), config=Scoring)
    resampling: Resampling = setting(Resampling(), config=Resampling)
    trust_judge: bool = setting(
        False, advanced=True, help="Trust the labels of an LLM judge even if no person checked any."
    )

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)  # a path or frame stands for the config with its defaults
        put("gold", config_of(Gold, self.gold))
        put("ratings", config_of(Ratings, self.ratings) or Ratings())
        put("scoring", checked_config(Scoring, self.scoring) or Scoring())
        put("resampling", checked_config(Resampling, self.resampling) or Resampling())
        if not (isinstance(self.unjudged, str) and self.unjudged in UNJUDGED):
            _refuse_word(self.unjudged)
            put("unjudged", config_of(UnjudgedSample, self.unjudged))
        is_number = isinstance(self.min_effect, Real) and not isinstance(self.min_effect, bool)
        if not (is_number and math.isfinite(self.min_effect) and self.min_effect >= 0):
            wrong = argname("min_effect", self.min_effect, "" if is_number else None)
            raise TruegainError(f"{wrong}: give the smallest difference that matters, a number of at least 0")
        put("min_effect", float(self.min_effect))

    @property
    def sample(self) -> UnjudgedSample | None:
        """The sample of unjudged documents, where one is given."""
        return None if isinstance(self.unjudged, str) else self.unjudged

    @property
    def sequential(self) -> bool:
        """Whether intervals hold at every look at a list that is still being labeled."""
        return bool((self.gold and self.gold.sequential) or (self.sample and self.sample.sequential))

    @classmethod
    def from_options(cls, values: Mapping[str, Any]) -> StudyConfig:
        """The config that options of the command line or of a study file give.

        Parameters
        ----------
        values : mapping of str to object
            Options by their names, such as 'gold_relevant_from'; those with their default may be left out.

        Returns
        -------
        StudyConfig
            An option about labels that are not given is refused.

        Examples
        --------
        >>> StudyConfig.from_options({"gold": "people.csv", "design": "random", "seed": 7}).gold.design
        'random'
        >>> StudyConfig.from_options({"gold": "list.csv", "sequential": True}).sample is None
        True
        """
        tables: dict[str, dict[str, Any]] = {"": {}}
        for option in settings_of(cls):
            if option.name in values and values[option.name] != option.default:
                tables.setdefault(option.table, {})[option.field] = values[option.name]
        own = tables.pop("")
        _check_given(tables.get("gold", {}), tables.get("unjudged", {}), own)
        without = [name for name in ("gold", "unjudged") if "labels" not in tables.get(name, {})]
        made = {
            name: config(**tables[name])
            for name, config in CONFIGS.items()
            if name in tables and name not in without  # what is said of one may be meant for the other
        }
        return cls(**{**own, **made})


# ---------------------------------------------------------------------- what stands for a config

CONFIGS: dict[str, type[Any]] = {
    "gold": Gold, "unjudged": UnjudgedSample, "ratings": Ratings, "scoring": Scoring, "resampling": Resampling,
}  # fmt: skip
OF_CONFIGS += (  # so that messages and study files name an option as they have it
    OfConfig(s.name, s.table, s.field, CONFIGS[s.table].__name__) for s in settings_of(StudyConfig) if s.table
)


def _check_given(gold: Mapping[str, Any], sample: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Refuse words about gold labels, or about a sample of unjudged documents, where there are none."""
    if "labels" not in gold:
        if "design" in gold:
            raise TruegainError(f"{argname('design')} describes gold labels; give these with {arg('gold')}")
        if "relevant_from" in gold:
            raise TruegainError(
                f"{argname('gold_relevant_from')} says which gold labels are relevant; give them with {arg('gold')}"
            )
        if "aggregate" in gold:
            raise TruegainError(
                f"{arg('gold_aggregate', gold['aggregate'])} says how ratings become gold labels; give them with "
                f"{arg('gold')}"
            )
        if "sequential" in gold and "labels" not in sample:
            raise TruegainError(
                f"{argname('sequential')}: repeated looks need labels in the order of a list; draw one with "
                f"{SAMPLE_GOLD} and give it with {arg('gold')}, or leave {argname('sequential')} out and look once"
            )
    if "labels" not in sample and "predicted" in sample:
        raise TruegainError(
            f"{arg('predicted', True)}: predictions alone rank systems and have no interval (nominal 95% intervals "
            f"cover 57% to 85%); draw a sample of the unjudged documents ({SAMPLE_UNJUDGED}), have it judged and "
            f"give {arg('unjudged_sample')}"
        )
    if "labels" in sample and "unjudged" in own:
        raise TruegainError(
            f"{argname('unjudged_sample')} and {arg('unjudged', own['unjudged'])}: a sample already estimates the "
            "unjudged documents; give one of the two"
        )


def _refuse_word(unjudged: object) -> None:
    """Refuse a misspelt word, which would be taken for the name of a file."""
    if isinstance(unjudged, str) and re.fullmatch(r"[A-Za-z-]+", unjudged) and not Path(unjudged).exists():
        close = meant(unjudged, UNJUDGED)
        raise TruegainError(
            f"{argname('unjudged', unjudged)} is not known; {f'did you mean {close}? G' if close else 'g'}ive one of "
            f"{', '.join(UNJUDGED)}, or a file with the "
            "labels of a sample",
            allowed=UNJUDGED,
        )


def config_of(kind: type[Config], value: object) -> Config | None:
    """The config that a value stands for: itself, or the config with its defaults around a path or frame.

    >>> config_of(Gold, "people.csv").labels, config_of(Gold, None)
    ('people.csv', None)
    """
    if value is None or isinstance(value, kind):
        return value
    if kind is Ratings and isinstance(value, Mapping):
        given = ", ".join(f"{name}={inner!r}" for name, inner in value.items())
        short = f" or {value['aggregate']!r}" if [*value] == ["aggregate"] else ""
        raise TruegainError(f"{argname('ratings')} is a dict; give tg.Ratings({given}){short}")
    return kind(value)  # type: ignore[call-arg]


def checked_config(kind: type[Config], value: object) -> Config | None:
    """A config that no single value stands for; else a refusal that shows how it is written.

    >>> checked_config(Resampling, 100)
    Traceback (most recent call last):
    truegain.errors.InputError: resampling: cannot use an integer; give a Resampling, such as tg.Resampling(n=1000)
    """
    if value is None or isinstance(value, kind):
        return value
    name, (first, *_) = kind.__name__, fields(kind)  # type: ignore[arg-type]
    example = {"Resampling": "n=1000", "Scoring": "relevant_from=2"}.get(name, f"{first.name}=...")
    raise InputError(f"{argname(name.lower())}: cannot use {an(value)}; give a {name}, such as tg.{name}({example})")
