"""HTTP: the assessor's pages, the organiser's page, and the interface that LLM judges use."""
