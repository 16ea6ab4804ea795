"""Broken inputs and what must be said about each: one table for the Python and the command line tests."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import gzip
import io
import lzma
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import polars as pl

from truegain.io.plain_text import zstd

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = b"1 Q0 a 1 2.5 s\n1 Q0 b 2 1.5 s\n2 Q0 a 1 0.5 s\n"
MANY_QRELS = b"".join(b"%d 0 d%d %d\n" % (t, d, (t * d) % 2) for t in range(40) for d in range(40))


@dataclass(frozen=True)
class Broken:
    """Files of which `paths` are handed over as judgments or as runs; a sound file stands in for the other side.

    `says` are fragments of the message.  `options` say how runs are read; a measure may be named where it matters.
    """

    name: str
    role: Literal["judgments", "run"]
    files: Mapping[str, bytes]
    paths: tuple[str, ...]
    says: tuple[str, ...]
    measure: str = "P@5"
    options: Mapping[str, str] = field(default_factory=dict)

    def lay_out(self, folder: Path) -> tuple[str, list[str]]:
        """Write the files below a folder; return the path of the judgments and those of the runs."""
        for name, content in {"sound.qrels": QRELS, "sound.run": RUN, **self.files}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not name.endswith("/"):
                path.write_bytes(content)
            else:
                path.mkdir(exist_ok=True)
        if self.role == "judgments":
            return self.paths[0], ["sound.run"]
        return "sound.qrels", list(self.paths)


def qrels(name: str, content: bytes, *says: str, file: str = "bad.qrels", measure: str = "P@5") -> Broken:
    """One file of broken judgments, named in the message."""
    return Broken(f"judgments: {name}", "judgments", {file: content}, (file,), (file, *says), measure)


def run(name: str, content: bytes, *says: str, file: str = "bad.run", **options: str) -> Broken:
    """One broken run file, named in the message."""
    return Broken(f"run: {name}", "run", {file: content}, (file,), (file, *says), options=options)


def parquet(**columns: list[object]) -> bytes:
    """A Parquet file."""
    stream = io.BytesIO()
    pl.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


_GZ = gzip.compress(MANY_QRELS, mtime=0)
_XZ = lzma.compress(MANY_QRELS)
_ZST = zstd().compress(MANY_QRELS)
_PARQUET = parquet(topic=["1"], doc=["a"], label=[1])
_JUNK = bytes(range(256)) * 4

BROKEN = [
    # ------------------------------------------------------------ lines of a run
    run("three fields", b"1 Q0 a\n", ":1:", "6 fields, this one has 3", "'1 Q0 a'", "topic Q0 document rank score tag"),
    run("five fields on line 3", RUN[:30] + b"2 Q0 a 1 0.5\n", ":3:", "this one has 5", "'2 Q0 a 1 0.5'"),
    run("judgments given as run", QRELS, ":1:", "this one has 4", "look like judgments"),
    run("score is a word", b"1 Q0 a 1 high s\n", ":1:", "score is not a number", "'1 Q0 a 1 high s'", "field 5"),
    run("score is empty quotes", b'1 Q0 a 1 "" s\n', ":1:", "score is not a number"),
    run("decimal comma", b"1 Q0 a 1 2,5 s\n", ":1:", "score is not a number", "2,5"),
    run("underscore in the score", b"1 Q0 a 1 1_0 s\n", ":1:", "score is not a number", "1_0"),
    run("hexadecimal score", b"1 Q0 a 1 0x10 s\n", ":1:", "score is not a number", "0x10"),
    run("score with an empty exponent", b"1 Q0 a 1 1e s\n", ":1:", "score is not a number"),
    run("score that is two dots", b"1 Q0 a 1 .. s\n", ":1:", "score is not a number"),
    run("Arabic digits", "1 Q0 a 1 \u0661 s\n".encode(), ":1:", "score is not a number"),
    run("nan", b"1 Q0 a 1 2 s\n1 Q0 b 2 nan s\n", ":2:", "score is NaN", "'1 Q0 b 2 nan s'", "ordered"),
    run("NaN", b"1 Q0 a 1 NaN s\n", ":1:", "score is NaN"),
    run("-NAN", b"1 Q0 a 1 -NAN s\n", ":1:", "score is NaN"),
    run("score and tag swapped", b"1 Q0 a 1 bm25 2.5\n", ":1:", "score is not a number", "bm25"),
    run("fault after blank lines and comments", b"\n# x\n\n1 Q0 a 1 oops s\n", ":4:", "score is not a number"),
    run("fault after CRLF lines", b"1 Q0 a 1 2 s\r\n1 Q0 b 2 x s\r\n", ":2:", "'1 Q0 b 2 x s'"),
    run("fault on a last line without newline", RUN + b"3 Q0 a", ":4:", "this one has 3", "'3 Q0 a'"),
    run("empty file", b"", "the file is empty", "topic Q0 document rank score tag"),
    run("only blank lines", b"\n \n\t\r\n", "the file is empty, or has only blank lines"),
    run("only comments", b"# nothing\n#\n", "only blank lines and comments"),
    run("only a byte order mark", b"\xef\xbb\xbf", "the file is empty"),
    run("document twice", RUN + b"1 Q0 a 3 0.1 s\n", ":4:", "document a appears twice for topic 1", "first on line 1"),
    run("document twice, same line twice", RUN + RUN, ":4:", "appears twice", "keep one of the two lines"),
    run("old Mac line ends", RUN.replace(b"\n", b"\r"), ":1:", "carriage return inside a line", "newline"),
    run("several tags", RUN + b"3 Q0 a 1 1 t\n", "2 different tags (s, t", "name systems by file", name_by="tag"),
    run("JSON true as score", b'{"topic": "1", "doc": "a", "score": true}\n', ":1:", "score is not a number", "'True'"),
    run("endless line", b"1 Q0 a 1 2 s\n" + b"x" * (1 << 21), ":2:", "a line of more than 1 MB", "right file"),
    qrels("label too large", b"1 0 a 1\n1 0 b 1e200\n", ":2:", "too large to be summed", "'1 0 b 1e200'"),
    # ------------------------------------------------------------ lines of judgments
    qrels("three fields", b"1 0 a\n", ":1:", "exactly 4 fields, this one has 3", "'1 0 a'", "subtopic document label"),
    qrels("five fields", b"1 0 a 1\n1 0 b 1 x\n", ":2:", "exactly 4 fields, this one has 5", "'1 0 b 1 x'"),
    qrels("run given as judgments", RUN, ":1:", "this one has 6", "looks like a run"),
    qrels("run with blanks in its tag", b"1 Q0 a 1 2 s t u v w x\n", ":1:", "this one has 11", "looks like a run"),
    qrels("label is a word", b"1 0 a 1\n1 0 b good\n", ":2:", "label is not a number", "'1 0 b good'", "field 4"),
    qrels("label nan", b"1 0 a nan\n", ":1:", "label is NaN"),
    qrels("label +NaN", b"1 0 a +NaN\n", ":1:", "label is NaN"),
    qrels("label inf", b"1 0 a 1\n1 0 b inf\n", ":2:", "label is infinite", "'1 0 b inf'", "finite"),
    qrels("label -Infinity", b"1 0 a -Infinity\n", ":1:", "label is infinite"),
    qrels("label beyond double", b"1 0 a 1e999\n", ":1:", "label is infinite", "1e999"),
    qrels("empty file", b"", "the file is empty", "topic subtopic document label"),
    qrels("only comments", b"# a\n\n", "only blank lines and comments"),
    qrels("no-break spaces", "1\u00a00\u00a0a\u00a01\n".encode(), ":1:", "this one has 1"),
    qrels("semicolons", b"1;0;a;1\n", ":1:", "this one has 1", "'1;0;a;1'"),
    qrels("same label twice", QRELS + b"1 0 a 1\n", ":4:", "two labels (1 and 1)", "topic 1, document a", "must be aggregated"),
    qrels("other label twice", QRELS + b"1 0 b 1\n", ":4:", "two labels (0 and 1)", "document b", "'1 0 b 1'", "must be aggregated"),
    qrels("subtopics with AP", b"1 1 a 1\n1 2 a 0\n2 1 a 1\n", ":2:", "two subtopics", "subtopic judgments", "alpha_nDCG", measure="AP"),
    # ------------------------------------------------------------ not text
    qrels("Latin-1", b"1 0 a 1\n1 0 caf\xe9 1\n", ":2:", "not UTF-8", "caf", "convert the file to UTF-8; in Excel, save it as 'CSV UTF-8'"),
    run("Latin-1", b"1 Q0 a 1 2 s\n1 Q0 b\xff 2 1 s\n", ":2:", "not UTF-8", "convert"),
    qrels("cut-off UTF-8 at the end", "1 0 a 1\n1 0 caf\u00e9".encode()[:-1], ":2:", "not UTF-8"),
    qrels("UTF-16", QRELS.decode().encode("utf-16"), "UTF-16", "convert the file to UTF-8; in Excel"),
    run("UTF-16 without mark", RUN.decode().encode("utf-16-le"), ":1:", "NUL byte", "UTF-16"),
    run("NUL in an id", b"1 Q0 a 1 2 s\n1 Q0 b\0c 2 1 s\n", ":2:", "NUL byte", "binary"),
    qrels("binary junk", _JUNK, ":1:", "NUL byte"),
    run("binary junk", _JUNK[128:192], ":1:", "not UTF-8"),
    qrels("zip archive", b"PK\x03\x04" + _JUNK, "zip archive", "unpack", file="qrels.zip"),
    qrels("bzip2 garbage", b"BZh91AY&SY" + _JUNK, "damaged compressed data", file="qrels.bz2"),
    # ------------------------------------------------------------ compressed
    qrels("gz cut off", _GZ[: len(_GZ) // 2], "damaged compressed data", "compress the file again", file="q.gz"),
    qrels("gz of three bytes", _GZ[:3], "damaged compressed data", file="q.gz"),
    qrels("gz garbage", b"\x1f\x8b\x08\x00" + _JUNK, "damaged compressed data", file="q.gz"),
    qrels("gz flipped byte", _GZ[:-6] + b"\0\0" + _GZ[-4:], "damaged compressed data", file="q.gz"),
    qrels("gz with a tail", _GZ + b"tail", "damaged compressed data", file="q.gz"),
    qrels("xz cut off", _XZ[: len(_XZ) // 2], "damaged compressed data", file="q.xz"),
    qrels("xz with a tail", _XZ + b"tail", "damaged compressed data", "the bytes after member 1 are not xz", file="q.xz"),
    qrels("xz with three zeros", _XZ + bytes(3), "damaged compressed data", "3 zeros at the end", file="q.xz"),
    qrels("xz, second member flipped", _XZ + _XZ[:7] + b"\5" + _XZ[8:], "damaged", "xz, member 2:", file="q.xz"),
    qrels("zst cut off", _ZST[: len(_ZST) // 2], "damaged compressed data", "ended before", file="q.zst"),
    qrels("zst of its first bytes", _ZST[:6], "damaged compressed data", file="q.zst"),
    qrels("zst with a tail", _ZST + b"tail", "damaged compressed data", file="q.zst"),
    run("fault inside gz", gzip.compress(b"1 Q0 a 1 2 s\n1 Q0 b 2 x s\n"), ":2:", "'1 Q0 b 2 x s'", file="bad.run.gz"),
    # ------------------------------------------------------------ CSV
    qrels("CSV without header", b"1,a,2\n", ":1:", "no header that names 'topic' and 'doc'", "'1,a,2'", "topic,doc,label", file="q.csv"),
    qrels("CSV without label", b"topic,doc,points\n1,a,2\n", "no column 'label'", "topic, doc, points", file="q.csv"),
    run("CSV without score", b"topic,doc,label\n1,a,2\n", "no column 'score'", "look like judgments", file="r.csv"),
    qrels("run CSV as judgments", b"topic,doc,score\n1,a,2\n", "no column 'label'", "looks like a run", file="q.csv"),
    qrels("CSV with a short row", b"topic,doc,label\n1,a,2\n1,b\n", ":3:", "2 fields where the header has 3", "'1,b'", file="q.csv"),
    qrels("CSV with a long row", b"topic,doc,label\n1,a,b,2\n", ":2:", "4 fields where the header has 3", "quote", file="q.csv"),
    qrels("CSV with no label", b"topic,doc,label\n1,a,\n", ":2:", "label is missing", file="q.csv"),
    qrels("CSV with no topic", b"topic,doc,label\n,a,1\n", ":2:", "topic is missing", file="q.csv"),
    qrels("CSV label is a word", b"topic,doc,label\n1,a,good\n", ":2:", "label is not a number", "'good'", file="q.csv"),
    qrels("CSV label NaN", b"topic,doc,label\n1,a,1\n1,b,NaN\n", ":3:", "label is NaN", "'NaN'", file="q.csv"),
    qrels("CSV label inf", b"topic,doc,label\n1,a,inf\n", ":2:", "label is infinite", file="q.csv"),
    run("CSV score nan", b"topic,doc,score\n1,a,nan\n", ":2:", "score is NaN", "'nan'", file="r.csv"),
    run("CSV header alone", b"topic,doc,score\n", "the run has no rows", file="r.csv"),
    qrels("CSV header alone", b"topic,doc,label", "there are no judgments", file="q.csv"),
    qrels("CSV open quote", b'topic,doc,label\n1,"a,2\n', "a quote is never closed", "quote fields", file="q.csv"),
    qrels("CSV text after a quote", b'topic,doc,label\n1,"a"b,2\n', ":2:", "expected after", '1,"a"b,2', file="q.csv"),
    qrels("CSV lone carriage return", b"topic,doc,label\n1,a,2\r1,b,3\n", ":2:", "carriage return", file="q.csv"),
    qrels("CSV two label columns", b"topic,doc,label,label\n1,a,1,2\n", "two columns are named 'label'", file="q.csv"),
    qrels("CSV Latin-1", b"topic,doc,label\n1,caf\xe9,1\n", ":2:", "not UTF-8", file="q.csv"),
    qrels(
        "ratings of two assessors",
        b"topic,doc,label,assessor\n1,a,1,ann\n1,a,0,bob\n2,a,1,ann\n",
        ":3:", "several assessors labeled topic 1, document a", "these are ratings", file="q.csv",
    ),
    run(
        "document twice in one of two systems",
        b"system,topic,doc,score\nx,1,a,3\ny,1,a,3\nx,1,b,2\n\ny,1,a,1\n",
        ":6:", "document a appears twice for topic 1 in system y, first on line 3", file="r.csv",
    ),
    qrels("TSV label is a word", b"topic\tdoc\tlabel\n1\ta\tgood\n", ":2:", "label is not a number", file="q.tsv"),
    # ------------------------------------------------------------ JSON lines
    qrels(
        "JSONL broken line",
        b'{"topic": "1", "doc": "a", "label": 1}\n{"topic": "1", "doc"\n',
        ":2:", "not a JSON object", '{"topic": "1", "doc"', "one object per line", file="q.jsonl",
    ),
    qrels("JSONL array", b"[1, 2]\n", ":1:", "a JSON list", "one object per line", file="q.jsonl"),
    qrels(
        "JSONL array on line 2",
        b'{"topic": "1", "doc": "a", "label": 1}\n["1", "b", 1]\n',
        ":2:", "not a JSON object", file="q.jsonl",
    ),
    qrels("JSONL printed over several lines", b'{\n"topic": 1\n}\n', ":1:", "not a JSON object", file="q.jsonl"),
    qrels("JSONL without label", b'{"topic": "1", "doc": "a"}\n', "no column 'label'", file="q.jsonl"),
    qrels(
        "JSONL label missing in a line",
        b'{"topic": "1", "doc": "a", "label": 1}\n\n{"topic": "1", "doc": "b"}\n',
        ":3:", "label is missing", file="q.jsonl",
    ),
    qrels("JSONL float id", b'{"topic": 1.5, "doc": "a", "label": 1}\n', ":1:", "topic is a float", "'1.5'", file="q.jsonl"),
    qrels("JSONL true as id", b'{"topic": true, "doc": "a", "label": 1}\n', ":1:", "topic is a bool", file="q.jsonl"),
    qrels("JSONL list as label", b'{"topic": "1", "doc": "a", "label": [1]}\n', ":1:", "label is not a number", file="q.jsonl"),
    qrels("JSONL half surrogate", b'{"topic": "1", "doc": "\\ud800", "label": 1}\n', ":1:", "not valid Unicode", file="q.jsonl"),
    qrels("JSONL with words", b"hello\n", ":1:", "no header", "one JSON object per line", file="q.jsonl"),
    qrels("JSONL nested past all bounds", b'{"topic":' + b"[" * 100_000, ":1:", "not a JSON object", file="q.jsonl"),
    # ------------------------------------------------------------ Parquet
    qrels("Parquet cut off", _PARQUET[: len(_PARQUET) // 2], "not a readable Parquet file", "complete", file="q.parquet"),
    qrels("Parquet of its first bytes", b"PAR1", "not a readable Parquet file", file="q.parquet"),
    qrels("Parquet that is text", QRELS, "not a Parquet file", file="q.parquet"),
    qrels("Parquet float ids", parquet(topic=[1.0], doc=["a"], label=[1]), "row 1", "topic is a float", "as text", file="q.parquet"),
    qrels("Parquet null label", parquet(topic=["1", "1"], doc=["a", "b"], label=[1, None]), "row 2", "label is missing", file="q.parquet"),
    qrels("Parquet NaN label", parquet(topic=["1"], doc=["a"], label=[float("nan")]), "row 1", "NaN", file="q.parquet"),
    run("Parquet without score", _PARQUET, "no column 'score'", file="r.parquet"),
    # ------------------------------------------------------------ paths
    Broken("judgments: folder", "judgments", {"q/a.qrels": QRELS}, ("q",), ("q", "this is a folder", "name a file")),
    Broken("judgments: missing", "judgments", {}, ("none.qrels",), ("none.qrels", "no such file", "check the path")),
    Broken("judgments: below a file", "judgments", {}, ("sound.run/x",), ("sound.run/x", "cannot be read")),
    Broken("judgments: very long name", "judgments", {}, ("x" * 5000,), ("cannot be read",)),
    Broken("run: missing", "run", {}, ("sound.run", "none.run"), ("none.run", "no such file")),
    Broken("run: very long name", "run", {}, ("x" * 5000,), ("cannot be read",)),
    Broken("run: empty folder", "run", {"r/": b""}, ("r",), ("r", "the folder has no files")),
    Broken("run: folder of hidden files", "run", {"r/.x": RUN}, ("r",), ("the folder has no files",)),
    Broken("run: pattern without match", "run", {}, ("r/*.run",), ("r/*.run", "no file matches this pattern")),
    Broken("run: one name twice", "run", {"x/s.run": RUN, "y/s.txt": RUN}, ("x/s.run", "y/s.txt"), ("two systems are named s", "rename")),
    Broken("run: one file twice", "run", {}, ("sound.run", "sound.run"), ("two systems are named sound",)),
    Broken("run: broken one among sound ones", "run", {"r/a.run": RUN, "r/b.run": b"1 Q0\n"}, ("r",), ("r/b.run:1:", "this one has 2")),
    Broken("run: no topic in common", "run", {"o.run": b"9 Q0 a 1 1 s\n"}, ("o.run",), ("o", "no topic of the run has judgments", "9", "belong together")),
]  # fmt: skip
