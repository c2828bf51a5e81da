"""What a file holds is told from its rows; in chunks every line comes once, whole, and numbered rightly."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.data_ingest.engines.duckdb_reading import LONGEST_LINE, count_lines, read_chunks
from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.raw.lines import recognise
from drretail.errors import UserError
from tests.data_ingest.raw_rows import (
    START,
    hugging_face,
    product_row,
    review_row,
    reviews_of,
    write_array,
    write_lines,
)

REVIEW = review_row("A1", "B1", START)
MAPPING = {"B1": {"title": "Comb", "average_rating": 4.0}, "B2": {"title": "Brush"}}


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "meta_x.txt.gz"])
def test_products_and_reviews_are_told_apart_whatever_the_file_is_called(tmp_path: Path, name: str) -> None:
    for row, shape in (
        (product_row("B1"), "products"),
        (hugging_face(product_row("B1")), "products"),
        (REVIEW, "reviews"),
    ):
        source = recognise(write_lines(tmp_path / name, [row]))
        assert (source.shape, source.layout, source.packed) == (shape, "lines", name.endswith("gz"))
        renamed = recognise((tmp_path / name).rename(tmp_path / "x"))
        assert (renamed.shape, renamed.packed) == (shape, name.endswith("gz")), "without its ending"


def test_arrays_and_mappings_are_recognised_indented_or_not(tmp_path: Path) -> None:
    source = recognise(write_array(tmp_path / "a.jsonl", [REVIEW]))
    assert (source.shape, source.layout) == ("reviews", "array")
    for indent in (None, 2):
        path = tmp_path / "m.json"
        path.write_text(json.dumps(MAPPING, indent=indent))
        source = recognise(path)
        assert (source.shape, source.layout) == ("products", "mapping")


def test_broken_first_lines_do_not_hide_what_follows(tmp_path: Path) -> None:
    marked = "\ufeff" + json.dumps(REVIEW)
    for rows in (['{"cut', "", "[1]", REVIEW], ["[1]", "[2]", REVIEW], ['{"cut', "", "{}", REVIEW], [marked]):
        assert recognise(write_lines(tmp_path / "x.jsonl", rows)).shape == "reviews"


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"user_id": "A1", "category": "Books", "history": []}, "user_id, category, history"),
        ({"user_id": "A1", "review": "x", "product": product_row("B1")}, "user_id, review, product"),
        ({"product": product_row("B1")}, "product"),
        ({"format": 1, "a": {"title": "x"}}, "format, a"),
    ],
)
def test_other_rows_are_unknown_and_say_their_fields(tmp_path: Path, row: dict[str, object], why: str) -> None:
    # Two lines, because the third row alone reads like a mapping of one product with the id "product".
    path = write_lines(tmp_path / "x.jsonl", [row, row])
    source = recognise(path)
    assert source.shape == "unknown"
    assert why in (source.why or "")


def test_text_images_and_nothing_are_no_rows(tmp_path: Path) -> None:
    for content, shape in ((b"# Notes", "unknown"), (b"\x89PNG\r\n", "unknown"), (b"", "empty"), (b" \n\n", "empty")):
        path = tmp_path / "x.jsonl"
        path.write_bytes(content)
        assert recognise(path).shape == shape


def test_a_packed_file_that_is_cut_is_named(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl.gz", [REVIEW])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UserError, match=r"x\.jsonl\.gz ends too early: download it again"):
        recognise(path)


@given(lines=st.lists(st.binary(max_size=400), max_size=60), size=st.integers(1, 500), packed=st.booleans())
def test_chunks_put_together_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int, packed: bool
) -> None:
    data = b"\n".join(line.replace(b"\n", b" ") for line in lines)
    path = tmp_path_factory.mktemp("chunks") / "file"
    path.write_bytes(gzip.compress(data) if packed else data)
    events: list[int] = []
    found, place = [], 0
    for chunk in read_chunks(path, packed, events.append, size):
        assert chunk.place == place
        assert count_lines(path, packed, place) == data[:place].count(b"\n")
        found.append(chunk.path.read_bytes())
        assert len(found[-1]) == chunk.size
        place += chunk.size
    assert b"".join(found) == data
    assert all(part.endswith(b"\n") for part in found[:-1])
    assert max(events, default=0) == path.stat().st_size


def test_a_line_that_is_no_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * (2 * LONGEST_LINE))
    with pytest.raises(UserError, match="line of more than 15 MB"):
        list(read_chunks(path, False, lambda _place: None, 1 << 20))


def test_bad_lines_are_numbered_over_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.data_ingest.engines.duckdb_reading.read_chunks.__defaults__", (500,))
    write_lines(tmp_path / "raw" / "meta_Pet_Supplies.jsonl", [product_row("B1")])
    good = reviews_of("B1", 40)
    rows = [*good[:10], "", "{cut", *good[10:30], "[]", *good[30:], '{"user_id": "A']
    path = write_lines(tmp_path / "raw" / "Pet_Supplies.jsonl", rows)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    report = ingest([tmp_path / "raw"], tmp_path / "w")
    (file,) = (file for file in report.files if file.shape == "reviews")
    assert (file.rows, file.bad_lines, report.reviews.kept) == (43, 3, 40)
    assert [bad.line for bad in file.shown] == [12, 33, 44]
