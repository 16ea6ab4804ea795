"""The compiled reader against plain Python: numbers to the last bit, lines of every form, documents that hash alike."""

from __future__ import annotations

import random
import struct
from itertools import pairwise

import numpy as np
import pytest

from truegain.data.judgments import Judgments
from truegain.data.pool import Pool
from truegain.data.run import run_of_columns
from truegain.errors import InputError
from truegain.io import trec
from truegain.io.columns import Coded, Ids, frozen

PADDING = b"".join(
    b"9 Q0 d%d 1 1 t\n" % i for i in range(9)
)  # so that lines before it are not the last, which go apart


def bits(value: float) -> bytes:
    """A double as it is stored."""
    return struct.pack("<d", value)


def values_of(texts: list[str]) -> list[float]:
    """Numbers as they are read from lines."""
    lines = "".join(f"1 Q0 d{i} 1 {text} t\n" for i, text in enumerate(texts)).encode()
    return list(trec.scan(lines + PADDING, trec.RUN, "run").value[: len(texts)].tolist())


def decimal(draw: random.Random) -> str:
    """A number as programs write them: fixed, repr, few or many digits, an exponent, odd but legal forms."""
    digits = "".join(draw.choices("0123456789", k=draw.randint(1, 21)))
    point = draw.randint(0, len(digits))
    made = [
        f"{draw.uniform(-40, 40):.{draw.randint(0, 12)}f}",
        repr(draw.uniform(-100, 100) * 10.0 ** draw.randint(-12, 12)),
        repr(float(np.float32(draw.gauss(0, 10)))),
        f"{digits[:point]}.{digits[point:]}",
        digits,
        f"{draw.choice('+-')}{digits}",
        f"{digits[:point] or '0'}.{digits[point:]}e{draw.randint(-30, 30)}",
        f"{draw.random() * 10.0 ** draw.randint(-300, 300)!r}",
        "0" * draw.randint(1, 20) + digits,
    ]
    return draw.choice(made)


@pytest.mark.slow
def test_numbers_are_those_of_python_to_the_last_bit() -> None:
    """One last bit off, and lists are ordered and ties told otherwise than by float()."""
    draw = random.Random(15)
    texts = [decimal(draw) for _ in range(60_000)]
    read = values_of(texts)
    wrong = [text for text, value in zip(texts, read, strict=True) if bits(float(text)) != bits(value)]
    assert wrong == []


def test_numbers_between_two_doubles_go_to_the_even_one() -> None:
    """A decimal exactly between two doubles, and those next to it: where a product cut off would err."""
    draw = random.Random(16)
    texts = []
    for _ in range(20_000):
        low = draw.randint(2**52, 2**53 - 1) << draw.randint(0, 9)
        middle = 2 * low + (low & -low)  # halfway to the next of that exponent, as a whole number
        texts += [str(middle + d) for d in (-1, 0, 1) if middle + d < 10**19]
        halves = draw.randint(2**53, 2**54) | 1
        whole, part = divmod(halves * 5**2, 10**2)  # halves / 4: two decimals
        texts.append(f"{whole}.{part:02d}")
    read = values_of(texts)
    assert [t for t, value in zip(texts, read, strict=True) if bits(float(t)) != bits(value)] == []


@pytest.mark.parametrize("text", [".", "-", "+", "1.2.3", "1e", "--1", "1-", "0x10", "1_0", "e5", ".e1", "12a", "1/2"])
def test_what_is_no_number_is_refused_where_it_stands(text: str) -> None:
    """Reading eight characters at once takes nothing for a digit that is none."""
    lines = b"1 Q0 a 1 2 t\n1 Q0 b 2 " + text.encode() + b" t\n" + PADDING
    with pytest.raises(InputError) as error:
        trec.scan(lines, trec.RUN, "run")
    assert error.value.line == 2
    assert "not a number" in str(error.value)


def line(draw: random.Random, topic: int) -> str:
    """A line of a run: mostly plain, else of every legal form."""
    doc = "".join(draw.choices("abcXYZ019-_.é\x01\x7f", k=draw.choice((1, 7, 8, 9, 15, 16, 17, 40))))
    rank = draw.choice((str(draw.randint(0, 99_999)), "x", "-1", "1" * 9, "1" * 12, "0007"))
    fields = [
        f"t{topic}",
        "Q0",
        doc,
        rank,
        f"{draw.uniform(-9, 99):.{draw.randint(0, 9)}f}",
        f"tag{draw.randint(0, 1)}",
    ]
    form = draw.random()
    if form < 0.6:
        return " ".join(fields)
    if form < 0.7:
        return "\t".join(fields) + "\r"
    if form < 0.75:
        return draw.choice(("", "   ", "# 1 Q0 a 1 2 t", "#", "\r\r", "\t# x"))
    if form < 0.8:
        return " ".join([*fields, "more", "and more"])
    blank = [draw.choice((" ", "\t", "  ", " \t ", "\v", "\f")) for _ in fields]
    return draw.choice(("", " ", "\t")) + "".join(map("".join, zip(fields, blank, strict=True)))


def test_lines_of_every_form_are_cut_as_python_cuts_them() -> None:
    """Fields, ranks and hashes; also of lines across the blocks that are looked at in one go, and in threads."""
    draw = random.Random(17)
    lines = [line(draw, i // 50) for i in range(12_000)]
    lines[5000] = "t99 Q0 " + "x" * 20_000 + " 1 2 t"  # longer than a block
    text = "\n".join(lines).encode()
    wanted = [fields for one in lines if (fields := one.encode().split()) and not fields[0].startswith(b"#")]
    for chunk, jobs in ((1 << 23, 1), (10_000, 2)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trec, "CHUNK", chunk)
            rows = trec.scan(text, trec.RUN, "run", jobs)
        assert rows.topic.strings() == [f[0].decode() for f in wanted]
        assert rows.docs.strings() == [f[2].decode() for f in wanted]
        assert rows.second.strings() == [f[5].decode() for f in wanted]
        assert rows.value.tolist() == [float(f[4]) for f in wanted]
        assert rows.rank.tolist() == [int(f[3]) if f[3].isdigit() and len(f[3]) < 10 else -1 for f in wanted]
        assert rows.docs.hash.tolist() == Ids.of([f[2].decode() for f in wanted]).hash.tolist()
        assert rows.wider == sum(len(f) > 6 for f in wanted)


def test_a_bad_line_is_told_wherever_it_stands() -> None:
    """At the begin, the end, on the edges of blocks; of several the first, also where its number is read late."""
    good = [f"1 Q0 d{i} {i} {1000 - i} t" for i in range(1000)]
    for at in (0, 1, 399, 400, 401, 402, 403, 998, 999):
        for bad, said in (("1 Q0 d 1 2", "6 fields"), ("1 Q0 d 1 nan t", "NaN"), ("1\r Q0 d 1 2 t", "carriage")):
            lines = [*good[:at], bad, *good[at + 1 :], "1 Q0"]
            with pytest.raises(InputError, match=said) as error:
                trec.scan("\n".join(lines).encode(), trec.RUN, "run")
            assert error.value.line == at + 1


def alike(shift: int, width: int) -> list[tuple[str, str]]:
    """Pairs of ids with the same bits of their hash."""
    names = [f"d{i}" for i in range(300_000)]
    key = (Ids.of(names).hash >> np.uint64(shift)) & np.uint64((1 << width) - 1)
    order = np.argsort(key, kind="stable").tolist()
    return [(names[a], names[b]) for a, b in pairwise(order) if key[a] == key[b]]


def pool_of(docs: list[str]) -> Pool:
    """Documents judged for topic 1."""
    return Pool.of(Judgments.of({"1": dict.fromkeys(docs, 1)}))


def test_documents_that_hash_alike_are_told_apart() -> None:
    """By their bytes: the part of the hash that a table keeps is not what decides."""
    pairs = alike(0, 32)
    assert len(pairs) > 3
    for a, b in pairs:
        asked = Coded(("1",), frozen(np.zeros(2, np.int32)))
        assert pool_of([a]).find(asked, Ids.of([b, a])).tolist() == [-1, 0]
        both = pool_of([a, b])
        found = both.find(asked, Ids.of([b, a])).tolist()
        assert [both.docs[i] for i in found] == [b, a]


def test_documents_that_hash_alike_are_not_the_same_one_twice() -> None:
    """What looks like one document by a part of its hash is looked at again by its bytes."""
    pairs = alike(33, 31)
    assert len(pairs) > 3
    for a, b in pairs:
        run_of_columns("s", ["1", "1"], [a, b], np.array([2.0, 1.0]), "s").ranking()
        with pytest.raises(InputError, match=f"document {a} appears twice"):
            run_of_columns("s", ["1"] * 3, [a, b, a], np.array([3.0, 2.0, 1.0]), "s").ranking()


def test_lists_are_looked_up_as_a_dict_does() -> None:
    """Ranks and items, topic by topic, of topics in another order, unjudged ones, and lists of every length."""
    draw = random.Random(18)
    judged = {str(t): {f"d{draw.randint(0, 60)}": 1 for _ in range(draw.randint(1, 50))} for t in range(40)}
    lists = {str(t): draw.sample(range(70), draw.choice((1, 5, 15, 16, 17, 33, 70))) for t in range(59, 9, -1)}
    pool = Pool.of(Judgments.of(judged))
    topics = [topic for topic, docs in lists.items() for _ in docs]
    docs = [f"d{d}" for listed in lists.values() for d in listed]
    run = run_of_columns("s", topics, docs, -np.arange(len(docs), dtype=float), "s")
    ranking = run.ranking()
    place = {topic: i for i, topic in enumerate(run.topic.values)}
    list_of = np.array([place.get(topic, -1) for topic in pool.topics])
    rank, item, count = pool.find_listed(run.docs, ranking.order, ranking.begin, list_of)
    wanted = [
        (topic, r + 1, f"d{d}")
        for topic in pool.topics
        for r, d in enumerate(lists.get(topic, []))
        if f"d{d}" in judged[topic]
    ]
    found = zip(np.repeat(pool.topics, count).tolist(), rank.tolist(), (pool.docs[i] for i in item), strict=True)
    assert list(found) == wanted
