"""Reading measured on real pages that people have marked; benchmarks/pages.py prints the same as a table."""

from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.pages import Reading, page_of, read_folder

WITHOUT_CONTENT = "0585"
pytestmark = pytest.mark.slow  # each page is read twice, by us and by trafilatura


@pytest.fixture(scope="module")
def readings(realdata: Path) -> dict[str, Reading]:
    return {reading.name.split("_")[1]: reading for reading in read_folder(realdata / "web")}


def test_pages_are_read_about_as_well_as_by_trafilatura_alone(readings: dict[str, Reading]) -> None:
    """Without what pages hide, which costs pages of products whose details open by a click."""
    these = [reading for reading in readings.values() if reading.truth]
    alone = fmean(reading.alone.f1 for reading in these)
    assert fmean(reading.ours.f1 for reading in these) >= alone - 0.01


def test_no_page_with_content_is_given_up_nor_dated_too_early_and_prices_come_first(
    readings: dict[str, Reading], realdata: Path
) -> None:
    assert [reading.name for reading in readings.values() if reading.truth and reading.state != "ok"] == []
    assert readings[WITHOUT_CONTENT].state == "no_content", "only scripts can fill it"
    dated = [reading for reading in readings.values() if reading.date and reading.true_date]
    assert len(dated) >= 5
    assert all(str(reading.date) >= str(reading.true_date) for reading in dated)
    prices = {"0601": "149.00 EUR", "0615": "179 USD", "0628": "99.95 USD", "0631": "2.88 EUR"}
    for number, price in prices.items():
        (truth,) = (realdata / "web").glob(f"wcxb_{number}_*.truth.json")
        assert f"- Price: {price}" in page_of(truth).text[:500]
