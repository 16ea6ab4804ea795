"""A section of a page: its name, what it says, and its data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truegain.report.parts.html import Html, el, join


@dataclass(frozen=True)
class Section:
    """What stands in the rail (title, a few facts) and in the column, and the same as data.

    `heads` says that the body has the page's own heading: the title in the rail is then none.
    """

    id: str
    title: str
    nav: str
    body: Html
    data: Mapping[str, Any] = field(default_factory=dict)
    rail: tuple[str, ...] = ()
    chip: str = ""
    heads: bool = False

    def html(self, number: int) -> Html:
        """The section with its number."""
        head = join(el("span", str(number)), " ", self.title)
        top = (
            el("p", head, class_="h2") if self.heads else el("h2", head, id=f"h-{self.id}"),
            el("span", self.chip, class_="ds") if self.chip else None,
            el("ul", *(el("li", fact) for fact in self.rail), class_="facts") if self.rail else None,
        )
        return el(
            "section", el("div", *top, class_="rail"), el("div", self.body, class_="col"), id=self.id,
            class_="verdict" if self.heads else None, aria_labelledby=f"h-{self.id}",
        )  # fmt: skip
