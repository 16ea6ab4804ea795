"""What a judge answered: a label of the scale, or a status that says why there is none.

A status is never a label: what was refused, cut off, empty or off the scale is missing, and is not 0.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truegain.io.columns import number_of
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
DIGITS = 12  # of soft labels: those after it are of rounding
_OPENS = re.compile(r'\{\s*"')  # as a JSON object does, unlike braces in prose
_KEYED = re.compile(r"^(?P<key>[^:=]{0,60})[:=]\s*(?P<value>[^:=]+)$")
_ASIDE = re.compile(r"^\d+[.)]|\([^()]*\)")  # the number of a point, and what is in brackets
WORDS = (  # what a last line may call its label; whatever else stands before a colon is no label
    "label score rating answer winner verdict grade relevance judgment judgement "
    "note bewertung antwort gewinner etikett etiqueta puntuaci\u00f3n calificaci\u00f3n respuesta ganador "
    "\u00e9tiquette r\u00e9ponse gagnant etichetta punteggio voto risposta vincitore "
    "r\u00f3tulo nota resposta vencedor "
    "\u6807\u7b7e \u8bc4\u5206 \u5206\u6570 \u7b54\u6848 \u83b7\u80dc\u8005 \u30e9\u30d9\u30eb \u8a55\u4fa1 "
    "\u30b9\u30b3\u30a2 \u52dd\u8005 \ub808\uc774\ube14 \uc810\uc218 \u043c\u0435\u0442\u043a\u0430 "
    "\u043e\u0446\u0435\u043d\u043a\u0430 \u043e\u0442\u0432\u0435\u0442 "
    "\u0627\u0644\u062a\u0635\u0646\u064a\u0641 \u0627\u0644\u062f\u0631\u062c\u0629 \u0932\u0947\u092c\u0932"
)
AROUND = frozenset(  # words beside it that tell nothing
    (
        "so",
        "my",
        "the",
        "this",
        "final",
        "overall",
        "document",
        "is",
        "for",
        "therefore",
        "thus",
        "hence",
        "would",
        "be",
    )
)
KEYS = frozenset(WORDS.split())
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
        return Parsed(None, MANY_TOKENS if len(_words(choice)) > 1 else NO_LOGPROBS, alike=alike)
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
    values = _values(text)
    if values:
        value = values[-1]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None, UNPARSED
        is_whole = isinstance(value, float) and value.is_integer()
        label = _on_scale(plain(f"{value:.0f}" if is_whole else str(value)), prompt)
        return label, OFF_SCALE if label is None else OK
    if cut:
        return None, LENGTH
    lines = [plain(x) for x in text.splitlines() if x.strip(EDGES)] or [""]
    keyed = [(_KEYED.match(line), line) for line in lines]
    line_of_label = next((pair for pair in reversed(keyed) if pair[0] and "label" in _key(pair[0])), None)
    after, line = line_of_label or keyed[-1]
    word = (after["value"] if after else line).strip(EDGES)
    if after is None or _key(after):
        label = _on_scale(word, prompt)
        if label is not None:
            return label, OK
        if re.fullmatch(r"-?\d+([.,/]\d+)?", word) or (line_of_label and re.fullmatch(r"[-\w.,/]+", word)):
            return None, OFF_SCALE
    return None, REFUSED if _REFUSING.match(text) else UNPARSED


def _key(line: re.Match[str]) -> frozenset[str]:
    """What a line calls the value after its colon, where that can be a label; else nothing.

    >>> [sorted(_key(_KEYED.match(line))) for line in ("so_my_final_grade_is: 2", "confidence: 1", "label (0_3): 2")]
    [['grade'], [], ['label']]
    """
    words = (w.strip(EDGES) for w in re.split(r"[\s_,\-]+", _ASIDE.sub("", line["key"])))
    named = frozenset(w for w in words if w and w not in AROUND)
    return named if named <= KEYS else frozenset()


def _on_scale(word: str, prompt: Prompt) -> str | None:
    """The label that a word is: by its letters, or where labels are numbers by its number, as 2.0 is 2."""
    if word in prompt.known or prompt.numbers is None:
        return prompt.known.get(word)
    number = number_of(word)
    return next((label for label, x in prompt.numbers.items() if x == number), None)


def _values(text: str) -> list[Any]:
    """What the JSON objects in a text have for a label, in their order; objects inside others do not count."""
    values, at = list[Any](), text.find("{")
    while at >= 0:
        try:
            whole, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            if not _OPENS.match(text, at):
                at = text.find("{", at + 1)
                continue
            whole, closed = {}, _end_of(text, at)
            if closed is None:  # it was cut off: what stands inside is not the answer
                break
            end = closed
        values += [value for name, value in whole.items() if name.strip().lower() == "label"][-1:]
        at = text.find("{", end)
    return values


def _end_of(text: str, start: int) -> int | None:
    """Where the brackets that open at a place are closed; None where they are not."""
    depth = 0
    for brace in re.finditer(r"[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return start + brace.end()
    return None


# ---- Soft labels: the expected label under the probabilities of the answer's one token.


def _tokens(choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tokens of an answer that have probabilities."""
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    return [t for t in tokens or () if isinstance(t, Mapping) and isinstance(t.get("top_logprobs"), list)]


def _word(token: Mapping[str, Any]) -> str:
    """The text of a token; some servers show a blank before it as tokenizers write it."""
    return str(token.get("token", "")).strip().lstrip("\u0120\u2581")


def _words(choice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tokens of an answer that have a text, without a mark of the end."""
    texts = [t for t in _tokens(choice) if _word(t)]
    return texts[:-1] if len(texts) > 1 and _word(texts[-1]).startswith("<") else texts


def soft_label(choice: Mapping[str, Any], prompt: Prompt) -> tuple[float, float] | None:
    """The expected label, and the probability of what is no label; None where the answer is not one token.

    >>> from truegain.llm.prompts import read_prompt
    >>> top = [{"token": "2", "logprob": math.log(0.6)}, {"token": " 1", "logprob": math.log(0.2)}]
    >>> content = [{"token": "2", "logprob": math.log(0.6), "top_logprobs": top}]
    >>> [round(x, 6) for x in soft_label({"logprobs": {"content": content}}, read_prompt("graded"))]
    [1.75, 0.2]
    """
    texts = _words(choice)
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
    expected = sum(prompt.numbers[label] * p for label, p in chance.items()) / mass
    return round(expected, DIGITS), max(0.0, 1.0 - mass)
