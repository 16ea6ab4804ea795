"""Checked tables: runs, judgments, ratings, the pool, scores, and lists of labels to be made."""
