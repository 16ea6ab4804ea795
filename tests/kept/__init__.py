"""Answers that were looked at once and must stay what they are, to the last digits that machines agree on.

Tests elsewhere say why an answer is right; these say that it is still the same.  A file `NAME.txt` here holds commands,
one a line; `NAME.json` what they printed on the small study of `conftest.py`.  When an answer is meant to change:
`KEEP=1 python -m pytest tests/kept`, then read the difference in the JSON before it is committed.
"""
