"""Errors of a cheap judge: confusion, ratio and regression estimators, intervals, diagnostics."""
