"""The paper's rule on real Amazon rows, where there are any. No row of them is in the project."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest
from drretail.data_ingest.plan import IngestOptions
from drretail.env.checking import check_world


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
