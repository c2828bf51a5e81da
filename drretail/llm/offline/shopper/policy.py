"""The policy of offline:shopper: it chooses its role by tool names, answer schemas and tags, never by wording."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.chat import Turn
from drretail.llm.offline.plain import plain_answer
from drretail.llm.offline.shopper.notes import notes_in, notes_of, of_kind
from drretail.llm.offline.shopper.searching import Call, next_calls, parts_of
from drretail.llm.offline.shopper.task import SHOP_TOOLS, Task, read_task, task_of
from drretail.llm.offline.shopper.writing import answered, file_answer, handed_on, mended, page_summary, write_report
from drretail.records.base import Record
from drretail.records.wish import Wish

LAUNCH, REASON, FINALIZE = "LaunchResearcher", "Reason", "Finalize"
SUMMARY, SYNTHESIS = "PageSummary", "IntermediateReport"
NOT_MINE = "The cart of a report that somebody else wrote is unknown to me."
"""offline:shopper declares picks in its own reports, so it is asked for picks only about reports of others."""
Tags = Mapping[str, str]
_IN_SCHEMA: dict[str, Callable[[Tags], Record]] = {
    SUMMARY: lambda tags: page_summary(tags.get("search", ""), tags.get("page", "")),
    SYNTHESIS: lambda tags: handed_on(task_of(tags.get("findings", ""))),
    "FileAnswer": lambda tags: file_answer(tags.get("question", ""), tags.get("file", "")),
    # It understands no question, so it names no wants, and says that the question leaves room for other things.
    "Understood": lambda _: Wish(room=True),
}


def shop(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The next turn in the role that is asked for; a plain answer if there is nothing to research."""
    turn = Turn(messages, tools, choice)
    # The first tag of each name counts: later ones belong to repairs of an answer.
    tags = {tag.name: tag.content for tag in reversed(turn.tags)}
    schema = turn.schema
    if schema is not None and schema.get("title") in _IN_SCHEMA:
        return turn.in_schema(_IN_SCHEMA[schema["title"]](tags).model_dump(mode="json"))
    task = read_task(turn, tags)
    if task is None or (schema is not None and turn.forced_tool not in SHOP_TOOLS):
        return plain_answer(turn)
    if "reports" in tags:
        # A report on a team's findings, or an existing report without the faults found in it.
        is_at_fault = "report" in tags and "problems" in tags
        notes = notes_in(tags["reports"])
        return AIMessage(mended(tags["report"], tags["problems"]) if is_at_fault else write_report(task, notes))
    if "problem" in tags and "report" in tags:
        return AIMessage(NOT_MINE)
    if any(tool["function"]["name"] == LAUNCH for tool in tools):
        # A supervisor's turn: launch a researcher for each sentence, then finish.
        if any(lookup.name == LAUNCH for lookup in task.lookups):
            return _calling("The researchers are back.", [(FINALIZE, {})], task)
        launches = [(LAUNCH, {"sub_problem": part}) for part in parts_of(task.question)]
        return _calling("Each part can be worked on alone.", launches, task)
    calls = next_calls(task)
    if not calls and turn.forced_tool is not None:
        return plain_answer(turn)
    if calls:
        return _calling(f"Next I call {', '.join(dict.fromkeys(name for name, _ in calls))}.", calls, task)
    if "sub_problem" in tags:
        statements = (f"{insight.statement} [{']['.join(insight.citations)}]." for insight in handed_on(task).insights)
        return _calling(" ".join(statements) or "I found nothing that bears on this.", [(FINALIZE, {})], task)
    if "question" in tags and "query" not in tags:
        return AIMessage(answered(task.question, of_kind(notes_of(task), "W")))
    return AIMessage(write_report(task, notes_of(task)))


def _calling(thought: str, calls: Sequence[Call], task: Task) -> AIMessage:
    """A turn with these calls, and with the thought as a call if the agent notes thoughts. The chat
    model adds the ids.
    """
    allowed = [call for call in ((REASON, {"thought": thought}), *calls) if call[0] in task.tools]
    return AIMessage(thought, tool_calls=[tool_call(name=name, args=args, id=None) for name, args in allowed])
