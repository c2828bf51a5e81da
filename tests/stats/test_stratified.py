from collections import Counter

import pytest

from drretail.stats.prediction_powered import FLOOR, next_stratum


def drawn(sizes: dict[str, int], count: int) -> Counter[str]:
    found = Counter[str]()
    for _ in range(count):
        stratum = next_stratum(sizes, found)
        if stratum is None:
            break
        found[stratum] += 1
    return found


@pytest.mark.parametrize("count", [20, 50, 100])
def test_each_stratum_has_some_and_large_ones_most(count: int) -> None:
    sizes = {"full": 920, "partial": 50, "none": 28, "contradicted": 2}
    found = drawn(sizes, count)
    assert found.total() == count
    assert found["contradicted"] == 2
    assert min(found["partial"], found["none"]) >= FLOOR
    assert found["full"] >= count - 2 - 2 * max(FLOOR, round(count * 0.06))


def test_without_small_strata_labels_are_in_proportion() -> None:
    assert drawn({"a": 600, "b": 300, "c": 100}, 50) == {"a": 30, "b": 15, "c": 5}


def test_all_items_are_drawn_and_then_none() -> None:
    assert drawn({"a": 2, "b": 5}, 20) == {"a": 2, "b": 5}
    assert next_stratum({}, {}) is None
