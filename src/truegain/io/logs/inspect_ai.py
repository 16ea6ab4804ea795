"""Logs of inspect_ai: `.eval`, a ZIP whose members are packed with zstandard, and `.json`.

A sample is a topic, an epoch a replicate.  A scorer that gives several values at once gives as many scores.
"""

from __future__ import annotations

import importlib
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from truegain.errors import InputError, counted
from truegain.io.logs.log import OK, Log, LogFormat, Row, ScoreRange, ToolMean
from truegain.io.logs.records import (
    FAILED,
    NOT_RUN,
    NOT_SCORED,
    YES_NO,
    Clusters,
    digest,
    fields_of,
    id_of,
    inputs_digest,
    listed,
    no_records,
    opening,
    parsed,
    scalars,
    stem,
    value_of,
)
from truegain.io.plain_text import in_bytes, most_bytes, zstd

WORDS = "a log of inspect_ai"
GRADES = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0} | {w: v for w, v in YES_NO.items() if w not in ("pass", "fail")}
_MEMBER = re.compile(rb"(?:header|summaries|reductions)\.json|_journal/|samples/")
_TELLING = ("system", "name", "label", "variant", "config", "run")  # fields of metadata that are made to name one
_MEANS = ("accuracy", "mean")
RULES = ("answer", "choice", "exact", "f1", "includes", "match", "pattern")  # its scorers that ask no model
Scored = tuple[str, str]  # a scorer, and the field of its values where these are objects
Summaries = Sequence[Mapping[str, Any]]


def _recognizes(data: bytes, _file: str) -> bool:
    if data.startswith(b"PK\x03\x04"):
        length = int.from_bytes(data[26:28], "little")
        return _MEMBER.match(data[30 : 30 + length]) is not None
    start = opening(data)
    return start.kind == "object" and start.has("version", "status", "eval")


def _read(data: bytes, file: str) -> Log:
    head, samples = _parts(data, file)
    made = fields_of(head.get("eval"))
    status = str(head.get("status", "started"))
    if not samples and not listed(fields_of(made.get("dataset")).get("sample_ids")):
        raise no_records(file, WORDS, "run it with log_samples, the default")
    names = _names(made, samples)
    judges = _judges(made)
    version = fields_of(made.get("packages")).get("inspect_ai")
    clusters, rows = Clusters(), list(_rows(samples, names, judges, file))
    for sample in samples:
        clusters.add(str(sample.get("id")), scalars(sample.get("metadata"), "metadata."))
    if status != "success":
        rows += _not_run(made, samples, names, judges)
    return Log(
        file,
        f"inspect_ai {version}" if version else "inspect_ai",
        rows,
        _system(made, head, file),
        clusters.made(),
        _ranges(samples, names),
        means=list(_means(head, names)),
        provenance={
            "judge": ", ".join(sorted({j for j in judges.values() if j})),
            "model": made.get("model"),
            "task": made.get("task"),
            "time": made.get("created"),
            "prompt": digest(made.get("scorers")) if made.get("scorers") else None,
            "inputs": inputs_digest({str(s.get("id")): s.get("input") for s in samples}),
        },
        notes=list(_notes(head, status, rows)),
        no_clusters=clusters.several,
        rules=frozenset(
            name for (scorer, key), name in names.items()
            if scorer.removeprefix("inspect_ai/") in RULES and not key and not judges.get(scorer)
        ),
    )  # fmt: skip


# ---- The parts of a file.


def _parts(data: bytes, file: str) -> tuple[Mapping[str, Any], Summaries]:
    """What is said of the whole evaluation, and its samples."""
    if not data.startswith(b"PK"):
        whole = parsed(data, file)
        return whole, [s for s in listed(whole.get("samples")) if isinstance(s, dict)]
    zipped: Any = importlib.import_module("zipfile" if sys.version_info >= (3, 14) else "backports.zstd.zipfile")
    damaged = (zipped.BadZipFile, zstd().ZstdError, EOFError, OSError, NotImplementedError, RuntimeError)
    try:
        with zipped.ZipFile(io.BytesIO(data)) as members:
            return _of_members(members, file)
    except damaged as error:
        problem = f"damaged: {error}"
        raise InputError(
            problem, file=file, hint="copy the log again; a log that is being written is whole later"
        ) from None


def _of_members(members: Any, file: str) -> tuple[Mapping[str, Any], Summaries]:
    """What a ZIP says, and its samples: the summaries suffice, of a log not ended those written meanwhile."""
    sizes = {info.filename: info.file_size for info in members.infolist()}
    chosen = ["summaries.json"] if "summaries.json" in sizes else _numbered(sizes, r"_journal/summaries/(\d+)\.json")
    chosen = chosen or sorted(name for name in sizes if name.startswith("samples/"))
    head = "header.json" if "header.json" in sizes else "_journal/start.json"
    if head not in sizes:
        raise InputError("a ZIP without header.json, which a log of inspect_ai has", file=file, hint="check the file")
    if (size := sizes[head] + sum(sizes[name] for name in chosen)) > most_bytes():
        raise InputError(
            f"it unpacks to {in_bytes(size)}, more than half of the memory", file=file, hint="split the log"
        )
    samples: list[Mapping[str, Any]] = []
    for name in chosen:
        part = _json(members, name, file)
        samples += part if isinstance(part, list) else [part]
    return _json(members, head, file), samples


def _json(members: Any, name: str, file: str) -> Any:
    try:
        return json.loads(members.read(name))
    except ValueError:
        raise InputError(f"its member {name} is not readable JSON", file=file, hint="copy the log again") from None


def _numbered(names: Mapping[str, int], pattern: str) -> list[str]:
    numbered = [(int(match[1]), name) for name in names if (match := re.fullmatch(pattern, name))]
    return [name for _, name in sorted(numbered)]


# ---- Scores.


def _names(made: Mapping[str, Any], samples: Summaries) -> dict[Scored, str]:
    """The name of every score: a field of a scorer has its own, as in the tool's results, unless two share it."""
    scored: dict[Scored, None] = {}
    fields: dict[str, dict[str, None]] = {}
    for sample in samples:
        for scorer, score in fields_of(sample.get("scores")).items():
            fields.setdefault(scorer, {}).update(dict.fromkeys(_values(fields_of(score).get("value"))))
    for scorer in listed(made.get("scorers")):  # also where every sample failed
        if isinstance(scorer, dict) and scorer.get("name") and str(scorer["name"]) not in fields:
            fields[str(scorer["name"])] = dict.fromkeys(_declared(scorer.get("metrics")) or ("",))
    for scorer, keys in fields.items():
        whole = [key for key in keys if key] or [""]  # one that failed is no object
        scored.update(dict.fromkeys((scorer, key) for key in whole))
    often = Counter(key or scorer for scorer, key in scored)
    return {(s, k): (k or s) if often[k or s] == 1 else f"{s}/{k}" if k else s for s, k in scored}


def _values(value: Any) -> dict[str, Any]:
    """The values that a scorer gave to a sample, by their field; '' where it is one."""
    if isinstance(value, Mapping):
        return {str(key): field for key, field in value.items()}
    if isinstance(value, list):
        return {str(number): field for number, field in enumerate(value)}
    return {"": value}


def _declared(metrics: Any) -> list[str]:
    """The fields that a scorer says it has metrics for."""
    groups = metrics if isinstance(metrics, list) else [metrics]
    return [str(key) for g in groups if isinstance(g, Mapping) and "name" not in g for key in g if "*" not in str(key)]


def _judges(made: Mapping[str, Any]) -> dict[str, str]:
    """The model that each scorer asks."""
    roles = fields_of(made.get("model_roles"))
    judges: dict[str, str] = {}
    for scorer in listed(made.get("scorers")):
        options = fields_of(fields_of(scorer).get("options"))
        models = options.get("model") or (roles.get("grader") if "model" in options else None)
        each = models if isinstance(models, list) else [models]
        names = [str(one.get("model", "")) if isinstance(one, Mapping) else str(one or "") for one in each]
        judges[str(fields_of(scorer).get("name"))] = "+".join(filter(None, names))
    return judges


def _rows(samples: Summaries, names: Mapping[Scored, str], judges: Mapping[str, str], file: str) -> Iterator[Row]:
    for number, sample in enumerate(samples, 1):
        topic, epoch = _sample_key(sample, file, number)
        scores = fields_of(sample.get("scores"))
        why = FAILED if sample.get("error") else NOT_SCORED
        for (scorer, key), name in names.items():
            value, status = float("nan"), why
            values = _values(fields_of(scores.get(scorer)).get("value")) if scorer in scores else {}
            if key in values:
                value, status = value_of(values[key], GRADES, name, file, number)
            yield Row(
                topic, name, value, judge=judges.get(scorer, ""), replicate=epoch, status=status, line=number
            )  # fmt: skip


def _ranges(samples: Summaries, names: Mapping[Scored, str]) -> dict[str, ScoreRange]:
    """Scores that are grades or yes and no lie between 0 and 1; of numbers nobody says it."""
    graded = dict.fromkeys(names.values(), False)
    numbers: set[str] = set()
    for sample in samples:
        scores = fields_of(sample.get("scores"))
        for (scorer, key), name in names.items():
            value = _values(fields_of(scores.get(scorer)).get("value")).get(key) if scorer in scores else None
            if isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in GRADES):
                graded[name] = True
            elif value not in (None, ""):
                numbers.add(name)
    return {name: ScoreRange(0.0, 1.0) for name, is_graded in graded.items() if is_graded and name not in numbers}


def _sample_key(sample: Mapping[str, Any], file: str, number: int) -> tuple[str, int]:
    """The id and the epoch of a sample."""
    epoch = sample.get("epoch", 1)
    if not isinstance(epoch, int) or epoch < 1:
        raise InputError(
            "an epoch is not a whole number from 1",
            file=file,
            row=number,
            text=str(epoch),
            hint="give the log as inspect_ai wrote it",
        )
    return id_of(sample.get("id"), "id of a sample", file, number), epoch


def _not_run(
    made: Mapping[str, Any], samples: Summaries, names: Mapping[Scored, str], judges: Mapping[str, str]
) -> Iterator[Row]:
    """What a log that ended early has not come to."""
    seen = {(str(s.get("id")), int(s.get("epoch") or 1)) for s in samples}
    epochs = int(fields_of(made.get("config")).get("epochs") or 1)
    for sample in listed(fields_of(made.get("dataset")).get("sample_ids")):
        for epoch in range(1, epochs + 1):
            if (str(sample), epoch) not in seen:
                for (scorer, _), name in names.items():
                    yield Row(str(sample), name, judge=judges.get(scorer, ""), replicate=epoch, status=NOT_RUN)


# ---- What else the log tells.


def _system(made: Mapping[str, Any], head: Mapping[str, Any], file: str) -> dict[str, str]:
    """What may name the system."""
    about = scalars(head.get("metadata"), "metadata.") | scalars(made.get("metadata"), "metadata.")
    first = {name: about[name] for word in _TELLING if (name := f"metadata.{word}") in about}
    plain = {key: str(made[key]) for key in ("model", "solver", "task") if made.get(key)}
    last = {"file": stem(file), **scalars({"folder": PurePath(file).parent.name}, "")}  # and no time: it is no name
    return first | plain | scalars(made.get("task_args"), "task_args.") | about | last


def _means(head: Mapping[str, Any], names: Mapping[Scored, str]) -> Iterator[ToolMean]:
    for score in listed(fields_of(head.get("results")).get("scores")):
        scorer, field = str(score.get("scorer")), str(score.get("name"))
        name = names.get((scorer, field), names.get((field, ""), field))
        reducer = score.get("reducer")
        for metric in fields_of(score.get("metrics")).values():
            value = metric.get("value")
            if str(metric.get("name", "")).rpartition("/")[2] in _MEANS and isinstance(value, int | float):
                why = f"inspect_ai joined the epochs by {reducer!r}" if reducer not in (None, "mean") else ""
                yield ToolMean(name, float(value), n=score.get("scored_samples"), reason=why)


def _notes(head: Mapping[str, Any], status: str, rows: Sequence[Row]) -> Iterator[str]:
    if status != "success":
        yield f"the evaluation did not end: its status is {status!r}"
    if rows and not any(row.status == OK for row in rows):
        yield "no sample was scored" + (", though the status is 'success'" if status == "success" else "")
    lost = {(row.topic, row.replicate) for row in rows if row.status == FAILED}
    if lost:
        many = f"{counted(len(lost), 'sample')} failed, counting each epoch as a sample"
        yield f"{many}; inspect_ai leaves them out of its means"
    if head.get("invalidated"):
        yield "the log was invalidated"


INSPECT_AI = LogFormat("inspect_ai", WORDS, _recognizes, _read)
