"""Pairs of twins by system."""

import asyncio
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.compare.twins import twin_rows
from drretail.eval.scoring import score
from drretail.experiment import reference_path
from drretail.files import write_json
from drretail.progress import choose_progress
from drretail.records.query import Proof, Query, Reference, WantedThing
from drretail.records.reading import Outcome
from drretail.records.wish import Want, Wish
from drretail.viewer.tables.ablations import twin_table
from tests import build

WISH = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),))
DECIDED = {
    "honest": ("none", "buy", "none", "buy"),
    "quitter": ("none", "none", "none", "none"),
    "late": ("buy", "none"),
}
"""What each system decides on q1 (proved), q2 (its twin), q3 (proved), q4 (its twin)."""


def folder(path: Path, *, tasks: bool = True) -> Path:
    queries = tuple(
        Query(query_id=f"q{n}", text="?", source="t", wish=WISH, task_id=f"t{(n + 1) // 2}" if tasks else None)
        for n in range(1, 5)
    )
    runs = {
        label: {
            f"q{n}-r1": build.run(f"q{n}-r1", picks=(), label=label, outcome=Outcome.model_validate({"decision": it}))
            for n, it in enumerate(decisions, start=1)
        }
        for label, decisions in DECIDED.items()
    }
    build.experiment(path, runs, queries=queries)
    for n in range(1, 5):
        proof = Proof(state="proved", lack="owned") if n % 2 else Proof(state="refuted")
        reference = Reference(query_id=f"q{n}", things=(WantedThing(name="feeder"),), proof=proof)
        write_json(reference_path(path, f"q{n}"), reference.model_dump(mode="json", exclude_none=True))
    return path


def judged(path: Path) -> Path:
    asyncio.run(score(path, ["outcome"], [], progress=choose_progress("none")))
    return path


def test_a_row_says_how_each_system_decided_its_pairs(tmp_path: Path) -> None:
    rows = {row.system: row for row in twin_rows(judged(folder(tmp_path / "exp")))}
    assert (rows["honest"].right, rows["honest"].j) == (2, 1.0)
    assert (rows["quitter"].refused_both, rows["quitter"].j, rows["quitter"].p) == (2, 0.0, 1.0)
    assert (rows["late"].reversed, rows["late"].missing, rows["late"].j) == (1, 1, -1.0)
    shown = {row.name: [cell and cell.text for cell in row.cells] for row in twin_table(list(rows.values())).rows}
    assert shown["quitter"] == ["0", "2", "0", "0", "0", "0.00", "1.000"]


def test_without_pairs_it_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="queries spoil"):
        twin_rows(judged(folder(tmp_path / "exp", tasks=False)))
    with pytest.raises(UserError, match="--metrics outcome"):
        twin_rows(folder(tmp_path / "other"))
