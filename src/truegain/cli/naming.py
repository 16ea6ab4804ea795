"""Options of a command by the arguments of the library that they give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# option: what the library calls it, where that is another word
CALLED = {
    "--at": "depths",
    "--with-intervals": "intervals",
    "--id-field": "id",
    "--text-field": "text",
    "--proxy": "proxies",
}


# what commands have whose --scale is that of bronze and gold labels, not of ratings alone
BOTH_JUDGES = {"gold", "scale", "unmatched"}


def option_names(parameters: Iterable[Any]) -> dict[str, str]:
    """The option behind each parameter of a command."""
    longest = {p.name: max(p.opts, key=len) for p in parameters}
    names = {name: option for name, option in longest.items() if option.startswith("--")}
    if names.keys() >= BOTH_JUDGES:
        names["label_scale"] = names["scale"]
    return {CALLED[option]: option for option in names.values() if option in CALLED} | names


def message_of_trec(error: Any) -> str | None:
    """The message on --format trec where there are no scores to print; None where it is no such mistake."""
    parameter: Any = getattr(error, "param", None)
    if getattr(parameter, "name", "") != "output_format" or "'trec' is not one of" not in str(error):
        return None
    return (
        "--format trec: this format is for the scores of `truegain eval`; here there are "
        f"{', '.join(map(str, getattr(parameter.type, 'choices', ())))}"
    )
