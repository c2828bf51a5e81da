"""``export``: an experiment's runs, reports and scores in other programs' formats."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.addons.exports.formats import export_selection, load_form
from drretail.addons.exports.options import ExportOptions
from drretail.addons.exports.selection import Selection, read_where
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of, text_list
from drretail.progress import busy
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has written."""

    path: Path
    """The file or folder that was written."""
    written: str
    """How much, in words."""
    left_out: Mapping[str, int]
    """How many runs were left out, by reason."""


@accepts(ExportOptions)
def export(options: ExportOptions) -> Result[Exported]:
    """Writes runs, reports and scores of an experiment in the named form, and says what was left out.

    Raises UserError for a folder without an experiment, an unknown form, system or rule, if no run is left to write,
    and, unless ``force``, if ``to`` exists.
    """
    experiment = folder_of(options.experiment)
    path = experiment / "exports" / load_form(options.form).name if options.to is None else Path(options.to)
    rules = [read_where(text) for text in text_list(options.where)]
    systems = text_list(options.systems)
    selection = Selection.of(experiment, systems, rules, redact=options.redact, names=options.names)
    with busy("exporting"):
        written = export_selection(selection, options.form, path, force=options.force)
    left_out = {why: count for why, count in sorted(selection.left_out.items()) if count}
    reasons = ", ".join(f"{counted(count, 'run')} {why}" for why, count in left_out.items())
    document = {"path": str(path), "written": written, "left_out": left_out}
    hints = [f"Left out: {reasons}."] if left_out else []
    return Result(Exported(path, written, left_out), document, [f"{written} → {path}"], hints=hints, path=path)
