import pytest

from drretail.errors import UnknownName, UserError
from drretail.eval.family import Family, check_rules
from drretail.eval.registry import METRICS, load_metric, load_metrics, metric_names
from tests.eval.folders import STUB

BY_CODE = {"checks", "process", "basket", "outcome", "understood", "next_purchase", "robustness"}


@pytest.mark.parametrize("name", METRICS)
def test_every_built_in_metric_is_found_under_its_own_name(name: str) -> None:
    metric = load_metric(name)
    assert metric.name == name
    assert metric.pooled.keys() <= set(metric.variants)
    assert len(set(metric.variants)) == len(metric.variants)
    assert name in metric_names()
    assert isinstance(metric, Family)
    assert metric.needs_judge is (name not in BY_CODE)
    assert {*metric.description.headlines, *metric.description.compared, *metric.description.counts} <= {
        *metric.variants
    }


def test_a_metric_of_one_s_own_is_named_by_its_place() -> None:
    assert load_metric(STUB).name == "stub"


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean faithfulness"):
        load_metric("faithfullness")


@pytest.mark.parametrize(
    ("place", "said"), [("os:path", "is not a metric"), ("nowhere:X", "cannot be loaded"), ("os:X", "cannot be loaded")]
)
def test_a_place_without_a_metric_is_said(place: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        load_metric(place)


def test_rules_that_a_family_does_not_know_are_told_before_anything_is_asked() -> None:
    metrics = load_metrics(["checks", "quality"])
    check_rules(metrics, "paper")
    with pytest.raises(UserError, match="quality knows the rules default, paper, drg, and not hkuds"):
        check_rules(metrics, "hkuds")
