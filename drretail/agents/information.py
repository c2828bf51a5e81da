"""What agents are told beside their own prompts.

All writers of reports are told the same about the report's form, one file for each part. What a system is told of the
shopper in place of tools: nothing, notes of dealings with the shop, or a persona.

These are the settings of PDR-Bench (section 5.3: Task Only, w/Context, w/Persona). drretail's own setting is "tools".
If the shopper can be asked, systems are told so, and are given the answers. Systems with models of their own, over MCP
or as external agents, are also told the shop's date.
"""

from datetime import datetime
from functools import partial
from pathlib import Path

from drretail.conditions.shopper import known_of
from drretail.env.session import Session
from drretail.grounding.report.evidence_ids import shopper_evidence_id
from drretail.grounding.report.marks import what_a_mark_covers
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import canonical_json
from drretail.records.query import Query, Task
from drretail.records.run import ASK_SHOPPER, Information, System
from drretail.tools.registry import json_schemas
from drretail.tools.users import ASKING

BLOCKS = ("report_form", "length", "facts", "citing", "picks", "data")
"""Form and length of a report; what may be stated; marks; the cart; and that texts give no orders."""
_HERE = str(Path(__file__))


def agent_prompt(beside: str, name: str) -> Prompt:
    """The prompt ``prompts/<name>.md`` beside the module ``beside``, with the shared parts in their ``{{places}}``."""
    prompt = load_prompt(beside, name)
    text = prompt.text
    for block in BLOCKS:
        place = f"{{{{{block}}}}}"
        if place in text:
            text = text.replace(place, load_prompt(_HERE, block).text.rstrip())
    return Prompt(prompt.name, text.replace("{{marks}}", what_a_mark_covers()))


question_prompt = partial(agent_prompt, __file__, "mcp_question")
own_agent_prompt = partial(agent_prompt, __file__, "own_question")
shopper_prompt = partial(load_prompt, __file__, "shopper")
"""The prompt of a model that speaks as the shopper."""
_instruction = partial(load_prompt, __file__, "asking")


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


def asking_notes(session: Session) -> list[str]:
    """What a role that can ask the shopper is told of that; empty if nobody can be asked."""
    return _asking_notes(asks=session.shopper is not None)


def _asking_notes(*, asks: bool) -> list[str]:
    return [_instruction().render().rstrip()] if asks else []


def answer_notes(session: Session) -> list[str]:
    """What the shopper has answered so far, in a tag, each answer with the id to cite it by; empty without answers."""
    answers = [] if session.shopper is None else session.shopper.answers
    lines = [
        {"evidence": shopper_evidence_id(release.topic, release.number), "topic": release.topic, "answer": answer}
        for release, answer in answers
        if release.is_answered
    ]
    if not lines:
        return []
    block = tagged("shopper_answers", "\n".join(map(compact_json, lines)))
    return [f"What the shopper has answered counts like the question:\n{block}"]


def ask_shopper_prompt() -> Prompt:
    """The instruction for asking the shopper, with the schema of the tool, as a prompt whose hash a run records.

    The tool is not among the nine.
    """
    schema = canonical_json(json_schemas({ASK_SHOPPER: ASKING}))
    return Prompt("asking", f"{_instruction().text}\n{schema}")


def instructions(session: Session) -> str:
    """For a client that asks freely: the user for whom it acts, and the shop's date."""
    return agent_prompt(__file__, "mcp").render(given=_given(session))


def question_instructions(session: Session, question: str) -> str:
    """For a client whose run is recorded: the question, and the form of its report."""
    return recorded_instructions(
        question, session.settings.user_id, session.settings.now, asks=session.shopper is not None
    )


def recorded_instructions(question: str, user_id: str | None, now: datetime, *, asks: bool) -> str:
    """The same text without a session; ``asks`` says that the shopper can be asked."""
    return question_prompt().render(given=f"{tagged('query', question)}\n{_known(user_id, now, asks=asks)}")


def own_agent_instructions(session: Session, task: Task) -> str:
    """For an agent with models of its own: the question, and the form of its report, which is its last message."""
    given = "\n".join(filter(None, (tagged("query", task.text), _given(session), task.context)))
    return own_agent_prompt().render(given=given)


def client_hashes(system: System) -> dict[str, str]:
    """The hashes of the prompts for a client whose run is recorded."""
    asking = [ask_shopper_prompt()] if system.intent == "asked" else []
    return {prompt.name: prompt.hash for prompt in (question_prompt(), *asking)}


def _given(session: Session) -> str:
    return _known(session.settings.user_id, session.settings.now, asks=session.shopper is not None)


def _known(user_id: str | None, now: datetime, *, asks: bool) -> str:
    user = "" if user_id is None else f"{tagged('user_id', user_id)}\n"
    return "\n".join([f"{user}{tagged('today', now.date().isoformat())}", *_asking_notes(asks=asks)])
