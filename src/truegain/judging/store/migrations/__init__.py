"""The versions of the tables, one file each: what it changes, and which one was before it."""
