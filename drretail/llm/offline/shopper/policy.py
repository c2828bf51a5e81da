"""The policy of offline:shopper: look up what is missing, then write the report."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.plain import filled_call, plain_answer
from drretail.llm.offline.shopper.lookups import next_calls
from drretail.llm.offline.shopper.report.compose import write_report
from drretail.llm.offline.shopper.situation import SHOP_TOOLS, read_situation
from drretail.llm.offline.shopper.study import study
from drretail.llm.offline.turn import Turn


def shop(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The next turn of a shopping researcher; a plain answer where nothing is to be researched."""
    turn = Turn(messages, tools, choice)
    forced = turn.forced_tool
    situation = read_situation(turn)
    if situation is None or (forced is not None and forced not in SHOP_TOOLS):
        return plain_answer(turn)
    known = study(situation)
    calls = next_calls(known)
    if forced is not None and not calls:
        return filled_call(turn, forced)
    if calls:
        return AIMessage("", tool_calls=[tool_call(name=name, args=args, id=None) for name, args in calls])
    return AIMessage(write_report(known))
