"""Methods fit for a paper: what was done, in the form that was used, with every work that is cited."""

from __future__ import annotations

import re

import pytest

from tests.report import worlds
from tests.report.reading import Tag, read
from truegain.errors import MeasureError
from truegain.measures.catalogue import CATALOGUE, parse_measure
from truegain.report.citations import CITED, EXPONENTIAL, form_of
from truegain.report.facts import Facts
from truegain.report.gather import gather
from truegain.report.page.page import page
from truegain.report.references import PAPERS

CITATION = re.compile(
    r"([A-ZÀ-Ž][\w-]+)(?: et al\.|(?:, [A-ZÀ-Ž][\w-]+)*(?: and (?:van )?[A-ZÀ-Ž][\w-]+)?)? \(?(\d{4})"
)


def methods(facts: Facts) -> Tag:
    """The section of a page."""
    return read(page(facts)).one("section", id="methods")


def of_measures(*measures: str) -> Facts:
    """Three systems by some measures."""
    return worlds.plain(3, 0, measures)[1]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "facts",
    [
        lambda: worlds.with_gold()[1],
        lambda: worlds.rated()[1],
        lambda: of_measures("nDCG(dcg='exp-log2')@10", "RBP", "ERR@10", "Bpref"),
    ],
    ids=["gold", "ratings", "measures"],
)
def test_what_is_cited_is_listed(facts: object) -> None:
    """Guards references: whoever is named with a year stands in the list and in the BibTeX; and truegain itself."""
    assert callable(facts)
    found = methods(facts())
    listed = found.one("ul", class_="refs").text
    bibtex = found.one("pre").text
    text = found.text.partition("References")[0]
    cited = CITATION.findall(text)
    assert len(cited) >= 3
    for author, year in cited:
        assert re.search(rf"{author}[^;]*?\({year}\)", listed), (author, year)
        assert author in bibtex
    assert "The truegain developers" in listed
    assert "@misc{truegain," in bibtex


def test_ratings_are_said_to_have_become_one_label() -> None:
    """Guards the paper of a crowd: how many ratings, by whom, and by which rule they became a label."""
    _, facts = worlds.rated()
    said = methods(facts).text
    assert "2,880 ratings by 3 assessors, combined into one label per document by the rule mean" in said
    assert facts.labels == 2880
    assert "ratings" not in methods(worlds.plain(3)[1]).text


def test_measures_have_the_form_that_was_used() -> None:
    """Guards against help texts: the gain, the discount, p and the label from which a document is relevant."""
    said = methods(of_measures("P(rel=2)@5", "RBP(p=0.9)", "nDCG(dcg='exp-log2')@10", "DCG@10")).text
    assert "relevant from label 2 on" in said
    assert "P@5 = C(5) / 5" in said
    assert "p = 0.9" in said
    assert "the gain is 2^label - 1 (J" in said
    assert "the gain is the label (J" in said
    assert "dcg='" not in said.replace("nDCG(dcg='exp-log2')@10", "")
    assert "We compared 3 systems by P(rel=2)@5, RBP(p=0.9), nDCG(dcg='exp-log2')@10 and DCG@10 on 24 topics" in said


def test_draws_and_seed_are_told() -> None:
    """Guards what makes it repeatable: in the text for the paper, not among the options alone."""
    runs, judged = worlds.world(3)
    study = worlds.study_of(runs, judged, seed=7, resamples=200, population="topics,collection")
    said = methods(gather(study, runs, judged)).text
    assert "estimated from 200 bootstrap resamples of the documents" in said
    assert "2,000 to 20,000 draws" in said
    assert said.count("seed 7") == 2
    assert "2,000 permutations, seed 0" in methods(worlds.with_gold()[1]).text


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_measure_has_a_form(name: str) -> None:
    """Guards measures that no sentence of ours explains: a sentence, no help, and no k where there is a cutoff."""
    kind = CATALOGUE[name]
    text = f"{name}@10" if kind.NEEDS_AT else name
    try:
        found = form_of(parse_measure(text))
    except MeasureError:
        pytest.skip("needs parameters")
    assert len(found.words) > 15
    assert "='" not in found.words
    assert "None" not in found.words
    assert not kind.NEEDS_AT or not re.search(r"\bfirst k\b|@k\b|C\(k\)", found.words + found.formula)


def test_papers_of_measures_are_known() -> None:
    """Guards keys: each is a paper, and the text names its first author and year."""
    for key, said in [*(x for both in CITED.values() for x in both), EXPONENTIAL]:
        paper = PAPERS[key]
        assert said.endswith(str(paper.year))
        assert said.split()[0] in paper.authors
