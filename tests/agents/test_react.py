"""The agents of one loop (paper section 5.2), and their picks. Also tests picks.py and plan_to_function.py."""

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from drretail.agents.picks import asking_prompt
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, requests_of, scripted_model
from drretail.records.reading import Pick
from drretail.records.run import Limits
from drretail.tools.registry import FAMILIES, TOOLS
from tests.agents.conftest import QUERY, Scripted, calls, perform, record, reporting, sut
from tests.build import known
from tests.shop import USER

SEARCH = ("product_catalog_search", {"query": "bird feeder", "price_max": 30})
PROFILE = ("get_user_profile", {"user_id": USER})
SAID = "Take the tube feeder for $24.99 [P:B0TEST0001]."
REPORT = reporting(SAID, "P:B0TEST0001 x 1")


ANNOUNCED = AIMessage("Let me first look up your profile and your recent orders.")
WAS_IT, NOTHING_YET = "Was this your report", "nothing has been looked up"
OPENING, LOOKING = AIMessage("Now let me open the details."), AIMessage("Let me now look at the reviews.")


@pytest.mark.parametrize(
    ("agent", "turns", "asked"),
    [
        ("react", (ANNOUNCED, calls(SEARCH)), {1: NOTHING_YET}),
        ("react", (calls(SEARCH), OPENING, calls(PROFILE)), {2: WAS_IT}),
        ("react", (calls(SEARCH), OPENING, calls(PROFILE), LOOKING, calls(SEARCH)), {2: WAS_IT, 4: WAS_IT}),
        ("plan_to_function", (ANNOUNCED, calls(SEARCH)), {1: NOTHING_YET}),
    ],
)
def test_announcements_are_answered(
    world: World, agent: str, turns: tuple[AIMessage, ...], asked: dict[int, str]
) -> None:
    recorded, shown = perform(world, *turns, REPORT, agent=agent)
    run = recorded.run
    assert (run.status, run.stop, run.report, len(shown)) == ("done", "finished", SAID, len(turns) + 1)
    assert all(words in shown[turn].messages[-1].text for turn, words in asked.items())
    # A plan is no report, so one without calls is no announcement in its place.
    announced = sum(not turn.tool_calls for turn in turns) if agent == "react" else 0
    assert known(run.setbacks).announcements == announced


@pytest.mark.parametrize("message", [[f"Let me look at page {n}." for n in range(4)], ["Let me look at page 2."] * 3])
def test_a_run_that_goes_on_announcing_has_failed_as_no_report(world: World, message: list[str]) -> None:
    recorded, shown = perform(world, calls(SEARCH), *map(AIMessage, message))
    run = recorded.run
    assert (run.status, run.stop, run.report, known(run.error).kind) == ("failed", "error", None, "no_report")
    assert known(run.error).message == "calls were announced and not made; the last turn said: Let me look at page 2."
    assert len(shown) == 4


def test_an_announcement_at_the_turn_limit_is_asked_for_the_report_once_more(world: World) -> None:
    more = AIMessage("One more search is needed.")
    recorded, shown = perform(world, calls(SEARCH), more, REPORT, limits=Limits(tool_turns=1))
    assert (recorded.run.status, recorded.run.report, recorded.run.stop) == ("done", SAID, "turn_limit")
    assert [bool(request.tool_names) for request in shown] == [True, False, False]
    recorded, _ = perform(world, calls(SEARCH), more, more, limits=Limits(tool_turns=1))
    assert known(recorded.run.error).kind == "no_report"


def test_a_framed_report_without_marks_and_picks_is_a_report_and_picks_alone_are_none(world: World) -> None:
    framed = AIMessage("Here it is:\n<report>\nNothing here fits.\n</report>\nShall I look further?")
    recorded, _ = perform(world, calls(SEARCH), framed, AIMessage("```picks\n```"))
    assert (recorded.run.status, recorded.run.report, recorded.run.picks) == ("done", "Nothing here fits.", ())
    recorded, _ = perform(world, calls(SEARCH), AIMessage(BLOCK))
    error = known(recorded.run.error)
    assert (recorded.run.status, error.kind) == ("failed", "no_report")
    assert "the picks and no report" in error.message


@pytest.mark.parametrize("limits", [Limits(), Limits(tool_turns=2)])
def test_a_whole_framed_report_that_comes_with_the_last_calls_is_the_report(world: World, limits: Limits) -> None:
    with_calls = calls(PROFILE).model_copy(update={"content": f"<report>\n{REPORT.text}\n</report>"})
    recorded, _ = perform(world, calls(SEARCH), with_calls, AIMessage("The report is above."), limits=limits)
    run = recorded.run
    assert (run.status, run.report, run.picks) == ("done", SAID, (Pick(product="B0TEST0001"),))
    assert run.setbacks is None or not run.setbacks.announcements
    for between in ((), (calls(SEARCH),)):
        recorded, _ = perform(world, calls(SEARCH), with_calls, *between, reporting("Nothing fits.", "none"))
        assert recorded.run.report == "Nothing fits.", "a later report replaces it"
    cut = with_calls.model_copy(update={"content": f"<report>\n{REPORT.text}"})
    # A frame that is not closed is no whole report, and that of earlier calls no last one.
    for turns in ((cut,), (with_calls, calls(SEARCH))):
        recorded, _ = perform(world, calls(SEARCH), *turns, *[AIMessage("The report is above.")] * 3)
        error = known(recorded.run.error)
        assert (error.kind, error.message.endswith("the last turn said: The report is above.")) == ("no_report", True)


def test_a_conversation_that_no_longer_fits_is_concluded_without_its_oldest_results(world: World) -> None:
    """The model holds three results of the search, and takes none of the first when a fourth has come."""

    def play(request: Request) -> AIMessage:
        results = [message.text for message in request.messages if isinstance(message, ToolMessage)]
        if sum("hits" in text for text in results) > 3:
            raise ModelError("context_overflow", "prompt is too long")
        return REPORT if not request.tool_names else calls(SEARCH)

    model = scripted_model(play=play)
    run = record(world, sut(world, model)).run
    assert (run.status, run.stop, run.report) == ("done", "context_limit", SAID)
    assert run.notes[0] == "0: written without 1 oldest result, which did not fit the model any more"
    last = [message.text for message in requests_of(model)[-1].messages if isinstance(message, ToolMessage)]
    assert ["hits" in text for text in last] == [False, True, True, True]


@pytest.mark.parametrize(
    ("part", "turns", "offered"),
    [
        (3, (), [True, False]),  # a second turn would fit, the report after it would not
        (3.5, (ANNOUNCED,), [True, True, False]),  # a second turn and the report fit, and no third turn
    ],
)
def test_a_token_budget_ends_research_while_the_report_still_fits(
    world: World, part: float, turns: tuple[AIMessage, ...], offered: list[bool]
) -> None:
    first_call, _ = perform(world, calls(SEARCH, text="x"), ModelError("model", "over"))
    limits = Limits(tokens=int(part * first_call.run.usage["researcher"].total - 1))
    recorded, shown = perform(world, calls(SEARCH, text="x"), *turns, REPORT, limits=limits)
    assert (recorded.run.status, recorded.run.stop, recorded.run.report) == ("done", "token_budget", SAID)
    assert [bool(request.tool_names) for request in shown] == offered


def test_the_planned_report_sees_tools_it_may_not_call_and_without_any_is_the_first_turn(world: World) -> None:
    _, shown = perform(world, calls(SEARCH), REPORT, agent="plan_to_function", limits=Limits(tool_turns=5))
    assert shown[1].tool_names == frozenset()
    assert len(shown[1].tools) == len(TOOLS)
    assert "Write the report now" in shown[1].messages[-1].text
    options = {"without": sorted(FAMILIES)}
    recorded, shown = perform(world, REPORT, agent="plan_to_function", options=options)
    assert (recorded.run.report, recorded.run.stop, len(shown)) == (SAID, "finished", 1)


TUBE = Pick(product="B0TEST0001")
BLOCK = "```picks\nP:B0TEST0001 x 1\n```"


@pytest.mark.parametrize("answer", [f"Here it is:\n\n{BLOCK}\n", "P:B0TEST0001 x 1"])
@pytest.mark.parametrize(
    ("behind", "problem"),
    [("", "declares no picks"), ("\n\n```picks\nthe tube feeder\n```", "names no product id")],
)
def test_missing_or_unreadable_picks_are_asked_for_once(world: World, behind: str, problem: str, answer: str) -> None:
    recorded, shown = perform(world, calls(SEARCH), AIMessage(SAID + behind), AIMessage(answer))
    run = recorded.run
    assert (run.report, run.picks, run.notes) == (SAID, (TUBE,), ())
    system, asked = shown[-1].messages
    assert system.text == asking_prompt().render()
    assert tag_content("query", asked.text) == QUERY.text
    assert tag_content("report", asked.text) == SAID
    assert problem in (tag_content("problem", asked.text) or "")
    assert not shown[-1].tool_names
    assert run.usage["researcher"].calls == 3
    assert [step.kind for step in run.steps] == ["model", "tool", "model", "model"]


@pytest.mark.parametrize(
    ("behind", "answer", "note"),
    [
        ("", AIMessage("I would rather not."), "picks_missing: the report declares no picks; asked for them:"),
        ("", ModelError("timeout", "slow"), "picks_missing: the report declares no picks; asked for them, the model f"),
        ("\n\n```picks\nthe tube\n```", AIMessage("No."), "picks_unreadable: 'the tube' names no product id; asked fo"),
    ],
)
def test_picks_that_stay_unknown_are_noted(world: World, behind: str, answer: Scripted, note: str) -> None:
    recorded, shown = perform(world, calls(SEARCH), AIMessage(SAID + behind), answer)
    run = recorded.run
    assert (run.status, run.report, run.picks, run.outcome, len(shown)) == ("done", SAID, None, None, 3)
    (text,) = run.notes
    assert text.startswith(note)
