"""A page read again: its tags, whether they fit together, and what stands in them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"br", "wbr", "col", "meta", "input", "link", "img", "hr"}


@dataclass
class Tag:
    """An element: its name, attributes, children and text."""

    name: str
    attributes: dict[str, str | None]
    children: list[Tag | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text below it, spaces as one."""
        parts = (c if isinstance(c, str) else c.text for c in self.children)
        return re.sub(r"\s+", " ", "".join(parts))

    def every(self, name: str = "", **attributes: str) -> list[Tag]:
        """Elements below it by name and attributes; `class_` is one of its classes."""
        found = []
        for child in self.children:
            if isinstance(child, Tag):
                if (not name or child.name == name) and all(child.has(k, v) for k, v in attributes.items()):
                    found.append(child)
                found += child.every(name, **attributes)
        return found

    def has(self, key: str, value: str) -> bool:
        """Whether an attribute is, or a class is among, this."""
        mine = self.attributes.get(key.rstrip("_").replace("_", "-"))
        return mine is not None and (value in mine.split() if key == "class_" else mine == value)

    def one(self, name: str = "", **attributes: str) -> Tag:
        """The first of them."""
        found = self.every(name, **attributes)
        assert found, f"no {name} {attributes}"
        return found[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Tag("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [k for k, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        made = Tag(tag, dict(attrs))
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(page: str) -> Tag:
    """The page as a tree; refused where a tag is not closed, or closes another."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert [t.name for t in reader.open] == [""], f"never closed: {[t.name for t in reader.open[1:]]}"
    return reader.root


def data_of(tree: Tag) -> dict[str, Any]:
    """The page's data for programs."""
    found: dict[str, Any] = json.loads(tree.one("script", id="truegain-data").text)
    return found


def rows_of(table: Tag) -> list[list[str]]:
    """The cells of a table's body, as text."""
    body = table.one("tbody")
    return [[c.text.strip() for c in r.children if isinstance(c, Tag)] for r in body.every("tr")]
