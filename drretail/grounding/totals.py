"""The totals that a report states, by their labels."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

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
    r"|\b(?:together|altogether|combined|in\s+total|all\s+told|all\s+in\s+all)\b[,:]?\**\s*(?:(?:that|this)(?:['’]s|\s+is|\s+comes\s+to"
    r"|\s+makes|\s+costs)|(?:you|we)\s+(?:would\s+|will\s+)?(?:spend|pay)|(?:everything|it\s+all)\s+(?:costs|comes\s+to)"
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
# Of parts that follow each other and make the whole, as options do not.
_IN_SEQUENCE = re.compile(r"\b(?:phase|stage|step|month|week|part)\b", re.IGNORECASE)
_SEQUENCE_BEGINS = re.compile(r"[\W\d]*(?:phase|stage|step|month|week|part)\s*\d", re.IGNORECASE)
# Of the whole even below the heading of a part.
_ALL = re.compile(
    r"\b(?:grand|overall|combined|full|project)\s+(?:\w+\s+)?total\b|\ball\s+in\s+all\b|\ball\s+told\b"
    r"|\btotal\b.*\b(?:for|of|across)\s+(?:all|everything|both)\b",
    re.IGNORECASE,
)
_ALL_AFTER = re.compile(
    r"\**\s*\(?(?:for|over|across|in)\s+(?:all\b|everything\b|both\s|the\s+(?:whole|entire)\b"
    r"|(?:the\s+)?(?:\d+|two|three|four|five|six|twelve)\s+(?:months|weeks|phases|stages|steps|parts)\b)",
    re.IGNORECASE,
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
    beyond: bool = False
    """True below the heading of a part, when it is the total of more than that part."""
    label: str = ""
    """The words that call it a total."""


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
    return list(_placed(structure, [totals[start] for start in sorted(totals)]))


def _placed(structure: Structure, totals: Sequence[Total]) -> Iterator[Total]:
    """The totals, those marked that stand below the heading of a part and are of more than it."""
    parts: list[Decimal] = []
    """The distinct totals so far that their labels call those of a part."""
    for total in totals:
        if _is_beyond(structure, total, parts):
            yield replace(total, whole=True, beyond=True)
            continue
        if _IN_SEQUENCE.search(total.label) and total.value.number not in parts:
            parts.append(total.value.number)
        yield total


def _is_beyond(structure: Structure, total: Total, parts: Sequence[Decimal]) -> bool:
    """True when the words say so, when the parts stand above it one by one, or when those before it are labelled as
    the parts' and it, which is not, is no smaller than all of them.
    """
    if _QUALIFIED.search(total.label) or _is_a_choice(structure, total.section):
        return False
    if _ALL.search(total.label) or _ALL_AFTER.match(structure.text, total.value.end):
        return True
    if _parts_above(structure, total) >= 2:
        return True
    # Rounded parts may come to a little more than a rounded whole.
    return bool(parts) and total.value.number > max(parts) and total.value.number + len(parts) >= sum(parts)


def _is_a_choice(structure: Structure, section: int) -> bool:
    titles = [part.title for part in structure.path(section) if 1 < part.level < 7]
    return any(_PART.search(title) and not _IN_SEQUENCE.search(title) for title in titles)


def _parts_above(structure: Structure, total: Total) -> int:
    """How many rows or lines of the total's section are each about one of several parts and name an amount."""
    found = 0
    for unit in structure.units:
        if unit.section != total.section or unit.start >= total.value.start or unit.kind == "heading":
            continue
        if unit.line == total.line or not any(
            value.kind == "money" for value in find_values(structure.text[unit.start : unit.end])
        ):
            continue
        header = structure.header(unit.cells[0]) if unit.cells else ""
        first = unit.cells[0].start if unit.cells else unit.start
        found += bool(_IN_SEQUENCE.search(header) or _SEQUENCE_BEGINS.match(structure.text, first, unit.end))
    return found


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
        if (strong := list(_ALL.finditer(words))) and strong[-1].start() > 0:
            words = words[strong[-1].start() :]  # "Phase 2 total: $85, grand total: $126"
        whole = not _QUALIFIED.search(words) and not _in_a_part(structure, unit)
        yield Total(moved_by(value, unit.start), unit.section, unit.line, whole, label=words)


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
        yield Total(amounts[0][1], unit.section, unit.line, whole, label=first)


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
