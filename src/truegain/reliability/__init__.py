"""Agreement of assessors, with one another and with experts."""
