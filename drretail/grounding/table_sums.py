"""Whether the columns of tables come to what their last row says."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from drretail.grounding.structure import Structure, Unit
from drretail.grounding.totals import COUNTED, QUANTITY_HEADER, SUM_CELL, cell_text, money_in
from drretail.grounding.values import Value, compare
from drretail.grounding.wording import format_money
from drretail.records.evidence import Finding

_AFTER_THE_SUM = re.compile(r"\W*(?:budget|left|remaining|savings?|under|over)\b", re.IGNORECASE)
_OPTIONAL = re.compile(r"\b(?:optional|alternative|or\b|included|later|skip|upgrade|free)", re.IGNORECASE)


def check_tables(structure: Structure) -> Iterator[Finding | None]:
    """A finding for every amount of a total row that neither all rows above nor those since the last one come to;
    None for every one that is right.
    """
    rows = [unit for unit in structure.units if unit.kind == "row"]
    table: list[Unit] = []
    for row in rows:
        if table and row.line != table[-1].line + 1:
            table = []
        first = cell_text(structure, row.cells[0]) if row.cells else ""
        if table and SUM_CELL.match(first):
            yield from _sum_row(structure, table, row)
        table.append(row)


def _sum_row(structure: Structure, above: Sequence[Unit], row: Unit) -> Iterator[Finding | None]:
    plain = [unit for unit in above if not _is_sum(structure, unit)]
    last_sum = max((index for index, unit in enumerate(above) if _is_sum(structure, unit)), default=-1)
    since = [unit for unit in above[last_sum + 1 :] if not _is_sum(structure, unit)]
    for index, cell in enumerate(row.cells[1:], start=1):
        said = money_in(structure, cell)
        if len(said) != 1 or said[0].low is not None:
            continue
        sums = {
            total
            for units in (plain, since)
            for total in (_column(structure, units, index), _column(structure, units, index, weighted=True))
            if total is not None and units
        }
        if sums and all(_differs(said[0], total) for total in sums):
            truth = _column(structure, plain, index)
            yield wrong_total(structure, said[0].start, said[0].end, truth if truth is not None else max(sums))
        elif sums:
            yield None


def _differs(said: Value, total: Decimal) -> bool:
    """Rounded parts may leave a total one unit of its last digit away."""
    return compare(said, total) == "differs"


def _column(structure: Structure, units: Sequence[Unit], index: int, *, weighted: bool = False) -> Decimal | None:
    """The sum of a column; None where a cell cannot be read, or a row may not be meant to count."""
    total = Decimal(0)
    for unit in units:
        if index >= len(unit.cells) or _OPTIONAL.search(structure.text[unit.start : unit.end]):
            return None
        text = cell_text(structure, unit.cells[index])
        amounts = money_in(structure, unit.cells[index])
        if not amounts and text.strip(" *—–-") in ("", "n/a", "N/A"):
            continue
        if len(amounts) != 1 or amounts[0].low is not None or amounts[0].bound != "exact" or COUNTED.search(text):
            return None
        first = cell_text(structure, unit.cells[0]).casefold()
        minus = bool(re.match(r"\s*\**\s*[−–-]", text)) or "discount" in first
        total += amounts[0].number * (-1 if minus else 1) * (_quantity(structure, unit) if weighted else 1)
    return total


def _quantity(structure: Structure, unit: Unit) -> int:
    for cell in unit.cells:
        if QUANTITY_HEADER.fullmatch(structure.header(cell)) and (
            number := re.search(r"\d+", cell_text(structure, cell))
        ):
            return int(number[0])
    return 1


def _is_sum(structure: Structure, unit: Unit) -> bool:
    first = cell_text(structure, unit.cells[0]) if unit.cells else ""
    return bool(SUM_CELL.match(first) or _AFTER_THE_SUM.match(first))


def wrong_total(structure: Structure, start: int, end: int, truth: Decimal) -> Finding:
    """A stated total with what its parts come to."""
    said = structure.report[start:end]
    return Finding(code="total_wrong", severity="error", start=start, end=end, said=said, found=format_money(truth))
