"""The loop that every role with tools goes round, as a graph of LangGraph (ReAct, Yao et al. 2023): think, act, read …

The toolkit carries out the calls of a turn. In the web mode "ws" whole pages are read for the role. Some calls are
launches: each is a branch of the run, with a path and a share of the budget of its own.

START ─▶ think ──calls──▶ act ──▶ think … ──no calls, Finalize or a limit──▶ report ─▶ END
           ▲               │ ▲
           │      launches │ │ what they brought, in the order of the launches
           │               ▼ │
           │            a branch for each ─▶ gather
           └── challenge ◀── an end that comes too early: nothing was looked up (once), or calls were only announced

``report`` is each agent's own node. It begins with ``ended``, which at a limit asks the model for its last words.
"""

import asyncio
import operator
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeVar

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite, Send
from typing_extensions import TypedDict

from drretail.agents.information import agent_prompt
from drretail.agents.page_reading import with_pages_read
from drretail.env.session import Shown
from drretail.errors import CommandStopped, ModelError, ModelErrorKind, ToolError, describe_error
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt
from drretail.records.base import Record
from drretail.records.evidence import Source
from drretail.records.figures import counted
from drretail.records.run import Limits, Role, Stop
from drretail.reports.picks import is_whole_report
from drretail.reports.text.serialisation import compact_json
from drretail.tools.registry import offered
from drretail.tools.tool import ToolResult
from drretail.tools.toolkit import Launch, Performed, Toolkit, ToolReply

T = TypeVar("T")
Change = dict[str, Any]
"""What a node adds to the state."""
Builder = StateGraph[Any, "Loop", Any, Any]
SHARE = 4
"""A try leaves out a fourth of what is left: providers say in no one way how much is too much."""
LEFT_OUT = compact_json({"left_out": "This result no longer fits the conversation."})
LONGEST_QUOTE = 160
"""Characters of what a model said instead of looking anything up."""
CHALLENGES = 2
"""How often in a row a turn without calls is asked whether it was the report. A turn with calls resets the count."""
CONCLUSIONS = 2
"""How often the report is asked for at a limit."""
FINALIZE = "Finalize"
"""The tool by which a role that has it says that its work is done (paper section 4)."""


class Branch(Record):
    """What one launch came to: a result, or why there is none."""

    number: int
    """Its number in the launch order of the whole run, from 1."""
    path: str
    value: dict[str, Any] | None = None
    """What the role that launched it reads; None for a failure."""
    sources: tuple[Source, ...] = ()
    """What that role may cite of it."""
    failure: ModelErrorKind | None = None
    message: str = ""
    """What failed."""
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[str, ...]:
        """The line of a failure: "0.2: timeout: …"."""
        return () if self.failure is None else (f"{self.path}: {self.failure}: {self.message}",)

    def outcome(self, who: str) -> ToolResult | ToolError:
        """The result of the call that launched it; ``who`` names the branch, by its {number}."""
        if self.value is not None:
            return ToolResult(self.value, self.sources)
        kind = "timeout" if self.failure == "timeout" else "unavailable"
        return ToolError(
            kind, f"{who.format(number=self.number)} came back with nothing: {self.failure}: {self.message}"
        )


class Sent(TypedDict):
    """What a branch begins with."""

    launch: Launch
    number: int
    args: dict[str, Any]
    """Those of the launch, as the tool took them."""
    told: Sequence[str]
    """Further tagged texts for it."""
    known: Sequence[str]
    """The evidence in these texts."""
    limits: Limits
    """Its share of the budget."""


def in_launch_order(branches: Sequence[Branch], new: Sequence[Branch]) -> list[Branch]:
    """The branches by their numbers, whichever ended first."""
    return sorted([*branches, *new], key=lambda branch: branch.number)


class State(TypedDict):
    """What a loop knows. All of it can be written down, so that a checkpointer can go on from it."""

    transcript: Annotated[list[AnyMessage], operator.add]
    """With the model, added as it is: LangGraph's own reducer would overwrite answers, if a server gives all one id."""
    shown: Annotated[list[Shown], operator.add]
    """What the run was shown and changed, with that of its branches."""
    notes: Annotated[list[str], operator.add]
    turns: int
    stop: Stop
    ended: bool
    looked_up: bool
    challenged: bool
    """True once the agent was told that it had looked nothing up."""
    announced: int
    """How many turns since the last one with calls had neither calls nor a report."""
    handed_in: str
    """The whole framed report that came with the last calls; empty without one."""


class Launching(State):
    """What a loop knows that launches branches."""

    branches: Annotated[list[Branch], in_launch_order]
    launched: list[Sent]
    """The launches of this turn, whose replies are None until their branches have ended."""
    replies: list[ToolReply | None]
    """A reply to each call of this turn, in their order."""
    short: bool
    """True once a launch was refused because too few tokens were left for it."""


def begun(messages: Sequence[AnyMessage], shown: Sequence[Shown] = ()) -> Change:
    """The state of a loop that begins with these messages, after it was ``shown`` this; a thread's own is replaced."""
    lists = {"transcript": [*messages], "shown": [*shown], "notes": [], "branches": []}
    return {
        **{name: Overwrite(value) for name, value in lists.items()},
        **dict.fromkeys(("ended", "looked_up", "challenged", "short"), False),
        **{"turns": 0, "stop": "finished", "announced": 0, "handed_in": "", "launched": [], "replies": []},
    }


Told = Callable[[Any, Mapping[str, Any]], tuple[Sequence[str], Sequence[str]]]
"""Gives, by the state and a launch's arguments, further texts for the branch, and the evidence in them."""


@dataclass(frozen=True, slots=True)
class Launches:
    """The calls of a loop that launch branches."""

    nodes: Mapping[str, str]
    """The node of the branches, by the name of the tool that launches them."""
    toolkit: Toolkit
    """The tools of the branches."""
    limits: Limits
    """Those of the run: at most ``researchers`` are launched in one turn."""
    refusal: Callable[[int, bool], str]
    """Why a launch is refused where at most so many are allowed; True if it is for want of tokens."""
    who: str = "It"
    """Names a branch that came back with nothing, by its {number}."""
    told: Told = lambda state, args: ((), ())


@dataclass(frozen=True)
class Loop:
    """A role at its path, with its tools and the ``turns`` with tool calls that it may take."""

    role: Role
    models: Models
    toolkit: Toolkit
    turns: int
    conclude: Callable[[Stop], HumanMessage] | None = None
    """Gives the message at a limit, which asks for a last turn without calls. None ends the loop there."""
    is_unfinished: Callable[[str], bool] | None = None
    """True for a text that may not end the loop, such as an announcement of calls."""
    path: str = "0"
    plans: bool = False
    """True if its one turn is a plan, whose calls are carried out one after the other."""
    launches: Launches | None = None
    in_flight: list[asyncio.Future[None]] = field(default_factory=list[asyncio.Future[None]])
    """One for each branch that was begun, which ends with it."""
    memo: dict[Any, Any] = field(default_factory=dict[Any, Any])
    """What is worth keeping besides the state. A run that goes on from a checkpoint makes it again."""

    async def opened(self, state: Mapping[str, Any]) -> "Loop":
        """The loop, for a node that is given this state: its session knows what the state was shown and changed."""
        await self.toolkit.session.recall(state["shown"])
        return self

    @cached_property
    def look_ups(self) -> frozenset[str]:
        """The names of its tools that look something up. A role without any may end without having done so."""
        launching = () if self.launches is None else self.launches.nodes
        return frozenset(self.toolkit.tools.keys() & {*offered(self.toolkit.session), *launching})


def launches_of(loop: Loop) -> Launches:
    if loop.launches is None:
        raise ModelError("agent", "a loop that launches nothing came to a branch")
    return loop.launches


class LoopEnd(NamedTuple):
    """The whole conversation, and why it ended."""

    messages: tuple[AnyMessage, ...]
    stop: Stop
    notes: tuple[str, ...]
    text: str
    """The model's last text, or the whole framed report that came with its last calls; empty for calls alone."""


async def ended(state: State, loop: Loop) -> LoopEnd:
    """How a loop ended. At a limit the model is asked for its report, without the oldest results if not all fit.

    An end that comes too early was challenged: once if nothing was looked up, and up to ``CHALLENGES`` times in a row
    if calls were only announced. A conversation that no longer fits the model ends the research.

    Raises ModelError if the model fails for good. Its kind is ``no_research`` if nothing was looked up after the
    challenge either, and ``no_report`` if the model goes on announcing calls, in the same words or in others.
    """
    messages, notes, stop = [*state["transcript"]], [*state["notes"]], state["stop"]
    announced = state["announced"]
    if _found_nothing(state, loop):
        raise ModelError("no_research", f"nothing was looked up{_last_words(messages)}")
    if loop.conclude is not None and (stop != "finished" or (announced and loop.models.must_conclude)):
        stop = (loop.models.budget_stop or "error") if stop == "finished" else stop
        for _ in range(CONCLUSIONS):
            messages.append(loop.conclude(stop))
            answer, left_out = await _concluded(messages, loop)
            messages.append(answer)
            left = counted(left_out, "oldest result")
            note = f"{loop.path}: written without {left}, which did not fit the model any more"
            notes += [note] if left_out else []
            announced = _announced(answer, 0, loop, state["handed_in"])
            if not announced:
                break
    if announced:
        raise ModelError("no_report", f"calls were announced and not made{_last_words(messages)}")
    text = _last_text(messages)
    if state["handed_in"] and loop.is_unfinished is not None and loop.is_unfinished(text):
        text = state["handed_in"]
    return LoopEnd(tuple(messages), stop, tuple(notes), text)


async def _concluded(messages: Sequence[AnyMessage], loop: Loop) -> tuple[AIMessage, int]:
    """The model's last turn, and how many of the oldest results it was not shown."""
    results = {at: message for at, message in enumerate(messages) if isinstance(message, ToolMessage)}

    async def write(left_out: int) -> AIMessage:
        # The oldest results are replaced, not removed: providers want a reply to each call.
        shortened = {at: results[at].model_copy(update={"content": LEFT_OUT}) for at in [*results][:left_out]}
        conversation = [shortened.get(at, message) for at, message in enumerate(messages)]
        schemas = loop.toolkit.openai_schemas()
        return await loop.models.call(loop.role, conversation, path=loop.path, tools=schemas, may_call=False)

    return await write_within_context(write, [len(result.text) for result in results.values()])


def challenges() -> tuple[Prompt, ...]:
    """The prompts of the challenges, which any loop may send. Runs record their hashes."""
    return tuple(agent_prompt(__file__, name) for name in ("nothing_looked_up", "report_or_call"))


async def think(state: State, loop: Loop) -> Change:
    try:
        schemas = loop.toolkit.openai_schemas()
        answer = await loop.models.call(loop.role, state["transcript"], path=loop.path, tools=schemas)
    except ModelError as problem:
        if problem.kind != "context_overflow" or _found_nothing(state, loop):
            raise
        return {"stop": "context_limit"}
    handed_in = state["handed_in"]
    if answer.tool_calls:
        handed_in = answer.text if is_whole_report(answer.text) else ""
    announced = _announced(answer, state["announced"], loop, handed_in)
    return {"transcript": [answer], "announced": announced, "handed_in": handed_in}


def after_think(state: State, loop: Loop) -> str:
    if state["stop"] == "context_limit":
        return "report"
    return "act" if _last_answer(state).tool_calls else _report_or_challenge(state, loop)


async def act(state: Any, loop: Loop) -> Change:
    """Carries out the calls of the last turn. Launches are only begun: their replies follow with their branches."""
    calls = _last_answer(state).tool_calls
    replies: list[ToolReply | None] = []
    change: Change = {"shown": [], "notes": []}
    for batch in [[call] for call in calls] if loop.plans else [calls]:
        named = [(call["name"], call["args"]) for call in batch]
        performed = await loop.toolkit.aperform_all(named, path=loop.path, role=loop.role)
        performed, notes = await with_pages_read(performed, loop.toolkit.session, loop.models)
        waiting: set[int] = set()
        if loop.launches is not None:
            performed, sent, is_short = _launched(state, performed, loop, loop.launches)
            change |= {"launched": sent, "short": state["short"] or is_short}
            waiting = {launch["launch"].seq for launch in sent}
        recorded, shown = _recorded([call for call in performed if call.launch.seq not in waiting], loop)
        replies += [None if call.launch.seq in waiting else recorded.pop(0) for call in performed]
        change["shown"] += shown
        change["notes"] += notes
    return change | ({"replies": replies} if change.get("launched") else _read(state, loop, replies))


def _launched(
    state: Launching, performed: Sequence[Performed], loop: Loop, launches: Launches
) -> tuple[list[Performed], list[Sent], bool]:
    """The calls, with the launches refused that are too many; those that are begun; and whether tokens are short.

    Each branch has an equal share of the tokens and dollars that are left.
    """
    asked = [
        (call.launch, call.outcome.value)
        for call in performed
        if call.launch.name in launches.nodes and isinstance(call.outcome, ToolResult)
    ]
    allowed = launches.limits.researchers
    most = loop.models.most_branches(allowed)
    sent: list[Sent] = []
    if begin := asked[:most]:
        # All branches of earlier turns have ended, so the new ones may know the evidence that those were handed.
        loop.toolkit.session.seal()
        share = loop.models.share(len(begin))
        for number, (launch, args) in enumerate(begin, len(state["branches"]) + 1):
            notes, ids = launches.told(state, args)
            sent.append(Sent(launch=launch, number=number, args=args, told=notes, known=ids, limits=share))
    refused = {launch.seq for launch, _ in asked[most:]}
    error = ToolError("limit", launches.refusal(most, most < allowed))
    performed = [Performed(call.launch, error) if call.launch.seq in refused else call for call in performed]
    return performed, sent, bool(refused) and most < allowed


def after_act(state: Any, loop: Loop) -> str | list[Send]:
    if loop.launches is not None and state["launched"]:
        nodes = loop.launches.nodes
        # By these a branch can go on from a checkpoint, with nothing but what it was sent.
        known = {"task": state.get("task"), "shown": state["shown"]}
        return [Send(nodes[sent["launch"].name], {**sent, **known}) for sent in state["launched"]]
    is_over = state["ended"] or state["stop"] != "finished"
    return _report_or_challenge(state, loop) if is_over else "think"


async def _gather(state: Launching, loop: Loop) -> Change:
    """The replies to the launches of the last turn, once all their branches have ended."""
    launches, launched = launches_of(loop), state["launched"]
    branches = state["branches"][-len(launched) :]
    ended = [
        Performed(sent["launch"], branch.outcome(launches.who)) for sent, branch in zip(launched, branches, strict=True)
    ]
    recorded, shown = _recorded(ended, loop)
    replies = [reply or recorded.pop(0) for reply in state["replies"]]
    return {"launched": [], "shown": shown} | _read(state, loop, replies)


def _recorded(performed: Sequence[Performed], loop: Loop) -> tuple[list[ToolReply], list[Shown]]:
    """The replies to these calls, and what they showed."""
    replies, changes = loop.toolkit.record_all(performed), loop.toolkit.session.state_diff()
    shown = [
        Shown(loop.path, reply.seq, call.outcome.sources, changes)
        for call, reply in zip(performed, replies, strict=True)
        if isinstance(call.outcome, ToolResult) and (reply.evidence or changes)
    ]
    return replies, shown


def _read(state: State, loop: Loop, replies: Sequence[ToolReply | None]) -> Change:
    """The state after the replies to the last turn's calls, once all are there."""
    answered = list(zip(_last_answer(state).tool_calls, filter(None, replies), strict=True))
    loop.models.read(loop.role, sum(len(reply.text) for _, reply in answered))
    turns = state["turns"] + 1
    stop: Stop = "turn_limit" if turns >= loop.turns else loop.models.budget_stop or "finished"
    is_final = any(call["name"] == FINALIZE and reply.error is None for call, reply in answered)
    # A look-up with valid arguments counts, whatever came of it: a server that is down is no fault of the caller's.
    looked_up = any(call["name"] in loop.look_ups and reply.error != "invalid_argument" for call, reply in answered)
    return {
        "transcript": [
            ToolMessage(reply.text, tool_call_id=call["id"] or "", status="error" if reply.error else "success")
            for call, reply in answered
        ],
        "turns": turns,
        "ended": is_final,
        "looked_up": state["looked_up"] or looked_up,
        "stop": "finished" if is_final else stop,
    }


async def brought(sent: Sent, loop: Loop, work: Callable[[str, Models], Awaitable[Change]]) -> Change:
    """What a branch adds to the state: what ``work`` returns for its path and models, or its failure.

    A branch that fails does not affect the others. One that ends the command or interrupts the graph lets them end
    first.
    """
    number, path = sent["number"], f"{loop.path}.{sent['number']}"
    end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    loop.in_flight.append(end)
    try:
        return await work(path, loop.models.branch(sent["limits"]))
    except (CommandStopped, GraphBubbleUp):
        end.set_result(None)
        await asyncio.gather(*loop.in_flight)
        raise
    # The boundary of a branch: a bug in one must not end the others; the run records it.
    except Exception as problem:  # noqa: BLE001
        failure = problem if isinstance(problem, ModelError) else ModelError("agent", describe_error(problem))
        return {"branches": [Branch(number=number, path=path, failure=failure.kind, message=failure.message)]}
    finally:
        if not end.done():
            end.set_result(None)


async def write_within_context(write: Callable[[int], Awaitable[T]], sizes: Sequence[int]) -> tuple[T, int]:
    """What ``write`` returns, and how many of the oldest findings it had to leave out.

    ``write`` is given that number, and is called again with a higher one as long as the findings do not fit the model.
    ``sizes`` are the findings' lengths, oldest first; the newest is never left out. Raises what ``write`` raises for
    good.
    """
    left_out = 0
    while True:
        try:
            return await write(left_out), left_out
        except ModelError as problem:
            if problem.kind != "context_overflow" or left_out >= len(sizes) - 1:
                raise
        wanted = sum(sizes[left_out:]) / SHARE
        while wanted > 0 and left_out < len(sizes) - 1:
            wanted -= sizes[left_out]
            left_out += 1


async def challenge(state: State, loop: Loop) -> Change:
    """Tells the model, in place of the end, what is missing."""
    idle = _found_nothing(state, loop)
    instruction = agent_prompt(__file__, "nothing_looked_up" if idle else "report_or_call").render()
    return {"transcript": [HumanMessage(instruction)], "challenged": state["challenged"] or idle, "ended": False}


def _report_or_challenge(state: State, loop: Loop) -> str:
    if loop.models.must_conclude:
        return "report"
    if _found_nothing(state, loop):
        return "report" if state["challenged"] else "challenge"
    return "challenge" if 0 < state["announced"] <= CHALLENGES else "report"


def _announced(answer: AIMessage, before: int, loop: Loop, handed_in: str) -> int:
    """How many turns in a row had neither calls nor a report, this one too; repeated announcements count again."""
    if answer.tool_calls or handed_in or loop.is_unfinished is None or not loop.is_unfinished(answer.text):
        return 0
    loop.models.trajectory.count_setback("announcements")
    return before + 1


def _found_nothing(state: State, loop: Loop) -> bool:
    is_new = not loop.toolkit.session.ledger.was_shown_before  # a follow-up may need nothing but what is known
    return is_new and bool(loop.look_ups) and not state["looked_up"]


def _last_words(messages: Sequence[AnyMessage]) -> str:
    quote = " ".join(_last_text(messages).split())
    return f"; the last turn said: {quote[:LONGEST_QUOTE]}" if quote else ""


def _last_text(messages: Sequence[AnyMessage]) -> str:
    return next((message.text.strip() for message in reversed(messages) if isinstance(message, AIMessage)), "")


def _last_answer(state: State) -> AIMessage:
    last = state["transcript"][-1]
    if not isinstance(last, AIMessage):
        raise ModelError("agent", "the conversation does not end with the model's turn")
    return last


Node = Callable[[Any, Loop], Awaitable[Change]]
Following = Callable[[Any, Loop], str | list[Send]]
"""Names the node after a node."""


BranchNode = Callable[..., Awaitable[Change]]
"""A branch, as LangGraph calls it: with what it is sent, and the runtime."""


def add_node(graph: Builder, name: str, node: Node, following: Following, *targets: str) -> None:
    """Adds a node that also names the next one. A conditional edge would read the state anew, and take as long."""

    async def followed(state: Any, runtime: Runtime[Loop]) -> Command[str]:
        loop = await runtime.context.opened(state)
        change = await node(state, loop)
        return Command(update=change, goto=following({**state, **change}, loop))

    graph.add_node(name, followed, destinations=targets)


def react(
    state: type[Any],
    report: Node,
    names: Mapping[str, str] = MappingProxyType({}),
    branches: Mapping[str, BranchNode] = MappingProxyType({}),
    then: str = END,
) -> Builder:
    """A loop, to be compiled, or to be made part of a larger graph: it has no START yet.

    ``report`` is the node at its end, after which comes ``then``. ``names`` are those of nodes that have another name
    than here, and ``branches`` the nodes of its launches.
    """
    called = {node: names.get(node, node) for node in ("think", "act", "report")}

    def by_name(following: Following) -> Following:
        return lambda state, loop: called.get(node, node) if isinstance(node := following(state, loop), str) else node

    graph: Builder = StateGraph(state, context_schema=Loop)
    think_, act_, ends = called["think"], called["act"], ("challenge", called["report"])
    add_node(graph, think_, think, by_name(after_think), act_, *ends)
    add_node(graph, act_, act, by_name(after_act), think_, *branches, *ends)
    if branches:
        add_node(graph, "gather", _gather, by_name(after_act), think_, *ends)
    for name, node in branches.items():
        graph.add_node(name, node)
        graph.add_edge(name, "gather")
    add_node(graph, "challenge", challenge, lambda state, loop: think_, think_)
    add_node(graph, called["report"], report, lambda state, loop: then, then)
    return graph
