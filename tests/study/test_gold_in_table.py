"""Gold values in the table of the answers: a column of people's values, or the rows of one assessor."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import truegain as tg
from tests.cli.conftest import Run, commands, folder, run  # noqa: F401 (fixtures)
from truegain.errors import TruegainError
from truegain.io.columns import Coded
from truegain.io.logs.records import UNNAMED
from truegain.pooling.answers import no_values

T = 30


@pytest.fixture
def tables(folder: Path, commands: None) -> Path:  # noqa: F811
    """The same values: wide.csv has a column of people's, rows.csv has ann's rows, llm.csv and people.csv are apart."""
    rng = np.random.default_rng(5)
    wide, rows = ["system,topic,judge_model,faith,human"], ["system,topic,judge,judge_model,faith"]
    llm, people = ["system,topic,judge_model,faith"], ["system,topic,faith"]
    for system, gain in (("old", 0.0), ("new", 0.1)):
        for t in range(T):
            truth = rng.normal(0.5 + gain, 0.1)
            said = f"{truth + rng.normal(0.05, 0.05):.3f}"
            has = rng.random() < 0.5
            wide.append(f"{system},q{t},gpt,{said},{truth:.3f}" if has else f"{system},q{t},gpt,{said},")
            rows.append(f"{system},q{t},,gpt,{said}")
            llm.append(f"{system},q{t},gpt,{said}")
            if has:
                rows.append(f"{system},q{t},ann,,{truth:.3f}")
                people.append(f"{system},q{t},{truth:.3f}")
    for name, lines in (("wide", wide), ("rows", rows), ("llm", llm), ("people", people)):
        (folder / f"{name}.csv").write_text("\n".join(lines))
    return folder


def test_gold_in_the_table_is_gold_in_a_file_of_its_own(run: Run, tables: Path) -> None:  # noqa: F811
    """Guards --gold column:NAME and assessor:NAME of answers: no value of people's counts as the judge's."""
    told = []
    for words in ("llm.csv --score faith --gold people.csv", "wide.csv --score faith --gold column:human",
                  "rows.csv --score faith --gold assessor:ann"):  # fmt: skip
        code, out, err = run(*f"verdict {words} --design random --format json".split())
        assert code == 0, err
        (verdict,) = json.loads(out)["verdicts"]
        told.append([verdict[key] for key in ("outcome", "difference", "low", "high")])
    assert told[1] == told[2] == told[0]
    study = tg.Study(tg.read_items(tables / "wide.csv"), measures="faith", gold=tg.Gold("column:human", "random"))
    assert study.verdict("old", "new").low == pytest.approx(abs(told[0][2]))
    for command in ("judge check", "compare"):
        assert run(*f"{command} wide.csv --score faith --gold column:human --design random".split())[0] == 0


def test_a_column_of_peoples_values_is_no_models(run: Run, tables: Path) -> None:  # noqa: F811
    """Guards a table that names the model of its other scores: human values need nobody to check them."""

    def of(file: str, score: str) -> str:
        return run("verdict", file, "--score", score)[1]

    assert "no person has checked" not in of("wide.csv", "human")
    assert of("wide.csv", "faith").startswith("By gpt's labels")
    lines = (tables / "llm.csv").read_text().replace("faith", "human")
    (tables / "alone.csv").write_text(lines)
    assert of("alone.csv", "human").startswith("By gpt's labels")  # the only score: gpt's


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("column:humn", "there is no numeric column of that name; did you mean human? The other columns are: human"),
        ("column:zzzzz", "there is no numeric column of that name; the other columns are: human"),
        ("column:faith", "the study is about this score; the other columns are: human"),
        ("assessor:bob", "no value of faith is by an assessor of that name; there are gpt"),
    ],
)
def test_other_columns_are_refused(tables: Path, gold: str, said: str) -> None:
    """Guards against gold that is not there, or is the score itself."""
    with pytest.raises(TruegainError) as told:
        tg.Study(tg.read_items(tables / "wide.csv"), measures="faith", gold=tg.Gold(gold, "random"))
    assert said in str(told.value)
    assert gold in str(told.value)


def test_nuggets_have_peoples_assignments_in_rows(tmp_path: Path) -> None:
    """Guards the rows of an assessor among a model's assignments, and a column, which nuggets do not have."""
    rng, rows, apart = np.random.default_rng(2), [], {"llm": [], "ann": []}  # type: ignore[var-annotated]
    for t in range(T):
        for system, chance in (("old", 0.4), ("new", 0.7)):
            for n in range(4):
                truth = rng.random() < chance
                said = truth if rng.random() < 0.9 else not truth
                one = {"qid": f"q{t}", "system": system, "nugget": f"n{n}", "importance": "vital"}
                words = ["support" if x else "not_support" for x in (said, truth)]
                apart["llm"].append({**one, "assignment": words[0], "judge_model": "gpt"})
                rows.append({**apart["llm"][-1], "assessor": None})
                if n < 2:
                    apart["ann"].append({**one, "assignment": words[1], "assessor": "ann"})
                    rows.append({**apart["ann"][-1], "judge_model": None})
    for name, lines in (("rows", rows), *apart.items()):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    both = tg.Study(tg.read_nuggets(tmp_path / "rows.jsonl"), gold=tg.Gold("assessor:ann", "random"))
    alone = tg.Study(tg.read_nuggets(tmp_path / "llm.jsonl"), gold=tg.Gold(tmp_path / "ann.jsonl", "random"))
    assert both.verdict("old", "new").sentence == alone.verdict("old", "new").sentence
    with pytest.raises(TruegainError, match="must be rows, not a column"):
        tg.Study(tg.read_nuggets(tmp_path / "rows.jsonl"), gold=tg.Gold("column:ann", "random"))


def test_gold_of_an_assessor_leaves_values_to_be_corrected() -> None:
    """Guards tables whose values are all by the one assessor, by nobody, or by a model without a name."""
    rows = [{"system": s, "topic": f"q{t}", "faith": t / T} for s in ("old", "new") for t in range(T)]
    by_ann = tg.read_items([{**row, "assessor": "ann"} for row in rows])
    with pytest.raises(TruegainError, match="every value of faith is by ann; no values are left to be corrected"):
        tg.Study(by_ann, measures="faith", gold=tg.Gold("assessor:ann", "random"))
    with pytest.raises(TruegainError, match=r"\(give one of these after assessor:, or gold values in a separate"):
        tg.Study(by_ann, measures="faith", gold=tg.Gold("assessor:bob", "random"))
    unnamed = replace(tg.read_items(rows), judge=Coded.of([UNNAMED] * len(rows)))
    for items in (tg.read_items(rows), unnamed):
        with pytest.raises(TruegainError, match=r"values name none \(give gold values in a separate file\)$"):
            tg.Study(items, measures="faith", gold=tg.Gold("assessor:ann", "random"))
    lost = replace(tg.read_items(rows), value=np.full(len(rows), np.nan))
    assert "()" not in str(no_values(lost.take(np.arange(0)), "faith"))
