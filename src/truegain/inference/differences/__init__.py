"""Which systems differ: tests of pairs and of all pairs at once, effect sizes, how many topics it takes."""
