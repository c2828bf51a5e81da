"""The report generator: from query and intermediate reports, without tools, the report for the shopper (section 4)."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.base import today
from drretail.agents.hybrid_react.supervisor import Research, as_json
from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.query import Task

PATH = "0"


async def write_report(
    task: Task, session: Session, research: Research, models: Models, prompt: Prompt, told: Sequence[str] = ()
) -> str:
    """R = ReportGen(q, {m_i}) of the paper; ``told`` is tagged text that the model gets beside the two.

    Raises ModelError when the model fails for good or leaves the report blank.
    """
    reports = [as_json(number, report) for number, report in research.reports]
    given = [tagged("query", task.text), today(session), tagged("reports", compact_json(reports)), *told]
    given += filter(None, [task.told])
    answer = await models.call("report", [SystemMessage(prompt.render()), HumanMessage("\n".join(given))], path=PATH)
    report = answer.text.strip()
    if not report:
        raise ModelError("unusable", "the report generator left the report blank")
    return report


def report_prompt() -> Prompt:
    return agent_prompt(__file__, "report")
