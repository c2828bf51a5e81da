"""The forms by name: built-in ones, plugins (entry points of drretail.exports), and ``module:attribute``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from drretail.errors import UserError
from drretail.exports import chat, dataset, drb, sandbox_pages, score_tables
from drretail.exports.selection import Selection
from drretail.plugins import Plugins
from drretail.tables.figures import counted


@dataclass(frozen=True, slots=True)
class Form:
    """One form: what it is called when nobody names a file, and what writes it.

    ``write`` gives how many of what it wrote ("21 conversations"); a ``name`` without a suffix is a folder's. One that
    ``redacts`` passes all rows through the selection's redaction.
    """

    name: str
    write: Callable[[Selection, Path], str]
    redacts: bool = False


def write_inspect_logs(selection: Selection, to: Path) -> str:
    """A log for each system; runs without a report are samples with an error, so that none looks better than it was."""
    if find_spec("inspect_ai") is None:
        raise UserError("Logs of inspect_ai need its package: pip install 'drretail[inspect]'.")
    everything = replace(selection, failed=True)
    runs = {chosen.run.run_id for chosen in everything}
    selection.left_out.update(everything.left_out)
    if not runs:
        raise everything.nothing_left()
    # inspect_ai is heavy, and an extra of the package.
    logs = import_module("drretail.exports.inspect_log").inspect_logs(selection.experiment, to, runs)
    return f"{counted(len(logs), 'log')} of {counted(len(runs), 'run')}"


FORMS: Mapping[str, Form] = {
    "chat": Form("chat.jsonl", chat.write, redacts=True),
    "drb": Form("drb", drb.write),
    "csv": Form("scores-csv", score_tables.write_csv, redacts=True),
    "parquet": Form("scores-parquet", score_tables.write_parquet, redacts=True),
    "dataset": Form("dataset", dataset.write, redacts=True),
    "sandbox": Form("pages.jsonl", sandbox_pages.write),
    "inspect": Form("inspect", write_inspect_logs),
}
PLUGINS = Plugins("export", dict.fromkeys(FORMS, f"{__name__}:FORMS"), "drretail.exports")


def load_form(name: str) -> Form:
    """The form of that name. Raises UnknownName, or UserError for a place that holds no Form."""
    if name in FORMS:
        return FORMS[name]
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
        raise UserError(f"{name} cannot be redacted: take chat, csv, parquet or dataset, or leave --redact out.")
    if (to.is_file() or to.is_dir()) and not force:
        raise UserError(f"{to} is there already: name another file with -o, or replace it with --force.")
    return form.write(selection, to)
