"""``export``: an experiment in the forms that other programs read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.api.option import accepts
from drretail.api.options.export import ExportOptions
from drretail.api.options.shared import folder_of, texts_in
from drretail.exports.formats import export as write
from drretail.exports.formats import load_form
from drretail.exports.selection import Selection, read_rule


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has written."""

    path: Path
    written: str
    """How much, in words."""
    left_out: Mapping[str, int]
    """How many runs are not in it, by why."""


def export_with(options: ExportOptions) -> Exported:
    """Writes what these options ask for."""
    experiment = folder_of(options.experiment)
    path = experiment / "exports" / load_form(options.form).name if options.to is None else Path(options.to)
    rules = [read_rule(text) for text in texts_in(options.where)]
    selection = Selection.of(
        experiment,
        texts_in(options.systems),
        rules,
        floors=options.floors,
        failed=options.failed,
        redact=options.redact,
    )
    written = write(selection, options.form, path, force=options.force)
    return Exported(path, written, {why: count for why, count in sorted(selection.left_out.items()) if count})


@accepts(ExportOptions)
def export(options: ExportOptions) -> Exported:
    """Writes runs, reports and scores of an experiment in the form of that name, and says what was left out.

    Raises UserError for a folder without an experiment, for an unknown form, system or rule, where something is at
    ``to`` already unless ``force``, and where no run is left to write.
    """
    return export_with(options)
