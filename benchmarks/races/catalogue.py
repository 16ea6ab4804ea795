"""All workloads, by name: where each is."""

from __future__ import annotations

_HERE = "benchmarks.races"
RACES = {
    "start": f"{_HERE}.start:WORKLOAD",
    "small": f"{_HERE}.small:WORKLOAD",
    "large": f"{_HERE}.large:WORKLOAD",
    "topics": f"{_HERE}.topics:WORKLOAD",
    "err": f"{_HERE}.err:WORKLOAD",
    "diversity": f"{_HERE}.diversity:WORKLOAD",
    "divergence": f"{_HERE}.divergence:WORKLOAD",
    "tukey": f"{_HERE}.tukey:WORKLOAD",
    "randomization": f"{_HERE}.randomization:WORKLOAD",
    "hsd": f"{_HERE}.hsd:WORKLOAD",
    "collection": f"{_HERE}.collection:WORKLOAD",
    "corrected": f"{_HERE}.corrected:WORKLOAD",
    "agree": f"{_HERE}.agree:WORKLOAD",
    "gains": f"{_HERE}.gains:GRADES",
    "magnitudes": f"{_HERE}.gains:MAGNITUDES",
    "index": f"{_HERE}.index:WORKLOAD",
    "verdict": f"{_HERE}.verdict:VERDICT",
    "report": f"{_HERE}.verdict:REPORT",
}
