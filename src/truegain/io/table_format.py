"""What a format of tables with named columns is: how it is recognized, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from truegain.errors import InputError
from truegain.io.columns import RawTable, names_columns
from truegain.io.file_options import Header
from truegain.io.frames import Frame

NO_HEADER = Header()


def start_of_text(text: bytes) -> bytes:
    """How a text begins, blanks aside."""
    return text[:65536].lstrip()


def first_line(text: bytes) -> str:
    """The first line that is not blank."""
    return start_of_text(text).split(b"\n", 1)[0].rstrip().decode(errors="replace")


class Beginning:
    """What a file is recognized by: its text or bytes, its ending, and what the user says of its columns."""

    def __init__(self, text: bytes, ending: str, header: Header | None = None) -> None:
        self.text, self.ending, self.header = text, ending, NO_HEADER if header is None else header

    @cached_property
    def first(self) -> str:
        """The first line that is not blank."""
        return first_line(self.text)

    def names_columns(self, *separators: str) -> bool:
        """Whether the first line names columns, between separators, where the user does not name them all."""
        named = not self.header.names or self.header.several is not None
        return named and any(names_columns(self.first.split(separator), self.header.theirs) for separator in separators)


@dataclass(frozen=True)
class TableFormat:
    """A format in which runs, judgments, ratings and scores come as a table with named columns.

    Attributes
    ----------
    name : str
        Its name among the formats.
    words : str
        What messages call it: 'CSV'.
    endings : tuple of str
        Endings of its files, below that of a compressed file.
    recognizes : callable
        From the beginning of a file, whether it has this format.
    read : callable
        The table, from all bytes of a file and its name for messages; what cannot be read is refused with its place.
    marked : bool
        Whether the first bytes or the ending tell it by themselves, whatever its columns are called.
    binary : bool
        Whether it is no text.
    named_first : bool
        Whether its first line names the columns.
    refusal : callable, optional
        From the beginning of a file and its name: what is wrong with one that has the ending only.
    row_mark : bytes
        What stands once in every row, by which memory is estimated.
    row_memory : int
        Bytes of memory that a row takes to be read.
    begins : tuple of bytes
        Bytes, one of which every such file begins with, blanks aside; others are not asked about.
    """

    name: str
    words: str
    endings: tuple[str, ...]
    recognizes: Callable[[Beginning], bool]
    read: Callable[[bytes, str], RawTable | Frame]
    marked: bool = False
    binary: bool = False
    named_first: bool = False
    refusal: Callable[[Beginning, str], InputError | None] | None = None
    row_mark: bytes = b"\n"
    row_memory: int = 750
    begins: tuple[bytes, ...] = (b"",)

    def fits(self, begun: Beginning) -> bool:
        """Whether a file that begins so has this format."""
        return start_of_text(begun.text).startswith(self.begins) and self.recognizes(begun)
