"""Judges of published metrics are asked of imported reports without a shop."""

from pathlib import Path

from drretail.addons.publications.pqr.axis import AXES, weights_prompts
from drretail.addons.publications.pqr.score import scoring_prompt
from drretail.eval.judging.dimensions import PHRASES, neutral
from tests.eval.test_method import SHOP, asked_of, imported, packaged_prompts

__all__ = ["imported"]


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
