"""``drretail lab failures``: what low ratings are about, by system."""

from drretail.api.options.lab import FailuresOptions
from drretail.cli.options import flags
from drretail.cli.options.command import formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def failures(options: FailuresOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Sorts the rationales of ratings below 4 by six failure modes (paper Appendix G), and counts them by system.

    The judge that gave a rating sorts its own rationale, one question each. All of them stand in EXP/lab/failures.csv:
    what a person writes into its last column counts instead, from the next call on. The exit code is 3 when a judge
    gave no usable answer somewhere, or the cap was reached.
    """
    from drretail.api.lab.made_reports import estimate_failures, failures_with
    from drretail.cli.lab.kept import print_estimate, print_kept
    from drretail.viewer.terminal.printed_failures import print_failures

    if planned.estimate:
        print_estimate(estimate_failures(options, quiet=output.quiet), output)
        return
    made, ratings = failures_with(options, quiet=output.quiet)
    print_kept(made, lambda: print_failures(made.finding, ratings), output)
