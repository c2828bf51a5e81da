from collections import defaultdict
from dataclasses import replace
from random import Random

import pytest

from drretail.stats.prediction_powered import Item, corrected_mean, corrected_ratio, independent_mean


def drawn(seed: int, n: int, others: int) -> tuple[list[float], list[float], list[float]]:
    lot = Random(seed)
    labels = [float(lot.choice((0, 0.5, 1))) for _ in range(n)]
    judged = [it if lot.random() < 0.7 else float(lot.choice((0, 0.5, 1))) for it in labels]
    return labels, judged, [float(lot.choice((0, 0.5, 1))) for _ in range(others)]


@pytest.mark.parametrize("power", [None, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_means_and_intervals_are_those_of_an_independent_implementation(seed: int, power: float | None) -> None:
    ppi = pytest.importorskip("ppi_py")
    np = pytest.importorskip("numpy")
    labels, judged, others = drawn(seed, 80, 400)
    ours = independent_mean(labels, judged, others, power)
    arrays = [np.array(it) for it in (labels, judged, others)]
    low, high = ppi.ppi_mean_ci(*arrays, alpha=0.05, lam=power)
    assert ours.low == pytest.approx(float(low[0]), abs=1e-9)
    assert ours.high == pytest.approx(float(high[0]), abs=1e-9)
    assert ours.value == pytest.approx(float((low[0] + high[0]) / 2), abs=1e-9)


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0])
def test_the_variance_of_independent_items_is_that_of_verdicts_and_of_what_labels_add(power: float) -> None:
    labels, judged, others = drawn(3, 60, 300)
    ours = independent_mean(labels, judged, others, power)
    y, f = labels, judged
    r = [a - power * b for a, b in zip(y, f, strict=True)]
    mean_r, mean_f = sum(r) / 60, sum(others) / 300
    variance = sum((it - mean_r) ** 2 for it in r) / 60**2
    variance += power**2 * sum((it - mean_f) ** 2 for it in others) / 300**2
    assert ours.error == pytest.approx(variance**0.5, abs=1e-12)


def test_with_every_item_labelled_the_mean_is_that_of_the_labels() -> None:
    labels, judged, _ = drawn(1, 40, 1)
    items = [Item(at, f, label=y) for at, (y, f) in enumerate(zip(labels, judged, strict=True))]
    found = corrected_mean(items, 1.0)
    assert found is not None
    assert found.value == pytest.approx(sum(labels) / 40)


def test_a_judge_that_says_nothing_is_not_trusted() -> None:
    lot = Random(4)
    items = [Item(at, 1.0, label=lot.choice((0.0, 1.0)) if at < 50 else None) for at in range(500)]
    found = corrected_mean(items)
    assert found is not None
    assert found.power == 0
    contrary = [Item(at, 1 - y, label=y if at < 50 else None) for at in range(500) for y in [lot.choice((0.0, 1.0))]]
    trusted = corrected_mean(contrary)
    assert trusted is not None
    assert trusted.power == 0


def test_a_perfect_judge_gives_the_interval_of_all_labels() -> None:
    lot = Random(5)
    truth = [lot.choice((0.0, 1.0)) for _ in range(400)]
    few = corrected_mean([Item(at, y, label=y if at < 40 else None) for at, y in enumerate(truth)])
    every = corrected_mean([Item(at, y, label=y) for at, y in enumerate(truth)])
    assert few is not None
    assert every is not None
    assert few.power == pytest.approx(1, abs=0.02)
    assert few.error == pytest.approx(every.error, rel=0.03)


def test_labels_stand_for_the_items_that_they_were_drawn_from() -> None:
    true = [Item(at, 1.0, label=1.0 if at < 10 else None, stands_for=9.0) for at in range(90)]
    false = [Item(at, 0.0, label=0.0) for at in range(90, 100)]
    found = corrected_mean([*true, *false], 0.0)
    assert found is not None
    assert found.value == pytest.approx(0.9)


def test_claims_that_come_together_widen_the_interval() -> None:
    lot = Random(6)
    truth = [lot.choice((0.0, 1.0)) for _ in range(50)]
    alone = corrected_mean([Item((at, k), 0.0, label=y) for at, y in enumerate(truth) for k in range(4)])
    together = corrected_mean([Item(at, 0.0, label=y) for at, y in enumerate(truth) for _ in range(4)])
    assert alone is not None
    assert together is not None
    assert alone.error is not None
    assert together.error == pytest.approx(2 * alone.error, rel=0.02)


def test_nothing_is_said_without_a_label_and_no_interval_of_one_cluster() -> None:
    assert corrected_mean([Item(1, 1.0)]) is None
    alone = corrected_mean([Item(1, 1.0, label=1.0), Item(1, 0.0)])
    assert alone is not None
    assert (alone.value, alone.low) == (1.0, None)


def test_a_judge_that_always_says_the_same_is_not_trusted_by_rounding() -> None:
    items = [
        Item(
            f"q{at % 3}", 1.0, 1 / 13 if at % 3 else 1 / 11, label=float(at % 5 > 1) if at % 4 else None, stands_for=2.9
        )
        for at in range(37)
    ]
    found = corrected_mean(items)
    assert found is not None
    assert found.power == 0


def shares(seed: int, clusters: int, labelled: int) -> list[Item]:
    """Claims of reports: what the judge takes for cited, and what people say of ``labelled`` of them."""
    lot = Random(seed)
    items: list[Item] = []
    for cluster in range(clusters):
        lean, size = lot.uniform(0.5, 0.95), lot.randint(3, 9)
        for _ in range(size):
            whole = float(lot.random() < 0.85)
            label = whole * float(lot.random() < lean)
            verdict = label if lot.random() < 0.85 else 1 - label
            items.append(Item(cluster, verdict, 1 / size, label, 1.0, whole))
    told = {*lot.sample(range(len(items)), labelled)}
    return [it if at in told else replace(it, label=None) for at, it in enumerate(items)]


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0])
def test_a_ratio_and_its_error_are_those_of_the_formula_written_out(power: float) -> None:
    items = shares(3, 40, 60)
    told = [it for it in items if it.label is not None]
    v = [it.share / sum(one.share for one in items) for it in items]
    w = [it.share / sum(one.share for one in told) for it in told]
    mean_f = sum(a * it.verdict for a, it in zip(v, items, strict=True))
    whole = sum(a * it.whole for a, it in zip(w, told, strict=True))
    above = power * mean_f + sum(a * ((it.label or 0) - power * it.verdict) for a, it in zip(w, told, strict=True))
    rest = [(it.label or 0) - above / whole * it.whole - power * it.verdict for it in told]
    mean_rest = sum(a * r for a, r in zip(w, rest, strict=True))
    moved: dict[object, float] = defaultdict(float)
    for a, it in zip(v, items, strict=True):
        moved[it.cluster] += power * a * (it.verdict - mean_f)
    for a, it, r in zip(w, told, rest, strict=True):
        moved[it.cluster] += a * (r - mean_rest)
    clusters = len({it.cluster for it in told})
    error = (sum(it**2 for it in moved.values()) * clusters / (clusters - 1)) ** 0.5 / whole
    found = corrected_ratio(items, power)
    assert found is not None
    assert found.value == pytest.approx(above / whole, abs=1e-12)
    assert found.error == pytest.approx(error, abs=1e-12)
    spread = sum(it**2 for it in found.influence.values())  # what differences are made of
    assert (spread * clusters / (clusters - 1)) ** 0.5 == pytest.approx(error, abs=1e-12)
    assert found.high is not None
    assert found.low == pytest.approx(2 * found.value - found.high, abs=1e-12)


def test_the_tuned_power_of_a_ratio_is_about_the_one_with_the_least_error() -> None:
    items = shares(5, 80, 150)
    found = corrected_ratio(items)
    assert found is not None
    errors = {power: it.error for power in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if (it := corrected_ratio(items, power))}
    assert found.error is not None
    assert found.error == pytest.approx(min(it for it in errors.values() if it is not None), rel=0.02)
    assert found.error < (errors[0.0] or 0)


def test_where_all_are_counted_a_ratio_is_the_mean() -> None:
    items = [replace(it, whole=1.0) for it in shares(7, 30, 50)]
    ratio, mean = corrected_ratio(items), corrected_mean(items)
    assert ratio is not None
    assert mean is not None
    assert (ratio.value, ratio.error) == (pytest.approx(mean.value), pytest.approx(mean.error))


def test_nothing_is_said_of_a_ratio_of_which_nobody_counts_anything() -> None:
    assert corrected_ratio([Item(1, 1.0, label=0.0, whole=0.0), Item(2, 1.0)]) is None
    assert corrected_ratio([Item(1, 1.0)]) is None


def test_intervals_of_a_ratio_hold_the_truth_as_often_as_they_promise() -> None:
    truth = 0.725  # mean of lean, between .5 and .95, which is drawn apart from what is counted
    held = 0
    for seed in range(300):
        found = corrected_ratio(shares(seed, 40, 80))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.91 <= held / 300 <= 0.98
