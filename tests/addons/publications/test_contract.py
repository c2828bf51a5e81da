"""What holds of every metric holds of the published ones where an answer has a form of theirs."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from drretail.addons.publications.pqr.axis import CriterionScore
from drretail.addons.publications.report_eval.score import DIMENSIONS, Factuality, Grades
from drretail.records.base import Record
from tests.eval.metrics.test_contract import cut_at_every_line, sent_back_twice


@pytest.mark.parametrize("name", ["pqr", "dr3"])
def test_judging_that_was_cut_at_any_line_asks_nothing_that_the_journal_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("eval.claims.claims", "addons.publications.pqr.triplets"):
        monkeypatch.setattr(f"drretail.{place}.MOST_CLAIMS", 2)  # so that one report takes several calls
    monkeypatch.setattr("drretail.addons.publications.dr3.opinions.MOST_INSIGHTS", 1)
    cut_at_every_line(name, tmp_path, monkeypatch)


# What no judge may answer, by the schema of the answer.
UNUSABLE: list[tuple[type[Record], dict[str, Any]]] = [
    *((Grades, {"reason": "So."} | dict.fromkeys(DIMENSIONS, grade)) for grade in (5, True)),
    *((Factuality, {"explanation": "So.", "label": label}) for label in (2, 0.5, True)),
    (CriterionScore, {"criterion": "x", "analysis": " ", "target_score": 5}),
]


def test_an_answer_off_the_scale_or_without_an_analysis_is_none() -> None:
    for schema, answer in UNUSABLE:
        with pytest.raises(ValidationError):
            pytest.fail(str(schema.model_validate_json(json.dumps(answer), strict=True)))


def test_grades_without_a_reason_are_sent_back_twice(tmp_path: Path) -> None:
    sent_back_twice(tmp_path, "report_eval", {"reason": " "} | dict.fromkeys(DIMENSIONS, 2))
