"""Experiments, and the simulated worlds they can be tried on."""
