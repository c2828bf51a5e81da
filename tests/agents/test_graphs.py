"""The agents as LangGraph sees them. Also tests loop.py, agents/running/graph.py and agents/running/turns.py."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from drretail.agents import graph
from drretail.agents.names import BUILT_IN
from drretail.agents.running.runner import Runner
from drretail.env.world import World
from drretail.errors import CommandStopped, UserError
from drretail.llm.scripted import Request, requests_of, scripted_model
from drretail.records.run import Limits
from tests.agents.conftest import QUERY, calls, record, sut
from tests.agents.hybrid_react.cast import BATH, DONE, FEEDER, cast, launch
from tests.agents.slowed import SlowChat
from tests.agents.test_contract import SAID, play
from tests.build import known
from tests.shop import OTHER

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[2]
QUESTION = {"messages": [{"role": "user", "content": QUERY.text}]}
ASKING: Any = {"user_id": OTHER}
every_graph = pytest.mark.parametrize("name", BUILT_IN)


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("plan_to_function", ["plan", "carry_out", "report"]),
        ("react", ["think", "act", "report"]),
        ("hybrid_react", ["supervise", "act", "researcher", "gather", "report"]),
        ("grounded_hybrid", ["brief", "supervise", "act", "researcher", "gather", "report", "verify", "strike"]),
    ],
)
async def test_a_graph_is_invoked_and_streamed_as_any_other(world: World, name: str, nodes: list[str]) -> None:
    model = scripted_model(play=play)
    shop = graph(name, world=world, model=model)
    end = await shop.ainvoke(QUESTION, context=ASKING)
    assert SAID in end["messages"][-1].text
    assert SAID in end["answer"].report
    steps = [node async for step in shop.astream(QUESTION, stream_mode="updates", context=ASKING) for node in step]
    assert list(dict.fromkeys(steps)) == nodes
    events = [event async for event in shop.astream_events(QUESTION, version="v2", context=ASKING)]
    assert {event["name"] for event in events if event["event"] == "on_chain_start"} >= {*nodes}
    asked = [event for event in events if event["event"] == "on_chat_model_start"]
    assert len(asked) == len(requests_of(model)) / 3


async def test_a_graph_that_cannot_be_had_or_is_asked_nothing_says_so(world: World) -> None:
    model = scripted_model(play=play)
    with pytest.raises(UserError, match="null_copy is no graph; these are: plan_to_function, react"):
        graph("null_copy", world=world, model=model)
    with pytest.raises(UserError, match="was asked nothing"):
        await graph("react", world=world, model=model).ainvoke({"messages": []})
    assert list(graph("react", world=world, model=model).get_input_jsonschema()["properties"]) == ["messages"]


async def test_messages_before_the_question_are_the_turns_of_a_conversation(world: World) -> None:
    def answer(request: Request) -> Any:
        has_looked = any(message.type == "tool" for message in request.messages)
        return play(request) if has_looked else calls(FEEDER)

    model = scripted_model(play=answer)
    chat = [("user", "A feeder, please."), ("ai", "Let me see."), ("ai", "Take the tube feeder.")]
    asked = {"messages": [*chat, ("user", "Is there a cheaper one?")]}
    await graph("react", world=world, model=model).ainvoke(asked)
    texts = [message.text for message in requests_of(model)[0].messages]
    assert texts[1:4] == ["A feeder, please.", "Let me see.", "Take the tube feeder."]
    assert "Is there a cheaper one?" in texts[4]


def cut_at(turn: int) -> Callable[[Request], Any]:
    """Plays, but for the command's end in place of one answer."""
    seen: list[Request] = []

    def answer(request: Request) -> Any:
        seen.append(request)
        if len(seen) == turn:
            raise CommandStopped("The key is refused.")
        return play(request)

    return answer


@every_graph
async def test_a_run_that_was_cut_goes_on_from_a_checkpoint_without_a_warning(
    world: World, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = scripted_model(play=play)
    uncut: Any = await graph(name, world=world, model=whole).ainvoke(QUESTION, context=ASKING)
    turns = len(requests_of(whole))
    thread: Any = {"configurable": {"thread_id": "1"}}
    for turn in range(1, turns + 1):
        saver = InMemorySaver()
        first, second = scripted_model(play=cut_at(turn)), scripted_model(play=play)
        with pytest.raises(CommandStopped):
            await graph(name, world=world, model=first, checkpointer=saver).ainvoke(QUESTION, thread, context=ASKING)
        again = graph(name, world=world, model=second, checkpointer=saver)
        end = await again.ainvoke(None, thread, context=ASKING)
        assert end["answer"] == uncut["answer"]
        assert [message.text for message in end["messages"]] == [message.text for message in uncut["messages"]]
        assert len(requests_of(first)) - 1 + len(requests_of(second)) == turns, "nothing is asked twice"
    shop = graph(name, world=world, model=scripted_model(play=play), checkpointer=InMemorySaver())
    first, second = [await shop.ainvoke(QUESTION, thread, context=ASKING) for _ in range(2)]
    assert (first["answer"], len(first["messages"])) == (second["answer"], len(second["messages"])), "asked anew"
    assert not caplog.records, "LangGraph warns once of a class that it may not read"


def test_what_ends_the_command_in_one_branch_lets_the_others_end(world: World) -> None:
    turns = (calls(FEEDER), calls(BATH), calls(DONE))
    played = cast(
        (launch("stops", "goes on"), calls(DONE)),
        {"stops": (CommandStopped("The key is refused."),), "goes on": turns},
        pause=lambda role, about: 0.05 if about == "goes on" else 0.0,
    )
    with pytest.raises(CommandStopped):
        record(world, sut(world, played.models(), "hybrid_react"))
    assert len(played.shown["researcher"]) == 1 + len(turns)
    assert len(played.shown["synthesis"]) == 1
    assert not played.shown["report"]


async def test_time_that_runs_out_in_a_branch_ends_every_branch(world: World) -> None:
    models = cast((launch("a", "b"), calls(DONE))).models()
    slow = SlowChat(policy=lambda *_: calls(DONE), model="slow", seconds=60)
    models["researcher"] = models["researcher"].with_chat(slow)
    began, tasks = time.monotonic(), len(asyncio.all_tasks())
    run = (await Runner(world, "w").run(sut(world, models, "hybrid_react", limits=Limits(seconds=1)), QUERY)).run
    assert (known(run.error).kind, time.monotonic() - began < 10) == ("timeout", True)
    assert len(asyncio.all_tasks()) == tasks


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@pytest.mark.skipif(shutil.which("langgraph") is None, reason="pip install 'langgraph-cli[inmem]'")
def test_langgraph_dev_serves_the_example(tmp_path: Path) -> None:
    port = free_port()
    example = shutil.copytree(ROOT / "examples" / "langgraph", tmp_path / "langgraph")
    command = ["langgraph", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=example, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)
        deadline = time.monotonic() + 90
        while True:
            try:
                served = client.post("/assistants/search", json={}).raise_for_status().json()
                break
            except httpx2.HTTPError:
                is_over = server.poll() is not None or time.monotonic() > deadline
                assert not is_over, (tmp_path / "log").read_text()[-3000:]
                time.sleep(0.3)
        names = json.loads((example / "langgraph.json").read_text())["graphs"]
        assert {assistant["graph_id"] for assistant in served} == {*names}
        for name in names:
            asked = {"assistant_id": name, "input": QUESTION, "context": {"user_id": None}}
            end = client.post("/runs/wait", json=asked).raise_for_status().json()
            assert end["messages"][-1]["content"].startswith("# "), end
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()
