"""Words: against a plain Python cutter."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truegain.errors import TruegainError
from truegain.text import _words
from truegain.text.words import Cutting, _tables

TEXTS = st.lists(st.text(st.characters(max_codepoint=0x31FFF, exclude_categories=["Cs"]), max_size=40), max_size=6)


CJK = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH", "HANGUL", "HENTAIGANA",
       "HANGZHOU", "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC NUMBER ZERO", "VERTICAL IDEOGRAPHIC")  # fmt: skip


def is_paired(c: str) -> bool:
    """Whether a letter or number is Han, Kana or Hangul, by its name; our table goes by blocks."""
    return unicodedata.category(c)[0] in "LN" and unicodedata.name(c, "").startswith(CJK)


def plain_words(text: str, pairs: bool = True) -> list[str]:
    """Letters, marks and numbers, code point by code point; Han, Kana and Hangul by pairs of neighbours."""
    stretches: list[tuple[bool, list[str]]] = [(False, [])]  # characters with their marks
    for c in text:
        kind, (before, chars) = unicodedata.category(c)[0], stretches[-1]
        paired = pairs and is_paired(c)
        if kind not in "LMN":
            stretches.append((False, []))
        elif kind == "M" and chars:
            chars[-1] += c.lower()[0]
        elif chars and paired == before:
            chars.append(c.lower()[0])
        else:
            stretches.append((paired, [c.lower()[0]]))
    words: list[str] = []
    for paired, chars in stretches:
        if paired and len(chars) > 1:
            words += [a + b for a, b in pairwise(chars)]
        elif chars:
            words.append("".join(chars))
    return words


LETTERS = "\u6771\u4eac\u3042\u30ab\u30fc\ud55c\u3099\ufe00aB1 \u3002\U00020000"


@given(st.text(st.sampled_from(LETTERS), max_size=12))
def test_cjk_is_cut_into_pairs_of_neighbours(text: str) -> None:
    """Guards the pairs: stretches of one and more, marks, other scripts and blanks between, as a plain cutter does."""
    counts = Cutting().count([text])
    assert dict(zip(counts.vocabulary.strings(), counts.frequency.tolist(), strict=True)) == Counter(plain_words(text))
    assert counts.length.tolist() == [len(plain_words(text))]
    whole = Cutting.of(cjk="words").count([text])
    assert whole.length.tolist() == [len(plain_words(text, pairs=False))]


def test_blocks_hold_the_letters_whose_names_say_so() -> None:
    """Guards our table of blocks: over all of Unicode it pairs what is Han, Kana or Hangul by name, and no more."""
    kind, _ = _tables("bigrams")
    ours = {c for c in range(len(kind)) if kind[c] == 2}
    assert ours == {c for c in range(len(kind)) if is_paired(chr(c))}


@given(TEXTS)
def test_words_are_those_of_a_plain_cutter(texts: list[str]) -> None:
    """Guards decoding, lower case, counting and document bounds on any Unicode text."""
    counts = Cutting().count(texts)
    names = counts.vocabulary.strings()
    for i, text in enumerate(texts):
        rows = slice(int(counts.begin[i]), int(counts.begin[i + 1]))
        mine = {names[t]: int(c) for t, c in zip(counts.term[rows], counts.count[rows], strict=True)}
        assert mine == Counter(plain_words(text))
        assert counts.length[i] == len(plain_words(text))
    whole = Counter(w for text in texts for w in plain_words(text))
    assert dict(zip(names, counts.frequency.tolist(), strict=True)) == whole


@given(st.binary(max_size=60))
def test_any_bytes_are_read_safely(data: bytes) -> None:
    """Guards the decoder against malformed UTF-8: no crash, nothing read past the end."""
    ends = np.array([len(data)], np.int64)
    made = _words.count(data, np.zeros(1, np.int64), ends, np.ones(1, np.uint8), *_tables("bigrams"))
    assert np.frombuffer(made[6], np.int64).sum() == np.frombuffer(made[3], np.int64)[0]


def test_long_words_and_large_vocabularies() -> None:
    """Guards the growing buffers: a word of a megabyte, and more words than the first table holds."""
    many = " ".join(f"w{i}" for i in range(50_000))
    counts = Cutting().count(["x" * (1 << 20), many, many])
    assert len(counts.vocabulary) == 50_001
    assert counts.length.tolist() == [1, 50_000, 50_000]
    assert counts.frequency.tolist() == [1] + [2] * 50_000


def test_documents_that_are_not_kept_count_in_the_collection_only() -> None:
    """Guards --for: frequencies are those of all texts, postings those of the kept."""
    counts = Cutting().count(["a b", "a a", "c"], np.array([False, True, False]))
    assert dict(zip(counts.vocabulary.strings(), counts.frequency.tolist(), strict=True)) == {"a": 3, "b": 1, "c": 1}
    assert counts.begin.tolist() == [0, 1]
    assert counts.count.tolist() == [2]


def test_stop_list_and_stems() -> None:
    """Guards what stopping and stemming do to counts: stopped words vanish, words of one stem add up."""
    pytest.importorskip("snowballstemmer")
    counts = Cutting.of("lucene", "english").count(["the connection and connections", "of the", "connect"])
    assert counts.vocabulary.strings() == ["connect"]
    assert counts.frequency.tolist() == [3]
    assert counts.length.tolist() == [2, 0, 1]
    assert counts.begin.tolist() == [0, 1, 1, 2]


def test_unknown_lists_and_stemmers_are_refused() -> None:
    """Guards against a guess: a name that is not known is an error that names what there is."""
    with pytest.raises(TruegainError, match="there is lucene"):
        Cutting.of("smart")
    pytest.importorskip("snowballstemmer")
    with pytest.raises(TruegainError, match="no stemmer 'klingon'"):
        Cutting.of(None, "klingon")
