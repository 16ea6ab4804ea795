"""Help pages, as a terminal or a file gets them; those that are asked for plainly come from `help.txt`, at once.

Nothing is imported here that `import truegain` has not loaded: a help page needs neither typer nor rich nor numpy, and
these take longer to load than all else.  `every_page` in
`commands.py` makes the pages; a test holds the file to them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

PAGES = os.path.join(os.path.dirname(__file__), "help.txt")  # noqa: PTH118, PTH120  # pathlib takes 10 ms
WIDTH = 80  # where nothing tells how wide the screen is
LEFT = 30  # characters of what stands to the left of the words about it, at most
LEAST = 24  # characters that these words have at least

Paint = Callable[[str, str], str]  # a text in a color
Page = tuple[str, str, dict[str, list[list[str]]]]  # usage, help, and panels of rows: mark, names, type, words


def shown_at_once(words: list[str]) -> bool:
    """Show the stored page of a command, where these words name one and nothing else; tells whether it did."""
    if "_TRUEGAIN_COMPLETE" in os.environ or sys.stdout is None:
        return False
    try:
        with open(PAGES, encoding="utf-8") as file:  # noqa: PTH123
            page = stored_page(file.read(), " ".join(words))
        if page is None:
            return False
        sys.stdout.write(on_screen(page) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):  # the long way tells what is wrong
        return False
    return True


def stored_page(text: str, name: str) -> Page | None:
    r"""One of the pages of a file; None where there is none.

    >>> stored_page("= \nUsage\tHelp\n= eval\nU\tH\n# Options\n*\t--a -b\t<int>\tA number.\n", "eval")
    ('U', 'H', {'Options': [['*', '--a -b', '<int>', 'A number.']]})
    """
    begin = f"\n{text}".find(f"\n= {name}\n")
    if begin < 0:
        return None
    lines = text[begin:].partition("\n= ")[0].split("\n")[1:]
    usage, about = lines[0].split("\t")
    panels: dict[str, list[list[str]]] = {}
    for line in filter(None, lines[1:]):
        if line.startswith("# "):
            rows = panels[line[2:]] = []
        else:
            rows.append(line.split("\t"))
    return usage, about, panels


def stored(name: str, page: Page) -> str:
    """A page as a file holds it."""
    usage, about, panels = page
    lines = [f"= {name}", f"{usage}\t{about}"]
    for title, rows in panels.items():
        lines += [f"# {title}", *("\t".join(row) for row in rows)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------- how it looks


def on_screen(page: Page) -> str:
    """A page for standard output: as wide as the screen, with colors where it is a terminal."""
    colored = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    boxes = (sys.stdout.encoding or "").lower().startswith("utf")
    return in_words(page, _width(), colored=colored, boxes=boxes)


def _width() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    for number in (0, 1, 2):
        try:
            return os.get_terminal_size(number).columns or WIDTH
        except OSError:
            continue
    return WIDTH


def in_words(page: Page, width: int, *, colored: bool = False, boxes: bool = True) -> str:
    """A page as text."""
    usage, about, panels = page
    width = max(width, LEFT + LEAST)
    paint = _painted if colored else _plain
    lines = ["", *(f" {line}" for line in _wrapped(f"Usage: {usage}", width - 2)), ""]
    lines += [f" {line}" for line in _wrapped(about, width - 2)] + [""]
    left = min(LEFT, width * 3 // 8, max((len(_left(row)) for rows in panels.values() for row in rows), default=0))
    for title, rows in panels.items():
        lines += _panel(title, rows, width, left, paint, boxes)
    return "\n".join(line.rstrip() for line in lines)


def _panel(title: str, rows: list[list[str]], width: int, left: int, paint: Paint, boxes: bool) -> list[str]:
    across, side, corners = ("─", "│", "╭╮╰╯") if boxes else ("-", "|", "++++")
    marked = any(row[0] for row in rows)
    inside = width - 4 - 2 * marked
    lines = [paint("2", f"{corners[0]}{across} {title} {across * (width - len(title) - 5)}{corners[1]}")]
    for mark, names, kind, about in rows:
        first = _left([mark, names, kind, about])
        words = _wrapped(about, inside - left - 2)
        heads = [first] if len(first) <= left else [*_wrapped(first, inside), *([""] if words else [])]
        for i in range(max(len(heads), len(heads) - 1 + len(words))):
            head = heads[i] if i < len(heads) else ""
            place = i - len(heads) + 1
            line = words[place] if 0 <= place < len(words) else ""
            text = _named(head, paint) + " " * max(0, left - len(head)) + "  " + line if line else _named(head, paint)
            gap = inside - (max(left, len(head)) + 2 + len(line) if line else len(head))
            star = (paint("31", mark or " ") if not i else " ") + " " if marked else ""
            lines.append(f"{paint('2', side)} {star}{text}{' ' * gap} {paint('2', side)}")
    lines.append(paint("2", f"{corners[2]}{across * (width - 2)}{corners[3]}"))
    return lines


def _left(row: list[str]) -> str:
    return f"{row[1]} {row[2]}".strip()


def _named(head: str, paint: Paint) -> str:
    """Names of options and what they take, each in its color."""
    color = {"--": "1;36", "-": "1;32", "<": "1;33"}
    parts = []
    for word in head.split(" "):
        kind = next((k for k in color if word.startswith(k)), "")
        parts.append(paint(color[kind], word) if kind else word)
    return " ".join(parts)


def _plain(_: str, text: str) -> str:
    return text


def _painted(color: str, text: str) -> str:
    return f"\x1b[{color}m{text}\x1b[0m" if text.strip() else text


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of a text: cut between words; a word that is too long, behind one of its | or wherever it must.

    >>> _wrapped("one two three", 8), _wrapped("<aa|bb|cc>", 7)
    (['one two', 'three'], ['<aa|bb|', 'cc>'])
    """
    lines: list[str] = []
    line = ""
    for whole in text.split():
        word = whole
        while len(word) > width:
            cut = word.rfind("|", 0, width) + 1 or width
            lines += [line] if line else []
            lines, line, word = [*lines, word[:cut]], "", word[cut:]
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines
