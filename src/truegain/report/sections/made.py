"""How the page was made: version, command, options, and digests of what was read."""

from __future__ import annotations

from collections.abc import Mapping

from truegain.report.facts import Facts
from truegain.report.html import Child, Section, cell, count, el, folded, join, label, paragraph, table, tr

DIGITS = 16


def section(facts: Facts) -> Section:
    """Always there."""
    made = facts.made
    options = {k: v for k, v in made.options.items() if v not in (None, "", [], {}, ())}
    rows = (tr(label(k.replace("_", " ")), cell(_shown(v))) for k, v in options.items())
    files = (tr(label(el("bdi", f)), cell(_digest(d))) for f, d in made.inputs.items())
    read = f"Input files ({count(len(made.inputs))}), first {DIGITS} digits of SHA-256"
    body = join(
        paragraph(f"truegain {made.version}. The same files, options and version make the same page, byte for byte."),
        el("pre", made.command, tabindex="0") if made.command else None,
        folded(f"Options ({count(len(options))})", table("Options", (), rows, kind="kv", unseen=True)),
        folded(read, table("Files and digests", (), files, kind="kv", unseen=True)) if made.inputs else None,
    )
    data = {"truegain": made.version, "command": made.command, "options": options, "inputs": dict(made.inputs)}
    return Section("made", "How it was made", "How it was made", el("div", body, class_="prose"), data)


def _digest(digest: str | None) -> Child:
    return "read from a stream, no digest" if digest is None else el("code", digest[:DIGITS])


def _shown(value: object) -> str:
    """The value of an option in words; of a table of options those that have one.

    >>> _shown({"scale": None, "out_of_range": "error", "all_topics": False}), _shown(["a,b", "a,c"]), _shown(0.0)
    ('out of range: error; all topics: no', 'a,b; a,c', '0')
    """
    if isinstance(value, Mapping):
        return "; ".join(f"{str(k).replace('_', ' ')}: {_shown(v)}" for k, v in value.items() if v is not None)
    if isinstance(value, list | tuple | set | frozenset):
        words = [_shown(x) for x in value]
        return ("; " if any("," in word for word in words) else ", ").join(words)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
