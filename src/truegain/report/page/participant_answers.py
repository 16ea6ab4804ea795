"""What a page says of values of answers: which there are, which are missing and why, and who gave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from truegain.data.items import Items
from truegain.io.columns import Bools
from truegain.io.nugget_files import SCORE
from truegain.report.html import (
    NONE,
    Html,
    Section,
    cell,
    count,
    figure,
    head,
    heads,
    join,
    many,
    named,
    num,
    paragraph,
    room,
    scrolls,
    sentence,
    table,
    tr,
    who,
)
from truegain.report.participants import Participant, Track

MOST_JUDGES = 5  # that are named
EMPTY = {"missing": "empty in the file"}
NO_ANSWER = "for topics without an answer"


def turned(track: Track) -> str:
    """What is said of a score that is better where it is less; empty of others."""
    items = track.study.items
    if items is None:
        return ""
    (score,) = items.scores
    scale = items.scales.get(score)
    if scale is None or not scale.lower_is_better:
        return ""
    return f" Lower {score} is better: this page shows it as a negative number, so that higher is better."


def values_section(track: Track, own: Participant) -> Section:
    """Values of a team's answers: how many there are and are missing, who gave them, and topics that are left out."""
    items = _of_score(track)
    lost = {run: _missing(items, run) for run in own.runs}
    of_nuggets = track.study.items is None
    unit = "assignment" if of_nuggets else "value"
    whole = sum(sum(reasons.values()) for reasons in lost.values())
    lede = (
        f"No {unit} of these runs is missing."
        if not whole
        else f"{many(whole, unit)} of these runs {_is(whole)} missing: left out, never counted as 0."
    )
    rows = []
    for run, reasons in lost.items():
        there = int((~np.isnan(items.value[_rows(items, run)])).sum())
        why = named([f"{n:,} {reason}" for reason, n in reasons.items()]) if reasons else NONE
        rows.append(tr(who(run), num(count(there)), num(count(sum(reasons.values()))), cell(why)))
    top = [head("run"), *heads(f"{unit}s", "missing"), head("why")]
    caption = "Nuggets of answers" if of_nuggets else "Values of answers"
    left = len(items.topics) - len(track.study.topics)
    about = f"All scores are of the {many(len(track.study.topics), 'topic')} that every run can be scored on."
    if left:
        about += f" {many(left, 'topic')} {_is(left)} left out for all runs, because some run cannot be scored there."
    inside: Html = scrolls(table(caption, top, rows, kind="loose"), caption)
    body = join(
        paragraph(lede, class_="lede"),
        *(paragraph(sentence(text), class_="prose-p") for text in (_by_whom(items), _repeats(items)) if text),
        figure(inside, about, kind=room(own.runs)),
    )
    data = {
        "missing": lost, "topics": len(track.study.topics), "topics_left_out": left, "judges": _judges(items),
        "models": sorted(items.models),
    }  # fmt: skip
    return Section("values", caption, "Values", body, data)


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _of_score(track: Track) -> Items:
    """The values that are scored; of nuggets how far answers support them."""
    if track.study.items is not None:
        return track.study.items
    assert track.items is not None
    return track.items.of_score(SCORE)


def _rows(items: Items, run: str) -> Bools:
    return np.asarray(items.system.code == items.systems.index(run), np.bool_)


def _missing(items: Items, run: str) -> Mapping[str, int]:
    """Why values of a run are missing, and how many; a topic without a row lacks one."""
    mine = _rows(items, run)
    lost = (mine & np.isnan(items.value)).tolist()
    reasons = Counter(why for why, is_lost in zip(items.status.strings(), lost, strict=True) if is_lost)
    absent = len(items.topics) - len(np.unique(items.topic.code[mine]))
    named_so = {EMPTY.get(why, why): n for why, n in reasons.items()}
    return named_so | ({NO_ANSWER: absent} if absent else {})


def _judges(items: Items) -> list[str]:
    return list(dict.fromkeys(filter(None, items.judge.strings())))


def _by_whom(items: Items) -> str:
    """Who gave the values, as far as that is known."""
    judges = _judges(items)
    if not judges:
        return items.who_is_unknown.partition(". ")[0]
    shown = [f"{judge} (a language model)" if judge in items.models else judge for judge in judges]
    several = ", which have the same weight in the value of an answer" if len(judges) > 1 else ""
    return f"The values are by {named(shown, MOST_JUDGES)}{several}"


def _repeats(items: Items) -> str:
    """How often answers were scored."""
    times = int(items.replicate.max(initial=1))
    if times < 2:
        return ""
    return f"Answers have up to {times} repeats, which are averaged before topics are: they do not count as topics"
