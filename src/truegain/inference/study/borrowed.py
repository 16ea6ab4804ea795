"""Judge and system related: where a judge's calibration does not reach a system, it is borrowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truegain.errors import TruegainError, some
from truegain.inference.study.evidence import LEAST_GOLD
from truegain.sampling.designs import DESIGNS
from truegain.tables.checks import warn
from truegain.tables.runs import models_in

Uses = Mapping[str, str | Sequence[str]]


def models_of(
    uses: Uses | None, judge: str | None, systems: tuple[str, ...], runs: object = None
) -> dict[str, tuple[str, ...]]:
    """The models that each system uses: as given, else as a column of the runs says; told where none is the judge's.

    >>> models_of({"dense": "gpt-4o", "rag": ["gpt-4o", "e5"]}, "gpt-4o", ("dense", "rag", "bm25"))
    {'dense': ('gpt-4o',), 'rag': ('gpt-4o', 'e5')}
    """
    if not isinstance(uses or {}, Mapping):
        raise TruegainError(f"uses {uses!r}: give the models by system, such as {{'dense': 'gpt-4o'}}")
    given = dict(uses or {})
    if given and judge is None:
        raise TruegainError("uses= says which models systems use; say with judge_model which one gave the judgments")
    if judge is None:
        return {}
    if unknown := [str(s) for s in given if s not in systems]:
        raise TruegainError(f"uses: {some(unknown)} is no system here; there are {some(systems)}")
    found = {s: (models,) if isinstance(models, str) else _texts(s, models) for s, models in given.items()}
    columns = {} if runs is None else {s: models for s, models in models_in(runs).items() if s in systems}
    found = columns | found
    if not found:
        raise TruegainError(
            "judge_model is about systems of the same model; name these with uses={'system': 'model'}, or in a column "
            "'model' of the runs"
        )
    if not any(is_of(judge, models) for models in found.values()):
        named = list(dict.fromkeys(model for models in found.values() for model in models))
        warn(f"no system uses {judge}, the judge's model; there are {some(named)}: check the spelling")
    return found


def _texts(system: str, models: object) -> tuple[str, ...]:
    texts = tuple(models) if isinstance(models, Sequence) else (models,)
    if not all(isinstance(model, str) for model in texts):
        raise TruegainError(f"uses: the model of {system} is {models!r}; give its name, or a list of names")
    return texts


def is_of(judge: str, models: Sequence[str]) -> bool:
    """Whether a model is among some, upper and lower case alike.

    >>> is_of("gpt-4o", ["e5", "GPT-4o"]), is_of("gpt-4o", ["gpt-4"])
    (True, False)
    """
    return judge.strip().casefold() in {model.strip().casefold() for model in models}


def borrowed(
    system: str, model: str | None, design: str | None, labels: int | None, least: int = LEAST_GOLD
) -> list[str]:
    """Why the calibration of a system is borrowed, or its gold too little; nothing where it is its own and enough.

    model: that of the judge, where the system uses it too; design: how gold was drawn, None without; labels: how many
    gold labels its score stands on, None where they cannot be counted; least: how many it must stand on.

    >>> borrowed("rag", "gpt-4o", None, 0)
    ['calibration borrowed: rag uses gpt-4o, which also gave the judgments, and no gold label tells how it favours rag']
    >>> borrowed("bm25", None, "random", 40), borrowed("rag", "gpt-4o", "random", 40)
    ([], [])
    """
    few = design is not None and labels is not None and labels < least
    if model is not None and (design is None or not DESIGNS[design].here or few):
        known = "few gold labels tell" if few and labels else "no gold label tells"
        return [
            f"calibration borrowed: {system} uses {model}, which also gave the judgments, and {known} how it favours "
            f"{system}"
        ]
    if few:
        are = "is" if labels == 1 else "are"
        return [f"too few gold labels: {labels} {are} of what {system} retrieved, and {least} are needed"]
    return []
