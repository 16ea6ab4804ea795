"""Logs of evaluation tools: one file a tool, chosen by what is in a file."""
