"""How much each of many has left: a bucket each, which fills again as time goes by."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable


class Buckets:
    """So much at once, and then so much a second, by name; beyond `most` names the longest unseen is forgotten."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._left)

    def take(self, name: str, burst: float, rate: float) -> int:
        """Seconds to wait for the next; 0: it was taken.

        >>> buckets = Buckets(10, clock=lambda: 0.0)
        >>> [buckets.take("a", 2.0, 0.5) for _ in range(3)]
        [0, 0, 2]
        """
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(name, (burst, now))
            left = min(burst, left + rate * max(0.0, now - at))
            self._left[name] = (left - 1 if left >= 1 else left, now)
            while len(self._left) > self._most:
                self._left.popitem(last=False)
        return 0 if left >= 1 else max(1, round((1 - left) / rate))
