"""Whole runs while a server fails: the run ends, its steps say what failed, and the next run is whole."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition
from drretail.env.servers.naming import ServerSettings
from drretail.env.session import Session
from drretail.env.world import World, open_world
from drretail.experiment import Experiment, read_run
from drretail.records.query import Query
from drretail.records.run import Run, Step
from drretail.tools.toolkit import Toolkit
from tests.agents.conftest import calls, reporting, scripted, sut
from tests.servers.failures.own import eventually
from tests.servers.failures.shop import FORTY, load
from tests.servers.proxy import Proxy

pytestmark = pytest.mark.servers
USER = "A000000"
QUERY = Query(query_id="q1", user_id=USER, text="Which bird feeder?", source="test")
SEARCH = ("product_catalog_search", {"query": "bird feeder"})
PROFILE = ("get_user_profile", {"user_id": USER})
UPDATE = ("update_user_profile", {"user_id": USER, "email": "new@example.com"})
ORDERS = ("get_user_orders", {"user_id": USER})
DETAILS = ("get_product_details", {"product_id": "B000003"})
REPORT = reporting("The first one [P:B000000].", "P:B000000 x 1")


@pytest.fixture
def proxies(before_mongo: Proxy, before_elasticsearch: Proxy) -> dict[str, Proxy]:
    return {"mongo": before_mongo, "elasticsearch": before_elasticsearch}


@pytest.fixture
def world(server_settings: ServerSettings, fresh_name: str, behind_proxies: ServerSettings) -> Iterator[World]:
    load(server_settings, fresh_name, **FORTY)
    with open_world(f"servers:{fresh_name}", servers=behind_proxies) as opened:
        yield opened


def run(world: World, folder: Path, lost: Proxy | None, *turns: AIMessage) -> Run:
    """A recorded run; the server is lost after its first step."""

    def on_step(step: Step, text: str) -> None:
        del text
        if lost is not None and step.kind == "tool":
            lost.refuse()

    player = sut(world, scripted(*turns)[0])
    runner = Runner(world, "servers:shop", on_step=on_step)
    with Experiment(folder, definition(world, (QUERY,), [player], "42")) as experiment:
        asyncio.run(runner.run_into(experiment, player, QUERY))
    return read_run(next(folder.glob("runs/*/*")))


def errors(run: Run) -> list[str]:
    return [step.error.partition(":")[0] if step.error else "" for step in run.steps if step.kind == "tool"]


def is_served(world: World) -> bool:
    with Toolkit(Session(world, user_id=USER)) as toolkit:
        return all(toolkit.call(name, arguments).error is None for name, arguments in (SEARCH, PROFILE))


@pytest.mark.parametrize(
    ("server", "expected"),
    [("mongo", ["", "unavailable", "unavailable"]), ("elasticsearch", ["", "unavailable", ""])],
)
def test_a_run_that_loses_a_server_ends_with_a_report_and_says_which_calls_failed(
    world: World, tmp_path: Path, proxies: dict[str, Proxy], server: str, expected: list[str]
) -> None:
    turns = (calls(SEARCH), calls(SEARCH), calls(PROFILE), REPORT)
    cut = run(world, tmp_path / "cut", proxies[server], *turns)
    assert (cut.status, errors(cut)) == ("done", expected)
    proxies[server].accept()
    # MongoDB's client looks for a lost server twice a second.
    eventually(lambda: is_served(world), "both servers to be found again")
    whole = run(world, tmp_path / "whole", None, *turns)
    assert (whole.status, errors(whole)) == ("done", ["", "", ""])


def test_what_a_run_changed_is_known_without_its_store(world: World, tmp_path: Path, proxies: dict[str, Proxy]) -> None:
    ended = run(world, tmp_path / "exp", proxies["mongo"], calls(UPDATE), calls(SEARCH), REPORT)
    assert (ended.status, errors(ended)) == ("done", ["", "unavailable"])
    assert [(change.field, change.after) for change in ended.state_diff] == [("email", "new@example.com")]


@pytest.mark.parametrize("connections", [200, 8])
def test_fifty_runs_of_four_threads_read_at_once_and_no_call_fails(
    server_settings: ServerSettings, world: World, fresh_name: str, connections: int
) -> None:
    del world
    settings = replace(server_settings, connections=connections, timeout=30)
    with open_world(f"servers:{fresh_name}", servers=settings) as shared:
        toolkits = [Toolkit(Session(shared, scope="any")) for _ in range(50)]
        errors = at_once(toolkits, [SEARCH, PROFILE, ORDERS, DETAILS] * 3)
    assert errors == [None] * (50 * 12)


def at_once(toolkits: list[Toolkit], turn: list[tuple[str, dict[str, str]]]) -> list[str | None]:
    """The errors of one model turn in every run, all at the same time."""
    with ThreadPoolExecutor(len(toolkits)) as threads:
        found = [
            reply.error for replies in threads.map(lambda each: each.call_all(turn), toolkits) for reply in replies
        ]
    for toolkit in toolkits:
        toolkit.close()
    return list(found)
