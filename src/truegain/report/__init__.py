"""Results drawn and put on pages."""
