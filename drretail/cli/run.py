"""``drretail run``: agents over queries; ``ask``: one question; ``reproduce``: the paper's experiment."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from drretail.api.option import keywords
from drretail.api.options.run import AskOptions, ReproduceOptions, RunOptions
from drretail.api.options.shared import texts_in
from drretail.cli.entry import DEBUG
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.options.parameters import FromFile
from drretail.cli.spending import print_spending, show_estimates, spending_document
from drretail.errors import UserError
from drretail.viewer.output import print_json, print_rows, say

if TYPE_CHECKING:
    from drretail.api.recorded import RecordedExperiment
    from drretail.llm.prices import PriceTable

MOST_FAILURES_SHOWN = 10
NO_CAP = (
    "Name what this may cost: --max-dollars N (or --max-tokens N) caps all runs and judging "
    "together, and --estimate prints what the runs are likely to cost."
)
SPARE_COLUMNS = ["ended before", "tool calls"]  # left out in a narrow terminal, the first one first


def run(
    *,
    options: RunOptions,
    file: FromFile,
    planned: flags.Planned,
    output: flags.Output,
) -> None:
    """Runs agents over queries. Skips finished runs.

    Ctrl-C lets the current runs finish; a second Ctrl-C stops them. The same command continues later.
    """
    from drretail.api.run import estimate_run
    from drretail.api.run import run as run_agents
    from drretail.api.settings import read_settings
    from drretail.cli.run_progress import TerminalObserver
    from drretail.llm.prices import read_prices

    if options.to is None:
        raise UserError("Name the folder of the experiment: --to EXP.")
    given = keywords(replace(options, observer=TerminalObserver()))
    if planned.estimate:
        show_estimates(estimate_run(**given), as_json=output.as_json)
        return
    experiment = run_agents(**given)
    print_outcome(experiment, read_prices(read_settings().prices), as_json=output.as_json)
    if experiment.next_command is not None:
        say(f"Next: {experiment.next_command}")
    exit_code(not experiment.is_complete)


def print_outcome(experiment: "RecordedExperiment", prices: "PriceTable", *, as_json: bool) -> None:
    """Prints the outcome of the runs and what they took on stdout, and failures on stderr."""
    from drretail.agents.running.spending import spending_of
    from drretail.cli.run_progress import outcome_notes
    from drretail.records.run import BASELINES

    to, tallies = experiment.folder, experiment.tallies
    systems = experiment.definition.systems
    spending = {tally.label for tally in tallies if systems[tally.label].agent not in BASELINES}
    spent = [row for row in spending_of(to, prices) if row.label in spending]
    if as_json:
        taken = [spending_document(row) for row in spent]
        # As null, tokens are unknown.
        systems_run = [asdict(tally) | {"tokens": tally.tokens or None} for tally in tallies]
        print_json({"experiment": str(to), "systems": systems_run, "spending": taken})
    else:
        columns = {
            "done": [tally.done for tally in tallies],
            "failed": [tally.failed for tally in tallies],
            "spoiled": [tally.spoiled for tally in tallies],
            "ended before": [tally.before if tally.label in spending else None for tally in tallies],
            "tool calls": [tally.tool_calls for tally in tallies],
            "tokens": [tally.tokens or None for tally in tallies],
        }
        shown = {name: counts for name, counts in columns.items() if name == "done" or any(counts)}
        rows = zip([tally.label for tally in tallies], *shown.values(), strict=True)
        print_rows(f"Runs in {to}", ["", *shown], rows, spare=SPARE_COLUMNS)
        if spent:  # floors and the oracle cost nothing
            print_spending(spent, prices)
    for failure in [failure for tally in tallies for failure in tally.failures][:MOST_FAILURES_SHOWN]:
        say(f"failed: {failure}")
    if DEBUG in sys.argv:
        # The tracebacks of runs whose agents raised an exception
        from drretail.experiment import read_runs

        errors = [(run.run_id, run.error) for run in read_runs(to) if run.error is not None]
        for run_id, error in [entry for entry in errors if entry[1].traceback][:MOST_FAILURES_SHOWN]:
            say(f"{run_id}:\n{error.traceback}")
    for sentence in outcome_notes(tallies):
        say(sentence)
    if experiment.closing is not None:
        say(experiment.closing)


def ask(options: AskOptions, output: flags.Output) -> None:
    """Answers one question with a cited report.

    The report goes to stdout, progress to stderr.
    """
    from drretail.api.run import ask as ask_question
    from drretail.cli.narration import print_report, report_document
    from drretail.cli.run_progress import TerminalObserver

    recorded = ask_question(**keywords(replace(options, observer=TerminalObserver())))
    if output.as_json:
        print_json(report_document(recorded))
    else:
        print_report(recorded, None if options.to is None else Path(options.to))
    exit_code(recorded.run.status == "failed")


def reproduce(options: ReproduceOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Repeats the paper's experiment with your models: runs, judges and verifies.

    Writes EXP/results.md: the paper's numbers beside yours. After an interruption the same command continues. Exit code
    3: something failed, or a --max option was reached.
    """
    from drretail.api.reproduce import estimate_reproduction
    from drretail.api.reproduce import reproduce as reproduce_paper
    from drretail.cli.run_progress import TerminalObserver

    if options.to is None:
        raise UserError("Name the folder of the experiment: --to EXP.")
    given = keywords(replace(options, observer=TerminalObserver()))
    if planned.estimate:
        show_estimates(estimate_reproduction(**given), as_json=output.as_json)
        return
    models = texts_in(options.model) if isinstance(options.model, Sequence) else []
    is_free = all(spec.rpartition("=")[2].startswith("offline:") for spec in models)
    if not is_free and options.max_dollars is None and options.max_tokens is None:
        raise UserError(NO_CAP)
    made = reproduce_paper(**given)
    if output.as_json:
        systems = [asdict(tally) for tally in made.experiment.tallies]
        print_json({"page": str(made.page), "systems": systems, "verified": made.verification.passes})
    else:
        typer.echo(made.page.read_text(encoding="utf-8"))
        say(f"Kept in {made.page}. The reports: drretail report {options.to}")
    if made.closing is not None:
        say(made.closing)
    exit_code(not made.is_complete)
