"""DR³-Agent: a main agent that plans, acts and observes, with sub-agents for the web and for the user's files.

START ─▶ think ──calls──▶ act ──▶ think … ──no calls: the text is the report──▶ END
                           │
        search_sandbox ─▶ search ─▶ refine ─▶ search … ─▶ answer with pages     (retrieving.py)
             read_file ─▶ one question to each part of a file                  (file_reading.py)
"""

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.base import Agent, task_message
from drretail.agents.dr3.errands import READ_FILE, SEARCH_SANDBOX, Errands, main_tools
from drretail.agents.dr3.file_reading import reader_prompt
from drretail.agents.dr3.retrieving import retriever_limit_prompt, retriever_prompt
from drretail.agents.loop import Loop, challenges
from drretail.agents.prompt_blocks import agent_prompt
from drretail.agents.react import conclude_message, conclude_prompt, is_announcement
from drretail.agents.tool_turn import ToolExecutor
from drretail.agents.user_files import files_in
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Role
from drretail.tools.toolkit import Toolkit

PATH = "0"
ROLES: tuple[Role, ...] = ("researcher", "retriever", "reader")


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The report of one loop and of the sub-agents that it sent. Raises ModelError when there is none."""
    with Errands(session, models, limits) as errands, Toolkit(session, tools=main_tools(session)) as toolkit:
        executor = ToolExecutor(toolkit, models, PATH, complete=errands.carry_out)
        system = _prompt().render(turns=str(limits.tool_turns), researchers=str(limits.researchers))
        end = await Loop(
            "researcher", PATH, models, executor, limits.tool_turns, conclude_message, is_announcement
        ).run([SystemMessage(system), _asked(task, session)])
    if not end.text:
        raise ModelError("no_report", "the model ended without a report")
    return Answer(
        report=end.text, stop=end.stop, notes=(*end.notes, *errands.notes), failed_branches=tuple(errands.failed)
    )


def prompts() -> tuple[Prompt, ...]:
    return (
        _prompt(),
        retriever_prompt(),
        reader_prompt(),
        conclude_prompt(),
        retriever_limit_prompt(),
        *challenges(),
    )


_HEEDS = frozenset({"tool_turns", "rag_turns", "researchers", "tokens", "dollars"})
DR3 = Agent(answer, roles=ROLES, prompts=prompts, tools=(SEARCH_SANDBOX, READ_FILE), heeds=_HEEDS, reads_files=True)


def _prompt() -> Prompt:
    return agent_prompt(__file__, "main")


def _asked(task: Task, session: Session) -> HumanMessage:
    """The task, and the names of the user's files where there are any."""
    files = [file.described() for file in files_in(session.files)]
    listing = [tagged("files", "\n".join(files))] if files else []
    return HumanMessage("\n".join([task_message(task, session).text, *listing]))
