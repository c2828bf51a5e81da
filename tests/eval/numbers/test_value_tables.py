"""Values that others computed are compared by the same test and gate."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from drretail import compare
from drretail.errors import UserError

Rows = Sequence[tuple[str, str, str, int, float | None]]
"""System, query, user, repeat and value; None for a run that failed."""
ROWS: Rows = [
    (system, f"q{query}", f"u{query % 12}", repeat, float(random.Random(f"{system}{query}{repeat}").random() < share))
    for query in range(40)
    for repeat in (1, 2)
    for system, share in (("old", 0.5), ("new", 0.9))
]


def as_csv(folder: Path, rows: Rows = ROWS) -> Path:
    lines = [",".join(map(str, row)) for row in rows if row[-1] is not None]
    path = folder / "scores.csv"
    path.write_text("\n".join(["system,query,user,repeat,value", *lines, ""]))
    return path


def test_a_table_has_the_test_over_users_and_the_gate(tmp_path: Path) -> None:
    found = compare(as_csv(tmp_path), "old", "new", fail_if="value:drop=.2")
    (row,) = found.comparison.tables[0].rows
    assert (row.n_pairs, row.n_users, row.outcome) == (40, 12, "lower")
    assert (found.gates[0].state, found.result().code) == ("fails", 4)
    assert found.comparison.conclusions[0].startswith("B is above A in")


def test_runs_that_failed_have_no_value(tmp_path: Path) -> None:
    rows = [(*row[:4], None) if row[0] == "new" and row[1] < "q14" else row for row in ROWS]
    (conclusion,) = compare(as_csv(tmp_path, rows), "old", "new").comparison.conclusions
    assert conclusion.endswith("6 of 40 queries lack a value: 6 no value in the file.")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("s.csv", "system,query\na,b\n", "has no column value"),
        ("s.csv", "system,query,value\na,b,many\n", "row 2: 'many' is no number"),
        ("s.csv", "system,query,value\na,b,nan\n", "row 2: 'nan' is no number"),
    ],
)
def test_what_holds_no_values_is_a_sentence(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=told):
        compare(tmp_path / name)


def test_options_about_verdicts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds values alone"):
        compare(as_csv(tmp_path), by="web")
