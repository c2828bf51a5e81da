"""What holds of every metric holds of the published ones where an answer has a form of theirs."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from drretail.addons.publications.pqr.axis import AXES, CriterionScore, weights_prompts
from drretail.addons.publications.pqr.score import scoring_prompt
from drretail.addons.publications.report_eval.score import DIMENSIONS, Factuality, Grades
from drretail.eval.judging.dimensions import PHRASES, neutral
from tests.eval.metrics.test_contract import cut_at_every_line, sent_back_twice
from tests.eval.test_method import SHOP, asked_of, imported, packaged_prompts

__all__ = ["imported"]


@pytest.mark.parametrize("name", ["pqr", "dr3"])
def test_judging_that_was_cut_at_any_line_asks_nothing_that_the_journal_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("eval.claims.claims", "addons.publications.pqr.triplets"):
        monkeypatch.setattr(f"drretail.{place}.MOST_CLAIMS", 2)  # so that one report takes several calls
    monkeypatch.setattr("drretail.addons.publications.dr3.opinions.MOST_INSIGHTS", 1)
    cut_at_every_line(name, tmp_path, monkeypatch)


def test_an_answer_off_the_scale_or_without_an_analysis_is_none() -> None:
    # What no judge may answer, by the schema of the answer.
    for schema, answer in [
        *((Grades, {"reason": "So."} | dict.fromkeys(DIMENSIONS, grade)) for grade in (5, True)),
        *((Factuality, {"explanation": "So.", "label": label}) for label in (2, 0.5, True)),
        (CriterionScore, {"criterion": "x", "analysis": " ", "target_score": 5}),
    ]:
        with pytest.raises(ValidationError):
            pytest.fail(str(schema.model_validate_json(json.dumps(answer), strict=True)))


def test_grades_without_a_reason_are_sent_back_twice(tmp_path: Path) -> None:
    sent_back_twice(tmp_path, "report_eval", {"reason": " "} | dict.fromkeys(DIMENSIONS, 2))


def test_no_question_of_a_published_metric_speaks_of_a_shop_where_reports_are_imported(imported: Path) -> None:
    asked = asked_of(imported, metrics=("pqr", "dr3", "report_eval"))
    schemas = {title for title, _ in asked}
    assert {"PersonalizationScores", "SubCriteria", "MetRequirements"} <= schemas
    assert "Grades" in schemas
    assert any("What is known of the user:\n<profile>\nA carpenter." in text for _, text in asked)
    assert {title: found for title, text in asked if (found := SHOP.findall(text))} == {}


def test_every_phrase_that_has_another_elsewhere_stands_in_a_packaged_prompt() -> None:
    own = [*map(scoring_prompt, AXES), *weights_prompts(AXES)]
    whole = "\n".join(prompt.shared + prompt.text for prompt in (*packaged_prompts(), *own))
    assert [ours for ours, _ in PHRASES if ours not in whole] == []
    assert not any(SHOP.search(prompt.shared + prompt.text) for prompt in map(neutral, own))
