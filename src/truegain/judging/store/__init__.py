"""The database of a study: its tables, their versions, and transactions that lose nothing, on SQLite and PostgreSQL."""
