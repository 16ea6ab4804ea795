"""A fixed piece of work that no version of ours changes: what a second is worth on this machine, now.

Half of it is the interpreter, half of it moves through memory; nothing but Python is needed.
`python -m benchmarks.racing.calibration` prints what it took.
"""

from __future__ import annotations

import json
import time
from itertools import pairwise

ROUNDS = 200_000


def loop(rounds: int = ROUNDS) -> int:
    """Numbers by a linear congruence, counted by their last bits, then sorted.

    >>> loop(1000)
    95
    """
    number, counts, drawn = 1, [0] * 1024, []
    for _ in range(rounds):
        number = (number * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        counts[(number >> 33) & 1023] += 1
        drawn.append(number >> 11)
    drawn.sort()
    return sum(a * b for a, b in pairwise(counts)) % 97 + (drawn[0] > drawn[-1])


def main() -> None:
    """Print seconds and processor seconds."""
    begin, cpu = time.perf_counter(), time.process_time()
    loop()
    print(json.dumps({"seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}))


if __name__ == "__main__":
    main()
