"""Types of the compiled part."""

import numpy as np
import numpy.typing as npt

_Int64 = npt.NDArray[np.int64]
_Int32 = npt.NDArray[np.int32]
_UInt64 = npt.NDArray[np.uint64]
_Float64 = npt.NDArray[np.float64]

def count_lines(text: bytes, begin: int, end: int) -> int: ...
def scan(
    text: bytes,
    begin: int,
    end: int,
    layout: tuple[int, int, int, int, int, int, int],
    topic_segment: _Int32,
    topic_start: _Int64,
    topic_length: _Int32,
    second_segment: _Int32,
    second_start: _Int64,
    second_length: _Int32,
    doc_start: _Int64,
    doc_length: _Int32,
    doc_hash: _UInt64,
    value: _Float64,
    rank: _Int32,
) -> tuple[int, int, int, int, int, int]: ...
def hash_ids(text: bytes, start: _Int64, length: _Int32, hashes: _UInt64) -> None: ...
def intern(text: bytes, start: _Int64, length: _Int32, hashes: _UInt64, code: _Int32, first: _Int64) -> int: ...
def order(
    text: bytes,
    start: _Int64,
    length: _Int32,
    hashes: _UInt64,
    group: _Int32,
    score: _Float64,
    rank: _Int32,
    single: bool,
    ties: int,
    rows: _Int64,
    begin: _Int64,
    flags: _Int32,
) -> tuple[int, int]: ...
def index(
    text: bytes, start: _Int64, length: _Int32, hashes: _UInt64, begin: _Int64, slots: _UInt64
) -> tuple[int, int]: ...
def match(
    text: bytes,
    start: _Int64,
    length: _Int32,
    hashes: _UInt64,
    begin: _Int64,
    slots: _UInt64,
    other_text: bytes,
    other_start: _Int64,
    other_length: _Int32,
    other_hash: _UInt64,
    other_topic: _Int32,
    found: _Int32,
) -> None: ...
def found(
    text: bytes,
    start: _Int64,
    length: _Int32,
    hashes: _UInt64,
    begin: _Int64,
    slots: _UInt64,
    other_text: bytes,
    other_start: _Int64,
    other_length: _Int32,
    other_hash: _UInt64,
    order: _Int64,
    list_begin: _Int64,
    list_of_topic: _Int64,
    rank: _Int64,
    item: _Int32,
    count: _Int64,
) -> int: ...
