"""Files of rows become a world: every row is accounted for, also of real ones, and what must be mended is said. Tests
engines/duckdb.py, engines/duckdb_reading.py, plan.py, selected.py and stages.py.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestReport, IngestSettings
from drretail.data_ingest.selected import LEFT_OUT
from drretail.env.folder import check_world
from drretail.env.manifest import live_generation, read_manifest
from drretail.errors import UserError
from tests.data_ingest.raw_rows import (
    BEFORE_2019,
    START,
    not_used,
    product_row,
    review_row,
    reviews_of,
    small_shop,
    write_lines,
)

B1 = "B000000001"
PRODUCTS, REVIEWS = "meta_Pet_Supplies.jsonl", "Pet_Supplies.jsonl"


OPTIONS = IngestSettings(cap=8, min_interactions=7)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two categories with every reason to drop a row."""
    folder = tmp_path_factory.mktemp("mixed") / "raw"
    draw = random.Random(5)
    ids = [f"B{number:09d}" for number in range(30)]
    write_lines(folder / "meta_Pet_Supplies.jsonl", [*(product_row(i) for i in ids[:20]), product_row(ids[0]), "{cut"])
    write_lines(folder / "meta_All_Beauty.jsonl.gz", [product_row(i) for i in ids[15:25]])
    for name, size in (("Pet_Supplies.jsonl", 300), ("All_Beauty.jsonl.gz", 100), ("more.jsonl", 50)):
        rows = [
            review_row(f"A{draw.randrange(30)}", draw.choice(ids), draw.choice([BEFORE_2019, START, START + 1]))
            for _ in range(size)
        ]
        write_lines(folder / name, [*rows, rows[0], "[]", "cut {"])
    return folder


@pytest.fixture(scope="module")
def report(raw: Path) -> IngestReport:
    """Of the world that these files make by OPTIONS, which lies beside them."""
    return ingest_files([raw], raw.parent / "world", OPTIONS)


def test_every_row_is_kept_or_dropped_for_one_reason_and_the_world_holds_what_is_reported(
    raw: Path, report: IngestReport
) -> None:
    assert all(account.adds_up for part in [report, *report.categories] for account in (part.products, part.reviews))
    assert (report.products.came, report.reviews.came) == (32, 459)
    assert set(report.products.merged) == {"the same product again"}
    of_products = ("other_category", "too_few_interactions", "over_cap")
    assert set(report.products.left_out) > {LEFT_OUT[fate] for fate in of_products}
    assert set(report.reviews.left_out) > {LEFT_OUT[fate] for fate in ("no_meta", "before_since", "product_not_kept")}
    assert sum(file.account.n_left_out for file in report.files if file.shape == "reviews") == 6
    assert all(fate.first for account in (report.products, report.reviews) for fate in account.left_out.values())

    world = raw.parent / "world"
    assert check_world(world) == []
    manifest = read_manifest(live_generation(world))
    assert manifest.fingerprint == report.fingerprint
    counts = {"products": report.products.used, "orders": report.reviews.used, "users": report.users}
    assert manifest.counts.model_dump() == counts
    assert [source.name for source in manifest.sources] == sorted(file.name for file in report.files)
    assert manifest.parameters["cap"] == 8
    assert sum(row.rows_read for row in manifest.categories) == report.products.came + report.reviews.came


def test_the_same_files_give_the_same_world_in_whatever_order_they_are_given(
    raw: Path, report: IngestReport, tmp_path: Path
) -> None:
    files = sorted(raw.iterdir())
    assert ingest_files([raw, *files[::-1]], tmp_path / "world", OPTIONS) == report.model_copy(
        update={"world": str(tmp_path / "world")}
    )


def test_the_world_itself_is_never_read_again(tmp_path: Path) -> None:
    raw = small_shop(tmp_path / "raw")
    assert ingest_files([raw], raw / "world") == ingest_files([raw], raw / "world", replace=True)


def test_products_without_reviews_are_a_shop_without_users_when_asked_for(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "meta_Books.jsonl", [product_row(B1), product_row("B000000002")])
    report = ingest_files([path], tmp_path / "world", IngestSettings(min_interactions=0))
    assert (report.products.used, report.reviews.came, report.users) == (2, 0, 0)
    with pytest.raises(UserError, match="--min-interactions 0"):
        ingest_files([path], tmp_path / "other")
    assert not (tmp_path / "other").exists()


def _packed(spoil: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """Spoils packed reviews: more than is looked at to recognise the file, and hard to pack."""
    draw = random.Random(1)
    rows = [review_row(f"A{number}", B1, START, text=draw.randbytes(200).hex()) for number in range(4_000)]

    def put(raw: Path) -> None:
        path = write_lines(raw / "Pet_Supplies.jsonl.gz", rows)
        path.write_bytes(spoil(path.read_bytes()))

    return put


def _with(name: str, *rows: dict[str, Any]) -> Callable[[Path], object]:
    """Puts a file of these rows in the place of another."""
    return lambda raw: write_lines(raw / name, rows)


def _renamed(name: str, other: str) -> Callable[[Path], object]:
    return lambda raw: (raw / name).rename(raw / other)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_renamed(PRODUCTS, "../gone.jsonl"), r"There is no product file .*Pet_Supplies\.jsonl holds reviews"),
        (_packed(lambda data: data[:-1000]), r"Pet_Supplies\.jsonl\.gz ends too early: download it again"),
        (
            _packed(lambda data: data[:300_000] + bytes(10_000) + data[310_000:]),
            r"Pet_Supplies\.jsonl\.gz is damaged .*: download it again",
        ),
        (
            _with(REVIEWS, *reviews_of(B1, 4)),
            r"No product is left of 1 row: of a product with too few interactions \(1, .*--min-interactions \(5\)",
        ),
        (
            _with(REVIEWS, *reviews_of("B000000002", 9)),
            r"Dropped of 9 reviews: of an unknown product \(9, .*parent_asin",
        ),
        (
            _with(REVIEWS, *reviews_of(B1, 9, BEFORE_2019)),
            r"Dropped of 9 reviews: dated before --since \(9, .*--since \(2019-01-01\)",
        ),
        (
            _with(PRODUCTS, product_row(""), product_row(B1, title=None)),
            r"2 rows: no parent_asin \(1, first: meta.*line 1\), no title \(1, .*line 2",
        ),
        (_renamed(PRODUCTS, "catalog.jsonl"), r"The category of .*catalog\.jsonl is unknown.*--category NAME"),
    ],
)
def test_what_the_user_must_fix_is_said_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], object], message: str
) -> None:
    raw = small_shop(tmp_path / "raw")
    spoil(raw)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with pytest.raises(UserError, match=message):
        ingest_files([raw], tmp_path / "world")
    assert not (tmp_path / "world").exists()
    assert list(temporary.iterdir()) == []


def test_paths_and_targets_are_checked_before_any_work(tmp_path: Path) -> None:
    raw = small_shop(tmp_path / "raw")
    with pytest.raises(UserError, match=r"nowhere does not exist"):
        ingest_files([tmp_path / "nowhere"], tmp_path / "world")
    (tmp_path / "none").mkdir()
    with pytest.raises(UserError, match="There is no file in"):
        ingest_files([tmp_path / "none"], tmp_path / "world")
    with pytest.raises(UserError, match="holds other files"):
        ingest_files([raw], raw)
    assert not (tmp_path / "world").exists()


def test_the_papers_rule_on_all_beauty(realdata: Path, tmp_path: Path) -> None:
    report = ingest_files([realdata / "amazon" / "All_Beauty"], tmp_path / "world")
    assert (report.products.used, report.reviews.used, report.users) == (302, 2120, 253)
    assert report.reviews.came == 2282
    assert not_used(report.reviews) == {LEFT_OUT["before_since"]: 6, LEFT_OUT["product_not_kept"]: 156}
    assert check_world(tmp_path / "world") == []
