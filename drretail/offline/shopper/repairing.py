"""Mends a report of which a verifier told what is wrong: figures are corrected, what else is wrong is left out."""

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.report.picks import picks_block, take_picks
from drretail.grounding.text.sentences import Sentence, find_sentences
from drretail.grounding.verify.findings import CODES
from drretail.parsing import parse_json
from drretail.records.reading import Pick

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_WHOLE = re.compile(r"[1-9]\d*")
_SIGN = re.compile(r"[$€£]")
_EMPTY_LINES = re.compile(r"\n{3,}")
_EMPTY_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]*$\n?", re.MULTILINE)
_DECLARED = re.compile(r"P:(?P<id>\S+) x \d+")
_MARK = re.compile(r"\[(?P<id>[PO]:[^\]\s]+)\]")
_STAYS = frozenset({"pick_not_argued", "quantity_wrong"})
"""What is wrong with a line of the cart, and with nothing that the report says of the product."""
_LACKS = frozenset({"want_left_out"})
"""What is wrong with nothing that stands in the report: it names what is not there."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault, as a verifier tells it; empty where it tells nothing."""

    code: str
    said: str
    """The words at fault; of a wrong cart its lines, "P:… x 1"."""
    sentence: str
    found: str
    evidence_id: str

    @property
    def lines(self) -> frozenset[str]:
        """The products of the lines of the cart that are at fault; none where words of the report are."""
        parts = [_DECLARED.fullmatch(part) for part in self.said.split(", ")]
        return frozenset(part["id"] for part in parts if part) if all(parts) else frozenset()


def read_problems(text: str) -> list[Problem]:
    """The problems of a JSON list; none where it can't be read."""
    try:
        value = parse_json(text)
    except json.JSONDecodeError:
        return []
    items: list[Any] = value if isinstance(value, list) else []
    names = ("code", "said", "sentence", "found", "evidence_id")
    told = [Problem(*(str(it.get(name) or "").strip() for name in names)) for it in items if isinstance(it, dict)]
    return [it for it in told if it.said and it.code not in _LACKS]


def wrong_picks(problems: Sequence[Problem]) -> frozenset[str]:
    """The products that must not be bought, each for a reason of its own."""
    wrong = [it.lines for it in problems if it.evidence_id and it.code not in _STAYS]
    return frozenset(product for lines in wrong for product in lines)


def mended(report: str, problems: Sequence[Problem], own: Sequence[Pick] = (), *, declares: bool = True) -> str:
    """The report without what the problems name, with its block of picks, or else that of the shopper's ``own``.

    A pick that no statement cites any more is declared no more. A cart that is too dear keeps what is ``own``.
    """
    written = take_picks(report)
    prose, picks = written.report, written.picks if written.picks is not None else tuple(own)
    gone = set(wrong_picks(problems))
    for problem in problems:
        if not problem.lines:
            prose = _without(prose, problem)
        elif not problem.evidence_id:
            gone |= problem.lines - {it.product for it in own}
        elif problem.code == "pick_not_argued":
            picks = tuple(it for it in picks if it.product not in problem.lines)
        elif problem.code == "quantity_wrong":
            picks = tuple(_in_number(it, problem) for it in picks)
    prose = _tidied(_without_products(prose, gone))
    kept = [it for it in picks if it.product not in gone and _is_cited(it, prose)]
    return f"{prose}\n\n{picks_block(kept, written.outcome)}" if declares or written.picks is not None else prose


def _in_number(pick: Pick, problem: Problem) -> Pick:
    """A pick in the number that is asked for, the first that is told."""
    number = _WHOLE.search(problem.found)
    return pick.model_copy(update={"quantity": int(number[0])}) if number and pick.product in problem.lines else pick


def _is_cited(pick: Pick, prose: str) -> bool:
    return any(f"[P:{it}]" in prose for it in (pick.product, *pick.alternatives))


def _without(report: str, problem: Problem) -> str:
    """The report with the words at fault corrected, or without the sentences that they stand in."""
    said = re.compile(rf"(?<![\d.,$]){re.escape(problem.said)}(?![\d]|[.,]\d)")
    sentences = find_sentences(report)
    wrong = [it for it in sentences if problem.sentence == report[it.start : it.end].strip()]
    if not wrong:
        wrong = [it for it in sentences if said.search(report[it.start : it.end])]
        mark = f"[{problem.evidence_id}]"
        wrong = [it for it in wrong if mark in report[it.start : it.end]] or wrong
    return _with_each(report, wrong, lambda text: _corrected(text, said, problem))


def _without_products(report: str, products: Collection[str]) -> str:
    """The report without the sentences that cite one of the products, and no other product or order."""
    sentences, gone = find_sentences(report), {f"P:{it}" for it in products}
    cited = [{it["id"] for it in _MARK.finditer(report[one.start : one.end])} for one in sentences]
    alone = [one for one, ids in zip(sentences, cited, strict=True) if len(ids) == 1 and ids <= gone]
    return _with_each(report, alone, lambda _: "")


def _with_each(report: str, sentences: Sequence[Sentence], change: Callable[[str], str]) -> str:
    """The report with sentences changed; one of which nothing is left takes the gap behind it along."""
    for one in reversed(sentences):
        new, behind = change(report[one.start : one.end]), report[one.end :]
        report = report[: one.start] + new + (behind if new else behind.lstrip(" "))
    return report


def _corrected(text: str, said: re.Pattern[str], problem: Problem) -> str:
    """The sentence with the right figure, or nothing."""
    right = _right_words(problem)
    return said.sub(lambda _: right, text) if right is not None and said.search(text) else ""


def _right_words(problem: Problem) -> str | None:
    """The words at fault with the one figure that a record has, of a calculation its result; None where it has none."""
    figures = _NUMBER.findall(problem.found.rpartition("=")[2])
    is_on_record = problem.code in CODES.values() and problem.evidence_id
    if not is_on_record or len(figures) != 1 or not _NUMBER.search(problem.said):
        return None
    is_money = _SIGN.search(problem.said + problem.found)
    figure = f"{Decimal(figures[0].replace(',', '')):,.2f}" if is_money else figures[0]
    return _NUMBER.sub(figure, problem.said, count=1)


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
