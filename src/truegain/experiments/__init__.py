"""Experiments, and the simulated worlds they can be tried on; `dir(truegain.experiments)` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truegain.lazy import loaded

if TYPE_CHECKING:
    from truegain.experiments.discriminative import DiscriminativePower, discriminative_power, power_table
    from truegain.experiments.disjoint_parts import Disjoint, disjoint
    from truegain.experiments.half_collections import SplitHalf, split_half
    from truegain.experiments.half_topics import split_topics
    from truegain.experiments.incomplete_judgments import Incomplete, incomplete
    from truegain.experiments.judge_means import BronzeMean, compare_means, correct_mean
    from truegain.experiments.judge_simulation import JudgeSimulation, simulate_judge
    from truegain.experiments.magnitude_levels import apart_table, experts_table, means_table, sigma_table
    from truegain.experiments.magnitude_profiles import levels_table, profile_table, ratios_table
    from truegain.experiments.magnitude_rankings import SystemExperiment, magnitude_systems
    from truegain.experiments.magnitude_rules import MagnitudeExperiment, magnitudes, normalized_habits
    from truegain.experiments.magnitude_units import Units, extremes_table, numbers_table, read_magnitudes, units_table
    from truegain.experiments.published_formulas import naive_topics, published_sizes
    from truegain.experiments.ranker import rank, read_queries
    from truegain.experiments.ratings_world import (
        Magnitudes,
        magnitude_ratings,
        noisy_ratings,
        runs_over,
        uniform_ratings,
    )
    from truegain.experiments.spending_again import Labelled, Spending, spending
    from truegain.experiments.unanimity_cells import UnanimityGrid, unanimity_grid
    from truegain.experiments.unanimity_panels import UnanimityExperiment, unanimity
    from truegain.experiments.world import World, leaning, newcomer, simulate
    from truegain.experiments.world_text import texts
    from truegain.experiments.world_truth import true_scores

__all__ = [
    "BronzeMean",
    "DiscriminativePower",
    "Disjoint",
    "Incomplete",
    "JudgeSimulation",
    "Labelled",
    "MagnitudeExperiment",
    "Magnitudes",
    "Spending",
    "SplitHalf",
    "SystemExperiment",
    "UnanimityExperiment",
    "UnanimityGrid",
    "Units",
    "World",
    "apart_table",
    "compare_means",
    "correct_mean",
    "discriminative_power",
    "disjoint",
    "experts_table",
    "extremes_table",
    "incomplete",
    "leaning",
    "levels_table",
    "magnitude_ratings",
    "magnitude_systems",
    "magnitudes",
    "means_table",
    "naive_topics",
    "newcomer",
    "noisy_ratings",
    "normalized_habits",
    "numbers_table",
    "power_table",
    "profile_table",
    "published_sizes",
    "rank",
    "ratios_table",
    "read_magnitudes",
    "read_queries",
    "runs_over",
    "sigma_table",
    "simulate",
    "simulate_judge",
    "spending",
    "split_half",
    "split_topics",
    "texts",
    "true_scores",
    "unanimity",
    "unanimity_grid",
    "uniform_ratings",
    "units_table",
]

_LAZY = {  # by the module that has it
    "BronzeMean": "truegain.experiments.judge_means",
    "DiscriminativePower": "truegain.experiments.discriminative",
    "Disjoint": "truegain.experiments.disjoint_parts",
    "Incomplete": "truegain.experiments.incomplete_judgments",
    "JudgeSimulation": "truegain.experiments.judge_simulation",
    "Labelled": "truegain.experiments.spending_again",
    "MagnitudeExperiment": "truegain.experiments.magnitude_rules",
    "Magnitudes": "truegain.experiments.ratings_world",
    "Spending": "truegain.experiments.spending_again",
    "SplitHalf": "truegain.experiments.half_collections",
    "SystemExperiment": "truegain.experiments.magnitude_rankings",
    "UnanimityExperiment": "truegain.experiments.unanimity_panels",
    "UnanimityGrid": "truegain.experiments.unanimity_cells",
    "Units": "truegain.experiments.magnitude_units",
    "World": "truegain.experiments.world",
    "apart_table": "truegain.experiments.magnitude_levels",
    "compare_means": "truegain.experiments.judge_means",
    "correct_mean": "truegain.experiments.judge_means",
    "discriminative_power": "truegain.experiments.discriminative",
    "disjoint": "truegain.experiments.disjoint_parts",
    "experts_table": "truegain.experiments.magnitude_levels",
    "extremes_table": "truegain.experiments.magnitude_units",
    "incomplete": "truegain.experiments.incomplete_judgments",
    "leaning": "truegain.experiments.world",
    "levels_table": "truegain.experiments.magnitude_profiles",
    "magnitude_ratings": "truegain.experiments.ratings_world",
    "magnitude_systems": "truegain.experiments.magnitude_rankings",
    "magnitudes": "truegain.experiments.magnitude_rules",
    "means_table": "truegain.experiments.magnitude_levels",
    "naive_topics": "truegain.experiments.published_formulas",
    "newcomer": "truegain.experiments.world",
    "noisy_ratings": "truegain.experiments.ratings_world",
    "normalized_habits": "truegain.experiments.magnitude_rules",
    "numbers_table": "truegain.experiments.magnitude_units",
    "power_table": "truegain.experiments.discriminative",
    "profile_table": "truegain.experiments.magnitude_profiles",
    "published_sizes": "truegain.experiments.published_formulas",
    "rank": "truegain.experiments.ranker",
    "ratios_table": "truegain.experiments.magnitude_profiles",
    "read_magnitudes": "truegain.experiments.magnitude_units",
    "read_queries": "truegain.experiments.ranker",
    "runs_over": "truegain.experiments.ratings_world",
    "sigma_table": "truegain.experiments.magnitude_levels",
    "simulate": "truegain.experiments.world",
    "simulate_judge": "truegain.experiments.judge_simulation",
    "spending": "truegain.experiments.spending_again",
    "split_half": "truegain.experiments.half_collections",
    "split_topics": "truegain.experiments.half_topics",
    "texts": "truegain.experiments.world_text",
    "true_scores": "truegain.experiments.world_truth",
    "unanimity": "truegain.experiments.unanimity_panels",
    "unanimity_grid": "truegain.experiments.unanimity_cells",
    "uniform_ratings": "truegain.experiments.ratings_world",
    "units_table": "truegain.experiments.magnitude_units",
}


def __dir__() -> list[str]:
    """The public names and no others."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _LAZY, name)
