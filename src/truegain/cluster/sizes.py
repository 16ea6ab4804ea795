"""How many pieces go to a worker together: so many as take seconds, few at first."""

from __future__ import annotations

from dataclasses import dataclass, field

SECONDS = 2.0  # of work in one task: what the death of a worker costs, against some milliseconds of handing out
LEAST = 0.05  # of work that is not divided further
ROOM = 64 * 2**20  # bytes of results that one task may bring back, unless one piece has more
MEMORY = 2**30  # bytes of results that may be on their way at a time


@dataclass
class Sizes:
    """The pace of each kind of work, as measured by the workers."""

    pace: dict[str, float] = field(default_factory=dict)  # seconds for a piece

    def next(self, work: str, left: int, places: int) -> int:
        """How many of the pieces that are left go together: one where nothing is known of the work.

        Towards the end they are fewer, so that all workers end at about the same time.

        >>> sizes = Sizes()
        >>> sizes.next("f", 1000, 4)
        1
        >>> sizes.learn("f", 10, 0.2)
        >>> sizes.next("f", 1000, 4), sizes.next("f", 60, 4), sizes.next("f", 8, 4)
        (100, 8, 3)
        """
        pace = self.pace.get(work)
        if pace is None:
            return 1
        pace = max(pace, 1e-9)
        return max(1, int(min(SECONDS / pace, max(LEAST / pace + 1, -(-left // (2 * places))))))

    def learn(self, work: str, pieces: int, seconds: float) -> None:
        """Some pieces took so long; the last ones count most."""
        if pieces:
            before, now = self.pace.get(work), seconds / pieces
            self.pace[work] = now if before is None else (before + now) / 2

    @staticmethod
    def room(places: int) -> int:
        """Bytes of results after which a worker hands over what it has."""
        return min(ROOM, max(1, MEMORY // (4 * places)))
