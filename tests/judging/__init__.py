"""The web app that collects judgments."""
