"""Hostile and broken files are told in one sentence that says where."""

import gzip
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.imports import rows
from drretail.imports.formats import load_format
from drretail.imports.material import LONGEST_REPORT
from tests.imports.foreign import drb, jsonl, text


def refused(form: str, path: Path, match: str) -> None:
    with pytest.raises(UserError, match=match) as raised:
        load_format(form).read(path)
    assert "\n" not in str(raised.value)


def test_a_broken_line_is_named_by_its_number(tmp_path: Path) -> None:
    path = drb(tmp_path / "a.jsonl", "One.", "Two.")
    path.write_text(path.read_text() + '{"id": 3, "prompt": "cut\n', encoding="utf-8")
    refused("drb", path, r"a\.jsonl, line 3, is not JSON")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b'[\n{"id": 1,\n"prompt": }]', "is not JSON: .*line 3"),
        (b"\n<!DOCTYPE html><html>Sign in</html>", "page of the web"),
        (b'{"id": 1, "prompt": "\xff"}', "not in UTF-8"),
        (b"[" * 200_000, "not JSON"),
        (b'{"id": 1, "prompt": "Q?", "article": {"a": 1}}', "'article' is no text"),
    ],
)
def test_what_is_no_file_of_rows_is_told(content: bytes, match: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(content)
    refused("drb", tmp_path / "a.json", match)


def test_what_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LARGEST", 1_000_000)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * 5_000_000))
    refused("drb", path, "more than 1,000,000 bytes")


ROW = {"id": 1, "prompt": "Q?", "article": "One."}


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([ROW | {"article": "x" * (LONGEST_REPORT + 1)}], "line 1: a report has 1,000,001 characters"),
        ([ROW, ROW | {"article": "Two."}], "line 2: .* another report by a in"),
        ([ROW, ROW | {"prompt": "R?"}], "another question"),
        *(([ROW | {"id": strange}], "line 1 has no id") for strange in (None, True, [1], "")),
    ],
)
def test_rows_that_are_no_reports_of_one_task_each_are_refused(
    rows: list[dict[str, object]], match: str, tmp_path: Path
) -> None:
    refused("drb", jsonl(tmp_path / "a.jsonl", rows), match)


def test_the_same_row_twice_is_counted(tmp_path: Path) -> None:
    assert load_format("drb").read(jsonl(tmp_path / "b.jsonl", [ROW, ROW])).repeated == 1


@pytest.mark.parametrize("form", ["drb", "drg", "reporteval", "dr3", "liveresearch", "deepshop", "agenticshop", "pdr"])
def test_a_folder_without_such_files_is_refused(form: str, tmp_path: Path) -> None:
    text(tmp_path / "x.pkl", "")
    refused(form, tmp_path, "holds no file")
