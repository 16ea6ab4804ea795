"""The organizer's page as HTML: no script, no style, every field named, every text in both languages."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from tests.judging.organizing import AT, House
from tests.judging.walking import Time, rows, small_study
from truegain.judging.status import AgreementSoFar, Coefficient95, Insight, VerdictSoFar
from truegain.judging.store.database import Database, default_url
from truegain.judging.store.schema import assessors
from truegain.judging.study.study import People, Words
from truegain.judging.tasks.catalogue import task_of


class _Tags(HTMLParser):
    """All tags of a page with their attributes, and what is left open."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags_of(page: str) -> list[tuple[str, dict[str, str | None]]]:
    """The tags of a page, which closes all it opens."""
    found = _Tags()
    found.feed(page)
    assert found.open == []
    return found.tags


VERDICT = VerdictSoFar("bm25", "dense", "nDCG@10", 0.03, -0.006, 0.066, "inconclusive", "Whether ...", 60, 200)


@pytest.mark.few(1)
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_needs_no_script_and_no_style(tmp_path: Path, language: str) -> None:
    """Guards the strict policy and tables on a phone: no style, no script, tables with roles, every field named."""
    agreement = AgreementSoFar(
        "ratio", Coefficient95(0.33, 0.27, 0.39), {"t1": Coefficient95(0.1, 0.01, 0.15)},
        {"m1": Coefficient95(0.37, 0.28, 0.45), "m2": Coefficient95()}, {}, {}, 0.2,
    )  # fmt: skip
    refused = VerdictSoFar(why="verdict.refused", about="it is <so>")
    insight = Insight(lambda _: agreement, lambda _: (VERDICT, replace(VERDICT, outcome="better"), refused))
    database = Database(default_url(tmp_path))
    made = small_study(tmp_path, per_topic=3, task=task_of("magnitude"), people=People(pay=1, currency="EUR"))
    study = replace(made, words=Words("A <small> study", language))
    house = House(study, database, Time(), insight)
    house.sign_in()
    house.walk("w1")
    answers = [house.client.get(f"{AT}/")]
    person = rows(database, assessors)[0].id
    answers += [house.client.get(f"{AT}/assessors/{person}/exclude"), house.visitor().get(f"{AT}/sign-in")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "script-src" not in policy
        assert answer.headers["cache-control"] == "no-store"
        tags = tags_of(answer.text)
        names = {tag for tag, _ in tags}
        assert "script" not in names
        assert "style" not in names
        assert not any("style" in about or any(a.startswith("on") for a in about) for _, about in tags)
        labels = {about.get("for") for tag, about in tags if tag == "label"}
        for tag, about in tags:
            if tag in ("input", "textarea") and about.get("type") != "hidden" and "hidden" not in about:
                assert about["id"] in labels
            if tag in ("table", "thead", "tbody", "tr", "td"):
                assert about["role"] in ("table", "rowgroup", "row", "cell")
            if tag == "form":
                assert about["method"] == "post"
        ids = [about["id"] for _, about in tags if "id" in about]
        assert len(ids) == len(set(ids))
        assert answer.text.count('name="csrf"') == answer.text.count("<form")
        assert "{" not in answer.text, "a text that was not filled in"
        assert f'<html lang="{language}">' in answer.text
        assert "A &lt;small&gt; study" in answer.text
    text = answers[0].text
    decimal = {"en": ".", "de": ","}[language]
    assert f"+0{decimal}030" in text
    assert f"0{decimal}33" in text
    assert "it is &lt;so&gt;" in text
    assert ("below the usual one by 0.2 or more" if language == "en" else "um 0,2 oder mehr unter der üblichen") in text
    assert ("low agreement" if language == "en" else "geringe Übereinstimmung") in text
    database.close()


def flat(table: dict[str, object], above: str = "") -> dict[str, str]:
    """Wording by dotted name."""
    found: dict[str, str] = {}
    for name, value in table.items():
        found |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {above + name: str(value)}
    return found


def test_every_text_is_there_in_both_languages() -> None:
    """Guards translation: the same names, the same things filled in, nothing empty, and all that templates ask for."""
    folder = files("truegain.judging")
    english, german = (
        flat(tomllib.loads((folder / "texts" / f"organizer_{x}.toml").read_text(encoding="utf-8")))
        for x in ("en", "de")
    )
    assert set(english) == set(german)
    for name, text in english.items():
        assert text
        assert german[name]
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", german[name])), name
    names = [p.name for p in (folder / "templates").iterdir() if p.name.startswith("organizer")]
    asked = {
        found for name in names
        for found in re.findall(r'\bt\("([\w.]+)"[,)]', (folder / "templates" / name).read_text(encoding="utf-8"))
    }  # fmt: skip
    assert len(asked) > 60
    assert asked <= set(english)
