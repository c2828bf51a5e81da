"""What systems are told that bring models of their own: over MCP, and as agents of somebody else's."""

from drretail.agents.information import ask_shopper_prompt, asking_notes
from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.session import Session
from drretail.prompts import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import System


def instructions(session: Session) -> str:
    """For a client that may ask what it likes: whom it acts for, and the shop's today."""
    return agent_prompt(__file__, "mcp").render(given=_given(session))


def question_instructions(session: Session, question: str) -> str:
    """For a client whose run is recorded: the question, and how its report is to be."""
    return question_prompt().render(given=f"{tagged('query', question)}\n{_given(session)}")


def own_agent_instructions(session: Session, task: Task) -> str:
    """For an agent of somebody else's: the question, and how its report is to be, which is its last message."""
    given = "\n".join(filter(None, (tagged("query", task.text), _given(session), task.context)))
    return own_agent_prompt().render(given=given)


def question_prompt() -> Prompt:
    return agent_prompt(__file__, "mcp_question")


def client_hashes(system: System) -> dict[str, str]:
    """The hashes of what a client is told whose run is recorded."""
    asking = [ask_shopper_prompt()] if system.intent == "asked" else []
    return {prompt.name: prompt.hash for prompt in (question_prompt(), *asking)}


def own_agent_prompt() -> Prompt:
    return agent_prompt(__file__, "own_question")


def _given(session: Session) -> str:
    user = "" if session.user_id is None else f"{tagged('user_id', session.user_id)}\n"
    return "\n".join([f"{user}{tagged('today', session.now.date().isoformat())}", *asking_notes(session)])
