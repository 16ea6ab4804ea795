"""What the forms of all tasks have in common: a reason, "I cannot judge this", labels, and the time that was spent.

Names in the catalogue of texts, and their English wording:

    reason.empty   Write a few words about why you chose this number
    reason.label   Write a few words about why you chose this label
    reason.choice  Write a few words about why you chose this
    cannot.empty   Choose what stops you
    cannot.button  If you cannot judge it, press the button below these reasons
    label.empty    Choose one of the labels
    prefer.empty   Choose a document, or that they help equally
    support.empty  Choose how far the passage supports the claim
    text.long      Please shorten this to {most} characters
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from truegain.judging.tasks.material import Unit
from truegain.judging.tasks.task import Answer, Fields, Option, Wrong

CANNOT = ("language", "unclear", "upsetting", "other")
LONGEST = 10_000  # characters of a text


def cleaned(text: str) -> str:
    r"""A text as every database stores it: one kind of line end, no NUL, no half of a surrogate pair.

    >>> cleaned(" one\r\ntwo\x00 ")
    'one\ntwo'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return text.encode("utf-8", "ignore").decode("utf-8").strip()


def cannot_judge(fields: Fields) -> Answer | tuple[Wrong, ...]:
    """The answer of someone who cannot judge an item: no value, and why."""
    why, note = fields.get("cannot", ""), cleaned(fields.get("cannot_note", ""))
    wrong = too_long("cannot_note", note)
    if why not in CANNOT:
        wrong = (Wrong("cannot", "cannot.empty"), *wrong)
    return wrong or Answer(math.nan, reason=cleaned(fields.get("reason", "")), cannot=why, note=note)


def says_cannot(fields: Fields, field: str) -> bool:
    """Whether someone says that they cannot judge: by that button, or by why, with no judgment and no reason for one.

    >>> says_cannot({"action": "next", "label": "", "cannot": "unclear"}, "label")
    True
    >>> says_cannot({"action": "next", "label": "2", "cannot": "unclear"}, "label")
    False
    """
    return fields.get("action") == "cannot" or (_is_either(fields, field) and not cleaned(fields.get("reason", "")))


def which_button(fields: Fields, field: str) -> tuple[Wrong, ...]:
    """Where a reason was written, no judgment given, and why it cannot be: who meant that is told its button."""
    return (Wrong("cannot", "cannot.button"),) if _is_either(fields, field) else ()


def _is_either(fields: Fields, field: str) -> bool:
    return fields.get("cannot", "") in CANNOT and not cleaned(fields.get(field, ""))


def check_reason(reason: str, wanted: bool, name: str) -> tuple[Wrong, ...]:
    """What is wrong with a reason: none where one is wanted (signs alone are none), or one that is too long."""
    if wanted and not any(sign.isalnum() for sign in reason):
        return (Wrong("reason", name),)
    return too_long("reason", reason)


def too_long(field: str, text: str) -> tuple[Wrong, ...]:
    """What is wrong with a text that no person types."""
    return (Wrong(field, "text.long", {"most": str(LONGEST)}),) if len(text) > LONGEST else ()


def chosen(
    fields: Fields, field: str, options: Sequence[Option], wanted: bool, reason_name: str
) -> Answer | tuple[Wrong, ...]:
    """The answer of a form with labels to choose and a reason, or of someone who cannot judge."""
    if says_cannot(fields, field):
        return cannot_judge(fields)
    key, reason = fields.get(field, ""), cleaned(fields.get("reason", ""))
    option = next((o for o in options if o.key == key), None)
    wrong = (*check_reason(reason, wanted, reason_name), *which_button(fields, field))
    if option is None:
        return (Wrong(field, f"{field}.empty"), *wrong)
    return wrong or Answer(option.value, typed=key, reason=reason)


def too_fast(unit: Unit, answers: Sequence[Answer], seconds: Sequence[float], least: float) -> bool:
    """Whether an item that was judged had less time than it needs.

    What someone could not judge needs none: a language is recognised at once.
    """
    return any(not a.cannot and s < least for _, a, s in zip(unit.items, answers, seconds, strict=True))
