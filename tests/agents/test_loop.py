"""The loop of every role with tools: what ends it, what is asked once more, what a branch comes to."""

import asyncio
from collections.abc import Sequence

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.loop import Branch, Launching, begun, in_launch_order, write_within_context
from drretail.env.world import World
from drretail.errors import ModelError, ToolError
from drretail.records.run import Limits
from drretail.tools.tool import ToolResult
from tests.agents.conftest import calls, perform, reporting
from tests.agents.hybrid_react.cast import DONE, FEEDER, cast, launch
from tests.agents.hybrid_react.cast import perform as perform_hybrid
from tests.build import known

REPORT = reporting("Take the tube feeder for $24.99 [P:B0TEST0001].", "P:B0TEST0001 x 1")


def test_branches_stand_by_their_numbers_and_say_what_they_came_to() -> None:
    made = [Branch(number=at, path=f"0.{at}") for at in (11, 2, 10, 1)]
    assert [branch.number for branch in in_launch_order(made[:2], made[2:])] == [1, 2, 10, 11]
    fine = Branch(number=2, path="0.2", value={"n": 1})
    assert (fine.outcome("Researcher {number}"), fine.failed) == (ToolResult({"n": 1}, ()), ())
    for failure, kind in (("timeout", "timeout"), ("refusal", "unavailable")):
        lost = Branch(number=2, path="0.2", failure=failure, message="no")  # pyright: ignore[reportArgumentType]
        error = lost.outcome("Researcher {number}")
        assert isinstance(error, ToolError)
        assert (error.kind, error.message) == (kind, f"Researcher 2 came back with nothing: {failure}: no")
        assert lost.failed == (f"0.2: {failure}: no",)


def test_a_new_beginning_leaves_nothing_of_what_a_thread_holds() -> None:
    assert begun([]).keys() == Launching.__annotations__.keys()


@pytest.mark.parametrize(
    ("sizes", "tries"),
    [
        ([8, 1, 1, 1, 1], [0, 1, 2, 3, 4]),  # a fourth of 12, then of the 4, 3 and 2 that are left
        ([1] * 8, [0, 2, 4, 5, 6, 7]),
        ([1, 9, 1], [0, 2]),
        ([5], [0]),
        ([], [0]),
    ],
)
def test_a_fourth_of_what_is_left_is_left_out_at_each_try_and_never_the_newest(
    sizes: Sequence[int], tries: list[int]
) -> None:
    asked: list[int] = []

    async def write(left_out: int) -> str:
        asked.append(left_out)
        if left_out < fits:
            raise ModelError("context_overflow", "too long")
        return "written"

    fits = len(sizes) + 1  # nothing fits
    with pytest.raises(ModelError, match="too long"):
        asyncio.run(write_within_context(write, sizes))
    assert asked == tries
    fits = tries[-1]
    assert asyncio.run(write_within_context(write, sizes)) == ("written", tries[-1])


def test_a_question_that_does_not_fit_the_model_at_all_has_failed_as_that(world: World) -> None:
    recorded, shown = perform(world, ModelError("context_overflow", "prompt is too long"))
    assert (recorded.run.status, known(recorded.run.error).kind, len(shown)) == ("failed", "context_overflow", 1)


def test_finalize_in_the_last_turn_finishes_and_a_call_that_was_no_look_up_is_none(world: World) -> None:
    played = cast((launch("feeder"), calls(DONE)))
    run = perform_hybrid(world, played, limits=Limits(supervisor_turns=2)).run
    assert (run.status, run.stop) == ("done", "finished")
    for tokens, stop in ((35_000, "token_budget"), (900_000, "finished")):
        refused = cast((launch("feeder", "bath", "seed", "more"), calls(DONE)))
        limits = Limits(tokens=tokens, researchers=3)
        assert perform_hybrid(world, refused, limits=limits).run.stop == stop, "a launch too many is no lack of tokens"
    thought = ("Reason", {"thought": "That is enough."})
    played = cast((launch("feeder"), calls(thought, DONE)), {"feeder": (calls(thought, FEEDER), calls(DONE, thought))})
    run = perform_hybrid(world, played).run
    assert (run.status, run.stop, run.notes) == ("done", "finished", ()), "one of several calls finishes or looks up"
    assert (len(played.shown["supervisor"]), len(played.shown["researcher"])) == (2, 2)
    played = cast((launch("feeder"), calls(("Finalize", {"now": True})), calls(DONE)))
    assert perform_hybrid(world, played).run.status == "done"
    assert len(played.shown["supervisor"]) == 3, "a Finalize that was refused ends nothing"
    wrong = ("product_catalog_search", {"query": 7})
    long = AIMessage("word " * 60)
    recorded, shown = perform(world, calls(wrong), long, long)
    assert known(recorded.run.error).message == f"nothing was looked up; the last turn said: {('word ' * 60)[:160]}"
    assert "nothing has been looked up" in shown[2].messages[-1].text
    recorded, _ = perform(world, calls(("get_product_details", {"product_id": "B0NOWHERE0"})), REPORT)
    assert recorded.run.status == "done", "what is not there was looked up all the same"
