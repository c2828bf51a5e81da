"""A false price costs what it costs in plain words, in whatever form a page shows it."""

import tomllib
from pathlib import Path

import pytest

from drretail.grounding.text.untrusted import visible
from drretail.grounding.verify.findings import value_findings
from drretail.records.reading import Reading
from tests.grounding.kitchen import K, reading_of

FORMS = tomllib.loads(Path(__file__).with_name("false_figures.toml").read_text("utf-8"))
PLAIN = "The kettle costs FIGURE MARK."


def reports(around: str, spelled: str) -> list[tuple[str, str]]:
    """False reports, each with its true twin."""
    forms = [(report, "$73.18", "$42.95") for report in FORMS[around]]
    forms += [(PLAIN, false, true) for false, true in FORMS[spelled]]
    return [(written(report, false), written(report, true)) for report, false, true in forms]


def written(report: str, figure: str) -> str:
    return visible(report.replace("FIGURE", figure).replace("MARK", K))


def read(report: str) -> tuple[Reading, list[str]]:
    reading = reading_of(report)
    return reading, [finding.code for finding in value_findings(report, reading.values)]


@pytest.mark.parametrize(("false", "true"), reports("around", "spelled"))
def test_a_false_price_is_an_error_in_any_form_and_the_true_one_is_none(false: str, true: str) -> None:
    assert (read(false)[1], read(true)[1]) == (["price_wrong"], [])


@pytest.mark.parametrize(("false", "true"), reports("around_unread", "spelled_unread"))
def test_a_figure_that_code_cannot_read_lowers_what_was_looked_at(false: str, true: str) -> None:
    reading, errors = read(false)
    assert (errors, reading.looked_at.decided < reading.looked_at.numerals) == ([], True)
    assert read(true)[1] == []


@pytest.mark.parametrize("price", ["€42.95", "42.95 EUR", "£42.95", "CHF 42.95"])
def test_the_right_number_in_another_currency_is_a_false_price(price: str) -> None:
    assert read(written(PLAIN, price))[1] == ["price_wrong"]
    assert read(written(PLAIN, "US$42.95"))[1] == []


def test_forms_are_many_and_nearly_all_are_read() -> None:
    count = {name: len(forms) for name, forms in FORMS.items()}
    assert sum(count.values()) == 258
    assert count["around"] + count["spelled"] == 219
