"""Which runs are exported."""

from pathlib import Path

import pytest

from drretail.errors import UnknownName, UserError
from drretail.exports.formats import export
from drretail.exports.selection import Selection, read_rule
from tests.exports.conftest import FLOOR, HYBRID, REACT


def ids(selection: Selection) -> list[str]:
    return [chosen.run.run_id for chosen in selection]


def test_floors_and_failed_runs_are_left_out_and_a_system_goes_by_the_beginning_of_its_label(exp: Path) -> None:
    selection = Selection.of(exp)
    assert ids(selection) == [f"{HYBRID}/q1-r1", f"{REACT}/q1-r1", f"{REACT}/q2-r1"]
    assert selection.left_out == {"without a report": 1}
    assert ids(selection) == ids(selection)
    assert selection.left_out.total() == 1
    assert f"{FLOOR}/q1-r1" in ids(Selection.of(exp, floors=True))
    assert f"{HYBRID}/q2-r1" in ids(Selection.of(exp, failed=True))
    assert {each.partition("/")[0] for each in ids(Selection.of(exp, ["react"]))} == {REACT}
    with pytest.raises(UnknownName):
        Selection.of(exp, ["nobody"])


def test_a_rule_keeps_runs_whose_report_was_judged_so_and_names_what_was_judged(exp: Path) -> None:
    values = {
        chosen.run.run_id: got.value
        for chosen in Selection.of(exp)
        for got in chosen.got
        if got.variant == "FP" and got.value is not None
    }
    best = max(values.values())
    kept = Selection.of(exp, rules=[read_rule(f"FP >= {best}")])
    assert ids(kept) == [each for each, value in values.items() if value >= best]
    assert f"not FP >= {best}" in kept.left_out
    assert ids(Selection.of(exp, rules=[read_rule(f"faithfulness FP>={best}")])) == ids(kept)
    with pytest.raises(UnknownName, match="FP"):
        Selection.of(exp, rules=[read_rule("FPP > 0.1")])


@pytest.mark.parametrize("text", ["FP", "FP = 3", ">= 3", "FP >= x"])
def test_what_is_no_rule_is_told(text: str) -> None:
    with pytest.raises(UserError, match="is no rule"):
        read_rule(text)


def test_nothing_is_replaced_unasked_and_nothing_is_written_of_nothing(exp: Path, tmp_path: Path) -> None:
    to = tmp_path / "chat.jsonl"
    export(Selection.of(exp), "chat", to)
    held = to.read_bytes()
    with pytest.raises(UserError, match="--force"):
        export(Selection.of(exp), "chat", to)
    for form in ("chat", "drb", "dataset"):
        none = Selection.of(exp, rules=[read_rule("FP > 1")])
        with pytest.raises(UserError, match="left to export: 3 not FP > 1, 1 without a report"):
            export(none, form, tmp_path / form)
        assert not (tmp_path / form).exists()
    export(Selection.of(exp), "chat", to, force=True)
    assert to.read_bytes() == held
    with pytest.raises(UnknownName, match="chat"):
        export(Selection.of(exp), "chatt", tmp_path / "x")
