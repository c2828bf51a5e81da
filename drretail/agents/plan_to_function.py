"""Plan-to-Function (paper section 5.2): every call is planned in one turn, carried out in order, then reported on.

START ─▶ plan ──calls──▶ carry_out, one after the other ─▶ report ─▶ END
  ▲        └──no calls──▶ challenge, once; then the run has failed    (without any tool: the text is the report)
  └───────────────────────┘
"""

from functools import cache, partial
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.graph import START

from drretail.agents.base import Agent, messages_before, task_message
from drretail.agents.graphs import Graphed, Reporting
from drretail.agents.information import agent_prompt
from drretail.agents.loop import Loop, challenges, react
from drretail.agents.react import report_last_text
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Limits
from drretail.tools.toolkit import Toolkit

TURNS = 1
_prompt = partial(agent_prompt, __file__)


@cache
def graph() -> Any:
    builder = react(Reporting, report_last_text, {"think": "plan", "act": "carry_out"})
    return builder.add_edge(START, "plan").compile(name="plan_to_function")


def open_loop(session: Session, models: Models, limits: Limits) -> Loop:
    """The loop of one turn over all nine tools."""
    del limits  # one turn is the method; ``models`` keeps the limit of tokens
    report_now = HumanMessage(_prompt("report_on_plan").render())
    return Loop("researcher", models, Toolkit(session), TURNS, lambda stop: report_now, plans=True)


def first_messages(task: Task, session: Session, limits: Limits) -> list[AnyMessage]:
    del limits
    question = "\n".join([task_message(task, session).text, tagged("turns", str(TURNS))])
    return [SystemMessage(_prompt("plan_to_function").render()), *messages_before(task), HumanMessage(question)]


def prompts() -> tuple[Prompt, ...]:
    return _prompt("plan_to_function"), _prompt("report_on_plan"), *challenges()


_HEEDS = frozenset({"tokens", "dollars"})
PLAN_TO_FUNCTION = Agent(
    Graphed(graph, open_loop, first_messages), roles=("researcher",), prompts=prompts, heeds=_HEEDS
)
