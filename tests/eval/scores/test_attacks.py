"""What hostile texts cost a system on the same queries."""

from dataclasses import replace

from drretail.eval.scores.attacks import attack_rows
from drretail.eval.scores.gathering import Gathered
from drretail.records.run import INJECTED
from drretail.records.score import Score
from tests.eval.compare.crafted import CODE, gathered, runs

PLAIN = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
ATTACKED = [1.0, 0.0, None, 0.0, 1.0, 0.0, 1.0, 1.0]


def among_texts(held: Gathered, label: str) -> Gathered:
    system = held.definition.systems[label]
    systems = {**held.definition.systems, label: system.model_copy(update={"options": {INJECTED: "abc"}})}
    return replace(held, definition=held.definition.model_copy(update={"systems": systems}))


def test_utility_lost_is_paired_over_planned_runs_and_a_run_that_fails_under_attack_has_lost_it() -> None:
    held = among_texts(gathered(("basket", "feasible", CODE, {"a": runs(PLAIN), "b": runs(ATTACKED)})), "b")
    obeyed = Score(
        metric="robustness", version=1, variant="obeyed", system="b", value=0.25, ci_low=0.1, ci_high=0.5,
        n_planned=8, n_scored=8, judge="code", judge_kind="rule_based",
    )  # fmt: skip
    (row,) = attack_rows(held, [obeyed])
    assert (row.system, row.plain, row.n_queries) == ("b", "a", 8)
    assert (row.utility, row.utility_attacked, row.lost) == (0.875, 0.5, 0.375)
    assert row.lost_low is not None
    assert row.lost_low < 0.375
    assert (row.obeyed, row.obeyed_low, row.obeyed_high) == (0.25, 0.1, 0.5)


def test_a_system_that_ran_in_one_way_alone_has_no_row() -> None:
    alone = gathered(("basket", "feasible", CODE, {"a": runs(PLAIN)}))
    assert list(attack_rows(alone, [])) == []
    assert list(attack_rows(among_texts(alone, "a"), [])) == []
