"""Mends a draft of which statements turned out to be wrong: puts the right figure in, or takes the statement out."""

import json
import re
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from drretail.grounding.sentences import Sentence, find_sentences
from drretail.llm.offline.shopper.tags import read_tags
from drretail.offline.chat import Turn

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FIGURE = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?")
_MARKER = re.compile(r"\[[A-Z]:[^\]\s]+\]")
_UNRESOLVED = "unresolved_citation"
_EMPTY_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]*$\n?", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class _Problem:
    code: str
    said: str
    found: str
    evidence_id: str | None


def play(turn: Turn) -> AIMessage:
    """The mended report."""
    tags = read_tags(turn.messages)
    return AIMessage(mended(tags["report"].content, tags["problems"].content))


def mended(report: str, problems: str) -> str:
    """The report without what the problems name; it is the same where they name nothing that stands in it."""
    for problem in _problems(problems):
        report = _mended(report, problem)
    return _tidied(report)


def _problems(text: str) -> list[_Problem]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return []
    items: list[Any] = value if isinstance(value, list) else []
    return [
        _Problem(str(item.get("code", "")), str(item["said"]), str(item.get("found") or ""), item.get("evidence_id"))
        for item in items
        if isinstance(item, dict) and str(item.get("said") or "").strip()
    ]


def _mended(report: str, problem: _Problem) -> str:
    said = re.compile(rf"(?<![\d.,$]){re.escape(problem.said.strip())}(?![\d]|[.,]\d)")
    wrong = [sentence for sentence in find_sentences(report) if said.search(report[sentence.start : sentence.end])]
    cited = [it for it in wrong if problem.evidence_id and f"[{problem.evidence_id}]" in report[it.start : it.end]]
    for sentence in reversed(cited or wrong):
        text = report[sentence.start : sentence.end]
        report = report[: sentence.start] + _corrected(text, said, problem) + report[sentence.end :]
    return report if wrong else _without_span(report, problem.said)


def _corrected(text: str, said: re.Pattern[str], problem: _Problem) -> str:
    """The sentence with the right figure, without a citation that comes to nothing, or nothing."""
    if _FIGURE.fullmatch(problem.found) and _NUMBER.search(problem.said):
        right = problem.found if _FIGURE.fullmatch(problem.said.strip()) else _like(problem.said, problem.found)
        return said.sub(lambda _: right, text)
    if problem.code == _UNRESOLVED and len(_MARKER.findall(text)) > 1 and _MARKER.fullmatch(problem.said.strip()):
        return text.replace(problem.said.strip(), "")
    return ""


def _like(said: str, found: str) -> str:
    """What was said, with the right number in it: "4.2 stars" becomes "4.6 stars"."""
    number = _NUMBER.search(found)
    return _NUMBER.sub(lambda _: number[0] if number else "", said.strip(), count=1)


def _without_span(report: str, said: str) -> str:
    """Every sentence gone that a longer passage covers, wherever it begins and ends."""
    start = report.find(said)
    if start < 0:
        return report
    covered: list[Sentence] = [
        sentence for sentence in find_sentences(report) if sentence.start < start + len(said) and sentence.end > start
    ]
    for sentence in reversed(covered):
        if sentence.kind != "heading":
            report = report[: sentence.start] + report[sentence.end :]
    return report


def _tidied(report: str) -> str:
    """The report without empty items, lines and sections."""
    report = _EMPTY_LINES.sub("\n\n", _EMPTY_ITEM.sub("", report))
    report = "\n".join(" ".join(line.split(" ")).rstrip() for line in report.splitlines())
    blocks = [block.strip("\n") for block in report.split("\n\n") if block.strip()]
    kept = [
        block
        for place, block in enumerate(blocks)
        if not (_is_section(block) and (place + 1 == len(blocks) or _is_section(blocks[place + 1])))
    ]
    return "\n\n".join(kept).strip()


def _is_section(block: str) -> bool:
    return block.startswith("## ") and "\n" not in block
