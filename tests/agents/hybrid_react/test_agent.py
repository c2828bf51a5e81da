"""How hybrid_react divides research and ends within its budget, and what each of its roles can call and is told."""

import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiments.run_file import Recorded
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, scripted_model
from drretail.records.run import Limits, Run, Step
from drretail.tools.registry import TOOLS
from tests.agents.conftest import Scripted, calls, record, sut
from tests.agents.grounded_hybrid.staging import WISH, understanding
from tests.agents.hybrid_react.cast import (
    BATH,
    DONE,
    FEEDER,
    PAGES,
    PROFILE,
    REPORT,
    Cast,
    cast,
    launch,
    perform,
    reported,
)
from tests.shop import USER

END = calls(DONE)


def replies(played: Cast, turn: int = -1) -> list[dict[str, Any]]:
    """What the supervisor had been told in a turn."""
    messages = played.shown["supervisor"][turn].messages
    return [json.loads(message.text) for message in messages if isinstance(message, ToolMessage)]


def at(recorded: Recorded, path: str) -> list[Step]:
    return [step for step in recorded.run.steps if step.path == path]


def handed_on(turn: Request) -> list[dict[str, Any]]:
    """The intermediate reports that the report generator was given in a turn."""
    return json.loads(tag_content("reports", turn.messages[1].text) or "")


def reports(played: Cast) -> list[int]:
    """The researchers whose reports the report generator was given."""
    (turn,) = played.shown["report"]
    return [report["researcher"] for report in handed_on(turn)]


def test_more_launches_than_allowed_are_refused_and_not_numbered(world: World) -> None:
    played = cast((launch("a", "b", "c"), launch("d"), END))
    recorded = perform(world, played, limits=Limits(researchers=2))
    message = "At most 2 researchers may be launched in one turn: this one was not."
    told = replies(played)
    assert told.pop(2) == {"error": {"type": "limit", "message": message}}
    assert [reply["researcher"] for reply in told] == [1, 2, 3], "each turn has the replies to its own launches"
    assert reports(played) == [1, 2, 3]
    assert not at(recorded, "0.4")
    assert recorded.run.failed_branches == ()


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_supervisor_and_researcher_take_exactly_as_many_turns_as_they_may(world: World, turns: int) -> None:
    played = cast([launch(f"part {turn}") for turn in range(9)])
    run = perform(world, played, limits=Limits(supervisor_turns=turns)).run
    assert len(played.shown["supervisor"]) == turns
    assert (run.status, run.stop) == ("done", "turn_limit")
    assert reports(played) == list(range(1, turns + 1))  # the last turn's launches are run as well

    played = cast((launch("feeder"), END), {"feeder": [calls(FEEDER)] * 9})
    run = perform(world, played, limits=Limits(tool_turns=turns)).run
    assert len(played.shown["researcher"]) == turns
    assert (run.stop, run.notes) == ("finished", ("0.1: its research ended at the turn_limit",))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({}, "sub_problem is missing"),
        ({"sub_problem": "   "}, "sub_problem is blank"),
        ({"sub_problem": 7}, "must be a string"),
        ({"sub_problem": "x", "who": "me"}, "There is no argument 'who'"),
    ],
)
def test_a_malformed_launch_launches_nobody_and_is_told(world: World, bad: dict[str, object], message: str) -> None:
    played = cast((calls(("LaunchResearcher", bad)), launch("feeder"), END))
    recorded = perform(world, played)
    error = replies(played, 1)[0]["error"]
    assert error["type"] == "invalid_argument"
    assert message in error["message"]
    assert reports(played) == [1]
    assert recorded.run.failed_branches == ()


NOTHING = reported(insights=[])


@pytest.mark.parametrize(
    ("researcher", "synthesis", "failure"),
    [
        ((ModelError("timeout", "too slow"),), (), "timeout: too slow"),
        ((calls(FEEDER), ModelError("refusal", "no")), (), "refusal: no"),
        ((ZeroDivisionError("a bug"),), (), "model: ZeroDivisionError: a bug"),
        ((AIMessage("  "),), (), "unusable: the answer is empty"),
        ((calls(("Reason", {"thought": "Hm."})), END, END), (), "no_research: nothing was looked up"),
        ((calls(FEEDER), END), (ModelError("context_overflow", "too long"),), "context_overflow: too long"),
        ((calls(FEEDER), END), (NOTHING,) * 3, "unusable: no usable answer after 2 repairs: the report is empty"),
    ],
)
def test_a_researcher_that_brings_nothing_is_recorded_and_the_others_go_on(
    world: World, researcher: tuple[Scripted, ...], synthesis: tuple[Scripted, ...], failure: str
) -> None:
    played = cast((launch("a", "broken", "c"), END), {"broken": researcher}, {"broken": synthesis})
    run = perform(world, played).run
    assert (run.status, run.losses) == (
        "done",
        Counter(researcher=failure.startswith(("timeout", "model"))) + Counter(),
    )
    assert [branch.startswith(f"0.2: {failure}") for branch in run.failed_branches] == [True]
    assert reports(played) == [1, 3]
    error = replies(played)[1]["error"]
    assert error["type"] == ("timeout" if failure.startswith("timeout") else "unavailable")
    assert error["message"].startswith(f"Researcher 2 came back with nothing: {failure}")


@pytest.mark.parametrize(
    ("supervisor", "kind", "message"),
    [
        ((launch("broken", "broken"), END), "timeout", "0.1: timeout: slow; 0.2: timeout: slow"),
        ((launch("broken", "empty"), END), "agent", "0.1: timeout: slow; 0.2: no_research: nothing was"),
    ],
)
def test_without_findings_no_report(world: World, supervisor: tuple[AIMessage, ...], kind: str, message: str) -> None:
    played = cast(supervisor, {"broken": (ModelError("timeout", "slow"),), "empty": (END, END)})
    run = perform(world, played).run
    assert run.error is not None
    assert (run.status, run.stop, run.report, run.error.kind) == ("failed", "error", None, kind)
    assert run.error.message.startswith(f"no researcher brought anything back: {message}")
    assert not played.shown["report"]


@pytest.mark.parametrize("agent", ["hybrid_react", "grounded_hybrid"])
def test_a_report_that_does_not_fit_its_writer_is_written_without_the_oldest(world: World, agent: str) -> None:
    turns = (launch("feeder", "bath", "seed"), launch("more"), END)
    played = cast(turns, understanding=(understanding(WISH),))
    models = played.models()

    def play(request: Request) -> Scripted:
        if len(handed_on(request)) > 2:
            raise ModelError("context_overflow", "prompt is too long")
        played.shown["report"].append(request)
        return REPORT

    models["report"] = models["report"].with_chat(scripted_model(play=play).chat)
    run = record(world, sut(world, models, agent)).run
    assert run.status == "done"
    shown = [tuple(report["researcher"] for report in handed_on(turn)) for turn in played.shown["report"]]
    assert {*shown} <= {(3, 4), (4,)}
    assert any("written without the reports of researchers 1" in note for note in run.notes)


def total(run: Run) -> int:
    return sum(usage.total for usage in run.usage.values())


def test_the_budget_is_shared_among_as_many_as_are_launched_and_not_with_those_that_are_refused(world: World) -> None:
    limits = Limits(tokens=60_000, researchers=2, supervisor_turns=1, tool_turns=20)
    turns: list[int] = []
    for launched in (launch("a"), launch("a", "b"), launch("a", "b", "c", "d")):
        recorded = perform(world, cast([launched], {"": [calls(FEEDER)] * 20}), limits=limits)
        turns.append(sum(step.role == "researcher" and step.kind == "model" for step in at(recorded, "0.1")))
    assert turns[0] > turns[1] + 2 > 5, turns
    assert turns[2] >= turns[1] - 1


def batched_runs(seed: int | None = None) -> Cast:
    """Four researchers in two turns, one of whom fails; with a seed, each turn takes another few milliseconds."""
    dice = random.Random(seed)
    return cast(
        (launch("a", "b", "c"), launch("d"), END),
        {
            "a": (calls(FEEDER, PAGES), calls(PROFILE), END),
            "b": (calls(BATH), END),
            "c": (calls(FEEDER), ModelError("timeout", "slow")),
            "d": (calls(PROFILE, FEEDER), END),
        },
        {"b": (reported("P:B0TEST0004"),), "d": (reported("U:profile", "P:B0NONE"),) * 3},
        pause=lambda role, about: 0.0 if seed is None else dice.uniform(0, 0.02),
    )


def as_kept(recorded: Recorded) -> str:
    evidence = [entry.as_line() for entry in recorded.evidence]
    return json.dumps([recorded.run.as_line(), evidence, recorded.texts])


@pytest.mark.parametrize(("seed", "part"), [(1, 0.9), (2, 0.7), (3, 0.5)])
def test_a_token_budget_cuts_at_the_same_place_whatever_ends_first(world: World, seed: int, part: float) -> None:
    limits = Limits(tokens=int(part * total(perform(world, batched_runs()).run)))
    usual = perform(world, batched_runs(), limits=limits)
    assert usual.run.stop == "token_budget"
    assert as_kept(perform(world, batched_runs(seed), limits=limits)) == as_kept(usual)


SUB_PROBLEM = "Find a tube feeder below $30."
THOUGHT = ("Reason", {"thought": "The tube feeder fits."})


def test_supervisor_and_report_generator_read_reports_and_nothing_of_the_findings(world: World) -> None:
    """In a run in which everything is said once, so that it can be looked for where it must not be."""
    whole = cast(
        supervisor=(launch(SUB_PROBLEM, more=[("Reason", {"thought": "One is enough."})]), calls(DONE)),
        researcher={SUB_PROBLEM: (calls(THOUGHT, PROFILE, FEEDER, text="Profile first."), AIMessage("That is all."))},
    )
    assert perform(world, whole).run.status == "done"
    last = whole.shown["supervisor"][-1]
    replies = [message for message in last.messages if isinstance(message, ToolMessage)]
    assert json.loads(replies[0].text)["researcher"] == 1
    assert json.loads(replies[0].text)["report"]["insights"][0]["citations"] == ["P:B0TEST0001"]
    assert "Profile first." not in str(last.messages)
    assert "hits" not in str(last.messages)
    for turn in whole.shown["supervisor"]:
        assert turn.tool_names == {*turn.tools} == {"Reason", "LaunchResearcher", "Finalize"}
    for turn in whole.shown["researcher"]:
        assert turn.tool_names == {*turn.tools} == {"Reason", "Finalize", *TOOLS}

    (turn,) = whole.shown["report"]
    system, asked = turn.messages
    assert not turn.tools
    assert isinstance(system, SystemMessage)
    assert re.findall(r"^<([a-z_]+)>$", asked.text, re.MULTILINE) == ["query", "today", "reports"]
    assert handed_on(turn) == [{"researcher": 1, "report": json.loads(reported("P:B0TEST0001").text)}]
    for unseen in (SUB_PROBLEM, "One is enough.", "The tube feeder fits.", USER):
        assert unseen not in asked.text


FORMS = ("[P:B0TEST0001]", "B0TEST0001", "`p:b0test0001`", "https://ecommerce.com/B0TEST0001")


def test_ids_in_other_forms_are_read_and_invented_ones_taken_out_without_asking_again(world: World) -> None:
    dropped = "0.1: synthesis cited what was never found: P:B0INVENTED"
    for cited, notes in ((FORMS, ()), (("P:B0TEST0001", "P:B0INVENTED"), (dropped,))):
        played = cast((launch("feeder"), END), synthesis={"feeder": (reported(*cited),)})
        run = perform(world, played).run
        ((report,),) = map(handed_on, played.shown["report"])
        citations = {*report["report"]["insights"][0]["citations"]}
        assert citations == {one["evidence"] for one in report["report"]["sources"]} == {"P:B0TEST0001"}
        assert (len(played.shown["synthesis"]), run.notes) == (1, notes)
        assert getattr(run.setbacks, "struck_ids", 0) == len(notes)


def test_what_another_researcher_found_is_no_evidence_here(world: World) -> None:
    elsewhere = reported("P:B0TEST0004")
    synthesis = {"bath": (elsewhere,), "feeder": (elsewhere,)}
    recorded = perform(world, cast((launch("bath", "feeder"), END), {"bath": (calls(BATH), END)}, synthesis))
    assert recorded.run.notes == ("0.2: synthesis cited what was never found: P:B0TEST0004",)
