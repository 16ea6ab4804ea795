"""Scores in; intervals, tests, verdicts and plans out."""
