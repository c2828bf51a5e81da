from collections import Counter, defaultdict
from random import Random

import pytest

from benchmarks.ppi import independent_mean
from drretail.addons.people.prediction_powered import (
    Corrected,
    Item,
    corrected_mean,
    difference,
    labels_alone,
    next_stratum,
)
from drretail.stats.intervals import binomial_ends
from tests.build import known


def drawn(seed: int, n: int, others: int) -> tuple[list[float], list[float], list[float]]:
    lot = Random(seed)
    labels = [float(lot.choice((0, 0.5, 1))) for _ in range(n)]
    judged = [label if lot.random() < 0.7 else float(lot.choice((0, 0.5, 1))) for label in labels]
    return labels, judged, [float(lot.choice((0, 0.5, 1))) for _ in range(others)]


@pytest.mark.parametrize(("seed", "power"), [(0, None), (1, 0.0), (2, 0.3), (3, 1.0)])
def test_means_and_intervals_are_those_of_an_independent_implementation(seed: int, power: float | None) -> None:
    ppi = pytest.importorskip("ppi_py")
    np = pytest.importorskip("numpy")
    labels, judged, others = drawn(seed, 80, 400)
    ours = independent_mean(labels, judged, others, power)
    arrays = [np.array(label) for label in (labels, judged, others)]
    low, high = ppi.ppi_mean_ci(*arrays, alpha=0.05, lam=power)
    assert ours.low == pytest.approx(float(low[0]), abs=1e-9)
    assert ours.high == pytest.approx(float(high[0]), abs=1e-9)
    assert ours.value == pytest.approx(float((low[0] + high[0]) / 2), abs=1e-9)


def estimated(items: list[Item]) -> tuple[Corrected, float, float]:
    """The estimate, and its ends, which are there."""
    found = known(corrected_mean(items))
    return found, known(found.low), known(found.high)


def width(found: Corrected | None) -> float:
    there = known(found)
    return known(there.high) - known(there.low)


def lenient(seed: int, count: int, n: int, truth: float = 0.75) -> list[Item]:
    """Independent items of a judge that calls nearly all of them full; ``n`` are labelled, as ``lab sample`` draws."""
    lot = Random(seed)
    labels = [float(lot.random() < truth) for _ in range(count)]
    verdicts = [label if label or lot.random() < 0.32 else 1.0 for label in labels]
    places: dict[float, list[int]] = defaultdict(list)
    for at in lot.sample(range(count), count):
        places[verdicts[at]].append(at)
    sizes, drawn = {verdict: len(held) for verdict, held in places.items()}, Counter[float]()
    for _ in range(n):
        stratum = known(next_stratum(sizes, drawn))
        drawn[stratum] += 1
    chosen = {at for verdict, held in places.items() for at in held[: drawn[verdict]]}
    return [
        Item(at, verdict, 1.0, label if at in chosen else None)
        for at, (verdict, label) in enumerate(zip(verdicts, labels, strict=True))
    ]


def test_many_independent_items_have_the_interval_of_ppi() -> None:
    lot = Random(11)
    labels = [float(lot.random() < 0.75) for _ in range(30_000)]
    judged = [each if lot.random() < 0.85 else 1 - each for each in labels]
    n = 3000
    ours, low, high = estimated(
        [Item(at, f, label=y if at < n else None) for at, (y, f) in enumerate(zip(labels, judged, strict=True))]
    )
    theirs = independent_mean(labels[:n], judged[:n], judged[n:])
    assert ours.value == pytest.approx(theirs.value, abs=0.002)
    assert high - low == pytest.approx(width(theirs), rel=0.04)


def test_equal_labels_have_a_width_more_of_them_less_and_a_good_judge_narrows_it() -> None:
    widths = [width(corrected_mean(lenient(3, 400, n, truth=1.0))) for n in (20, 50, 100)]
    assert widths[0] > widths[1] > widths[2] > 0.03
    _, low, high = estimated(lenient(3, 400, 20, truth=1.0))
    assert (low, high) == (pytest.approx(0.832, abs=5e-4), pytest.approx(1.0))  # Clopper and Pearson of 20 in 20
    lot = Random(5)
    truth = [lot.choice((0.0, 1.0)) for _ in range(600)]
    good = [Item(at, y, 1.0, y if at < 60 else None) for at, y in enumerate(truth)]
    useless = [Item(at, lot.choice((0.0, 1.0)), 1.0, y if at < 60 else None) for at, y in enumerate(truth)]
    assert width(corrected_mean(good)) < 0.85 * width(labels_alone(good))
    assert width(corrected_mean(useless)) < 1.1 * width(labels_alone(useless))


def test_nothing_is_estimated_without_a_label_and_no_interval_given_of_four_clusters() -> None:
    assert corrected_mean([Item(1, 1.0)]) is None
    few, more = (corrected_mean([Item(at % clusters, 1.0, label=at % 2) for at in range(40)]) for clusters in (4, 5))
    assert (known(few).value, known(few).low) == (0.5, None)
    assert width(more) > 0


def of_strata(sizes: dict[str, int], count: int) -> Counter[str]:
    found = Counter[str]()
    for _ in range(count):
        stratum = next_stratum(sizes, found)
        if stratum is None:
            break
        found[stratum] += 1
    return found


def test_small_strata_are_drawn_whole_and_others_in_proportion_with_a_floor() -> None:
    found = of_strata({"full": 920, "partial": 50, "none": 28, "contradicted": 2}, 20)
    assert found == {"full": 12, "partial": 3, "none": 3, "contradicted": 2}
    assert of_strata({"a": 600, "b": 300, "c": 100}, 50) == {"a": 30, "b": 15, "c": 5}
    assert of_strata({"a": 2, "b": 5}, 20) == {"a": 2, "b": 5}
    # As Sainte-Laguë seats them: 9 / 0.5 is more than 31 / 2.5 and 60 / 5.5, and 60 / 4.5 is more than 31 / 2.5.
    assert next_stratum({"a": 60, "b": 31, "c": 9}, {"a": 5, "b": 2}, floor=0) == "c"
    assert next_stratum({"a": 60, "b": 31}, {"a": 4, "b": 2}, floor=0) == "a"
    assert next_stratum({"a": 9, "b": 8}, {"a": 1}) == "b"
    assert next_stratum({}, {}) is None


def test_labels_that_few_clusters_share_are_worth_one_label_at_least() -> None:
    labels = {0: 1.0, 1: 1.0, 2: 0.0}
    items = [Item(f"u{max(0, at - 1)}", 1.0, label=labels.get(at)) for at in range(30)]
    _, low, high = estimated(items)
    assert (low, high) == pytest.approx(binomial_ends(2 / 3, 1))


def of_all_sorts(shift: int) -> list[Item]:
    """Items of unequal weight in strata of unequal size, of which one has no label, and one is a fact."""
    labels = (1.0, 0.5, 1.0, 0.0, 1.0)
    judged = [
        Item(at % 6, "ffpn"[(at + shift) % 4], 1 + at % 3, None if at % 5 == shift else labels[at * (shift + 2) % 5])
        for at in range(28)
    ]
    return [*judged, Item(1, "failed", 2.0, 0.0, is_known=True), Item(8, "n"), Item(8, "rare")]


def test_estimates_of_all_sorts_are_those_whose_coverage_was_measured() -> None:
    """Figures of the formulas of which ``benchmarks/ppi.py`` printed the coverage: whoever changes them measures."""
    first, other = (known(corrected_mean(of_all_sorts(shift))) for shift in (0, 1))
    for row, figures in (
        (first, (0.647325, 0.377836, 0.833433, 0.065187, 0.028282)),
        (other, (0.827213, 0.527401, 0.937640, 0.079448, 0.006397)),
        (known(labels_alone(of_all_sorts(0))), (0.648734, 0.337809, 0.880435, 0.091429, 0.049102)),
        (difference(first, other), (-0.179888, -0.451341, 0.151522, 0.071584, 0.107730)),
    ):
        assert (row.value, row.low, row.high, row.below, row.above) == pytest.approx(figures, abs=1e-6)
    moved = {0: 0.0024, 1: -0.02149, 2: 0.011871, 3: 0.000697, 4: 0.005085, 5: 0.001109, 8: 0.000328}
    assert first.influence == pytest.approx(moved, abs=1e-6)
