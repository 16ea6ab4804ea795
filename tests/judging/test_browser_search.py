"""The search that goes over the wire of every visit in a browser, on answers with one fault of each kind."""

from __future__ import annotations

from pathlib import Path

from tests.judging.browsing import Exchange
from tests.judging.wire import strayed, told_early
from truegain.judging.study.simulated import simulated_study


def test_what_is_told_early_is_found(tmp_path: Path) -> None:
    """Guards the search of the wire: a later document, ids, a code, a marked option, a page out of its turn."""
    study = simulated_study(tmp_path / "study", topics=1, docs=8, judgments=1)
    one, other, *_ = study.documents.values()
    shown = f'<article class="card doc">{_paragraphs(one.text)}</article>'
    policy = "content-security-policy: default-src 'none'; style-src 'self'"

    def faults(body: str, path: str = "doc/1", headers: str = policy) -> list[str]:
        answer = Exchange("GET", f"http://a/u/t/{path}", 200, headers, body, "text/html")
        return [*strayed([answer], "http://a"), *told_early([answer], study)]

    options = [f'<label class="pick"><input type="radio" name="choice" value="{n:012x}"><span>{n}</span></label>'
               for n in range(4)]  # fmt: skip
    assert faults(shown + "".join(options)) == []
    assert faults(shown, "doc/2") == ["served before the one before it: http://a/u/t/doc/2"]
    for body, fault in (
        (shown + _paragraphs(other.text), f"text of {other.id}"),
        (shown.replace(". ", "! "), "no document of ours"),
        (f"{shown}<i id='{other.id}'>", f"id {other.id}"),
        (f"{shown} {study.units[0].id}", f"unit {study.units[0].id}"),
        (f"{shown} ABCD-EFGH-2345-WXYZ", "a code"),
        (shown + options[0] + options[1].replace("<input", "<input data-a"), "options that differ"),
        (f"{shown} wait 20 seconds", "the word 'seconds'"),
    ):
        assert any(found.startswith(fault) for found in faults(body)), fault
    assert faults(shown, headers="server: x") == ["no policy: http://a/u/t/doc/1"]
    assert strayed([Exchange("GET", "https://b/x", 200, policy, "", "")], "http://a") == ["asked for https://b/x"]


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{p}</p>" for p in text.split("\n\n"))
