"""The report generator: from query and intermediate reports, without tools, the report for the shopper (section 4)."""

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.base import today
from drretail.agents.context_overflow import write_within_context
from drretail.agents.hybrid_react.supervisor import Research, as_json
from drretail.agents.information import answer_notes
from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.session import Session
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.query import Task

PATH = "0"


async def write_report(
    task: Task, session: Session, research: Research, models: Models, prompt: Prompt, notes: Sequence[str] = ()
) -> tuple[str, Research]:
    """R = ReportGen(q, {m_i}) of the paper, and the research that it was written from: without its oldest reports where
    all of them do not fit the model. ``notes`` is tagged text that the model gets beside the two.

    Raises ModelError when the model fails for good.
    """
    reports = [as_json(number, report) for number, report in research.reports]

    async def write(left_out: int) -> str:
        given = [
            tagged("query", task.text),
            today(session),
            tagged("reports", compact_json(reports[left_out:])),
            *notes,
        ]
        given += [*filter(None, [task.context]), *answer_notes(session)]
        asked = [SystemMessage(prompt.render()), HumanMessage("\n".join(given))]
        return (await models.call("report", asked, path=PATH)).text.strip()

    report, left_out = await write_within_context(write, [len(compact_json(each)) for each in reports])
    if not left_out:
        return report, research
    gone = ", ".join(str(number) for number, _ in research.reports[:left_out])
    note = f"{PATH}: written without the reports of researchers {gone}, which did not fit the model any more"
    return report, replace(research, reports=research.reports[left_out:], notes=(*research.notes, note))


def report_prompt() -> Prompt:
    return agent_prompt(__file__, "report")
