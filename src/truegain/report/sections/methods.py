"""Methods for a paper: what was done, with formulas, citations and BibTeX."""

from __future__ import annotations

from truegain.inference.study.ranking import DRAWS
from truegain.report.facts.facts import Facts
from truegain.report.parts.forms import Form, form_of
from truegain.report.parts.html import Child, Html, el, join, paragraph
from truegain.report.parts.numbers import MINUS, many, named, small
from truegain.report.parts.papers import PAPERS, itself
from truegain.report.parts.section import Section
from truegain.report.parts.table import folded
from truegain.report.parts.words import true_minus

DRAWN = {
    "random": "drawn at random",
    "by-bronze": "drawn by the judge's label",
    "by-gold": "drawn by gold label",
    "topics": "all pairs of some topics",
    "elsewhere": "from elsewhere",
    "ordered": "drawn from an ordered list",
}


def section(facts: Facts) -> Section:
    """Always there."""
    cited = [*(PAPERS[key] for key in _cited(facts)), itself(facts.made.version)]
    references = (el("li", p.cited, f" doi:{p.doi}" if p.doi else "") for p in cited)
    bibtex = "\n\n".join(p.bibtex for p in cited)
    parts: list[Child] = [
        el("h3", "For the paper"),
        paragraph(_what(facts)),
        paragraph(*_moves(facts)),
        _formula(_variance(facts)),
        *(paragraph(x) for x in _more(facts)),
        el("h3", "Measures"),
        *(_measure(form_of(m.measure), str(m.measure)) for m in facts.measures),
        el("h3", "References"),
        el("ul", *references, class_="refs"),
        folded("BibTeX", el("pre", bibtex, tabindex="0")),
    ]
    data = {"bibtex": [p.bibtex for p in cited]}
    return Section("methods", "Methods", "Methods", el("div", *parts, class_="prose"), data)


def _moves(facts: Facts) -> tuple[str, ...]:
    """How the variance of each source is found."""
    left_out = " and ".join(s for s in ("topics", "assessors") if s in facts.over)
    found = [
        f"Each unit has a move, how far it takes a score or a difference; the squares of the moves of {left_out} "
        "(each left out in turn, everything fitted again) add up to the variance over them (Efron and Stein 1981). "
        if left_out
        else "Each unit has a move, how far it takes a score or a difference; their squares add up to a variance. "
    ]
    if facts.judge is not None and facts.judge.rectified:
        found.append("The move of a gold label is what it counts times its residual. ")
    return (*found, "Limits are Student's, with Satterthwaite's degrees of freedom (1946).")


def _variance(facts: Facts) -> str:
    if "assessors" in facts.over:
        cells = f"[V(assessors) {MINUS} V(assessor, topic)] T/(T {MINUS} 1)"
        return f"V = V(topics) + {cells};   d ± t(df) √V;   df = (Σ V)² / Σ (V² / df)"
    away = any(x.away for x in facts.claims[0].first.lines)
    if "topics" in facts.over and away:
        return "V = V(topics) + V(gold labels of other topics);   d ± t(df) √V;   df = (Σ V)² / Σ (V² / df)"
    if "topics" in facts.over:
        return "V = V(topics), in which all that is nested in topics is counted;   d ± t(df) √V"
    return "V = Σ V(source);   d ± t(df) √V;   df = (Σ V)² / Σ (V² / df)"


def _formula(words: str) -> Html:
    return paragraph(words, class_="f")


def _cited(facts: Facts) -> list[str]:
    keys = ["efron1981", "satterthwaite1946"]
    keys += ["cameron2011"] if "assessors" in facts.over else []
    keys += ["cormack2006"] if "collection" in facts.over else []
    if facts.judge is not None:
        keys.append("angelopoulos2023" if facts.judge.rectified else "goldberg2018")
    keys += ["almohamad2018", "westfall1993"] if len(facts.systems) > 2 else []
    keys += ["hayes2007"] if facts.agreement is not None else []
    keys += ["hui2017"] if facts.content is not None else []
    return list(dict.fromkeys([*keys, *(key for m in facts.measures for key in form_of(m.measure).cites)]))


def _what(facts: Facts) -> str:
    names = named([m.name for m in facts.measures], len(facts.measures))
    said = (
        f"We compared {many(len(facts.systems), 'system')} by {names} on {many(facts.topics, 'topic')}, with "
        f"{many(facts.labels, 'rating' if facts.rule else 'label')}"
    )
    if facts.rule:
        said += f" by {many(facts.assessors, 'assessor')}; those of a document became one label by the {facts.rule}"
    said += f" (truegain {facts.made.version}). "
    if facts.judge is not None:
        drawn = DRAWN.get(facts.judge.design, facts.judge.design)
        said += f"A trusted judge labelled {many(facts.gold, 'pair')} ({drawn}), by which scores were corrected. "
    return f"{said}The answers hold {small(facts.holds_for)}; held fixed: {facts.held_fixed}."


def _more(facts: Facts) -> list[str]:
    least = f", and not below the smallest gain that matters ({facts.smallest:g})" if facts.smallest else ""
    short = ", and not better where it lies below that gain" if facts.smallest else ""
    found = [
        f"One system is called better than another where the whole {facts.level} interval of the difference, with the "
        f"worst that unjudged documents could do where that is known, lies above 0{least}; it is called worse where, "
        f"with the best they could do, it lies below 0{short}; otherwise it cannot be told."
    ]
    if facts.judge is not None and not facts.judge.rectified:
        found.append(
            "Scores are corrected by inverting the judge's confusion matrix, measured on the gold labels (Goldberg et "
            "al. 2018); the noise of the gold labels is part of every interval."
        )
    elif facts.corrected:
        found.append(
            "Scores are corrected by the gold labels: the score by the judge's labels, less what the gold labels show "
            "of its errors, weighted as they were drawn (Angelopoulos et al. 2023). The gold labels are a sample, and "
            "their noise is part of every interval."
        )
    if "collection" in facts.over:
        found.append(
            f"Other collections of the same kind were drawn {facts.replicates:,} times by resampling documents "
            f"(Cormack and Lynam 2006; seed {facts.seed})."
        )
    if "assessors" in facts.over:
        found.append(
            "Assessors are crossed with topics: what topics hold of them already is taken away once (Cameron, Gelbach "
            "and Miller 2011)."
        )
    if len(facts.systems) > 2:
        found.append(
            "All pairs of systems are held at once by the largest of their t values, drawn with the covariance of the "
            f"scores (Westfall and Young 1993; {DRAWS[0]:,} to {DRAWS[1]:,} draws, the more systems the fewer; seed "
            f"{facts.seed}); a system's rank lies between 1 + the number surely better and "
            "the number of systems less those surely worse (Al Mohamad, Goeman and van Zwet 2018)."
        )
    if facts.judge is not None and facts.judge.by_system is not None:
        found.append(
            "Whether the judge is equally good for all systems was tested by permuting its errors within topics "
            f"({facts.judge.by_system.trials:,} permutations, seed {facts.seed})."
        )
    if facts.agreement is not None:
        found.append("Agreement is Krippendorff's alpha (Hayes and Krippendorff 2007), its interval over documents.")
    if facts.content is not None:
        names = " and ".join(facts.content.estimates)
        found.append(f"{names} compare the words of what was found with those of what is relevant (Hui et al. 2017).")
    return found


def _measure(form: Form, name: str) -> Html:
    """A sentence with its formula and its paper."""
    about = paragraph(el("b", name), ": ", true_minus(form.words))
    return join(about, _formula(true_minus(form.formula)) if form.formula else None)
