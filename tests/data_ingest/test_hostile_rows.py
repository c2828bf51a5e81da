"""Ids that are no ids never reach a world, whatever form their rows have and whoever reads them."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.plan import IngestOptions
from drretail.env.checking import check_world
from drretail.records.ids import file_name, is_safe_id
from tests.data_ingest.raw_rows import START, product_row, review_row, reviews_of, small_shop, write_array, write_lines

HOSTILE = ["../../x", ".hidden", "a/b", "A\0", "A\x1b[2J", "A1\n", " ", "A\u2028B", "A\ud800", "A" * 129, "ä", "'; --"]
REAL = ["AE22EK6EHFBJBIAFQPO6OELJHWHA", "B08LYT4Q2X", "#W2378156", "ann+shop@example.com", "A" * 128]


def shop(folder: Path, *, as_array: bool) -> Path:
    """A plain product with five reviews, five more by each hostile user, and a product of each hostile id."""
    write = write_array if as_array else write_lines
    write(folder / "meta_Pet_Supplies.jsonl", [product_row("B1"), *(product_row(each) for each in HOSTILE)])
    hostile = [review_row(one, "B1", START + place) for place, one in enumerate(HOSTILE)]
    write(
        folder / "Pet_Supplies.jsonl",
        [*reviews_of("B1"), *hostile, *(review_row("A1", each, START) for each in HOSTILE)],
    )
    return folder


@pytest.mark.parametrize("as_array", [False, True], ids=["lines", "array"])
def test_rows_with_ids_that_are_none_are_bad_lines_with_a_reason(tmp_path: Path, as_array: bool) -> None:
    report = ingest([shop(tmp_path / "raw", as_array=as_array)], tmp_path / "world")
    assert (report.products.kept, report.users, report.reviews.kept) == (1, 5, 5)
    assert report.products.dropped == {"bad_line": len(HOSTILE)}
    assert report.reviews.dropped == {"bad_line": 2 * len(HOSTILE)}
    shown = {file.shape: file.shown[0] for file in report.files}
    assert shown["products"].problem.startswith("parent_asin is no id (1 to 128 letters, digits and")
    assert shown["reviews"].problem.endswith("'../../x'")
    assert all(bad.problem.isprintable() for file in report.files for bad in file.shown)
    assert check_world(tmp_path / "world") == []


def test_workers_and_both_forms_make_the_same_world_of_hostile_rows(tmp_path: Path) -> None:
    lines, array = (shop(tmp_path / f"{form}", as_array=form) for form in (False, True))
    clean = small_shop(tmp_path / "clean", product_row("B1"))
    prints = {
        ingest([raw], tmp_path / f"world{place}", IngestOptions(), workers=workers).fingerprint
        for place, (raw, workers) in enumerate([(lines, 1), (lines, 2), (array, 1), (clean, 1)])
    }
    assert len(prints) == 1


def test_ids_of_the_real_sample_are_ids(realdata: Path) -> None:
    found = set[str]()
    for path in (realdata / "amazon").rglob("*.jsonl"):
        if "user_histories" in path.name:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            row: Any = json.loads(line) if line.startswith("{") else {}
            found |= {str(row[name]) for name in ("user_id", "parent_asin", "asin") if row.get(name)}
    assert len(found) > 1000
    assert [each for each in found if not is_safe_id(each)] == []


def test_every_text_has_a_file_name_of_its_own_below_the_folder_and_an_id_has_its_own(tmp_path: Path) -> None:
    texts = [*HOSTILE, *REAL, "", "~x", "my prompts", "a.md", "~-5feceb66ffc86f38", "x" * 500, "ü" * 120]
    names = [file_name(text) for text in texts]
    assert len(set(names)) == len(texts)
    for name in names:
        (tmp_path / f"{name}.journal.jsonl").write_text("", encoding="utf-8")
    assert len(list(tmp_path.iterdir())) == len(texts)
    assert file_name("my prompts") == "my prompts"  # as folders of prompts are called in older experiments
    assert [file_name(each) for each in REAL if is_safe_id(each)] == REAL
