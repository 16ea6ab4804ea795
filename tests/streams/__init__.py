"""Inputs larger than memory."""
