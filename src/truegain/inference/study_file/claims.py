"""Which pairs of systems a study is asked about: a pair, or a candidate against baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from truegain.errors import TruegainError, some, there_are
from truegain.message import arg, argname, told_value


def pair_of(systems: Sequence[str], text: str | None, called: Callable[[str], str] = str) -> tuple[str, str] | None:
    """The two systems that are asked about, the claim being that the second is better; None: the two best.

    called: the name that a system has here, by the one that was given.

    >>> pair_of(["bm25", "a,b", "dense"], "a,b,dense"), pair_of(["bm25", "dense"], None)
    (('a,b', 'dense'), ('bm25', 'dense'))
    """
    if len(systems) < 2:
        raise TruegainError(f"a verdict is about two systems, and there is 1 ({systems[0]}); give another run")
    if text is None:
        return (systems[0], systems[1]) if len(systems) == 2 else None
    parts = text.split(",")
    splits = [(",".join(parts[:i]).strip(), ",".join(parts[i:]).strip()) for i in range(1, len(parts))]
    if not splits:
        raise TruegainError(f"{argname('pair', text)} is not two systems; write {arg('pair', 'a,b')}")
    known = next((new for a, b in splits if set(new := (called(a), called(b))) <= set(systems)), None)
    if known is None:
        unknown = [name for name in splits[0] if called(name) not in systems]
        raise TruegainError(
            f"{arg('pair')} names {some(unknown)}, which is no system here; {there_are(unknown, systems, 8)}"
        )
    if known[0] == known[1]:
        raise TruegainError(f"{argname('pair', text)}: {known[0]} is compared with itself; name two systems")
    return known


def claims_of(
    systems: Sequence[str], pair: str | None, baselines: Sequence[str] | None, candidate: str | None,
    called: Callable[[str], str] = str, one_candidate: bool = False,
) -> list[tuple[str, str]]:  # fmt: skip
    """The pairs (a, b) of which it is claimed that b is better; none where the two best are meant.

    A candidate against each baseline; baselines alone have every other system as candidate (with `one_candidate` there
    must be one other), and a candidate alone the only other one as baseline.

    >>> claims_of(["bm25", "dense", "fused"], None, ["bm25"], None)
    [('bm25', 'dense'), ('bm25', 'fused')]
    """
    if not (baselines or candidate):
        both = pair_of(systems, pair, called)
        return [] if both is None else [both]
    if pair is not None:
        raise TruegainError(
            f"{arg('pair')} names both systems; leave out {arg('baseline')} and {arg('candidate')}, or {arg('pair')}"
        )
    named = [*dict.fromkeys(baselines or ()), *([candidate] if candidate else [])]
    if unknown := [name for name in named if name not in systems]:
        whose = "candidate" if unknown[0] == candidate else "baseline"
        are = "is" if len(unknown) == 1 else "are"
        raise TruegainError(
            f"{told_value(whose, unknown[0], some(unknown))} {are} no system here; {there_are(unknown, systems, 8)}"
        )
    if candidate in (baselines or ()):
        raise TruegainError(
            f"{candidate} is compared with itself; name another {arg('baseline')} or {arg('candidate')}"
        )
    others = [name for name in systems if name not in named]
    if candidate is not None:
        return [(a, candidate) for a in dict.fromkeys(baselines or _only(others, arg("baseline")))]
    if not others:
        raise TruegainError(f"every system is a {arg('baseline')}; leave one out, to be compared with the others")
    chosen = _only(others, arg("candidate")) if one_candidate else others
    return [(a, b) for b in chosen for a in dict.fromkeys(baselines or ())]


def _only(others: list[str], argument: str) -> list[str]:
    if len(others) != 1:
        raise TruegainError(f"{argument} is not given, and there are {len(others)} other systems; name one of them")
    return others
