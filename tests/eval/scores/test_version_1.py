"""scores.json of version 1.0 is read: what was a record of its own is a score of a part."""

from typing import Any

from drretail.eval.scores.facts import missing_of
from drretail.eval.scores.version_1 import as_today
from drretail.records.score import Scores
from tests.build import known

OF = {"metric": "quality", "variant": "Avg", "judge": "p:m", "judge_kind": "llm"}
SLICE = {**OF, "by": "kind", "name": "gift", "system": "a", "value": 7, "n_queries": 4, "n_counted": 3}
CELL = {"setting": "32k", "system": "a", "mean": 0.5, "ci_low": 0.4, "n": 3, "n_planned": 4, "at": 32e3}
CHANGED = {"metric": "counterfactual", "version": 3, "system": "b", "factual": "a", "kind": "swap", "value": 0.25}
PAIR = {
    **{"version": 1, "dimension": "overall", "a": "a", "b": "b", "judge": "p:m", "judge_kind": "llm", "n_planned": 20},
    **{"n_scored": 20, "win_rate": 0.1, "ci_low": 0.02, "ci_high": 0.3, "n_queries": 10, "queries_won": 1},
    **{
        "queries_lost": 9,
        "p": 0.001,
        "p_holm": 0.007,
        "tests": 7,
        "length_controlled": 0.2,
        "length_controlled_low": 0.1,
    },
}
MISSING = {"n/a": 1, "failed": 2, "run failed": 1, "as 0": 3}
BOARD_CELL = {"value": 0.5, "ci_low": 0.4, "beside": 0.9, "n_scored": 9, "n_planned": 10, "missing": MISSING}
CONTRAST = {"metric": "checks", "variant": "clean", "n_planned": 5, "n_pairs": 5, "outcome": "undecided"}
OLD: dict[str, Any] = {
    "scores": [],
    "judgings": [],
    "slices": [{**SLICE, "n_planned": 8, "n_scored": 6}, {**SLICE, "by": "constraint", "name": "budget"}],
    "ablations": [{**OF, "by": "size", "name": "quality", "rows": [{"agent": "a", "cells": [CELL], "steps": []}]}],
    "counterfactuals": [{**CHANGED, "measure": "change", "of": "products", "n_planned": 4, "n_scored": 2, "n_na": 2}],
    "pairs": [PAIR],
    "attacks": [{"system": "b", "plain": "a", "n_queries": 3}],
    "scoreboard": {
        "judge": {"spec": "p:m"},
        "columns": [{"name": "clean", "metric": "checks", "variant": "clean"}],
        "rows": [{"system": "a", "cells": {"clean": BOARD_CELL}}],
        "compared": [{"measure": "clean", "pairs": [{"a": "a", "b": "b", "row": CONTRAST}]}],
        "others": [{"judge": {"spec": "p:n"}, "rows": []}],
    },
}


def test_slices_settings_counterfactuals_preferences_and_other_judges_of_version_1_are_read() -> None:
    read = Scores.model_validate(as_today(OLD))
    (part,) = read.slices
    assert (part.by, part.part, part.value, part.n_asked, part.n_counted, part.n) == ("kind", "gift", 7, 4, 3, 6)
    ((row,),) = (table.rows for table in read.ablations)
    (cell,) = row.cells
    assert (cell.by, cell.part, cell.value, cell.ci_low) == ("size", "32k", 0.5, 0.4)
    assert (cell.n_asked, cell.n_counted, cell.judge) == (4, 3, "p:m")
    (change,) = read.counterfactuals
    assert (change.variant, change.system, change.value, change.n_asked) == ("change products", "b", 0.25, 4)
    board = known(read.scoreboard)
    assert [judge.spec for judge in board.others] == ["p:n"]
    of_board = board.rows[0].cells["clean"]
    assert (of_board.metric, of_board.value, of_board.beside, of_board.n) == ("checks", 0.5, 0.9, 9)
    assert missing_of(of_board) == MISSING
    assert [(row.a, row.b, row.n_pairs) for row in board.compared[0].pairs] == [("a", "b", 5)]
    assert read.attacks == ()
    (pair,) = read.pairs
    row = pair.contrast
    assert (row.difference, row.ci_low, row.ci_high, row.outcome, row.is_primary) == (-0.8, -0.96, -0.4, "lower", True)
    assert (row.n_pairs, row.above, row.equal, row.below, row.p_holm, row.tests) == (10, 1, 0, 9, 0.007, 7)
    assert (pair.win_rate.value, pair.win_rate.ci_low, pair.length_controlled.ci_low) == (0.1, 0.02, 0.1)


def test_what_is_written_today_is_read_as_it_is() -> None:
    today = Scores.model_validate(as_today(OLD)).model_dump(mode="json", exclude_none=True)
    assert Scores.model_validate(as_today(today)).model_dump(mode="json", exclude_none=True) == today
