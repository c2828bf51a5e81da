"""What holds of every agent: it answers, declares, keeps limits, fails well. Tests names.py and registry.py."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import BASELINES, BUILT_IN, load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, definition, prompt_hashes
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiments.experiment import Experiment
from drretail.experiments.run_file import Recorded, read_journal
from drretail.llm.offline.chat import OfflineChat
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, requests_of, scripted_model
from drretail.records.query import Query
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Limits, Run, WebMode
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.agents.conftest import QUERY, Scripted, calls, record, run_in
from tests.agents.grounded_hybrid.staging import WISH, understanding
from tests.agents.hybrid_react.cast import DONE, FEEDER, PAGES, PROFILE, REPORT, launch, reported
from tests.build import demands, known
from tests.run_files import cut, lasting
from tests.shop import OTHER, USER

SAID = "Take the tube feeder for $24.99 [P:B0TEST0001]."
SUMMARY = AIMessage(json.dumps({"summary": "Clean it.", "quotes": ["Clean a bird feeder", "Never said."]}))
WRITERS = {"hybrid_react": "report", "grounded_hybrid": "report", "dr3": "main"}
"""Of each agent, the prompt by which its report is written; of others it has their name."""
every_agent = pytest.mark.parametrize("name", BUILT_IN)
Play = Callable[[Request], Scripted]


def play(request: Request) -> Scripted:
    """Each role's usual turns, whichever agent asks: a pure function of the conversation."""
    match request.schema:
        case "Understood":
            return understanding(WISH)
        case "IntermediateReport":
            return reported("P:B0TEST0001")
        case "PageSummary":
            return SUMMARY
        case str():
            return AIMessage("{}")
        case None:
            pass
    if "LaunchResearcher" in request.tool_names:
        return launch("A feeder.", "A bath.") if request.turn == 1 else calls(DONE)
    if request.turn == 1 and FEEDER[0] in request.tool_names:
        return calls(PROFILE, PAGES, FEEDER)
    return calls(DONE) if "Finalize" in request.tool_names else REPORT


def writing(written: Scripted | Callable[[], Scripted]) -> Play:
    """The same, but that the report is this."""

    def changed(request: Request) -> Scripted:
        turn = play(request)
        return turn if turn is not REPORT else written() if callable(written) else written

    return changed


def sut(world: World, name: str, by: Play = play, **given: Any) -> SystemUnderTest:
    models = {} if name in BASELINES else {"": scripted_model(play=by)}
    return SystemUnderTest.of(name, load_agent(name), models, world, **given)


def ran(world: World, name: str, by: Play = play, query: Query = QUERY, **given: Any) -> tuple[Recorded, list[Request]]:
    player = sut(world, name, by, **given)
    recorded = record(world, player, query)
    asked = {id(model): model for model in player.models.values()}
    return recorded, [request for model in asked.values() for request in requests_of(model)]


@every_agent
def test_it_answers_with_a_report_that_cites_and_declares_what_it_picks(world: World, name: str) -> None:
    recorded, asked = ran(world, name, query=QUERY.model_copy(update={"user_id": OTHER}))  # who owns no tube feeder
    run = recorded.run
    assert (run.status, run.stop, run.report, run.error) == ("done", "finished", SAID, None)
    assert (run.picks, run.outcome) == ((Pick(product="B0TEST0001"),), Outcome(decision="buy"))
    assert [(citation.evidence_id, citation.type) for citation in run.citations] == [("P:B0TEST0001", "product")]
    assert "P:B0TEST0001" in {entry.id for entry in recorded.evidence}
    assert sum(usage.calls for usage in run.usage.values()) == len(asked) > 1
    assert prompt_hashes(sut(world, name, play)).keys() >= {WRITERS.get(name, name), "ask_picks"}


REFUSAL = AIMessage(f"{SAID}\n\n```picks\nnone: too_dear\nnearest: P:B0TEST0002 x 1\n```")
REFUSED = Outcome(decision="none", because=("too_dear",), nearest=("B0TEST0002",))


@every_agent
def test_its_run_holds_what_is_decided(world: World, name: str) -> None:
    run = ran(world, name, writing(REFUSAL))[0].run
    assert (run.status, run.picks, run.outcome) == ("done", (), REFUSED), run.error


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_buys_what_it_picks_and_no_floor_is_given_the_wish(world: World, name: str) -> None:
    run = ran(world, name)[0].run
    assert run.status == "done", run.error
    assert known(run.outcome).decision == ("buy" if run.picks else "none")
    assert load_agent(name).sees_reference or ran(world, name, query=TYPED)[0].run == run


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        (ModelError("timeout", "slow"), "timeout"),
        (AIMessage("   "), "unusable"),
        (ZeroDivisionError("a bug of its client"), "model"),
    ],
    ids=["provider", "blank", "bug"],
)
@every_agent
def test_a_failing_writer_fails_the_run_with_its_steps(world: World, name: str, written: Scripted, kind: str) -> None:
    run = ran(world, name, writing(written))[0].run
    assert (run.status, run.stop, run.report, known(run.error).kind) == ("failed", "error", None, kind)
    assert "product_catalog_search" in {step.name for step in run.steps}


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in ("hybrid_react", "grounded_hybrid")])
def test_a_model_that_goes_on_calling_ends_at_its_limit_without_a_report(world: World, name: str) -> None:
    chat = OfflineChat(policy=lambda *_: calls(("calculator", {"expression": "1 + 1"})), model="calls")
    model = scripted_model("unused").with_chat(chat)  # a scripted one calls no tool that is not offered
    player = SystemUnderTest.of(name, load_agent(name), {"": model}, world, limits=Limits(tool_turns=3))
    run = record(world, player).run
    assert (run.status, known(run.error).kind) == ("failed", "no_report")


@pytest.mark.parametrize("turn", [calls(DONE), AIMessage("Let me first look up your profile."), REPORT])
@every_agent
def test_a_run_that_looks_nothing_up_has_failed_as_no_research(world: World, name: str, turn: Scripted) -> None:
    run = ran(world, name, lambda request: turn if request.schema is None else play(request))[0].run
    assert (run.status, run.stop, run.report, known(run.error).kind) == ("failed", "no_research", None, "no_research")


@every_agent
def test_tokens_too_few_for_any_report_fail_the_run(world: World, name: str) -> None:
    run = ran(world, name, limits=Limits(tokens=10))[0].run
    assert (run.status, known(run.error).kind, run.report) == ("failed", "budget", None)


MARKER = "zyxqv"
CENTS = "31.07"
"""Of the budget: no other number of the shop has them."""
WANT = Want(
    name=f"{MARKER} feeder", kinds=(MARKER,), must=demands(f"{MARKER} wood"), brands_unwanted=(f"{MARKER} & Sons",)
)
TYPED = QUERY.model_copy(update={"wish": Wish(wants=(WANT,), budget=Money.of(CENTS), deadline=f"by {MARKER}")})


@every_agent
def test_it_is_told_query_user_and_today_and_not_the_typed_wish_nor_what_is_sold(world: World, name: str) -> None:
    recorded, asked = ran(world, name, query=TYPED)
    first = next(request for request in asked if request.schema is None).messages[1].text
    text = {tag: tag_content(tag, first) for tag in ("query", "user_id", "today")}
    assert text == {"query": QUERY.text, "user_id": USER, "today": "2023-01-03"}
    assert name == "grounded_hybrid" or "Tanagrove" not in first  # whose supervisor reads the profile
    texts = [message.text for request in asked for message in request.messages]
    assert not [text for text in texts if MARKER in text.casefold() or CENTS in text]
    assert MARKER not in recorded.run.model_dump_json().casefold()


CORPUS = [
    SandboxPage(url=f"https://{name}.example", title=name, text=f"Clean a bird feeder {name}.") for name in "abcd"
]


def kept(folder: Path, world: World, name: str, mode: WebMode, **given: Any) -> tuple[Run, int]:
    """The run in an experiment, and how often a model was asked."""
    at = replace(world, web=SandboxWeb(CORPUS))
    player = sut(at, name, web_mode=mode)
    with Experiment(folder, definition(at, (QUERY,), [player], "42")) as experiment:
        run = asyncio.run(Runner(at, "w", **given).run_into(experiment, player, QUERY))
    return run, sum(len(requests_of(model)) for model in {id(each): each for each in player.models.values()}.values())


@pytest.mark.parametrize("mode", ["snippets", "ws"])
@every_agent
def test_a_cut_run_ends_alike_and_a_replay_asks_nobody(world: World, tmp_path: Path, name: str, mode: WebMode) -> None:
    whole, asked = kept(tmp_path / "exp", world, name, mode)
    assert whole.status == "done", whole.error
    assert bool(whole.notes) == (mode == "ws"), "what a page does not hold is dropped with a note"
    assert kept(tmp_path / "again", world, name, mode, replay=tmp_path / "exp") == (whole, 0)
    here = run_in(tmp_path / "exp")
    before, end = lasting(here), len(read_journal(here))
    half = end // 2
    for lines in (0, half, end) if mode == "snippets" else (1, half, end - 1):
        journal = read_journal(here)
        begun = cut(here, lines)
        begun.write_text(begun.read_text() + "".join(effect.as_line()[:30] for effect in journal[lines : lines + 1]))
        held = [effect.kind for effect in journal[:lines]]
        assert kept(tmp_path / "exp", world, name, mode) == (whole, asked - held.count("model"))
        assert lasting(here) == before
