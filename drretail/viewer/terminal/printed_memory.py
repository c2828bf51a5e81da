"""What a model knows by heart, on the terminal."""

from typing import TYPE_CHECKING

from drretail.tables.table import Cell, table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from drretail.lab.trial_findings import RecalledField, Remembered

COLUMNS = ["", "products", "right", "don't know", "recall", "chance"]
MEANINGS = (
    "Recall: share of all products asked about whose value it gave, 95 % exact binomial. Chance: what would be right "
    "had it given another product's value of the same category wherever it gave one. A title may suggest a price, too: "
    "what is told of a perturbed world (drretail synth --perturb) is no memory."
)


def print_remembered(made: "Remembered") -> None:
    """A row a field, and what it leaves out."""
    kind = "perturbed world" if made.perturbed_from else "world"
    title = f"{made.model.spec}, {kind} {made.world[:12]}, without tools"
    print_table(table_of(title, COLUMNS, map(_row, made.fields), notes=[MEANINGS]))
    told: list[str] = []
    if made.named_in_title:
        told.append(f"Brand: {made.named_in_title:,} products whose title names it are left out.")
    if made.knows_nothing:
        told.append(f"Of {made.knows_nothing:,} of {made.n:,} products it says that it knows nothing.")
    if made.failed or made.unasked:
        told.append(f"No usable answer on {made.failed:,} products, {made.unasked:,} not asked: in no share.")
    print_text(*told)


def _row(it: "RecalledField") -> list[object]:
    return [it.name, it.n, it.right, it.unknown, Cell(it.value, "number", it.low, it.high), it.chance]
