"""HTTP: the assessor's pages, the organizer's page, and the interface that LLM judges use."""
