"""The forms by name: built-in ones, plugins (entry points of drretail.exports), and ``module:attribute``."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drretail.errors import UserError
from drretail.exports.selection import Selection
from drretail.plugins import Plugins


@dataclass(frozen=True, slots=True)
class Form:
    """One form: what it is called when nobody names a file, and what writes it.

    ``write`` gives how many of what it wrote ("21 conversations"); a ``name`` without a suffix is a folder's. One that
    ``redacts`` passes all rows through the selection's redaction.
    """

    name: str
    write: Callable[[Selection, Path], str]
    redacts: bool = False


FORMS = {
    "chat": "drretail.exports.chat:FORM",
    "drb": "drretail.exports.drb:FORM",
    "csv": "drretail.exports.score_tables:AS_CSV",
    "parquet": "drretail.exports.score_tables:AS_PARQUET",
    "dataset": "drretail.exports.dataset:FORM",
    "otel": "drretail.exports.spans:FORM",
    "sandbox": "drretail.exports.sandbox_pages:FORM",
    "inspect": "drretail.exports.inspect_form:FORM",
}
PLUGINS = Plugins("export", FORMS, "drretail.exports")


def load_form(name: str) -> Form:
    """The form of that name. Raises UnknownName, or UserError for a place that holds no Form."""
    place, found = PLUGINS.load(name)
    if not isinstance(found, Form):
        raise PLUGINS.refused(place, found, "a drretail.exports.formats.Form")
    return found


def export(selection: Selection, name: str, to: Path, *, force: bool = False) -> str:
    """Writes the selection in that form and says what was written.

    Raises UserError where something stands at ``to`` already, unless ``force``, where no run is left to write, and
    for a redaction that the form doesn't know.
    """
    form = load_form(name)
    if selection.redaction is not None and not form.redacts:
        raise UserError(f"{name} knows no --redact: chat, csv, parquet and dataset do.")
    if (to.is_file() or to.is_dir()) and not force:
        raise UserError(f"{to} is there already: name another file with -o, or replace it with --force.")
    return form.write(selection, to)


def nothing_left(selection: Selection) -> UserError:
    """The error of an export that no run is left for."""
    why = ", ".join(f"{count} {reason}" for reason, count in sorted(selection.left_out.items()) if count)
    return UserError(f"No run of {selection.experiment} is left to export{f': {why}' if why else ''}.")
