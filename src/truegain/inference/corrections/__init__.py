"""Scores and differences without a judge's errors: by gold labels as in a study, or by the judge's rates."""
