"""Methods for a paper: what was done, with formulas, citations and BibTeX."""

from __future__ import annotations

import inspect

from truegain.measures.base import Measure
from truegain.report.facts.facts import Facts
from truegain.report.parts.html import Child, Html, el, join, paragraph
from truegain.report.parts.numbers import many
from truegain.report.parts.papers import PAPERS
from truegain.report.parts.section import Section

DRAWN = {
    "random": "drawn at random",
    "by-bronze": "drawn by the judge's label",
    "by-gold": "drawn by gold label",
    "topics": "all pairs of some topics",
    "elsewhere": "from elsewhere",
    "ordered": "drawn from an ordered list",
}
PLAIN = {"efron1981", "satterthwaite1946"}


def section(facts: Facts) -> Section:
    """Always there."""
    cited = _cited(facts)
    formula = [_formula("V = Σ over units (move)²,   d ± t(df) √V,   df = (Σ V)² / Σ (V² / df)")]
    if facts.assessors and "assessors" in facts.over:
        formula = [_formula("V = V(topics) + [V(assessors) − V(assessor × topic)] T/(T − 1),   d ± t(df) √V")]
    parts: list[Child] = [
        el("h3", "For the paper"),
        paragraph(*_what(facts)),
        paragraph(
            "Each unit that was sampled is left out in turn and everything fitted again; how far that moves a score or a "
            "difference is its move, scaled so that the squares add up to the variance over that source (Efron and Stein "
            "1981). Limits are Student's, with Satterthwaite's degrees of freedom (1946)."
        ),
        *formula,
        *(paragraph(x) for x in _more(facts)),
        el("h3", "Measures"),
        *(_measure(m.measure) for m in facts.measures),
        el("h3", "References"),
        el("ul", *(el("li", PAPERS[k].cited, f" doi:{PAPERS[k].doi}" if PAPERS[k].doi else "") for k in cited), class_="refs"),
        el("details", el("summary", "BibTeX"), el("pre", "\n\n".join(PAPERS[k].bibtex for k in cited), tabindex="0")),
    ]  # fmt: skip
    data = {"bibtex": [PAPERS[k].bibtex for k in cited]}
    return Section("methods", "Methods", "Methods", el("div", *parts, class_="prose"), data)


def _formula(words: str) -> Html:
    return paragraph(words, class_="f")


def _cited(facts: Facts) -> list[str]:
    keys = ["efron1981", "satterthwaite1946"]
    keys += ["cameron2011"] if "assessors" in facts.over else []
    keys += ["cormack2006"] if "collection" in facts.over else []
    keys += ["angelopoulos2023"] if facts.corrected else []
    keys += ["almohamad2022", "westfall1993"] if len(facts.systems) > 2 else []
    return keys + (["hayes2007"] if facts.agreement is not None else [])


def _what(facts: Facts) -> tuple[Child, ...]:
    names = ", ".join(m.name for m in facts.measures)
    said = (
        f"We compared {names} of {many(len(facts.systems), 'system')} on {many(facts.topics, 'topic')}, by "
        f"{many(facts.labels, 'label')}"
    )
    if facts.assessors and facts.agreement is not None:
        said += f" by {many(facts.assessors, 'assessor')}"
    said += ". "
    if facts.judge is not None:
        drawn = DRAWN.get(facts.judge.design, facts.judge.design)
        said += f"A trusted judge labelled {many(facts.gold, 'pair')} ({drawn}), by which scores were corrected. "
    return (f"{said}{facts.holds_for}; held fixed: {facts.held_fixed}.",)


def _more(facts: Facts) -> list[str]:
    found = [
        f"That one system is better than another holds where the whole {facts.level} interval of the difference, with "
        "the worst that unjudged documents could do, lies above 0; it does not hold where with the best they could do it "
        "lies below the smallest gain that matters"
        f"{f' ({facts.smallest:g})' if facts.smallest else ' (here 0)'}; otherwise it cannot be told."
    ]
    if facts.corrected:
        found.append(
            "Scores are corrected by the gold labels: the score by the judge's labels, plus what the gold labels say of "
            "its errors, weighted as they were drawn (Angelopoulos et al. 2023). The gold labels are a sample, and their "
            "noise is part of every interval."
        )
    if "collection" in facts.over:
        found.append("Collections of the same kind were drawn by resampling documents (Cormack and Lynam 2006).")
    if "assessors" in facts.over:
        found.append(
            "Assessors are crossed with topics: what topics hold of them already is taken away once (Cameron, Gelbach "
            "and Miller 2011)."
        )
    if len(facts.systems) > 2:
        found.append(
            "All pairs of systems are held at once by the largest of their t values, drawn with the covariance of the "
            "scores (Westfall and Young 1993); a system's rank lies between 1 + the number surely better and the number "
            "of systems less those surely worse (Al Mohamad, Goeman and van Zwet 2022)."
        )
    if facts.agreement is not None:
        found.append("Agreement is Krippendorff's alpha (Hayes and Krippendorff 2007), with an interval over documents.")
    return found


def _measure(measure: Measure) -> Html:
    """What the measure itself says: a sentence, a formula, a paper."""
    told = (inspect.getdoc(type(measure)) or "").partition(">>>")[0].strip().replace("`", "")
    blocks = [b for b in told.split("\n\n") if b.strip()]
    return join(
        paragraph(el("b", str(measure)), ": ", " ".join(blocks[0].split()) if blocks else ""),
        *(_formula(" ".join(b.split())) if " = " in b.split("\n")[0] else paragraph(" ".join(b.split())) for b in blocks[1:]),
    )  # fmt: skip
