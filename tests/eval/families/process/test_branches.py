"""Model turns where researchers work side by side."""

from drretail.agents.dr3.errands import READ_FILE, SEARCH_SANDBOX
from drretail.agents.hybrid_react.moves import LAUNCH as MOVE
from drretail.eval.families.process.counting import LAUNCH, turns, turns_to_evidence
from drretail.offline.shopper import task
from drretail.records.run import ERRANDS, Step
from tests.eval.families.process.runs import SEARCH, call, numbered, turn


def launch(error: str | None = None) -> Step:
    return call(LAUNCH, error=error, sub_problem="feeders")


def test_the_moves_that_open_branches_are_the_agents_own() -> None:
    assert LAUNCH == MOVE
    assert {it.name for it in (READ_FILE, SEARCH_SANDBOX)} == ERRANDS == {task.READ_FILE, task.SEARCH_SANDBOX}


def test_turns_are_the_answers_of_models_that_act_or_write_in_all_branches() -> None:
    steps = numbered(
        turn("supervisor"),
        launch(),
        turn("report"),
        turn(path="0.1"),
        turn("summariser", path="0.1"),
        turn(path="0.1", error="timeout"),
        turn("synthesis", path="0.1"),
    )
    assert turns(steps) == 4


def test_evidence_of_a_single_agent_comes_after_the_turns_before_it() -> None:
    assert turns_to_evidence(numbered(turn(), call(SEARCH), turn(), call(SEARCH, "P:X"), turn())) == 2


def test_evidence_that_came_before_the_first_turn_took_none() -> None:
    assert turns_to_evidence(numbered(call(SEARCH, "P:X"), turn())) == 0


def test_without_evidence_there_is_no_such_number() -> None:
    assert turns_to_evidence(numbered(turn(), call(SEARCH))) is None
    assert turns_to_evidence(()) is None


def test_a_branch_waits_for_its_launch_and_for_no_branch_beside_it() -> None:
    steps = numbered(
        turn("supervisor"),
        launch(),
        launch(error="limit: At most one researcher"),
        turn("supervisor"),
        launch(),
        turn("supervisor"),
        turn(path="0.1"),
        call(SEARCH, path="0.1"),
        turn(path="0.1"),
        turn(path="0.1"),
        turn(path="0.2"),
        call(SEARCH, "P:X", path="0.2"),
    )
    assert turns_to_evidence(steps) == 3


def test_a_branch_that_came_back_with_nothing_was_launched_all_the_same() -> None:
    steps = numbered(
        turn("supervisor"),
        launch(error="unavailable: Researcher 1 came back with nothing"),
        turn("supervisor"),
        launch(),
        turn(path="0.1"),
        turn(path="0.2"),
        call(SEARCH, "P:X", path="0.2"),
    )
    assert turns_to_evidence(steps) == 3


def test_a_branch_of_dr3_waits_for_the_question_that_opened_it() -> None:
    steps = numbered(
        turn(),
        call("read_file", error="invalid_argument: There is no file", file="x", question="What?"),
        turn(),
        call("search_sandbox", question="How?"),
        turn(),
        turn(path="0.1", role="retriever"),
        call(SEARCH, "W:x", path="0.1"),
    )
    assert turns_to_evidence(steps) == 3
