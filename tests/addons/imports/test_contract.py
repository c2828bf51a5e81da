"""What holds of every format: each row or file that comes in is used, merged or left out, and changes no other."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import Material
from drretail.errors import UserError
from tests.addons.imports.foreign import text

Row = dict[str, Any]
NEW: Row = {"level": "info", "event": "restarted"}
"""What is no row of any format."""


def as_lines(folder: Path, rows: list[Row | str]) -> None:
    text(folder / "log.jsonl", "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))


def as_reports(folder: Path, rows: list[Row | str]) -> None:
    """Markdown in a folder for each place, so that a report that comes twice is a file of its own."""
    for place, row in enumerate(rows):
        of = {"report": ""} if isinstance(row, str) else row
        name = str(of.get("name", place))
        for field, ending in (("report", "md"), ("question", "q")):
            if field in of:
                text(folder / str(place) / "bot" / f"{name}.{ending}", of[field])


def as_tasks(folder: Path, rows: list[Row | str]) -> None:
    """DR³-Eval's queries in a file, and reports in folders."""
    as_lines(
        folder, [{key: row[key] for key in row if key != "report"} if isinstance(row, dict) else row for row in rows]
    )
    (folder / "log.jsonl").rename(folder / "query.jsonl")
    for place, row in enumerate(rows):
        if isinstance(row, dict) and "report" in row:
            text(folder / str(place) / "32k" / "bot" / str(row.get("number", place)) / "final_report.md", row["report"])


@dataclass(frozen=True)
class Case:
    """A format with its rows, and the columns without which a row is another thing, or nothing."""

    form: str
    row: Callable[[int], Row]
    needed: frozenset[str]
    write: Callable[[Path, list[Row | str]], None] = as_lines


def case(form: str, needed: str, row: Callable[[int], Row], write: Callable[..., None] = as_lines) -> Case:
    return Case(form, row, frozenset(needed.split()), write)


def said(at: int) -> list[Row]:
    return [{"role": "user", "content": f"Lamp {at}?"}, {"role": "assistant", "content": f"Lamp {at} is bright."}]


def who(at: int) -> Row:
    return {"user": f"u{at}", "time": f"2026-03-0{at + 1}"}


CASES: dict[str, Case] = {
    "messages": case("chat", "messages", lambda at: {"id": f"c{at}", "messages": said(at), "model": "m", **who(at)}),
    "no ids": case("chat", "messages", lambda at: {"messages": said(at), **who(at)}),
    "questions": case(
        "chat", "question answer", lambda at: {"id": f"c{at}", "question": f"{at}?", "answer": f"{at}.", **who(at)}
    ),
    "turns": case(
        "chat",
        "role content conversation_id",
        lambda at: {"conversation_id": f"c{at}", "role": "user", "content": f"Lamp {at}?", **who(at)},
    ),
    "exchanges": case(
        "chat",
        "request response",
        lambda at: {"id": f"c{at}", "request": said(at)[:1], "response": said(at)[1:]},
    ),
    "batches": case(
        "chat",
        "body response",
        lambda at: {"custom_id": f"c{at}", "body": {"messages": said(at)[:1]}, "response": {"body": said(at)[1]}},
    ),
    "langfuse": case(
        "chat",
        "input output traceId",
        lambda at: {"traceId": f"t{at}", "input": said(at)[0], "output": said(at)[1]},
    ),
    "langsmith": case(
        "chat",
        "inputs outputs run_type",
        lambda at: {"run_type": "llm", "id": f"r{at}", "inputs": {"messages": said(at)[:1]}, "outputs": said(at)[1]},
    ),
    "drb": case(
        "drb", "id prompt article", lambda at: {"id": at, "prompt": f"{at}?", "article": f"{at}.", "topic": "home"}
    ),
    "reporteval": case("reporteval", "topic report", lambda at: {"topic": f"{at}?", "report": f"{at}."}),
    "pdr": case(
        "pdr",
        "id taskid task query",
        lambda at: {"id": at, "taskid": at, "userid": f"u{at}", "task": f"{at}?", "query": f"{at}? User Persona: A"},
    ),
    "dr3": case(
        "dr3", "number query report", lambda at: {"number": f"00{at}", "query": f"{at}?", "report": f"{at}."}, as_tasks
    ),
    "markdown": case(
        "markdown",
        "name question report",
        lambda at: {"name": f"q{at}", "question": f"{at}?", "report": f"{at}."},
        as_reports,
    ),
}


def read(of: Case, rows: list[Row | str]) -> Material:
    with TemporaryDirectory() as folder:
        of.write(Path(folder), rows)
        return load_format(of.form).read(Path(folder))


def kept(material: Material) -> dict[str, Any]:
    """The tasks and reports by their keys, without the places of files."""
    reports = {f"{system}/{task}": replace(each, where="") for (system, task), each in material.reports.items()}
    return material.tasks | reports


def without(row: Row, column: str) -> Row:
    return {key: value for key, value in row.items() if key != column}


@settings(max_examples=20, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("of", CASES.values(), ids=CASES)
def test_what_is_wrong_with_one_row_is_said_and_changes_no_other(of: Case, data: st.DataObject) -> None:
    rows: list[Row | str] = [*map(of.row, range(data.draw(st.integers(3, 5))))]
    at = data.draw(st.integers(0, len(rows) - 1))
    change = data.draw(st.sampled_from(["twice", "reordered", "cut", "strange", *of.row(at)]))
    changed = [*rows]
    match change:
        case "twice":
            changed.insert(data.draw(st.integers(0, len(rows))), rows[at])
        case "reordered":
            changed = data.draw(st.permutations(changed))
        case "cut":
            changed[at] = json.dumps(rows[at])[: data.draw(st.integers(1, 12))]
        case "strange":
            changed[at] = NEW
        case column:
            changed[at] = without(of.row(at), column)
    after = read(of, changed)
    assert all(account.adds_up for account in after.accounts), after.accounts
    unused = sum(account.n_merged + account.n_left_out for account in after.accounts)
    if of.write is as_lines:
        assert after.rows.came == len(changed)
        assert unused == (change in ("cut", "strange") or (change == "twice" and of is not CASES["no ids"])) or (
            change in of.needed
        )
    else:
        assert unused or change not in ("twice", "cut")
    expected = kept(read(of, rows if change in ("twice", "reordered") else rows[:at] + rows[at + 1 :]))
    assert {key: value for key, value in kept(after).items() if key in expected} == expected


@pytest.mark.parametrize(("of", "column"), [(of, column) for of in CASES.values() for column in of.row(0)])
def test_a_missing_column_switches_off_itself_and_nothing_else(of: Case, column: str) -> None:
    rows: list[Row | str] = [*map(of.row, range(3))]
    before = read(of, rows)
    after = Material()
    with suppress(UserError):
        after = read(of, [without(of.row(at), column) for at in range(3)])
    assert all(account.adds_up for account in after.accounts), after.accounts
    texts = [
        sorted([*(task.text for task in each.tasks.values()), *(report.text for report in each.reports.values())])
        for each in (before, after)
    ]
    unused = sum(account.n_merged + account.n_left_out for account in after.accounts)
    assert (texts[0] == texts[1] and not unused) or column in of.needed


LAYOUTS: dict[str, Callable[[list[Row]], str]] = {
    "array": json.dumps,
    "printed array": lambda rows: json.dumps(rows, indent=2),
    "document": lambda rows: json.dumps({"meta": {"rows": 3}, "results": {"all": rows}}),
    "map": lambda rows: json.dumps({f"row {at}": row for at, row in enumerate(rows)}),
    "printed objects": lambda rows: "\n".join(json.dumps(row, indent=2) for row in rows),
    "lists on lines": lambda rows: f"{json.dumps(rows[:2])}\n{json.dumps(rows[2:])}\n",
}


@pytest.mark.parametrize("of", [of for of in CASES.values() if of.write is as_lines])
def test_rows_are_rows_however_the_file_holds_them(of: Case, tmp_path: Path) -> None:
    rows = [*map(of.row, range(3))]
    expected = kept(read(of, [*rows]))
    assert len(expected) >= 3
    for name, layout in LAYOUTS.items():
        material = load_format(of.form).read(text(tmp_path / "log.json", layout(rows)))
        assert [*kept(material).items()] == [*expected.items()], name
        assert len({report.where for report in material.reports.values()}) == len(material.reports), name
