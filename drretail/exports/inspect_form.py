"""Logs of inspect_ai as a form of ``export``; inspect_ai itself is needed only where one is written."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from drretail.errors import UserError
from drretail.exports.formats import Form, nothing_left
from drretail.exports.selection import Selection


def write(selection: Selection, to: Path) -> str:
    """A log for each system; runs without a report are samples with an error, so that none looks better than it was."""
    if find_spec("inspect_ai") is None:
        raise UserError("Logs of inspect_ai need it: pip install 'drretail[inspect]'.")
    everything = replace(selection, failed=True)
    runs = {chosen.run.run_id for chosen in everything}
    selection.left_out.update(everything.left_out)
    if not runs:
        raise nothing_left(everything)
    logs = import_module("drretail.exports.inspect_log").inspect_logs(selection.experiment, to, runs)
    return f"{len(logs):,} log{'' if len(logs) == 1 else 's'} of {len(runs):,} runs"


FORM = Form("inspect", write)
