"""HTML as tests read it: elements with their attributes and text, and what a browser would send from a form."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "rect", "line", "source", "track", "wbr"}


@dataclass
class Element:
    """An element, in the order of the source."""

    tag: str
    attributes: dict[str, str]
    above: list[Element] = field(repr=False)
    text: str = ""

    def within(self, other: Element) -> bool:
        """Whether it stands inside another."""
        return any(element is other for element in self.above)


class Html(HTMLParser):
    """A page; what is opened and not closed, or closed and not opened, is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        self.close()
        assert not self._open, f"never closed: {[e.tag for e in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: {tag} {names}"
        self.all.append(Element(tag, {name: value or "" for name, value in attrs}, list(self._open)))
        if tag not in VOID:
            self._open.append(self.all[-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element that has nothing within."""
        self.all.append(Element(tag, {name: value or "" for name, value in attrs}, list(self._open)))

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].tag == tag, f"</{tag}> closes {self._open[-1]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Text, of all elements it stands in."""
        for element in self._open:
            element.text += data

    def find(self, tag: str, **attributes: str) -> list[Element]:
        """Elements of a tag with these attributes."""
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [e for e in self.all if e.tag == tag and wanted.items() <= e.attributes.items()]

    def one(self, tag: str, **attributes: str) -> Element:
        """The only one."""
        (found,) = self.find(tag, **attributes)
        return found

    def sent(self, form: Element) -> dict[str, str]:
        """What the browser sends from a form as it stands, without a button."""
        found: dict[str, str] = {}
        for element in self.all:
            kind, name = element.attributes.get("type", "text"), element.attributes.get("name")
            if not name or not element.within(form):
                continue
            if element.tag == "textarea":
                found[name] = element.text.removeprefix("\n")
            elif element.tag == "input" and (kind not in ("radio", "checkbox") or "checked" in element.attributes):
                found[name] = element.attributes.get("value", "on")
        return found
