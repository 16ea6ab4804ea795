"""Methods for a paper: what was done, with formulas, citations and BibTeX."""

from __future__ import annotations

from truegain.report.citations import Form, form_of
from truegain.report.facts import Facts, PreferenceFacts
from truegain.report.html import (
    MINUS,
    Child,
    Html,
    Section,
    el,
    folded,
    join,
    many,
    named,
    paragraph,
    small,
    true_minus,
)
from truegain.report.references import PAPERS, itself
from truegain.sampling.catalogue import DESIGNS, SOURCES, outermost
from truegain.study.anytime import LookErrors
from truegain.study.ranking import DRAWS

ORDERED = "drawn from an ordered list"


def section(facts: Facts) -> Section:
    """Always there."""
    cited = [*(PAPERS[key] for key in _cited(facts)), itself(facts.made.version)]
    references = (el("li", p.cited, f" doi:{p.doi}" if p.doi else "") for p in cited)
    bibtex = "\n\n".join(p.bibtex for p in cited)
    parts: list[Child] = [
        el("h3", "For the paper"),
        paragraph(_what(facts)),
        paragraph(*_moves(facts)),
        paragraph(_variance(facts), class_="f"),
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
    left_out = " and ".join(name for name, s in SOURCES.items() if s.left_out and name in facts.over)
    sentences = []
    if left_out:
        sentences.append(
            f"Variance over {left_out} was estimated with the jackknife: each unit was left out in turn and everything "
            "fitted again (Efron and Stein 1981). "
        )
    if (facts.judge is not None and facts.judge.rectified) or (facts.preferences is not None and facts.corrected):
        sentences.append(f"The influence of a {facts.gold_unit} is its weight times its residual. ")
    if facts.looks:
        return (*sentences, *_at_every_look(facts))
    return (*sentences, "Intervals use Student's t with Satterthwaite's degrees of freedom (1946).")


def _at_every_look(facts: Facts) -> tuple[str, ...]:
    """Intervals that hold while labels come in: by what, and how topics are joined to it."""
    by = {
        "betting": "Gold labels have a confidence sequence by betting (Waudby-Smith and Ramdas 2024), which is valid "
        "at every look at the growing list, so that labeling could stop at any of them. ",
        "asymptotic": "Labels have an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas "
        "2024), valid at every look at the growing list if labels are many. ",
    }[facts.looks]
    if not facts.over & {"topics"}:
        return (by,)
    errors = LookErrors.of(facts.confidence, topics=True)
    return (
        by,
        f"Its error is {errors.gold:.3g}. Student's t interval over topics, with the error {errors.topics:.3g}, is "
        "joined to it by squares, below and above; simulations show that the joint error stays below "
        f"{1 - facts.confidence:.3g}.",
    )


def _variance(facts: Facts) -> str:
    if facts.looks:
        own = f"√(t² [V(topics) {MINUS} V(labels)] + h²)" if "topics" in facts.over else "h"
        return f"d {MINUS} {own} to d + {own};   h: how far the confidence sequence reaches below, or above, d"
    if "assessors" in facts.over and "topics" in facts.over:
        unit = SOURCES["assessors"].worded(facts.answers).unit
        cells = f"[V({unit}s) {MINUS} V({unit}, topic)] T/(T {MINUS} 1)"
        return f"V = V(topics) + {cells};   d ± t(df) √V;   df = (Σ V)² / Σ (V² / df)"
    away = any(x.away for x in facts.claims[0].first.by_source)
    if "topics" in facts.over and away:
        return f"V = V(topics) + V({facts.gold_unit}s of other topics);   d ± t(df) √V;   df = (Σ V)² / Σ (V² / df)"
    if "topics" in facts.over:
        outer = outermost(facts.over)[0]
        return f"V = V({outer}), which includes all that is nested in {outer};   d ± t(df) √V"
    return "V = Σ V(source);   d ± t(df) √V;   df = (Σ V)² / Σ (V² / df)"


def _cited(facts: Facts) -> list[str]:
    keys = ["efron1981", "satterthwaite1946"]
    if facts.looks:
        sequence = "waudbysmith2024" if facts.looks == "betting" else "waudbysmith2024b"
        keys = ["efron1981", sequence] if "topics" in facts.over else [sequence]
    keys += [key for name, s in sorted(SOURCES.items()) if name in facts.over for key in s.cites]
    if facts.judge is not None:
        keys.append("angelopoulos2023" if facts.judge.rectified else "goldberg2018")
    keys += ["angelopoulos2023b"] if facts.preferences is not None and facts.corrected else []
    keys += ["almohamad2018", "westfall1993"] if len(facts.systems) > 2 else []
    keys += ["hayes2007"] if facts.agreement is not None else []
    keys += ["hui2017"] if facts.content is not None else []
    return list(dict.fromkeys([*keys, *(key for m in facts.measures for key in form_of(m.measure).cites)]))


def _what(facts: Facts) -> str:
    names = named([m.name for m in facts.measures], len(facts.measures))
    text = (
        f"We compared {many(len(facts.systems), 'system')} by {names} on {many(facts.topics, 'topic')}, with "
        f"{many(facts.labels, 'rating' if facts.rule and not facts.answers else facts.unit)}"
    )
    if facts.preferences is not None:
        text += f" on {many(sum(p.topics for p in facts.preferences.pairs), 'comparison')} of two systems"
    if facts.rule:
        unit, one = ("judge", "value per answer") if facts.answers else ("assessor", "label per document")
        text += f" by {many(facts.assessors, unit)}, combined into one {one} by the {facts.rule}"
    text += f" (truegain {facts.made.version}). "
    if facts.gold_design:
        drawn = DESIGNS[facts.gold_design].drawn if facts.gold_design in DESIGNS else ORDERED
        text += f"Scores were corrected with {many(facts.gold, facts.gold_unit)} ({drawn}). "
    return f"{text}The results hold {small(facts.holds_for)}. Not covered: {facts.not_covered}."


def _more(facts: Facts) -> list[str]:
    least = f", and not below the smallest gain that matters ({facts.min_effect:g})" if facts.min_effect else ""
    short = ", and not better if it lies below that gain" if facts.min_effect else ""
    unjudged = [
        ", with unjudged documents at their worst where that is known",
        " with unjudged documents at their best",
    ]
    worst, best = unjudged if facts.of_documents else ["", ""]
    sentences = [
        f"A system is called better than another if the whole {facts.level} interval of the difference lies above "
        f"0{least}{worst}. It is called worse if the interval lies below 0{best}{short}. Otherwise the comparison is "
        "inconclusive."
    ]
    if facts.judge is not None and not facts.judge.rectified:
        sentences.append(
            "Scores were corrected by inverting the judge's confusion matrix, estimated from the gold labels (Goldberg "
            "et al. 2018). Every interval includes the sampling error of the gold labels."
        )
    elif facts.preferences is not None:
        sentences += _of_preferences(facts, facts.preferences)
    elif facts.corrected:
        sentences.append(
            f"Scores were corrected by prediction-powered inference (Angelopoulos et al. 2023): {_predicted(facts)} "
            "Every interval includes the sampling error of the gold labels."
        )
    sources = [s for name, s in SOURCES.items() if name in facts.over and s.method]
    sentences += [s.worded(facts.answers).method.format(resamples=facts.replicates, seed=facts.seed) for s in sources]
    if len(facts.systems) > 2:
        sentences.append(
            "Pairs of systems were tested simultaneously with the distribution of the largest t, drawn with the "
            f"covariance of the scores (Westfall and Young 1993; {DRAWS[0]:,} to {DRAWS[1]:,} draws, the more systems "
            f"the fewer; seed {facts.seed}). A system's possible ranks run from 1 + the number of systems "
            "significantly better to the number of systems minus those significantly worse (Al Mohamad, Goeman and van "
            "Zwet 2018)."
        )
    if facts.judge is not None and facts.judge.by_system is not None:
        sentences.append(
            "Whether the judge is equally accurate for all systems was tested by permuting its errors within topics "
            f"({facts.judge.by_system.trials:,} permutations, seed {facts.seed})."
        )
    if facts.agreement is not None:
        sentences.append(
            "Agreement is Krippendorff's alpha (Hayes and Krippendorff 2007), its interval over documents."
        )
    if facts.content is not None:
        names = " and ".join(facts.content.estimates)
        sentences.append(
            f"{names} compare the text of retrieved documents with that of relevant ones (Hui et al. 2017)."
        )
    return sentences


def _predicted(facts: Facts) -> str:
    """How people's labels were predicted from the judge's, and what was added to that."""
    if facts.gold_design == "topics":
        return (
            f"gold scores were predicted from the scores by the judge's {facts.unit}s, with the slope fitted on the "
            "other gold topics. The mean difference between gold scores and predictions on the gold topics was then "
            "added."
        )
    return (
        f"the gold label of each {facts.unit} was predicted by the mean gold label, in other topics, of {facts.unit}s "
        "with the same or a similar label by the judge. The mean difference between the system's own gold labels and "
        "these predictions, weighted by the sampling probabilities, was then added."
    )


def _of_preferences(facts: Facts, about: PreferenceFacts) -> list[str]:
    """How votes became scores: ties, weights, the order of showing, and what gold comparisons correct."""
    sentences = [
        "A tie counted as half a win for both. The votes on one topic and pair of systems were averaged: assessors "
        "counted alike, and so did the two orders of showing."
    ]
    if about.position:
        sentences.append("Who was shown first was a column of the model, so that scores are without its effect.")
    if facts.corrected:
        sentences.append(
            "Sums of half-wins and ties were corrected by prediction-powered inference: those of the judge, shrunk by "
            "how well they predict people's, minus their mean error on the gold comparisons of each pair of systems "
            "(Angelopoulos, Duchi and Zrnic 2023). Every interval includes the sampling error of the gold comparisons."
        )
    return sentences


def _measure(form: Form, name: str) -> Html:
    """A sentence with its formula and its paper."""
    about = paragraph(el("b", name), ": ", true_minus(form.words))
    return join(about, paragraph(true_minus(form.formula), class_="f") if form.formula else None)
