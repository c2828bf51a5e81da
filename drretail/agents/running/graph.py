"""``graph``: an agent's compiled graph, bound to a world and models, for whoever uses LangGraph."""

from collections.abc import AsyncGenerator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, cast, get_args, get_type_hints

from langchain_core.messages import AnyMessage, convert_to_messages
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph.state import CompiledStateGraph
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from drretail.agents.graphs import Graphed
from drretail.agents.names import BUILT_IN
from drretail.agents.registry import load_agent, split_web_mode
from drretail.agents.running.system import SystemUnderTest
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.errors import UserError
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


def graph(
    name: str,
    *,
    world: World,
    model: Model | Mapping[str, Model],
    limits: Limits | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """An agent's compiled graph: ``await graph(…).ainvoke({"messages": [question]}, context={"user_id": …})``.

    The messages before the question are the turns of a conversation. The report is the last message of the state, and
    ``answer`` in it is what our own runs record. Every run has a session of its own; ``model`` is one for all roles or
    one for each, and ``NAME+ws`` reads whole pages. With a checkpointer, a run that was cut goes on if its thread is
    invoked with None; its limits then count from there. A new question on a thread is a new beginning.

    Raises UserError for an agent that is no graph.
    """
    if isinstance(world, str) or isinstance(model, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UserError("Give an open world and an open model: open_world(NAME), open_model(NAME).")
    plain, mode = split_web_mode(name)
    agent = load_agent(plain)
    if not isinstance(answering := agent.answer, Graphed):
        raise UserError(f"The agent {plain} is no graph; these are: {', '.join(BUILT_IN)}.")
    models = {"": model} if isinstance(model, Model) else model
    sut = SystemUnderTest.of(plain, agent, models, world, web_mode=mode, limits=limits or Limits())
    builder = answering.graph().builder
    saver = None if checkpointer is None else _knowing(checkpointer, _records_in(builder.state_schema, set()))
    compiled = builder.compile(checkpointer=saver, name=plain)
    parts = {key: part for key, part in vars(compiled).items() if key != "__orig_class__"}
    return ShopGraph(sut=sut, world=world, answering=answering, **parts | {"context_schema": _Shopper})


def _knowing(checkpointer: BaseCheckpointSaver[Any], records: set[type]) -> BaseCheckpointSaver[Any]:
    """The checkpointer, which may read these records. LangGraph warns of any other, and means to refuse it."""
    knowing = copy(checkpointer)
    if isinstance(serializer := checkpointer.serde, JsonPlusSerializer):
        knowing.serde = JsonPlusSerializer(pickle_fallback=serializer.pickle_fallback, allowed_msgpack_modules=records)
    return knowing


def _records_in(kind: Any, records: set[type]) -> set[type]:
    """The classes of ours that a type is made of, which are added to those that were found."""
    for part in get_args(kind):
        _records_in(part, records)
    if isinstance(kind, type) and kind.__module__.startswith("drretail.") and kind not in records:
        records.add(kind)
        for hint in get_type_hints(kind).values():
            _records_in(hint, records)
    return records


_ROLES = {"human": "user", "ai": "assistant"}


class _Question(TypedDict):
    messages: list[AnyMessage]


class ShopGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A graph whose runs each open a session of their own."""

    def __init__(self, *, sut: SystemUnderTest, world: World, answering: Graphed, **parts: Any) -> None:
        super().__init__(**parts)
        self.sut, self.world, self.answering = sut, world, answering

    def get_input_jsonschema(self, config: Any = None) -> dict[str, Any]:
        """What ``ainvoke`` takes: the question. The rest of the state is the graph's own."""
        return TypeAdapter(_Question).json_schema()

    async def astream(
        self,
        input: Any,  # noqa: A002 -- LangGraph's name for it
        config: Any = None,
        *,
        context: Any = None,
        **inputs: Any,
    ) -> AsyncGenerator[Any]:
        """Streams in a context of its own. Every other invocation streams, too."""
        user_id = (context if isinstance(context, _Shopper) else _Shopper(**(context or {}))).user_id
        system, tools = self.sut.system, own_tools(self.sut.agent.tools)
        session = Session(SessionSettings(self.world, user_id=user_id, web_mode=system.web_mode, tools=tools))
        models = Models(self.sut.models, session.journal, session.trajectory, system.limits)
        begun = input
        if isinstance(input, Mapping):
            messages = convert_to_messages(cast("Mapping[str, Any]", input).get("messages") or [])
            texts = [(message.type, message.text) for message in messages if message.text.strip()]
            spoken = [{"role": _ROLES[by], "content": text} for by, text in texts if by in _ROLES]
            if not spoken or spoken[-1]["role"] != "user":
                raise UserError('The graph was asked nothing: give it {"messages": [the question]}.')
            task = Task(text=spoken[-1]["content"], user_id=user_id, history=tuple(spoken[:-1]))
            begun = self.answering.begun(task, session, system.limits)
        with self.answering.open_loop(session, models, system.limits) as loop:
            async for chunk in super().astream(begun, config, context=loop, **inputs):
                yield chunk
