"""One process that does one thing: `python -m benchmarks.racing.once ADDRESS PLACE [CONTESTANT]`.

With a contestant, it runs once, and a line of JSON tells what it took; without, the files are made and their place is
printed.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from benchmarks.racing.contest import Inside, find


def peak_megabytes() -> float:
    """The most memory this process held, or a program that it started if that held more."""
    held = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return held / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def cpu_seconds() -> float:
    """Processor time of this process and of programs it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def main(address: str, place: str, contestant: str | None = None) -> None:
    """Run a contestant once, or make the files."""
    workload = find(address)
    if contestant is None:
        print(workload.make(Path(place)))
        return
    entrant = workload.contestants[contestant]
    assert isinstance(entrant, Inside), contestant
    begin = time.perf_counter()
    job = entrant.start(Path(place))
    ready, cpu = time.perf_counter(), cpu_seconds()
    answer = job()
    seconds, used = time.perf_counter() - ready, cpu_seconds() - cpu
    took = {"seconds": seconds, "cpu": used, "start": ready - begin, "peak": peak_megabytes()}
    print(json.dumps({**took, "answer": answer()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
