"""Plan-to-Function (paper section 5.2): every call is planned in one turn, carried out in order, then reported on.

START ─▶ plan ──calls──▶ carry out, one after the other ─▶ report ─▶ END
  ▲        └──no calls──▶ challenge, once; then the run has failed    (without any tool: the text is the report)
  └───────────────────────┘
"""

from functools import partial

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.base import Agent, task_message
from drretail.agents.information import agent_prompt
from drretail.agents.loop import Loop, ToolExecutor, challenges
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Stop
from drretail.tools.toolkit import Toolkit

PATH = "0"
TURNS = 1
_prompt = partial(agent_prompt, __file__)


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The report of one plan over all nine tools. Raises ModelError if there is none."""
    del limits  # one turn is the method; ``models`` keeps the limit of tokens
    question = "\n".join([task_message(task, session).text, tagged("turns", str(TURNS))])

    def report_now(stop: Stop) -> HumanMessage:
        del stop
        return HumanMessage(_prompt("report_on_plan").render())

    with Toolkit(session) as toolkit:
        executor = ToolExecutor(toolkit, models, PATH, one_by_one=True)
        end = await Loop("researcher", PATH, models, executor, TURNS, report_now).run(
            [SystemMessage(_prompt("plan_to_function").render()), HumanMessage(question)]
        )
    if not end.text:
        raise ModelError("no_report", "the model ended without a report")
    # One turn is the method, so the turn limit did not cut it short.
    return Answer(report=end.text, stop="finished", notes=end.notes)


def prompts() -> tuple[Prompt, ...]:
    return _prompt("plan_to_function"), _prompt("report_on_plan"), *challenges()


PLAN_TO_FUNCTION = Agent(answer, roles=("researcher",), prompts=prompts, heeds=frozenset({"tokens", "dollars"}))
