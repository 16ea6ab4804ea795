"""tg.Experiment: systems that are run here, held against runs that are given, and against PyTerrier's own answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegain as tg
from truegain.data.systems import ABOUT
from truegain.study.experiment import StudyWords

pd = pytest.importorskip("pandas")

TOPICS = {str(t): f"query {t}" for t in range(30)}
DOCS = [f"d{i}" for i in range(12)]
RNG = np.random.default_rng(4)
LABELS = {t: {d: int(RNG.random() < 0.3) for d in DOCS} for t in TOPICS}
SCORES = {
    name: {t: {d: float(LABELS[t][d] + noise * RNG.standard_normal()) for d in DOCS} for t in TOPICS}
    for name, noise in (("old", 3.0), ("new", 0.8))
}
OF_TEXT = {text: topic for topic, text in TOPICS.items()}


class Transformer:
    """A pipeline as PyTerrier has them: a frame of topics in, a frame of results out."""

    def __init__(self, name: str) -> None:
        self.name, self.sizes = name, list[int]()

    def __repr__(self) -> str:
        return f"Ours({self.name})"

    def transform(self, topics: Any) -> Any:
        """Results of the topics given, with the columns that PyTerrier has beside those that count."""
        self.sizes.append(len(topics))
        rows = [
            (q.qid, q.query, 7, d, s, r)
            for q in topics.itertuples()
            for r, (d, s) in enumerate(sorted(SCORES[self.name][q.qid].items(), key=lambda x: -x[1]))
        ]
        return pd.DataFrame(rows, columns=["qid", "query", "docid", "docno", "score", "rank"])


def ranked(name: str, form: str) -> Callable[[str], Any]:
    """A function of a query that returns its ranking in one of the forms."""

    def search(query: str) -> Any:
        scores = SCORES[name][OF_TEXT[query]]
        pairs = sorted(scores.items(), key=lambda x: -x[1])
        return {
            "ids": [d for d, _ in pairs], "pairs": pairs, "dict": scores,
            "objects": [{"doc_id": d, "score": s} for d, s in pairs],
        }[form]  # fmt: skip

    return search


def frames(name: str) -> Callable[[Any], Any]:
    """A function of a frame of all topics."""

    def search(topics: Any) -> Any:
        return Transformer(name).transform(topics)

    return search


def frame_of_topics() -> Any:
    """The topics as PyTerrier has them."""
    return pd.DataFrame({"qid": list(TOPICS), "query": list(TOPICS.values())})


def values(experiment: tg.Experiment) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Scores with their intervals."""
    return {(e.system, e.measure): (e.value, e.low, e.high) for e in experiment.estimates}


@pytest.mark.parametrize(
    "make", [Transformer, frames, *(lambda n, f=f: ranked(n, f) for f in ("pairs", "dict", "objects"))]
)
def test_every_kind_of_system_gives_the_answers_of_its_run(make: Callable[[str], Any]) -> None:
    """Guards the roads from systems to runs: scores, intervals, differences and sentences are those of the runs."""
    made = tg.Experiment({s: make(s) for s in SCORES}, frame_of_topics(), LABELS, ["AP", "nDCG@10"], baseline="old")
    study = tg.Study(SCORES, LABELS, ["AP", "nDCG@10"])
    assert values(made) == {(e.system, e.measure): (e.value, e.low, e.high) for e in study.estimates()}
    wanted = [study.verdict("old", "new", m) for m in study.measures]
    assert [v.sentence for v in made.verdicts] == [v.sentence for v in wanted] == list(made.sentences)
    row = made.table().records()[1]
    c = wanted[0].comparison
    assert (row["difference"], row["difference low"], row["p"], row["outcome"]) == (c.difference, c.low, c.p, "better")
    assert made.table().records()[0]["difference"] is None  # of the baseline itself


def test_ids_alone_are_ranked_as_they_come() -> None:
    """Guards lists without scores: the first is the best."""
    by_ids = tg.Experiment({s: ranked(s, "ids") for s in SCORES}, TOPICS, LABELS, "AP")
    by_scores = tg.Experiment(SCORES, None, LABELS, "AP")
    assert values(by_ids) == values(by_scores)
    assert by_ids.sentences == by_scores.sentences == (by_ids.study.best().sentence,)


def test_ranks_without_scores_are_heeded() -> None:
    """Guards frames of one query: rows may come in any order, and the first rank is the best."""
    pandas = pytest.importorskip("pandas")
    made = tg.Experiment(
        {"new": lambda query: pandas.DataFrame({"docno": ["d2", "d1", "d3"], "rank": [2, 1, 3]})}, TOPICS, LABELS, "P@1"
    )
    run = made.runs.parts[0]
    assert [run.docs.strings()[at] for at in np.argsort(-run.score[:3])] == ["d1", "d2", "d3"]


@pytest.mark.filterwarnings("ignore::truegain.errors.DataWarning")
def test_defaults_that_are_given_change_nothing() -> None:
    """Guards None: ratings=None and scoring=None are as if they were left out."""
    systems = {"old": {t: {"d1": 1.0} for t in list(TOPICS)[:20]}, "new": {t: {"d2": 1.0} for t in TOPICS}}
    labels = {t: of | {"d1": 1, "d2": 1} for t, of in LABELS.items()}
    plain = tg.Experiment(systems, None, labels, "P@1")
    assert values(plain)["old", "P@1"][0] == pytest.approx(2 / 3)
    assert values(tg.Experiment(systems, None, labels, "P@1", ratings=None, scoring=None)) == values(plain)


def test_a_run_is_named_as_elsewhere(tmp_path: Path) -> None:
    """Guards the names of files: bm25.v1.run and bm25.v2.run are two systems, as on the command line."""
    files = [tmp_path / "bm25.v1.run", tmp_path / "bm25.v2.run"]
    for file in files:
        file.write_text("".join(f"{t} Q0 d1 1 1.0 x\n" for t in TOPICS))
    assert tg.Experiment(files, None, LABELS, "P@1").study.systems == ("bm25.v1", "bm25.v2")


def test_topics_in_batches() -> None:
    """Guards batch_size: so many topics at a time, all of them, and the same answers."""
    one, some = Transformer("new"), Transformer("new")
    whole = tg.Experiment({"new": one, "old": SCORES["old"]}, frame_of_topics(), LABELS, "AP")
    parts = tg.Experiment({"new": some, "old": SCORES["old"]}, TOPICS, LABELS, "AP", batch_size=7)
    assert (one.sizes, some.sizes) == ([30], [7, 7, 7, 7, 2])
    assert values(whole) == values(parts)


def test_names_and_the_place_of_the_baseline() -> None:
    """Guards names as PyTerrier makes them, names that are given, and a baseline by its place."""
    systems = [Transformer("old"), Transformer("new")]
    made = tg.Experiment(systems, frame_of_topics(), LABELS, "AP", baseline=1)
    assert (made.study.systems, made.baseline) == (("Ours(old)", "Ours(new)"), "Ours(new)")
    named = tg.Experiment(systems, frame_of_topics(), LABELS, "AP", names=["a", "b"], baseline=0)
    assert [v.comparison.b for v in named.verdicts] == ["b"]


def test_a_topic_without_results_counts_0_and_other_topics_do_not() -> None:
    """Guards missing: a system that was asked and returned nothing scores 0; topics that nobody was asked are out."""
    asked = {t: TOPICS[t] for t in list(TOPICS)[:20]}

    def silent(query: str) -> Any:
        return None if query == "query 3" else SCORES["new"][OF_TEXT[query]]

    with pytest.warns(tg.DataWarning, match="1 of 20 judged topics are not answered by all systems"):
        made = tg.Experiment({"old": SCORES["old"], "silent": silent}, asked, LABELS, "AP", baseline="old")
    whole = tg.evaluate({"new": SCORES["new"]}, LABELS, "AP").by_topic("new", "AP")
    mean = sum(float(whole[t] or 0.0) for t in asked if t != "3") / 20
    assert values(made)["silent", "AP"][0] == pytest.approx(mean, abs=1e-12)


def test_runs_are_saved_and_used_again(tmp_path: Path) -> None:
    """Guards save_dir: refused, used or replaced as asked; never a run of other queries; what else reads the folder."""
    folder, new = tmp_path / "runs", Transformer("new")
    systems: dict[str, Any] = {"new": new, "old": SCORES["old"]}
    first = tg.Experiment(systems, TOPICS, LABELS, "AP", save_dir=folder)
    assert sorted(p.name for p in folder.iterdir()) == [ABOUT, "new.run"]
    with pytest.raises(tg.InputError, match="this run is there already"):
        tg.Experiment(systems, TOPICS, LABELS, "AP", save_dir=folder)
    again = tg.Experiment(systems, TOPICS, LABELS, "AP", save_dir=folder, save_mode="reuse")
    assert new.sizes == [30]
    assert (
        values(again)
        == values(first)
        == values(tg.Experiment([folder / "new.run", SCORES["old"]], None, LABELS, "AP", names=["new", "old"]))
    )
    with pytest.raises(tg.InputError, match="the saved run is of other queries"):
        tg.Experiment(systems, {**TOPICS, "0": "another"}, LABELS, "AP", save_dir=folder, save_mode="reuse")
    tg.Experiment(systems, TOPICS, LABELS, "AP", save_dir=folder, save_mode="overwrite")
    assert new.sizes == [30, 30]
    assert tg.read_runs(folder).systems == ("new",)
    (folder / ABOUT).unlink()
    with pytest.warns(tg.DataWarning, match="the queries of this saved run are unknown"):
        tg.Experiment(systems, TOPICS, LABELS, "AP", save_dir=folder, save_mode="reuse")


def test_options_are_those_of_a_study() -> None:
    """Guards one set of options: each field of a study's config is taken and reaches the study."""
    assert set(StudyWords.__annotations__) == {f.name for f in fields(tg.StudyConfig)}
    made = tg.Experiment(
        SCORES, None, LABELS, "P@5", baseline="old", min_effect=0.9, confidence=0.9, population="topics,collection",
        scoring=tg.Scoring(relevant_from=1), unjudged="non-relevant",
    )  # fmt: skip
    assert made.verdicts[0].outcome == "not better"
    assert (made.study.confidence, made.study.provenance["population"]) == (0.9, ["collection", "topics"])
    people = {t: {d: x ^ (d == "d3") for d, x in row.items()} for t, row in LABELS.items()}
    gold = tg.Gold(people, design="random")
    corrected = tg.Experiment(SCORES, None, LABELS, "P@5", gold=gold, baseline="old").verdicts[0]
    assert corrected.sentence == tg.Study(SCORES, LABELS, "P@5", gold=gold).verdict("old", "new").sentence


def test_mistakes_are_named() -> None:
    """Guards errors: which system failed on what, what a function must return, and where PyTerrier's options went."""

    def broken(query: str) -> Any:
        raise KeyError(query)

    wrong: list[tuple[Any, dict[str, Any], str]] = [
        ([broken], {}, r"broken failed on topic 0: KeyError: 'query 0'. A function gets the text of one query"),
        ([lambda query: 7], {}, "system 1, topic 0: a system returned an? int"),
        ([lambda query: ["d1", "d1"]], {}, "document d1 was returned twice"),
        ([lambda query: [("d1", "high")]], {}, "not a document id, or a pair"),
        ([lambda query: []], {}, "returned nothing for 30 topics"),
        ([Transformer("old"), Transformer("old")], {}, r"2 systems would be named Ours\(old\); give a dict"),
        (SCORES, {"baseline": "nwe"}, "baseline 'nwe' is not a system here"),
        (SCORES, {"baseline": 2}, "baseline 2: give a place from 0 to 1"),
        (SCORES, {"names": ["a", "b"]}, "leave out names"),
        ([SCORES["old"]], {"names": ["a", "b"]}, "names has 2 names for 1 system"),
        (SCORES, {"batch_size": 0}, "batch_size"),
        (SCORES, {"eval_metrics": "AP"}, "the fourth argument is measures"),
        (SCORES, {"perquery": True}, "scores of every topic"),
        (SCORES, {"save_format": "trec"}, "save_dir has runs as trec_eval reads them"),
        (SCORES, {"plan": "tree"}, "no option plan; each system runs by itself"),
        (
            {"union": lambda topics: Transformer("old").transform(topics)[["qid", "query", "docno"]]},
            {},
            "union returned no score and no rank: columns qid, query, docno .return one of the two",
        ),
        (SCORES, {"populaton": "topics"}, "did you mean population"),
        ({"a b": ranked("old", "ids")}, {"save_dir": "runs"}, "'a b' cannot be that of a saved run"),
    ]
    for systems, options, says in wrong:
        with pytest.raises(tg.TruegainError, match=says):
            tg.Experiment(systems, TOPICS, LABELS, "AP", **options)
    with pytest.raises(tg.TruegainError, match="has to be run, and there are no queries"):
        tg.Experiment([broken], None, LABELS, "AP")
    with pytest.raises(tg.InputError, match="no query is judged: queries x, judged topics 0"):
        tg.Experiment(SCORES, {"x": "y"}, LABELS, "AP")
    other = frame_of_topics().assign(qid=[f"q{t}" for t in TOPICS])
    with pytest.raises(tg.InputError, match="returned results of other topics alone: q0"):
        tg.Experiment(
            {"odd": lambda topics: Transformer("old").transform(frame_of_topics()).assign(qid="q0")},
            TOPICS,
            LABELS,
            "AP",
        )
    assert len(other) == 30


def test_it_shows_itself() -> None:
    """Guards what people and programs see: the table, the sentences below it, LaTeX, and frames."""
    made = tg.Experiment(SCORES, None, LABELS, ["AP", "P@5"], baseline="old")
    text = str(made)
    assert text.startswith("2 systems, 30 topics, against old\n")
    assert all(sentence in text for sentence in made.sentences)
    assert "\\toprule" in made.latex()
    assert "\n\n\n" not in str(tg.Experiment({"new": SCORES["new"]}, None, LABELS, "AP"))  # no sentence of one system
    assert list(made.frame()["outcome"]) == [None, "better", None, "better"]
    assert made.to_dict()["provenance"]["baseline"] == "old"


def test_against_pyterrier_itself(tmp_path: Path) -> None:
    """Guards the promise with the real library: operators run, scores and p are those of pt.Experiment."""
    pt = pytest.importorskip("pyterrier", reason="PyTerrier is not installed")
    warnings.simplefilter("ignore")  # of PyTerrier, on pandas
    topics, qrels = (
        frame_of_topics(),
        pd.DataFrame(
            [(t, d, x) for t, row in LABELS.items() for d, x in row.items()], columns=["qid", "docno", "label"]
        ),
    )
    old, new = (pt.Transformer.from_df(Transformer(s).transform(topics), uniform=True) for s in ("old", "new"))
    systems = [old, new, new % 5, 0.5 * old + new, new >> pt.apply.doc_score(lambda row: -row["score"])]
    names = ["old", "new", "first", "sum", "turned"]
    for batch in (None, 7):
        mine = tg.Experiment(systems, topics, qrels, ["map", "ndcg_cut_10"], names=names, baseline=0, batch_size=batch)
        theirs = pt.Experiment(systems, topics, qrels, ["map", "ndcg_cut_10"], names=names, baseline=0).set_index(
            "name"
        )
        for measure, ours in (("map", "AP"), ("ndcg_cut_10", "nDCG@10")):
            for name in names:
                assert values(mine)[name, ours][0] == pytest.approx(theirs.loc[name, measure], abs=1e-12)
            for v in mine.verdicts:
                if v.comparison.measure == ours:
                    assert v.comparison.p == pytest.approx(theirs.loc[v.comparison.b, f"{measure} p-value"], rel=1e-9)
    as_theirs = tg.Scoring(trec_eval=9, all_topics=True)  # which they score by: other ties, other interpolation
    mine = tg.Experiment(systems, topics, qrels, ["iprec_at_recall_0.10"], names=names, scoring=as_theirs)
    theirs = pt.Experiment(systems, topics, qrels, ["iprec_at_recall_0.10"], names=names)
    assert [e.value for e in mine.estimates] == pytest.approx(list(theirs.iloc[:, 1]), abs=1e-12)
    with pytest.raises(tg.InputError, match="union returned no score and no rank"):
        tg.Experiment({"union": old | new}, topics, qrels, ["map"])
    dataset = tg.Experiment([old], topics, qrels, [pt.measures.nDCG @ 10])
    assert dataset.study.systems == (str(old),)
