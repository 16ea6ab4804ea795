"""Types of the compiled part."""

import numpy as np
import numpy.typing as npt

_Int64 = npt.NDArray[np.int64]
_Int32 = npt.NDArray[np.int32]
_UInt64 = npt.NDArray[np.uint64]
_Float64 = npt.NDArray[np.float64]

def average_precision(
    seed: _UInt64,
    list_seeds: _UInt64,
    cumulative: _Float64,
    first_value: _Int32,
    table_begin: _Int64,
    guide: _Int32,
    relevant: int,
    begin: _Int64,
    item: _Int32,
    gap: _Int32,
    out: _Float64,
) -> int: ...
def paired_average_precision(
    seed: _UInt64,
    cumulative: _Float64,
    first_value: _Int32,
    table_begin: _Int64,
    guide: _Int32,
    documents: int,
    relevant: int,
    begin: _Int64,
    document: _Int32,
    out: _Float64,
) -> int: ...
