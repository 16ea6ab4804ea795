"""Files at addresses."""
