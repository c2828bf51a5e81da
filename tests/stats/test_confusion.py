from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from drretail.stats.agreement import cohen_kappa, weighted_kappa
from drretail.stats.confusion import accuracy_interval, as_two, balanced_accuracy, drawn_interval, kappa, tables_of
from tests.build import known

if TYPE_CHECKING:
    from numpy.typing import NDArray

LABELS = ("full", "partial", "none")


def raters(seed: int, n: int = 90) -> tuple[list[str], list[str]]:
    lot = Random(seed)
    first = [lot.choice(LABELS) for _ in range(n)]
    return first, [each if lot.random() < 0.6 else lot.choice(LABELS) for each in first]


@pytest.mark.parametrize("seed", range(4))
def test_kappas_of_a_table_are_those_of_the_labels_and_balanced_accuracy_the_same_of_two(seed: int) -> None:
    first, second = raters(seed)
    table = tables_of(range(90), first, second, LABELS).sum(0)
    assert float(kappa(table)) == pytest.approx(cohen_kappa(first, second))
    assert float(kappa(table, linear=True)) == pytest.approx(weighted_kappa(first, second, LABELS, "linear"))
    full = [b == "full" for a, b in zip(first, second, strict=True) if a == "full"]
    other = [b != "full" for a, b in zip(first, second, strict=True) if a != "full"]
    wanted = (sum(full) / len(full) + sum(other) / len(other)) / 2
    assert float(balanced_accuracy(table)) == pytest.approx(wanted)
    assert float(balanced_accuracy(as_two(table))) == pytest.approx(wanted)


def test_items_that_come_together_widen_the_interval_and_one_cluster_has_none() -> None:
    first, second = raters(8, 40)
    alone = drawn_interval(tables_of(range(160), first * 4, second * 4, LABELS), kappa, "1")
    together = drawn_interval(tables_of([*range(40)] * 4, first * 4, second * 4, LABELS), kappa, "1")
    assert known(together.low) < known(alone.low)
    assert drawn_interval(tables_of([1] * 40, first, second, LABELS), kappa, "1").low is None
    assert drawn_interval(np.zeros((0, 3, 3)), kappa, "1").value is None


def _of(hits: int, misses: int, rejected: int, false: int) -> "NDArray[np.float64]":
    """A claim a cluster."""
    first = ["a"] * (hits + misses) + ["b"] * (rejected + false)
    second = ["a"] * hits + ["b"] * misses + ["b"] * rejected + ["a"] * false
    return tables_of(range(len(first)), first, second, ("a", "b"))


def test_an_accuracy_is_drawn_widened_where_a_half_is_all_right_and_endless_below_ten_clusters() -> None:
    mixed, half_right = _of(12, 8, 15, 5), _of(10, 0, 30, 30)
    assert accuracy_interval(mixed, "s") == drawn_interval(mixed, balanced_accuracy, "s")
    drawn, exact = drawn_interval(half_right, balanced_accuracy, "s"), accuracy_interval(half_right, "s")
    assert known(exact.low) < known(drawn.low)
    assert accuracy_interval(_of(5, 0, 3, 1), "s").low is None
    assert accuracy_interval(_of(5, 0, 4, 1), "s").low is not None


@pytest.mark.parametrize("truth", [0.9, 0.99])
def test_intervals_of_accuracies_near_1_hold_the_truth_as_often_as_they_say(truth: float) -> None:
    rng = np.random.default_rng(7)
    held = 0
    for at in range(200):
        hits, rejected = (int(each) for each in rng.binomial(15, truth, 2))
        found = accuracy_interval(_of(hits, 15 - hits, rejected, 15 - rejected), str(at))
        held += known(found.low) <= truth <= known(found.high)
    assert held >= 0.93 * 200
