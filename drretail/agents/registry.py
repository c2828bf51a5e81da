"""Loads agents by name: the built-in ones, plugins (entry points of drretail.agents), ``module:attribute``, commands
and addresses. A plain callable and a LangChain Runnable become agents. An agent's prompts are files that a user may
override.

A callable is given what its signature names: ``question`` (its first argument, under any name), ``user``, ``today``,
``instructions`` (the question and the form of its report), ``tools``, ``toolkit``, or what the function of an Agent
gets: ``task``, ``session``, ``models``, ``limits``. A Runnable, given or returned by the callable, gets the
instructions.
"""

import asyncio
import inspect
import re
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool

from drretail.agents.base import HEEDED, Agent, Answering, messages_before
from drretail.agents.files_read import watch
from drretail.agents.information import BLOCKS, follow_up_prompt, own_agent_instructions, own_agent_prompts
from drretail.agents.names import BASELINES, BUILT_IN
from drretail.agents.page_reading import reading_pages
from drretail.agents.picks import asking_prompt
from drretail.env.session import Session
from drretail.errors import ModelError, UserError, install_line, quoted
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, changed_prompts, files_loaded, overridden_prompts
from drretail.llm.usage import usage_of
from drretail.plugins import Plugins
from drretail.records.query import Task
from drretail.records.run import COMMAND, OUTSIDE, Answer, Limits, PromptSet, Usage, WebMode, slug
from drretail.tools.registry import TOOLS, langchain_tools, structured_tools
from drretail.tools.toolkit import Toolkit

if TYPE_CHECKING:
    from drretail.doors.sealing import Network

GIVEN = (
    *("question", "history", "user", "today", "instructions"),
    *("tools", "toolkit", "task", "session", "models", "limits"),
)
"""The names of the arguments that a callable may ask for."""
_in_use: ContextVar[Toolkit | None] = ContextVar("toolkit", default=None)


def as_agent(function: object) -> Agent | None:
    """The agent made of an Agent, a callable or a Runnable; None for anything else, such as a class, a tool or a model.

    Raises UserError for a callable with an argument that nothing fills in.
    """
    if isinstance(function, Agent):
        return function
    if isinstance(function, type | BaseTool | BaseLanguageModel):
        return None
    _check_compiled(function)
    if isinstance(function, Runnable):
        return Agent(_answering(lambda: function, {}, function.get_name()), roles=(), prompts=own_agent_prompts)
    if not callable(function):
        return None
    name = getattr(function, "__name__", type(function).__name__)
    if (file := getattr(sys.modules.get(function.__module__), "__file__", None)) is not None:
        watch(Path(file).parent)
    arguments = _asked(function, name)
    wanted = set(arguments.values())
    makes_runnable = not wanted & {"question", "task"}
    return Agent(
        _answering(function, arguments, name),
        roles=("researcher",) if "models" in wanted else (),
        heeds=HEEDED if "limits" in wanted else frozenset({"tokens", "dollars"}),
        prompts=own_agent_prompts if makes_runnable or "instructions" in wanted else tuple,
    )


def shop_tools() -> list[StructuredTool]:
    """The nine as LangChain tools, for a graph that is built before any run. Each call belongs to the run it is made
    in.

    They raise UserError if they are called outside of a run.
    """
    return structured_tools(TOOLS.values(), _toolkit)


def _toolkit() -> Toolkit:
    toolkit = _in_use.get()
    if toolkit is None:
        raise UserError("The shop's tools were called outside of a run: give the agent to drretail.run, or to --agent.")
    return toolkit


def _asked(function: Callable[..., Any], name: str) -> dict[str, str]:
    """For each argument that is filled in, the name in GIVEN of the value it gets."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
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


def _answering(function: Callable[..., Any], arguments: Mapping[str, str], name: str) -> Answering:
    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Any:
        toolkit = Toolkit(session)
        with _used(toolkit):
            makers: dict[str, Callable[[], object]] = {
                "question": lambda: task.question,
                "history": lambda: [*task.history],
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
                partial(function, **{argument: makers[value]() for argument, value in arguments.items()})
            )
            _check_compiled(result)
            if isinstance(result, Runnable):
                result = await _invoked(result, task, HumanMessage(own_agent_instructions(session, task)))
            elif not arguments:
                raise ModelError("agent", f"{name} takes no question, so it has to return a graph or another Runnable")
            return _read(result, is_counted=bool(models.usage))

    answer.__name__, answer.__module__ = name, getattr(function, "__module__", __name__)
    answer.__wrapped__ = function  # pyright: ignore[reportFunctionMemberAccess]  # its source is what the user wrote
    return answer


def _check_compiled(graph: object) -> None:
    """Raises UserError for LangGraph's StateGraph, which is not loaded to ask."""
    if hasattr(graph, "compile") and hasattr(graph, "add_node"):
        raise UserError("A StateGraph can't be invoked before it is compiled: give what its compile() returns.")


async def _invoked(runnable: Any, task: Task, question: HumanMessage) -> Any:
    """What a Runnable returns. The thread of a graph with a checkpointer is the conversation.

    The question alone is sent if the thread holds the turns before, and these alone. Else the thread begins anew: it
    may be that of a run that failed.
    """
    thread: dict[str, Any] = {"configurable": {"thread_id": task.conversation}}
    before = messages_before(task)
    if saver := getattr(runnable, "checkpointer", None):
        held = (await runnable.aget_state(thread)).values.get("messages", [])
        spoken = [sum(message.type == "human" for message in messages) for messages in (held, before)]
        if held and spoken[0] == spoken[1]:
            before = []
        elif held:
            await saver.adelete_thread(task.conversation)
    return await runnable.ainvoke({"messages": [*before, question]}, thread)


def _read(result: Any, *, is_counted: bool) -> Any:
    """What an agent returned; of a graph's messages, the last one's text and the tokens that all report together.

    ``is_counted`` says that it asked the run's own models, whose calls are counted where they are made.
    """
    if isinstance(result, BaseMessage):
        result = {"messages": [result]}
    if isinstance(result, Mapping) and (interrupts := result.get("__interrupt__")):
        asked = "; ".join(str(interrupt.value) for interrupt in cast(Any, interrupts))
        raise ModelError("no_report", f"the graph stopped at an interrupt, which nobody answers in a run: {asked}")
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

    def outcome() -> tuple[Any, BaseException | None]:
        try:
            return call(), None
        except (Exception, SystemExit, KeyboardInterrupt) as problem:  # noqa: BLE001 — carried over to the run, which records it
            return None, problem

    result, problem = await asyncio.to_thread(outcome)
    if problem is not None:
        raise problem
    return await result if inspect.isawaitable(result) else result


AGENTS = Plugins("agent", BUILT_IN | BASELINES, "drretail.agents", "MODULE:NAME, cmd:COMMAND or http://ADDRESS")


def named_agent(spec: str, network: "Network | None" = None, passed: Sequence[str] = ()) -> tuple[str, Agent]:
    """An agent and the name that its systems use: its own with ``+ws``, or the one in ``NAME=PLACE``. ``network`` and
    ``passed`` are for commands.

    Raises as ``load_agent`` does, and UserError for a NAME that another agent has.
    """
    name, place = split_name(spec)
    plain, mode = split_web_mode(place)
    if name == place:
        return spec, load_agent(plain)
    if name in AGENTS.names():
        raise UserError(f"There is an agent {name} already: give {place} another name.")
    if not is_external(place):
        return name if mode == "snippets" else f"{name}+ws", replace(load_agent(plain), place=plain)
    if mode == "ws":
        raise UserError(f"{place}: an agent from outside reads pages by itself, so leave +ws out.")
    if find_spec("mcp") is None or find_spec("cryptography") is None:
        raise UserError(f"Agents that are commands or addresses need doors: {install_line('doors')}.")
    from drretail.agents.external import command_agent, endpoint_agent

    return name, command_agent(place, network, passed) if place.startswith(COMMAND) else endpoint_agent(place)


def split_web_mode(name: str) -> tuple[str, WebMode]:
    """The agent's own name, and how it reads the web: ``react+ws`` gets summaries of whole pages."""
    plain = name.removesuffix("+ws")
    return plain, "snippets" if plain == name else "ws"


def load_agent(name: str) -> Agent:
    """The agent of that name. No other agent is imported.

    Raises UnknownName if there is no such agent, and UserError if its place holds nothing that can answer.
    """
    if ":" in name:
        watch(Path.cwd())
    place, loaded = AGENTS.load(name)
    agent = as_agent(loaded)
    if agent is None:
        raise AGENTS.refused(place, loaded, "a drretail.Agent, a function that answers, or a LangChain Runnable")
    return agent


_NAMED = re.compile(rf"(?P<name>[^=:/\s]*)=(?P<place>(?:{'|'.join(OUTSIDE)}).*|[\w.]+:[\w.]+(?:\+ws)?)", re.DOTALL)
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")


def is_external(place: str) -> bool:
    """True for ``cmd:…``, ``http://…`` and ``https://…``."""
    return place.startswith(OUTSIDE)


def split_name(spec: str) -> tuple[str, str]:
    """The name and the place of an agent.

    Without ``NAME=`` the name of an external agent is made from its place, and that of any other agent is its place.
    Raises UserError for a name that cannot be part of a label.
    """
    match = _NAMED.fullmatch(spec)
    if match is None:
        if not is_external(spec):
            return spec, spec
        # A command is named by its words without the folders that they are in, an address by all of it.
        words = [PurePath(word).name for word in spec.removeprefix(COMMAND).split()]
        name = "-".join(["cmd", *words]) if spec.startswith(COMMAND) else spec
        return slug(name.replace("+", "-")), spec
    if _NAME.fullmatch(match["name"]) is None:
        raise UserError(
            f"{quoted(match['name'])} cannot name an agent: take up to 80 lower case letters, digits and - _ . in it."
        )
    return match["name"], match["place"]


_AGENTS = Path(__file__).parent


def wordings_of(agent: Agent) -> tuple[Prompt, ...]:
    """Every prompt that the agent uses, with that of later turns and the one that asks its writer for missing picks."""
    asking = () if agent.writer is None else (follow_up_prompt(), asking_prompt())
    return (*agent.prompts(), *asking)


def prompt_files(agents: Iterable[Agent]) -> dict[str, Path]:
    """The packaged files of all prompts of these agents, by the name under which each is overridden."""
    paths = {path for agent in agents for path in files_loaded(lambda agent=agent: wordings_of(agent))}
    return dict(sorted((_name(path), path) for path in paths))


def with_pages(names: Iterable[str] = BUILT_IN) -> dict[str, Agent]:
    """The agents of these names, each also as it reads whole pages (``+ws``); by default the built-in agents."""
    plain = {name: load_agent(name) for name in dict.fromkeys(split_web_mode(name)[0] for name in names)}
    return {
        label: agent
        for name, plain_agent in plain.items()
        for label, agent in ((name, plain_agent), (f"{name}+ws", reading_pages(plain_agent)))
    }


@dataclass(frozen=True, slots=True)
class Overrides:
    """The texts that replace packaged prompts, by file. ``name`` is that of the folder they came from."""

    name: str = ""
    texts: Mapping[Path, str] = field(default_factory=dict[Path, str])

    def of(self, agent: Agent) -> "Overrides":
        """The overrides that the agent uses. An overridden prompt may use other shared parts than the packaged one."""
        if not self.texts:
            return self
        with overridden_prompts(self.texts):
            used = files_loaded(lambda: wordings_of(agent))
        return Overrides(self.name, {path: text for path, text in self.texts.items() if path in used})

    def as_record(self) -> PromptSet | None:
        """The hashes that a system records of them; None without any."""
        hashes = {name: Prompt(name, text).hash for name, text in self.by_name().items()}
        return PromptSet(name=self.name, hashes=hashes) if hashes else None

    def by_name(self) -> dict[str, str]:
        return dict(sorted((_name(path), text) for path, text in self.texts.items()))

    def unused(self, used: Iterable["Overrides"]) -> str:
        """The names of these that are in none of ``used``. Raises UserError if that is all, so nothing would change."""
        idle = self.texts.keys() - {path for overrides in used for path in overrides.texts}
        names = ", ".join(sorted(map(_name, idle)))
        if idle and len(idle) == len(self.texts):
            raise UserError(
                f"{self.name} changes {names}, which no agent of this run is told: drretail prompts AGENT --to DIR "
                "writes what one is told."
            )
        return names


NO_OVERRIDES = Overrides()


def read_overrides(folder: Path, agents: Iterable[Agent], others: Collection[str] = ()) -> Overrides:
    """The texts in ``folder`` that differ from the packaged prompts of the same names.

    They may be prompts of ``agents`` and of the built-in ones; hidden files are skipped. Raises UserError if the folder
    is missing or changes nothing, and for a file with a wrong name, without text, or with other placeholders than the
    packaged prompt. Parts that prompts share may be left out or added. ``others`` are files for other commands.
    """
    files = prompt_files([*with_pages().values(), *agents])
    texts = changed_prompts(folder, files, BLOCKS, others=others)
    return Overrides(folder.resolve().name, texts)


def _name(path: Path) -> str:
    """``react.md``, ``hybrid_react/report.md``; for an agent from elsewhere, its folder's name precedes the file's."""
    owner = path.parent.parent
    folder = owner.relative_to(_AGENTS) if owner.is_relative_to(_AGENTS) else Path(owner.name)
    return (folder / path.name).as_posix()
