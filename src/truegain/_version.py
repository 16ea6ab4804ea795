"""The version and the day of its release, in one place."""

__version__ = "0.2.0"
__date__ = "2026-11-18"
