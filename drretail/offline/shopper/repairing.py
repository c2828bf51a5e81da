"""Mends a report of which sentences turned out to be wrong: a figure is corrected, what else is wrong is left out."""

import json
import re
from collections.abc import Sequence
from typing import Any

from drretail.grounding.text.sentences import Sentence, find_sentences

_FIGURE = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_EMPTY_LINES = re.compile(r"\n{3,}")
_EMPTY_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]*$\n?", re.MULTILINE)
_PICK = re.compile(r"^(?P<id>P:\S+)(?: .*)?$\n?", re.MULTILINE)
_BLOCK = re.compile(r"\n*```picks\n(?P<lines>.*?)```\s*$", re.DOTALL)


def mended(report: str, problems: str, picks: str = "") -> str:
    """The report without what the problems name; ``picks`` is the block to end it with where it has none.

    A pick whose every statement had to go is declared no more.
    """
    block = _BLOCK.search(report)
    prose = report[: block.start()] if block else report
    for problem in _problems(problems):
        prose = _without(prose, problem)
    declared = block[0].strip() if block else picks
    kept = _PICK.sub(lambda pick: pick[0] if f"[{pick['id']}]" in prose else "", declared)
    return "\n\n".join(part for part in (_tidied(prose), kept) if part)


def _problems(text: str) -> list[dict[str, str]]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return []
    items: list[Any] = value if isinstance(value, list) else []
    told = [{str(key): str(it or "") for key, it in item.items()} for item in items if isinstance(item, dict)]
    return [item for item in told if item.get("said", "").strip()]


def _without(report: str, problem: dict[str, str]) -> str:
    words = problem["said"].strip()
    said = re.compile(rf"(?<![\d.,$]){re.escape(words)}(?![\d]|[.,]\d)")
    wrong = [it for it in find_sentences(report) if said.search(report[it.start : it.end])]
    mark = f"[{problem.get('evidence_id', '')}]"
    cited = [it for it in wrong if mark in report[it.start : it.end]]
    for sentence in reversed(cited or wrong):
        text = report[sentence.start : sentence.end]
        report = report[: sentence.start] + _corrected(text, said, problem) + report[sentence.end :]
    return report if wrong else _without_span(report, words)


def _corrected(text: str, said: re.Pattern[str], problem: dict[str, str]) -> str:
    """The sentence with the right figure, or nothing."""
    words, found = problem["said"].strip(), problem.get("found", "")
    if not (_FIGURE.fullmatch(found) and _NUMBER.search(words)):
        return ""
    number = _NUMBER.search(found)
    right = found if _FIGURE.fullmatch(words) else _NUMBER.sub(number[0] if number else "", words, count=1)
    return said.sub(lambda _: right, text)


def _without_span(report: str, said: str) -> str:
    """Every sentence gone that a longer passage covers, wherever it begins and ends."""
    start = report.find(said)
    if start < 0:
        return report
    sentences: Sequence[Sentence] = find_sentences(report)
    for sentence in reversed(sentences):
        if sentence.start < start + len(said) and sentence.end > start and sentence.kind != "heading":
            report = report[: sentence.start] + report[sentence.end :]
    return report


def _tidied(report: str) -> str:
    """The report without empty items, lines and sections."""
    report = _EMPTY_LINES.sub("\n\n", _EMPTY_ITEM.sub("", report))
    report = "\n".join(line.rstrip() for line in report.splitlines())
    blocks = [block.strip("\n") for block in report.split("\n\n") if block.strip()]
    headings = [block.startswith("## ") and "\n" not in block for block in blocks]
    kept = [
        block
        for place, block in enumerate(blocks)
        if not (headings[place] and (place + 1 == len(blocks) or headings[place + 1]))
    ]
    return "\n\n".join(kept).strip()
