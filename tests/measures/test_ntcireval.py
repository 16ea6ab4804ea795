"""NTCIREVAL: every value of the real tool, and what must hold for any judgments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truegain as tg
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.measures.q_measure import preferred

Values = Mapping[str, float]


@dataclass(frozen=True)
class Setting:
    """What NTCIREVAL was told: gains, their highest (-g), beta, stop values, gamma, logb, rbp and rbup."""

    gains: str = ""
    max_rel: str = "3"
    beta: str = ""
    stops: str = ""
    gamma: str = ""
    base: str = ""
    p: str = "0.95"


SETTINGS = {
    "g1:2:3": Setting(),
    "g1:3:7 beta10": Setting(gains="gains={1:1,2:3,3:7}", max_rel="7", beta="beta=10"),
    "g1:2:3 stops": Setting(stops="stops={1:1,2:1,3:5}", gamma="gamma=0.8", base="base=10", p="0.8"),
}
DIRECT = Setting(max_rel="'topic'")  # gcompute: the highest gain is that of the topic


def ours(name: str, s: Setting) -> str:
    """Our string for a measure as NTCIREVAL prints it, such as MSnDCG@0010."""
    head, _, cutoff = name.partition("@")
    stop = (f"max_rel={s.max_rel}", "rule='gain'", s.gains)
    params: dict[str, tuple[str, ...]] = {
        "AP": ("norm='min'",),
        "nDCG": ("dcg='jk'", s.base, s.gains),
        "MSnDCG": (s.gains,),
        "RBP": (f"p={s.p}", f"max_rel={s.max_rel}", s.gains),
        "ERR": stop,
        "nERR": stop,
        "EBR": (*stop, s.beta),
        "iRBU": (*stop, "q=0.99"),
        **dict.fromkeys(("O-measure", "P-measure", "P-plus", "Q-measure", "Q"), (s.beta, s.gains)),
        **dict.fromkeys(("NCUgu,P", "NCUgu,BR"), (s.beta, s.gains, s.stops)),
        **dict.fromkeys(("NCUrb,P", "NCUrb,BR"), (s.beta, s.gains, s.gamma)),
        "rpref_N": (f"max_rel={s.max_rel}", s.gains),
        **dict.fromkeys(("rpref_relative", "rpref_relative2"), (s.gains,)),
    }
    given = ",".join(part for part in params.get(head, ()) if part)
    head = {"bpref": "Bpref"}.get(head, head.replace(",", "_"))
    return f"{head}{f'({given})' if given else ''}{f'@{int(cutoff)}' if cutoff else ''}"


def in_order(docs: Sequence[str]) -> dict[str, float]:
    """A run that keeps the order given."""
    return {doc: float(len(docs) - i) for i, doc in enumerate(docs)}


def evaluated(runs: Any, judgments: Any, measures: Iterable[str], **options: Any) -> tg.Scores:
    """Scores; the data is legal but looks odd to the checks, so warnings are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        return tg.evaluate(runs, judgments, list(measures), **options)


def compare(found: tg.Scores, want: Mapping[str, Values], name_of: Callable[[str], str], within: float = 1e-9) -> int:
    """Assert that each topic has the values wanted; how many there were."""
    wrong: list[tuple[object, ...]] = []
    names = {name: str(tg.parse_measure(name_of(name))) for values in want.values() for name in values}
    for name, measure in names.items():
        by_topic = found.by_topic("run", measure)
        for topic, values in want.items():
            if name in values and by_topic[topic] != pytest.approx(values[name], abs=within, rel=0):
                wrong.append((topic, name, measure, by_topic[topic], values[name]))
    assert not wrong, wrong[:5]
    return sum(map(len, want.values()))


@pytest.mark.few(4)
@pytest.mark.parametrize("condensed", [False, True])
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_adhoc_value(conformance: Any, setting: str, condensed: bool) -> None:
    """Guards every adhoc formula with its gains, beta, stop values, gamma and log base, on full and condensed lists."""
    cases = {case["id"]: case for case in conformance("ntcireval")["adhoc"]}
    want = {i: case["expected"][setting + " condensed" * condensed] for i, case in cases.items()}
    names = dict.fromkeys(name for values in want.values() for name in values)

    def name_of(name: str) -> str:
        return ours(name, SETTINGS[setting])

    found = evaluated(
        {i: in_order(case["res"]) for i, case in cases.items()},
        {i: case["rel"] for i, case in cases.items()},
        map(name_of, names),
        scoring=tg.Scoring(judged_only=condensed),
    )
    assert compare(found, want, name_of) >= 2190


def test_every_value_of_pyntcireval(conformance: Any) -> None:
    """Guards agreement with the Python port, which has no other values than NTCIREVAL where it has any."""
    cases = {case["id"]: case for case in conformance("ntcireval")["adhoc"]}
    want = {i: case["pyNTCIREVAL"] for i, case in cases.items()}
    names = dict.fromkeys(name for values in want.values() for name in values)

    def name_of(name: str) -> str:
        return ours(name, SETTINGS["g1:2:3"])

    found = evaluated(
        {i: in_order(case["res"]) for i, case in cases.items()},
        {i: case["rel"] for i, case in cases.items()},
        map(name_of, names),
    )
    assert compare(found, want, name_of) >= 1620


@dataclass(frozen=True)
class Diversity:
    """The diversity cases as one collection."""

    runs: dict[str, dict[str, float]]
    judgments: pl.DataFrame
    intents: tg.Intents
    expected: dict[str, Any]

    @classmethod
    def of(cls, cases: Sequence[dict[str, Any]], ranking: str = "res") -> Diversity:
        """Each case is a topic."""
        rows = [(c["id"], str(i), doc, label) for c in cases for i, doc, label in c["qrels"]]
        return cls(
            {c["id"]: in_order(c[ranking]) for c in cases},
            pl.DataFrame(rows, ["topic", "subtopic", "doc", "label"], orient="row"),
            tg.Intents({c["id"]: c["intent_prob"] for c in cases}, {c["id"]: c["intent_type"] for c in cases}),
            {c["id"]: c["expected"] for c in cases},
        )

    def check(self, cutoff: str, part: str, name_of: Callable[[str], str]) -> int:
        """Compare one dictionary of expected values."""
        want = {topic: expected[cutoff][part] for topic, expected in self.expected.items()}
        names = {name_of(name): None for values in want.values() for name in values}
        found = evaluated(self.runs, self.judgments, names, intents=self.intents)
        return compare(found, want, name_of)


@pytest.mark.parametrize("cutoff", ["5", "10", "20"])
@pytest.mark.parametrize("part", ["D", "DIN"])
def test_every_measure_of_global_gains(conformance: Any, part: str, cutoff: str) -> None:
    """Guards global gains, cutting before scoring, the topic's own highest gain, and navigational intents (DIN)."""
    data = Diversity.of(conformance("ntcireval")["diversity"])

    def name_of(name: str) -> str:
        return f"{part}(of={ours(name, DIRECT)!r})@{cutoff}"

    assert data.check(cutoff, part, name_of) >= 20 * 21
    thin = {f"Q@00{int(cutoff):02}": f"{part}-Q@{cutoff}", f"MSnDCG@00{int(cutoff):02}": f"{part}-nDCG@{cutoff}"}
    want = {t: {name: e[cutoff][part][name] for name in thin} for t, e in data.expected.items()}
    found = evaluated(data.runs, data.judgments, thin.values(), intents=data.intents)
    assert compare(found, want, thin.__getitem__) == 40


@pytest.mark.parametrize("cutoff", ["5", "10", "20"])
@pytest.mark.parametrize(("part", "each"), [("Irec", 2), ("IA", 3), ("Dsharp", 2), ("DINsharp", 1)])
def test_every_named_measure_of_intents(conformance: Any, part: str, each: int, cutoff: str) -> None:
    """Guards I-rec with both cutoffs, probabilities that are not renormalized, and the mix with gamma 0.5."""
    data = Diversity.of(conformance("ntcireval")["diversity"])

    def name_of(name: str) -> str:
        return "I-rec" if name == "I-rec@n" else f"{name.partition('@')[0]}@{cutoff}"

    assert data.check(cutoff, part, name_of) == 20 * each


@pytest.mark.parametrize("cutoff", ["5", "10", "20"])
def test_every_measure_of_one_intent(conformance: Any, cutoff: str) -> None:
    """Guards adhoc measures in direct gain mode: the judgments of one intent alone, lists cut first."""
    runs: dict[str, dict[str, float]] = {}
    judgments: dict[str, dict[str, float]] = {}
    want: dict[str, Values] = {}
    for case in conformance("ntcireval")["diversity"]:
        for intent, values in case["expected"][cutoff]["per_intent"].items():
            topic = f"{case['id']}-{intent}"
            runs[topic], want[topic] = in_order(case["res"]), values
            judgments[topic] = {doc: label for i, doc, label in case["qrels"] if str(i) == intent}
    names = {ours(name, DIRECT): None for values in want.values() for name in values}
    found = evaluated(runs, judgments, names, scoring=tg.Scoring(depth=int(cutoff)))
    assert compare(found, want, lambda name: ours(name, DIRECT)) == 76 * 21


@pytest.mark.parametrize(
    ("example", "setting", "condensed"),
    [
        ("ntcir-1", Setting(), False),
        ("ntcir-1-exp", Setting(gains="gains={1:1,2:3,3:7}", max_rel="7"), False),
        ("ntcir-1-beta10", Setting(beta="beta=10"), False),
        ("ntcir-1-condensed", Setting(), True),
    ],
)
def test_the_worked_adhoc_examples(examples: Any, example: str, setting: Setting, condensed: bool) -> None:
    """Guards the examples of the definitions, six decimals."""
    data, want = examples["ntcir-1"]["input"], examples[example]["expected"]
    found = evaluated(
        {"1": in_order(data["res"])},
        {"1": data["rel"]},
        [ours(n, setting) for n in want],
        scoring=tg.Scoring(judged_only=condensed),
    )
    assert compare(found, {"1": want}, lambda name: ours(name, setting), within=5.1e-7) == len(want)


def test_the_worked_example_of_intents(examples: Any) -> None:
    """Guards the D-measures of the definitions, six decimals, and P+Q, which is nowhere else."""
    case = examples["dmeasures-1"]
    data = Diversity.of([{"id": "1", "expected": {}, **case["input"]}], "ranking")
    want = {name: value for name, value in case["expected"].items() if name != "global_gains"}

    def name_of(name: str) -> str:
        return name.replace("@000", "@")

    found = evaluated(data.runs, data.judgments, map(name_of, want), intents=data.intents)
    assert compare(found, {"1": want}, name_of, within=5.1e-7) == 20


def test_printed_forms_parse_back() -> None:
    """Guards the strings: each prints as it parses, also a measure inside a measure."""
    for text in (
        "P+@10",
        "P-measure",
        "Q(beta=10,gains={1:1,2:3,3:7})@10",
        "ERR(max_rel='topic',rule='gain')@20",
        "EBR(max_rel=3,beta=10)@5",
        "NCUgu_BR(gains={1:1,2:3},stops={1:1,2:1,3:5})",
        "D#-nDCG(gamma=0.3)@10",
        "P+Q@10",
        "D(of='Q@10')@10",
        "DIN(of=\"ERR(max_rel='topic',rule='gain')@10\")@10",
    ):
        assert str(tg.parse_measure(text)) == text
    assert str(tg.parse_measure("Q-measure@5")) == "Q@5"
    assert str(tg.parse_measure("Hit@5")) == "Success@5"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Q(beta=-1)", "beta must not be negative"),
        ("ERR(rule='sum')", "rule must be"),
        ("ERR(max_rel='best')", "max_rel must be"),
        ("iRBU(q=0)", "q must be"),
        ("NCUrb_P(gamma='x')", "gamma cannot be 'x'"),
        ("rpref_N(max_rel=0)", "max_rel must be"),
        ("D(of='I-rec@5')", "measure without intents"),
        ("D(of=3)", "of cannot be 3"),
        ("D#-Q(gamma=2)@5", "gamma must be"),
    ],
)
def test_senseless_parameters_are_refused(text: str, fault: str) -> None:
    """Guards the checks of parameters, each with words that say what is wrong."""
    with pytest.raises(tg.MeasureError, match=fault):
        tg.parse_measure(text)


def test_intents_are_equally_probable_when_none_are_given() -> None:
    """Guards the default 1/n, n the intents with something relevant: TREC's subtopic 0 of label 0 is not one."""
    rows = [("1", "1", "a", 1), ("1", "2", "b", 1), ("1", "0", "c", 0)]
    judgments = pl.DataFrame(rows, ["topic", "subtopic", "doc", "label"], orient="row")
    run = {"1": {"c": 3.0, "a": 2.0, "b": 1.0}}
    found = evaluated(run, judgments, ["IA(of='RR')", "I-rec", "I-rec@3", "D(of='DCG@2')"])
    assert found.means() == pytest.approx(
        {"IA(of='RR')": (1 / 2 + 1 / 3) / 2, "I-rec": 0.5, "I-rec@3": 1.0, "D(of='DCG@2')": 0.5 / np.log2(3)}
    )


def test_navigational_intents_are_scored_by_their_best_document() -> None:
    """Guards P+Q, where a navigational intent takes P+ and not Q, and DIN's gains when the measure itself cuts."""
    rows = [("1", "i", "a", 3), ("1", "i", "b", 1)]
    judgments = pl.DataFrame(rows, ["topic", "subtopic", "doc", "label"], orient="row")
    names = ["P+Q@5", "DIN(of='nG@2')", "DIN(of='P@1')"]
    for kind, want in (("nav", [1.0, 0.75, 1.0]), ("inf", [0.5, 0.75, 1.0])):
        intents = tg.Intents({"1": {"i": 1.0}}, {"1": {"i": kind}})  # type: ignore[dict-item]
        found = evaluated({"1": in_order(["a", "x", "y"])}, judgments, names, intents=intents)
        assert list(found.means().values()) == pytest.approx(want), kind
    served = evaluated(
        {"1": in_order(["b", "a"])}, judgments, ["DIN(of='nG@1')", "DIN(of='nG@2')"], intents=NAVIGATIONAL
    )
    assert list(served.means().values()) == pytest.approx([1 / 3, 1 / 4])


NAVIGATIONAL = tg.Intents({"1": {"i": 1.0}}, {"1": {"i": "nav"}})


GAINS = st.lists(st.one_of(st.integers(0, 4), st.floats(0.01, 1000, allow_nan=False)), min_size=1, max_size=12).filter(
    lambda gains: max(gains) > 0
)
PERFECT = ("Q", "Q@3", "nERR(max_rel='scale',rule='gain')@5", "nG@3", "P+", "P-measure", "O", "NCUgu_BR", "D-Q@4")


@pytest.mark.slow
@given(GAINS)
def test_the_perfect_order_scores_one(gains: list[float]) -> None:
    """Guards every normalization, for any gains: the judged documents in descending order of gain score 1."""
    judgments = {"1": {f"d{i}": gain for i, gain in enumerate(gains)}}
    run = {"1": in_order([f"d{i}" for i in sorted(range(len(gains)), key=lambda i: -gains[i])])}
    assert evaluated(run, judgments, PERFECT).means() == pytest.approx(dict.fromkeys(PERFECT, 1.0))


@given(GAINS, st.randoms(use_true_random=False))
def test_q_without_gain_is_average_precision(gains: list[float], random: Any) -> None:
    """Guards beta: with none of it the blended ratio is precision."""
    docs = [f"d{i}" for i in range(len(gains))]
    random.shuffle(docs)
    judgments = {"1": {f"d{i}": gain for i, gain in enumerate(gains)}}
    found = evaluated({"1": in_order(docs)}, judgments, ["Q(beta=0)", "AP(rel=1e-9)"])
    assert found.mean("run", "Q(beta=0)") == pytest.approx(found.mean("run", "AP(rel=1e-09)"))


@given(GAINS, st.randoms(use_true_random=False))
def test_graded_preferences_pay_for_every_lower_document_above(gains: list[float], random: Any) -> None:
    """Guards the merge behind rpref against the double loop of its definition."""
    order = list(range(len(gains)))
    random.shuffle(order)
    listed = [float(gains[i]) for i in order]
    total = 0.0
    for r, gain in enumerate(listed, 1):
        lower = [g for g in listed[: r - 1] if g < gain]
        total += gain - sum(gain - g for g in lower) / r if gain > 0 else 0.0
    judgments = {"1": {f"d{i}": gain for i, gain in enumerate(gains)}}
    found = evaluated({"1": in_order([f"d{i}" for i in order])}, judgments, ["rpref_relative2"])
    assert found.mean() == pytest.approx(total / sum(listed))


def test_no_document_is_preferred_where_none_is_relevant() -> None:
    """Guards O-measures of lists without gain: a document of label 0 is not the best of them."""
    ranked = aligned({"a": {"1": {"x": 2.0, "y": 1.0}}}, {"1": {"x": 0, "y": 0, "z": 1}}, Scoring())
    assert not preferred(ranked).any()
