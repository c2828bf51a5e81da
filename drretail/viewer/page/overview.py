"""How the report begins: what the scores say, before any run."""

from collections.abc import Sequence

from markupsafe import Markup

from drretail.viewer.commands import score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import RunLine
from drretail.viewer.tables.scoreboard import printed_board


def render_overview(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """The opening of a report; ``lines`` tell of all its runs, by number."""
    html = template("overview.html.jinja").render(
        board=None if view.scoreboard is None else printed_board(view.scoreboard),
        outdated=view.outdated,
        score_command=" && ".join(score_commands(view)),
        has_scores=view.scores is not None,
        lines=lines,
        links=links,
    )
    return Markup(html)  # noqa: S704 — escaped by its template
