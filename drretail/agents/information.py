"""What agents are told beside their own prompts.

All writers of reports are told the same about the report's form, one file for each part. What a system is told of the
shopper in place of tools: nothing, notes of dealings with the shop, or a persona.

These are the settings of PDR-Bench (section 5.3: Task Only, w/Context, w/Persona). drretail's own setting is "tools".
Systems with models of their own, over MCP or as external agents, are also told the shop's date.
"""

from datetime import datetime
from functools import partial
from pathlib import Path

from drretail.conditions.shopper import known_of
from drretail.env.session import Session
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.query import Query, Task
from drretail.records.run import Information
from drretail.reports.layout import what_a_mark_covers

BLOCKS = ("report_form", "length", "facts", "citing", "picks", "data")
"""Form and length of a report; what may be stated; marks; the cart; and that texts give no orders."""
_HERE = str(Path(__file__))


def agent_prompt(path: str, name: str) -> Prompt:
    """The prompt ``prompts/<name>.md`` beside the module ``beside``, with the shared parts in their ``{{places}}``."""
    prompt = load_prompt(path, name)
    text = prompt.text
    for block in BLOCKS:
        place = f"{{{{{block}}}}}"
        if place in text:
            text = text.replace(place, load_prompt(_HERE, block).text.rstrip())
    return Prompt(prompt.name, text.replace("{{marks}}", what_a_mark_covers()))


question_prompt = partial(agent_prompt, __file__, "mcp_question")


def own_agent_prompts() -> tuple[Prompt, Prompt]:
    """The prompts of every agent with models of its own: of a question, and of a later turn."""
    return agent_prompt(__file__, "own_question"), follow_up_prompt()


follow_up_prompt = partial(load_prompt, _HERE, "follow_up")


def following(task: Task) -> str | None:
    """What every agent is told of a turn that follows others; None if the task is none."""
    return follow_up_prompt().render().rstrip() if task.history else None


def context_prompt(information: Information) -> Prompt | None:
    """The instruction before the information; None in the setting "tools", which gives none."""
    return None if information == "tools" else load_prompt(__file__, f"told_{information}")


def shopper_context(information: Information, query: Query) -> str:
    """The text that follows the question; empty in the setting "tools".

    Raises UserError if the query holds no information of this kind.
    """
    prompt = context_prompt(information)
    if prompt is None:
        return ""
    instruction = prompt.render().rstrip()
    if information not in ("context", "persona"):
        return instruction
    return f"{instruction}\n{tagged(information, known_of(information, query))}"


def instructions(session: Session) -> str:
    """For a client that asks freely: the user for whom it acts, and the shop's date."""
    return agent_prompt(__file__, "mcp").render(given=_known(session.settings.user_id, session.settings.now))


def recorded_instructions(question: str, user_id: str | None, now: datetime) -> str:
    """For a client whose run is recorded: the question, and the form of its report."""
    return question_prompt().render(given=f"{tagged('query', question)}\n{_known(user_id, now)}")


def own_agent_instructions(session: Session, task: Task) -> str:
    """For an agent with models of its own: the question, and the form of its report, which is its last message."""
    about = _known(session.settings.user_id, session.settings.now)
    text = "\n".join(filter(None, (tagged("query", task.text), about, task.context, following(task))))
    return own_agent_prompts()[0].render(given=text)


def _known(user_id: str | None, now: datetime) -> str:
    user = "" if user_id is None else f"{tagged('user_id', user_id)}\n"
    return f"{user}{tagged('today', now.date().isoformat())}"
