"""Reading measured on real pages that people have marked; benchmarks/pages.py prints the same as a table."""

from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.pages import Reading, read_folder

WITHOUT_CONTENT = "0585"
pytestmark = pytest.mark.slow  # each page is read twice, by us and by trafilatura


@pytest.fixture(scope="module")
def readings(realdata: Path) -> dict[str, Reading]:
    return {reading.name.split("_")[1]: reading for reading in read_folder(realdata / "web")}


@pytest.mark.parametrize("kind", ["article", "collection", "listing", "product"])
def test_pages_of_every_kind_are_read_as_well_as_by_trafilatura_alone(readings: dict[str, Reading], kind: str) -> None:
    these = [reading for reading in readings.values() if reading.truth and reading.type == kind]
    assert fmean(reading.ours.f1 for reading in these) >= fmean(reading.alone.f1 for reading in these) - 0.0005


def test_no_page_with_content_is_given_up_nor_dated_too_early(readings: dict[str, Reading]) -> None:
    assert [reading.name for reading in readings.values() if reading.truth and reading.state != "ok"] == []
    assert readings[WITHOUT_CONTENT].state != "ok", "only scripts can fill it"
    dated = [reading for reading in readings.values() if reading.date and reading.true_date]
    assert len(dated) >= 3
    assert all(str(reading.date) >= str(reading.true_date) for reading in dated)
