"""What a file holds is told from its rows."""

import json
from pathlib import Path

import pytest

from drretail.data_ingest.raw.lines import recognise
from drretail.errors import UserError
from tests.data_ingest.raw_rows import START, hugging_face, product_row, review_row, write_array, write_lines

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
