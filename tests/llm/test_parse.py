"""Labels in answers: in many forms and languages; what holds none has a status, and never a label."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.served import completion
from truegain.llm.parse import STATUSES, parsed
from truegain.llm.prompts import plain, read_prompt

GRADED = [
    ('{"label": "2"}', "2"),
    ('{"label": 2}', "2"),
    ('{"label": 2.0}', "2"),
    ('```json\n{"label": "3"}\n```', "3"),
    ('First I thought {"label": "1"}, but no.\n{"label": "0"}', "0"),
    ('{"reason": "it says {this} and \\"that\\"", "label": "2"}', "2"),
    ('{"label": "1", "parts": {"a": 1}}', "1"),
    ('{"Label": "1"} and {"note": "nothing"}', "1"),
    ('{"label": "3", "example": {"label": "0"}}', "3"),  # what is inside another object is not the answer
    ('{"reasons": [{"label": "0"}], "label": "2.0"}', "2"),
    ('{"label": "1", } but rather {"label": "3"}', "3"),
    ("3", "3"),
    ("Label: 3\nConfidence: 1", "3"),
    ("Label: 0\nNo, rather\n**Final label**: 2\nScore: 1", "2"),
    ("Label (0-3): 2", "2"),
    ("1. Reason: it says so.\n2. Label: 3", "3"),
    ("My rating for this document: 1", "1"),
    ("Relevance score: 2.0", "2"),
    (" 1.\n", "1"),
    ("**Label: 2**", "2"),
    ("The document is about tea.\n\nLabel: 1", "1"),
    ("Label: 1\n```", "1"),
    ("So my final grade is: 2", "2"),
    ("<think>It could be Label: 3 or Label: 0.</think>\nLabel: 2", "2"),
    ("Das Dokument passt.\nNote: 3", "3"),  # German
    ("El documento no responde.\nEtiqueta: 1", "1"),  # Spanish
    ("\u8fd9\u7bc7\u6587\u6863\u76f8\u5173\u3002\n\u8bc4\u5206\uff1a2", "2"),  # Chinese, with a wide colon
    ("\u95a2\u9023\u6027\u306f\u9ad8\u3044\u3002\n\u30e9\u30d9\u30eb\uff1a\uff13", "3"),  # Japanese, with a wide digit
    ("\u0627\u0644\u0648\u062b\u064a\u0642\u0629\n\u0627\u0644\u062a\u0635\u0646\u064a\u0641: \u0662", "2"),  # Arabic
    ("\u0926\u0938\u094d\u0924\u093e\u0935\n\u0932\u0947\u092c\u0932: \u0967", "1"),  # Devanagari digits
]  # fmt: skip


@pytest.mark.parametrize(("text", "label"), GRADED)
def test_a_label_is_found_in_many_forms(text: str, label: str) -> None:
    """Guards reading: JSON, a bare label or a last line, with decorations, reasoning, other languages and digits."""
    found = parsed(completion(text), read_prompt("graded"))
    assert (found.label, found.value, found.status) == (label, float(label), "ok")


WITHOUT: list[tuple[dict[str, Any], str]] = [
    (completion(""), "empty"),
    (completion(None), "empty"),
    (completion("   \n"), "empty"),
    (completion("", "length"), "length"),
    (completion(None, "length", message={"reasoning_content": "Label: 2"}), "length"),
    (completion("The document says a lot about\nLabel: 2", "length"), "length"),  # cut: it might go on
    (completion("<think>still thinking, Label: 2", "length"), "length"),
    (completion("<think>still thinking, Label: 2"), "unparsed"),
    (completion('{"label": "2', "length"), "length"),
    (completion("", "content_filter"), "refused"),
    (completion("Label: 2", "content_filter"), "refused"),
    (completion(None, message={"refusal": "I cannot judge this."}), "refused"),
    (completion("I'm sorry, but I can't help with that."), "refused"),
    (completion("Lo siento, no puedo evaluar este texto."), "refused"),
    (completion("\u62b1\u6b49\uff0c\u6211\u65e0\u6cd5\u5e2e\u52a9\u3002"), "refused"),
    (completion("Label: 7"), "off_scale"),
    (completion("-1"), "off_scale"),
    (completion("Label: 2.5"), "off_scale"),
    (completion("2/3"), "off_scale"),
    (completion('{"label": "5"}'), "off_scale"),
    (completion('{"label": "relevant"}'), "off_scale"),
    (completion("Label: relevant"), "off_scale"),
    (completion("1 or 2"), "unparsed"),
    (completion("The document is quite good."), "unparsed"),
    (completion("2 documents were compared"), "unparsed"),
    (completion('{"grade": 2}'), "unparsed"),
    (completion('{"label": true}'), "unparsed"),
    (completion('{"label": "2"} no: {"label": null}'), "unparsed"),
    (completion('{"label": "3", "example": {"label": "0"}, }'), "unparsed"),
    (completion('{"label": "3", "example": {"label": "0"}'), "unparsed"),
    (completion("The label could be high.\nConfidence: 1"), "unparsed"),
    (completion("Documents compared: 2"), "unparsed"),
    (completion('{"label": {"value": 2}}'), "unparsed"),
    (completion("{" * 5000), "unparsed"),
    ({"choices": []}, "empty"),
    ({"choices": [{"message": None}]}, "empty"),
    ({}, "empty"),
]


@pytest.mark.parametrize(("answer", "status"), WITHOUT)
def test_what_holds_no_label_has_a_status(answer: dict[str, Any], status: str) -> None:
    """Guards honesty: refusals, empty and cut answers and values off the scale are told apart, and none is 0."""
    found = parsed(answer, read_prompt("graded"))
    assert (found.label, found.value, found.status) == (None, None, status)
    assert status in STATUSES


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Label: partial support", "partial_support"),
        ("Partial-Support", "partial_support"),
        ("not_support.", "not_support"),
        ('{"label": "SUPPORT"}', "support"),
        ("Label: supports it", None),
    ],
)
def test_words_are_labels_too(text: str, label: str | None) -> None:
    """Guards words: case, blanks and hyphens do not matter, and no word is taken for the end of another."""
    assert parsed(completion(text), read_prompt("nuggets")).label == label


@pytest.mark.parametrize(
    ("text", "label"),
    [("Label: A\nRunner-up: B", "A"), ("Winner: B", "B"), ("I like A.\nRunner-up: B", None), ("Not chosen: A", None)],
)
def test_only_a_line_that_names_a_label_has_one(text: str, label: str | None) -> None:
    """Guards pairs: who comes second is not the winner."""
    found = parsed(completion(text), read_prompt("pairwise"))
    assert (found.label, found.status) == (label, "ok" if label else "unparsed")


@given(st.text(), st.sampled_from(["stop", "length", "content_filter", None]), st.sampled_from(["graded", "nuggets"]))
def test_no_text_breaks_reading(text: str, why: Any, name: str) -> None:
    """Guards against any text: a label is one of the scale, or there is none, with a reason."""
    prompt = read_prompt(name)
    found = parsed(completion(text, why), prompt)
    assert (found.label in prompt.labels) == (found.status == "ok")


@given(st.sampled_from(["0", "1", "2", "3"]), st.text(st.characters(exclude_characters="{}"), max_size=40))
def test_whatever_is_said_before_the_last_line_counts_nothing(label: str, text: str) -> None:
    """Guards the last line: what a model says before it cannot change the label."""
    said = f"{text}\nLabel: {label}" if "<" not in text else f"Label: {label}"
    assert parsed(completion(said), read_prompt("graded")).label == label


def test_labels_look_alike_only_where_they_should() -> None:
    """Guards the look-up of labels against a minus that gets lost."""
    assert (plain("-1"), plain("\u22121"), plain("1"), plain("both bad")) == ("-1", "-1", "1", "both_bad")


# ---------------------------------------------------------------------- soft labels


def token(word: str, **chances: float) -> dict[str, Any]:
    """A token with the chances of others in its place."""
    top = [{"token": name.removeprefix("_"), "logprob": math.log(p)} for name, p in chances.items()]
    return {"token": word, "logprob": top[0]["logprob"], "top_logprobs": top}


def test_a_soft_label_is_the_expected_one() -> None:
    """Guards soft labels: weights are the probabilities of the labels, made to sum to 1; the rest is reported."""
    logprobs = {"content": [token("2", _2=0.5, _1=0.25, the=0.2, _0=0.05)]}
    found = parsed(completion("2", choice={"logprobs": logprobs}), read_prompt("graded"), soft=True)
    assert found.label == "2"
    assert found.value == pytest.approx((2 * 0.5 + 0.25) / 0.8)
    assert found.outside == pytest.approx(0.2)


def test_soft_labels_have_no_digits_of_rounding() -> None:
    """Guards the output: 2.7499999999999996 is 2.75."""
    logprobs = {"content": [token("2", _2=0.005, _3=0.015)]}
    found = parsed(completion("2", choice={"logprobs": logprobs}), read_prompt("graded"), soft=True)
    assert found.value == 2.75


def test_a_label_in_two_spellings_counts_once() -> None:
    """Guards tokens: '2' and ' 2', however a server shows the blank, are one label, whose probabilities add."""
    shares = (("2", 0.3), (" 2", 0.1), ("\u01202", 0.1), ("\u25812", 0.1), ("1", 0.4))
    top = [{"token": t, "logprob": math.log(p)} for t, p in shares]
    logprobs = {"content": [{"token": "2", "logprob": math.log(0.4), "top_logprobs": top}]}
    found = parsed(completion("2", choice={"logprobs": logprobs}), read_prompt("graded"), soft=True)
    assert found.value == pytest.approx(1.6)


@pytest.mark.parametrize(
    ("logprobs", "status"),
    [
        (None, "no_logprobs"),
        ({"content": None}, "no_logprobs"),
        ({"content": [{"token": "2", "logprob": -0.1}]}, "no_logprobs"),
        ({"content": [token("two", two=0.9, zwei=0.1)]}, "no_logprobs"),  # one token, and no label among its others
        ({"content": [token("Label", Label=0.9), token(":", _x=0.9), token("2", _2=0.9)]}, "many_tokens"),
    ],
)
def test_an_answer_of_several_tokens_has_no_soft_label(logprobs: Any, status: str) -> None:
    """Guards soft labels where they mean nothing: the answer is not one token, or there are no probabilities."""
    found = parsed(completion("2", choice={"logprobs": logprobs}), read_prompt("graded"), soft=True)
    assert (found.label, found.status) == (None, status)


def test_copies_are_told_by_their_text() -> None:
    """Guards the digest of a text: equal for equal texts alone."""
    texts = ["Label: 1", "Label: 1", "Label: 2"]
    a, b, c = (parsed(completion(text), read_prompt("graded")).alike for text in texts)
    assert a == b != c
    assert json.dumps(STATUSES)
