"""What a judge answered: a label of the scale, or a status that says why there is none.

A status is never a label: what was refused, cut off, empty or off the scale is missing, and is not 0.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truegain.llm.prompts import EDGES, Prompt, plain

OK = "ok"
REFUSED = "refused"  # the model, or a filter before it, would not answer
EMPTY = "empty"  # no text
LENGTH = "length"  # the limit of tokens came before the label, as where reasoning took it
OFF_SCALE = "off_scale"  # a number or word that is no label
UNPARSED = "unparsed"  # a text in which no label could be found
TOO_LONG = "too_long"  # the prompt was longer than the model takes
MANY_TOKENS = "many_tokens"  # soft labels: the answer was not one token
NO_LOGPROBS = "no_logprobs"  # soft labels: the answer came without probabilities
FAILED = "failed"  # the server did not answer
NOT_ASKED = "not_asked"  # the run ended before
NO_TEXT = "no_text"  # the topic or the document has no text
FINAL = (OK, TOO_LONG, NO_LOGPROBS)  # asking again would bring nothing else
STATUSES = {
    OK: "has a label",
    REFUSED: "the model or a filter refused",
    EMPTY: "the answer was empty",
    LENGTH: "the token limit came before the label",
    OFF_SCALE: "the label is not on the scale",
    UNPARSED: "no label in the answer",
    TOO_LONG: "the prompt is longer than the model takes",
    MANY_TOKENS: "the answer was not one token",
    NO_LOGPROBS: "the answer came without probabilities",
    FAILED: "the server did not answer",
    NOT_ASKED: "not asked yet",
    NO_TEXT: "no text to judge",
}
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_STILL_THINKING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_DECODER = json.JSONDecoder()
MOST_OBJECTS = 50  # that are looked at in a text
_AFTER_COLON = re.compile(r"^[^:=]{0,60}[:=]\s*(?P<value>[^:=]+)$")
REFUSALS = (  # how answers begin that refuse, in the languages that are met most
    r"i('| a)?m (very |so |really )?(sorry|unable|not able)", "sorry", r"i (can(no|')t|won't|will not|must decline)",
    "as an ai", "unfortunately", "lo siento", "no puedo", "d\u00e9sol", r"je (ne peux|suis d\u00e9sol)",
    "(es )?tut mir leid", "ich kann (das|dies|ihnen|dir|leider)", "desculpe", "n\u00e3o posso", "mi dispiace",
    "non posso", "\u62b1\u6b49", "\u5f88\u62b1\u6b49", "\u5bf9\u4e0d\u8d77", "\u7533\u3057\u8a33", "\u3054\u3081\u3093",
    "\uc8c4\uc1a1", "\u0438\u0437\u0432\u0438\u043d\u0438", "\u043f\u0440\u043e\u0441\u0442\u0438\u0442\u0435",
    "\u044f \u043d\u0435 \u043c\u043e\u0433\u0443", "\u0639\u0630\u0631", "\u0622\u0633\u0641",
)  # fmt: skip
_REFUSING = re.compile(rf"^\W*({'|'.join(REFUSALS)})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A label with its status; `label` is None where there is none.

    value: its number, which a soft label has between those of the scale; outside: the probability of words that are no
    labels; alike: a digest of the text, to tell copies.
    """

    label: str | None
    status: str
    value: float | None = None
    outside: float | None = None
    alike: bytes = b""


def parsed(answer: Mapping[str, Any], prompt: Prompt, soft: bool = False) -> Parsed:
    r"""The label in a whole answer of a server, as JSON has it.

    >>> from truegain.llm.prompts import read_prompt
    >>> def told(text, why="stop"):
    ...     answer = {"choices": [{"message": {"content": text}, "finish_reason": why}]}
    ...     found = parsed(answer, read_prompt("graded"))
    ...     return found.label, found.status
    >>> told('{"label": "2"}'), told("It is on topic.\n\n**Label: 1**"), told("\u8bc4\u5206\uff1a\uff13")
    (('2', 'ok'), ('1', 'ok'), ('3', 'ok'))
    >>> told("", "length"), told("Label: 7"), told("I'm sorry, I can't."), told("1 or 2")
    ((None, 'length'), (None, 'off_scale'), (None, 'refused'), (None, 'unparsed'))
    """
    choice = _first(answer.get("choices"))
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    text, why = content_of(message), choice.get("finish_reason")
    alike = hashlib.sha256(text.encode(errors="replace")).digest()[:8]
    if message.get("refusal") or why == "content_filter":
        return Parsed(None, REFUSED, alike=alike)
    text = (_THINKING.sub("", text) if "<" in text else text).strip()
    if not text or _STILL_THINKING.search(text):
        return Parsed(None, LENGTH if why == "length" else EMPTY if not text else UNPARSED, alike=alike)
    label, status = _label(text, prompt, cut=why == "length")
    if label is None:
        return Parsed(None, status, alike=alike)
    value = None if prompt.numbers is None else prompt.numbers[label]
    if not soft:
        return Parsed(label, OK, value, alike=alike)
    expected = soft_label(choice, prompt)
    if expected is None:
        return Parsed(None, MANY_TOKENS if _tokens(choice) else NO_LOGPROBS, alike=alike)
    return Parsed(label, OK, *expected, alike=alike)


def content_of(message: Mapping[str, Any]) -> str:
    """The text of a message, which some servers send in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return ""


def _first(choices: Any) -> Mapping[str, Any]:
    one = choices[0] if isinstance(choices, list) and choices else None
    return one if isinstance(one, Mapping) else {}


# ---- A label in a text: of a JSON object, or of the last line.


def _label(text: str, prompt: Prompt, cut: bool) -> tuple[str | None, str]:
    """The label that a text gives, or why it gives none; of a text that was cut off only a whole object counts."""
    known = prompt.known
    for value in _values(text):
        word = plain(f"{value:g}" if isinstance(value, float) else str(value))
        return (known[word], OK) if word in known else (None, OFF_SCALE)
    if cut:
        return None, LENGTH
    line = plain(next((x for x in reversed(text.splitlines()) if x.strip(EDGES)), ""))
    after = _AFTER_COLON.match(line)
    word = after["value"].strip(EDGES) if after else line.strip(EDGES)
    if word in known:
        return known[word], OK
    if re.fullmatch(r"-?\d+([.,/]\d+)?", word) or (after and line.startswith("label")):
        return None, OFF_SCALE if re.fullmatch(r"[-\w.,/]+", word) else UNPARSED
    return None, REFUSED if _REFUSING.match(text) else UNPARSED


def _values(text: str) -> Iterator[str | int | float]:
    """What JSON objects in a text have for a label, the last object first."""
    at = len(text)
    for _ in range(MOST_OBJECTS):
        at = text.rfind("{", 0, at)
        if at < 0:
            return
        try:
            whole = _DECODER.raw_decode(text, at)[0]
        except (ValueError, RecursionError):
            continue
        for name, value in whole.items():
            if name.strip().lower() == "label" and isinstance(value, str | int | float) and not isinstance(value, bool):
                yield value


# ---- Soft labels: the expected label under the probabilities of the answer's one token.


def _tokens(choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tokens of an answer that have probabilities."""
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    return [t for t in tokens or () if isinstance(t, Mapping) and isinstance(t.get("top_logprobs"), list)]


def _word(token: Mapping[str, Any]) -> str:
    """The text of a token; some servers show a blank before it as tokenizers write it."""
    return str(token.get("token", "")).strip().lstrip("\u0120\u2581")


def soft_label(choice: Mapping[str, Any], prompt: Prompt) -> tuple[float, float] | None:
    """The expected label, and the probability of what is no label; None where the answer is not one token.

    >>> from truegain.llm.prompts import read_prompt
    >>> top = [{"token": "2", "logprob": math.log(0.6)}, {"token": " 1", "logprob": math.log(0.2)}]
    >>> content = [{"token": "2", "logprob": math.log(0.6), "top_logprobs": top}]
    >>> [round(x, 6) for x in soft_label({"logprobs": {"content": content}}, read_prompt("graded"))]
    [1.75, 0.2]
    """
    texts = [t for t in _tokens(choice) if _word(t)]
    if len(texts) > 1 and _word(texts[-1]).startswith("<"):  # a mark of the end
        texts = texts[:-1]
    if prompt.numbers is None or len(texts) != 1:
        return None
    chance = dict.fromkeys(prompt.labels, 0.0)
    for top in texts[0]["top_logprobs"]:
        word = plain(_word(top))
        logprob = top.get("logprob")
        if word in prompt.known and isinstance(logprob, int | float):
            chance[prompt.known[word]] += math.exp(logprob)
    mass = sum(chance.values())
    if mass <= 0:
        return None
    return sum(prompt.numbers[label] * p for label, p in chance.items()) / mass, max(0.0, 1.0 - mass)
