"""The study in worlds whose truth is known, and on real labels."""
