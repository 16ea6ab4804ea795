"""Documents of runs that are not those judged: what is refused, what is told, and why they do not match."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import truegain as tg
from tests.worlds import there
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.data.id_matching import (
    DOUBT,
    FEW,
    SAME_WAY,
    Doubt,
    Matched,
    Matching,
    SystemMatch,
    TopicIds,
    check_matched,
    likely_cause,
    unjudged_messages,
)
from truegain.data.pool import RankedGains
from truegain.io.file_options import FileOptions, read_with
from truegain.measures.scoring import matching_for

TOPICS, DEEP = 12, 15
Lists = dict[str, dict[str, float]]
Labels = dict[str, dict[str, int]]


def labels(write: Callable[[int], str] = str) -> Labels:
    """Every document but each seventh is judged."""
    return {f"t{t}": {write(1000 + 31 * t + d): d % 3 for d in range(DEEP) if d % 7} for t in range(TOPICS)}


def run(write: Callable[[int], str] = str, reverse: bool = False) -> Lists:
    """The documents of each topic in order, or the other way round."""
    return {
        f"t{t}": {write(1000 + 31 * t + d): float(d if reverse else -d) for d in range(DEEP)} for t in range(TOPICS)
    }


def refused(runs: object, judgments: object, measure: str = "nDCG@10") -> str:
    """What is said of runs that are refused."""
    with pytest.raises(tg.InputError) as caught:
        tg.evaluate(runs, judgments, measure)  # type: ignore[arg-type]
    return str(caught.value)


def told(runs: object, judgments: object, measure: str | list[str] = "nDCG@10") -> list[str]:
    """What is said of runs that are scored."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tg.evaluate(runs, judgments, measure)  # type: ignore[arg-type]
    return [str(w.message) for w in caught]


# ---------------------------------------------------------------------- causes

CAUSES: dict[str, tuple[Callable[[int], str], Callable[[int], str], str]] = {
    "one suffix": (lambda d: f"{d}#0", str, 'after removing "#0" at the end of the run\'s ids'),
    "an extension": (lambda d: f"d{d}.txt", lambda d: f"d{d}", 'after removing ".txt" at the end of the run'),
    "chunks": (lambda d: f"{d}_p{d % 4}", str, 'after removing "_p<number>" at the end of the run\'s ids'),
    "a prefix": (
        lambda d: f"msmarco_passage_{d}",
        str,
        'after removing "msmarco_passage_" at the beginning of the run',
    ),
    "a letter": (lambda d: f"D{d}", str, 'after removing "D" at the beginning of the run'),
    "a path": (lambda d: f"part-{'xyz'[d % 3]}/{d}.txt", str, 'all up to "/" and all from "." on in the run'),
    "parts": (lambda d: f"{d}#{'xyzuvw'[d % 6]}", str, 'after removing all from "#" on in the run\'s ids'),
    "judged prefix": (str, lambda d: f"doc_{d}", 'after removing "doc_" at the beginning of the judged ids'),
    "judged suffix": (str, lambda d: f"{d}-1", 'after removing "-1" at the end of the judged ids'),
    "case": (lambda d: f"Doc{d}", lambda d: f"doc{d}", "ignoring case"),
    "floats": (lambda d: f"{d}.0", str, "as whole numbers, such as 10"),
    "judged floats": (str, lambda d: f"{d}.0", "as whole numbers, such as 10"),
    "exponents": (lambda d: f"{d / 1e4}e4", str, "as whole numbers"),
    "zeros": (lambda d: f"{d:09}", str, "without leading zeros, which the run has, such as 0000010"),
    "zeros within": (lambda d: f"d-{d:09}", lambda d: f"d-{d}", "without leading zeros"),
    "judged zeros": (str, lambda d: f"{d:09}", "without leading zeros, which the judgments have, such as 1"),
    "quotes": (lambda d: f'"{d}"', str, "without spaces, quotes or a byte order mark"),
    "blanks": (lambda d: f" {d}", str, "without spaces, quotes or a byte order mark"),
    "byte order mark": (lambda d: f"\ufeff{d}", str, "without spaces, quotes or a byte order mark"),
    "Unicode": (lambda d: f"é{d}", lambda d: unicodedata.normalize("NFD", f"é{d}"), "in one form of Unicode"),
    "percent": (lambda d: f"a%20{d}", lambda d: f"a {d}", "where %20 and the like are decoded"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_ids_that_do_not_match_are_refused_with_their_cause(cause: str) -> None:
    """Guards the cause: the one change that was made, checked on ids, with three ids of either side and a remedy."""
    of_run, of_judged, words = CAUSES[cause]
    said = refused({"good": run(of_judged), "bad": run(of_run)}, labels(of_judged))
    assert said.startswith("bad: none of the 120 documents in its first 10 ranks is judged, and the ids match ")
    assert words in said
    assert " tried): it has " in said
    ran, judged = said.partition(": it has ")[2].partition(" (")[0].split(", and judged are ")
    assert len(ran.split(", ")) == len(judged.split(", ")) == 3
    assert said.endswith(")")


def test_no_cause_is_made_up() -> None:
    """Guards against a cause that few ids speak for: ids of another collection match by nothing."""
    said = refused({"bad": run(lambda d: f"FT911-{d * d}")}, labels(lambda d: f"LA{d}-0007"))
    assert "and no simple change of the ids makes them match: it has FT911-" in said
    assert "check that run and judgments are of the same collection" in said
    ids = [f"{i}" for i in range(100, 200)]
    by_chance = TopicIds([f"x-{i}" for i in range(0, 3000, 97)])  # 2 of 100 are numbers in it
    assert likely_cause([(ids, by_chance)]) is None
    assert likely_cause([([f"{i}#0" for i in range(100)], TopicIds([str(i) for i in range(10)]))], 0.5) is None


def test_ids_are_written_at_once_as_one_by_one() -> None:
    """Guards ways that write many ids as one text: the same as each by itself, also where an id has a line break."""
    names = ["d007", "D7", "x0.050", "e\u0301", "a 00b", "0", "00", "v1.0", "7"]
    for ids in (names, [*names, "d0\n07"]):
        for way in SAME_WAY:
            written = TopicIds(ids).written(way)
            assert {*written} == {*map(way.write, ids)}, way.words
            assert all(way.write(name) == new for new, name in written.items())
            changed = [name for name in ids if way.write(name) != name]
            assert all(map(way.changes, changed)), way.words  # it is not overlooked


def test_documents_that_are_judged_for_other_topics() -> None:
    """Guards topics that were shifted by one: the documents are judged, but not for these."""
    lists = run()
    shifted = {f"t{t}": lists[f"t{(t + 1) % TOPICS}"] for t in range(TOPICS)}
    said = refused(shifted, labels())
    assert "tried are judged for other topics: it has " in said
    assert "check that topics have the same ids" in said


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda t: t.removeprefix("t"), 'after removing "t" at the beginning of the judged ids (12 of 12 tried)'),
        (str.upper, "ignoring case, such as T0 and t0 (12 of 12 tried)"),
        (lambda t: f"q-{t}", 'after removing "q-" at the beginning of the run\'s ids (12 of 12 tried)'),
    ],
)
def test_topics_that_do_not_match(write: Callable[[str], str], words: str) -> None:
    """Guards the same causes for the ids of topics."""
    said = refused({write(t): docs for t, docs in run().items()}, labels())
    assert said.startswith("run: no topic of the run has judgments (run topics ")
    assert words in said


# ---------------------------------------------------------------------- which ranks count


def test_documents_judged_further_down_are_told_apart() -> None:
    """Guards a right id without a judgment: the ids match, and holes are what is wrong."""
    lists = {t: {**{f"new{i}": 9.0 - i for i in range(5)}, **docs} for t, docs in run().items()}
    assert there(tg.evaluate(lists, labels(), "P@10").mean()) > 0
    assert told(lists, labels(), "AP") == []
    said = refused(lists, labels(), "P@5")
    assert "run: none of the 60 documents in its first 5 ranks is judged, although 144 further down are: the" in said
    assert "tg.unjudged counts them" in said


def test_labels_below_0_are_no_judgments() -> None:
    """Guards documents that were pooled and not judged: no silent 0, alone or among some that were judged."""
    pooled = {t: {"elsewhere": 1, **dict.fromkeys(docs, -1)} for t, docs in run().items()}
    said = refused(run(), pooled, "P@5")
    assert said.startswith(
        "run: none of the 60 documents in its first 5 ranks is judged: 60 have labels below 0, which"
    )
    one = {**pooled, "t0": labels()["t0"]}
    assert there(tg.evaluate(run(), one, "P@5").mean()) > 0


def test_the_deepest_measure_says_which_ranks_count() -> None:
    """Guards several measures: one without a cutoff looks at all ranks, condensed lists do, options cut them."""
    lists = {t: {**{f"new{i}": 9.0 - i for i in range(5)}, **docs} for t, docs in run().items()}
    for other in ("P@10", "Bpref"):
        said = "P@5 of run is 0 because none of the documents in the first 5 ranks is judged, so it is meaningless"
        with pytest.warns(tg.DataWarning, match=said):
            assert tg.evaluate(lists, labels(), ["P@5", other]).mean(None, "P@5") == 0
    assert told(lists, labels(), ["P@10", "AP"]) == []
    assert there(tg.evaluate(lists, labels(), "P(judged_only=True)@5").mean()) > 0
    assert there(tg.evaluate(lists, labels(), "P@5", scoring=tg.Scoring(judged_only=True)).mean()) > 0
    with pytest.raises(tg.InputError, match="none of the 60 documents in its first 5 ranks"):
        tg.evaluate(lists, labels(), "AP", scoring=tg.Scoring(depth=5))
    cut = matching_for([tg.parse_measure("nDCG@10"), tg.parse_measure("P@30")], Scoring(depth=20))
    assert cut == Matching(20, shallow=((10, "nDCG@10"),))


@pytest.mark.parametrize(
    "measure", ["Judged@10", "Unjudged@10", "NumRet", "NumQ", "NumRel", "RelString@5", "RBPResidual"]
)
def test_what_tells_of_unjudged_documents_is_still_told(measure: str) -> None:
    """Guards measures whose job is to count: they are how the fault is looked into."""
    assert tg.evaluate(run(lambda d: f"{d}#0"), labels(), measure).by_topic()["t0"] is not None


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "Bpref", "NumRet(rel=1)", "NumNonrelJudgedRet", "ERR@10"])
def test_all_else_is_refused(measure: str) -> None:
    """Guards against a silent 0, whatever the measure; beside one that counts, too."""
    for asked in (measure, ["Judged@10", measure]):
        with pytest.raises(tg.InputError, match="none of the"):
            tg.evaluate(run(lambda d: f"{d}#0"), labels(), asked)


def test_several_systems_are_refused_together() -> None:
    """Guards the count: the first is looked into, the others are named."""
    bad = run(lambda d: f"{d}#0")
    said = refused({"x": bad, "good": run(), "y": bad, "z": bad}, labels())
    assert said.startswith("x: none of the 120 documents in its first 10 ranks is judged (and so for y, z), and the ")


def test_subtopics_are_looked_at_too() -> None:
    """Guards judgments that have several labels a document."""
    rows = [{"topic": t, "subtopic": s, "doc": d, "label": 1} for t in "123" for s in "ab" for d in ("x", "y")]
    table = tg.Judgments.of(pl.DataFrame(rows))
    lists = {t: {"x": 2.0, "w": 1.0} for t in "123"}
    assert there(tg.evaluate(lists, table, "alpha_nDCG@5").mean()) > 0
    with pytest.raises(tg.InputError, match='removing "#1" at the end of the run'):
        tg.evaluate({t: {f"{d}#1": x for d, x in docs.items()} for t, docs in lists.items()}, table, "alpha_nDCG@5")


# ---------------------------------------------------------------------- far fewer than others


def some_of(share: float, write: Callable[[int], str]) -> Callable[[int], str]:
    """Writes that share of the ids, spread over them, in another way."""
    return lambda d: write(d) if (d * 7919) % 100 < 100 * share else str(d)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.9])
def test_some_ids_that_do_not_match_are_told_with_their_cause(share: float) -> None:
    """Guards the issue's other case, half of the ids with .0: told once, with shares, three ids and what to do."""
    runs = {"good": run(), "bad": run(some_of(share, lambda d: f"{d}.0"), reverse=False)}
    (said,) = told(runs, labels())
    assert said.startswith("of the 120 documents in the first 10 ranks of bad ")
    assert ", the other system 80%); " in said
    assert "are not, and the ids match as whole numbers" in said
    assert len(said.partition("); ")[2].partition(" are not")[0].split(", ")) == 3
    ranked = _aligned(runs, labels())
    assert [(d.system, d.kind) for d in ranked.doubts] == [("bad", DOUBT)]


def _aligned(runs: object, judgments: object) -> RankedGains:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        return aligned(runs, judgments, Scoring(), matching=Matching(10))


def test_one_run_alone_is_looked_at() -> None:
    """Guards a single run: nothing is beside it, but a change of its ids makes them match."""
    (said,) = told(run(some_of(0.5, lambda d: f"{d}.0")), labels())
    assert "of the 120 documents in the first 10 ranks of run " in said
    assert "system" not in said
    assert told(run(), labels()) == []


def test_far_fewer_judged_documents_without_a_cause() -> None:
    """Guards the rule: below half of the share of the others, more than chance; three of four documents are new."""
    runs = {"a": run(), "b": run(), "new": run(some_of(0.75, lambda d: f"new{d * d}"))}
    (said,) = told(runs, labels())
    assert "of new " in said
    assert "other systems 80%" in said
    assert "no simple change of the ids makes them match: check them" in said
    assert [(d.system, d.kind) for d in _aligned(runs, labels()).doubts] == [("new", FEW)]
    runs["new"] = run(some_of(0.3, lambda d: f"new{d * d}"))
    assert told(runs, labels()) == []


def seen(name: str, judged: int, shown: int) -> SystemMatch:
    """A system with so many of its first documents judged."""
    return SystemMatch(name, Matched(shown, judged, 0, shown, judged, (("1", ("u", "v", "w")),)))


@pytest.mark.parametrize(
    ("judged", "shown", "names"),
    [
        ((50, 100, 98), (100, 100, 100), []),  # just half
        ((45, 100, 98), (100, 100, 100), ["s0"]),
        ((1, 4, 4), (4, 4, 4), []),  # by chance
        ((5, 30, 30), (20, 30, 30), ["s0"]),
        ((10, 11, 60), (100, 100, 100), []),  # half of the systems have few
        ((45, 46, 96, 97, 98), (100,) * 5, ["s0", "s1"]),
        ((45, 98), (100, 100), ["s0"]),  # of two, the other one
        ((45,), (100,), []),
    ],
)
def test_the_rule_of_shares(judged: tuple[int, ...], shown: tuple[int, ...], names: list[str]) -> None:
    """Guards the edges of the rule: half of the median of the others, and more than chance."""
    systems = [seen(f"s{i}", *both) for i, both in enumerate(zip(judged, shown, strict=True))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        found = check_matched(systems, lambda topics: {t: ["x", "y"] for t in topics}, Matching(10))
    assert [d.system for d in found] == names


def test_many_systems_in_doubt_are_counted() -> None:
    """Guards stderr: five are told one by one, the others together."""
    systems = [seen(f"bad{i}", 10, 100) for i in range(7)] + [seen(f"good{i}", 99, 100) for i in range(9)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = check_matched(systems, lambda topics: {t: ["x"] for t in topics}, Matching(10))
    assert (len(found), len(caught)) == (7, 6)
    assert str(caught[-1].message) == "the same of 2 more systems: bad5, bad6"


@pytest.mark.parametrize(
    ("judged", "shown", "said"),
    [
        ((65, 100, 100), (100,) * 3, "s0 35 of 100 (35%), others none"),
        ((65, 70, 99), (100,) * 3, "s0 35 of 100 (35%), s1 30 of 100 (30%), others at most 1%"),
        ((89, 100), (100, 100), "s0 11 of 100 (11%), others none"),
        ((91, 100), (100, 100), ""),  # less than a tenth fewer
        ((60, 65), (100, 100), ""),  # both have many, and as many
        ((3, 5), (5, 5), ""),  # by chance
        ((65,), (100,), ""),
        ((10,) * 7 + (99,) * 9, (100,) * 16, "s4 90 of 100 (90%), 2 more systems, others at most 1%"),
    ],
)
def test_systems_that_differ_in_unjudged_documents(judged: tuple[int, ...], shown: tuple[int, ...], said: str) -> None:
    """Guards the half-judged system that no warning tells of: how many of its documents count 0, and what holds."""
    systems = [seen(f"s{i}", *both) for i, both in enumerate(zip(judged, shown, strict=True))]
    found = unjudged_messages(systems, Matching(10))
    assert len(found) == bool(said)
    assert said in "".join(found)
    assert all(line.startswith("unjudged documents count as not relevant, and systems differ") for line in found)
    assert unjudged_messages(systems, Matching(10, as_zero=False)) == []
    doubts = [Doubt(s.system, DOUBT, "") for s in systems]
    assert unjudged_messages(systems, Matching(10), doubts) == []


def test_scores_carry_what_is_to_be_said_of_documents() -> None:
    """Guards scores and comparisons: the note once, none where unjudged documents are left out, and ids in doubt."""
    runs = {"a": run(), "b": run(reverse=True), "new": run(some_of(0.3, lambda d: f"new{d * d}"))}
    (said,) = tg.evaluate(runs, labels(), "nDCG@10").caveats
    assert "in their first 10 ranks: new 51 of 120 (43%), others at most 20%; so scores and tests count them" in said
    assert tg.compare(runs, labels(), ["nDCG@10", "AP"]).notes == (said,)
    assert "in their first 8 ranks: new " in tg.evaluate(runs, labels(), "P@8").caveats[0]
    for words in (
        {"measures": "P@10", "scoring": tg.Scoring(judged_only=True)},
        {"measures": "Bpref"},
        {"measures": "Judged@10"},
    ):
        assert tg.evaluate(runs, labels(), **words).caveats == ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        assert tg.evaluate(runs, labels(), "P@10", fill="predicted").caveats == ()
    bad = {"a": run(), "b": run(some_of(0.5, lambda d: f"{d}.0"))}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = tg.compare(bad, labels(), "nDCG@10")
    assert found.notes == (str(caught[0].message),)
    assert found.notes[0].startswith("of the 120 documents in the first 10 ranks of b ")


# ---------------------------------------------------------------------- in every way to give data


def test_frames_and_files_and_batches(tmp_path: Path) -> None:
    """Guards the ways in: dict, frame, files, and files in batches, which say the same to the letter."""
    for name, lists in (
        ("good", run()),
        ("chunked", run(lambda d: f"{d}#0")),
        ("half", run(some_of(0.5, lambda d: f"{d}.0"))),
    ):
        rows = [(t, d, s) for t, docs in lists.items() for d, s in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(f"{t} Q0 {d} 0 {s} x\n" for t, d, s in rows))
        frame = pl.DataFrame(
            {"topic": [r[0] for r in rows], "doc": [r[1] for r in rows], "score": [r[2] for r in rows]}
        )
        if name == "chunked":
            assert 'removing "#0"' in refused({"good": run(), "chunked": frame}, labels())
    (tmp_path / "q").write_text("".join(f"{t} 0 {d} {x}\n" for t, docs in labels().items() for d, x in docs.items()))
    files = {name: str(tmp_path / f"{name}.run") for name in ("good", "chunked", "half")}
    once = refused([files["good"], files["chunked"]], tmp_path / "q")
    with pytest.raises(tg.InputError) as caught:
        tg.evaluate([files["good"], files["chunked"]], tmp_path / "q", "nDCG@10", memory="1 kB")
    assert str(caught.value) == once
    both = [files["good"], files["half"]]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with read_with(FileOptions(judge_model="m1")):  # as the command line says it, which holds no labels
            parts = tg.evaluate(both, tmp_path / "q", "nDCG@10", memory="1 kB")
    assert parts.caveats == ("by m1's labels, which no person has checked", *told(both, tmp_path / "q"))
    assert [str(w.message) for w in heard if "batches" not in str(w.message)] == told(both, tmp_path / "q")


def test_batches_add_up() -> None:
    """Guards what batches gather: counts add up, and ids are those of the first topics, as in one go."""
    first = Matched(20, 5, 1, 20, 5, tuple((f"t{i}", ("a",)) for i in range(30)))
    second = Matched(30, 6, 2, 30, 6, tuple((f"u{i}", ("b",)) for i in range(30)))
    both = first + second
    assert (both.shown, both.judged, both.below, both.first, both.first_judged) == (50, 11, 3, 50, 11)
    assert [t for t, _ in both.unknown] == [*(f"t{i}" for i in range(30)), *(f"u{i}" for i in range(10))]


@pytest.mark.parametrize(
    "asked",
    [
        lambda runs: tg.compare(runs, labels(), "nDCG@10"),
        lambda runs: tg.intervals(runs, labels(), "nDCG@10"),
        lambda runs: tg.intervals(runs, labels(), "AP", population="collection", resampling=tg.Resampling(n=200)),
        lambda runs: tg.compare(runs, labels(), "AP", population="collection"),
        lambda runs: tg.Study(runs, labels(), "nDCG@10"),
        lambda runs: tg.correct(runs, labels(), "P@10", gold=tg.Gold(labels(), design="random")),
        lambda runs: tg.judge_quality(labels(), gold=tg.Gold(labels(), design="random"), runs=runs),
        lambda runs: tg.sample_gold(runs, labels(), "P@10"),
        lambda runs: tg.correlate(runs, labels(), measures=["AP", "P@10"], between="measures"),
    ],
)
def test_every_question_in_python(asked: Callable[[object], object]) -> None:
    """Guards all questions that stand on runs and judgments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        with pytest.raises(tg.InputError, match=r'bad: none of the .* after removing "#0" at the end of the run'):
            asked({"good": run(), "other": run(reverse=True), "bad": run(lambda d: f"{d}#0")})


def test_holes_are_told_of_such_a_system_unless_all_are() -> None:
    """Guards `holes`, whose job is unjudged documents: it warns, and refuses only where nothing at all matches."""
    bad = run(lambda d: f"{d}#0")
    with pytest.warns(tg.DataWarning, match='of bad 0 are judged .* removing "#0"'):
        assert tg.unjudged({"good": run(), "bad": bad}, labels(), "P@10").systems == ("good", "bad")
    with pytest.raises(tg.InputError, match='removing "#0"'):
        tg.unjudged({"bad": bad}, labels(), "P@10")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        tg.evaluate({"good": run(), "other": run(reverse=True), "bad": bad}, labels(), "P@10", fill="predicted")
    assert 'removing "#0" at the end' in str(heard[0].message)


# ---------------------------------------------------------------------- verdicts


@pytest.mark.filterwarnings("ignore::truegain.DataWarning")
def test_no_verdict_on_ids_in_doubt() -> None:
    """Guards certainty: a difference that ids made is not told, has no p, and buying more does not help."""
    study = tg.Study({"good": run(), "bad": run(some_of(0.5, lambda d: f"{d}.0"))}, labels(), ["nDCG@10", "AP"])
    for m in ("nDCG@10", "AP"):
        verdict = study.verdict("bad", "good", m)
        assert verdict.outcome == "inconclusive"
        assert "; ids in doubt: of the 120 documents in the first 10 ranks of bad " in verdict.sentence
        assert study.compare("bad", "good", m)[0].p is None
        assert any("first use the same document ids in the runs and the judgments" in line for line in verdict.about)
        assert not verdict.steps
    with pytest.raises(tg.TruegainError, match="ids in doubt"):
        study.next_steps("bad", "good", "AP")
    assert "Ids in doubt: bad; no rank is ruled out." in study.best("AP").notes
    assert "may be relevant" not in study.best("AP").sentence, "ids leave it open, not what the documents are"


# ---------------------------------------------------------------------- real runs


@pytest.mark.slow
def test_of_real_runs_only_an_odd_one_is_in_doubt(shared_data: Path, unpacked: Callable[[Path], Path]) -> None:
    """Guards against warnings of runs that are right: one of 129 has 12% of its first ten judged."""
    folder = shared_data / "trec8_adhoc"
    runs = sorted(str(p) for p in unpacked(folder / "inputs_129runs.tar.xz").rglob("input.*"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        found = aligned(runs, folder / "trec8.qrels.gz", Scoring()).doubts
    assert [(d.system, d.kind) for d in found] == [("input.surffal2", FEW)]
    assert "59 are judged (12%, other systems 100%)" in found[0].why


# ---------------------------------------------------------------------- who else must not say more


def test_a_corrected_best_is_not_told_where_ids_are_in_doubt() -> None:
    """Guards `correct`: it says why, and does not tell a best system apart from one whose ids may be wrong."""
    rng = np.random.default_rng(4)
    gold = {f"t{t}": {str(d): int(rng.random() < 0.9 - 0.08 * d) for d in range(10)} for t in range(30)}
    noisy = {t: {d: x if rng.random() < 0.9 else 1 - x for d, x in docs.items()} for t, docs in gold.items()}
    good = {t: {str(d): -float(d) for d in range(10)} for t in gold}
    bad = {t: {f"{d}.0" if i % 2 else d: x for i, (d, x) in enumerate(docs.items())} for t, docs in good.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told, and noted below
        found = tg.correct({"good": good, "bad": bad}, noisy, "P@5", gold=tg.Gold(gold, design="random"))
    assert found.best == ("Which system is best on P@5 is inconclusive: the ids of bad are in doubt.",)
    assert any("the ids match as whole numbers" in note for note in found.notes)


def test_one_run_is_not_sent_to_what_takes_two() -> None:
    """Guards the remedy: what to judge next is asked of several runs, and of one it would refuse."""
    other = {t: {"abcdefghij"[i] * 7: x for i, x in enumerate(list(docs.values())[:10])} for t, docs in run().items()}
    assert "have its first ones judged" in refused(other, labels())
    assert "tg.next_to_judge lists them" in refused({"a": other, "b": run()}, labels())


def test_a_condensed_list_without_a_document_has_no_score() -> None:
    """Guards `holes`: a system without a judged document has its worst and best, and no score by judged ones alone."""
    runs = {"a": {str(t): {"x": 2.0, "y": 1.0} for t in range(5)}, "new": {str(t): {"p": 1.0} for t in range(5)}}
    with pytest.warns(tg.DataWarning, match="of new 0 are judged"):
        found = tg.unjudged(runs, {str(t): {"x": 1, "y": 0} for t in range(5)}, "P@2")
    old, new = found.table().records()
    assert (old["condensed"], old["Bpref"]) == (0.5, 1.0)
    assert (new["best"], new["condensed"], new["Bpref"], new["infAP"]) == (0.5, None, None, None)
