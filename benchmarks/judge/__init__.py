"""Corrected scores: coverage and width beside the peers, on simulated and on real labels."""
