"""Content measures: against sums over the whole vocabulary, and what theory says of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import truegain as tg
from tests.measures.facets import FACETS, aligned_run, frame
from tests.worlds import there
from truegain.config import Scoring
from truegain.data.alignment import aligned
from truegain.errors import InputError, MeasureError, TruegainError
from truegain.measures.catalogue import parse_measure
from truegain.measures.content import Content, ContentScorer, relevant_items
from truegain.text import divergence
from truegain.text.corpus import Corpus
from truegain.text.divergence import RankedText
from truegain.text.words import Cutting

Texts = Mapping[str, Sequence[str]]  # words by document
MEASURES = ("AbsNB", "AbsRB", "DeltaNB", "DeltaRB")


def brute_force(
    ranking: Sequence[str], relevant: Sequence[Sequence[str]], texts: Texts, judged: Texts, mu: float, depth: int
) -> dict[str, float]:
    """The definitions word by word: every divergence a sum over the whole vocabulary, in extended precision."""
    extended = np.longdouble
    whole = Counter(w for t in texts.values() for w in t)
    if judged is not texts:
        whole.update(w for t in judged.values() for w in t)
    vocabulary = sorted(whole)
    collection = np.array([whole[v] for v in vocabulary], extended) / extended(sum(whole.values()))

    def model(words: Sequence[str]) -> Any:
        counts = Counter(words)
        tf = np.array([counts[v] for v in vocabulary], extended)
        return (tf + extended(mu) * collection) / (extended(len(words)) + extended(mu))

    def divergence(p: Any, q: Any) -> Any:
        return np.sum(p * np.log(p / q))

    subtopics = [model([w for d in docs for w in judged.get(d, ())]) for docs in relevant]
    covered: list[list[float]] = []
    for k in range(1, min(depth, len(ranking)) + 1):
        top = model([w for d in ranking[:k] for w in texts.get(d, ())])
        covered.append([float(max(0, 1 - divergence(q, top) / divergence(q, collection))) for q in subtopics])
    absolute = [max(row) for row in covered]
    before = [[0.0] * len(subtopics), *covered[:-1]]
    delta = [max(0.0, *(b - a for a, b in zip(r, s, strict=True))) for r, s in zip(before, covered, strict=True)]
    weights = [0.2 * 0.8**j for j in range(len(covered))]
    return {
        "AbsNB": sum(absolute),
        "AbsRB": float(np.dot(weights, absolute)),
        "DeltaNB": sum(delta),
        "DeltaRB": float(np.dot(weights, delta)),
    }


def judgments_of(relevant: Sequence[Sequence[str]]) -> pl.DataFrame:
    """Subtopic judgments of one topic."""
    rows = [("1", str(i), d, 1) for i, docs in enumerate(relevant) for d in docs]
    return pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "label"], orient="row")


def measured(
    ranking: Sequence[str], relevant: Sequence[Sequence[str]], texts: Texts, mu: float, depth: int, **more: Any
) -> dict[str, float]:
    """What we say."""
    run = {"1": {d: float(-i) for i, d in enumerate(ranking)}}
    names = [f"{m}(mu={mu!r})@{depth}" for m in MEASURES]
    corpus = Corpus.of({d: " ".join(t) for d, t in texts.items()})
    scores = tg.evaluate(run, judgments_of(relevant), names, corpus=corpus, **more)
    return dict(zip(MEASURES, (there(scores.mean(None, n)) for n in scores.measures), strict=True))


WORDS = st.lists(st.sampled_from([f"w{i}" for i in range(12)]), min_size=1, max_size=15)
WORLDS = st.lists(WORDS, min_size=3, max_size=9).map(lambda ts: {f"d{i}": t for i, t in enumerate(ts)})


@settings(deadline=None)
@given(WORLDS, st.data(), st.sampled_from([0.01, 1.0, 7.5, 100.0, 2500.0, 1e5]), st.integers(1, 6))
def test_equals_the_sum_over_the_vocabulary(
    texts: dict[str, list[str]], data: st.DataObject, mu: float, depth: int
) -> None:
    """Guards the closed form and the steps from rank to rank, on random corpora, at 1e-9."""
    names = list(texts)
    ranking = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=6, unique=True))
    groups = st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)
    relevant = data.draw(st.lists(groups, min_size=1, max_size=3))
    whole = Counter(w for t in texts.values() for w in t)
    for docs in relevant:  # a subtopic with the language of the collection has no divergence to divide by
        counts = Counter(w for d in docs for w in texts[d])
        assume(any(abs(counts[v] / counts.total() - whole[v] / whole.total()) > 1e-3 for v in whole))
    expected = brute_force(ranking, relevant, texts, texts, mu, depth)
    assert measured(ranking, relevant, texts, mu, depth) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("sparse", "table"), [(0, 1 << 23), (8, 1), (0, 40)])
def test_tables_in_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch, sparse: int, table: int) -> None:
    """Guards what bounds memory: terms sorted or looked up, systems and subtopics in one piece or one by one."""
    rng = np.random.default_rng(0)
    texts = {f"d{i}": " ".join(f"w{j}" for j in rng.integers(0, 30, 12)) for i in range(20)}
    runs = {f"s{s}": {"1": {f"d{d}": -float(i) for i, d in enumerate(rng.permutation(20))}} for s in range(5)}
    names = ["AbsRB(mu=5)@10", "DeltaNB(mu=5)@10"]
    relevant = judgments_of([["d1", "d2"], ["d3"], ["d4", "d5"]])
    whole = tg.evaluate(runs, relevant, names, corpus=texts).means("s3")
    monkeypatch.setattr(divergence, "_SPARSE", sparse)
    monkeypatch.setattr(divergence, "_TABLE", table)
    assert tg.evaluate(runs, relevant, names, corpus=texts).means("s3") == pytest.approx(whole, abs=1e-12)


@pytest.mark.slow
@settings(deadline=None)
@given(WORLDS, WORLDS, st.data(), st.sampled_from([1.0, 2500.0]))
def test_judged_documents_of_another_collection(
    texts: dict[str, list[str]], other: dict[str, list[str]], data: st.DataObject, mu: float
) -> None:
    """Guards two corpora: words of one alone, and the collection model of both together."""
    judged = {f"j{d}": [*t, "only-here"] for d, t in other.items()}
    judged = {d: [w.replace("-", "") for w in t] for d, t in judged.items()}
    ranking = data.draw(st.lists(st.sampled_from(list(texts)), min_size=1, max_size=5, unique=True))
    relevant = [data.draw(st.lists(st.sampled_from(list(judged)), min_size=1, max_size=2, unique=True))]
    expected = brute_force(ranking, relevant, texts, judged, mu, 5)
    home = Corpus.of({d: " ".join(t) for d, t in judged.items()})
    assert measured(ranking, relevant, texts, mu, 5, judged_corpus=home) == pytest.approx(expected, abs=1e-9)


TEXTS = {
    "a": ["roses", "are", "red", "and", "roses", "smell"],
    "b": ["violets", "are", "blue"],
    "c": ["the", "sky", "is", "blue", "and", "the", "sea", "is", "too"],
    "d": ["red", "roses"],
}


def test_a_list_that_is_the_subtopic_explains_it_all() -> None:
    """Guards g = 1: the divergence of a text from itself is 0, for any mu."""
    for mu in (0.1, 10.0, 1e4):
        assert measured(["a", "d"], [["a", "d"]], TEXTS, mu, 2)["DeltaNB"] == pytest.approx(1.0, abs=1e-9)


def test_identical_documents_bring_nothing_new_as_mu_vanishes() -> None:
    """Guards mu -> 0: maximum likelihood, under which a second copy changes nothing."""
    texts = {**TEXTS, "a2": TEXTS["a"]}
    once, twice = (measured(r, [["a"]], texts, 1e-12, 2) for r in (["a"], ["a", "a2"]))
    assert once["AbsNB"] == pytest.approx(1.0, abs=1e-9)
    assert twice["AbsNB"] == pytest.approx(2.0, abs=1e-9)
    assert twice["DeltaNB"] == pytest.approx(1.0, abs=1e-9)


def test_mu_to_nothing_is_maximum_likelihood() -> None:
    """Guards mu -> 0: KL of plain shares where the list has all words of the subtopic, no gain where it lacks one."""
    whole = Counter(w for t in TEXTS.values() for w in t)
    share = {w: n / whole.total() for w, n in whole.items()}
    mine, theirs = Counter(TEXTS["d"]), Counter(TEXTS["a"])
    to_list = sum(n / 2 * np.log((n / 2) / (theirs[w] / 6)) for w, n in mine.items())
    to_all = sum(n / 2 * np.log((n / 2) / share[w]) for w, n in mine.items())
    assert measured(["a"], [["d"]], TEXTS, 1e-12, 1)["AbsNB"] == pytest.approx(1 - to_list / to_all, abs=1e-9)
    assert measured(["d"], [["a"]], TEXTS, 1e-12, 1)["AbsNB"] == 0


def test_mu_to_infinity_is_the_geometry_of_chi_square() -> None:
    """Guards mu -> infinity: KL becomes half a squared distance of counts over P(v | collection)."""
    whole = Counter(w for t in TEXTS.values() for w in t)

    def vector(words: Sequence[str]) -> Any:
        counts = Counter(words)
        return np.array([counts[v] / (whole[v] / whole.total()) - len(words) for v in sorted(whole)])

    share = np.array([whole[v] / whole.total() for v in sorted(whole)])
    q, x = vector(TEXTS["a"]), vector(TEXTS["d"])
    expected = 1 - np.sum(share * (q - x) ** 2) / np.sum(share * q**2)
    assert measured(["d"], [["a"]], TEXTS, 1e7, 1)["AbsNB"] == pytest.approx(expected, rel=1e-4)


def test_without_subtopics_the_topic_is_one() -> None:
    """Guards plain qrels: all relevant documents of a topic make one text."""
    corpus = {d: " ".join(t) for d, t in TEXTS.items()}
    run = {"1": {"b": 2.0, "c": 1.0}}
    plain = tg.evaluate(run, {"1": {"a": 1, "d": 2, "c": 0}}, "AbsRB", corpus=corpus).mean()
    assert plain == tg.evaluate(run, judgments_of([["a", "d"]]), "AbsRB", corpus=corpus).mean()


def test_depth_and_condensed_lists() -> None:
    """Guards the views: -M cuts the text too, and -J reads judged documents alone."""
    corpus = {d: " ".join(t) for d, t in TEXTS.items()}
    run, qrels = {"1": {"b": 3.0, "c": 2.0, "d": 1.0}}, {"1": {"a": 1, "d": 0}}
    one = tg.evaluate(run, qrels, "AbsNB@1", corpus=corpus).mean()
    assert tg.evaluate(run, qrels, "AbsNB", corpus=corpus, scoring=tg.Scoring(depth=1)).mean() == one
    alone = there(tg.evaluate({"1": {"d": 1.0}}, qrels, "AbsNB", corpus=corpus).mean())
    assert tg.evaluate(run, qrels, "AbsNB", corpus=corpus, scoring=tg.Scoring(judged_only=True)).mean() == alone > 0


def test_what_is_missing_is_told() -> None:
    """Guards against silence: no corpus, a wrong corpus, documents it lacks, and relevant documents without text."""
    corpus = {d: " ".join(t) for d, t in TEXTS.items()}
    run, qrels = {"1": {"b": 2.0, "z": 1.0}, "2": {"b": 1.0}}, {"1": {"a": 1}, "2": {"y": 1}}
    with pytest.raises(MeasureError, match="give a corpus"):
        tg.evaluate(run, qrels, "AbsRB")
    with pytest.raises(InputError, match="none of the 2 retrieved documents is in the corpus"):
        tg.evaluate(run, qrels, "AbsRB", corpus={"q": "x"})
    with pytest.raises(TruegainError, match="give corpus, too"):
        tg.evaluate(run, qrels, "AbsRB", judged_corpus=corpus)
    other = Corpus.of(corpus, Cutting(stop=("are",)))
    with pytest.raises(InputError, match=r"not tokenized alike: stop: \[\] and \['are'\]"):
        tg.evaluate(run, qrels, "AbsRB", corpus=corpus, judged_corpus=other)
    with pytest.warns(tg.DataWarning) as caught:
        scores = tg.evaluate(run, qrels, "AbsRB", corpus=corpus)
    texts = [str(w.message) for w in caught]
    assert any("1 of 2 retrieved documents are not in the corpus" in t for t in texts)
    assert any("1 of 2 topics have relevant documents, but none whose text differs from the" in t for t in texts)
    assert scores.by_topic()["2"] is None
    assert scores.by_topic()["1"] is not None


def test_parameters_that_make_no_sense_are_refused() -> None:
    """Guards mu and theta."""
    for text in ("AbsRB(mu=0)", "AbsRB(theta=1)", "DeltaNB(rel=-1)", "AbsNB@0"):
        with pytest.raises(MeasureError):
            tg.parse_measure(text)
    assert str(tg.parse_measure("DeltaRB(mu=100)@10")) == "DeltaRB(mu=100)@10"


def test_text_read_again_is_text_read() -> None:
    """Guards scores where some judgments are taken away: the same as of judgments that lack them."""
    words = ["red", "rose", "bloom", "sky", "blue", "sea", "salt", "wind", "leaf", "tree", "root", "moss"]
    texts = {f"d{i}": " ".join(words[(i * k) % 12] for k in range(1, 9)) for i in range(14)}
    rng = np.random.default_rng(5)
    rows = [
        (str(t), s, f"d{i}", int(rng.integers(-1, 3))) for t in range(3) for i in range(12) for s in "xy"[: 1 + i % 2]
    ]
    runs = {
        s: {str(t): {f"d{i}": float(rng.random()) for i in rng.permutation(14)[:6]} for t in range(3) if s != "b" or t}
        for s in "ab"
    }
    names = ["AbsNB(mu=5)@4", "DeltaRB(mu=5,rel=2)@3", "AbsRB(mu=9,theta=0.5)@4"]
    schema = ["topic", "subtopic", "doc", "label"]
    measures = [parse_measure(n) for n in names]
    reading = [m for m in measures if isinstance(m, Content)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.DataWarning)
        whole = aligned(runs, pl.DataFrame(rows, schema=schema, orient="row"), Scoring(), keep_top=4)
        again = ContentScorer.of(RankedText.of(whole, texts), reading)
        docs, topics = list(whole.pool.docs.strings()), [whole.topics[t] for t in whole.pool.topic.tolist()]
        for gone in ({"d1"}, {"d0", "d3", "d7"}, set[str]()):
            kept = np.array([d not in gone for d in docs])
            found = again.means(kept)
            left = [
                (t, s, d, g if d not in gone else min(g, 0)) for t, s, d, g in rows
            ]  # what is taken away is relevant to nothing
            fewer = tg.evaluate(runs, pl.DataFrame(left, schema=schema, orient="row"), names, corpus=texts)
            for name, one in zip(names, found, strict=True):
                assert one == pytest.approx(fewer.summaries[str(parse_measure(name))]), (name, gone)
        assert len(topics) == len(docs)


def test_a_corpus_of_the_judged_needs_another() -> None:
    """Guards the refusal, and that measures which read no text need none."""
    run, labels = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    with pytest.raises(tg.TruegainError, match="give corpus, too"):
        tg.evaluate(run, labels, "AP", judged_corpus={"a": "text"})
    assert tg.evaluate(run, labels, "AP", corpus={"a": "text"}).mean() == 1.0


@pytest.mark.parametrize("level", [0, 0.5, 1, 2, 3])
def test_documents_relevant_to_subtopics(level: float) -> None:
    """Guards the texts of content measures: labels that reach the level, none below 0, however low the level."""
    ranked = aligned_run({"1": {"a": 1.0}, "2": {"a": 1.0}}, frame(FACETS))
    for topic, groups in zip(ranked.topics, relevant_items(ranked, level), strict=True):
        found = [{str(ranked.pool.docs[int(i)]) for i in items} for items in groups]
        by_hand = [
            {d for t, s, d, x in FACETS if (t, s) == (topic, name) and x >= level and x >= 0} for name in ("i", "j")
        ]
        assert found == [docs for docs in by_hand if docs]


def test_a_document_judged_not_relevant_has_no_text_to_cover() -> None:
    """Guards content measures to the end: a label of 0 for a subtopic changes nothing."""
    texts = {"a": "red roses bloom", "b": "red roses", "c": "roses bloom", "d": "the sky is blue and so is the sea"}
    run = {"1": {"d": 2.0, "b": 1.0}}
    with_zero = frame([("1", "i", "a", 1), ("1", "i", "d", 0), ("1", "j", "d", 0)])
    names = ["AbsNB(mu=5)@2", "DeltaRB(mu=5)@2"]
    plain = tg.evaluate(run, frame([("1", "i", "a", 1)]), names, corpus=texts).means("run")
    assert tg.evaluate(run, with_zero, names, corpus=texts).means("run") == pytest.approx(plain)


def test_limits_of_content_measures() -> None:
    """Guards both sides of mu, rel and theta, and the greatest value: 1 at every rank, times its weight."""
    for text in ("AbsNB(mu=0.01)@2", "AbsNB(rel=0)@2", "AbsRB(theta=0)@2", "DeltaRB(theta=0.99)@2"):
        tg.parse_measure(text)
    for text, said in (
        ("AbsNB(mu=0)@2", "mu must be"),
        ("AbsNB(rel=-0.01)@2", "rel must not"),
        ("AbsRB(theta=-0.01)@2", "theta must"),
        ("DeltaRB(theta=1)@2", "theta must"),
    ):
        with pytest.raises(tg.MeasureError, match=said):
            tg.parse_measure(text)
    assert tg.parse_measure("AbsNB@7").bounds() == (0, 7)
    assert tg.parse_measure("AbsRB@3").bounds() == pytest.approx((0, 1 - 0.8**3))
    assert tg.parse_measure("DeltaRB(theta=0.5)@2").bounds() == pytest.approx((0, 0.75))
