"""One run after another: replayed, failed, spoiled by servers; and what becomes of cited pages when a run ends."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Never, cast

import pytest

from drretail.agents.base import Agent
from drretail.agents.running.outcomes import IN_A_ROW, is_open
from drretail.agents.running.run import ask_once, question_as_query
from drretail.agents.running.runner import Runner
from drretail.env.catalog.base import Catalog
from drretail.env.web.base import Web, WebPage
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World
from drretail.errors import CommandStopped, ModelError, ToolError
from drretail.experiment import read_evidence, read_run, read_runs, run_folder
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.records.evidence import Evidence
from drretail.records.run import Run, RunError, Setbacks
from tests import build
from tests.agents.conftest import QUERY, calls, lines_of, record, reporting, run_in, scripted, sut, tally_of
from tests.build import SYSTEM, known
from tests.shop import PAGES, USER

SEARCH = ("product_catalog_search", {"query": "bird feeder"})
CLEANING = ("web_search", {"query": "bird feeder cleaning"})
SAID = "The tube feeder [P:B0TEST0001]."
REPORT = reporting(SAID, "P:B0TEST0001 x 1")


def test_a_replay_of_another_conversation_fails_and_says_so(world: World, folder: Path) -> None:
    tally_of(folder, world, sut(world, scripted(calls(SEARCH), REPORT)[0]))
    other = QUERY.model_copy(update={"text": "Which bird bath?"})
    recorded = record(world, sut(world, scripted()[0]), other, replay=folder)
    assert "replayed journal" in known(recorded.run.error).message


@pytest.mark.parametrize("retry", ["failed", "spoiled"])
def test_a_failed_run_is_kept_and_counted_and_tried_afresh_only_when_asked(
    world: World, folder: Path, retry: str
) -> None:
    player = sut(world, scripted(ModelError("timeout", "slow"), calls(SEARCH), REPORT)[0])
    first, kept = (tally_of(folder, world, player) for _ in range(2))
    asked: dict[str, Any] = {"retry": [retry]}
    again = tally_of(folder, world, player, **asked)
    assert (first.done, first.failed, first.before) == (0, 1, 0)
    assert (kept.failed, kept.before) == (1, 1)
    assert first.failures == kept.failures == [f"{player.label}/q1-r1: timeout: slow"]
    assert (again.done, again.failed, again.before) == (1, 0, 0)
    assert read_run(run_folder(folder, player.label, "q1", 1)).usage["researcher"].calls == 2


def test_a_run_json_that_cannot_be_read_is_a_failed_run_and_the_others_go_on(world: World, folder: Path) -> None:
    player = sut(world, scripted(calls(SEARCH), REPORT, calls(SEARCH), REPORT)[0])
    tally_of(folder, world, player)
    path = run_folder(folder, player.label, "q1", 1) / "run.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"quantity": 1', '"quantity": -1'), encoding="utf-8")
    kept = tally_of(folder, world, player)
    where = f"runs/{player.label}/q1-r1/run.json is not as this version writes it: picks.0.quantity is -1"
    assert (kept.done, kept.failed) == (0, 1)
    assert kept.failures[0].startswith(f"{player.label}/q1-r1: unreadable: {where}: it should be greater than")
    assert [*read_runs(folder)] == []
    again = tally_of(folder, world, player, retry=["spoiled"])
    assert (again.done, again.failed) == (1, 0)


class Down:
    """A catalog or a web whose server cannot be reached; else as ``inner``."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def search(self, *_: Any) -> Any:
        raise ToolError("unavailable", "The server cannot be reached.")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def test_a_run_spoiled_by_a_failing_server_is_made_again_only_when_asked(world: World, folder: Path) -> None:
    player = sut(world, scripted(calls(SEARCH, CLEANING), calls(SEARCH), REPORT, calls(SEARCH), REPORT)[0])
    cut_off = Runner(replace(world, catalog=cast(Catalog, Down(world.catalog))), "w")
    first = tally_of(folder, world, player, cut_off)
    kept = tally_of(folder, world, player, retry=["failed"])
    again, whole = (tally_of(folder, world, player, retry=["spoiled"]) for _ in range(2))
    assert (first.done, first.tool_calls, first.calls_failed, first.spoiled) == (1, 3, 2, 1)
    assert (kept.before, kept.calls_failed, kept.spoiled) == (1, 2, 1)
    assert (again.done, again.before, again.tool_calls, again.calls_failed, again.spoiled) == (1, 0, 1, 0, 0)
    assert (whole.done, whole.before) == (1, 1)


LOST = Setbacks(lost={"synthesis": 1, "summariser": 2, "report": 1})


@pytest.mark.parametrize(
    ("run", "losses", "failed", "spoiled"),
    [
        (build.run(), {}, False, False),
        (build.run(setbacks=LOST), {"researcher": 1, "page summary": 2, "model answer": 1}, False, True),
        (build.run(failed_branches=("0.1: model: 500", "0.2: refusal: no")), {"researcher": 1}, False, True),
        (build.run(report=None), {}, True, False),
        (build.run(report=None, error=RunError(kind="timeout", where="react", message="slow")), {}, True, True),
    ],
    ids=["done", "lost", "older", "failed", "timeout"],
)
def test_retries_take_runs_that_failed_or_that_a_provider_took_a_part_of(
    run: Run, losses: dict[str, int], failed: bool, spoiled: bool
) -> None:
    assert run.losses == losses
    assert is_open(run, SYSTEM, ["failed"]) == failed
    assert is_open(run, SYSTEM, ["spoiled"]) == spoiled


def test_a_command_that_is_too_slow_fails_by_itself() -> None:
    late = build.run(report=None, error=RunError(kind="timeout", where="mine", message="slow"))
    assert not late.is_lost(SYSTEM.model_copy(update={"place": "cmd:./mine"}))


class Flaky(Down):
    """A server that answers every so many searches only; those for the note of a search are among them."""

    asked = 0

    def search(self, *given: Any) -> Any:
        self.asked += 1
        return super().search() if self.asked % IN_A_ROW else self.inner.search(*given)


def test_a_shop_that_answers_now_and_then_or_a_web_that_is_down_stops_nothing(world: World, folder: Path) -> None:
    shaky = Runner(replace(world, catalog=cast(Catalog, Flaky(world.catalog))), "w")
    tally = tally_of(folder, world, sut(world, scripted(*(calls(SEARCH), REPORT) * 9)[0]), shaky, repeats=9)
    # The first run that is answered takes a sixth search, for a note that is left out.
    assert (tally.done, tally.calls_failed, tally.spoiled) == (9, 7, 7)

    offline = Runner(replace(world, web=cast(Web, Down(world.web))), "w")
    player = sut(world, scripted(*(calls(CLEANING), calls(SEARCH), REPORT) * 9)[0])
    tally = tally_of(folder.with_name("offline"), world, player, offline, repeats=9)
    assert (tally.done, tally.spoiled) == (9, 9), "the shop still answers"


def test_calls_left_unanswered_in_a_row_stop_all_runs_in_one_sentence(world: World, folder: Path) -> None:
    model, shown = scripted(*(calls(SEARCH), REPORT) * 9)
    player = sut(world, model)
    cut_off = Runner(replace(world, catalog=cast(Catalog, Down(world.catalog))), "w")
    with pytest.raises(CommandStopped, match=r"5 calls of product_catalog_search in a row .* cannot be reached"):
        tally_of(folder, world, player, cut_off, repeats=9)
    assert len(shown) == 9, "four whole runs, and the first call of the fifth"
    again = tally_of(folder, world, player, repeats=9)
    assert (again.done, again.before, again.spoiled) == (9, 4, 4)


def test_a_question_that_was_asked_is_read_not_run_again(world: World, folder: Path) -> None:
    query = question_as_query("Which feeder, under $30?", USER, world)
    for turns in ([calls(SEARCH), REPORT], []):
        recorded = ask_once(Runner(world, "w"), sut(world, scripted(*turns)[0]), query, folder)
        assert recorded.run.report == SAID


def test_an_agent_whom_the_world_fails_outside_of_a_tool_fails_its_run(world: World) -> None:
    async def answer(task: object, session: object, models: object, limits: object) -> Never:
        raise ToolError("unavailable", "MongoDB at host:1 cannot be reached.")

    player = replace(sut(world, scripted()[0]), agent=Agent(answer, roles=("report",)))
    error = known(record(world, player).run.error)
    assert (error.kind, error.message) == ("tool", "MongoDB at host:1 cannot be reached.")


URL = PAGES[0].url
PAGE = web_evidence_id(URL)
WEB_SEARCH = calls(("web_search", {"query": "bird feeder cleaning"}))
CITING = reporting(f"Clean it every two weeks [{PAGE}].")


def page_of(folder: Path, world: World, *turns: Any, **given: Any) -> Evidence:
    """The evidence of the page after a run."""
    player = sut(world, scripted(*turns)[0])
    tally_of(folder, world, player, Runner(world, "w", **given))
    return next(entry for entry in read_evidence(run_folder(folder, player.label, "q1", 1)) if entry.id == PAGE)


def fetches(folder: Path) -> list[dict[str, Any]]:
    return [effect for effect in map(json.loads, lines_of(run_in(folder))) if effect["kind"] == "page_fetch"]


def forms(entry: Evidence) -> list[tuple[str, bool]]:
    return [(text.form, text.shown) for text in entry.texts]


def test_a_page_that_is_cited_by_its_snippet_is_fetched_when_the_run_ends_and_no_other(
    world: World, folder: Path
) -> None:
    entry = page_of(folder, world, WEB_SEARCH, CITING)
    assert forms(entry) == [("snippet", True), ("page", False)]
    assert [text.text for text in entry.sources] == [PAGES[0].text]
    (effect,) = fetches(folder)
    assert (effect["scope"], effect["request"]) == ("cited", {"provider": "sandbox", "url": URL})
    uncited = page_of(folder.with_name("uncited"), world, WEB_SEARCH, reporting("I know how to clean it."))
    without = page_of(folder.with_name("without"), world, WEB_SEARCH, CITING, pages=False)
    assert forms(uncited) == forms(without) == [("snippet", True)]
    assert without.is_unfetched
    assert fetches(folder.with_name("uncited")) == fetches(folder.with_name("without")) == []


class Walled(SandboxWeb):
    """The shop's pages, which can be found and not be read."""

    def __init__(self, problem: str | None) -> None:
        super().__init__(PAGES)
        self.problem = problem

    def fetch(self, url: str) -> WebPage:
        if self.problem is None:
            raise RuntimeError("a plugin's bug")
        return WebPage(url, "", "", "blocked", problem=self.problem)


@pytest.mark.parametrize(("problem", "state"), [("robots.txt forbids it.", "blocked"), (None, "error")])
def test_a_page_that_cannot_be_read_says_why(world: World, folder: Path, problem: str | None, state: str) -> None:
    entry = page_of(folder, replace(world, web=Walled(problem)), WEB_SEARCH, CITING)
    assert (entry.state, forms(entry)) == (state, [("snippet", True)])
    assert entry.lacks_page
    assert not entry.is_unfetched
    assert (problem or "a plugin's bug") in (entry.problem or "")


def test_a_replay_fetches_nothing_and_of_a_run_without_pages_keeps_what_was_there(world: World, folder: Path) -> None:
    first = page_of(folder, world, WEB_SEARCH, CITING)
    offline = replace(world, web=Walled(None))
    assert page_of(folder.with_name("again"), offline, replay=folder) == first
    old = folder.with_name("old")
    before = page_of(old, world, WEB_SEARCH, CITING, pages=False)
    assert page_of(folder.with_name("replayed"), offline, replay=old) == before
