"""Statistics of scores: intervals, contrasts, tests, rank correlation, other collections."""
