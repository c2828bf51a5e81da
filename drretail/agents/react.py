"""ReAct (Yao et al. 2023; paper section 5.2): one model that thinks, calls tools, reads, and in the end reports.

START ─▶ think ──calls──▶ act ──▶ think … ──no calls: the text is the report──▶ END
           ▲               └──limit reached──▶ conclude ──▶ END
           └── challenge ◀── no calls, and no report either, once
"""

from functools import partial

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.base import Agent, task_message
from drretail.agents.information import agent_prompt
from drretail.agents.loop import Loop, ToolExecutor, challenges
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.report.citations import scan
from drretail.grounding.report.picks import take_picks
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Stop
from drretail.tools.toolkit import Toolkit

PATH = "0"
_prompt = partial(agent_prompt, __file__, "react")
conclude_prompt = partial(agent_prompt, __file__, "conclude")
STOPS: dict[Stop, str] = {
    "turn_limit": "No more tool calls are allowed: the limit of research turns is reached.",
    "token_budget": "No more tool calls are allowed: the token budget is nearly spent.",
    "context_limit": "No more tool calls are allowed: the conversation is as long as you can read.",
    "dollar_budget": "No more tool calls are allowed: the money for this research is nearly spent.",
}


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The report of one ReAct loop over all nine tools. Raises ModelError if there is none."""
    with Toolkit(session) as toolkit:
        executor = ToolExecutor(toolkit, models, PATH)
        system = _prompt().render(turns=str(limits.tool_turns))
        question = task_message(task, session)
        end = await Loop(
            "researcher", PATH, models, executor, limits.tool_turns, conclude_message, is_announcement
        ).run([SystemMessage(system), question])
    if not end.text:
        raise ModelError("no_report", "the model ended without a report")
    return Answer(report=end.text, stop=end.stop, notes=end.notes)


def is_announcement(text: str) -> bool:
    """True for a text without a frame, citations and declared picks: it is no report of what was looked up."""
    declared = take_picks(text)
    is_report = declared.is_framed or declared.picks is not None or declared.problem is not None
    return not is_report and not scan(text, None).marks


def prompts() -> tuple[Prompt, ...]:
    return _prompt(), conclude_prompt(), *challenges()


def conclude_message(stop: Stop) -> HumanMessage:
    """What a model is told at a limit, which asks it for the report."""
    return HumanMessage(conclude_prompt().render(stop=tagged("stop", STOPS[stop])))


REACT = Agent(answer, roles=("researcher",), prompts=prompts, heeds=frozenset({"tool_turns", "tokens", "dollars"}))
