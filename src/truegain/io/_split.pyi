"""Types of the compiled part."""

import numpy as np
import numpy.typing as npt

_Int64 = npt.NDArray[np.int64]
_Int32 = npt.NDArray[np.int32]

def split(
    text: bytes | bytearray | memoryview,
    begin: int,
    field: int,
    bounds: bytes,
    bound_start: _Int64,
    part: int,
    run_part: _Int32,
    run_begin: _Int64,
    run_line: _Int64,
) -> tuple[int, int, int]: ...
def gather(
    text: bytes | bytearray | memoryview, run_part: _Int32, run_begin: _Int64, place: _Int64, out: bytearray
) -> None: ...
