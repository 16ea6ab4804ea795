"""A study in a file: `study.toml` holds judgments, runs and options, for the command line and for Python."""
