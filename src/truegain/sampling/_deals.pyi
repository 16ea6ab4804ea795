"""Types of the compiled part."""

import numpy as np
import numpy.typing as npt

_UInt64 = npt.NDArray[np.uint64]
_Float64 = npt.NDArray[np.float64]

def dealt(key: _UInt64, first: int, scores: _Float64, out: _Float64) -> None: ...
