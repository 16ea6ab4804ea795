"""Ratings of a few documents by a few people, with everything that ratings can be."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import truegain as tg

GOOD = ("ann", "bob", "cy", "dee")


def write_crew(folder: Path) -> None:
    """Write crew.csv (grades 0 to 3), crew.qrels (experts), sizes.csv (magnitudes with anchors and units), sizes.qrels.

    Topics of crew.csv: A and B usual; C one rating a document; D all 0; E where 1 is never outnumbered.  Of the people
    eve says 1 throughout, fay the contrary, gus takes a fifth of the time, hal has three ratings.
    """
    rng = np.random.default_rng(np.random.SeedSequence(29))
    truth = {t: {f"{t.lower()}{i:02}": int(rng.integers(0, 4)) for i in range(n)} for t, n in (("A", 14), ("B", 9))}
    lines = ["topic,doc,assessor,label,seconds"]
    for topic, row in truth.items():
        for i, (doc, grade) in enumerate(row.items()):
            said = {who: int(np.clip(grade + rng.choice([-1, 0, 0, 0, 1]), 0, 3)) for who in GOOD}
            said |= {"eve": 1, "fay": 3 - grade, "gus": grade if i % 3 else 1}
            if topic == "A" and i in (2, 5, 9):
                said["hal"] = grade
            skips = ["bob", "cy", "gus", ""][i % 4]
            for who, label in said.items():
                if who != skips:
                    took = rng.gamma(4, 1 if who == "gus" else 6)
                    lines.append(f"{topic},{doc},{who},{label},{'' if who == 'hal' else round(took, 1)}")
    lines += [f"C,c{i},{who},{i % 4},20" for i, who in enumerate(GOOD)]
    lines += [f"D,d{i},{who},0,20" for i in range(3) for who in GOOD[:2]]
    lines += [f"E,e{i},{who},{x},20" for i, few in enumerate(((1, 1, 2), (1, 1, 1), (0, 1), (1, 1, 0, 3)))
              for who, x in zip(GOOD, few, strict=False)]  # fmt: skip
    (folder / "crew.csv").write_text("\n".join(lines) + "\n")
    tg.write_judgments(truth, folder / "crew.qrels")
    worth = {t: {f"{t.lower()}{i}": float(np.exp(rng.normal(0, 1))) for i in range(8)} for t in "PQ"}
    sizes = ["topic,doc,assessor,label,anchor,unit"]
    for topic, values in worth.items():
        ranked = sorted(values, key=values.__getitem__)
        for k, who in enumerate(GOOD):
            for half, docs in enumerate((ranked[::2], ranked[1::2])):
                scale = 10.0**k * (1 + half)
                for j, doc in enumerate(docs):
                    size = float(f"{scale * values[doc] * np.exp(rng.normal(0, 0.4)):.2g}")
                    sizes.append(f"{topic},{doc},{who},{size:g},{['low', '', '', 'high'][j]},{'xy'[half]}")
    (folder / "sizes.csv").write_text("\n".join(sizes) + "\n")
    levels = {t: {d: i // 3 for i, d in enumerate(sorted(v, key=v.__getitem__))} for t, v in worth.items()}
    tg.write_judgments(levels, folder / "sizes.qrels")
