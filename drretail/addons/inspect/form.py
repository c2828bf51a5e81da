"""The form ``inspect`` of ``export``: a log of inspect_ai for each system."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from drretail.addons.exports.formats import ExportForm
from drretail.addons.exports.selection import Selection
from drretail.errors import UserError, install_line
from drretail.records.tables.figures import counted


def write_inspect_logs(selection: Selection, to: Path) -> str:
    """Writes a log for each system; a run without a report is a sample with an error, or a system would look better."""
    if find_spec("inspect_ai") is None:
        raise UserError(f"Logs of inspect_ai need its package: {install_line('inspect')}.")
    everything = replace(selection, failed=True)
    runs = {chosen.run.run_id for chosen in everything}
    selection.left_out.update(everything.left_out)
    if not runs:
        raise everything.nothing_left()
    # inspect_ai is heavy, and an extra of the package.
    logs = import_module("drretail.addons.inspect.logs").inspect_logs(selection.experiment, to, runs)
    return f"{counted(len(logs), 'log')} of {counted(len(runs), 'run')}"


FORM = ExportForm("inspect", write_inspect_logs)
