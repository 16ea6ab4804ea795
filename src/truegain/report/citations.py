"""Measures as a paper has them, with formulas, and the papers that a page may cite, in words and as BibTeX."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, fields

from truegain.measures.base import Measure
from truegain.measures.parse import OF_NUGGETS
from truegain.report.html import EN

# ---- Papers that a page may cite: in words and as BibTeX.


@dataclass(frozen=True)
class Paper:
    """One paper."""

    key: str
    authors: str
    year: int
    title: str
    where: str  # journal, or proceedings
    at: str = ""  # volume(number), pages
    doi: str = ""
    kind: str = "article"

    @property
    def cited(self) -> str:
        """As a list of references has it."""
        place = f"{self.where} {self.at.replace('-', EN)}".strip().replace(" ,", ",")
        return f"{self.authors} ({self.year}). {self.title}. {place}."

    @property
    def bibtex(self) -> str:
        """As BibTeX.

        >>> print(PAPERS["efron1981"].bibtex)
        @article{efron1981,
          author = {B. Efron and C. Stein},
          title = {The Jackknife Estimate of Variance},
          journal = {The Annals of Statistics},
          year = {1981},
          volume = {9},
          number = {3},
          pages = {586--596},
          doi = {10.1214/aos/1176345462}
        }
        """
        field = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}[self.kind]
        lines = [f"author = {{{self.authors.replace(', ', ' and ')}}}"]
        lines += [
            f"title = {{{self.title}}}",
            f"{field} = {{{self.where.replace('&', chr(92) + '&')}}}",
            f"year = {{{self.year}}}",
        ]
        volume, _, pages = self.at.partition(", ")
        if "(" in volume:
            lines += [
                f"volume = {{{volume.partition('(')[0]}}}",
                f"number = {{{volume.partition('(')[2].rstrip(')')}}}",
            ]
        if pages:
            lines.append(f"pages = {{{pages.replace('-', '--')}}}")
        lines += [f"doi = {{{self.doi}}}"] if self.doi else []
        return f"@{self.kind}{{{self.key},\n  " + ",\n  ".join(lines) + "\n}"


_ALL = (
    Paper(
        "efron1981", "B. Efron and C. Stein", 1981, "The Jackknife Estimate of Variance",
        "The Annals of Statistics", "9(3), 586-596", "10.1214/aos/1176345462",
    ),
    Paper(
        "satterthwaite1946", "F. E. Satterthwaite", 1946,
        "An Approximate Distribution of Estimates of Variance Components",
        "Biometrics Bulletin", "2(6), 110-114", "10.2307/3002019",
    ),
    Paper(
        "cameron2011", "A. C. Cameron, J. B. Gelbach and D. L. Miller", 2011,
        "Robust Inference With Multiway Clustering",
        "Journal of Business & Economic Statistics", "29(2), 238-249", "10.1198/jbes.2010.07136",
    ),
    Paper(
        "almohamad2018", "D. Al Mohamad, J. J. Goeman and E. W. van Zwet", 2018,
        "Simultaneous Confidence Intervals for Ranks With Application to Ranking Institutions",
        "arXiv:1812.05507", "", "10.48550/arXiv.1812.05507",
    ),
    Paper(
        "westfall1993", "P. H. Westfall and S. S. Young", 1993,
        "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment", "Wiley", kind="book",
    ),
    Paper(
        "angelopoulos2023", "A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic", 2023,
        "Prediction-Powered Inference", "Science", "382(6671), 669-674", "10.1126/science.adi6000",
    ),
    Paper(
        "angelopoulos2023b", "A. N. Angelopoulos, J. C. Duchi and T. Zrnic", 2023,
        "PPI++: Efficient Prediction-Powered Inference", "arXiv preprint", "arXiv:2311.01453",
        "10.48550/arXiv.2311.01453",
    ),
    Paper(
        "bradley1952", "R. A. Bradley and M. E. Terry", 1952,
        "Rank Analysis of Incomplete Block Designs: I. The Method of Paired Comparisons", "Biometrika",
        "39(3/4), 324-345", "10.2307/2334029",
    ),
    Paper(
        "davidson1970", "R. R. Davidson", 1970,
        "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
        "Journal of the American Statistical Association", "65(329), 317-328", "10.1080/01621459.1970.10481082",
    ),
    Paper(
        "goldberg2018", "D. Goldberg, A. Trotman, X. Wang, W. Min and Z. Wan", 2018,
        "Further Insights on Drawing Sound Conclusions from Noisy Judgments",
        "ACM Transactions on Information Systems", "36(4), 36:1-36:31", "10.1145/3186195",
    ),
    Paper(
        "hui2017", "K. Hui, K. Berberich and I. Mele", 2017, "Dealing with Incomplete Judgments in Cascade Measures",
        "Proceedings of ICTIR '17", "", "10.1145/3121050.3121064", "inproceedings",
    ),
    Paper(
        "cormack2006", "G. V. Cormack and T. R. Lynam", 2006,
        "Statistical Precision of Information Retrieval Evaluation",
        "Proceedings of the 29th ACM SIGIR Conference", ", 533-540", "10.1145/1148170.1148262", "inproceedings",
    ),
    Paper(
        "hayes2007", "A. F. Hayes and K. Krippendorff", 2007,
        "Answering the Call for a Standard Reliability Measure for Coding Data",
        "Communication Methods and Measures", "1(1), 77-89", "10.1080/19312450709336664",
    ),
    Paper(
        "jarvelin2002", "K. Järvelin and J. Kekäläinen", 2002, "Cumulated Gain-Based Evaluation of IR Techniques",
        "ACM Transactions on Information Systems", "20(4), 422-446", "10.1145/582415.582418",
    ),
    Paper(
        "burges2005", "C. Burges, T. Shaked, E. Renshaw, A. Lazier, M. Deeds, N. Hamilton and G. Hullender", 2005,
        "Learning to Rank Using Gradient Descent", "Proceedings of the 22nd International Conference on Machine "
        "Learning", ", 89-96", "10.1145/1102351.1102363", "inproceedings",
    ),
    Paper(
        "moffat2008", "A. Moffat and J. Zobel", 2008,
        "Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        "ACM Transactions on Information Systems", "27(1), 2:1-2:27", "10.1145/1416950.1416952",
    ),
    Paper(
        "chapelle2009", "O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan", 2009,
        "Expected Reciprocal Rank for Graded Relevance", "Proceedings of CIKM '09", ", 621-630",
        "10.1145/1645953.1646033", "inproceedings",
    ),
    Paper(
        "buckley2004", "C. Buckley and E. M. Voorhees", 2004, "Retrieval Evaluation with Incomplete Information",
        "Proceedings of the 27th ACM SIGIR Conference", ", 25-32", "10.1145/1008992.1009000", "inproceedings",
    ),
    Paper(
        "yilmaz2006", "E. Yilmaz and J. A. Aslam", 2006,
        "Estimating Average Precision with Incomplete and Imperfect Judgments", "Proceedings of CIKM '06",
        ", 102-111", "10.1145/1183614.1183633", "inproceedings",
    ),
    Paper(
        "clarke2008",
        "C. L. A. Clarke, M. Kolla, G. V. Cormack, O. Vechtomova, A. Ashkan, S. Büttcher and I. MacKinnon", 2008,
        "Novelty and Diversity in Information Retrieval Evaluation", "Proceedings of the 31st ACM SIGIR Conference",
        ", 659-666", "10.1145/1390334.1390446", "inproceedings",
    ),
    Paper(
        "pradeep2024", "R. Pradeep, N. Thakur, S. Upadhyay, D. Campos, N. Craswell and J. Lin", 2024,
        "Initial Nugget Evaluation Results for the TREC 2024 RAG Track with the AutoNuggetizer Framework",
        "arXiv preprint", "arXiv:2411.09607", "10.48550/arXiv.2411.09607",
    ),
)  # fmt: skip
PAPERS = {p.key: p for p in _ALL}


@dataclass(frozen=True)
class Software(Paper):
    """A program, which has a version in place of a year."""

    @property
    def cited(self) -> str:
        """As a list of references has it."""
        return f"{self.authors}. {self.title} ({self.at})."

    @property
    def bibtex(self) -> str:
        """As BibTeX."""
        lines = f"author = {{{{{self.authors}}}}},\n  title = {{{self.title}}},\n  note = {{{self.at}}}"
        return f"@misc{{{self.key},\n  {lines}\n}}"


def itself(version: str) -> Paper:
    """truegain, as a paper cites it.

    >>> print(itself("0.1.0").cited)
    The truegain developers. truegain: is a search system's gain true? (version 0.1.0).
    """
    title = "truegain: is a search system's gain true?"
    return Software("truegain", "The truegain developers", 0, title, "", f"version {version}")


# ---- Measures as a paper has them: what they are, the formula in the form that was used, and whom to cite.

GAINS = {
    "log2": "the gain is the label",
    "jk": "the gain is the label",
    "exp-log2": "the gain is 2^label - 1",
    "exp-jk": "the gain is 2^label - 1",
}
CITED = {  # by name: (key, as the text cites it)
    "DCG": (("jarvelin2002", "Järvelin and Kekäläinen 2002"),),
    "nDCG": (("jarvelin2002", "Järvelin and Kekäläinen 2002"),),
    "RBP": (("moffat2008", "Moffat and Zobel 2008"),),
    "ERR": (("chapelle2009", "Chapelle et al. 2009"),),
    "nERR": (("chapelle2009", "Chapelle et al. 2009"),),
    "Bpref": (("buckley2004", "Buckley and Voorhees 2004"),),
    "infAP": (("yilmaz2006", "Yilmaz and Aslam 2006"),),
    "alpha_nDCG": (("clarke2008", "Clarke et al. 2008"),),
    "Bradley-Terry": (("bradley1952", "Bradley and Terry 1952"),),
    "win-rate": (("bradley1952", "Bradley and Terry 1952"),),
    "Davidson": (("davidson1970", "Davidson 1970"),),
    **dict.fromkeys(OF_NUGGETS, (("pradeep2024", "Pradeep et al. 2024"),)),
}
EXPONENTIAL = ("burges2005", "Burges et al. 2005")


@dataclass(frozen=True)
class Form:
    """A measure in words and as a formula; `cites` are the keys of papers."""

    words: str
    formula: str
    cites: tuple[str, ...] = ()


def form_of(measure: Measure) -> Form:
    """The form of a measure with its own cutoff and parameters.

    >>> from truegain.measures.parse import parse_measure
    >>> form_of(parse_measure("P(rel=2)@10")).formula
    'P@10 = C(10) / 10'
    >>> form_of(parse_measure("RBP(p=0.9)")).words.partition("; ")[2]
    'p = 0.9; the gain is the label (Moffat and Zobel 2008).'
    """
    docstring = (inspect.getdoc(type(measure)) or "").partition(">>>")[0].replace("`", "")
    first, *rest = [" ".join(b.split()) for b in docstring.split("\n\n") if b.strip()] or [""]
    first = re.sub(r": \w+\(of=.*", "", first)  # another way to write it
    formula = next((b for b in rest if " = " in b[:40]), "")
    at = getattr(measure, measure.AT) if measure.AT else None
    made = OWN.get(measure.NAME)
    words, formula, about = made(measure) if made is not None else (first.rstrip("."), formula, _parameters(measure))
    if made is None:
        words, formula = _at(words, at), _at(formula, at)
    cites: tuple[tuple[str, str], ...] = CITED.get(measure.NAME, ())
    cites += (EXPONENTIAL,) if str(getattr(measure, "dcg", "")).startswith("exp") else ()
    by = f" ({'; '.join(text for _, text in cites)})" if cites else ""
    return Form(f"{'; '.join([words, *about])}{by}.", formula, tuple(key for key, _ in cites))


def _at(text: str, cutoff: float | None) -> str:
    """A text about the first k with the cutoff in place of k, or without k where there is none."""
    if cutoff is not None:
        return re.sub(r"\bk\b", f"{cutoff:g}", text)
    return re.sub(r"@k\b| \((?:among the first|by rank) k\)", "", text)


def _relevant(measure: Measure) -> list[str]:
    """From which label on a document is relevant, where that counts."""
    rel = getattr(measure, "rel", None)
    return [] if rel is None else [f"a document is relevant from label {rel:g} on"]


def _judged(measure: Measure) -> list[str]:
    return ["unjudged documents are left out of the lists"] if getattr(measure, "judged_only", False) else []


def _empty(measure: Measure) -> list[str]:
    """What a topic counts that has no nugget of the kind."""
    words = {"zero": "a topic that has none of these nuggets counts 0", "skip": ""}
    return [*filter(None, [words.get(getattr(measure, "empty", ""), "")])]


def _parameters(measure: Measure) -> list[str]:
    """The parameters that no sentence here explains, with their values."""
    explained = ("cutoff", "rel", "judged_only", "empty", measure.AT)
    parameters = [(f.name, getattr(measure, f.name)) for f in fields(measure) if f.name not in explained]
    return [
        *(f"{name} = {value}" for name, value in parameters if value is not None and value is not False),
        *_relevant(measure),
        *_judged(measure),
        *_empty(measure),
    ]


def _gains(measure: Measure) -> str:
    mapped = getattr(measure, "gains", None)
    if mapped:
        return "gains are " + ", ".join(f"{gain:g} for label {label:g}" for label, gain in mapped)
    return GAINS.get(str(getattr(measure, "dcg", "")), "the gain is the label")


Made = tuple[str, str, list[str]]


def _precision(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    words = f"Share of the first {k} documents that are relevant, C({k}) of them"
    return words, f"{m.NAME}@{k} = C({k}) / {k}", [*_relevant(m), *_judged(m)]


def _average_precision(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    by = "R" if k is None or getattr(m, "norm", "R") == "R" else f"min({k}, R)"
    words = "Mean over the R relevant documents of the precision at their ranks, 0 for those not retrieved"
    words += "" if k is None else f" by rank {k}"
    return words, f"{m.NAME}{'' if k is None else f'@{k}'} = (1/{by}) Σ C(i)/i over relevant ranks i", [
        *_relevant(m), *_judged(m)]  # fmt: skip


def _discount(m: Measure) -> str:
    if str(getattr(m, "dcg", "")).endswith("jk"):
        base = getattr(m, "base", 2)
        return f"max(1, log{base:g}(i))"
    return "log2(i + 1)"


def _dcg(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    where = "over the whole list" if k is None else f"to rank {k}"
    name = f"{m.NAME}{'' if k is None else f'@{k}'}"
    return f"Gain over the logarithm of the rank, summed {where}", f"{name} = Σ gain(i) / {_discount(m)}", [
        _gains(m), *_judged(m)]  # fmt: skip


def _ndcg(m: Measure) -> Made:
    k = getattr(m, "cutoff", None)
    at = "" if k is None else f"@{k}"
    words = "Discounted cumulated gain as a share of that of the judged documents in their best order"
    return words, f"nDCG{at} = DCG{at} / best DCG{at};   DCG{at} = Σ gain(i) / {_discount(m)}", [_gains(m), *_judged(m)]


def _rbp(m: Measure) -> Made:
    words = "Gain per document for a user who goes on to the next one with probability p"
    rel, most = getattr(m, "rel", None), getattr(m, "max_rel", None)
    gain = f"the gain is 1 from label {rel:g} on, else 0" if rel is not None else _gains(m)
    whose = {"scale": "the highest of all judgments", "topic": "the topic's highest"}
    gain += "" if most is None else f", divided by {whose.get(str(most), most)}"
    return words, "RBP = (1 - p) Σ gain(i) p^(i - 1)", [f"p = {getattr(m, 'p', 0.8):g}", gain, *_judged(m)]


def _err(m: Measure) -> Made:
    k, most = getattr(m, "cutoff", None), getattr(m, "max_rel", None)
    gain = "(2^gain - 1) / 2^g" if getattr(m, "rule", "exp") == "exp" else "gain / (g + 1)"
    highest = {"scale": "the highest gain of all judgments", "topic": "the highest gain of the topic"}.get(
        str(most), str(most)
    )
    words = "Expected reciprocal of the rank at which the user is satisfied and stops"
    formula = f"{m.NAME}{'' if k is None else f'@{k}'} = Σ (1/i) p(i) Π (1 - p(j)), j < i;   p = {gain}"
    return words, formula, [f"g = {highest}", _gains(m), *_judged(m)]


def _half_wins(m: Measure) -> Made:
    words = "Share of comparisons won, a tie counting 1/2, in the mean of the topics and of the other systems"
    return words, f"{m.NAME}(s) = (1/T) Σ (1/(S - 1)) Σ h(t, s, o), over topics t and other systems o", []


def _bradley_terry(m: Measure) -> Made:  # noqa: ARG001
    words = "Strength θ of a system, by maximum likelihood; a tie counts as half a win"
    return words, "log P(a wins)/P(b wins) = θ(a) - θ(b);   Σ θ = 0", []


def _win_rate(m: Measure) -> Made:
    words = "Chance to win against another system, in the mean of the others, by Bradley-Terry"
    return words, f"{m.NAME}(s) = (1/(S - 1)) Σ 1/(1 + exp(θ(o) - θ(s))), over other systems o", []


def _davidson(m: Measure) -> Made:  # noqa: ARG001
    words = "Strength θ of a system, by maximum likelihood, with ties of their own"
    return words, "P(tie) = c/(exp(d/2) + exp(-d/2) + c);   d = θ(a) - θ(b);   Σ θ = 0", []


OWN: dict[str, Callable[[Measure], Made]] = {
    "half-wins": _half_wins, "Bradley-Terry": _bradley_terry, "win-rate": _win_rate, "Davidson": _davidson,
    "P": _precision, "AP": _average_precision, "DCG": _dcg, "nDCG": _ndcg, "RBP": _rbp, "ERR": _err,
}  # fmt: skip
