"""Every measure, by name.  A new measure is a new file and a line here.

Files are imported when one of their measures is first asked for, so that a command pays for what it uses only.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truegain.measures.base import Measure

# file: the names of its measures
FILES: dict[str, tuple[str, ...]] = {
    "ap": ("AP", "GMAP", "infAP", "YAAP"),
    "precision": ("P", "R", "RelP", "Success", "Rprec", "RR", "Hits", "F1", "Accuracy"),
    "dcg": ("nDCG", "DCG", "CG", "MSnDCG"),
    "err": ("ERR", "nERR", "EBR", "iRBU"),
    "rbp": ("RBP", "RBPResidual"),
    "judged": ("Judged", "Unjudged"),
    "bpref": ("Bpref", "GMBpref"),
    "prefs": ("bpref_N", "bpref_R", "bpref_relative", "rpref_N", "rpref_relative", "rpref_relative2"),
    "iprec": ("IPrec", "IPrecAvg"),
    "sets": ("SetP", "SetR", "SetF", "SetAP", "Utility"),
    "dcg_more": ("nDCGrel", "RnDCG", "binG", "G"),
    "blended": ("Q", "O", "P-measure", "P+", "nG"),
    "ncu": ("NCUgu_P", "NCUgu_BR", "NCUrb_P", "NCUrb_BR"),
    "cwl": ("SDCG", "BPM", "INST", "INSQ", "NERR8", "NERR9", "NERR10", "NERR11"),
    "compat": ("Compat",),
    "diversity": ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"),
    "intents": (
        "D", "D-nDCG", "D-Q", "D#-nDCG", "D#-Q", "DIN", "DIN-nDCG", "DIN-Q", "DIN#-nDCG", "I-rec",
    ),
    "intent_aware": ("IA", "IA-nDCG", "IA-ERR", "IA-nERR", "P+Q"),
    "content": ("AbsNB", "AbsRB", "DeltaNB", "DeltaRB"),
    "counts": ("NumQ", "NumRet", "NumRel", "NumNonrelJudgedRet", "RelString"),
}  # fmt: skip

# Other names of the same things, as ir_measures, ndeval, NTCIREVAL and ranx have them.
ALIASES: dict[str, str] = {
    "MAP": "AP",
    "BPref": "Bpref",
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Hit": "Success",
    "O-measure": "O",
    "P-plus": "P+",
    "Q-measure": "Q",
    "IA-MSnDCG": "IA-nDCG",
    "MAP_IA": "AP_IA",
    "MAP-IA": "AP_IA",
    "P-IA": "P_IA",
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "\u03b1_DCG": "alpha_DCG",
    "\u03b1_nDCG": "alpha_nDCG",
    "strec": "StRecall",
    "NumRelRet": "NumRet(rel=1)",
    "SetRelP": "SetP(relative=True)",
    "precision": "P",
    "recall": "R",
    "hit_rate": "Success",
    "hit": "Success",
    "hits": "Hits",
    "f1": "F1",
    "mrr": "RR",
    "map": "AP",
    "r-precision": "Rprec",
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(dcg='exp-log2')",
    "dcg": "DCG",
    "dcg_burges": "DCG(dcg='exp-log2')",
}


class _Catalogue(Mapping[str, "type[Measure]"]):
    """Names to measures, importing as it goes."""

    def __init__(self, files: dict[str, tuple[str, ...]]) -> None:
        self.file_of = {name: file for file, names in files.items() for name in names}

    def __getitem__(self, name: str) -> type[Measure]:
        module = importlib.import_module(f"truegain.measures.{self.file_of[name]}")
        kinds: Iterator[type[Measure]] = (k for k in vars(module).values() if getattr(k, "NAME", None) == name)
        return next(kinds)

    def __iter__(self) -> Iterator[str]:
        return iter(self.file_of)

    def __len__(self) -> int:
        return len(self.file_of)


CATALOGUE: Mapping[str, type[Measure]] = _Catalogue(FILES)
