"""The report of an experiment as one self-contained file."""

from pathlib import Path

from drretail.viewer.claims import SIGNS, WORDS
from drretail.viewer.commands import command_for, commands, queries_file
from drretail.viewer.experiment import ExperimentView, read_view
from drretail.viewer.page.frame import data_address, frame, plural, template, writable
from drretail.viewer.page.overview import overview
from drretail.viewer.page.repeated import Once
from drretail.viewer.page.run import MEANINGS, run_part
from drretail.viewer.page.sheets import agreement_sheet, pair_parts, score_parts

_OPEN_RUNS = 3
"""So many runs are open at first; of more only the first is, so that a large page stays an overview."""


def render_page(experiment: Path) -> str:
    """The page of an experiment folder; the same folder always gives the same page.

    Raises UserError where there is no experiment.
    """
    return page_of(read_view(experiment))


def page_of(view: ExperimentView) -> str:
    """The page of a view that was read already."""
    runs = [run_part(run, is_open=run.number == 1 or len(view.runs) <= _OPEN_RUNS) for run in view.runs]
    text = template("page.html.jinja").render(
        **overview(view),
        **frame(),
        view=view,
        runs=runs,
        not_done=sum(run.state != "done" for run in view.runs),
        score_parts=score_parts(view.scores or (), view.slices, view.metrics),
        pair_parts=pair_parts(view.pairs, view.ranks),
        agreement=agreement_sheet(view.agreements, view.metrics),
        stale=sum(run.stale for run in view.runs),
        claims_command=command_for(view, "faithfulness"),
        checks_command=command_for(view, "checks"),
        commands=commands(view),
        queries_link=data_address("application/jsonl", queries_file(view)),
        words=WORDS,
        signs=SIGNS,
        meanings=MEANINGS,
        plural=plural,
        once=Once(),
    )
    return writable(text)
