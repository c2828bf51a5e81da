from random import Random

import pytest

from drretail.stats.prediction_powered import Item, corrected_mean, independent_mean


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
