"""What a table is in JSON: its columns, of what kind each is and what it says; and JSON Schema from declarations.

A name of a column means one thing in all tables.  A star stands for what the data decide, such as a label or a power.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

from truegain.results.table import Cell

# ---- The columns of our tables, as files and JSON name them.

Kind = Literal["text", "number", "count", "flag", "any"]
KINDS: dict[Kind, dict[str, Any]] = {  # as JSON Schema; a value that is not there is null, and infinity is text
    "text": {"type": ["string", "null"]},
    "number": {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]},
    "count": {"type": ["integer", "null"]},
    "flag": {"type": ["boolean", "null"]},
    "any": {"type": ["string", "number", "boolean", "null"]},
}
COLUMNS: dict[str, tuple[Kind, str]] = {
    # what a row is about
    "#": ("text", "The letter that stands for the system in marks."),
    "a": ("text", "The first system or ranking; differences are b - a."),
    "assessor": ("text", "The assessor."),
    "b": ("text", "The second system or ranking."),
    "content_measure": ("text", "The measure that reads text."),
    "doc": ("text", "The document."),
    "drawn_from": ("text", "What gold labels were drawn from, and how."),
    "formula": ("text", "Which formula of the paper."),
    "gold_label": ("text", "The gold label."),
    "kind": ("text", "The kind of row."),
    "labels": ("any", "The labels, or their number."),
    "level": ("any", "The experts' level."),
    "lists": ("text", "Which ranked lists count."),
    "measure": ("text", "The measure."),
    "method": ("text", "The interval method."),
    "note": ("text", "A note on the row; empty if there is none."),
    "population": ("text", "What the interval generalizes to."),
    "source": ("text", "The source of uncertainty."),
    "statistic": ("text", "Which statistic."),
    "study": ("text", "Which study of the paper, or yours."),
    "system": ("text", "The system."),
    "table": ("text", "Which table of the paper."),
    "team": ("text", "The team of the system."),
    "team_a": ("text", "The team of a."),
    "team_b": ("text", "The team of b."),
    "title": ("text", "The title of the topic."),
    "topic": ("text", "The topic; 'all' for the mean over topics."),
    "variant": ("text", "Which variant of tau."),
    "way": ("text", "Which way of scoring."),
    "what": ("text", "What the value describes."),
    # values and intervals
    "difference": ("number", "The difference b - a."),
    "high": ("number", "The upper end of the interval."),
    "low": ("number", "The lower end of the interval."),
    "mean": ("number", "The mean."),
    "p": ("number", "The p-value, or the parameter p."),
    "sd": ("number", "The standard deviation."),
    "se": ("number", "The standard error."),
    "score": ("number", "The score from the labels at hand."),
    "uncorrected": ("number", "The uncorrected value."),
    "value": ("number", "The value."),
    "value_a": ("number", "The score of a."),
    "value_b": ("number", "The score of b."),
    "confidence": ("number", "The confidence level of the interval."),
    # counts
    "documents": ("count", "How many documents."),
    "draws": ("count", "How many draws."),
    "items": ("count", "How many rated documents."),
    "n": ("number", "How many topics, or items."),
    "pairs": ("count", "How many pairs."),
    "ratings": ("count", "How many ratings."),
    "values": ("count", "How many values of answers."),
    "judges": ("count", "How many judges an answer needs."),
    "repeats": ("count", "How often one judge must score an answer."),
    "resamples": ("count", "How many resamples."),
    "splits": ("count", "How many splits into halves."),
    "systems": ("count", "How many systems."),
    "topics": ("count", "How many topics."),
    "clusters": ("count", "How many clusters of topics."),
    # compare
    "R": ("count", "Relevant documents of the topic."),
    "differs_from": ("count", "How many systems it differs from significantly."),
    "group": ("text", "Letters of the groups of systems that do not differ."),
    "sd_independent": ("number", "The standard deviation over collections drawn separately for the two systems."),
    "sd_paired": ("number", "The standard deviation over collections drawn for both systems together."),
    # judge check
    "both_*": ("number", "The share of labels of this kind that both judges gave."),
    "gold_share": ("number", "The share of comparisons that people judge."),
    "narrower_by": ("text", "How much narrower the interval is than with gold comparisons alone."),
    "bronze_*": ("number", "The share of gold labels of this kind that got this bronze label, or how many."),
    "favor": ("number", "How much more the judge's errors add to the system's score than to the others'."),
    "gold_non-relevant": ("count", "Gold labels that are not relevant."),
    "gold_relevant": ("count", "Gold labels that are relevant."),
    "informedness": ("number", "Sensitivity plus specificity minus 1."),
    "judge_mean": ("number", "The mean value that the judge gave to the answers that people labeled."),
    "mean_absolute_error": ("number", "The mean absolute difference between the judge's values and people's."),
    "mean_error": ("number", "The mean of the judge's value minus people's; low and high are its interval."),
    "pearson": ("number", "Pearson's correlation of the judge's values with people's."),
    "people_mean": ("number", "The mean value that people gave to the same answers."),
    "sensitivity": ("number", "The share of relevant documents that the judge calls relevant."),
    "spearman": ("number", "Spearman's correlation of the judge's values with people's."),
    "specificity": ("number", "The share of other documents that it calls not relevant."),
    # correlate
    "difference_1": ("number", "The difference by the first judgments."),
    "difference_2": ("number", "The difference by the second."),
    "difference_from": ("number", "The least difference of this bin."),
    "moves": ("any", "How many places the system moves."),
    "p_1": ("number", "The p-value by the first judgments."),
    "p_2": ("number", "The p-value by the second."),
    "rank_a": ("count", "The rank by a."),
    "rank_b": ("count", "The rank by b."),
    "rbo": ("number", "Rank-biased overlap."),
    "rbo_max": ("number", "The largest possible RBO."),
    "rbo_min": ("number", "The smallest possible RBO."),
    "rbo_p": ("number", "Its parameter p."),
    "score_a": ("number", "The score by a."),
    "score_b": ("number", "The score by b."),
    "significant": ("any", "By which judgments the pair differs, or how many pairs do."),
    "significant_a": ("count", "Pairs that differ significantly by a."),
    "significant_b": ("count", "Pairs that differ significantly by b."),
    "significant_both": ("count", "Pairs that differ significantly by both, in the same direction."),
    "significant_opposite": ("count", "Pairs that differ significantly by both, in opposite directions."),
    "swap_rate": ("number", "The share of pairs that swap order."),
    "swapped": ("count", "Pairs that swap order."),
    "tau": ("number", "Kendall's tau, in the variant named."),
    "tau_a": ("number", "Kendall's tau-a."),
    "tau_ap_walking_a": ("number", "tau-AP, walking down a."),
    "tau_ap_walking_b": ("number", "tau-AP, walking down b."),
    "tau_b": ("number", "Kendall's tau-b."),
    "tied": ("count", "Pairs that are tied by one of them."),
    "top": ("count", "How many systems count as the top."),
    "top_overlap": ("number", "The share of the top that both rankings contain."),
    "topics_high": ("number", "The upper end of the interval of tau over topics."),
    "topics_in_half": ("count", "Topics of each half."),
    "topics_low": ("number", "The lower end of that interval."),
    # agree
    "alpha_*": ("number", "Krippendorff's alpha of the topic, at this level of measurement."),
    "bias": ("number", "How far the assessor's ratings lie above the others' mean, or above the truth."),
    "correlation": ("number", "The correlation with the others' mean."),
    "equal": ("number", "The share of others' ratings of the same documents that equal the assessor's."),
    "geometric_sd": ("number", "The geometric standard deviation."),
    "greatest": ("number", "The greatest value."),
    "least": ("number", "The least value."),
    "look": ("text", "Whether the assessor is worth a second look."),
    "max/min": ("number", "The greatest value over the least."),
    "median": ("number", "The median."),
    "order": ("number", "The place in the list, or the share of pairs in the same order."),
    "order_as_experts": ("any", "The share of pairs in the experts' order, or which pairs."),
    "seconds": ("number", "The median time of a rating, in seconds."),
    "share": ("number", "The share."),
    "spread": ("number", "The standard deviation of the ratings."),
    "weight": ("number", "The weight of the assessor."),
    # plan
    "assessors": ("count", "How many assessors."),
    "detectable_with_*_percent_power": ("number", "The difference that is detected with this power."),
    "error": ("number", "The error of the mean that is allowed."),
    "for": ("text", "What they are for."),
    "gold_labels": ("count", "How many gold labels."),
    "gold_topics": ("count", "How many topics with gold labels."),
    "half_width": ("number", "The half-width of the interval."),
    "half_width_median": ("number", "Its median over the pairs."),
    "power_*": ("count", "Topics, or clusters of topics, needed for this power."),
    "share_of_pairs_with_enough": ("number", "The share of pairs for which they are enough."),
    "sigma": ("number", "The standard deviation of ratings of a document."),
    "widest": ("number", "The half-width of the widest pair."),
    "width": ("number", "The width of the interval."),
    # unjudged
    "Bpref": ("number", "Bpref, which leaves unjudged documents out."),
    "b_minus_a": ("number", "The difference b - a."),
    "best": ("number", "The highest score that labels of the unjudged documents allow."),
    "change": ("number", "By how much the score changes."),
    "chosen": ("text", "How the document was chosen: 'next' or 'depth'."),
    "condensed": ("number", "The score of lists without their unjudged documents."),
    "could_change_order": ("any", "Whether unjudged documents could change the order of the pair."),
    "infAP": ("number", "infAP, which estimates from judged documents."),
    "judgments_lost": ("count", "Judgments that only the left-out system contributed."),
    "label": ("number", "The label, to be filled in."),
    "left_out": ("number", "The score if the system had not been pooled."),
    "predicted": ("number", "The chance that the document is relevant, or its expected gain."),
    "rank": ("any", "The rank of the system, or the ranks counted."),
    "rank_left_out": ("count", "Its rank if it had not been pooled."),
    "relevant_lost": ("count", "Relevant documents among the judgments lost."),
    "round": ("count", "Its rank within its topic."),
    "shift": ("number", "How far its label can move two systems apart."),
    "swaps": ("count", "Pairs of systems whose order depends on its label."),
    "unjudged": ("number", "The share of unjudged documents among the first ranks."),
    "unjudged@*": ("number", "The share of unjudged documents down to this rank."),
    "why": ("text", "Why the document is chosen: 'seed', 'newcomer', 'ranking' or 'pair'."),
    "worst": ("number", "The lowest score that labels of the unjudged documents allow."),
    # annotate status
    "answers": ("count", "How many answers, such as those that an assessor gave."),
    "finished": ("count", "Units that are finished."),
    "flags": ("any", "Why the assessor is worth a second look; empty where there is no reason."),
    "free": ("count", "Units that nobody holds."),
    "held": ("count", "Units that somebody works on."),
    "median_s": ("number", "The median time of an answer, in seconds."),
    "sent_back": ("count", "How often a check sent the assessor back."),
    "units": ("any", "Units of work, or which of them count."),
    # experiment discriminative, spending
    "delta": ("number", "The least difference that is significant."),
    "holds": ("number", "The share of intervals that hold the truth."),
    "power": ("number", "The share of pairs that differ significantly."),
    "right": ("number", "The share of right verdicts."),
    "undecided": ("number", "The share of undecided verdicts."),
    "wrong": ("number", "The share of wrong verdicts."),
    # experiment split-half
    "L-MAP_A": ("number", "The mean logit of AP on part A."),
    "L-MAP_B": ("number", "The mean logit of AP on part B."),
    "L-MAP_high": ("number", "The upper end of its interval."),
    "L-MAP_inside": ("flag", "Whether the value on B lies inside."),
    "L-MAP_low": ("number", "The lower end of its interval."),
    "MAP_A": ("number", "MAP on part A."),
    "MAP_B": ("number", "MAP on part B."),
    "MAP_high": ("number", "The upper end of its interval."),
    "MAP_inside": ("flag", "Whether the value on B lies inside."),
    "MAP_low": ("number", "The lower end of its interval."),
    "above_percent": ("number", "Scores above their interval, in percent."),
    "below_percent": ("number", "Scores below it, in percent."),
    "direction": ("text", "From which part to which."),
    "inside_percent": ("number", "Scores inside it, in percent."),
    "sd_of_inside": ("number", "The standard deviation of that over splits."),
    # experiment judge
    "above_truth": ("number", "The share of values above the truth."),
    "bootstrap_se": ("number", "The standard error by the bootstrap."),
    "coverage": ("number", "The share of intervals that hold the truth."),
    "discount": ("number", "The discount of the rank."),
    "gold": ("text", "The gold label, or how gold labels were sampled."),
    "highest_mean": ("number", "The highest bronze mean that the accuracy allows."),
    "highly_relevant": ("number", "The share of highly relevant documents."),
    "lowest_mean": ("number", "The lowest bronze mean that the accuracy allows."),
    "mean_se": ("number", "The mean standard error."),
    "nN_a": ("number", "Gold pairs of a that are not relevant."),
    "nN_b": ("number", "Gold pairs of b that are not relevant."),
    "nR_a": ("number", "Gold pairs of a that are relevant."),
    "nR_b": ("number", "Gold pairs of b that are relevant."),
    "not_relevant": ("number", "The share of documents that are not relevant."),
    "partly_relevant": ("number", "The share of partly relevant documents."),
    "plain_ratio": ("number", "The plain ratio."),
    "possible": ("flag", "Whether mean and accuracy fit together."),
    "se_by_formula": ("number", "The standard error by the paper's formula."),
    "se_over_pairs": ("number", "The standard error over gold pairs."),
    "se_over_topics": ("number", "The standard error over topics."),
    "truth": ("number", "The true value."),
    "uncorrected_se": ("number", "The standard error of the uncorrected value."),
    # experiment unanimity, unanimity-grid
    "Dmax": ("count", "The highest rating."),
    "HW_high": ("number", "The upper end of Hollander and Wolfe's interval of tau."),
    "HW_low": ("number", "The lower end of that interval."),
    "N": ("count", "How many assessors."),
    "changed": ("count", "Pairs that are significant by exactly one of the two gains."),
    "tested": ("count", "How many systems top sets and pairs are of."),
    "top_sets": ("number", "Jaccard's overlap of the systems not distinguishable from the best."),
    # experiment incomplete, disjoint
    "*_on_*": ("number", "tau between systems by judgments of one part and on another."),
    "keep_percent": ("number", "The judgments that are kept, in percent."),
    # experiment magnitudes
    "*%": ("number", "This percentile."),
    "D_of_log-normal": ("number", "Kolmogorov and Smirnov's D from a log-normal distribution."),
    "Hk": ("text", "The document that is known to be highly relevant."),
    "Hk/Nk": ("number", "The score of Hk over that of Nk."),
    "Nk": ("text", "The document that is known not to be relevant."),
    "U": ("number", "Mann and Whitney's U."),
    "above_*": ("count", "How many are above this."),
    "aggregate": ("text", "How ratings become one."),
    "agreement": ("number", "How far the unit agrees with the experts."),
    "all_pairs": ("number", "The share over all pairs."),
    "alpha_ratio": ("number", "Krippendorff's alpha of ratios."),
    "as": ("text", "As which order."),
    "back_*": ("count", "Units whose assessor went back so often."),
    "df": ("number", "Degrees of freedom."),
    "docs": ("count", "How many documents of the unit."),
    "documents_higher": ("count", "Documents of the higher level."),
    "documents_lower": ("count", "Documents of the lower level."),
    "exponential": ("count", "Ratios nearest to exponential gains."),
    "failed_*": ("count", "Units that failed so many checks."),
    "gain": ("text", "How levels become gains."),
    "higher": ("number", "The higher level."),
    "higher_first": ("number", "How often a document of the higher level has the higher magnitude, ties half."),
    "highest": ("text", "The document with the highest score."),
    "in_order": ("count", "Topics in which the median of the higher level is above that of the lower."),
    "jaccard": ("number", "Jaccard's overlap of the top sets."),
    "judged": ("count", "How many documents of the unit are judged by experts."),
    "levels": ("text", "Which levels."),
    "linear": ("count", "Ratios nearest to linear gains."),
    "lower": ("number", "The lower level."),
    "lowest": ("text", "The document with the lowest score."),
    "mean_higher": ("number", "The mean of the higher level."),
    "mean_lower": ("number", "The mean of the lower level."),
    "mean_of_ln": ("number", "The mean of the logarithms."),
    "mean_over_topics": ("number", "The mean of the share over topics."),
    "normalize": ("text", "How ratings of assessors are made comparable."),
    "of": ("count", "Of how many."),
    "order_of": ("text", "Of which order."),
    "overlap": ("number", "The share of the first ranking's top set that the second keeps."),
    "p_of_U": ("number", "The p-value of U."),
    "p_of_t": ("number", "The p-value of t."),
    "ratings_of_a_document": ("text", "Which ratings of a document."),
    "ratio": ("text", "Which ratio of levels."),
    "round_numbers": ("number", "The share of numbers with one significant figure."),
    "scores": ("any", "The scores, or how many."),
    "sd_of_ln": ("number", "The standard deviation of the logarithms."),
    "t": ("number", "Welch's t."),
    "top_C": ("count", "Top systems by categories."),
    "top_expert": ("count", "Top systems by the experts."),
    "top_gain": ("count", "Top systems by these gains."),
    "top_magnitudes": ("count", "Top systems by magnitudes."),
}


DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

# ---- What a table is in JSON: `as_dict` makes it, and its schema is made of it.


class TitleDocument(TypedDict, total=False):
    """What the table shows, where it has a title."""

    title: str


class NotesDocument(TypedDict, total=False):
    """What must be said beside it, where there is something."""

    notes: list[str]


class TableDocument(TypedDict):
    """A table.

    Attributes
    ----------
    provenance : object
        How it was made: version, options, and the SHA-256 digest of each input where it is known.
    title : str
        What the table shows.
    notes : list of str
        What must be said beside it.
    rows : list
        One object a row.
    """

    provenance: dict[str, Any]
    title: NotRequired[str]
    notes: NotRequired[list[str]]
    rows: list[dict[str, Cell]]


# ---- JSON Schema of types.

_PLAIN: dict[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    Any: {},
    object: {},
}
_SECTION = re.compile(r"^Attributes\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^(\w[\w, ]*?)(?: : [^\n]*)?\n((?:    [^\n]*\n|\n)+)", re.MULTILINE)


def described(kind: type) -> dict[str, str]:
    """What the docstring of a class says of each attribute.

    >>> described(TableDocument)["rows"]
    'One object a row.'
    """
    section = _SECTION.search(inspect.cleandoc(kind.__doc__ or ""))
    about: dict[str, str] = {}
    for names, text in _ENTRY.findall(section[1] + "\n" if section else ""):
        about |= dict.fromkeys((name.strip() for name in names.split(",")), " ".join(text.split()))
    return about


def schema_of(hint: Any, defined: dict[str, Schema]) -> Schema:
    """The schema of a type; typed dicts are put into `defined` under their names, without 'Document'.

    >>> schema_of(list[float | None], {})
    {'type': 'array', 'items': {'anyOf': [{'type': 'number'}, {'type': 'null'}]}}
    """
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, parts = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        name = hint.__name__.removesuffix("Document")
        if name not in defined:
            defined[name] = {}  # lest one that holds itself goes on for ever
            defined[name] = _object(hint, defined)
        return {"$ref": f"#/$defs/{name}"}
    if origin is NotRequired:
        return schema_of(parts[0], defined)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(part, defined) for part in parts]}
    if origin in (list, tuple):
        return {"type": "array", "items": schema_of(parts[0], defined)}
    if origin is dict:
        values = schema_of(parts[1], defined)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    raise TypeError(f"no schema of {hint}")


def _object(kind: type, defined: dict[str, Schema]) -> Schema:
    """The schema of a typed dict: its keys and no others."""
    about, hints = described(kind), get_type_hints(kind, include_extras=True)
    return {
        "description": inspect.cleandoc(kind.__doc__ or "").partition("\n")[0],
        "type": "object",
        "properties": {
            name: {**schema_of(hint, defined), **({"description": about[name]} if name in about else {})}
            for name, hint in hints.items()
        },
        "required": [name for name, hint in hints.items() if get_origin(hint) is not NotRequired],
        "additionalProperties": False,
    }


# ---- JSON Schema of the rows of a table, from the columns that it may have.


def columns_of(kind: type) -> dict[str, tuple[Kind, str]]:
    """The columns of a table whose rows are a dataclass: a column a field, with what its docstring says of it."""
    assert is_dataclass(kind)
    about, hints = described(kind), get_type_hints(kind)
    kinds: dict[object, Kind] = {str: "text", bool: "flag", int: "count", float: "number"}
    columns: dict[str, tuple[Kind, str]] = {}
    for f in fields(kind):
        plain = [part for part in get_args(hints[f.name]) or (hints[f.name],) if part in kinds]
        if plain:
            columns[f.name] = kinds[plain[0]], about.get(f.name, "")
    return columns


def rows_schema(columns: Sequence[str | type], more: str = "") -> Schema:
    """The schema of the rows of a table that may have these columns.

    columns: names of the catalogue, `name:kind` where the kind is another one, or dataclasses.  more: what columns are
    called after whose names are not ours, such as measures; empty where there are none.
    """
    known: dict[str, tuple[Kind, str]] = {}
    for column in columns:
        if isinstance(column, type):
            known |= columns_of(column)
        else:
            name, _, kind = column.partition(":")
            usual, about = COLUMNS[name]
            known[name] = (kind or usual, about)  # type: ignore[assignment]
    named = {name: about for name, about in known.items() if "*" not in name}
    patterns = {_pattern(name): about for name, about in known.items() if "*" in name}
    rows: Schema = {"type": "object", "properties": {n: _column(*x) for n, x in named.items()}}
    if patterns:
        rows["patternProperties"] = {pattern: _column(*x) for pattern, x in patterns.items()}
    rows["additionalProperties"] = {**KINDS["any"], "description": f"A column named after {more}."} if more else False
    return rows


def _pattern(name: str) -> str:
    r"""A regular expression of a name with stars.

    >>> _pattern("power_*")
    '^power_.+$'
    """
    return "^" + ".+".join(re.escape(part) for part in name.split("*")) + "$"


def _column(kind: Kind, about: str) -> Schema:
    return {**KINDS[kind], "description": about}


def table_schema(rows: Schema) -> Schema:
    """The schema of a table with such rows."""
    whole = _object(TableDocument, {})
    whole["properties"]["rows"] = {"type": "array", "items": rows, "description": described(TableDocument)["rows"]}
    return whole


def as_schema(title: str, about: str, forms: Sequence[Schema], defined: Mapping[str, Schema]) -> Schema:
    """A whole schema: of one form, or of one of several."""
    whole = {"$schema": DRAFT, "title": title, "description": about}
    (first, *others) = forms
    body = (
        {"anyOf": list(forms)} if others else {k: v for k, v in first.items() if k != "description" or "$ref" in first}
    )
    return {**whole, **body, **({"$defs": dict(defined)} if defined else {})}
