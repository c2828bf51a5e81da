"""Inspect's own statistics as an independent check of ours. Tests stats/agreement.py."""

import random
from collections.abc import Sequence

import pytest

from drretail.addons.lab.raters import Level, krippendorff_alpha

pytest.importorskip("inspect_ai", reason="no inspect_ai: pip install inspect-ai")

from inspect_ai.scorer import MetricProtocol, SampleScore, Score
from inspect_ai.scorer import krippendorff_alpha as inspects_alpha

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def by(metric: object, values: Sequence[list[float]]) -> object:
    """What a metric of inspect's makes of these samples."""
    assert isinstance(metric, MetricProtocol)
    return metric([SampleScore(score=Score(value=value), sample_id=at) for at, value in enumerate(values)])


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_inspects_to_the_tenth_decimal(level: Level) -> None:
    """Of up to five raters of up to forty items, who agree by and large and leave items out."""
    compared = 0
    for seed in range(20):
        draw = random.Random(seed)
        levels, items = draw.randint(2, 6), list[list[float]]()
        for _ in range(draw.randint(3, 40)):
            truth, raters = draw.randrange(levels), draw.randint(0, 5)
            items.append([truth if draw.random() < 0.7 else float(draw.randrange(levels)) for _ in range(raters)])
        ours, theirs = krippendorff_alpha(items, level).value, by(inspects_alpha(level), items)
        if ours is not None:
            assert ours == pytest.approx(theirs, abs=1e-10)
            compared += 1
    assert compared > 17
    same = [[1.0, 1.0], [1.0, 1.0, 1.0]]
    assert (by(inspects_alpha(level), same), krippendorff_alpha(same, level).value) == (1.0, None)
