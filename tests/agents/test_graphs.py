"""The agents as LangGraph sees them. Also tests loop.py, agents/running/graph.py and agents/running/runner.py."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

import httpx2
import pytest
from langchain_core.messages import AnyMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages

from drretail import open_world
from drretail.agents import graph
from drretail.agents.names import BUILT_IN
from drretail.agents.running.runner import Runner
from drretail.env.world import World
from drretail.errors import CommandStopped, UserError
from drretail.llm.scripted import Request, requests_of, scripted_model
from drretail.records.run import Limits
from tests.agents.conftest import QUERY, calls, record, sut
from tests.agents.hybrid_react.cast import BATH, DONE, FEEDER, REPORT, cast, launch
from tests.agents.slowed import SlowChat
from tests.agents.test_contract import SAID, play
from tests.build import known
from tests.shop import OTHER, USER

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
    begun, ended = [
        Counter(event["name"] for event in events if event["event"] in kinds)
        for kinds in (("on_tool_start",), ("on_tool_end", "on_tool_error"))
    ]
    assert begun == ended
    assert {"get_user_profile", "web_search", "product_catalog_search"} <= {*begun}
    found: Any = next(e for e in events if e["event"] == "on_tool_end" and e["name"] == FEEDER[0])
    assert found["data"]["input"] == FEEDER[1]
    assert "B0TEST0001" in found["data"]["output"]


async def test_a_graph_that_cannot_be_had_or_is_asked_nothing_says_so(world: World) -> None:
    model = scripted_model(play=play)
    with pytest.raises(UserError, match="null_empty is no graph; these are: plan_to_function, react"):
        graph("null_empty", world=world, model=model)
    with pytest.raises(UserError, match="was asked nothing"):
        await graph("react", world=world, model=model).ainvoke({"messages": []})
    shop: Any = graph("react", world=world, model=model)
    assert list(shop.get_input_jsonschema()["properties"]) == ["messages", "user_id"]
    assert list(shop.get_output_jsonschema()["properties"]) == ["messages", "answer"]
    for refused, sentence in (
        (shop.ainvoke(QUESTION, context={"user": OTHER, "user_id": OTHER}), "context is its user_id: leave 'user' out"),
        (shop.ainvoke(QUESTION, context={"user_id": "nobody"}), "The shop has no user 'nobody'. Some who are: A"),
        (shop.ainvoke(QUESTION | {"user_id": "nobody"}), "The shop has no user 'nobody'"),
    ):
        with pytest.raises(UserError, match=sentence):
            await refused
    for sync in (shop.invoke, shop.stream, lambda asked: around(shop).invoke(asked)):
        with pytest.raises(UserError, match="use ainvoke or astream"):
            sync(QUESTION)
    assert requests_of(model) == []


class Outer(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    user_id: str | None


@dataclass
class OuterContext:
    user_id: str
    tenant: str = "theirs"


def around(shop: Any, **options: Any) -> Any:
    """A graph of somebody else's, with a context of its own, in which ours is a node."""
    builder = StateGraph(Outer, context_schema=OuterContext).add_node("research", shop)
    return builder.add_edge(START, "research").compile(**options)


def texts_of(requests: Iterable[Request]) -> Counter[str]:
    """Everything that a model was shown, by request."""
    return Counter(json.dumps([message.text for message in request.messages]) for request in requests)


@every_graph
@pytest.mark.parametrize("by", ["state", "context"])
async def test_as_a_node_it_shops_for_the_outer_graphs_user_and_adds_one_message(
    world: World, name: str, by: str
) -> None:
    model = scripted_model(play=updating)
    outer, chat = around(graph(name, world=world, model=model)), list[Any](BEFORE)
    for question in (QUERY.text, CHEAPER):
        given = {"user_id": OTHER} if by == "state" else {}
        context: Any = OuterContext(OTHER) if by == "context" else None
        asked = {"messages": [*chat, ("user", question)]} | given
        chat = (await outer.ainvoke(asked, context=context))["messages"]
    assert [message.type for message in chat] == ["human", "ai", "ai", "human", "ai", "human", "ai"]
    assert chat[3].text == QUERY.text
    said = [[message.text for message in request.messages] for request in requests_of(model)]
    assert any(texts[1:4] == [text for _, text in BEFORE] for texts in said), "each is a turn of the conversation"
    shown = "".join(texts_of(requests_of(model)))
    assert NEW_EMAIL in shown
    assert "forbidden" not in shown
    assert any(known_before(request) for request in requests_of(model))


THREAD: Any = {"configurable": {"thread_id": "1"}}
BEFORE = [("user", "A feeder, please."), ("ai", "Let me see."), ("ai", "Take the tube feeder.")]
CHEAPER, NEW_EMAIL = "Which of them is cheaper?", "new@mail.example"
UPDATE = ("update_user_profile", {"user_id": OTHER, "email": NEW_EMAIL})
OWN = ("get_user_profile", {"user_id": OTHER})


def updating(request: Request) -> Any:
    """Plays, but whoever has the shop's tools changes the profile at first, and reads it, and reads it again."""
    # The answers of turns before are no turns of this one.
    request = replace(request, messages=[said for said in request.messages if getattr(said, "tool_calls", True)])
    if request.schema is None and OWN[0] in request.tool_names and request.may_call and request.turn < 3:
        return calls(UPDATE, OWN, FEEDER) if request.turn == 1 else calls(OWN)
    return play(request)


def known_before(request: Request) -> bool:
    """True for a later turn's request that shows the first question and its answer."""
    texts = [message.text for message in request.messages]
    return QUERY.text in texts and any(SAID in text for text in texts) and CHEAPER in texts[-1]


def cut_at(turn: int) -> Callable[[Request], Any]:
    """Plays, but for the command's end in place of one answer."""
    seen: list[Request] = []

    def answer(request: Request) -> Any:
        seen.append(request)
        if len(seen) == turn:
            raise CommandStopped("The key is refused.")
        return updating(request)

    return answer


@asynccontextmanager
async def opened(saver: str, folder: Path) -> AsyncGenerator[BaseCheckpointSaver[Any]]:
    """A new connection to the checkpoints in a folder, or new ones in memory."""
    if saver == "memory":
        yield InMemorySaver()
        return
    sqlite = pytest.importorskip("langgraph.checkpoint.sqlite.aio", reason="pip install langgraph-checkpoint-sqlite")
    async with sqlite.AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.sqlite")) as connected:
        yield connected


@every_graph
@pytest.mark.parametrize("saver", ["memory", "sqlite"])
@pytest.mark.parametrize("as_node", [False, True], ids=["alone", "node"])
async def test_a_run_that_was_cut_goes_on_for_its_shopper_and_says_the_same(
    world: World, name: str, saver: str, as_node: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def made(model: Any, checkpoints: Any) -> Any:
        if as_node:
            return around(graph(name, world=world, model=model), checkpointer=checkpoints)
        return graph(name, world=world, model=model, checkpointer=checkpoints)

    whole = scripted_model(play=updating)
    uncut: Any = await made(whole, InMemorySaver()).ainvoke(QUESTION | {"user_id": OTHER}, THREAD)
    assert NEW_EMAIL in "".join(texts_of(requests_of(whole)))
    turns = len(requests_of(whole))
    for turn in range(1, turns + 1):
        first, second = scripted_model(play=cut_at(turn)), scripted_model(play=updating)
        thread: Any = {"configurable": {"thread_id": str(turn)}}
        async with opened(saver, tmp_path) as before:
            with pytest.raises(CommandStopped):
                await made(first, before).ainvoke(QUESTION | {"user_id": OTHER}, thread)
            async with opened(saver, tmp_path) as later:
                end = await made(second, before if saver == "memory" else later).ainvoke(None, thread)
        assert end.get("answer") == uncut.get("answer")
        assert [message.text for message in end["messages"]] == [message.text for message in uncut["messages"]]
        asked = [*requests_of(first), *requests_of(second)]
        del asked[turn - 1]
        assert texts_of(asked) == texts_of(requests_of(whole)), "each is asked once, and shown the same"
    assert not caplog.records, "LangGraph warns once of a class that it may not read"


@every_graph
async def test_a_thread_is_a_conversation_of_one_shopper(world: World, name: str) -> None:
    model = scripted_model(play=updating)
    shop: Any = graph(name, world=world, model=model, checkpointer=InMemorySaver())
    await shop.ainvoke(QUESTION | {"user_id": OTHER}, THREAD)
    first = len(requests_of(model))
    end = await shop.ainvoke({"messages": [("user", CHEAPER)]}, THREAD)
    assert [message.type for message in end["messages"]] == ["human", "ai", "human", "ai"]
    assert any(known_before(request) for request in requests_of(model)[first:])
    state = (await shop.aget_state(THREAD)).values
    assert state["task"].user_id == OTHER
    assert state["shown"][0].seq == -1
    assert {change.after for change in state["shown"][0].changes} == {NEW_EMAIL}
    for asked in ({"messages": [("user", "And me?")], "user_id": USER}, None):
        with pytest.raises(UserError, match=f"This thread is {OTHER}'s"):
            await shop.ainvoke(asked, THREAD, context={"user_id": USER})


async def test_a_later_question_on_a_thread_may_be_answered_from_what_is_known(world: World) -> None:
    model = scripted_model(calls(FEEDER), REPORT, REPORT)
    shop: Any = graph("react", world=world, model=model, checkpointer=InMemorySaver())
    await shop.ainvoke(QUESTION, THREAD)
    end = await shop.ainvoke({"messages": [("user", CHEAPER)]}, THREAD)
    assert (SAID in end["messages"][-1].text, len(requests_of(model))) == (True, 3)


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
        with open_world("demo") as demo:
            shopper = demo.store.sample_users("0", 1)[0].user_id
        names = json.loads((example / "langgraph.json").read_text())["graphs"]
        assert {assistant["graph_id"] for assistant in served} == {*names}
        for name in names:
            asked = {"assistant_id": name, "input": QUESTION, "context": {"user_id": shopper}}
            end = client.post("/runs/wait", json=asked).raise_for_status().json()
            assert end["messages"][-1]["content"].startswith("# "), end
            thread = client.post("/threads", json={}).raise_for_status().json()["thread_id"]
            for messages in (2, 4):
                end = client.post(f"/threads/{thread}/runs/wait", json=asked).raise_for_status().json()
                assert len(end["messages"]) == messages, end
        assert "unregistered" not in (tmp_path / "log").read_text()
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()
