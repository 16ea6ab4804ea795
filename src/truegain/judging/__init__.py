"""The web app that collects judgments: magnitudes, grades, binary labels, preferences, and claims with their sources.

Imports only tables, sampling and errors: what it exports is a table, and what is made of it belongs to other rooms.
Needs the extra `[judging]`.

    study/        what is judged and how: `judging.toml`, topics, documents, units
    tasks/        one file a task: what is asked, how an answer is read, what a finished unit must satisfy
    desk/         the moves of an assessor; every rule of the collection lives behind it
    store/        the database: tables, migrations, transactions, on SQLite and PostgreSQL
    server/       HTTP: pages, the organiser's page, the interface for LLM judges
"""
