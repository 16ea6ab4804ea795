"""Document text to term counts and language models."""
