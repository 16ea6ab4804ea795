"""Scores without the judge's errors: accuracy, corrections, comparisons, and which labels to buy."""
