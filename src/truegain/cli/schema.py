"""The command `truegain schema`: the JSON of each command as JSON Schema, from what the output is made of.

Verdicts, rankings and tables are typed dicts, estimates and comparisons dataclasses, other columns are in the catalogue
`results.documents`.  `tests/kept` holds every kept answer against its schema, and docs/reference/schemas against this
file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

import typer

from truegain.cli.diagnosis import DiagnosisDocument
from truegain.cli.help import PAGES, stored_page
from truegain.cli.options import Output
from truegain.cli.output import write_json
from truegain.data.scores import COLUMNS as OF_SCORES
from truegain.errors import TruegainError, there_are
from truegain.results.documents import Schema, as_schema, rows_schema, schema_of, table_schema
from truegain.results.table import Cell
from truegain.stats.results import Comparison, Estimate
from truegain.study.documents import GateDocument, VerdictsDocument

MEASURES, SYSTEMS = "a measure", "a measure or a system"


class TableColumns(NamedTuple):
    """The columns that the tables of a command may have, and what others are named after."""

    columns: tuple[str | type, ...]
    more: str = ""


class BoundDocument(TypedDict):
    """The lowest and the highest score of a system that has none.

    Attributes
    ----------
    system : str
        The system.
    measure : str
        The measure.
    low, high : float
        The lowest and the highest score.
    """

    system: str
    measure: str
    low: float
    high: float


_INTERVAL = ("value", "low", "high")
_RANKS = (
    "measure",
    "systems",
    "topics",
    "tau",
    "low",
    "high",
    "HW_low",
    "HW_high",
    "top_sets",
    "tested",
    "pairs",
    "changed",
)
TABLES: dict[str, TableColumns] = {
    "eval": TableColumns((Estimate, "#"), MEASURES),
    "correct": TableColumns((Estimate,), MEASURES),
    "judge check": TableColumns(
        ("assessor", "system", "topic", "gold_label", "labels", "pairs", "gold_relevant", "sensitivity", "low", "high",
         "gold_non-relevant", "specificity", "informedness", "favor", "bronze_*", "note", "gold_labels",
         "judge_mean", "people_mean", "mean_error", "mean_absolute_error", "pearson", "spearman")
    ),
    "compare": TableColumns(
        (Comparison, "system", "topic", "R", "sd_paired", "sd_independent", "mean", "group", "differs_from", "#",
         "team", "team_a", "team_b", "a:any", "b:any"), SYSTEMS
    ),
    "correlate": TableColumns(
        ("measure", "a", "b", "systems", "tau", "variant", "low", "high", "confidence", "method", "tau_a", "tau_b",
         "tau_ap_walking_b", "tau_ap_walking_a", "rbo_p", "rbo", "rbo_min", "rbo_max", "top", "top_overlap", "pairs",
         "swapped", "tied", "topics_low", "topics_high", "significant_a", "significant_b", "significant_both",
         "significant_opposite", "system", "rank_a", "rank_b", "moves", "score_a", "score_b", "difference_1", "p_1",
         "difference_2", "p_2", "significant", "statistic", "mean", "sd", "splits", "topics_in_half", "difference_from",
         "swap_rate")
    ),
    "agree": TableColumns(
        ("statistic", *_INTERVAL, "items", "ratings", "note", "assessor", "mean", "spread", "equal", "bias",
         "correlation", "look", "topic", "alpha_*", "order_as_experts", "order", "seconds", "share", "n", "doc",
         "least", "median", "greatest", "max/min", "geometric_sd", "weight")
    ),
    "plan topics": TableColumns(("difference", "power_*", "width", "topics", "clusters")),
    "plan labels": TableColumns(
        ("gold_labels", "gold_topics", "half_width", "detectable_with_*_percent_power", "half_width_median", "widest",
         "share_of_pairs_with_enough")
    ),
    "plan preferences": TableColumns(("gold_share", "width", "narrower_by")),
    "plan assessors": TableColumns(
        ("assessors", "sigma", "error", "confidence", "for", "documents", "ratings", "low", "high", "answers", "items",
         "values", "judges", "repeats")
    ),
    "unjudged": TableColumns(
        ("system", "team", "unjudged", "score", "worst", "best", "kind", "condensed", "Bpref", "infAP", "a", "b",
         "b_minus_a", "least", "greatest", "could_change_order", "unjudged@*", "left_out", "change", "rank",
         "rank_left_out", "judgments_lost", "relevant_lost", "order", "topic", "doc", "round", "why", "predicted",
         "swaps", "shift", "systems", "chosen", "label")
    ),
    "text show": TableColumns(("what", "value:text")),
    "annotate status": TableColumns(
        ("topic", "title", "units", "finished", "held", "free", "assessor", "kind", "answers", "median_s", "sent_back",
         "flags")
    ),
    "experiment discriminative": TableColumns(("measure", "power", "significant", "pairs", "delta")),
    "experiment split-half": TableColumns(
        (Estimate, "below_percent", "inside_percent", "above_percent", "lists", "direction", "n", "table",
         "sd_of_inside", "MAP_A", "MAP_low", "MAP_high", "MAP_B", "MAP_inside", "L-MAP_A", "L-MAP_low", "L-MAP_high",
         "L-MAP_B", "L-MAP_inside")
    ),
    "experiment judge": TableColumns(
        ("study", "system", "uncorrected", "uncorrected_se", "plain_ratio", *_INTERVAL, "se", "bootstrap_se", "bias",
         "a", "b", "formula", "value_a", "value_b", "difference", "p", "n", "nR_a", "nN_a", "nR_b", "nN_b", "mean",
         "sd", "bronze_*", "both_*", "gold_relevant", "sensitivity", "gold_non-relevant", "specificity", "lowest_mean",
         "highest_mean", "possible", "measure", "se_over_pairs", "se_over_topics", "se_by_formula", "gold", "share",
         "labels", "truth", "mean_se", "above_truth", "coverage", "rank", "discount", "not_relevant", "partly_relevant",
         "highly_relevant", "statistic")
    ),
    "experiment magnitudes": TableColumns(
        ("ratings_of_a_document", "alpha_ratio", "low", "high", "p", "resamples", "documents", "ratings", "topic",
         "units", "Hk", "Nk", "back_*", "failed_*", "normalize", "aggregate", "mean_over_topics", "all_pairs", "pairs",
         "topics", "least", "*%", "median", "greatest", "doc", "equal", "max/min", "geometric_sd", "mean_of_ln",
         "sd_of_ln", "D_of_log-normal", "round_numbers", "what", "share", "of", "assessor", "lowest", "highest",
         "scores", "docs", "judged", "agreement", "Hk/Nk", "kind", "level", "mean", "sd", "lower", "higher",
         "documents_lower", "documents_higher", "mean_lower", "mean_higher", "t", "df", "p_of_t", "U", "p_of_U",
         "higher_first", "in_order", "order_of", "as", "levels", "sigma", "above_*", "linear", "exponential", "ratio",
         "measure", "tau", "top_expert", "top_magnitudes", "overlap", "jaccard", "draws", "gain", "top_C", "top_gain",
         "system", "seconds", "value")
    ),
    "experiment unanimity": TableColumns((*_RANKS, "p"), MEASURES),
    "experiment unanimity-grid": TableColumns((*_RANKS, "Dmax", "N", "p"), MEASURES),
    "experiment incomplete": TableColumns(
        ("keep_percent", "way", "tau", "low", "high", "sd", "measure"), "a collection"
    ),
    "experiment disjoint": TableColumns(("measure", "content_measure", "*_on_*", "system"), MEASURES),
    "experiment spending": TableColumns(
        ("drawn_from", "gold_labels", "half_width", "holds", "right", "wrong", "undecided")
    ),
}  # fmt: skip


DOCUMENTS: dict[str, type] = {
    "verdict": VerdictsDocument,
    "gate": GateDocument,
    "doctor": DiagnosisDocument,
}  # no tables


class ScoresDocument(TypedDict, total=False):
    """The scores that `eval` prints."""

    provenance: dict[str, Any]
    notes: list[str]
    scores: list[dict[str, Cell]]
    bounds: list[BoundDocument]


def schema_of_command(words: str, about: str = "") -> Schema:
    """The schema of what a command prints with --format json; of one that is not declared, that of any table.

    Parameters
    ----------
    words : str
        The command, such as 'plan topics'.
    about : str, optional
        What the command is for.

    Returns
    -------
    dict
        JSON Schema, draft 2020-12.

    Examples
    --------
    >>> schema_of_command("gate")["required"]
    ['provenance', 'gate', 'exit_code', 'answers', 'verdicts']
    """
    defined: dict[str, Schema] = {}
    title = f"truegain {words} --format json"
    if words in DOCUMENTS:
        schema_of(DOCUMENTS[words], defined)
        whole = defined.pop(DOCUMENTS[words].__name__.removesuffix("Document"))
        return as_schema(title, about, [whole], defined)
    rows = TABLES.get(words, TableColumns((), "anything"))
    forms = [table_schema(rows_schema(rows.columns, rows.more))]
    if words == "eval":
        forms.insert(0, _scores(defined))
    return as_schema(title, about, forms, defined)


def _scores(defined: dict[str, Schema]) -> Schema:
    """The schema of scores as rows, which are no table."""
    rows = rows_schema([f"{name}:any" if name == "value" else name for name in OF_SCORES])
    rows["required"] = list(OF_SCORES)
    whole = table_schema(rows)
    properties = whole["properties"]
    made = {
        "provenance": properties["provenance"],
        "notes": properties["notes"],
        "scores": {**properties["rows"], "description": "One object a system, measure and topic."},
        "bounds": {**schema_of(list[BoundDocument], defined), "description": "Bounds of systems without a score."},
    }
    assert set(made) == set(ScoresDocument.__annotations__)
    return {**whole, "description": "Scores.", "properties": made, "required": ["provenance", "scores"]}


def commands_with_json() -> dict[str, str]:
    """The commands that offer --format json, by their words, with the first sentence of their stored help."""
    text = Path(PAGES).read_text(encoding="utf-8")
    offering: dict[str, str] = {}
    for words in (line[2:] for line in text.splitlines() if line.startswith("= ")):
        page = stored_page(text, words)
        rows = [row for panel in page[2].values() for row in panel] if page else []
        if page and any(row[1] == "--format" and "json" in row[2].strip("<>").split("|") for row in rows):
            offering[words] = page[1].partition(". ")[0].rstrip(".") + "."
    return offering


# ---- The command.


def schema_command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND...]", help="Command, such as verdict or plan topics.")
    ] = None,
    output: Output = "-",
) -> None:
    """Print the JSON Schema of what a command prints with --format json.

    Without a command, prints one object with the schemas of all commands. A later version may add keys, but keeps the
    existing ones. The schema of study.toml: `truegain init --schema`.

    Examples:
        truegain schema verdict
        truegain schema plan topics -o plan-topics.schema.json

    """
    known = commands_with_json()
    if not words:
        write_json({name: schema_of_command(name, about) for name, about in known.items()}, output)
        return
    name = " ".join(words)
    if name in ("study", "study.toml"):
        raise TruegainError(f"{name} is not a command; `truegain init --schema` prints the schema of study.toml")
    if name not in known:
        raise TruegainError(f"{name} is not a command that offers JSON; {there_are([name], tuple(known), 40)}")
    write_json(schema_of_command(name, known[name]), output)
