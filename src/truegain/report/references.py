"""Papers and books behind the methods, in words and as BibTeX: declared here, and nowhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass

from truegain._version import __date__, __version__

SOURCE = "https://github.com/truegain/truegain"


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
        place = f"{self.where} {self.at.replace('-', chr(0x2013))}".strip().replace(" ,", ",")
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
        field = {"article": "journal", "book": "publisher"}.get(self.kind, "booktitle")
        authors = self.authors.replace(", ", " and ").replace("Al Mohamad", "{Al Mohamad}")  # a surname of two words
        lines = [f"author = {{{authors}}}"]
        lines += [
            f"title = {{{_kept_capitals(self.title)}}}",
            f"{field} = {{{self.where.replace('&', chr(92) + '&')}}}",
            f"year = {{{self.year}}}",
        ]
        volume, _, pages = self.at.partition(", ")
        number = volume.partition("(")[2].rstrip(")")
        lines += [f"volume = {{{volume.partition('(')[0]}}}"] if volume else []
        lines += [f"number = {{{number}}}"] if number else []
        if pages:
            lines.append(f"pages = {{{pages.replace('-', '--')}}}")
        lines += [f"doi = {{{self.doi}}}"] if self.doi else []
        return f"@{self.kind}{{{self.key},\n  " + ",\n  ".join(lines) + "\n}"


def _kept_capitals(title: str) -> str:
    """A title whose acronyms and names stay as they are where a style of BibTeX makes the other words small.

    >>> _kept_capitals("Alternatives to Bpref: the TREC 2024 RAG Track and the Bradley-Terry Model")
    'Alternatives to {Bpref}: the {TREC} 2024 {RAG} Track and the {Bradley-Terry} Model'
    """
    return re.sub(r"Bradley-Terry|Bpref|[\w+]*[A-Z][\w+]*[A-Z][\w+]*", r"{\g<0>}", title)


@dataclass(frozen=True)
class Software(Paper):
    """A program."""

    @property
    def cited(self) -> str:
        """As a list of references has it."""
        return f"{self.authors} ({self.year}). {self.title} ({self.at}). {self.where}."

    @property
    def bibtex(self) -> str:
        """As BibTeX; `misc` is known to every style, `software` is not."""
        lines = (
            f"author = {{{{{self.authors}}}}}", f"title = {{{self.title}}}", f"year = {{{self.year}}}",
            f"note = {{{self.at}}}", f"url = {{{self.where}}}",
        )  # fmt: skip
        return f"@misc{{{self.key},\n  " + ",\n  ".join(lines) + "\n}"


def itself(version: str = __version__) -> Paper:
    """truegain, as a paper cites it.

    >>> print(itself("0.2.0").cited)
    The truegain developers (2026). truegain: is a search system's gain true? (version 0.2.0). https://github.com/truegain/truegain.
    """
    title = "truegain: is a search system's gain true?"
    return Software("truegain", "The truegain developers", int(__date__[:4]), title, SOURCE, f"version {version}")


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
        "arXiv preprint arXiv:1812.05507", "", "10.48550/arXiv.1812.05507",
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
        "PPI++: Efficient Prediction-Powered Inference", "arXiv preprint arXiv:2311.01453", "",
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
        "arXiv preprint arXiv:2411.09607", "", "10.48550/arXiv.2411.09607",
    ),
    Paper(
        "maddalena2017", "E. Maddalena, S. Mizzaro, F. Scholer and A. Turpin", 2017,
        "On Crowdsourcing Relevance Magnitudes for Information Retrieval Evaluation",
        "ACM Transactions on Information Systems", "35(3), 19:1-19:32", "10.1145/3002172",
    ),
    Paper(
        "sakai2017", "T. Sakai", 2017, "Unanimity-Aware Gain for Highly Subjective Assessments",
        "Proceedings of the 8th International Workshop on Evaluating Information Access (EVIA 2017)",
        kind="inproceedings",
    ),
    Paper(
        "buckley2005", "C. Buckley and E. M. Voorhees", 2005, "Retrieval System Evaluation",
        "TREC: Experiment and Evaluation in Information Retrieval, MIT Press", kind="incollection",
    ),
    Paper(
        "aslam2006", "J. A. Aslam, V. Pavlu and E. Yilmaz", 2006,
        "A Statistical Method for System Evaluation Using Incomplete Judgments",
        "Proceedings of the 29th ACM SIGIR Conference", ", 541-548", "10.1145/1148170.1148263", "inproceedings",
    ),
    Paper(
        "aslam2007", "J. A. Aslam and E. Yilmaz", 2007, "Inferring Document Relevance from Incomplete Information",
        "Proceedings of CIKM '07", ", 633-642", kind="inproceedings",
    ),
    Paper(
        "carterette2006", "B. Carterette, J. Allan and R. Sitaraman", 2006,
        "Minimal Test Collections for Retrieval Evaluation",
        "Proceedings of the 29th ACM SIGIR Conference", ", 268-275", kind="inproceedings",
    ),
    Paper(
        "carterette2012", "B. A. Carterette", 2012,
        "Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments",
        "ACM Transactions on Information Systems", "30(1), 4:1-4:34", "10.1145/2094072.2094076",
    ),
    Paper(
        "sakai2006", "T. Sakai", 2006, "Evaluating Evaluation Metrics Based on the Bootstrap",
        "Proceedings of the 29th ACM SIGIR Conference", ", 525-532", "10.1145/1148170.1148261", "inproceedings",
    ),
    Paper(
        "sakai2007", "T. Sakai", 2007, "Alternatives to Bpref",
        "Proceedings of the 30th ACM SIGIR Conference", ", 71-78", "10.1145/1277741.1277756", "inproceedings",
    ),
    Paper(
        "sakai2016", "T. Sakai", 2016, "Topic Set Size Design",
        "Information Retrieval Journal", "19(3), 256-283", "10.1007/s10791-015-9273-z",
    ),
    Paper(
        "sakai2018", "T. Sakai", 2018,
        "Laboratory Experiments in Information Retrieval: Sample Sizes, Effect Sizes, and Statistical Power",
        "Springer", "", "10.1007/978-981-13-1199-4", "book",
    ),
    Paper(
        "smucker2007", "M. D. Smucker, J. Allan and B. Carterette", 2007,
        "A Comparison of Statistical Significance Tests for Information Retrieval Evaluation",
        "Proceedings of CIKM '07", ", 623-632", "10.1145/1321440.1321528", "inproceedings",
    ),
    Paper(
        "student1908", "Student", 1908, "The Probable Error of a Mean",
        "Biometrika", "6(1), 1-25", "10.1093/biomet/6.1.1",
    ),
    Paper(
        "wilson1927", "E. B. Wilson", 1927, "Probable Inference, the Law of Succession, and Statistical Inference",
        "Journal of the American Statistical Association", "22(158), 209-212", "10.1080/01621459.1927.10502953",
    ),
    Paper(
        "raj1956", "D. Raj", 1956, "Some Estimators in Sampling with Varying Probabilities without Replacement",
        "Journal of the American Statistical Association", "51(274), 269-284",
    ),
    Paper(
        "rosen1997", "B. Rosén", 1997, "Asymptotic Theory for Order Sampling",
        "Journal of Statistical Planning and Inference", "62(2), 135-158", "10.1016/S0378-3758(96)00185-1",
    ),
    Paper(
        "rogan1978", "W. J. Rogan and B. Gladen", 1978, "Estimating Prevalence from the Results of a Screening Test",
        "American Journal of Epidemiology", "107(1), 71-76", "10.1093/oxfordjournals.aje.a112510",
    ),
    Paper(
        "lang2014", "Z. Lang and J. Reiczigel", 2014,
        "Confidence Limits for Prevalence of Disease Adjusted for Estimated Sensitivity and Specificity",
        "Preventive Veterinary Medicine", "113(1), 13-22", "10.1016/j.prevetmed.2013.09.015",
    ),
    Paper(
        "newcombe1998", "R. G. Newcombe", 1998,
        "Interval Estimation for the Difference between Independent Proportions: Comparison of Eleven Methods",
        "Statistics in Medicine", "17(8), 873-890",
    ),
    Paper(
        "waudbysmith2024", "I. Waudby-Smith and A. Ramdas", 2024,
        "Estimating Means of Bounded Random Variables by Betting",
        "Journal of the Royal Statistical Society Series B", "86(1), 1-27", "10.1093/jrsssb/qkad009",
    ),
    Paper(
        "waudbysmith2020", "I. Waudby-Smith and A. Ramdas", 2020,
        "Confidence Sequences for Sampling without Replacement",
        "Advances in Neural Information Processing Systems 33 (NeurIPS 2020)",
        "", "10.48550/arXiv.2006.04347", "inproceedings",
    ),
    Paper(
        "waudbysmith2024b", "I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas", 2024,
        "Time-Uniform Central Limit Theory and Asymptotic Confidence Sequences",
        "The Annals of Statistics", "52(6), 2613-2640", "10.1214/24-AOS2408",
    ),
    Paper(
        "shekhar2023", "S. Shekhar, Z. Xu, Z. Lipton, P. Liang and A. Ramdas", 2023,
        "Risk-Limiting Financial Audits via Weighted Sampling without Replacement",
        "Proceedings of the 39th Conference on Uncertainty in Artificial Intelligence (UAI 2023)",
        ", 1932-1941", kind="inproceedings",
    ),
    Paper(
        "dawid1979", "A. P. Dawid and A. M. Skene", 1979,
        "Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm",
        "Journal of the Royal Statistical Society Series C", "28(1), 20-28", "10.2307/2346806",
    ),
    Paper(
        "whitehill2009", "J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma and J. Movellan", 2009,
        "Whose Vote Should Count More: Optimal Integration of Labels from Labelers of Unknown Expertise",
        "Advances in Neural Information Processing Systems 22 (NIPS 2009)", ", 2035-2043", kind="inproceedings",
    ),
    Paper(
        "hovy2013", "D. Hovy, T. Berg-Kirkpatrick, A. Vaswani and E. Hovy", 2013, "Learning Whom to Trust with MACE",
        "Proceedings of NAACL-HLT 2013", ", 1120-1130", kind="inproceedings",
    ),
    Paper(
        "fleiss1971", "J. L. Fleiss", 1971, "Measuring Nominal Scale Agreement among Many Raters",
        "Psychological Bulletin", "76(5), 378-382", "10.1037/h0031619",
    ),
    Paper(
        "cohen1968", "J. Cohen", 1968,
        "Weighted Kappa: Nominal Scale Agreement Provision for Scaled Disagreement or Partial Credit",
        "Psychological Bulletin", "70(4), 213-220", "10.1037/h0026256",
    ),
    Paper(
        "kendall1948", "M. G. Kendall", 1948, "Rank Correlation Methods",
        "Griffin", kind="book",
    ),
    Paper(
        "yilmaz2008", "E. Yilmaz, J. A. Aslam and S. Robertson", 2008,
        "A New Rank Correlation Coefficient for Information Retrieval",
        "Proceedings of the 31st ACM SIGIR Conference", ", 587-594", "10.1145/1390334.1390435", "inproceedings",
    ),
    Paper(
        "urbano2017", "J. Urbano and M. Marrero", 2017, "The Treatment of Ties in AP Correlation",
        "Proceedings of ICTIR '17", kind="inproceedings",
    ),
    Paper(
        "webber2010", "W. Webber, A. Moffat and J. Zobel", 2010, "A Similarity Measure for Indefinite Rankings",
        "ACM Transactions on Information Systems", "28(4), 20:1-20:38", "10.1145/1852102.1852106",
    ),
    Paper(
        "voorhees2002", "E. M. Voorhees and C. Buckley", 2002,
        "The Effect of Topic Set Size on Retrieval Experiment Error",
        "Proceedings of the 25th ACM SIGIR Conference", ", 316-323", "10.1145/564376.564432", "inproceedings",
    ),
)  # fmt: skip
PAPERS = {p.key: p for p in _ALL}
