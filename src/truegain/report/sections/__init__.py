"""The sections of a page, one file each: facts in, HTML and data out; no section knows another."""
