"""Versions of a judge beside people on the terminal."""

from typing import TYPE_CHECKING

from drretail.tables.table import table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from drretail.lab.calibration import Calibration, Nearness

MEANINGS = (
    "MAD: mean absolute deviation from a person's rating, in points; PCA: share of pairs of reports in people's order; "
    "κ: agreement beyond chance. In brackets: 95 % intervals over queries."
)


def print_calibration(made: "Calibration", *, was_chosen: bool) -> None:
    """A row a version with both sides of the split, then which one is frozen and how near it is."""
    sides = list(zip(made.tuning, made.held_out, strict=True))
    rows = [(_marked(one, made.chosen), one.n, one.summary(), other.n, other.summary()) for one, other in sides]
    columns = ["", "n", f"tuning ({made.n_tuning} queries)", "n", f"held out ({made.n_held_out} queries)"]
    title = f"Versions of {made.model} beside people, {made.question}"
    print_table(table_of(title, columns, rows, notes=[MEANINGS]))
    when = "It was chosen before, and stays: --again chooses anew." if was_chosen else "It is frozen now."
    told = f"Hash of its prompts: {made.prompt_hash}." if made.prompt_hash else "Nobody knows what prompts it was told."
    print_text(f"{made.summary()} {when}", told)


def _marked(it: "Nearness", chosen: str) -> str:
    return f"{it.version} (chosen)" if it.version == chosen else it.version
