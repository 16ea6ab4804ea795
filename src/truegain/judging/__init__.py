"""The web app that collects judgments: magnitudes, grades, binary labels, preferences, and claims with their sources.

Imports only tables, sampling and errors: it writes a table of ratings, and other packages score them.  Needs the extra
`[judging]`.  Imports go down this list:

    server/       HTTP: pages, the organizer's page, the interface for LLM judges
    workflow/     what assessors and the organizer do; every rule of the collection lives here
    export.py     what was collected, as rows and as files        status.py   progress, assessors, cost
    store/        the database: tables, migrations, transactions, on SQLite and PostgreSQL
    study/        what is judged and how: `judging.toml`, topics, documents, units
    tasks/        one file a task: what is asked, how an answer is read, what a finished unit must satisfy
    texts/        every text of the pages, in English and German
"""
