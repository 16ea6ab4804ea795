"""Types of the compiled part."""

import numpy as np
import numpy.typing as npt

_Int64 = npt.NDArray[np.int64]
_Int32 = npt.NDArray[np.int32]
_UInt64 = npt.NDArray[np.uint64]
_Float64 = npt.NDArray[np.float64]

def draw(document: _UInt64, stream: _UInt64, out: _Int32) -> None: ...
def average_precision(
    key: int, relevant: int, document: _UInt64, begin: _Int64, entry: _Int32, out: _Float64
) -> int: ...
def weighted(
    key: int,
    relevant: int,
    document: _UInt64,
    begin: _Int64,
    entry: _Int32,
    out: _Float64,
    worth: _Float64,
    running: _Float64,
) -> int: ...
