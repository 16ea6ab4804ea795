"""Labels -> gains: normalise, aggregate, correct, fill."""
