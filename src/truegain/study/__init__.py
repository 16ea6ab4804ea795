"""The one engine: all that was sampled meets in one model that estimates, compares, ranks and plans."""
