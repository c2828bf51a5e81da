"""The paper's rule on real Amazon rows, where there are any. No row of them is in the project."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.plan import IngestOptions
from drretail.env.checking import check_world
from tests.data_ingest.raw_rows import product_in, products_in
from tests.data_ingest.reference import select


@pytest.fixture(scope="session")
def amazon(realdata: Path) -> Path:
    return realdata / "amazon"


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def test_the_papers_rule_on_all_beauty(amazon: Path, tmp_path: Path) -> None:
    report = ingest([amazon / "All_Beauty"], tmp_path / "world")
    assert (report.products.kept, report.reviews.kept, report.users) == (302, 2120, 253)
    assert report.reviews.read == 2282
    assert report.reviews.dropped == {"before_since": 6, "product_not_kept": 156}
    assert check_world(tmp_path / "world") == []


def test_plain_python_finds_the_same_in_all_beauty(amazon: Path) -> None:
    rows = read_rows(amazon / "All_Beauty" / "All_Beauty.reviews.joined.jsonl")
    meta = json.loads((amazon / "All_Beauty" / "meta_data.json").read_text(encoding="utf-8"))
    reviews = [(row["user_id"], row["parent_asin"], row["timestamp"]) for row in rows]
    result = select([(product, "All_Beauty") for product in meta], reviews, ["All_Beauty"], IngestOptions())
    assert (len(result.products), len(result.orders)) == (302, 2120)
    assert len({order[1] for order in result.orders}) == 253
    assert len({order[0] for order in result.orders}) == 2120
    assert max(Counter(order[0] for order in result.orders).values()) == 1


def test_without_the_papers_rule_every_review_of_all_beauty_is_an_order(amazon: Path, tmp_path: Path) -> None:
    # No two rows share user, product and millisecond, all are later than 2000, and all 352 items have a product row;
    # the other four of the 356 products have no review.
    options = IngestOptions(min_interactions=1, since="2000-01-01")  # pyright: ignore[reportArgumentType]  # as JSON has it
    report = ingest([amazon / "All_Beauty"], tmp_path / "world", options)
    assert (report.reviews.read, report.reviews.kept, report.products.kept, report.users) == (2282, 2282, 352, 253)


def test_a_hugging_face_row_is_taken_before_a_title_without_more(amazon: Path, tmp_path: Path) -> None:
    ingest([amazon / "All_Beauty"], tmp_path / "world", IngestOptions(min_interactions=0))
    for row in read_rows(amazon / "All_Beauty" / "meta_All_Beauty.hf.jsonl")[:5]:
        product = product_in(tmp_path / "world", row["parent_asin"])
        assert product.features or product.description
        assert product.details
        assert product.categories == ("All_Beauty",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "rows", "unpriced"), [("Health_and_Personal_Care", 1714, 1475), ("Home_and_Kitchen", 600, None)]
)
def test_whole_categories_without_reviews(
    amazon: Path, tmp_path: Path, folder: str, rows: int, unpriced: int | None
) -> None:
    report = ingest([amazon / folder], tmp_path / "world", IngestOptions(min_interactions=0))
    assert (report.products.read, report.products.kept) == (rows, rows)
    assert check_world(tmp_path / "world") == []
    if unpriced is not None:
        path = amazon / folder / f"meta_{folder}.jsonl"
        ids = [row["parent_asin"] for row in read_rows(path)]
        products = products_in(tmp_path / "world", ids)
        assert sum(product.price is None for product in products.values()) == unpriced


def test_the_array_samples_of_patio(amazon: Path, tmp_path: Path) -> None:
    report = ingest([amazon / "Patio_Lawn_and_Garden"], tmp_path / "world", IngestOptions(min_interactions=0))
    assert (report.products.kept, report.reviews.read) == (100, 100)
    assert report.reviews.dropped == {"no_meta": 100}


@pytest.mark.slow
def test_every_real_file_is_ingested_or_listed(amazon: Path, tmp_path: Path) -> None:
    report = ingest([amazon], tmp_path / "world", IngestOptions(min_interactions=0))
    files = {path.relative_to(amazon).as_posix() for path in amazon.rglob("*") if path.is_file()}
    assert {file.name for file in report.files} == files
    assert {file.bad_lines for file in report.files} == {0}
    for file in report.files:
        expected = "SOURCE.md" in file.name or "user_histories" in file.name or "agenticshop" in file.name
        assert (file.skipped is not None) == expected
