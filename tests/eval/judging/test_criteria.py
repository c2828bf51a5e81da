"""Criteria, as files of earlier versions hold them."""

from drretail.records.criteria import Criteria


def test_criteria_of_version_1_0_name_their_metric_family() -> None:
    written = {"format": 1, "family": "rubrics", "query_id": "q1", "groups": []}
    read = Criteria.model_validate(written)
    assert read.metric == "rubrics"
    assert Criteria.model_validate(read.model_dump(mode="json")) == read
