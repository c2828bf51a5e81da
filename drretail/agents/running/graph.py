"""``graph``: an agent's compiled graph, bound to a world and models, for whoever uses LangGraph."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NoReturn, NotRequired, cast, get_args, get_type_hints

from langchain_core.messages import AnyMessage
from langchain_core.runnables.config import ensure_config
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from langgraph.types import Checkpointer, Command
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from drretail.agents.graphs import Graphed
from drretail.agents.loop import Loop
from drretail.agents.names import BUILT_IN
from drretail.agents.registry import load_agent, split_web_mode
from drretail.agents.running.system import SystemUnderTest
from drretail.env.session import Session, SessionSettings, Shown
from drretail.env.world import World
from drretail.errors import UserError, quoted
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.records.query import Task
from drretail.records.run import Limits
from drretail.tools.registry import own_tools


@dataclass(frozen=True, slots=True)
class _Shopper:
    """The context of an agent's graph."""

    user_id: str | None = None
    """Who asks; None if nobody in particular does."""


class _Question(TypedDict):
    """What the graph takes. The last message is the question."""

    messages: list[AnyMessage]
    user_id: NotRequired[str | None]


def graph(
    name: str,
    *,
    world: World,
    model: Model | Mapping[str, Model],
    limits: Limits | None = None,
    checkpointer: Checkpointer = None,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """An agent's compiled graph: ``await graph(…).ainvoke({"messages": [question], "user_id": …})``.

    The messages before the question are the turns of a conversation. The report is the last message of the state, and
    ``answer`` in it is what our own runs record. As a node it takes messages and user from the state of the graph
    around it, or the user from that graph's context, and adds one message. ``model`` is one for all roles or one for
    each, and ``NAME+ws`` reads whole pages.

    With a checkpointer, a run that was cut goes on if its thread is invoked with None; its limits then count from
    there. A new question on a thread goes on with its conversation, its shopper and what was looked up and changed.
    It can only be awaited. Raises UserError for an agent that is no graph.
    """
    if isinstance(world, str) or isinstance(model, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError("Give an open world and an open model: open_world(NAME), open_model(NAME).")
    plain, mode = split_web_mode(name)
    agent = load_agent(plain)
    if not isinstance(answering := agent.answer, Graphed):
        raise UserError(f"The agent {plain} is no graph; these are: {', '.join(BUILT_IN)}.")
    models = {"": model} if isinstance(model, Model) else model
    compiled = answering.graph()
    return ShopGraph(
        sut=SystemUnderTest.of(plain, agent, models, world, web_mode=mode, limits=limits or Limits()),
        world=world,
        answering=answering,
        builder=compiled.builder,
        schema_to_mapper=compiled.schema_to_mapper,
        nodes=compiled.nodes,
        channels=compiled.channels,
        input_channels=compiled.input_channels,
        output_channels=["messages", "answer"],
        stream_channels=compiled.stream_channels,
        stream_mode=compiled.stream_mode,
        context_schema=_Shopper,
        checkpointer=checkpointer,
        name=plain,
    )


def _reading(serializer: Any, records: set[type]) -> Any:
    """The serializer, which may read these records. LangGraph warns of any other, and means to refuse it."""
    if isinstance(serializer, EncryptedSerializer):
        return EncryptedSerializer(serializer.cipher, _reading(serializer.serde, records))
    if isinstance(serializer, JsonPlusSerializer):
        return JsonPlusSerializer(pickle_fallback=serializer.pickle_fallback, allowed_msgpack_modules=records)
    return serializer


@cache
def _records_of(answering: Graphed) -> set[type]:
    """The classes of ours that checkpoints of a graph, and of the graphs in it, are made of."""
    compiled, records = answering.graph(), set[type]()
    for part in (compiled, *(part for _, part in compiled.get_subgraphs(recurse=True))):
        for schema in part.builder.schemas:
            _records_in(schema, records)
    return records


def _records_in(kind: Any, records: set[type]) -> None:
    for part in get_args(kind):
        _records_in(part, records)
    if isinstance(kind, type) and kind.__module__.startswith("drretail.") and kind not in records:
        records.add(kind)
        for hint in get_type_hints(kind).values():
            _records_in(hint, records)


_ROLES = {"human": "user", "ai": "assistant"}


class ShopGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A graph whose invocations each open a session of their own."""

    def __init__(self, *, sut: SystemUnderTest, world: World, answering: Graphed, **parts: Any) -> None:
        super().__init__(**parts)
        self.sut, self.world, self.answering = sut, world, answering

    def get_input_jsonschema(self, config: Any = None) -> dict[str, Any]:
        """What ``ainvoke`` takes. The rest of the state is the graph's own."""
        return TypeAdapter(_Question).json_schema()

    def get_output_jsonschema(self, config: Any = None) -> dict[str, Any]:
        return self.get_output_schema(config).model_json_schema()

    def stream(self, *_: Any, **__: Any) -> NoReturn:
        """Raises UserError. Every other invocation that is not async streams, too."""
        raise UserError("This graph asks its models asynchronously: use ainvoke or astream, of graphs around it too.")

    async def astream(
        self,
        input: Any,  # noqa: A002 -- LangGraph's name for it
        config: Any = None,
        *,
        context: Any = None,
        **inputs: Any,
    ) -> AsyncGenerator[Any]:
        """Streams in a context of its own. Every other invocation streams, too."""
        begun = await self._begun(input, ensure_config(config), context)
        async for chunk in super().astream(begun, config, context=_Invocation(self), **inputs):
            yield chunk

    def session(self, user_id: str | None) -> Session:
        """A new session of this user."""
        mode, tools = self.sut.system.web_mode, own_tools(self.sut.agent.tools)
        return Session(SessionSettings(self.world, user_id=user_id, web_mode=mode, tools=tools))

    async def _begun(self, asked: Any, config: Any, context: Any) -> Any:
        """The state with which a new question begins; what goes on from a checkpoint is passed on as it is.

        Raises UserError for an unknown shopper, and for another than the thread's.
        """
        strange = {*context} - {"user_id"} if isinstance(context, Mapping) else ()
        if strange:
            raise UserError(f"The graph's context is its user_id: leave {', '.join(sorted(map(repr, strange)))} out.")
        configurable = config.get("configurable", {})
        # As a node it begins anew each time, unless it was compiled to keep its own state.
        keeps = "thread_id" in configurable and (not configurable.get("checkpoint_ns") or self.checkpointer is True)
        has_saver = keeps and isinstance(self._resolve_checkpointer(config), BaseCheckpointSaver)
        saved: dict[str, Any] = (await self.aget_state(config)).values if has_saver else {}
        goes_on = asked is None or isinstance(asked, Command)
        given = None if goes_on else _value(asked, "user_id")
        if context is None:
            with suppress(RuntimeError, KeyError, AttributeError):  # outside of any graph
                context = get_runtime().context
        user_id, of_thread = given or _value(context, "user_id"), _value(saved.get("task"), "user_id")
        if user_id is not None and of_thread not in (None, user_id):
            raise UserError(f"This thread is {of_thread}'s: ask for {quoted(str(user_id))} on a thread of its own.")
        await asyncio.to_thread(self.world.check_user, user_id)  # the loop may be a server's
        if goes_on:
            return asked
        new = cast("list[AnyMessage]", add_messages([], _value(asked, "messages") or []))
        dialogue = cast("list[AnyMessage]", add_messages(saved.get("messages", []), [*new]))
        texts = [(message.type, message.text) for message in dialogue if message.text.strip()]
        spoken = [{"role": _ROLES[by], "content": text} for by, text in texts if by in _ROLES]
        if not new or not spoken or spoken[-1]["role"] != "user":
            raise UserError('The graph was asked nothing: give it {"messages": [the question]}.')
        task = Task(text=spoken[-1]["content"], user_id=user_id or of_thread, history=tuple(spoken[:-1]))
        shown: list[Shown] = saved.get("shown", [])
        sources = tuple(source for step in shown for source in step.sources)
        changes = tuple(change for step in shown for change in step.changes)
        earlier = [Shown("0", -1, sources, changes)] if shown else []
        begun = self.answering.begun(task, self.session(task.user_id), self.sut.system.limits, earlier)
        return begun | {"messages": new}

    def _resolve_checkpointer(self, config: Any) -> Any:
        """The checkpointer, also a server's or that of a graph around this one, which may read our records."""
        saver = super()._resolve_checkpointer(config)
        if isinstance(saver, BaseCheckpointSaver):
            saver = copy(saver)
            saver.serde = _reading(saver.serde, _records_of(self.answering))
        return saver


def _value(of: Any, name: str) -> Any:
    """A field of a state or context, whichever kind of schema it has; None without it."""
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)


@dataclass(slots=True)
class _Invocation:
    """The context of one invocation. The first node opens its loop, by its state: that may be a checkpoint's."""

    graph: ShopGraph
    loop: Loop | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the first of several branches that go on side by side."""

    async def opened(self, state: Mapping[str, Any]) -> Loop:
        async with self.lock:
            if self.loop is None:
                session, limits = self.graph.session(state["task"].user_id), self.graph.sut.system.limits
                await session.recall(state["shown"])
                session.seal()
                models = Models(self.graph.sut.models, session.journal, session.trajectory, limits)
                self.loop = self.graph.answering.open_loop(session, models, limits)
        return await self.loop.opened(state)
