"""Ratings to labels: majority, mean, Dawid-Skene, MACE, magnitudes."""
