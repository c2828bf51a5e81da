"""Inspect's own statistics as an independent check of ours. Tests stats/agreement.py and stats/intervals.py."""

import random
from collections.abc import Sequence

import pytest

from drretail.stats.agreement import Level, krippendorff_alpha
from drretail.stats.intervals import Interval, mean_interval
from tests.build import known

pytest.importorskip("inspect_ai", reason="no inspect_ai: pip install inspect-ai")

from inspect_ai.scorer import MetricProtocol, SampleScore, Score, ci
from inspect_ai.scorer import krippendorff_alpha as inspects_alpha

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def by(metric: object, values: Sequence[float | list[float]], queries: Sequence[int] = ()) -> object:
    """What a metric of inspect's makes of these samples; ``queries`` says which samples are repeats of one."""
    assert isinstance(metric, MetricProtocol)
    result = queries or range(len(values))
    return metric(
        [
            SampleScore(score=Score(value=value), sample_id=at, sample_metadata={"query": query})
            for at, (value, query) in enumerate(zip(values, result, strict=True))
        ]
    )


def ends(found: object) -> tuple[float, float]:
    assert isinstance(found, dict)
    return found["lower"], found["upper"]


def width(found: Interval) -> float:
    return known(found.high) - known(found.low)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_inspects_to_the_tenth_decimal(level: Level) -> None:
    """Of up to five raters of up to forty items, who agree by and large and leave items out."""
    compared = 0
    for seed in range(200):
        draw = random.Random(seed)
        levels, items = draw.randint(2, 6), list[list[float]]()
        for _ in range(draw.randint(3, 40)):
            truth, raters = draw.randrange(levels), draw.randint(0, 5)
            items.append([truth if draw.random() < 0.7 else float(draw.randrange(levels)) for _ in range(raters)])
        ours, theirs = krippendorff_alpha(items, level).value, by(inspects_alpha(level), items)
        if ours is not None:
            assert ours == pytest.approx(theirs, abs=1e-10)
            compared += 1
    assert compared > 190
    same = [[1.0, 1.0], [1.0, 1.0, 1.0]]
    assert (by(inspects_alpha(level), same), krippendorff_alpha(same, level).value) == (1.0, None)


def test_queries_of_one_user_and_repeats_are_a_cluster_for_both() -> None:
    draw = random.Random(11)
    for size, spread in ((3, 0.05), (4, 0.02)):
        centres = [draw.random() for _ in range(30)]
        values = [centre + draw.gauss(0, spread) for centre in centres for _ in range(size)]
        clusters = [at // size for at in range(30 * size)]
        low, high = ends(by(ci(cluster="query"), values, clusters))
        assert width(mean_interval(values, tuple(clusters))) == pytest.approx(high - low, rel=0.1)
        of_means = mean_interval([sum(values[at : at + size]) / size for at in range(0, len(values), size)])
        assert width(of_means) == pytest.approx(high - low, rel=0.1)
