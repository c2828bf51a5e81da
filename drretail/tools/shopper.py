"""The tool that asks the shopper, where a query hides limits of its wish."""

from typing import Annotated

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.grounding.report.evidence_ids import shopper_evidence_id
from drretail.grounding.text.serialisation import compact_json
from drretail.journal import Effects
from drretail.records.evidence import Source
from drretail.records.run import ASK_SHOPPER
from drretail.records.wish import Topic
from drretail.tools.tool import Tool, ToolResult


def ask_shopper(
    session: Session, topic: Topic, question: Annotated[str, MinLen(1), MaxLen(500)], *, effects: Effects
) -> ToolResult:
    """Asks the shopper one question on one topic. Shoppers answer few questions, and each costs their patience.

    Ask for what the question, the orders and the profile leave open and what would change the choice. The shopper may
    tell one thing at a time: where the answer names one, there can be another on the same topic.

    Args:
        topic: What the question is about. Nothing on another topic is answered.
        question: The question, e.g. "How much may all of it cost together?".

    Returns:
        evidence (the evidence id to cite the answer by), topic, the answer, and how many questions are left.
    """
    if session.shopper is None:
        raise ToolError("unknown_tool", "Nobody can be asked here.")
    told, answer = session.shopper.answer(topic, question, effects)
    value = {"topic": topic, "answer": answer, "left": told.left}
    if not told.is_answered:
        return ToolResult(value, ())
    evidence = shopper_evidence_id(topic, told.number)
    # Without the question: it is the caller's own text, and a claim that stands in it would be borne out by itself.
    text = compact_json({"topic": topic, "answer": answer})
    title = f"The shopper on {topic}"
    source = Source(id=evidence, kind="shopper", key=evidence, title=title, form="record", text=text)
    return ToolResult({"evidence": evidence} | value, (source,))


# A write, so that several questions of one turn are put one after the other, in their order.
ASKING = Tool(ASK_SHOPPER, ask_shopper, "write", seconds=1800)
