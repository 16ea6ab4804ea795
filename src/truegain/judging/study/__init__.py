"""A study: its file, topics, documents, pool and units; what is wrong with it; and one that is simulated."""
