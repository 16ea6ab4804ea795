"""The study in worlds whose truth is known: every source alone, two together, all at once."""
