"""Text through spreadsheets and back. Also tests parsing.py. read_sheet: tests/querygen/test_reading.py."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drretail.errors import UserError
from drretail.parsing import guarded, read_cells, unguarded
from drretail.viewer.drawing.table import as_csv

CELLS = st.text(st.sampled_from("ab='+-@,;\"\n\t \uff1dé"), max_size=8)


WHOLE = ("=1+1", "'=1", "+1", "-1", "@x", "  =1", "\uff1d1", "=HYPERLINK(1)", '"=1', "\tx")
IN_PARTS = ("a;=1+1", "a\t=1+1", "a\n=1+1", "a\r\n@x", "\t=1", "\n=1", 'a; "=1', "a|-1", "a,+1", "a;'=1", "a;;=1")
HARMLESS = ("", "1 - 2", "'quoted'", "What = what?", "  ", "a | b\n|---|:---:|\nc")


def test_what_a_spreadsheet_would_calculate_is_guarded_whatever_a_cell_is_split_by_and_nothing_else() -> None:
    assert [guarded(text) for text in WHOLE] == [f"'{text}" for text in WHOLE]
    for text in WHOLE + IN_PARTS:
        parts = re.split(r"[,;|\t\r\n]", guarded(text))
        assert [part for part in parts if part.lstrip(' "')[:1] in tuple("=+-@")] == [], text
        assert unguarded(guarded(text)) == text.replace("\r\n", "\n"), text
    for text in HARMLESS:
        assert guarded(text) == unguarded(text) == text


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # each example writes the file anew
def test_cells_come_back_as_they_were(tmp_path: Path, rows: list[list[str]]) -> None:
    path = tmp_path / "sheet.csv"
    rows = [["one", "two"], *rows]
    path.write_bytes(as_csv(rows))
    assert read_cells(path) == rows


def test_csv_has_a_byte_order_mark_for_excel_and_numbers_below_zero() -> None:
    assert as_csv([["é", "b"]]) == b"\xef\xbb\xbf\xc3\xa9,b\r\n"
    assert as_csv([["-1", -0.25, -1e-05]]).decode("utf-8-sig") == "'-1,-0.25,-1e-05\r\n"


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbfone;two\r\n"a\nb";"c;d"\r\n',
        b'sep=;\r\none;two\r\n"a\r\nb";"c;d"\r\n',
        b'one,two\n"a\nb","c;d"\n',
        b'one\ttwo\r\n"a\nb"\tc;d\r\n',
        '\ufeffone\ttwo\r\n"a\nb"\tc;d\r\n'.encode("utf-16-le"),
    ],
)
def test_what_spreadsheets_save_is_read_whatever_its_separator_mark_and_line_ends(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(data)
    assert read_cells(path) == [["one", "two"], ["a\nb", "c;d"]]


@pytest.mark.parametrize(
    ("data", "message"), [(b"PK\x03\x04", "workbook"), ("é;".encode("cp1252"), "CSV UTF-8"), (b'one,"two', "no CSV")]
)
def test_other_files_are_refused_with_what_to_do(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(data)
    with pytest.raises(UserError, match=message):
        read_cells(path)
    with pytest.raises(UserError, match="does not exist"):
        read_cells(tmp_path / "none.csv")
