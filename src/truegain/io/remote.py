"""What lies elsewhere: files at addresses (s3, gs, hdfs, http and what else fsspec knows), and datasets of ir_datasets.

fsspec and ir_datasets are imported where a name of theirs is met, and nowhere else.  Whatever goes wrong becomes an
`InputError` with the address as it can be shown.
"""

from __future__ import annotations

import difflib
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, BinaryIO, Protocol, cast

from truegain.errors import InputError, TruegainError, needs, shorten, some, without_secrets

# ---- Names that are no paths: addresses such as s3://bucket/bm25.run, and irds:NAME.

IRDS = "irds:"  # how names of datasets of ir_datasets begin
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # two letters at least: C:// is a drive


def is_remote(name: str) -> bool:
    """Whether a name is an address, not a path on this machine.

    >>> is_remote("s3://bucket/bm25.run"), is_remote("runs/bm25.run"), is_remote("irds:vaswani"), is_remote("C://x")
    (True, False, False, False)
    """
    return _REMOTE.match(name) is not None


def is_irds(name: object) -> bool:
    """Whether a name is that of a dataset of ir_datasets.

    >>> is_irds("irds:cranfield"), is_irds("cranfield.qrels")
    (True, False)
    """
    return isinstance(name, str) and name.startswith(IRDS)


def is_web(name: str) -> bool:
    """Whether an address is one of a web server, where ? begins a query and is no pattern."""
    return name.lower().startswith(("http://", "https://"))


# ---- Files at addresses: opened, listed and told apart in one place.

BLOCK = 8 << 20  # bytes that are asked for at a time
_PATIENCE = 60  # seconds until a connection stands, and between two bytes of it
_MARKS = (
    "ETag",
    "etag",
    "Content-MD5",
    "LastModified",
    "Last-Modified",
    "last_modified",
    "mtime",
    "updated",
    "created",
)  # fmt: skip  what tells that a file changed, by the file systems
_LIBRARIES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hdfs": "pyarrow", "abfs": "adlfs",
              "abfss": "adlfs", "az": "adlfs", "sftp": "paramiko", "ssh": "paramiko"}  # fmt: skip


@contextmanager
def reading_from(name: str) -> Iterator[BinaryIO]:
    """The bytes behind an address, one after the other."""
    fs, path = _file_system(name)
    with failures(name):
        stream = fs.open(path, "rb", block_size=0, size=1) if is_web(name) else fs.open(path, "rb", block_size=BLOCK)
    try:
        yield cast("BinaryIO", io.BufferedReader(_Told(stream, name), BLOCK))
    finally:
        with failures(name):
            stream.close()


def stretch(name: str, begin: int, end: int) -> bytes:
    """Some bytes of a file that `has_stretches`, and no more than these."""
    fs, path = _file_system(name)
    with failures(name):
        if is_web(name):  # which would send the whole file to fsspec's cat_file where it knows no stretches
            with fs.open(path, "rb", block_size=max(1, end - begin), cache_type="none", size=max(1, end)) as stream:
                stream.seek(begin)
                data = cast("bytes", stream.read(end - begin))
        else:
            data = cast("bytes", fs.cat_file(path, start=begin, end=end))
    if len(data) != end - begin:
        raise InputError(
            "the file changed while it was being read, or the connection was lost", file=name, hint="try again"
        )
    return data


def first_bytes(name: str, count: int) -> bytes:
    """How a file begins."""
    if is_web(name):
        fs, path = _file_system(name)
        with failures(name), fs.open(path, "rb", block_size=0, size=1) as stream:
            return cast("bytes", stream.read(count))
    return stretch(name, 0, min(count, about(name)["size"]))


def has_stretches(name: str) -> bool:
    """Whether bytes from the middle can be asked for: some web servers send a file from its beginning only."""
    if not is_web(name):
        return True
    fs, path = _file_system(name)
    with failures(name):
        if int(fs.info(path).get("size") or 0) < 2:
            return False
        try:
            with fs.open(path, "rb", block_size=1, cache_type="none") as stream:
                stream.seek(1)
                return len(stream.read(1)) == 1
        except ValueError:  # how fsspec says so
            return False


def about(name: str) -> Mapping[str, Any]:
    """What is known of a file without reading it: its size, and marks that change with what it holds."""
    fs, path = _file_system(name)
    with failures(name):
        info = fs.info(path)
    marks = {mark: str(info[mark]) for mark in _MARKS if info.get(mark) is not None}
    return {"size": int(info.get("size") or 0), **marks}


def size_of(name: str) -> int:
    """The bytes of a file as it lies there; 0 where that is not told, or not to us: reading it tells what is wrong."""
    try:
        return int(about(name)["size"])
    except TruegainError:
        return 0


def is_folder(name: str) -> bool:
    """Whether an address is that of a folder; one of a web server ends in '/'."""
    if is_web(name):
        return without_secrets(name).endswith("/")
    fs, path = _file_system(name)
    with failures(name):
        return bool(fs.isdir(path))


def has_pattern(name: str) -> bool:
    """Whether an address stands for all that match it."""
    return any(mark in name for mark in ("*[" if is_web(name) else "*?["))


def matching(name: str) -> list[str]:
    """The addresses of the files that match a pattern."""
    fs, path = _file_system(name)
    with failures(name):
        listing = fs.glob(path, detail=True)
    return sorted(_addressed(name, fs, path, _seen_files(listing.values())))


def files_in(name: str) -> list[str]:
    """The addresses of the files right below a folder."""
    fs, path = _file_system(name)
    with failures(name):
        files = _seen_files(fs.ls(path, detail=True))
    return sorted(_addressed(name, fs, path, [file for file in files if file.rstrip("/") != path.rstrip("/")]))


def _seen_files(listed: Iterable[Mapping[str, Any]]) -> list[str]:
    """Of what a folder lists the files that are not hidden, and no links that order the list of a web server."""
    names = [str(info["name"]) for info in listed if info.get("type") != "directory"]
    return [name for name in names if (last := name.rpartition("/")[2]) and last[0] not in ".?"]


def files_below(name: str) -> dict[str, int]:
    """All files below a folder by their path in it, with their sizes; none that is hidden."""
    fs, path = _file_system(name)
    with failures(name):
        listing = fs.find(path, detail=True)
    root = path.rstrip("/") + "/"
    sizes = {file.removeprefix(root): int(info.get("size") or 0) for file, info in listing.items() if file != root}
    return {file: size for file, size in sizes.items() if not any(p.startswith(".") for p in file.split("/"))}


class _Told(io.RawIOBase):
    """A stream of fsspec whose failures are told with the address."""

    def __init__(self, stream: Any, name: str) -> None:
        self.stream, self.name, self.ended = stream, name, False  # at its end aiohttp warns of further looks

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; a connection gives a little at a time."""
        at = 0
        with failures(self.name):
            while at < len(buffer) and not self.ended:
                data = self.stream.read(len(buffer) - at)
                buffer[at : at + len(data)] = data
                at, self.ended = at + len(data), not data
        return at


def _file_system(name: str) -> tuple[Any, str]:
    """The file system of an address, and what the file is called there."""
    core = needs("fsspec.core", "remote")
    with failures(name):
        fs, path = core.url_to_fs(name, **(_patient() if is_web(name) else {}))
    return fs, str(path)


def _patient() -> dict[str, Any]:
    """A file may take longer than the five minutes that aiohttp gives it; what the user set for fsspec goes before."""
    try:
        from aiohttp import ClientTimeout
    except ImportError:
        return {}
    conf = needs("fsspec.config", "remote").conf
    limits = ClientTimeout(total=None, sock_connect=_PATIENCE, sock_read=_PATIENCE)
    return {"client_kwargs": {"timeout": limits, "trust_env": True, **conf.get("http", {}).get("client_kwargs", {})}}


def _addressed(name: str, fs: Any, path: str, files: list[str]) -> list[str]:
    """Files as a file system calls them under the address they were found by, with its host."""
    whole = name if is_web(name) else name.rstrip("/")
    if whole.endswith(path):
        root = whole[: len(whole) - len(path)]
        return [root + file for file in files]
    return [str(fs.unstrip_protocol(file)) for file in files]


# ---------------------------------------------------------------------- failures


@contextmanager
def failures(name: str) -> Iterator[None]:
    """Tell failures of a file system, of whatever kind, with the address."""
    try:
        yield
    except (TruegainError, MemoryError):
        raise
    except ImportError as error:
        raise _missing(name, error) from None
    except Exception as error:
        problem, hint = _words(name, error)
        raise InputError(problem, file=name, hint=hint) from None


def _missing(name: str, error: ImportError) -> TruegainError:
    scheme = name.partition("://")[0].lower()
    library = _LIBRARIES.get(scheme)
    if is_web(name):
        return InputError("this needs aiohttp", file=name, hint="run: pip install 'truegain[remote]'")
    if library is None:
        return InputError(f"cannot be read: {_first_line(name, error)}", file=name, hint="install what is missing")
    hint = f"run: pip install 'truegain[remote]' {library}"
    return InputError(f"{scheme}:// needs {library}", file=name, hint=hint)


def _words(name: str, error: BaseException) -> tuple[str, str]:
    """What went wrong, and what to do."""
    chain = _chain(error)
    status = next((code for e in chain if isinstance(code := getattr(e, "status", None), int)), None)
    kinds = {kind.__name__ for e in chain for kind in type(e).__mro__}
    if status in (401, 403, 407) or "PermissionError" in kinds:
        return f"access was refused{f' ({status})' if status else ''}", "check your credentials and the address"
    if kinds & {"NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError"}:
        return "access was refused: no credentials were found", "set them up as for the file system's own tools"
    if status in (404, 410):
        return "no such file", "check the address"
    if status is not None and status >= 400:
        return f"the server answered {status}", "try again later, or check the address"
    if kinds & {"ClientConnectorError", "ConnectionRefusedError", "EndpointConnectionError", "gaierror"}:
        return "cannot connect to the server", "check the address and the network"
    if kinds & {"ClientConnectionError", "ClientPayloadError", "ConnectionError", "TimeoutError", "HTTPClientError"}:
        return "the connection was lost before everything was read", "try again"
    if "IsADirectoryError" in kinds:
        return "this is a folder", "name a file; only runs may be a folder"
    if "FileNotFoundError" in kinds:
        return "no such file", "check the address"
    if isinstance(error, ValueError) and "Protocol not known" in str(error):
        return "unknown file system", "use s3://, gs://, hdfs://, http:// or another address that fsspec knows"
    return f"cannot be read: {_first_line(name, error)}", "check the address"


def _chain(error: BaseException) -> list[BaseException]:
    """An error and those it came from."""
    causes: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in causes:
        causes.append(at)
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return causes


def _first_line(name: str, error: BaseException) -> str:
    """What an error says, without what the address keeps secret."""
    text = (str(error).splitlines() or [""])[0] or type(error).__name__
    address = without_secrets(name)
    for secret in re.split(r"[@?&=:/#]", name):
        if len(secret) > 2 and secret not in address:
            text = text.replace(secret, "...")
    return without_secrets(text)


# ---- Datasets of ir_datasets: judgments, queries and rankings behind a name such as irds:cranfield, or of an object.

PARTS = {"qrels": "judgments", "queries": "queries", "scoreddocs": "ranked documents"}  # theirs, and what we call them
KEPT = 4  # datasets whose judgments are kept as text
CLOSE = 3  # names that a message suggests


class IrDataset(Protocol):
    """A dataset of ir_datasets."""

    def has_qrels(self) -> bool:
        """Whether it has judgments."""


class PyTerrierDataset(Protocol):
    """A dataset of PyTerrier."""

    def get_qrels(self) -> Any:
        """The judgments as a frame."""


DatasetLike = IrDataset | PyTerrierDataset


def dataset_of(name: str) -> Any:
    """The dataset that irds:NAME names."""
    library, own = needs("ir_datasets", "irds"), name.removeprefix(IRDS)
    try:
        return library.load(own)
    except KeyError:
        known = [str(x) for x in getattr(library, "registry", ())]
        near = difflib.get_close_matches(own, known, n=CLOSE) or [x for x in known if x.startswith(own)][:CLOSE]
        meant = f"did you mean {some([f'{IRDS}{x}' for x in near])}?" if near else "ir-datasets.com lists all names"
        raise InputError("ir_datasets has no such dataset", file=name, hint=meant) from None


def is_dataset(data: object) -> bool:
    """Whether this is a dataset of ir_datasets, or one of PyTerrier: what it has is asked of its class."""
    return any(callable(getattr(type(data), part, None)) for part in ("has_qrels", "get_qrels"))


def rows_of(data: object, part: str, what: str) -> Iterable[Any]:
    """The rows of one part of a dataset ('qrels', 'queries' or 'scoreddocs'); refused where it has none.

    A dataset of PyTerrier gives a frame.
    """
    dataset: Any = dataset_of(data) if isinstance(data, str) else data
    if part in ("qrels", "queries") and callable(getattr(type(dataset), "get_qrels", None)):
        return _fetched(dataset.get_qrels if part == "qrels" else dataset.get_topics, what)  # type: ignore[no-any-return]
    has = getattr(dataset, f"has_{part}", None)
    if has is not None and not has():
        theirs = [ours for name, ours in PARTS.items() if getattr(dataset, f"has_{name}", bool)()]
        others = f"it has {some(theirs)}" if theirs else "it has documents alone"
        raise InputError(
            f"this dataset has no {PARTS[part]}", file=what, hint=f"{others}; give another dataset or a file"
        )
    rows: list[Any] = _fetched(lambda: list(getattr(dataset, f"{part}_iter")()), what)
    return rows


def _fetched(get: Any, what: str) -> Any:
    """What a dataset gives, which may have to be fetched first."""
    try:
        return get()
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error.args[0] if error.args else type(error).__name__)  # below it, every address that was tried
        raise InputError(
            f"the dataset cannot be read: {shorten(' '.join(reason.split()), 160)}", file=what,
            hint="fetch it with ir_datasets first, where there is a network, or give a file",
        ) from None  # fmt: skip


def subtopic_of(row: Any) -> str:
    """The subtopic of a row of judgments; '0' where it has none."""
    return str(getattr(row, "subtopic_id", getattr(row, "iteration", "0")))


@lru_cache(maxsize=KEPT)
def lines_of(name: str) -> bytes:
    """The judgments of irds:NAME as lines of TREC, so that they are read wherever a file of judgments is."""
    lines = []
    for row in rows_of(name, "qrels", name):
        fields = (row.query_id, subtopic_of(row) or "0", row.doc_id, f"{float(row.relevance):g}")
        if any(len(field.split()) != 1 for field in fields):
            raise InputError(
                "an id contains a blank, which TREC lines cannot have", file=name, text=" ".join(fields),
                hint="in Python give the dataset itself: judgments=ir_datasets.load(...)",
            )  # fmt: skip
        lines.append(" ".join(fields) + "\n")
    return "".join(lines).encode()
