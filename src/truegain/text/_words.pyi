"""Types of the compiled part."""

import numpy as np
import numpy.typing as npt

def count(
    text: bytes,
    begin: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    keep: npt.NDArray[np.uint8],
    is_word: npt.NDArray[np.uint8],
    lower: npt.NDArray[np.int32],
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]: ...
