"""Every measure by name, and measures from text: our strings, those of ir_measures, and trec_eval's names.

A new measure is a new file and a line here.  Files are imported when one of their measures is first asked for, so
that a command pays only for what it uses.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from textwrap import shorten

from truegain.errors import MeasureError
from truegain.measures.base import Measure
from truegain.message import LIST_MEASURES
from truegain.results.base import Table

# ---- Every measure, by name.  A new measure is a new file and a line here.
#
# Files are imported when one of their measures is first asked for, so that a command pays for what it uses only.

# file: the names of its measures
FILES: dict[str, tuple[str, ...]] = {
    "average_precision": ("AP", "GMAP", "LMAP", "infAP", "YAAP", "IPrec", "IPrecAvg"),
    "precision": (
        "P",
        "R",
        "RelP",
        "Success",
        "Rprec",
        "RR",
        "Hits",
        "F1",
        "Accuracy",
        "Judged",
        "Unjudged",
        "SetP",
        "SetR",
        "SetF",
        "SetAP",
        "Utility",
    ),
    "dcg": ("nDCG", "DCG", "CG", "MSnDCG", "nDCGrel", "RnDCG", "binG", "G"),
    "user_models": (
        "ERR",
        "nERR",
        "EBR",
        "iRBU",
        "RBP",
        "RBPResidual",
        "SDCG",
        "BPM",
        "INST",
        "INSQ",
        "NERR8",
        "NERR9",
        "NERR10",
        "NERR11",
        "Compat",
    ),
    "preferences": (
        "Bpref",
        "GMBpref",
        "bpref_N",
        "bpref_R",
        "bpref_relative",
        "rpref_N",
        "rpref_relative",
        "rpref_relative2",
    ),
    "q_measure": ("Q", "O", "P-measure", "P+", "nG", "NCUgu_P", "NCUgu_BR", "NCUrb_P", "NCUrb_BR"),
    "diversity": ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"),
    "intents": (
        "D",
        "D-nDCG",
        "D-Q",
        "D#-nDCG",
        "D#-Q",
        "DIN",
        "DIN-nDCG",
        "DIN-Q",
        "DIN#-nDCG",
        "I-rec",
        "IA",
        "IA-nDCG",
        "IA-ERR",
        "IA-nERR",
        "P+Q",
    ),
    "content": ("AbsNB", "AbsRB", "DeltaNB", "DeltaRB"),
    "counts": ("NumQ", "NumRet", "NumRel", "NumNonrelJudgedRet", "RelString"),
}

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


# ---- trec_eval's names for measures, and what each stands for here.

_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_RECALLS = tuple(f"{x / 10:.2f}" for x in range(11))
_MULTIPLES = tuple(f"{x / 5:.2f}" for x in range(1, 11))

# Names without a number.
PLAIN = {
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRet(rel=1)",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
    "map": "AP",
    "gm_map": "GMAP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "gm_bpref": "GMBpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "11pt_avg": "IPrecAvg",
    "binG": "binG",
    "G": "G",
    "ndcg": "nDCG",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "yaap": "YAAP",
    "utility": "Utility",
    "set_P": "SetP",
    "set_relative_P": "SetP(relative=True)",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "relstring": "RelString@10",
    "rbp": "RBP(p=0.9,max_rel='topic')",
    "rbp_resid": "RBPResidual(p=0.9,trec_eval=True)",
}

# Names with a number after them: what they stand for, and the numbers trec_eval takes by default.
NUMBERED = {
    "P": ("P@{}", _CUTOFFS),
    "recall": ("R@{}", _CUTOFFS),
    "ndcg_cut": ("nDCG@{}", _CUTOFFS),
    "map_cut": ("AP@{}", _CUTOFFS),
    "relative_P": ("RelP@{}", _CUTOFFS),
    "success": ("Success@{}", ("1", "5", "10")),
    "unj": ("Unjudged@{}", ("5", "10", "20")),
    "iprec_at_recall": ("IPrec@{}", _RECALLS),
    "Rprec_mult": ("Rprec(mult={})", _MULTIPLES),
    "set_F": ("SetF(beta={})", ()),
    "relstring": ("RelString@{}", ()),
}

_ALL = (
    "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P recall infAP gm_bpref "
    "Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P success set_P "
    "set_relative_P set_recall set_map set_F num_nonrel_judged_ret rbp rbp_resid unj"
)
NICKNAMES = {
    "official": "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P",
    "set": "num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F",
    "all_trec": _ALL,
}

_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"
_SIGNED = rf"[-+]?{_NUMBER}"
_NUMBERED = "|".join(sorted(NUMBERED, key=len, reverse=True))
_SUFFIXED = re.compile(rf"({_NUMBERED})_({_NUMBER})")
_LISTED = re.compile(rf"({_NUMBERED})\.({_NUMBER}(?:,{_NUMBER})*)")

# Names with several parameters after them, as utility.2,-1,0,0 and ndcg.1=3,2=9; trec_eval prints them behind a _.
_WEIGHED = re.compile(rf"utility[._]({_SIGNED}(?:,{_SIGNED})*)")
_PAIRED = re.compile(rf"(ndcg|rbp|rbp_resid)[._]([\w-]+={_SIGNED}(?:,[\w-]+={_SIGNED})*)")


def is_trec_name(name: str) -> bool:
    """Whether this is a name of trec_eval's, under which its lines show a measure.

    >>> is_trec_name("P_5"), is_trec_name("precision@5")
    (True, False)
    """
    return bool(expanded(name))


def expanded(name: str) -> list[tuple[str, str]]:
    """trec_eval's names behind a name, each with our form; nothing if it is not a name of trec_eval's.

    >>> expanded("P.5,10")
    [('P_5', 'P@5'), ('P_10', 'P@10')]
    >>> expanded("ndcg.1=3,2=9"), expanded("iprec_at_recall..10")
    ([('ndcg_1=3,2=9', 'nDCG(gains={1:3.0,2:9.0})')], [('iprec_at_recall_0.10', 'IPrec@0.1')])
    """
    if name in NICKNAMES:
        return [pair for part in NICKNAMES[name].split() for pair in expanded(part)]
    if name in PLAIN:
        return [(name, PLAIN[name])]
    if name in NUMBERED and NUMBERED[name][1]:
        return [_numbered(name, number) for number in NUMBERED[name][1]]
    if match := _SUFFIXED.fullmatch(name):
        return [_numbered(match[1], match[2])]
    if match := _LISTED.fullmatch(name):
        return [_numbered(match[1], number) for number in sorted(match[2].split(","), key=float)]
    if match := _WEIGHED.fullmatch(name):
        return [(f"utility_{match[1]}", _weighed(name, match[1].split(",")))]
    if match := _PAIRED.fullmatch(name):
        pairs = [(level, float(gain)) for level, gain in (pair.split("=") for pair in match[2].split(","))]
        return [(f"{match[1]}_{match[2]}", _paired(name, match[1], pairs))]
    return []


def _weighed(name: str, weights: list[str]) -> str:
    """Utility with its four weights."""
    if len(weights) != 4:
        raise MeasureError(f"{name}: utility has four weights, not {len(weights)}; write utility.1,-1,0,0")
    numbers = [int(float(w)) if float(w).is_integer() else float(w) for w in weights]  # all their digits
    return "Utility(" + ",".join(f"{x}={w!r}" for x, w in zip("abcd", numbers, strict=True)) + ")"


def _paired(name: str, kind: str, pairs: list[tuple[str, float]]) -> str:
    """Measures with a gain for some levels, and with a persistence p: as trec_eval, the last of one name counts."""
    gains = {level: gain for level, gain in pairs if not (level == "p" and kind != "ndcg")}
    wrong = [level for level in gains if kind == "rbp_resid" or not re.fullmatch(r"-?\d+", level)]
    if wrong:
        takes = {"ndcg": "a gain for levels", "rbp": "p, and a gain for levels", "rbp_resid": "p"}[kind]
        shown = {"ndcg": "ndcg.1=3,2=9", "rbp": "rbp.p=0.8", "rbp_resid": "rbp_resid.p=0.8"}[kind]
        raise MeasureError(f"{name}: {kind} takes {takes}, not {wrong[0]!r}; write it like {shown}")
    table = "{" + ",".join(f"{int(level)}:{gain!r}" for level, gain in gains.items()) + "}"
    options = [f"gains={table}"] if gains else []
    if kind == "ndcg":
        return f"nDCG({options[0]})"
    p = next((value for level, value in reversed(pairs) if level == "p"), 0.9)
    more = [*options, "max_rel='topic'"] if kind == "rbp" else ["trec_eval=True"]
    return f"{'RBP' if kind == 'rbp' else 'RBPResidual'}({','.join([f'p={p!r}', *more])})"


def _numbered(name: str, number: str) -> tuple[str, str]:
    """A name and a number, shown as trec_eval shows it: two decimals for recall and multiples."""
    form, _ = NUMBERED[name]
    shown = f"{float(number):.2f}" if name in ("iprec_at_recall", "Rprec_mult") else number
    return f"{name}_{shown}", form.format(f"{float(number):g}")


# ---- The catalogue of measures as a table.


def list_measures() -> Table:
    """List every measure, with a sentence about each.

    ``help(type(tg.parse_measure("AP")))`` has the formula, source and parameters of one.

    Returns
    -------
    Table
        Columns `measure`, the name, and `what it is` (`what_it_is` in frames), a sentence.

    Examples
    --------
    >>> import truegain as tg
    >>> [row["what it is"] for row in tg.list_measures().records() if row["measure"] == "RR"]
    ['Reciprocal rank of the first relevant document, 0 if there is none (among the first k).']
    """
    rows = [
        (kind.NAME, (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")) for kind in CATALOGUE.values()
    ]
    return Table(("measure", "what it is"), rows, title=f"{len(rows)} measures")


# ---- Measures from text: ir_measures' strings, trec_eval's names, and trec_eval's names of several at once.

_FORM = re.compile(r"\s*(?P<name>[^\s(@]+)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>[^\s@)]+))?\s*", re.DOTALL)

OF_NUGGETS = ("V_strict", "V", "A_strict", "A", "W", "W_strict")  # their class is in `nuggets`
_RBP = re.compile(r"rbp\.(\d+)")  # ranx
_LEVEL = re.compile(r"(?P<name>[a-z][a-z0-9_-]*?)(?P<at>@\d+)?-l(?P<level>\d+)")
_NUMBERS = ("rel", "p", "alpha", "beta", "base", "mult", "T", "q", "gamma")  # parameters that no word can stand for


@dataclass(frozen=True)
class NamedMeasure:
    """A measure and the name it was asked for by."""

    name: str
    measure: Measure


MeasureLike = str | Measure | type[Measure]  # those of ir_measures too, which have no types
MeasuresLike = MeasureLike | NamedMeasure | Iterable[MeasureLike | NamedMeasure]  # one or several


def parse_measure(text: MeasureLike) -> Measure:
    """Parse one measure.

    Parameters
    ----------
    text : str, Measure or measure of ir_measures
        Such as 'nDCG@10', "nDCG(dcg='exp-log2')@20", or a name of trec_eval such as 'ndcg_cut_20'.

    Returns
    -------
    Measure
        Prints back as it parses; equal parameters make equal measures.

    Examples
    --------
    >>> parse_measure("nDCG(dcg='exp-log2')@20"), parse_measure("ndcg_cut_20")
    (nDCG(dcg='exp-log2')@20, nDCG@20)
    """
    several = measures_in(text)
    if len(several) != 1:
        raise MeasureError(
            f"{text} stands for {len(several)} measures, and one is wanted here; name one, such as {several[0].measure}"
        )
    return several[0].measure


def parse_measures(texts: MeasuresLike) -> list[NamedMeasure]:
    """Measures from one or several strings or measures, without repeats, in the order given.

    A measure of ir_measures stands for itself: it has no `__iter__`, yet `list` would ask it for its parts.
    """
    several = isinstance(texts, Iterable) and not isinstance(texts, str | bytes | Mapping | Measure | type)
    items: list[object] = list(texts) if several else [texts]  # type: ignore[arg-type]
    measures = list(dict.fromkeys(a for item in items for a in measures_in(item)))
    if not measures:
        raise MeasureError("no measure was given; name one, such as nDCG@10")
    return measures


def measures_in(text: object) -> list[NamedMeasure]:
    """The measures a text stands for: several where it has commas or spaces, or is a name such as `official`."""
    if isinstance(text, NamedMeasure):
        return [text]
    if isinstance(text, Measure):
        return [NamedMeasure(str(text), text)]
    if isinstance(text, type) and issubclass(text, Measure):
        return measures_in(text())
    if not isinstance(text, str):
        if type(text).__module__.startswith("ir_measures"):
            own = "rel" in getattr(text, "params", {})  # which its text leaves out where it is 1
            return [NamedMeasure(m.name, m.measure.with_own_rel(own)) for m in measures_in(str(text))]
        if text is None:
            raise MeasureError("no measure was given; name one, such as nDCG@10")
        raise MeasureError(
            f"cannot read {shorten(repr(text), 60)} ({type(text).__name__}) as a measure; write it as text, such as "
            "'nDCG@10'"
        )
    parts = split_measures(text)
    if len(parts) > 1:
        return [named for part in parts for named in measures_in(part)]
    trec = expanded(text)
    if trec:
        return [NamedMeasure(name, _canonical(form).with_own_rel(False)) for name, form in trec]
    return [NamedMeasure(text, _canonical(text))]


_BETWEEN = re.compile(r"\s*,\s*|(?<![\s@])\s+(?![\s@(,])")  # commas; spaces, but for those of P @ 10 and P (rel=2)
_GOES_ON = re.compile(rf"(?:[\w-]+=)?{_SIGNED}(?=[,\s]|$)")  # behind a comma of P.5,10 and ndcg.1=3,2=9


def split_measures(text: str) -> list[str]:
    """The names in a text, with commas or spaces between; those within parentheses and quotes divide nothing.

    >>> split_measures("P@10, AP nDCG(dcg='exp-log2', judged_only=True)@10")
    ['P@10', 'AP', "nDCG(dcg='exp-log2', judged_only=True)@10"]
    >>> split_measures("P.5,10,AP"), split_measures("P @ 10")
    (['P.5,10', 'AP'], ['P @ 10'])
    """
    outside, depth, quote = "", 0, ""  # the text, with a letter for all that stands within something
    for sign in text.strip():
        within = bool(quote or depth)
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        else:
            depth += (sign == "(") - (sign == ")" and depth > 0)
        outside += "x" if within else sign
    parts: list[str] = []
    begin = 0
    for between in _BETWEEN.finditer(outside):
        if between[0] != "," or not _GOES_ON.match(outside, between.end()):
            parts.append(text.strip()[begin : between.start()])
            begin = between.end()
    if not parts:
        return [text]
    parts.append(text.strip()[begin:])
    if "" in parts:
        raise MeasureError(f"cannot read the measures {text!r}: no name stands beside a comma; write them like P@10,AP")
    return parts


def _canonical(text: str) -> Measure:
    form = _FORM.fullmatch(text)
    if form is None:
        raise MeasureError(f"cannot read the measure {text!r}; write it like nDCG(dcg='exp-log2')@10")
    if ranx := _of_ranx(form["name"], form["at"]):
        return _canonical(ranx)
    name = ALIASES.get(form["name"], form["name"])
    if "(" in name:  # an alias that sets a parameter, such as NumRelRet
        if form["params"]:
            raise MeasureError(f"{text}: {form['name']} is {name}; write that with the parameters you want")
        return _canonical(name if form["at"] is None else f"{name}@{form['at']}").with_own_rel(False)
    if name in OF_NUGGETS:
        raise MeasureError(
            f"{name} is a measure of nuggets: give the nuggets and what answers support of them, not judgments and runs"
        )
    if name not in CATALOGUE:
        remedy = f"{_like(form['name'])}{LIST_MEASURES} lists all"
        raise MeasureError(
            f"there is no measure {form['name']!r}{remedy}", value=form["name"], remedy=remedy.removeprefix("; ")
        )
    kind = CATALOGUE[name]
    params = _params(text, form["params"], kind)
    try:
        measure = kind(**params)
    except TypeError as error:
        raise MeasureError(f"{text}: {error}") from None
    measure = measure if form["at"] is None else measure @ _at(text, form["at"])
    return measure.in_order(list(params)).with_own_rel("rel" in params)


def _of_ranx(name: str, at: str | None) -> str | None:
    """Names of ranx that hold a number, as ours: rbp.95, and the level of relevance in mrr-l2 and precision@10-l2.

    >>> _of_ranx("rbp.95", None), _of_ranx("mrr-l2", None), _of_ranx("precision", "10-l2")
    ('RBP(p=0.95)', 'RR(rel=2)', 'P(rel=2)@10')
    """
    if match := _RBP.fullmatch(name):
        return f"RBP(p=0.{match[1]})" + (f"@{at}" if at else "")
    match = _LEVEL.fullmatch(name if at is None else f"{name}@{at}")
    ours = ALIASES.get(match["name"], "") if match else ""
    if match is None or not ours or "(" in ours:
        return None
    return f"{ours}(rel={match['level']})" + (match["at"] or "")


def _params(text: str, inside: str | None, kind: type[Measure]) -> dict[str, object]:
    if not inside:
        return {}
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args:
            raise ValueError
        params = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, TypeError, AssertionError, MemoryError, RecursionError):
        raise MeasureError(
            f"cannot read the parameters of {text!r}; write them like (rel=2, judged_only=True)"
        ) from None
    defaults = {f.name: f.default for f in fields(kind)}
    for name, value in params.items():
        if name not in defaults:
            raise MeasureError(f"{text}: {kind.NAME} has no parameter {name!r}; it has {_listed(defaults)}")
        _check_kind(text, name, value, defaults[name])
        if isinstance(defaults[name], Measure):  # a measure of another measure, such as D(of='Q@10')
            params[name] = parse_measure(value)
    return params


def _check_kind(text: str, name: str, value: object, default: object) -> None:
    """A parameter must be of the kind of its default."""
    good = True
    if isinstance(default, bool):
        good = isinstance(value, bool)
    elif isinstance(default, int | float):
        good = isinstance(value, int | float | str) and not isinstance(value, bool)
        good = good and not (isinstance(value, str) and name in _NUMBERS)
    elif isinstance(default, str | Measure):
        good = isinstance(value, str) or (name == "max_rel" and isinstance(value, int | float))
    elif default is None:
        good = not isinstance(value, bool)
    if not good:
        raise MeasureError(f"{text}: {name} cannot be {value!r}")


def _at(text: str, at: str) -> float:
    try:
        return int(at)
    except ValueError:
        try:
            return float(at)
        except ValueError:
            raise MeasureError(f"{text}: {at!r} after @ is not a number; write it like P@10") from None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _like(name: str) -> str:
    """What may have been meant: a name that is near, or a known one and its cutoff, as in P5.

    >>> _like("ndcg_10"), _like("nDGC")
    ('; did you mean nDCG@10? ', '; did you mean nDCG or RnDCG? ')
    """
    lower = {n.lower(): n for n in [*ALIASES, *CATALOGUE]}
    if (deep := re.fullmatch(r"([a-z]+)[_.-]?([1-9]\d*)", name.lower())) and deep[1] in lower:
        ours = f"{ALIASES.get(lower[deep[1]], lower[deep[1]])}@{deep[2]}"
        with suppress(MeasureError):  # of a measure without a cutoff
            return f"; did you mean {_canonical(ours)}? "
    close = difflib.get_close_matches(name.lower(), lower, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(lower[c] for c in close)}? " if close else "; "
