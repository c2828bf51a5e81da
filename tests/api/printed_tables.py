"""The paper's tables as an experiment's page prints them, cell by cell beside those of ``paper_anew``."""

import re
from collections.abc import Mapping
from pathlib import Path

from drretail.records.run import BASELINES
from drretail.viewer.paper import read_paper_view
from tests.api.paper_anew import COUNT, PLANNED, PLUS_MINUS, Files, Row, table_1, table_2
from tests.build import known


def printed(folder: Path) -> dict[str, dict[str, dict[str, str]]]:
    """The experiment's own rows as the paper's view prints them: by table, row and column."""
    tables: dict[str, dict[str, dict[str, str]]] = {}
    for each in read_paper_view(folder, None).tables:
        heads = [column.name for column in each.table.columns]
        tables[each.name] = {
            row.label.partition(" (")[0]: {
                head: cell.whole if cell and cell.is_number else "–"
                for head, cell in zip(heads, row.cells, strict=True)
            }
            for row in each.here
            if row.place == "system"
        }
    return tables


CELL = re.compile(r"(?P<value>-?[\d.]+|–)(?: ± (?P<spread>[\d.]+))?(?:, (?:n=)?(?P<n>\d+)(?: of (?P<of>\d+))?)?")


def differing_cells(shown: Mapping[str, Mapping[str, str]], anew: Mapping[str, Row]) -> list[str]:
    """The cells of a table that print other digits than a value has, or that only one of the two has."""
    found = [] if shown.keys() == anew.keys() else [f"rows of one alone: {sorted(shown.keys() ^ anew.keys())}"]
    for name in shown.keys() & anew.keys():
        row = anew[name]
        for column, cell in shown[name].items():
            got, n = known(CELL.fullmatch(cell)), row.get(f"{column}{COUNT}")
            printed_n = {"n": n, "of": None if n == row.get(PLANNED) else row.get(PLANNED)}
            is_right = is_printed(got["value"], row.get(column)) and all(
                got[part] is None or is_printed(got[part], value)
                for part, value in (("spread", row.get(f"{column}{PLUS_MINUS}")), *printed_n.items())
            )
            found += [] if is_right else [f"{name}, {column}: printed {cell}, and anew {row.get(column)} of {n}"]
    return found


def is_printed(digits: str, value: float | None) -> bool:
    """True if the digits are the value's, rounded; of a half, to either side."""
    if value is None or digits == "–":
        return value is None and digits == "–"
    places = len(digits.partition(".")[2])
    return abs(float(digits) - value) <= 0.5 * 10**-places + 1e-9


def differing(folder: Path) -> list[str]:
    """The cells of both tables that differ, in words."""
    shown, files = printed(folder), Files(folder)
    found: list[str] = []
    for name, anew in (("Table 1", table_1(files)), ("Table 2", table_2(files))):
        made = {label: row for label, row in anew.items() if label not in BASELINES}
        own = {label: row for label, row in shown[name].items() if label not in BASELINES}
        found += [f"{name}: {each}" for each in differing_cells(own, made)]
    return found
