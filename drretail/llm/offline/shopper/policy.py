"""The policy of offline:shopper: which role it plays, by tool names, answer schemas and tags, never by words."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from drretail.llm.offline.shopper.roles import (
    alone,
    plan,
    repairing,
    reporting,
    researcher,
    summariser,
    supervisor,
    synthesis,
)
from drretail.llm.offline.shopper.situation import SHOP_TOOLS, read_situation
from drretail.llm.offline.shopper.tags import read_tags
from drretail.offline.chat import Turn
from drretail.offline.plain import plain_answer


def shop(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The next turn in the role that is asked for; a plain answer where nothing is to be researched."""
    turn = Turn(messages, tools, choice)
    tags = read_tags(messages)
    bound = {tool["function"]["name"] for tool in tools}
    if turn.forced_tool == summariser.SCHEMA or (not tools and "page" in tags):
        return summariser.play(turn)
    if turn.forced_tool == synthesis.SCHEMA or (not tools and "findings" in tags):
        return synthesis.play(turn)
    situation = read_situation(turn)
    if situation is None or (turn.forced_tool is not None and turn.forced_tool not in SHOP_TOOLS):
        return plain_answer(turn)
    if "problems" in tags and "report" in tags:
        return repairing.play(turn)
    if "reports" in tags:
        return reporting.play(turn, situation)
    if supervisor.LAUNCH in bound:
        return supervisor.play(turn, situation)
    if "sub_problem" in tags:
        return researcher.play(turn, situation)
    if "turns" in tags and not situation.lookups:
        return plan.play(situation)
    return alone.play(turn, situation)
