"""Answers of several raters: who agrees with whom, and on what they differ. Also tests addons/lab/raters.py."""

from random import Random

import numpy as np
import pytest

from drretail.addons.lab.raters import (
    agreement_interval,
    as_two,
    balanced_accuracy,
    kappa,
    krippendorff_alpha,
    mean_absolute_deviation,
    pairwise_comparison_accuracy,
    ranking_agreement,
    tables_of,
)
from drretail.stats.agreement import (
    cohen_kappa,
    correlation,
    kappa_without_ties,
    percent_agreement,
    ranks,
    soft_disagreement,
)
from tests.build import known

# Two raters read 50 texts: 20 times both say yes, 5 times only the first, 10 times only the second, 15 times neither.
FIRST = ["yes"] * 20 + ["yes"] * 5 + ["no"] * 10 + ["no"] * 15
SECOND = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15


def test_kappas_of_tables_worked_by_hand() -> None:
    assert percent_agreement(FIRST, SECOND) == 0.7
    assert cohen_kappa(FIRST, SECOND) == pytest.approx(0.4, abs=1e-12)
    table = [(0, 0)] * 4 + [(0, 1)] + [(1, 0)] + [(1, 1)] * 3 + [(1, 2)] + [(2, 1)] * 2 + [(2, 2)] * 3
    (counts,) = tables_of([0] * 15, [a for a, _ in table], [b for _, b in table], range(3))
    # Linear: observed 5; expected (5·6 + 2·5·4 + 5·5 + 5·4 + 2·5·5 + 5·6) / 15 = 195 / 15.
    assert float(kappa(counts, power=1)) == pytest.approx(1 - 5 / (195 / 15), abs=1e-12)
    # Squared: observed 5; expected (5·6 + 4·5·4 + 5·5 + 5·4 + 4·5·5 + 5·6) / 15 = 285 / 15.
    assert float(kappa(counts, power=2)) == pytest.approx(1 - 5 / (285 / 15), abs=1e-12)


def test_ties_are_dropped_what_is_not_defined_is_none_and_raters_of_different_items_are_refused() -> None:
    first = ["A", "A", "B", "B", "tie", "A", "tie"]
    second = ["A", "A", "B", "A", "B", "tie", "tie"]
    assert kappa_without_ties(first, second) == cohen_kappa(["A", "A", "B", "B"], ["A", "A", "B", "A"])
    assert soft_disagreement(first, second) == pytest.approx(2 / 3)
    assert cohen_kappa(["A", "A"], ["A", "A"]) is None
    assert cohen_kappa([], []) is percent_agreement([], []) is None
    assert kappa_without_ties(["tie"], ["A"]) is None
    assert soft_disagreement(["A"], ["A"]) is None
    assert correlation([1.0, 1.0], [1.0, 2.0], "pearson") is None
    assert correlation([1.0], [1.0], "kendall") is correlation([1.0], [1.0], "pearson") is None
    with pytest.raises(ValueError, match=r"shorter|longer"):
        cohen_kappa(["A"], ["A", "B"])


def test_correlations_by_hand() -> None:
    numbers, others = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 9.0, 4.0]
    assert correlation(numbers, others, "pearson") == pytest.approx(8 / (5 * 38) ** 0.5)
    assert correlation(numbers, others, "spearman") == pytest.approx(0.8)  # of the ranks 1, 2, 4 and 3
    assert correlation(numbers, others, "kendall") == pytest.approx(4 / 6)  # of six pairs one is turned round
    assert ranks([7.0, 2.0, 7.0, 2.0, 7.0, 9.0]).tolist() == [4, 1.5, 4, 1.5, 4, 6]


# Krippendorff (2011), example C: four observers, twelve units, of which one has a single value.
OBSERVED = [
    [1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [5, 5, 5], [1, 1], [3],
]  # fmt: skip


def test_alpha_is_that_of_its_author_s_example_and_none_where_nobody_could_have_disagreed() -> None:
    assert krippendorff_alpha(OBSERVED, "nominal").value == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(OBSERVED, "ordinal").value == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(OBSERVED, "interval").value == pytest.approx(0.849, abs=5e-4)
    four = krippendorff_alpha(OBSERVED, "nominal", [at % 4 for at in range(12)])
    assert (four.value, four.lacks) == (pytest.approx(0.743, abs=5e-4), "few"), "of four clusters"
    assert krippendorff_alpha([], "nominal").value is None
    assert krippendorff_alpha([[1], [2], [3]], "nominal").value is None
    assert krippendorff_alpha([[1, 1], [1, 1]], "interval").value is None


# Two queries, three systems: by the judge a > b > c and a > b = c, by people a > b > c and b > a > c.
JUDGED = {"q1": {"a": 8.0, "b": 6.0, "c": 5.0}, "q2": {"a": 7.0, "b": 4.0, "c": 4.0}}
PEOPLE = {"q1": {"a": 9.0, "b": 7.0, "c": 2.0}, "q2": {"a": 5.0, "b": 6.0, "c": 4.0}}


def test_distance_and_order_by_hand_leave_out_what_only_one_of_them_rated() -> None:
    assert mean_absolute_deviation(JUDGED, PEOPLE) == (1 + 1 + 3 + 2 + 2 + 0) / 6
    # q1: all three pairs; q2: only a > c, since a > b is turned round and the judge has b = c.
    assert pairwise_comparison_accuracy(JUDGED, PEOPLE) == 4 / 6
    assert ranking_agreement(JUDGED, PEOPLE) == 1 / 2, "orders agree only where every pair does"
    more = {**PEOPLE, "q1": {"a": 9.0, "d": 1.0}, "q3": {"a": 1.0}}
    assert mean_absolute_deviation({"q1": JUDGED["q1"]}, more) == 1
    assert pairwise_comparison_accuracy({"q1": JUDGED["q1"]}, more) is None
    assert ranking_agreement({"q1": JUDGED["q1"]}, more) is None, "one system has no order"


LABELS = ("full", "partial", "none")


def raters(seed: int, n: int = 90) -> tuple[list[str], list[str]]:
    lot = Random(seed)
    first = [lot.choice(LABELS) for _ in range(n)]
    return first, [each if lot.random() < 0.6 else lot.choice(LABELS) for each in first]


@pytest.mark.parametrize("seed", range(2))
def test_kappas_of_a_table_are_those_of_the_labels_and_balanced_accuracy_the_same_of_two(seed: int) -> None:
    first, second = raters(seed)
    table = tables_of(range(90), first, second, LABELS).sum(0)
    assert float(kappa(table)) == pytest.approx(cohen_kappa(first, second))
    full = [b == "full" for a, b in zip(first, second, strict=True) if a == "full"]
    other = [b != "full" for a, b in zip(first, second, strict=True) if a != "full"]
    wanted = (sum(full) / len(full) + sum(other) / len(other)) / 2
    assert float(balanced_accuracy(table)) == pytest.approx(wanted)
    assert float(balanced_accuracy(as_two(table))) == pytest.approx(wanted)


def test_items_that_come_together_widen_the_interval_and_one_cluster_has_none() -> None:
    first, second = raters(8, 40)
    alone = agreement_interval(tables_of(range(160), first * 4, second * 4, LABELS), kappa, "1")
    together = agreement_interval(tables_of([*range(40)] * 4, first * 4, second * 4, LABELS), kappa, "1")
    assert known(together.low) < known(alone.low)
    clusters = [[at % count for at in range(40)] for count in (4, 5)]
    few = [agreement_interval(tables_of(of, first, second, LABELS), kappa, "1") for of in clusters]
    assert [(interval.low is None, interval.lacks) for interval in few] == [(True, "few"), (False, None)]
    # Of 2,000 draws from 0 to 100 the ends are percentiles: Student's t of 4 and √(5 / 4) leave Φ(−2.7764 · 1.1180).
    middle, draws = np.array(50.0), np.linspace(0, 100, 2_000)
    drawn = agreement_interval(np.ones((5, 2, 2)), lambda of: middle if of.ndim == 2 else draws, "1")
    assert (drawn.low, drawn.high) == (pytest.approx(0.0955, abs=2e-3), pytest.approx(99.9045, abs=2e-3))
    many = agreement_interval(tables_of(range(42), [*range(21)] * 2, [0, *range(1, 21)] * 2, range(21)), kappa, "1")
    assert (many.value, many.low, many.lacks) == (1.0, None, None), "of more labels than twenty there is no interval"
    twenty = agreement_interval(tables_of(range(40), [*range(20)] * 2, [*range(20)] * 2, range(20)), kappa, "1")
    assert known(twenty.low) < known(twenty.high) == 1.0
    assert agreement_interval(np.zeros((0, 3, 3)), kappa, "1").value is None


def test_a_draw_holds_every_cluster_once_on_average_and_two_more_over_the_labels_that_were_used() -> None:
    tables, kept = np.zeros((10, 3, 3)), list[np.ndarray]()
    tables[:, 0, 0], tables[:, 1, 0] = 3, 1

    def statistic(of: np.ndarray) -> np.ndarray:
        kept.append(of)
        return np.array(5.0) if of.ndim == 2 else np.where(np.arange(len(of)) % 2, np.nan, 7.0)

    found = agreement_interval(tables, statistic, "1")
    assert (found.low, found.high) == (5.0, 7.0), "an interval encloses its value, and no draw without one counts"
    # 30 and 10 items, and two more, a fourth in each cell of the two labels.
    mean = kept[-1].mean(0)
    assert mean == pytest.approx(np.array([[30.5, 0.5, 0], [10.5, 0.5, 0], [0, 0, 0]]), abs=0.4)


@pytest.mark.parametrize("raters", ["two", "many"])
def test_agreement_on_forty_items_of_which_few_are_rare_holds_the_truth(raters: str) -> None:
    """Both raters copy the truth of nine in ten and toss its frequencies else; κ and α are then .81."""
    lot, held, rounds = Random(4), 0, 30
    for seed in range(rounds):
        truths = [float(lot.random() < 0.1) for _ in range(40)]
        items = [[t if lot.random() < 0.9 else float(lot.random() < 0.1) for _ in range(2)] for t in truths]
        if raters == "many":
            found = krippendorff_alpha(items, "nominal")
        else:
            first, second = ([str(item[at]) for item in items] for at in range(2))
            found = agreement_interval(tables_of(range(40), first, second, ("0.0", "1.0")), kappa, str(seed))
        held += found.low is None or found.low <= 0.81 <= known(found.high)
    assert held / rounds >= 0.9
