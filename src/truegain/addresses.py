"""Names that are no paths: addresses such as s3://bucket/bm25.run, shown without secrets, and irds:NAME."""

from __future__ import annotations

import re

IRDS = "irds:"  # how names of datasets of ir_datasets begin
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # two letters at least: C:// is a drive
_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(?:[^/@\s]*@)?([^?#\s'\"]*)([?#][^\s'\"]*)?")


def is_remote(name: str) -> bool:
    """Whether a name is an address, not a path on this machine.

    >>> is_remote("s3://bucket/bm25.run"), is_remote("runs/bm25.run"), is_remote("irds:vaswani"), is_remote("C://x")
    (True, False, False, False)
    """
    return _REMOTE.match(name) is not None


def is_irds(name: object) -> bool:
    """Whether a name is that of a dataset of ir_datasets.

    >>> is_irds("irds:cranfield"), is_irds("cranfield.qrels")
    (True, False)
    """
    return isinstance(name, str) and name.startswith(IRDS)


def is_web(name: str) -> bool:
    """Whether an address is one of a web server, where ? begins a query and is no pattern."""
    return name.lower().startswith(("http://", "https://"))


def without_secrets(text: str) -> str:
    """A text with its addresses as they can be shown: no user, no password, and no query, which may hold a key.

    >>> without_secrets("https://me:word@example.org/a/bm25.run?token=abc")
    'https://example.org/a/bm25.run'
    >>> without_secrets("s3://bucket/run?.txt"), without_secrets("runs/a@b?c")
    ('s3://bucket/run?.txt', 'runs/a@b?c')
    """
    return _PARTS.sub(_shown, text) if "://" in text else text


def _shown(match: re.Match[str]) -> str:
    scheme, rest, query = match.group(1), match.group(2), match.group(3) or ""
    is_query = is_web(scheme + "://") or "=" in query
    return f"{scheme}://{rest}{'' if is_query else query}"
