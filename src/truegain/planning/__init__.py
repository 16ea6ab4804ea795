"""Plans of the next experiment: how many topics, labels and assessors it needs."""
