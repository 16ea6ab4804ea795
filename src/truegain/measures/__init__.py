"""Ranked gains in, one score per system and topic out; one file a measure or a family."""
