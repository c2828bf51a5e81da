"""The one researcher of react: looks up what is missing, then writes the report."""

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.shopper.lookups import Call, next_calls
from drretail.llm.offline.shopper.report.compose import write_report
from drretail.llm.offline.shopper.situation import Situation
from drretail.llm.offline.shopper.study import study
from drretail.offline.chat import Turn
from drretail.offline.plain import filled_call


def play(turn: Turn, situation: Situation) -> AIMessage:
    """The next calls; the report when there are none left."""
    known = study(situation)
    calls = next_calls(known)
    if calls:
        return calling(calls)
    return filled_call(turn, turn.forced_tool) if turn.forced_tool else AIMessage(write_report(known))


def calling(calls: list[Call]) -> AIMessage:
    """A turn with these calls; ids are given by the chat model."""
    return AIMessage("", tool_calls=[tool_call(name=name, args=args, id=None) for name, args in calls])
