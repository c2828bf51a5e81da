import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.stats.intervals import Interval, mean_interval, mean_intervals

SAMPLES = st.lists(st.lists(st.floats(-5, 5, allow_subnormal=False), max_size=12).map(tuple), max_size=8)


@given(SAMPLES)
@settings(max_examples=40)
def test_many_at_once_are_what_each_is_by_itself(samples: list[tuple[float, ...]]) -> None:
    many = mean_intervals(samples, "7", resamples=200)
    for sample, found in zip(samples, many, strict=True):
        alone = mean_interval([[value] for value in sample], "7", resamples=200)
        assert (found.value, found.low, found.high) == pytest.approx((alone.value, alone.low, alone.high), abs=2e-10)


def test_no_query_has_no_value_and_one_has_no_interval() -> None:
    assert mean_intervals([(), (0.5,)], "7") == [Interval(None), Interval(0.5)]


def test_company_does_not_change_an_interval() -> None:
    sample = (0.1, 0.9, 0.4, 0.7)
    others = [tuple(at / (13 + number) for at in range(4)) for number in range(300)]
    assert mean_intervals([*others, sample], "7", resamples=100)[-1] == mean_intervals([sample], "7", resamples=100)[0]
