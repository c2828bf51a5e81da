"""The same systems in two experiments, each beside itself."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.compare.two_worlds import compare_beside
from drretail.eval.scoring import score
from drretail.progress import Progress
from tests.build import Reports, experiment
from tests.eval.own import STUB

A, B = "react@model", "hybrid@model"


def judged(folder: Path, systems: Mapping[str, Reports]) -> Path:
    experiment(folder, systems)
    asyncio.run(score(folder, (STUB,), (), progress=Progress()))
    return folder


def values(at: float) -> Reports:
    return {f"q{number}-r1": str(round(at + number / 100, 2)) for number in range(12)}


def test_a_system_is_paired_with_itself_query_by_query(tmp_path: Path) -> None:
    here = judged(tmp_path / "here", {A: values(0.8), B: values(0.5)})
    there = judged(tmp_path / "there", {A: values(0.3), B: values(0.5)})
    made = {it.a: it for it in compare_beside(here, there, metrics=[STUB])}
    assert {it.b for it in made.values()} == {f"{A}@there", f"{B}@there"}
    rows = {label: next(row for row in one.tables[0].rows if row.variant == "said") for label, one in made.items()}
    assert (rows[A].difference, rows[A].n_pairs, rows[A].outcome) == (pytest.approx(0.5), 12, "higher")
    assert (rows[B].difference, rows[B].n_pairs) == (0, 12)


def test_one_system_may_be_named_and_what_nothing_shares_is_told(tmp_path: Path) -> None:
    here = judged(tmp_path / "here", {A: values(0.8), B: values(0.5)})
    there = judged(tmp_path / "there", {A: values(0.3), B: values(0.5)})
    other = judged(tmp_path / "other", {A: {"q77-r1": "0.5"}})
    assert [it.a for it in compare_beside(here, there, "react", metrics=[STUB])] == [A]
    with pytest.raises(UserError, match="share no system, or no query"):
        compare_beside(here, other, metrics=[STUB])
    with pytest.raises(UserError, match="is the experiment itself"):
        compare_beside(here, here, metrics=[STUB])
