"""Experiments, and the simulated worlds they can be tried on; `dir(truegain.experiments)` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truegain.lazy import loaded

if TYPE_CHECKING:
    from truegain.experiments.discriminative import DiscriminativePower, discriminative_power, power_table
    from truegain.experiments.disjoint_collections import Disjoint, disjoint
    from truegain.experiments.halves import SplitHalf, split_half, split_topics
    from truegain.experiments.incomplete_collections import Incomplete, incomplete, incomplete_rankings
    from truegain.experiments.judge_errors import (
        BronzeMean,
        JudgeSimulation,
        compare_means,
        correct_mean,
        naive_topics,
        published_sizes,
        simulate_judge,
    )
    from truegain.experiments.magnitude_levels import (
        apart_table,
        experts_table,
        levels_table,
        means_table,
        profile_table,
        ratios_table,
        sigma_table,
    )
    from truegain.experiments.magnitude_rankings import SystemExperiment, magnitude_systems
    from truegain.experiments.magnitude_units import (
        MagnitudeExperiment,
        Units,
        extremes_table,
        magnitudes,
        normalized_habits,
        numbers_table,
        read_magnitudes,
        units_table,
    )
    from truegain.experiments.ranker import rank, read_queries
    from truegain.experiments.spending_again import Labeled, Spending, spending
    from truegain.experiments.unanimity_gains import (
        TeamRuns,
        UnanimityExperiment,
        UnanimityGrid,
        unanimity,
        unanimity_grid,
    )
    from truegain.experiments.worlds import (
        Magnitudes,
        World,
        leaning,
        magnitude_ratings,
        newcomer,
        noisy_ratings,
        runs_over,
        simulate,
        texts,
        true_scores,
        uniform_ratings,
    )

__all__ = [
    "BronzeMean",
    "DiscriminativePower",
    "Disjoint",
    "Incomplete",
    "JudgeSimulation",
    "Labeled",
    "MagnitudeExperiment",
    "Magnitudes",
    "Spending",
    "SplitHalf",
    "SystemExperiment",
    "TeamRuns",
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
    "incomplete_rankings",
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
    "BronzeMean": "truegain.experiments.judge_errors",
    "DiscriminativePower": "truegain.experiments.discriminative",
    "Disjoint": "truegain.experiments.disjoint_collections",
    "Incomplete": "truegain.experiments.incomplete_collections",
    "JudgeSimulation": "truegain.experiments.judge_errors",
    "Labeled": "truegain.experiments.spending_again",
    "MagnitudeExperiment": "truegain.experiments.magnitude_units",
    "Magnitudes": "truegain.experiments.worlds",
    "Spending": "truegain.experiments.spending_again",
    "SplitHalf": "truegain.experiments.halves",
    "SystemExperiment": "truegain.experiments.magnitude_rankings",
    "TeamRuns": "truegain.experiments.unanimity_gains",
    "UnanimityExperiment": "truegain.experiments.unanimity_gains",
    "UnanimityGrid": "truegain.experiments.unanimity_gains",
    "Units": "truegain.experiments.magnitude_units",
    "World": "truegain.experiments.worlds",
    "apart_table": "truegain.experiments.magnitude_levels",
    "compare_means": "truegain.experiments.judge_errors",
    "correct_mean": "truegain.experiments.judge_errors",
    "discriminative_power": "truegain.experiments.discriminative",
    "disjoint": "truegain.experiments.disjoint_collections",
    "experts_table": "truegain.experiments.magnitude_levels",
    "extremes_table": "truegain.experiments.magnitude_units",
    "incomplete": "truegain.experiments.incomplete_collections",
    "incomplete_rankings": "truegain.experiments.incomplete_collections",
    "leaning": "truegain.experiments.worlds",
    "levels_table": "truegain.experiments.magnitude_levels",
    "magnitude_ratings": "truegain.experiments.worlds",
    "magnitude_systems": "truegain.experiments.magnitude_rankings",
    "magnitudes": "truegain.experiments.magnitude_units",
    "means_table": "truegain.experiments.magnitude_levels",
    "naive_topics": "truegain.experiments.judge_errors",
    "newcomer": "truegain.experiments.worlds",
    "noisy_ratings": "truegain.experiments.worlds",
    "normalized_habits": "truegain.experiments.magnitude_units",
    "numbers_table": "truegain.experiments.magnitude_units",
    "power_table": "truegain.experiments.discriminative",
    "profile_table": "truegain.experiments.magnitude_levels",
    "published_sizes": "truegain.experiments.judge_errors",
    "rank": "truegain.experiments.ranker",
    "ratios_table": "truegain.experiments.magnitude_levels",
    "read_magnitudes": "truegain.experiments.magnitude_units",
    "read_queries": "truegain.experiments.ranker",
    "runs_over": "truegain.experiments.worlds",
    "sigma_table": "truegain.experiments.magnitude_levels",
    "simulate": "truegain.experiments.worlds",
    "simulate_judge": "truegain.experiments.judge_errors",
    "spending": "truegain.experiments.spending_again",
    "split_half": "truegain.experiments.halves",
    "split_topics": "truegain.experiments.halves",
    "texts": "truegain.experiments.worlds",
    "true_scores": "truegain.experiments.worlds",
    "unanimity": "truegain.experiments.unanimity_gains",
    "unanimity_grid": "truegain.experiments.unanimity_gains",
    "uniform_ratings": "truegain.experiments.worlds",
    "units_table": "truegain.experiments.magnitude_units",
}


def __dir__() -> list[str]:
    """The public names and no others."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _LAZY, name)
