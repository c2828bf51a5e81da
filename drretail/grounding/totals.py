"""The totals that a report states, by their labels."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from drretail.grounding.price_words import is_a_bound
from drretail.grounding.structure import Cell, Structure, Unit
from drretail.grounding.values import Value, find_values, moved_by, read_cell

_LABEL = (
    r"(?:(?:grand|overall|estimated|combined|final|full|running|basket|cart|order|project)\s+)*(?:sub-?)?total"
    r"(?:\s+(?:cost|price|spend|spending|investment|estimate|amount|expense|for\s+(?:all|everything)))*"
)
TOTAL_LINE = re.compile(
    rf"[\W\d]*(?P<qualifier>(?:[A-Za-z][\w&'-]*\s+|\d+\s+){{0,4}}?){_LABEL}(?P<remark>\s*\([^)]*\))?\W*(?:is\s+"
    rf"|of\s+|:\s*)?\W*$",
    re.IGNORECASE,
)
TOTAL_SAID = re.compile(
    rf"(?:\b{_LABEL}(?:\s*\([^)]*\))?\**\s*(?:[:–—-]|is|of|comes?\s+to|comes?\s+out\s+(?:to|at)|would\s+be)?"
    r"|\b(?:together|altogether|combined|in\s+total|all\s+told)\b,?\s*(?:that\s+(?:is|comes\s+to|makes)"
    r"|they\s+(?:cost|come\s+to)|these\s+(?:cost|come\s+to)|it\s+comes\s+to|comes?\s+to)?"
    r"|\b(?:this|that|they|these|all\s+of\s+(?:it|them|this))\s+(?:totals?|adds?\s+up\s+to|sums?\s+(?:up\s+)?to))"
    r"\s*\**\s*(?:about\s+|around\s+|roughly\s+|approximately\s+|just\s+|only\s+|~\s*)?\**\s*$",
    re.IGNORECASE,
)
SUM_CELL = re.compile(rf"\W*{_LABEL}\b", re.IGNORECASE)
# A part of the whole, or one way among several.
_QUALIFIED = re.compile(
    r"\b(?:sub-?total|phase|stage|step|month|week|day|year|tier|option|plan|package|bundle|choice|alternative|route"
    r"|version|part|room|category"
    r"|first|second|third|initial|remaining|premium|deluxe|basic|upgrade|running|previous|old|average|\d+|[a-d])\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:phase|stage|step|month|week|tier|option|plan|package|bundle|alternative|version|part)\b", re.IGNORECASE
)
# Characters before an amount that can call it a total.
_REACH = 200
_MONEY_HEADER = re.compile(r"[$€£]|price|cost|amount|total|usd")
QUANTITY_HEADER = re.compile(r"(?:qty|quantity|how many|number|units?|#)\.?", re.IGNORECASE)
# How many of a thing, or a choice: then an amount may count more than once, or not at all.
COUNTED = re.compile(
    r"\b(?:\d{1,3}\s?[x×]|[x×]\s?\d{1,3}|each|apiece|per|two|three|four|five|six|seven|eight|nine|ten|pair|both"
    r"|either|or|optional|alternatively|qty|quantity)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Total:
    """A total that is called one; ``whole`` when nothing says that it is part of more, or one of several ways."""

    value: Value
    section: int
    line: int
    whole: bool


def find_totals(structure: Structure) -> list[Total]:
    """The labelled totals of what the report would have bought; not of what was bought, or what the web says."""
    totals: dict[int, Total] = {}
    for unit in structure.units:
        if any(
            source[:2] in ("O:", "U:", "W:") or source[:4] == "http" for piece in unit.pieces for source in piece.cited
        ):
            continue
        for total in [*_total_row(structure, unit), *_totals_said(structure, unit)]:
            totals.setdefault(total.value.start, total)
    return [totals[start] for start in sorted(totals)]


def _totals_said(structure: Structure, unit: Unit) -> Iterator[Total]:
    if unit.kind == "row":
        return
    text = structure.text[unit.start : unit.end]
    for value in find_values(text):
        if value.kind != "money" or value.low is not None or is_a_bound(text, value):
            continue
        before = text[: value.start] if value.start < _REACH else "…" + text[value.start - _REACH : value.start]
        line, said = TOTAL_LINE.fullmatch(before), TOTAL_SAID.search(before)
        if line is None and said is None:
            continue
        words = before if line else before[max(0, (said.start() if said else 0) - 25) :]
        whole = not _QUALIFIED.search(words) and not _in_a_part(structure, unit)
        yield Total(moved_by(value, unit.start), unit.section, unit.line, whole)


def _in_a_part(structure: Structure, unit: Unit) -> bool:
    """True below a heading such as "Phase 2" or "Option B"."""
    return any(_PART.search(section.title) for section in structure.path(unit.section) if section.level > 1)


def _total_row(structure: Structure, unit: Unit) -> Iterator[Total]:
    if unit.kind != "row" or not unit.cells:
        return
    first = cell_text(structure, unit.cells[0])
    if not SUM_CELL.match(first):
        return
    amounts = [(cell, value) for cell in unit.cells[1:] for value in money_in(structure, cell)]
    if len(amounts) == 1:
        whole = not _QUALIFIED.search(first) and not _in_a_part(structure, unit)
        yield Total(amounts[0][1], unit.section, unit.line, whole)


def money_in(structure: Structure, cell: Cell) -> list[Value]:
    text = cell_text(structure, cell)
    found = [value for value in find_values(text) if value.kind == "money"]
    header = structure.header(cell)
    if not found and _MONEY_HEADER.search(header) and not QUANTITY_HEADER.fullmatch(header):
        bare = read_cell(text, "money")
        found = [] if bare is None else [bare]
    return [moved_by(value, cell.start) for value in found]


def cell_text(structure: Structure, cell: Cell) -> str:
    return structure.text[cell.start : cell.end]
