"""What distractors cost, and what an agent still finds in a sandbox without supportive pages (DR³-Eval, Figure 5).

All tests are those of the tables of compositions.
"""

from collections.abc import Iterator, Mapping, Sequence

from drretail.conditions.shop import NO_WEB
from drretail.eval.compare.wording import listed, samples
from drretail.records.comparison import ComparedRow
from drretail.records.score import Score, SettingRow, SettingTable
from drretail.records.tables.figures import number
from drretail.stats.clusters import FEWEST

FOUND_IN_PAGES = "IR_SC"
"""The variant that counts only insights of supportive pages, so without these pages it has a floor."""
_ALIKE = ("metric", "variant", "judge", "judge_params", "rules")
"""The columns that identify one figure by one judge, equal in the tables that belong together."""


def on_distractors(table: SettingTable, tables: Sequence[SettingTable]) -> str:
    """What a table of compositions shows, in sentences; empty if nothing was left out of a sandbox.

    If ``tables`` also hold those of the web option, the floor is what the same agent scores without a web.
    """
    if table.by != "compose":
        return ""
    steps = [(row.agent, step) for row in table.rows for step in row.steps]
    cost = [(agent, step.row) for agent, step in steps if (step.earlier, step.later) == ("all", "no_distractor")]
    floors = _floors(table, tables) if table.variant == FOUND_IN_PAGES else None
    return " ".join([*_on_cost(cost), *(() if floors is None else _on_floors(table.rows, floors))])


def _floors(of: SettingTable, tables: Sequence[SettingTable]) -> Mapping[str, float]:
    """The score of the same agent without a web, by system."""
    of_webs = (table for table in tables if table.by == "web")
    alike = (table for table in of_webs if all(getattr(table, key) == getattr(of, key) for key in _ALIKE))
    floors: dict[str, float] = {}
    for row in (row for table in alike for row in table.rows):
        without = next((cell.value for cell in row.cells if cell.part == NO_WEB), None)
        floors |= {} if without is None else {cell.system: without for cell in row.cells}
    return floors


def _on_cost(tested: Sequence[tuple[str, ComparedRow]]) -> Iterator[str]:
    """``tested`` are agents without distractors over themselves with all pages."""
    cost = [f"{agent} ({number(row.difference or 0)})" for agent, row in tested if row.outcome == "higher"]
    gain = [f"{agent} ({number(-(row.difference or 0))})" for agent, row in tested if row.outcome == "lower"]
    open_ones = [agent for agent, row in tested if row.outcome not in ("higher", "lower")]
    if cost:
        yield f"Distractors lower it for {listed(cost)}."
    if gain:
        yield f"With distractors it is higher for {listed(gain)}."
    if open_ones:
        yield f"No effect of distractors is shown for {listed(open_ones)}."


def _on_floors(rows: Sequence[SettingRow], floors: Mapping[str, float]) -> Iterator[str]:
    """First on agents that fall to the floor, then on those above it; agents with the same floor share a sentence."""
    groups: dict[tuple[str, bool], list[tuple[str, Score]]] = {}
    for row in rows:
        cells = {cell.part: cell for cell in row.cells}
        everything, cell = cells.get("all"), cells.get("no_supportive")
        if everything is None or cell is None or cell.value is None:
            continue
        floor = floors.get(everything.system)
        if (cell.n_counted if cell.n_users is None else cell.n_users) >= FEWEST:
            whose = number(0.0) if floor is None else f"{number(floor)}, what it is without a web"
            low = cell.value if cell.ci_low is None else cell.ci_low
            groups.setdefault((whose, low > (floor or 0.0)), []).append((row.agent, cell))
    for (whose, is_above), group_rows in sorted(groups.items(), key=lambda group: group[0][1]):
        if is_above:
            who = listed(f"{agent} ({number(cell.value or 0)})" for agent, cell in group_rows)
            yield (
                f"Without supportive pages it stays above the floor ({whose}) for {who}: other pages hold some of what "
                "is to be found, or the agent knows it."
            )
        else:
            counts = samples((cell.n_counted, cell.n_users) for _, cell in group_rows)
            who = listed(agent for agent, _ in group_rows)
            yield (
                f"Without supportive pages it falls to the floor ({whose}) for {who}: as far "
                f"as {counts} can show, the sandbox holds no other effective information."
            )
