"""Makes agents of a plain callable, or of a LangChain Runnable such as a compiled graph.

A callable is given what its signature names: ``question`` (its first argument, under any name), ``user``, ``today``,
``instructions`` (the question and the form of its report), ``tools``, ``toolkit``, or what the function of an Agent
gets: ``task``, ``session``, ``models``, ``limits``. A Runnable, given or returned by the callable, gets the
instructions.
"""

import asyncio
import inspect
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from math import inf
from typing import Any, cast

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool

from drretail.agents.base import HEEDED, Agent, Answering
from drretail.agents.information import own_agent_instructions, own_agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError, UserError
from drretail.llm.models import Models
from drretail.llm.prompts.prompt import Prompt
from drretail.llm.usage import usage_of
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Usage
from drretail.tools.registry import TOOLS, langchain_tools, structured_tools
from drretail.tools.toolkit import Toolkit
from drretail.tools.workers import Workers

GIVEN = ("question", "user", "today", "instructions", "tools", "toolkit", "task", "session", "models", "limits")
"""The names of the arguments that a callable may ask for."""
_in_use: ContextVar[Toolkit | None] = ContextVar("toolkit", default=None)


def as_agent(given: object) -> Agent | None:
    """The agent made of an Agent, a callable or a Runnable; None for anything else, such as a class, a tool or a model.

    Raises UserError for a callable with an argument that nothing fills in.
    """
    if isinstance(given, Agent):
        return given
    if isinstance(given, type | BaseTool | BaseLanguageModel):
        return None
    if isinstance(given, Runnable):
        return Agent(_answering(lambda: given, {}, given.get_name()), roles=(), prompts=_instructions)
    if not callable(given):
        return None
    name = getattr(given, "__name__", type(given).__name__)
    arguments = _asked(given, name)
    if not arguments:  # without arguments it would not know the question
        return None
    wanted = set(arguments.values())
    makes_runnable = not wanted & {"question", "task"}
    return Agent(
        _answering(given, arguments, name),
        roles=("researcher",) if "models" in wanted else (),
        heeds=HEEDED if "limits" in wanted else frozenset({"tokens", "dollars"}),
        prompts=_instructions if makes_runnable or "instructions" in wanted else tuple,
    )


def shop_tools() -> list[StructuredTool]:
    """The nine as LangChain tools, for a graph that is built before any run. Each call belongs to the run it is made
    in.

    They raise UserError if they are called outside of a run.
    """
    return structured_tools(TOOLS.values(), _toolkit)


def _instructions() -> tuple[Prompt, ...]:
    return (own_agent_prompt(),)


def _toolkit() -> Toolkit:
    toolkit = _in_use.get()
    if toolkit is None:
        raise UserError("The shop's tools were called outside of a run: give the agent to drretail.run, or to --agent.")
    return toolkit


def _asked(given: Callable[..., Any], name: str) -> dict[str, str]:
    """For each argument that is filled in, the name in GIVEN of the value it gets."""
    try:
        parameters = list(inspect.signature(given).parameters.values())
    except ValueError:
        raise UserError(
            f"{name} cannot be an agent: Python cannot read its arguments. Wrap it in a function."
        ) from None
    arguments: dict[str, str] = {}
    for place, parameter in enumerate(parameters):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in GIVEN:
            arguments[parameter.name] = parameter.name
        elif place == 0 and parameter.default is parameter.empty:
            arguments[parameter.name] = "question"
        elif parameter.default is parameter.empty:
            raise UserError(
                f"{name} cannot be an agent: nothing fills in its argument {parameter.name!r}. Beside the question an "
                f"agent may ask for {', '.join(GIVEN[1:-1])} and {GIVEN[-1]}."
            )
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.name in arguments:
            raise UserError(f"{name} cannot be an agent: its argument {parameter.name!r} cannot be given by name.")
    return arguments


def _answering(given: Callable[..., Any], arguments: Mapping[str, str], name: str) -> Answering:
    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        with Toolkit(session) as toolkit, _used(toolkit):
            known: dict[str, Callable[[], object]] = {
                "question": lambda: task.question,
                "user": lambda: task.user_id,
                "today": lambda: session.settings.now.date(),
                "instructions": lambda: own_agent_instructions(session, task),
                "tools": lambda: langchain_tools(toolkit),
                "toolkit": lambda: toolkit,
                "task": lambda: task,
                "session": lambda: session,
                "models": lambda: models,
                "limits": lambda: limits,
            }
            result = await _called(
                partial(given, **{argument: known[value]() for argument, value in arguments.items()})
            )
            if isinstance(result, Runnable):
                messages = [HumanMessage(own_agent_instructions(session, task))]
                result = await cast(Any, result).ainvoke({"messages": messages})
            return _read(result, is_counted=bool(models.usage))

    answer.__name__, answer.__module__ = name, getattr(given, "__module__", __name__)
    answer.__wrapped__ = given  # pyright: ignore[reportFunctionMemberAccess]  # its source is what the user wrote
    return answer


def _read(result: Any, *, is_counted: bool) -> Any:
    """What an agent returned; of a graph's messages, the last one's text and the tokens that all report together.

    ``is_counted`` says that it asked the run's own models, whose calls are counted where they are made.
    """
    if isinstance(result, BaseMessage):
        result = {"messages": [result]}
    if not isinstance(result, Mapping) or "messages" not in result:
        return result
    messages = convert_to_messages(cast(Any, result["messages"]))
    if not messages or isinstance(messages[-1], HumanMessage):
        raise ModelError("no_report", "the agent's last message is the question itself")
    answers = [message for message in messages if isinstance(message, AIMessage)]
    is_reported = not is_counted and answers and all(answer.usage_metadata is not None for answer in answers)
    usage = sum(map(usage_of, answers), Usage()) if is_reported else None
    return Answer(report=messages[-1].text, usage=usage)


@contextmanager
def _used(toolkit: Toolkit) -> Generator[None]:
    token = _in_use.set(toolkit)
    try:
        yield
    finally:
        _in_use.reset(token)


async def _called(call: "partial[Any]") -> Any:
    """The result of the call. One that is not async runs in a thread of its own, so that other runs go on."""
    if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call.func).__call__):
        return await call()
    context, threads = copy_context(), Workers(1)
    try:
        job = threads.submit(lambda: context.run(_outcome, call), asyncio.get_running_loop())
        result, problem = await threads.await_(job, inf)
    finally:
        threads.close()  # a call that still runs because the run was stopped is not waited for
    if problem is not None:
        raise problem
    return await result if inspect.isawaitable(result) else result


def _outcome(call: "partial[Any]") -> tuple[Any, BaseException | None]:
    try:
        return call(), None
    except (Exception, SystemExit) as problem:  # noqa: BLE001 — carried over to the run, which records it
        return None, problem
