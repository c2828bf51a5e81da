"""``drretail lab failures``: what low ratings are about, by system."""

from drretail.cli.lab.made_reports import Bench, MadeReports
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped


@grouped
def failures(
    experiment: flags.Experiment,
    by_whom: flags.Judges,
    made: MadeReports,
    cap: flags.JudgingCap,
    output: flags.Output,
) -> None:
    """Sorts the rationales of ratings below 4 by six failure modes (paper Appendix G), and counts them by system.

    The judge that gave a rating sorts its own rationale, one question each. All of them stand in EXP/lab/failures.csv:
    what a person writes into its last column counts instead, from the next call on. The exit code is 3 when a judge
    gave no usable answer somewhere, or the cap was reached.
    """
    from drretail.cli.options.systems import exit_code
    from drretail.errors import UserError
    from drretail.eval.failure_modes import METRIC
    from drretail.eval.lab.failing import NAME, failures_of, low_ratings, sheet_path, with_people, write_sheet
    from drretail.eval.lab.kept_findings import keep, verdict_folders
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_failures import print_failures

    left = 0
    if by_whom.judge:
        bench = Bench.of([METRIC.name], by_whom, estimate=made.estimate, quiet=output.quiet)
        if made.estimate:
            bench.print_estimate(experiment, as_json=output.as_json)
            return
        allowance = bench.allowance([experiment], cap)
        left = bench.score(experiment, None, allowance, retry_failed=made.retry_failed, quiet=output.quiet)
    ratings, reports = low_ratings(experiment)
    if not reports:
        raise UserError(
            "No judge has sorted its ratings here, and rule-based judges give none: drretail score "
            f"{experiment} --metrics quality,failure_modes --judge PROVIDER:MODEL makes both."
        )
    sheet = sheet_path(experiment)
    ratings = with_people(sheet, ratings)
    write_sheet(sheet, ratings)
    found = failures_of(ratings, reports)
    document = keep(experiment, NAME, found, verdict_folders(experiment, METRIC.name))
    if output.as_json:
        print_json(document)
    else:
        print_failures(found, ratings)
        if not output.quiet:
            say(f"Every rationale: {sheet}; fill in its last column, person, where you read it otherwise.")
    exit_code(left)
