"""How the report begins: what the scores say, before any run."""

from typing import Any

from drretail.viewer.commands import score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.tables.scoreboard import printed_board


def overview(view: ExperimentView) -> dict[str, Any]:
    """What overview.html.jinja shows of an experiment; it reads no run."""
    return {
        "board": None if view.scoreboard is None else printed_board(view.scoreboard),
        "outdated": view.outdated,
        "score_command": " && ".join(score_commands(view)),
    }
