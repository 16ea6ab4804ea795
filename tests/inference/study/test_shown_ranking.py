"""A ranking that shows itself, and what a study is made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from truegain.inference.study.contrasts import Contrasts
from truegain.inference.study.material import Given
from truegain.inference.study.moves import Moves
from truegain.inference.study.ranking import Ranking
from truegain.tables.judgments import Judgments

Lists = dict[str, dict[str, dict[str, float]]]


def ranking(ahead: list[tuple[int, int]], n: int) -> Ranking:
    """Systems s0, s1, ..., best first, with pairs (better, worse) that are told apart."""
    sure = np.zeros((n, n), np.bool_)
    for better, worse in ahead:
        sure[better, worse] = True
    names = tuple(f"s{i}" for i in range(n))
    return Ranking.of(names, np.linspace(0.9, 0.1, n), sure, measure="AP", confidence=0.9, notes=("a note",))


@pytest.mark.parametrize(
    ("ahead", "n", "said"),
    [
        ([], 3, "Any of the 3 systems may be best on AP: none is told apart from the best (90%, all 3 pairs at once)."),
        ([(0, 1)], 2, "Only s0 may be best on AP; the other one is worse (90%, the pair)."),
        (
            [(0, 2), (1, 2), (0, 3)],
            4,
            "2 of 4 systems may be best on AP: s0 and s1; each of the others is worse than some other system "
            "(90%, all 6 pairs at once).",
        ),
    ],
)
def test_the_sentence_names_who_may_be_best(ahead: list[tuple[int, int]], n: int, said: str) -> None:
    """Guards the words: all, one, some; a system none is surely better than is always named."""
    assert ranking(ahead, n).sentence == said


def test_long_lists_are_counted() -> None:
    """Guards the sentence of many systems: ten are named, the rest counted, the table has all."""
    made = ranking([(0, 19)], 20)
    assert "19 of 20 systems may be best on AP: s0, s1" in made.sentence
    assert "s9 and 9 more; the other one is worse" in made.sentence
    table = made.table()
    assert table.columns == ("system", "AP", "rank from", "rank to", "tier")
    assert table.rows[0] == ("s0", 0.9, 1, 19, 1)
    assert table.rows[-1][2:] == (2, 20, 2)
    assert str(made).startswith(made.sentence)
    assert str(made).endswith("a note")
    assert made.to_dict()["best"] == list(made.best)


def study_of(labels: dict[str, dict[str, int]], runs: Lists, measure: str = "P@2", **options: object) -> tg.Study:
    """A study of few topics, of which nothing is told."""
    with pytest.warns(tg.DataWarning):
        return tg.Study(runs, labels, measure, **options)  # type: ignore[arg-type]


def lists(depth: int, short: int = 0) -> Lists:
    """Two systems over four topics; the first list of the first system may be shorter."""
    made: Lists = {s: {str(t): {f"d{i}": float(i % (2 + t) + w) for i in range(depth)} for t in range(4)}
                   for s, w in (("a", 0), ("b", 1))}  # fmt: skip
    if short:
        made["a"]["0"] = {f"d{i}": float(-i) for i in range(short)}
    return made


def test_unjudged_documents_are_counted_as_a_loop_does() -> None:
    """Guards the count behind the note of a ranking: by a loop over both lists, to the cutoff."""
    labels = {str(t): {f"d{i}": int(i > 2) for i in range(0, 6, 1 + t % 2)} for t in range(4)}
    runs = lists(6)
    study = study_of(labels, runs)
    holes = dict.fromkeys(runs, 0)
    for s, found in runs.items():
        for t, row in found.items():
            top = sorted(row, key=lambda d: (row[d], d), reverse=True)[:2]
            holes[s] += sum(d not in labels[t] for d in top)
    material, m = study._material, study.measures[0]
    assert material.unjudged(m) == (sum(holes.values()), 16)
    assert material.unjudged(m, [1]) == (holes["b"], 8)
    assert any(f"{sum(holes.values())} of the 16 documents" in note for note in study.best().notes)


def test_only_runs_that_were_cut_are_too_shallow() -> None:
    """Guards collections: one short list in a deep run found no more; a run all of whose lists are short was cut."""
    labels = {str(t): {f"d{i}": int(i % 3 == 0) for i in range(8)} for t in range(4)}
    study_of(labels, lists(8, short=3), generalise_to=["topics", "collection"]).lattice()
    cut = study_of(labels, lists(3), generalise_to=["topics", "collection"])
    with pytest.raises(tg.TruegainError, match=r"needs lists of 4 documents, and 2 of 2 runs hold no more than 3"):
        cut.lattice()


def test_two_of_many_files_are_found_by_name(tmp_path: Path) -> None:
    """Guards the reading of a pair again: names that hold one another are not mixed up, other files are not read."""
    runs = {name: lists(6)["a"] for name in ("a", "ab", "b")}
    tg.write_runs(runs, f"{tmp_path}/")
    (tmp_path / "zz.run").write_text("no run at all\n")
    paths = [str(p) for p in sorted(tmp_path.iterdir(), reverse=True)]
    two = Given(paths).two("ab", "b", Judgments.of({"0": {"d0": 1}}))
    assert two.systems == ("ab", "b")


def test_what_is_left_without_a_unit() -> None:
    """Guards moves that know the scores without each unit: exactly those, and None where nothing was fitted again."""
    without = np.array([[0.5, 0.6], [0.4, 0.7], [0.5, 0.5]])
    moves, asked = Moves.left_out("topics", ("1", "2", "3"), without), Contrasts.of([(0, 1)])
    named = [unit for unit, _ in moves.decisive(asked)]
    left = dict(zip(named, moves.left_without(asked), strict=True))
    assert left == pytest.approx({"1": 0.1, "2": 0.3, "3": 0.0})
    assert set(Moves("gold", ("1", "2", "3"), moves.matrix, 2.0).left_without(asked)) == {None}
