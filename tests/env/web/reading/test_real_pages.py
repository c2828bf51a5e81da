"""Reading measured on real pages that people have marked; benchmarks/pages.py prints the same as a table."""

from pathlib import Path

import pytest

from benchmarks.pages import Reading, page_of, read_folder

# Words that must be read, and how many of the marked snippets may be missing and may leak, by the number of the page.
NULL_AGENTS = {
    "0004": (0.99, 0, 0),
    "0601": (0.99, 0, 2),
    "0615": (0.9, 0, 0),
    "0628": (0.98, 0, 0),
    "0631": (0.99, 0, 1),
    "2922": (0.98, 0, 0),
    "4001": (0.99, 0, 1),
    "4030": (0.99, 1, 0),
    "4048": (0.95, 1, 0),
    "4211": (0.99, 0, 0),
    "4430": (0.96, 0, 1),
    "4594": (0.99, 0, 0),
    "5512": (0.99, 0, 0),
}
WITHOUT_CONTENT = "0585"


@pytest.fixture(scope="module")
def readings(realdata: Path) -> dict[str, Reading]:
    return {reading.name.split("_")[1]: reading for reading in read_folder(realdata / "web")}


@pytest.mark.parametrize("number", NULL_AGENTS)
def test_the_content_of_real_pages_is_read_and_little_else(number: str, readings: dict[str, Reading]) -> None:
    reading = readings[number]
    words, missing, leaked = NULL_AGENTS[number]
    assert reading.state == "ok"
    assert (reading.words or 0) >= words
    assert reading.to_keep - reading.kept <= missing
    assert reading.leaked <= leaked


def test_a_page_that_only_scripts_can_fill_has_no_content(readings: dict[str, Reading]) -> None:
    assert readings[WITHOUT_CONTENT].state == "no_content"


def test_dates_of_real_pages_are_never_earlier_than_their_publication(readings: dict[str, Reading]) -> None:
    dated = [reading for reading in readings.values() if reading.date and reading.true_date]
    assert len(dated) >= 5
    assert all(str(reading.date) >= str(reading.true_date) for reading in dated)


def test_prices_of_real_product_pages_come_first_with_their_currencies(realdata: Path) -> None:
    prices = {"0601": "149.00 EUR", "0615": "179 USD", "0628": "99.95 USD", "0631": "2.88 EUR"}
    for number, price in prices.items():
        (truth,) = (realdata / "web").glob(f"wcxb_{number}_*.truth.json")
        assert f"- Price: {price}" in page_of(truth).text[:500]
