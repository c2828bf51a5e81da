"""Values that others computed are compared by the same test and gate, whatever file they are in."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

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


def as_inspect(folder: Path, rows: Rows = ROWS) -> Path:
    (folder / "logs").mkdir()
    for name in ("old", "new"):
        samples = [
            {
                "id": query,
                "epoch": repeat,
                "metadata": {"user_id": user},
                "scores": None if value is None else {"value": {"value": "CI"[value < 1]}},
            }
            for system, query, user, repeat, value in rows
            if system == name
        ]
        with ZipFile(folder / "logs" / f"{name}.eval", "w") as archive:
            archive.writestr("header.json", json.dumps({"version": 2, "eval": {"model": name, "task": "shop"}}))
            archive.writestr("summaries.json", json.dumps(samples))
    return folder / "logs"


def as_promptfoo(folder: Path, rows: Rows = ROWS) -> Path:
    results: list[dict[str, Any]] = [
        {
            **{"testIdx": query, "promptIdx": 0, "prompt": {"label": "p", "raw": "Q"}, "success": True},
            **{"provider": {"id": system}, "vars": {"user": user}, "score": value or 0, "namedScores": {}},
            "failureReason": 2 if value is None else 0,
        }
        for system, query, user, _, value in rows
    ]
    path = folder / "results.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}))
    return path


@pytest.mark.parametrize("written", [as_csv, as_inspect, as_promptfoo])
def test_every_form_has_the_same_test_over_users_and_the_same_gate(tmp_path: Path, written: Any) -> None:
    found = compare(
        written(tmp_path), "old", "new", fail_if="score:drop=.2" if written is as_promptfoo else "value:drop=.2"
    )
    (row,) = found.comparison.tables[0].rows
    reference = compare(as_csv(tmp_path), "old", "new").comparison.tables[0].rows[0]
    assert (row.difference, row.ci_low, row.p, row.n_pairs, row.n_users) == (
        reference.difference, reference.ci_low, reference.p, 40, 12,
    )  # fmt: skip
    assert row.outcome == "lower"
    assert found.gates[0].state == "fails"
    assert found.result().code == 4
    assert found.comparison.conclusions[0].startswith("B is above A in")


@pytest.mark.parametrize("written", [as_csv, as_inspect, as_promptfoo])
def test_of_runs_that_failed_no_form_has_a_value(tmp_path: Path, written: Any) -> None:
    rows = [(*row[:4], None) if row[0] == "new" and row[1] < "q14" else row for row in ROWS]
    (conclusion,) = compare(written(tmp_path, rows), "old", "new").comparison.conclusions
    assert conclusion.endswith("6 of 40 queries lack a value: 6 no value in the file.")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("s.csv", "system,query\na,b\n", "has no column value"),
        ("s.csv", "system,query,value\na,b,many\n", "row 2: 'many' is no number"),
        ("s.json", "{}", "no log of inspect and no JSON of promptfoo's"),
        ("s.json", "no", "cannot be read"),
        ("s.json", "[" * 100_000, "nested deeper than 200 levels"),
        ("s.eval", "no", "cannot be read"),
    ],
)
def test_what_holds_no_values_is_a_sentence(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=told):
        compare(tmp_path / name)


def test_options_about_verdicts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds values alone"):
        compare(as_csv(tmp_path), by="web")
