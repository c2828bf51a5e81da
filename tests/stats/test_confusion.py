from random import Random

import numpy as np
import pytest

from drretail.stats.agreement import cohen_kappa, weighted_kappa
from drretail.stats.confusion import as_two, balanced_accuracy, drawn_interval, kappa, tables_of

LABELS = ("full", "partial", "none")


def raters(seed: int, n: int = 90) -> tuple[list[str], list[str]]:
    lot = Random(seed)
    first = [lot.choice(LABELS) for _ in range(n)]
    return first, [it if lot.random() < 0.6 else lot.choice(LABELS) for it in first]


@pytest.mark.parametrize("seed", range(4))
def test_kappas_of_a_table_are_those_of_the_labels(seed: int) -> None:
    first, second = raters(seed)
    table = tables_of(range(90), first, second, LABELS).sum(0)
    assert float(kappa(table)) == pytest.approx(cohen_kappa(first, second))
    assert float(kappa(table, linear=True)) == pytest.approx(weighted_kappa(first, second, LABELS, "linear"))


def test_balanced_accuracy_is_the_same_of_three_labels_and_of_two() -> None:
    first, second = raters(7)
    table = tables_of(range(90), first, second, LABELS).sum(0)
    full = [b == "full" for a, b in zip(first, second, strict=True) if a == "full"]
    other = [b != "full" for a, b in zip(first, second, strict=True) if a != "full"]
    wanted = (sum(full) / len(full) + sum(other) / len(other)) / 2
    assert float(balanced_accuracy(table)) == pytest.approx(wanted)
    assert float(balanced_accuracy(as_two(table))) == pytest.approx(wanted)


def test_items_that_come_together_widen_the_interval_and_one_cluster_has_none() -> None:
    first, second = raters(8, 40)
    alone = drawn_interval(tables_of(range(160), first * 4, second * 4, LABELS), kappa, "1")
    together = drawn_interval(tables_of([*range(40)] * 4, first * 4, second * 4, LABELS), kappa, "1")
    assert alone.low is not None
    assert together.low is not None
    assert together.low < alone.low
    assert drawn_interval(tables_of([1] * 40, first, second, LABELS), kappa, "1").low is None
    assert drawn_interval(np.zeros((0, 3, 3)), kappa, "1").value is None
