"""Files with all that is rare in good data: short lists, ties, topics lacking, negative labels, odd subtopics."""

from __future__ import annotations

from pathlib import Path

from truegain.text.indexing import index

Labels = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]

CUTS = (3, 40, 7, 12, 25, 1, 40, 18)  # how long the lists of eight topics are


def write_rough(folder: Path, gold: Labels, lists: dict[str, Lists]) -> None:
    """Eight topics for two systems.

    rough.qrels (labels of -2 to 12, a topic with nothing relevant, one with all, one with a single relevant document,
    relevant ones that nobody found), rough/a.run and b.run (a tie in every list, two topics or one lacking, one that is
    not judged), facets.qrels (numbered and named subtopics, negative labels, some never relevant), facets.txt (their
    probabilities, some navigational), rough-corpus/ (the words of docs.jsonl).
    """
    topics = sorted(gold)[:8]
    labels = {t: dict(gold[t]) for t in topics}
    for n, t in enumerate(topics):
        for i, d in enumerate(sorted(labels[t])):
            if i % 7 == 3:
                labels[t][d] = -1 - i % 2
        labels[t][f"lost-{n}"] = 1 + n % 3
        labels[t][f"lost-{n}-2"] = n % 2
    labels[topics[6]] = dict.fromkeys(labels[topics[6]], 0)
    labels[topics[4]] = {d: max(1, g) for d, g in labels[topics[4]].items()}
    best = max(labels[topics[2]], key=lambda d: (gold[topics[2]].get(d, 0), d))
    labels[topics[2]] = {d: 2 if d == best else min(g, 0) for d, g in labels[topics[2]].items()}
    labels[topics[1]][min(labels[topics[1]])] = 12
    text = (f"{t} 0 {d} {g}\n" for t, row in labels.items() for d, g in row.items())
    (folder / "rough.qrels").write_text("".join(text))
    (folder / "rough").mkdir()
    _write_runs(folder, topics, lists)
    _write_facets(folder, topics, labels)
    index([str(folder / "docs.jsonl")], folder / "rough-corpus")


def _write_runs(folder: Path, topics: list[str], lists: dict[str, Lists]) -> None:
    for name, (system, lacks) in {"a": ("system-1", (7,)), "b": ("system-3", (3, 5))}.items():
        lines = [f"other Q0 x 1 1.0 {name}\n"]
        for n, t in enumerate(topics):
            order = sorted(lists[system][t].items(), key=lambda x: -x[1])[: CUTS[n if name == "a" else 7 - n]]
            for i, (d, _) in enumerate(order if n not in lacks else []):
                near = 1e-9 * (i % 2) if i < 6 else 0.0  # apart in double precision only
                lines.append(f"{t} Q0 {d} {i + 1} {100 - i // 2 + near!r} {name}\n")
        (folder / "rough" / f"{name}.run").write_text("".join(lines))


def _write_facets(folder: Path, topics: list[str], labels: Labels) -> None:
    names = ("2", "10", "b", "never")
    lines, told = [], []
    for n, t in enumerate(topics):
        for i, (d, g) in enumerate(sorted(labels[t].items())):
            for k in range(1 + i % 3):
                name = names[(i + k) % 3]
                lines.append(f"{t} {name} {d} {g if (i + k) % 5 else max(g - 1, -1)}\n")
            if i % 6 == 0:
                lines.append(f"{t} never {d} 0\n")
        shares = (0.5, 0.25, 0.15, 0.1) if n % 2 else (0.1, 0.6, 0.2, 0.1)
        told += [
            f"{t} {name} {p} {'nav' if (n + i) % 3 == 0 else 'inf'}\n"
            for i, (name, p) in enumerate(zip(names, shares, strict=True))
        ]
    (folder / "facets.qrels").write_text("".join(lines))
    (folder / "facets.txt").write_text("".join(told))
