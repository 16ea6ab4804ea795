"""Papers that a page may cite: in words and as BibTeX."""

from __future__ import annotations

from dataclasses import dataclass

from truegain.report.parts.numbers import EN


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
