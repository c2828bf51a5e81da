"""Hybrid's synthesis: what one researcher found, as an intermediate report from which nothing needed is lost."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.shopper.choosing import Basket
from drretail.llm.offline.shopper.missing import NO_RECORD, NO_SHOP, NO_WEB
from drretail.llm.offline.shopper.report.gaps import NOTHING_OF_SHOPPER, open_points
from drretail.llm.offline.shopper.report.naming import Names
from drretail.llm.offline.shopper.roles.assignment import Assignment, read_assignment
from drretail.llm.offline.shopper.roles.insights import insight_of, statements
from drretail.llm.offline.shopper.roles.notes import source_notes
from drretail.llm.offline.shopper.situation import (
    ORDERS,
    PROFILE,
    SEARCH,
    STATISTICS,
    WEB,
    Lookup,
    Situation,
    parsed,
    plain_text,
)
from drretail.llm.offline.shopper.tags import read_tags
from drretail.offline.chat import Turn
from drretail.records.research import IntermediateReport

SCHEMA = "IntermediateReport"
_MOST_SPOKEN = 8
_CITED_PARAGRAPH = re.compile(r"\[[A-Z]:[^\]\s]+\]")


def play(turn: Turn) -> AIMessage:
    """The intermediate report as the answer in its schema."""
    tags = read_tags(turn.messages)
    report = synthesised(tags["findings"].content if "findings" in tags else "")
    args = report.model_dump(mode="json", exclude_none=True)
    if turn.forced_tool == SCHEMA:
        return AIMessage("", tool_calls=[tool_call(name=SCHEMA, args=args, id=None)])
    return AIMessage(json.dumps(args, ensure_ascii=False))


def synthesised(findings: str) -> IntermediateReport:
    """The report of a researcher's findings, one JSON object a line; empty where nothing was found."""
    entries = [entry for line in findings.splitlines() if (entry := parsed(line))]
    assignment = read_assignment(_situation(entries))
    study = assignment.study
    names = Names(option.product for shelf in study.shelves for option in shelf.rivals)
    spoken = [
        insight
        for entry in entries
        for paragraph in str(entry.get("text", "")).splitlines()
        if _CITED_PARAGRAPH.search(paragraph) and (insight := insight_of(paragraph)) is not None
    ]
    return IntermediateReport(
        insights=(*statements(study, names, with_record=assignment.record), *spoken[:_MOST_SPOKEN]),
        sources=tuple(source_notes(study, with_record=assignment.record)),
        open_questions=tuple(_left_open(assignment, names)),
    )


def _left_open(assignment: Assignment, names: Names) -> list[str]:
    """What the researcher was to find and did not; an assignment of which nothing came is open as a whole."""
    study = assignment.study
    if not assignment.shop:
        study = replace(study, needs=(), shelves=(), basket=Basket((), Decimal(0)))
    if not (assignment.shop or assignment.web):
        study = replace(study, questions=())
    points = [*open_points(study, names), *_lacked(assignment)]
    nothing = all(lookup.failed for lookup in study.situation.lookups)
    if nothing and study.situation.lookups and assignment.record and not assignment.shop:
        return [NOTHING_OF_SHOPPER]
    return points or ([f"Nothing was found on this: {assignment.text}"] if nothing else [])


def _lacked(assignment: Assignment) -> list[str]:
    """Where the researcher was to look and never did: it makes every call that it has a tool for."""
    study = assignment.study
    record = assignment.record and all(study.situation.could_not(tool) for tool in (PROFILE, STATISTICS, ORDERS))
    web = (assignment.web or (assignment.shop and bool(study.web))) and study.situation.could_not(WEB)
    shop = assignment.shop and bool(study.needs) and study.situation.could_not(SEARCH)
    return [f"I {words}." for words, lacked in ((NO_RECORD, record), (NO_SHOP, shop), (NO_WEB, web)) if lacked]


def _situation(entries: list[dict[str, Any]]) -> Situation:
    """The findings as if this model had made the look-ups."""
    problem = next((str(entry["sub_problem"]) for entry in entries if entry.get("sub_problem")), "")
    lookups = tuple(
        Lookup(str(entry["tool"]), _object(entry.get("args")), _object(entry.get("result")))
        for entry in entries
        if entry.get("tool")
    )
    users = [lookup.args["user_id"] for lookup in lookups if lookup.args.get("user_id")]
    return Situation(
        query=plain_text(problem),
        user_id=next(iter(users), None),
        today=None,
        stop=None,
        tools=frozenset(),
        lookups=lookups,
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else parsed(value if isinstance(value, str) else None)
