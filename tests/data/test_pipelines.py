"""Judgments and queries as pipelines have them: ir_datasets, Hugging Face datasets, BEIR's files."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest

import truegain as tg
from truegain.cli.app import main
from truegain.data.queries import read_queries
from truegain.io import remote
from truegain.io.files import read_bytes

QRELS = {str(t): {"a": 2, "b": 0, "c": t % 2} for t in range(12)}
QUERIES = {str(t): f"query number {t}" for t in range(12)}
RUN = {t: {"a": 1.0 + (int(t) % 3), "b": 2.5, "c": 0.5} for t in QRELS}


class Judged(NamedTuple):
    """A row of judgments as ir_datasets has them."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Query(NamedTuple):
    """A query as ir_datasets has them."""

    query_id: str
    text: str


class Scored(NamedTuple):
    """A ranked document as ir_datasets has them."""

    query_id: str
    doc_id: str
    score: float


class Dataset:
    """A stand-in for a dataset of ir_datasets."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts

    def has_qrels(self) -> bool:
        """Whether there are judgments."""
        return "qrels" in self.parts

    def has_queries(self) -> bool:
        """Whether there are queries."""
        return "queries" in self.parts

    def has_scoreddocs(self) -> bool:
        """Whether there is a ranking."""
        return "scoreddocs" in self.parts

    def qrels_iter(self) -> Iterator[Judged]:
        """The judgments."""
        return (Judged(t, d, x) for t, row in QRELS.items() for d, x in row.items())

    def queries_iter(self) -> Iterator[Query]:
        """The queries."""
        return (Query(t, text) for t, text in QUERIES.items())

    def scoreddocs_iter(self) -> Iterator[Scored]:
        """The ranking."""
        return (Scored(t, d, x) for t, row in RUN.items() for d, x in row.items())


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A stand-in for ir_datasets that knows two datasets."""
    known = {"small/judged": Dataset("qrels", "queries", "scoreddocs"), "small": Dataset("queries")}
    module = ModuleType("ir_datasets")
    module.load, module.registry = known.__getitem__, known  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    remote.lines_of.cache_clear()
    yield known
    remote.lines_of.cache_clear()


def table(judgments: tg.Judgments) -> list[tuple[str, str, float]]:
    """The rows of judgments."""
    return list(zip(judgments.topic.strings(), judgments.docs.strings(), judgments.label.tolist(), strict=True))


WANTED = [(t, d, float(x)) for t, row in QRELS.items() for d, x in row.items()]


def test_judgments_of_ir_datasets(library: dict[str, Any]) -> None:
    """Guards irds:NAME and Dataset objects, as judgments, queries and runs, wherever a path is taken."""
    for data in ("irds:small/judged", library["small/judged"]):
        assert table(tg.read_judgments(data)) == WANTED
        assert read_queries(data) == QUERIES
        by_name = tg.evaluate({"x": RUN}, data, "AP")
        assert by_name.mean("x", "AP") == tg.evaluate({"x": RUN}, QRELS, "AP").mean("x", "AP")
    runs = tg.read_runs(["irds:small/judged"])
    assert runs.systems == ("small/judged",)
    assert runs.parts[0].score.tolist() == [x for row in RUN.values() for x in row.values()]
    study = tg.Study({"x": RUN, "y": {t: {"a": 9.0, "c": 2.0, "b": 1.0} for t in QRELS}}, "irds:small/judged", "P@1")
    assert study.provenance["judgments"] == "judged"
    assert study.verdict("x", "y").outcome == "better"
    systems = {"ours": lambda query: ["a", "c", "b"]}
    assert tg.Experiment(systems, "irds:small/judged", "irds:small/judged", "P@1").estimates[0].value == 1.0


def test_ir_datasets_on_the_command_line(
    library: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards the same name wherever a command takes judgments: scored, told with a digest, written into study files."""
    monkeypatch.chdir(tmp_path)
    tg.write_runs({"x": RUN}, "x.run")
    tg.write_runs({"y": RUN}, "y.run")
    tg.write_judgments(QRELS, "q.qrels")
    words = ["eval", "irds:small/judged", "x.run", "irds:small/judged", "-m", "AP", "--format", "json"]
    monkeypatch.setattr(sys, "argv", ["truegain", *words])
    main()
    told = json.loads(capsys.readouterr().out)
    assert [row["value"] for row in told["scores"]] == [tg.evaluate("x.run", "q.qrels", "AP").mean("x", "AP")] * 2
    digests = told["provenance"]["inputs"]
    assert len(digests["irds:small/judged"]) == 64
    (tmp_path / "study.toml").write_text('judgments = "irds:small/judged"\nruns = ["x.run", "y.run"]\nmeasure = "AP"\n')
    assert tg.read_study("study.toml").systems == ("x", "y")
    for name, says in [
        ("irds:smal", "irds:smal: ir_datasets has no such dataset (did you mean irds:small"),
        ("irds:small", "irds:small: this dataset has no judgments (it has queries; give another dataset or a file)"),
    ]:
        monkeypatch.setattr(sys, "argv", ["truegain", "eval", name, "x.run"])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert says in capsys.readouterr().err.replace("\n", " ")


def test_a_dataset_that_cannot_be_fetched(library: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards a machine without a network: no traceback, and the first of the library's reasons alone."""

    def failing(self: Dataset) -> Iterator[Judged]:
        raise RuntimeError("All download sources failed", ["https://example.org/a"])
        yield Judged("1", "a", 1)

    monkeypatch.setattr(Dataset, "qrels_iter", failing)
    with pytest.raises(tg.InputError) as caught:
        tg.read_judgments("irds:small/judged")
    assert str(caught.value).startswith("irds:small/judged: the dataset cannot be read: All download sources failed (")


def test_the_real_ir_datasets(tmp_path: Path) -> None:
    """Guards the library itself: a dataset of one's own, subtopics, and a name that it does not have."""
    ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")
    tg.write_judgments(QRELS, tmp_path / "q.qrels")
    (tmp_path / "q.tsv").write_text("".join(f"{t}\t{text}\n" for t, text in QUERIES.items()))
    made = ir_datasets.create_dataset(queries_tsv=str(tmp_path / "q.tsv"), qrels_trec=str(tmp_path / "q.qrels"))
    assert table(tg.read_judgments(made)) == table(tg.read_judgments(made.qrels_iter())) == WANTED
    assert read_queries(made) == QUERIES
    with pytest.raises(tg.InputError, match=r"no such dataset \(did you mean irds:cranfield"):
        tg.read_judgments("irds:cranfeild")
    parted = SimpleNamespace(query_id="1", doc_id="a", relevance=1, subtopic_id="3")
    assert remote.subtopic_of(parted) == "3"


def test_datasets_of_pyterrier() -> None:
    """Guards objects with get_qrels and get_topics, as those of PyTerrier are."""
    pd = pytest.importorskip("pandas")

    class Theirs:
        def get_qrels(self) -> Any:
            return pd.DataFrame(WANTED, columns=["qid", "docno", "label"])

        def get_topics(self) -> Any:
            return pd.DataFrame(QUERIES.items(), columns=["qid", "query"])

    assert table(tg.read_judgments(Theirs())) == WANTED
    assert read_queries(Theirs()) == QUERIES


class HuggingFace:
    """A stand-in for a Dataset of Hugging Face."""

    def __init__(self, columns: dict[str, list[Any]], kind: str | None = "torch") -> None:
        self.held, self.kind = columns, kind

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self.held)

    def with_format(self, kind: str | None) -> HuggingFace:
        """The same, whose values come in another form."""
        return HuggingFace(self.held, kind)

    def __getitem__(self, name: str) -> Any:
        assert self.kind is None, "values of Python are wanted"
        return iter(self.held[name])


BEIR: dict[str, list[Any]] = {
    "query-id": [t for t, _, _ in WANTED],
    "corpus-id": [d for _, d, _ in WANTED],
    "score": [int(x) for *_, x in WANTED],
}


def test_hugging_face_datasets() -> None:
    """Guards datasets as BEIR and MTEB have them there: qrels and queries; a dict of splits is asked which."""
    data = HuggingFace(BEIR)
    assert table(tg.read_judgments(data)) == WANTED
    queries = HuggingFace({"_id": list(QUERIES), "text": list(QUERIES.values())})
    assert read_queries(queries) == QUERIES
    with pytest.raises(
        tg.InputError, match=r"this holds 2 tables, test, train \(give one of them, such as data\['test'\]"
    ):
        tg.read_judgments({"test": data, "train": data})  # type: ignore[arg-type]
    datasets = pytest.importorskip("datasets", reason="Hugging Face datasets is not installed")
    assert table(tg.read_judgments(datasets.Dataset.from_dict(BEIR))) == WANTED


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "jsonl", "tsv"])
def test_columnar_files(tmp_path: Path, kind: str) -> None:
    """Guards the files of such datasets: Parquet, Arrow as a stream and as a file, JSONL, and BEIR's test.tsv."""
    pl = pytest.importorskip("polars")
    for name, columns in (("qrels", BEIR), ("queries", {"_id": list(QUERIES), "text": list(QUERIES.values())})):
        frame, out = pl.DataFrame(columns), io.BytesIO()
        write = {
            "parquet": frame.write_parquet, "arrow": frame.write_ipc_stream, "feather": frame.write_ipc,
            "jsonl": frame.write_ndjson, "tsv": lambda out, frame=frame: frame.write_csv(out, separator="\t"),
        }[kind]  # fmt: skip
        write(out)
        (tmp_path / f"{name}.{kind}").write_bytes(out.getvalue())
    assert table(tg.read_judgments(tmp_path / f"qrels.{kind}")) == WANTED
    assert read_queries(tmp_path / f"queries.{kind}") == QUERIES
    if kind in ("arrow", "feather"):
        whole = (tmp_path / f"qrels.{kind}").read_bytes()
        (tmp_path / f"cut.{kind}").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(tg.InputError, match="not a readable Arrow file"):
            tg.read_judgments(tmp_path / f"cut.{kind}")
        (tmp_path / f"text.{kind}").write_text("1 0 a 1\n")
        with pytest.raises(tg.InputError, match="not an Arrow file"):
            tg.read_judgments(tmp_path / f"text.{kind}")


def test_a_dataset_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards what save_to_disk writes: parts of a table beside what is said of them; parts that differ are refused."""
    pl = pytest.importorskip("polars")
    folder = tmp_path / "qrels"
    folder.mkdir()
    frame = pl.DataFrame(BEIR)
    for part in (0, 1):
        frame[part * 20 : 20 + part * 20].write_ipc_stream(folder / f"data-0000{part}-of-00002.arrow")
    (folder / "state.json").write_text("{}")
    (folder / "dataset_info.json").write_text("{}")
    assert table(tg.read_judgments(folder)) == WANTED
    monkeypatch.chdir(tmp_path)
    tg.write_runs({"x": RUN}, "x.run")
    monkeypatch.setattr(sys, "argv", ["truegain", "eval", "qrels", "x.run", "-m", "AP", "--format", "json"])
    main()
    told = json.loads(capsys.readouterr().out)
    assert told["scores"][0]["value"] == tg.evaluate({"x": RUN}, QRELS, "AP").mean("x", "AP")
    pl.DataFrame({"_id": list(QUERIES)}).write_ipc_stream(folder / "data-00003-of-00002.arrow")
    with pytest.raises(tg.InputError, match=r"00003-of-00002\.arrow: its columns are _id, and those of"):
        tg.read_judgments(folder)
    (folder / "notes.txt").write_text("x")
    with pytest.raises(tg.InputError, match="this is a folder"):
        tg.read_judgments(folder)


def saved(folder: Path, frame: Any, parts: int = 1) -> None:
    """What save_to_disk of datasets 5.2 writes, over what is there: it removes nothing."""
    folder.mkdir(exist_ok=True, parents=True)
    names = [f"data-{part:05}-of-{parts:05}.arrow" for part in range(parts)]
    rows = -(-len(frame) // parts)
    for part, name in enumerate(names):
        frame[part * rows : (part + 1) * rows].write_ipc_stream(folder / name)
    listed = {"_data_files": [{"filename": name} for name in names], "_format_type": None, "_split": None}
    (folder / "state.json").write_text(json.dumps(listed, indent=2))
    (folder / "dataset_info.json").write_text('{\n  "citation": "",\n  "features": {}\n}')


def test_a_saved_dataset_is_what_it_lists(tmp_path: Path) -> None:
    """Guards folders of save_to_disk: parts of an earlier save, caches of map and filter are no rows of it."""
    pl = pytest.importorskip("polars")
    frame, folder = pl.DataFrame(BEIR), tmp_path / "qrels"
    saved(folder, frame, parts=3)
    assert table(tg.read_judgments(folder)) == WANTED
    saved(folder, frame)
    frame.with_columns(score=1 - pl.col("score")).write_ipc_stream(folder / "cache-9186dc54f98289b9.arrow")
    pl.DataFrame({"indices": [0, 2]}).write_ipc_stream(folder / "cache-e5c6d5e1acc7d4bc.arrow")
    assert table(tg.read_judgments(folder)) == WANTED
    (folder / "state.json").write_text('{"_data_files": []}')
    with pytest.raises(tg.InputError, match="the dataset has no rows"):
        tg.read_judgments(folder)
    (folder / "state.json").write_text('{"_data_files": [{"filename": "../other.arrow"}]}')
    with pytest.raises(tg.InputError, match=r"state.json lists \.\./other.arrow, which is not in this folder"):
        tg.read_judgments(folder)


def test_runs_and_values_in_saved_datasets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards such folders where runs and values of answers are read: named as the folder; splits are asked which."""
    pl = pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    rows = [(t, d, x) for t, row in RUN.items() for d, x in row.items()]
    run = pl.DataFrame(rows, schema=["query-id", "corpus-id", "score"], orient="row")
    saved(Path("dense"), run, parts=2)
    assert tg.read_runs("dense").systems == tg.read_runs(["dense"]).systems == ("dense",)
    means = tg.evaluate({"dense": RUN}, QRELS, "AP").mean("dense", "AP")
    assert tg.evaluate("dense", QRELS, "AP").mean("dense", "AP") == means
    saved(Path("qrels"), pl.DataFrame(BEIR))
    monkeypatch.setattr(sys, "argv", ["truegain", "eval", "qrels", "dense", "-m", "AP", "--format", "json"])
    main()
    told = json.loads(capsys.readouterr().out)
    assert [(row["system"], row["value"]) for row in told["scores"]] == [("dense", means)]
    names = ["qrels/data-00000-of-00001.arrow", *(f"dense/data-0000{n}-of-00002.arrow" for n in (0, 1))]
    assert {name: len(digest) for name, digest in told["provenance"]["inputs"].items()} == dict.fromkeys(names, 64)

    answers = {
        name: pl.DataFrame({"question": list(QUERIES.values()), "score": [x + n / 9 for n in range(12)]})
        for name, x in (("old", 0.1), ("new", 0.4))
    }
    for name, frame in answers.items():
        saved(Path("split", name), frame, parts=2)
    Path("split/dataset_dict.json").write_text('{"splits": ["old", "new"]}')
    by_folder = tg.read_items(["split/old", "split/new"])
    by_object = tg.read_items({name: HuggingFace(frame.to_dict(as_series=False)) for name, frame in answers.items()})
    for items in (by_folder, by_object):
        assert tg.evaluate(items).by_topic("new", "score")["query number 2"] == pytest.approx(0.4 + 2 / 9)
        assert set(items.systems) == {"old", "new"}
    monkeypatch.setattr(sys, "argv", ["truegain", "doctor", "split"])
    main()
    told = capsys.readouterr().out
    assert "split/new: answers: system new, 12 topics" in told
    assert "truegain verdict split/new split/old --score score" in told
    assert "dataset_dict" not in told
    ratings = [(t, d, who, 1) for t in QRELS for d in "abc" for who in ("ann", "ben")]
    saved(Path("rated"), pl.DataFrame(ratings, schema=["topic", "doc", "assessor", "rating"], orient="row"))
    monkeypatch.setattr(sys, "argv", ["truegain", "doctor", "rated"])
    main()
    assert "truegain agree rated/data-00000-of-00001.arrow" in capsys.readouterr().out
    assert len(tg.read_ratings("rated")) == len(ratings)
    with pytest.raises(tg.InputError, match=r"cannot be read here \(name its file, rated/data-00000-of-00001"):
        read_bytes("rated")  # as what reads bytes alone does
    with pytest.raises(tg.InputError, match=r"split: this holds 2 tables, old, new \(name one of them, such as split"):
        tg.read_items("split")
    with pytest.raises(tg.InputError, match="split: this holds 2 tables"):
        tg.read_runs("split")
    pl.concat([f.with_columns(system=pl.lit(s)) for s, f in answers.items()]).write_parquet("answers.parquet")
    monkeypatch.setattr(sys, "argv", ["truegain", "verdict", "answers.parquet"])
    with pytest.raises(SystemExit):
        main()
    assert "a table of scores? add --score score" in capsys.readouterr().err


def test_datasets_that_the_library_itself_saved(tmp_path: Path) -> None:
    """Guards the library itself: saved twice, mapped where it lies, split, in one form of values or another."""
    datasets = pytest.importorskip("datasets", reason="Hugging Face datasets is not installed")
    data = datasets.Dataset.from_dict(BEIR)
    for kind in (None, "numpy", "arrow"):
        assert table(tg.read_judgments(data.with_format(kind))) == WANTED
    assert table(tg.read_judgments(data.to_iterable_dataset())) == WANTED
    data.save_to_disk(tmp_path / "d", num_shards=3)
    data.save_to_disk(tmp_path / "d")
    datasets.load_from_disk(tmp_path / "d").map(lambda row: {"score": 1 - row["score"]})
    assert len(list((tmp_path / "d").glob("*.arrow"))) == 5
    assert table(tg.read_judgments(tmp_path / "d")) == WANTED
    datasets.DatasetDict({"test": data}).save_to_disk(tmp_path / "all")
    assert table(tg.read_judgments(tmp_path / "all" / "test")) == WANTED
    with pytest.raises(tg.InputError, match="this holds 1 table, test"):
        tg.read_judgments(tmp_path / "all")


TREC = """<top>
<num> Number: 301
<title> organized crime

<desc> Description:
What is it?
</top>
<top>
<num> Number: 302 </num>
<title></title>
<desc> Description: Poliomyelitis </desc>
</top>
"""


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("q.tsv", "301\torganized crime\n\n302\tpolio\n", {"301": "organized crime", "302": "polio"}),
        ("q.tsv", "qid\tquery\n301\torganized crime\n", {"301": "organized crime"}),
        ("q.csv", 'query_id,text\n301,"crime, organized"\n', {"301": "crime, organized"}),
        ("q.jsonl", '{"_id": "301", "text": "organized crime", "metadata": {}}\n', {"301": "organized crime"}),
        ("q.json", '{"301": "organized crime"}', {"301": "organized crime"}),
        ("q.json", '[{"qid": 301, "query": "organized crime"}]', {"301": "organized crime"}),
        ("topics.txt", TREC, {"301": "organized crime", "302": "Poliomyelitis"}),
    ],
)
def test_files_of_queries(tmp_path: Path, name: str, text: str, wanted: dict[str, str]) -> None:
    """Guards every form of a file of queries."""
    (tmp_path / name).write_text(text)
    assert read_queries(tmp_path / name) == wanted


def test_queries_that_are_wrong(tmp_path: Path) -> None:
    """Guards errors: place, value and what to do."""
    wrong: list[tuple[str, str, str]] = [
        ("q.tsv", "301\n", "q.tsv:1: not a topic, a tab and a query"),
        ("q.tsv", "301\ta\n301\tb\n", "q.tsv:2: query 301 appears twice"),
        ("q.jsonl", '{"_id": "1", "text": ""}\n', "q.jsonl:1: query 1 has no text"),
        ("q.jsonl", '{"name": "1", "text": "x"}\n', "no column with an id; their columns: name, text"),
        ("q.csv", "qid,words\n1,x\n", "not a topic, a tab and a query"),
        ("q.tsv", "", "there is no query"),
    ]
    for name, text, says in wrong:
        (tmp_path / name).write_text(text)
        with pytest.raises(tg.InputError, match=says):
            read_queries(tmp_path / name)
    with pytest.raises(tg.InputError, match="cannot read an integer as queries"):
        read_queries(7)  # type: ignore[arg-type]
