"""Each quirk of the dataset's files, from a raw row to the shop; ids that are no ids never reach a world."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestSettings
from drretail.env.manifest import Manifest, live_generation, read_manifest
from drretail.errors import UserError
from drretail.records.base import file_name, is_safe_id
from tests.data_ingest.raw_rows import (
    HOSTILE,
    hugging_face,
    not_used,
    product_in,
    product_row,
    review_row,
    reviews_of,
    small_shop,
    write_array,
    write_lines,
)

B1 = "B000000001"


def test_every_dialect_gives_the_same_shop(tmp_path: Path) -> None:
    rows = [product_row(B1), product_row("B000000002", price=None, details={})]
    reviews = [*reviews_of(B1), *reviews_of("B000000002")]
    raw, packed, faced, array = (tmp_path / name for name in ("raw", "packed", "faced", "array"))
    write_lines(raw / "meta_Books.jsonl", rows)
    write_lines(raw / "Books.jsonl", reviews)
    write_lines(packed / "meta_Books.jsonl.gz", rows)
    write_lines(packed / "Books.jsonl.gz", reviews)
    write_lines(faced / "Books-0.jsonl", map(hugging_face, rows))
    write_lines(faced / "Books-1.jsonl", reviews)
    write_array(array / "Books.meta.jsonl", rows)
    write_array(array / "Books.jsonl", reviews)

    prints = {
        ingest_files([folder], tmp_path / "worlds" / folder.name).fingerprint for folder in (raw, packed, faced, array)
    }

    assert len(prints) == 1


def test_the_richest_row_of_a_product_wins_whatever_its_file_is_called_and_of_equals_the_first(tmp_path: Path) -> None:
    raw = small_shop(tmp_path / "raw", product_row("B3", title="First"), product_row("B3", title="Second"))
    bare = [{"title": "Bare", "parent_asin": name} for name in ("B1", "B2")]
    full = [product_row(name, title="Full") for name in ("B1", "B2")]
    write_lines(raw / "a_Pet_Supplies.jsonl", [bare[0], full[1]])
    write_lines(raw / "z_Pet_Supplies.jsonl", [full[0], bare[1]])
    report = ingest_files([raw], tmp_path / "world", IngestSettings(min_interactions=0))
    titles = [product_in(tmp_path / "world", name).title for name in ("B1", "B2", "B3")]
    assert (titles, not_used(report.products)) == (["Full", "Full", "First"], {"the same product again": 3})


def test_broken_utf8_surrogates_and_a_byte_order_mark_lose_no_row(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    ids = ("B000000000", "B000000001", "B000000002")
    titles = ("half \\ud83d pair", "caf\xff\xfe", "plain")
    rows = [json.dumps(product_row(name, title=title)) for name, title in zip(ids, titles, strict=True)]
    text = "\ufeff" + "\n".join(rows).replace("\\\\ud83d", "\\ud83d")
    raw.mkdir()
    (raw / "meta_Books.jsonl").write_bytes(text.encode("utf-8").replace(b"\\u00ff\\u00fe", b"\xff\xfe"))
    lines = [json.dumps(row) for name in ids for row in reviews_of(name)]
    bad = "\n".join(lines).encode().replace(b"My dog", b"\xff\xfe")
    (raw / "Books.jsonl").write_bytes(b"\xef\xbb\xbf" + bad)
    report = ingest_files([raw], tmp_path / "world")
    assert (report.products.came, report.products.used, report.reviews.used) == (3, 3, 15)
    assert product_in(tmp_path / "world", ids[0]).title == "half \ufffd pair"
    assert product_in(tmp_path / "world", ids[1]).title == "caf\ufffd\ufffd"


MISTYPED = 7_386_328_000_000
"""2204-01-24"""


@pytest.mark.parametrize("write", [write_lines, write_array])
def test_a_mistyped_date_moves_no_shops_today(tmp_path: Path, write: Callable[[Path, list[Any]], Path]) -> None:
    raw, world = small_shop(tmp_path / "raw"), tmp_path / "world"
    rows = [*reviews_of(B1, 99), review_row("A1", B1, MISTYPED)]
    write(raw / "Pet_Supplies.jsonl", rows)
    report = ingest_files([raw], world, today=date(2020, 9, 13))
    assert not_used(report.reviews) == {"dated later than 2020-09-13 (--until)": 1}
    assert report.now == datetime(2020, 9, 14, tzinfo=UTC)
    (fate,) = report.reviews.left_out.values()
    assert fate.first.endswith(": 2204-01-24")
    write(raw / "Pet_Supplies.jsonl", rows[1:])
    with pytest.raises(
        UserError, match=r"1 of 99 reviews or orders have a date later than .*: mend the dates, or name"
    ):
        ingest_files([raw], world, replace=True)
    until = ingest_files([raw], world, IngestSettings(until=date(2204, 1, 24)), replace=True)
    assert until.now == datetime(2204, 1, 25, tzinfo=UTC)
    cut = ingest_files(
        [raw], world, IngestSettings(until=date(2020, 9, 13)), replace=True
    )  # who names the day wants the cut
    assert not_used(cut.reviews) == not_used(report.reviews)


def test_the_day_of_an_ingest_is_part_of_the_world_only_if_it_dropped_rows(tmp_path: Path) -> None:
    raw, world = small_shop(tmp_path / "raw"), tmp_path / "world"
    days = [date(2026, 11, 24), date(2026, 11, 25)]
    assert [ingest_files([raw], world, today=day).there_already for day in days] == [False, True]
    assert "until" not in manifest_of(world).parameters
    write_lines(raw / "Pet_Supplies.jsonl", [*reviews_of(B1, 99), review_row("A1", B1, MISTYPED)])
    assert [ingest_files([raw], world, today=days[0], replace=not at).there_already for at in range(2)] == [False, True]
    assert manifest_of(world).parameters["until"] == "2026-11-24"
    with pytest.raises(UserError, match="has until 2026-11-25 instead of 2026-11-24"):
        ingest_files([raw], world, today=days[1])


def manifest_of(world: Path) -> Manifest:
    return read_manifest(live_generation(world))


def test_other_files_are_listed_and_skipped_and_names_that_look_like_patterns_are_only_names(tmp_path: Path) -> None:
    raw = small_shop(tmp_path / "a [1] * 'b'")
    (raw / "Pet_Supplies.jsonl").rename(raw / "Pet_Supplies[0-9]?.jsonl")
    write_lines(raw / "user_histories.jsonl", [{"user_id": "A1", "category": "Books", "history": []}])
    (raw / "README.md").write_text("# Notes")
    (raw / "empty.jsonl").write_text("")
    (raw / ".hidden.jsonl").write_text("{")
    (raw / "synth.json").write_text("{\n}\n")  # what a made-up shop says of itself
    report = ingest_files([raw], tmp_path / "world", dry_run=True)
    assert report.reviews.used == 5
    assert {file.name: file.skipped for file in report.files} == {
        "README.md": "not JSON objects",
        "Pet_Supplies[0-9]?.jsonl": None,
        "empty.jsonl": "empty",
        "meta_Pet_Supplies.jsonl": None,
        "user_histories.jsonl": "neither products nor reviews: fields user_id, category, history",
    }


def test_only_the_categories_of_a_preset_are_taken(tmp_path: Path) -> None:
    raw = small_shop(tmp_path / "raw")
    write_lines(raw / "meta_Books.jsonl", [product_row("B000000002")])
    write_lines(raw / "Books.jsonl", reviews_of("B000000002"))
    report = ingest_files([raw], tmp_path / "world", IngestSettings(preset="paper"), dry_run=True)
    assert [row.name for row in report.categories] == ["Pet_Supplies"]
    assert [file.name for file in report.files if file.skipped] == ["Books.jsonl", "meta_Books.jsonl"]


def test_a_category_of_ones_own_is_given_to_files_that_name_none(tmp_path: Path) -> None:
    write_lines(tmp_path / "catalog.jsonl", [product_row(B1)])
    write_lines(tmp_path / "sales.jsonl", reviews_of(B1))
    ingest_files([tmp_path], tmp_path / "world", IngestSettings(category="Garden centre"))
    assert product_in(tmp_path / "world", B1).category == "Garden centre"


def test_a_link_is_read_once_and_keeps_the_name_that_says_its_category(tmp_path: Path) -> None:
    raw = small_shop(tmp_path / "raw")
    (raw / "meta_Pet_Supplies.jsonl").rename(tmp_path / "0a1b2c")
    for name in ("meta_Pet_Supplies.jsonl", "meta_Pet_Supplies.again.jsonl"):
        (raw / name).symlink_to(tmp_path / "0a1b2c")
    report = ingest_files([raw], tmp_path / "world", dry_run=True)
    assert (report.products.came, report.categories[0].name) == (1, "Pet_Supplies")


REAL_IDS = ["AE22EK6EHFBJBIAFQPO6OELJHWHA", "B08LYT4Q2X", "#W2378156", "ann+hostile_shop@example.com", "A" * 128]


def test_every_text_has_a_file_name_of_its_own_below_the_folder_and_an_id_has_its_own(tmp_path: Path) -> None:
    texts = [*HOSTILE, *REAL_IDS, "", "~x", "my prompts", "a.md", "~-5feceb66ffc86f38", "x" * 500, "ü" * 120]
    names = [file_name(text) for text in texts]
    assert len(set(names)) == len(texts)
    for name in names:
        (tmp_path / f"{name}.journal.jsonl").write_text("", encoding="utf-8")
    assert len(list(tmp_path.iterdir())) == len(texts)
    assert file_name("my prompts") == "my prompts"  # as folders of prompts are called in older experiments
    assert [file_name(each) for each in REAL_IDS if is_safe_id(each)] == REAL_IDS
