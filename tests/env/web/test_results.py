from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.base import WebResult
from drretail.env.web.searches import first_results, iso_date

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Mar 3, 2024", "2024-03-03"),
        ("3 Mar 2024", "2024-03-03"),
        ("2024-03-03T23:59:00Z", "2024-03-03"),
        ("5 hours ago", "2026-03-10"),
        ("13 hours ago", "2026-03-09"),
        ("1 day ago", "2026-03-09"),
        ("2 weeks ago", "2026-02-24"),
        ("3 months ago", None),
        ("2024-13-45", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_is_a_day_or_nothing(text: str | None, day: str | None) -> None:
    assert iso_date(text, NOW) == day


@given(st.dates(min_value=date(1970, 1, 1)))
def test_every_day_is_read_as_it_was_written(day: date) -> None:
    assert iso_date(day.isoformat(), NOW) == day.isoformat()
    assert iso_date(f"{day.day} {day.strftime('%B')} {day.year:04d}", NOW) == day.isoformat()


@given(st.text())
def test_no_text_is_too_odd_for_a_date(text: str) -> None:
    found = iso_date(text, NOW)
    assert found is None or date.fromisoformat(found)


@given(st.lists(st.builds(WebResult, st.text(), st.text(), st.text())), st.integers(0, 6))
def test_results_are_at_most_k_bounded_and_of_the_web(found: list[WebResult], k: int) -> None:
    kept = first_results(found, k)
    assert len(kept) <= k
    assert all(result.url.lower().startswith(("http://", "https://")) for result in kept)


def test_hidden_characters_and_endless_texts_do_not_come_through() -> None:
    (result,) = first_results([WebResult("A\u202eB\x00", "https://a.example/", "word " * 5000)], 5)
    assert (result.title, len(result.snippet) <= 1500) == ("AB", True)
