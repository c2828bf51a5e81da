from dataclasses import replace
from pathlib import Path

import pytest

from drretail.records.score import Score, SliceScore
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import page_of
from tests.viewer.dom import Element, parse

LABELS = ("null_copy", "react@m", "oracle", "react+ws@m")
SLICES = {"Baby_Products": 12, "Pet_Supplies": 4}


def score(label: str, **fields: object) -> Score:
    usual = {"metric": "faithfulness", "version": 1, "variant": "FP", "value": 0.5, "ci_low": 0.4, "ci_high": 0.6}
    usual |= {"n_planned": 16, "n_scored": 16, "judge": "p:m", "judge_kind": "llm", "system": label}
    return Score.model_validate(usual | fields)


def sliced(label: str, name: str, count: int) -> SliceScore:
    usual: dict[str, object] = {"by": "category", "metric": "faithfulness", "variant": "FP", "value": 0.5}
    usual |= {"judge": "p:m", "judge_kind": "llm", "n_planned": count, "n_scored": count}
    return SliceScore.model_validate({**usual, "system": label, "name": name, "n_queries": count, "n_counted": count})


def section(judged: Path, scores: list[Score], slices: list[SliceScore]) -> Element:
    view = replace(read_view(judged), scores=tuple(scores), slices=tuple(slices))
    return parse(page_of(view)).by_id("scores")


@pytest.fixture(scope="module")
def scores(judged: Path) -> Element:
    rows = [score(label) for label in LABELS]
    rows.append(score("react@m", policy="planned", value=0.25, ci_low=0.2, ci_high=0.3))
    return section(judged, rows, [sliced(label, name, n) for label in LABELS for name, n in SLICES.items()])


def heads(part: Element) -> list[str]:
    return [cell.text.strip() for cell in part.all("th") if cell.attributes.get("scope") == "row"]


def test_floors_stand_below_a_rule_of_their_own_and_slices_are_folded_with_few_ones_grey(scores: Element) -> None:
    table = next(scores.all("table"))
    bodies = list(table.all("tbody"))
    assert [body.attributes["class"] for body in bodies] == ["system", "floor"]
    assert heads(bodies[1]) == ["null_copy", "oracle"]
    assert "The null agents are trivial." in scores.text
    (folded,) = scores.all("details", "slices")
    assert "open" not in folded.attributes
    assert [head.text for head in folded.all("th", "few")] == ["Pet Supplies n=4"]
    assert "Baby Products n=12" in folded.text
    assert "Grey: n is below 10" in folded.text


def test_wide_tables_are_cut_with_groups_kept_together(judged: Path) -> None:
    names = ("FP", "FP_types", "FP_eq2", "FP_pooled", "FP_strict", "FP_web", "FP_product", "FP_internal")
    names = (*names, "FR", "FR_url", "FR_pooled")
    wide = section(judged, [score(label, variant=name) for label in LABELS for name in names], [])
    columns = [[cell.text.strip() for cell in head.all("th")] for head in wide.all("thead")]
    assert columns == [
        ["System", "FP", "FP types", "FP eq2", "FP pooled", "FP strict"],
        ["System", "FP web", "FP product", "FP internal", "FR", "FR url", "FR pooled"],
    ]
