"""``export``: an experiment's runs, reports and scores in other programs' formats."""

from dataclasses import dataclass
from pathlib import Path

from drretail.addons.exports.formats import export_selection, load_form
from drretail.addons.exports.options import ExportOptions
from drretail.addons.exports.selection import Selection, read_where
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of, text_list
from drretail.eval.numbers.file import outdated, outdated_note
from drretail.records.account import Account
from drretail.viewer.drawing.progress import busy
from drretail.viewer.drawing.result import Result


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has written."""

    path: Path
    """The file or folder that was written."""
    written: str
    """How much, in words."""
    account: Account
    """How many runs were written, merged and left out, by reason."""


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
    account, document = selection.account, {"path": str(path), "written": written}
    changes = outdated(experiment)
    notes = [outdated_note(experiment, changes)] if changes else []
    exported = Exported(path, written, account)
    return Result(exported, document, [f"{written} → {path}"], notes=notes, path=path, accounts=[account])
