"""The forms by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.addons.exports import chat, score_tables
from drretail.addons.exports.selection import Selection
from drretail.errors import UserError, check_known
from drretail.files import made_whole


@dataclass(frozen=True, slots=True)
class ExportForm:
    """One form: the default name of what it writes, and its writer.

    ``write`` returns how many of what it wrote ("21 conversations"), and passes all rows through the selection's
    redaction. A ``name`` without a suffix is a folder's.
    """

    name: str
    write: Callable[[Selection, Path], str]


FORMS: Mapping[str, ExportForm] = {
    "chat": ExportForm("chat.jsonl", chat.write),
    "csv": ExportForm("scores-csv", score_tables.write_csv),
    "statements": ExportForm("statements.csv", score_tables.write_statements),
}


def load_form(name: str) -> ExportForm:
    """The form of that name. Raises UnknownName."""
    check_known("export", FORMS, name)
    return FORMS[name]


def export_selection(selection: Selection, name: str, to: Path, *, force: bool = False) -> str:
    """Writes the selection in a form and says what was written.

    Raises UserError if ``to`` exists already, unless ``force``; if it is named as a file and the form is a folder; and
    if no run is left to write.
    """
    form = load_form(name)
    if not Path(form.name).suffix and to.suffix[1:].isalpha() and not to.is_dir():
        raise UserError(f"{name} is several files: name a folder with --to, such as {to.with_suffix('')}.")
    if (to.is_file() or to.is_dir()) and not force:
        raise UserError(f"{to} is there already: name another file with --to, or replace it with --force.")
    if to.is_dir():  # it may hold other files, which stay
        return form.write(selection, to)
    with made_whole(to, is_replaced=True) as target:
        return form.write(selection, target)
