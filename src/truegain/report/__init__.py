"""Results drawn, and put on one page."""
