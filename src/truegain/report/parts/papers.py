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
        "almohamad2022", "D. Al Mohamad, J. J. Goeman and E. W. van Zwet", 2022,
        "Simultaneous Confidence Intervals for Ranks With Application to Ranking Institutions",
        "Biometrics", "78(1), 238-247", "10.1111/biom.13419",
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
)  # fmt: skip
PAPERS = {p.key: p for p in _ALL}
