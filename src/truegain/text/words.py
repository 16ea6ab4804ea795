"""Words: how text is cut, which words are left out, how they are stemmed."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import truegain.text._words as _words
from truegain.errors import TruegainError, check_one_of, needs
from truegain.io.columns import Bools, Codes, Ids, Ints, frozen

_CODE_POINTS = 0x34000  # beyond are private use, tags and variation selectors: no words
_NONE, _LETTER, _PAIRED, _MARK = range(4)  # classes of code points, as the compiled part has them
# Han, Hiragana, Katakana and Hangul, by the blocks of Unicode; letters and numbers of theirs are cut into pairs
_CJK = (
    (0x1100, 0x11FF), (0x3005, 0x3005), (0x3007, 0x3007), (0x3021, 0x3029), (0x3038, 0x303B), (0x3041, 0x30FF),
    (0x3130, 0x318F), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF), (0xFF66, 0xFFDC), (0x1AFF0, 0x1B16F), (0x20000, 0x33FFF),
)  # fmt: skip
Cjk = Literal["bigrams", "words"]
STOP_LISTS: dict[str, frozenset[str]] = {
    # the 33 words that Lucene's StandardAnalyzer has long left out
    "lucene": frozenset(
        (
            "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
            "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was",
            "will", "with",
        )
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Cutting:
    """How text became terms; recorded in a corpus and compared when two are used together.

    A word is an unbroken stretch of Unicode letters, marks and numbers; every code point is made lower case by
    itself.  Chinese, Japanese and Korean, which have no blanks or few, are cut into pairs of neighbouring characters,
    as Lucene's CJKAnalyzer does, unless `cjk` says words.  `stop` words are left out, then `stemmer` (a Snowball
    language, such as 'english') is applied.

    >>> Cutting().words("D\u00e9j\u00e0 vu: Stra\u00dfe 42, e-mail")
    ['d\u00e9j\u00e0', 'vu', 'stra\u00dfe', '42', 'e', 'mail']
    >>> Cutting().words("\u6771\u4eac\u90fd 2024") == ["\u6771\u4eac", "\u4eac\u90fd", "2024"]
    True
    """

    lower: bool = True
    stop: tuple[str, ...] = ()
    stemmer: str | None = None
    unicode: str = unicodedata.unidata_version
    cjk: Cjk = "bigrams"

    @classmethod
    def of(cls, stop: str | Sequence[str] | None = None, stemmer: str | None = None, cjk: Cjk = "bigrams") -> Cutting:
        """From a stop list (its name, or its words), the name of a stemmer, and how CJK text is cut."""
        check_one_of("cjk", cjk, ("bigrams", "words"))
        if isinstance(stop, str):
            if stop not in STOP_LISTS:
                known = ", ".join(STOP_LISTS)
                raise TruegainError(f"there is no stop list {stop!r}; there is {known}, or name a file of words")
            stop = sorted(STOP_LISTS[stop])
        cutting = cls(stop=tuple(sorted({w.lower() for w in stop or ()})), stemmer=stemmer, cjk=cjk)
        cutting.stem([])  # an unknown stemmer is told at once
        return cutting

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "stop": list(self.stop)}

    def differs(self, other: Cutting) -> list[str]:
        """What is not the same in two ways of cutting, in words."""
        mine, theirs = self.plain(), other.plain()
        return [f"{name}: {mine[name]!r} and {theirs[name]!r}" for name in mine if mine[name] != theirs[name]]

    def words(self, text: str) -> list[str]:
        """The terms of one text in order of first appearance."""
        return self.count([text]).vocabulary.strings()

    def stem(self, words: list[str]) -> list[str]:
        """Words after stemming."""
        if self.stemmer is None:
            return words
        snowball = needs("snowballstemmer", "text")
        try:
            stemmer = snowball.stemmer(self.stemmer)
        except KeyError:
            known = ", ".join(snowball.algorithms())
            raise TruegainError(f"there is no stemmer {self.stemmer!r}; there are {known}") from None
        return list(stemmer.stemWords(words))

    def count(self, texts: Sequence[str], keep: Bools | None = None) -> Counts:
        """Terms of texts, and term counts of the texts to keep (all of them unless told otherwise)."""
        encoded = [text.encode(errors="replace") for text in texts]
        end = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), dtype=np.int64)
        kept = np.ones(len(encoded), np.uint8) if keep is None else keep.astype(np.uint8)
        begin = np.concatenate([np.zeros(min(1, len(end)), np.int64), end[:-1]])
        raw = _words.count(b"".join(encoded), begin, end, kept, *_tables(self.cjk))
        before, term, count, length, text, start, frequency = raw
        starts = np.frombuffer(start, np.int64)
        vocabulary = Ids.stretches(text, starts[:-1].copy(), np.diff(starts).astype(np.int32))
        counts = Counts(
            vocabulary,
            np.frombuffer(frequency, np.int64),
            np.frombuffer(length, np.int64),
            np.frombuffer(before, np.int64),
            np.frombuffer(term, np.int32),
            np.frombuffer(count, np.int32),
        )
        return counts.mapped(*self._onto(vocabulary), kept) if self.stop or self.stemmer else counts

    def _onto(self, vocabulary: Ids) -> tuple[Ids, Codes]:
        """The terms that words become, and which term each word becomes, -1 for none."""
        words, stop = vocabulary.strings(), set(self.stop)
        number: dict[str, int] = {}
        stems = self.stem(words)
        onto = [
            -1 if word in stop or not stem else number.setdefault(stem, len(number))
            for word, stem in zip(words, stems, strict=True)
        ]
        return Ids.of(list(number)), np.array(onto, np.int32)


@dataclass(frozen=True, eq=False)
class Counts:
    """Counted texts: terms with their frequency over all texts, and the postings of the texts that are kept.

    Kept text k has postings begin[k] to begin[k + 1]; `length` is the number of words of every text.
    """

    vocabulary: Ids
    frequency: Ints
    length: Ints
    begin: Ints
    term: Codes
    count: Codes

    def mapped(self, vocabulary: Ids, onto: Codes, keep: npt.NDArray[np.uint8]) -> Counts:
        """The texts after their words became terms of another vocabulary, or nothing."""
        term = onto[self.term]
        kept = np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))[term >= 0]
        key = kept * max(1, len(vocabulary)) + term[term >= 0]
        keys, first, group = np.unique(key, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")  # in order of appearance, as before
        count = np.bincount(group, weights=self.count[term >= 0], minlength=len(keys)).astype(np.int32)[order]
        text = (keys // max(1, len(vocabulary)))[order]
        frequency = np.bincount(onto[onto >= 0], weights=self.frequency[onto >= 0], minlength=len(vocabulary)).astype(
            np.int64
        )
        begin = np.searchsorted(text, np.arange(len(self.begin))).astype(np.int64)
        length = self.length.copy()  # of a text that is not kept the words are known, not the terms
        length[keep > 0] = np.bincount(text, weights=count, minlength=len(self.begin) - 1).astype(np.int64)
        term = (keys % max(1, len(vocabulary)))[order].astype(np.int32)
        return Counts(vocabulary, frequency, length, begin, term, count)


@cache
def _tables(cjk: Cjk) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """Per code point the class it is of, and its lower case."""
    points = [chr(c) for c in range(_CODE_POINTS)]
    classes = {"L": _LETTER, "N": _LETTER, "M": _MARK}
    kind = np.array([classes.get(unicodedata.category(c)[0], _NONE) for c in points], np.uint8)
    for first, last in _CJK if cjk == "bigrams" else ():
        block = kind[first : last + 1]
        block[block == _LETTER] = _PAIRED
    lower = np.array([ord(c.lower()[0]) for c in points], np.int32)
    return frozen(kind), frozen(lower)
