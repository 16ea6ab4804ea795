"""Labels -> gains: normalize, aggregate, correct, fill."""
