"""The policy of offline:shopper: which role it plays, by tool names, answer schemas and tags, never by words."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import tool_call
from pydantic import BaseModel

from drretail.offline.chat import Turn
from drretail.offline.plain import filled_call, plain_answer
from drretail.offline.shopper import errands, team
from drretail.offline.shopper.choosing import Choice
from drretail.offline.shopper.conversation import (
    ERRANDS,
    SHOP_TOOLS,
    Situation,
    Tagged,
    parsed,
    plain_text,
    read_situation,
    read_tags,
)
from drretail.offline.shopper.needs import Study
from drretail.offline.shopper.repairing import mended, read_problems, wrong_picks
from drretail.offline.shopper.report import picks_of, write_report
from drretail.offline.shopper.research import Call, next_calls, planned_calls
from drretail.offline.shopper.understanding import understood
from drretail.offline.shopper.web import summarised

SUMMARY, SYNTHESIS, FILE_ANSWER, UNDERSTOOD = "PageSummary", "IntermediateReport", "FileAnswer", "Understood"
NOT_MINE = "The cart of a report that somebody else wrote is unknown to me."
"""The shopper declares the picks of its own reports with them, so it is asked only for those of others."""


def shop(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The next turn in the role that is asked for; a plain answer where nothing is to be researched."""
    turn = Turn(messages, tools, choice)
    tags = read_tags(messages)
    bound = {tool["function"]["name"] for tool in tools}
    if turn.forced_tool == SUMMARY or (not tools and "page" in tags):
        return _in_schema(turn, SUMMARY, _summary(tags))
    if turn.forced_tool == SYNTHESIS or (not tools and "findings" in tags):
        return _in_schema(turn, SYNTHESIS, team.synthesised(tags["findings"].content if "findings" in tags else ""))
    if turn.forced_tool == FILE_ANSWER or (not tools and {"file", "question"} <= tags.keys()):
        return _in_schema(turn, FILE_ANSWER, _of_file(tags))
    if turn.forced_tool == UNDERSTOOD or (not tools and _schema_asked(tags) == UNDERSTOOD):
        question, owned = (tags[name].content if name in tags else "" for name in ("query", "owned"))
        return _in_schema(turn, UNDERSTOOD, understood(plain_text(question), owned), exclude_none=False)
    situation = read_situation(turn, tags)
    if situation is None or (turn.forced_tool is not None and turn.forced_tool not in SHOP_TOOLS):
        return plain_answer(turn)
    if not tools and {"report", "problem"} <= tags.keys():
        return AIMessage(NOT_MINE)
    if "reports" in tags:
        return AIMessage(_from_reports(situation, tags))
    if team.LAUNCH in bound:
        return _calling(*team.supervised(situation, turn.tool_names))
    if "sub_problem" in tags:
        return _calling(*team.researched(situation, turn.tool_names))
    if "question" in tags and "query" not in tags:
        return _told(*errands.retrieved(tags["question"].content, situation))
    if bound & ERRANDS:
        files = tags["files"].content if "files" in tags else ""
        return _told(*errands.sent_out(situation, files))
    return _alone(turn, situation, plans="turns" in tags)


def _alone(turn: Turn, situation: Situation, *, plans: bool) -> AIMessage:
    """The one researcher of react and plan_to_function: the next calls, and the report when there are none left."""
    known = Choice(Study(situation))
    planned = plans and any(not it.failed for it in situation.lookups)
    calls = [] if planned else planned_calls(known) if plans else next_calls(known)
    if calls:
        return _calling(_thought(known), calls)
    return filled_call(turn, turn.forced_tool) if turn.forced_tool else AIMessage(write_report(known))


def _thought(choice: Choice) -> str:
    """One sentence before the calls."""
    things = [need.plain for need in choice.study.needs]
    if not choice.situation.lookups:
        names = [phrase.words for phrase in choice.study.tiers[0]]
        return f"I look up {', '.join(names)} first." if names else "I look up what the question names first."
    return f"Found so far: {', '.join(things)}." if things else "Nothing goes by a name of the question yet."


def _from_reports(situation: Situation, tags: dict[str, Tagged]) -> str:
    """The report of a team's findings; with faults found in it, the same report mended.

    Where it chose what must not be bought itself, it chooses anew.
    """
    situation = team.recalled(situation, tags["reports"].content)
    known = Choice(Study(situation))
    if "problems" not in tags or "report" not in tags:
        return write_report(known)
    problems, report = read_problems(tags["problems"].content), tags["report"].content
    wrong = wrong_picks(problems)
    if wrong & {pick.product for pick in picks_of(known)}:
        known = Choice(Study(replace(situation, ruled_out=wrong)))
        report = write_report(known)
    return mended(report, problems, picks_of(known), declares=situation.declares)


def _summary(tags: dict[str, Tagged]) -> BaseModel:
    search = tags["search"].content if "search" in tags else ""
    page = tags.get("page")
    return summarised(search, page.attributes.get("title", "") if page else "", page.content if page else "")


def _of_file(tags: dict[str, Tagged]) -> BaseModel:
    question = tags["question"].content if "question" in tags else ""
    return errands.read(question, tags["file"].content if "file" in tags else "")


def _schema_asked(tags: dict[str, Tagged]) -> str:
    """The title of the schema in which a prompt asks for the answer."""
    return str(parsed(tags["schema"].content).get("title", "")) if "schema" in tags else ""


def _told(text: str, calls: Sequence[Call]) -> AIMessage:
    return _calling(text, calls) if calls else AIMessage(text)


def _in_schema(turn: Turn, name: str, answer: BaseModel, *, exclude_none: bool = True) -> AIMessage:
    args = answer.model_dump(mode="json", exclude_none=exclude_none)
    if turn.forced_tool == name:
        return AIMessage("", tool_calls=[tool_call(name=name, args=args, id=None)])
    return AIMessage(json.dumps(args, ensure_ascii=False))


def _calling(text: str, calls: Sequence[Call]) -> AIMessage:
    """A turn with these calls; ids are given by the chat model."""
    return AIMessage(text, tool_calls=[tool_call(name=name, args=args, id=None) for name, args in calls])
