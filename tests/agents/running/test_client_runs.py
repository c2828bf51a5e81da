"""Runs of clients that call the tools over MCP, as experiments keep them. save_runs: tests/addons/gym/test_env.py."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from drretail.agents.running.runner import Runner
from drretail.env.manifest import OrderRow
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World, world_at
from drretail.experiments.experiment import read_definition, read_runs, run_path
from drretail.experiments.run_file import read_evidence, read_journal, read_run
from drretail.records.reading import Pick
from drretail.records.shop import Product
from tests.agents.conftest import QUERY
from tests.build import build_world
from tests.run_files import cut
from tests.shop import USER

pytest.importorskip("mcp", reason="no MCP: pip install mcp")

from mcp import Client
from mcp_types import Implementation

from drretail.agents.running.client_runs import Recording
from drretail.tools.mcp import mcp_server

Visit = Callable[[Client], Awaitable[Any]]
REPORT = "Take the tube feeder at $24.99 [P:B0TEST0001].\n\n```picks\nP:B0TEST0001 x 1\n```\n"


def visited(world: World, to: Path, *visits: Visit) -> list[Any]:
    """What clients side by side were told, each in a connection of its own."""

    async def visit(recording: Recording, ask: Visit) -> Any:
        like = Session(SessionSettings(world, user_id=USER))
        server = mcp_server(like, recording.opened, "", takes_report=True)
        async with Client(
            server, mode="legacy", client_info=Implementation(name="Claude Desktop", version="1")
        ) as opened:
            return await ask(opened)

    async def all_of_them() -> list[Any]:
        runner = Runner(world, str(world.folder))
        with closing(Recording(to, runner, QUERY, scope="own", options={}, name=None)) as recording:
            return await asyncio.gather(*(visit(recording, ask) for ask in visits))

    return asyncio.run(all_of_them())


async def answer(client: Client) -> Any:
    await client.call_tool("product_catalog_search", {"query": "tube feeder"})
    await client.call_tool("web_search", {"query": "clean a feeder"})
    await client.call_tool("update_user_profile", {"user_id": USER, "first_name": "Zoe"})
    return (await client.call_tool("submit_report", {"report": REPORT})).structured_content


SHIRT = Product(
    product_id="T",
    title="Merino Shirt",
    price=20,
    price_from=True,
    category="Shirts",
    details={"Variants": [{"id": "T-S", "Size": "S", "price": 20}, {"id": "T-M", "Size": "M", "price": 45}]},
)


@pytest.mark.parametrize("named", ["P:T/T-M", "P:T-M"])
def test_the_id_of_a_variant_that_a_tool_shows_is_taken_by_tools_and_as_a_pick(tmp_path: Path, named: str) -> None:
    async def buy(client: Client) -> Any:
        shown = await client.call_tool("get_product_details", {"product_id": named})
        report = f"The shirt in M costs $45 [P:T].\n\n```picks\n{named} x 1\n```"
        await client.call_tool("submit_report", {"report": report})
        return shown.structured_content

    build_world(tmp_path / "w", [SHIRT], [OrderRow("0000000001", USER, "T", 1_600_000_000_000, 1, "Delivered")])
    with world_at(tmp_path / "w") as world:
        (shown,) = visited(world, tmp_path / "exp", buy)
    assert (shown["evidence"], shown["pick"]) == ("P:T", "P:T/ID with the id of one of the Variants")
    (run,) = read_runs(tmp_path / "exp")
    assert run.picks == (Pick(product="T", variant="T-M"),)


LABEL = "mcp@claude-desktop"


def test_a_clients_calls_and_report_are_a_run_as_an_agents_are(world: World, folder: Path) -> None:
    assert visited(world, folder, answer) == [{"status": "done", "run": f"{LABEL}/q1-r1", "citations": 1}]
    kept = run_path(folder, LABEL, "q1", 1)
    run = read_run(kept)
    assert (run.status, run.stop, run.user_id, run.report) == ("done", "finished", USER, REPORT.partition("\n\n")[0])
    assert [step.name for step in run.steps] == ["product_catalog_search", "web_search", "update_user_profile"]
    assert [(pick.product, pick.quantity) for pick in run.picks or ()] == [("B0TEST0001", 1)]
    assert [citation.evidence_id for citation in run.citations] == ["P:B0TEST0001"]
    assert [(change.field, change.after) for change in run.state_diff] == [("first_name", "Zoe")]
    assert "P:B0TEST0001" in {entry.id for entry in read_evidence(kept)}
    assert [effect.kind for effect in read_journal(kept)] == ["web_search"]
    definition = read_definition(folder)
    assert list(definition.prompt_hashes[LABEL]) == ["mcp_question"]
    system = definition.systems[LABEL]
    assert (system.agent, system.models["client"].spec, system.scope) == ("mcp", "Claude Desktop", "own")


def test_clients_side_by_side_have_a_run_and_world_each_and_who_calls_nothing_none(world: World, folder: Path) -> None:
    async def look(client: Client) -> Any:
        await asyncio.sleep(0.05)
        return (await client.call_tool("get_user_profile", {"user_id": USER})).structured_content

    visited(world, folder, lambda client: client.list_tools())
    assert list(read_runs(folder)) == []
    assert read_definition(folder).systems == {}
    *_, seen = visited(world, folder, answer, answer, look)
    assert {run.repeat: run.status for run in read_runs(folder)} == {1: "done", 2: "done", 3: "failed"}
    assert seen["first_name"] != "Zoe"


def test_what_a_killed_server_left_is_begun_anew(world: World, folder: Path) -> None:
    visited(world, folder, answer)
    cut(run_path(folder, LABEL, "q1", 1), 0)
    visited(world, folder, answer)
    assert [run.repeat for run in read_runs(folder)] == [1]


def test_a_report_that_says_nothing_is_sent_back_and_after_one_nothing_is_answered(world: World, folder: Path) -> None:
    async def go_on(client: Client) -> None:
        for report in ("", "```picks\nP:B0TEST0001 x 1\n```"):
            refused = await client.call_tool("submit_report", {"report": report})
            assert refused.is_error
            assert refused.structured_content["error"]["field"] == "report"
        assert (await answer(client))["status"] == "done"
        for name, args in (("calculator", {"expression": "1"}), ("submit_report", {"report": "Another."})):
            assert (await client.call_tool(name, args)).structured_content["error"]["type"] == "limit"

    visited(world, folder, go_on)
    (run,) = read_runs(folder)
    assert len(run.steps) == 3
