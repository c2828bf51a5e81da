"""What distractors cost, and what an agent still finds in a sandbox without supportive pages (DR³-Eval, Figure 5).

All tests are those of the tables of compositions.
"""

from collections.abc import Iterator, Mapping, Sequence

from drretail.conditions.shop import NO_WEB
from drretail.eval.compare.wording import listed, samples
from drretail.records.base import OfJudge, Record
from drretail.records.comparison import ComparedRow
from drretail.records.score import Score, SettingRow, SettingTable
from drretail.stats.clusters import FEWEST
from drretail.tables.figures import number

FOUND_IN_PAGES = "IR_SC"
"""The variant that counts only insights of supportive pages, so without these pages it has a floor."""
_ALIKE = ("metric", "variant", "judge", "judge_params", "rules")
"""The columns that identify one figure by one judge, equal in the tables that belong together."""


class DistractorRow(Record):
    """One system on one size of a sandbox: with all of its pages, and with some left out."""

    agent: str
    everything: Score
    without_distractors: Score | None = None
    without_distractors_over_all: ComparedRow | None = None
    without_supportive: Score | None = None
    floor: float | None = None
    """The value without any supportive page, if nothing else holds the answer; None for a variant
    without such a floor.
    """
    floor_is_without_web: bool = False
    """True if the floor is the same system's value without a web; otherwise the floor is 0."""


class DistractorTable(OfJudge):
    """What distractors cost in one variant by one judge, and what is left without supportive pages
    (DR³-Eval, Figure 5).
    """

    metric: str
    variant: str
    name: str
    rows: tuple[DistractorRow, ...]
    sentence: str
    """What can be concluded from it."""


def distractor_tables(tables: Sequence[SettingTable]) -> list[DistractorTable]:
    """A table for each table of compositions in which a system ran with all pages and without some of them.

    If ``tables`` also hold those of the web option, the floor is what the same agent scores without a web.
    """
    found: list[DistractorTable] = []
    for table in (table for table in tables if table.by == "compose"):
        floors = _floors(table, tables)
        rows = [made for row in table.rows if (made := _row(row, table, floors)) is not None]
        if rows:
            sentence = " ".join([*_distractor_sentences(rows), *_floor_sentences(rows)])
            columns = table.model_dump(include={*_ALIKE, "name", "judge_kind"})
            found.append(DistractorTable(**columns, rows=tuple(rows), sentence=sentence))
    return found


def _floors(of: SettingTable, tables: Sequence[SettingTable]) -> Mapping[str, float]:
    """The score of the same agent without a web, by system."""
    of_webs = (table for table in tables if table.by == "web")
    alike = (table for table in of_webs if all(getattr(table, key) == getattr(of, key) for key in _ALIKE))
    found: dict[str, float] = {}
    for row in (row for table in alike for row in table.rows):
        without = next((cell.value for cell in row.cells if cell.part == NO_WEB), None)
        found |= {} if without is None else {cell.system: without for cell in row.cells}
    return found


def _row(row: SettingRow, of: SettingTable, floors: Mapping[str, float]) -> DistractorRow | None:
    cells = {cell.part: cell for cell in row.cells}
    everything = cells.get("all")
    if everything is None or not {"no_distractor", "no_supportive"} & {*cells}:
        return None
    steps = {(step.earlier, step.later): step.row for step in row.steps}
    has_floor = of.variant == FOUND_IN_PAGES and "no_supportive" in cells
    return DistractorRow(
        agent=row.agent,
        everything=everything,
        without_distractors=cells.get("no_distractor"),
        without_distractors_over_all=steps.get(("all", "no_distractor")),
        without_supportive=cells.get("no_supportive"),
        floor=floors.get(everything.system, 0.0) if has_floor else None,
        floor_is_without_web=has_floor and everything.system in floors,
    )


def _distractor_sentences(rows: Sequence[DistractorRow]) -> Iterator[str]:
    tested = [(row.agent, over_all) for row in rows if (over_all := row.without_distractors_over_all)]
    if not tested:
        return
    cost = [f"{agent} ({number(row.difference or 0)})" for agent, row in tested if row.outcome == "higher"]
    gain = [f"{agent} ({number(-(row.difference or 0))})" for agent, row in tested if row.outcome == "lower"]
    open_ones = [agent for agent, row in tested if row.outcome not in ("higher", "lower")]
    if cost:
        yield f"Distractors lower it for {listed(cost)}."
    if gain:
        yield f"With distractors it is higher for {listed(gain)}."
    if open_ones:
        yield f"No effect of distractors is shown for {listed(open_ones)}."


def _floor_sentences(rows: Sequence[DistractorRow]) -> Iterator[str]:
    """First on agents that fall to the floor, then on those above it; agents with the same floor share a sentence."""
    groups: dict[tuple[str, bool], list[tuple[str, Score]]] = {}
    for row in rows:
        cell = row.without_supportive
        if cell is None or cell.value is None or row.floor is None:
            continue
        if (cell.n_counted if cell.n_users is None else cell.n_users) >= FEWEST:
            whose = f"{number(row.floor)}, what it is without a web" if row.floor_is_without_web else number(row.floor)
            low = cell.value if cell.ci_low is None else cell.ci_low
            groups.setdefault((whose, low > row.floor), []).append((row.agent, cell))
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
