"""Hybrid's report generator: one report from intermediate reports alone."""

import json
import re
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage

from drretail.llm.offline.shopper.missing import tells_of_missing_tools
from drretail.llm.offline.shopper.report.compose import write_report
from drretail.llm.offline.shopper.report.naming import cite
from drretail.llm.offline.shopper.roles.recall import recalled
from drretail.llm.offline.shopper.situation import Situation
from drretail.llm.offline.shopper.study import study
from drretail.llm.offline.shopper.tags import read_tags
from drretail.llm.offline.shopper.words import content_stems
from drretail.offline.chat import Turn

MOST_INSIGHTS = 10
MOST_OPEN = 3
_ALIKE = 0.6
# What only repeats the shopper's own record answers nothing.
_OUTSIDE = re.compile(r"\[[PWCF]:")
_OPEN_HEADING = "## What I could not find out"


def play(turn: Turn, situation: Situation) -> AIMessage:
    """The report."""
    tags = read_tags(turn.messages)
    return AIMessage(written(situation, read_reports(tags["reports"].content if "reports" in tags else "[]")))


def written(situation: Situation, reports: list[dict[str, Any]]) -> str:
    """The report on what the reports' sources tell; in the reports' own words where those say nothing to buy."""
    known = study(recalled(replace(situation, stop=None), reports))
    report = write_report(known)
    if not any(shelf.rivals or shelf.ruled_out for shelf in known.shelves):
        report = _with(report, "## What the research found", _insights(reports, report))
    told = [words for question in known.questions for words in (question.text, question.told)]
    told += [f"no {need.name}" for need in known.needs]
    return _with(report, _OPEN_HEADING, _open(reports, report, told))


def read_reports(text: str) -> list[dict[str, Any]]:
    """The intermediate reports, with or without the numbers of their researchers beside them."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return []
    items = value if isinstance(value, list) else [value]
    found = [item.get("report", item) for item in items if isinstance(item, dict)]
    return [report for report in found if isinstance(report, dict)]


def _insights(reports: list[dict[str, Any]], said: str) -> list[str]:
    """Cited statements that the report does not hold yet."""
    lines: list[str] = []
    for report in reports:
        for insight in report.get("insights") or []:
            statement, citations = str(insight.get("statement") or ""), insight.get("citations") or []
            cited = cite(*(str(one).strip("[] ") for one in citations))
            if statement and _OUTSIDE.search(cited) and cited not in said and not _is_said(statement, [said, *lines]):
                lines.append(f"- {' '.join(statement.split()).rstrip('.')} {cited}.")
    return lines[:MOST_INSIGHTS]


def _open(reports: list[dict[str, Any]], said: str, told: list[str]) -> list[str]:
    """Open questions of the researchers on which the report says nothing; it speaks of all that is ``told`` itself."""
    lines: list[str] = []
    for report in reports:
        for question in report.get("open_questions") or []:
            text = " ".join(str(question).split())
            known = tells_of_missing_tools(text) or any(
                words.casefold().rstrip("?") in text.casefold() for words in told
            )
            if text and not known and not _is_said(text, [*said.splitlines(), *lines]):
                lines.append(f"- {text}")
    return lines[:MOST_OPEN]


def _is_said(text: str, said: list[str]) -> bool:
    stems = set(content_stems(text))
    return any(len(stems & set(content_stems(other))) >= _ALIKE * max(1, len(stems)) for other in said)


def _with(report: str, heading: str, lines: list[str]) -> str:
    """The report with these lines under a heading, which is added at the end where there is none."""
    if not lines:
        return report
    listed = "\n".join(lines)
    return f"{report}\n{listed}" if heading in report else f"{report}\n\n{heading}\n\n{listed}"
