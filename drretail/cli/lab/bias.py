"""``drretail lab bias``: known ways in which judges are biased, measured on this one."""

from drretail.api.options.lab import BiasOptions
from drretail.cli.options import flags
from drretail.cli.options.command import formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def bias(options: BiasOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Measures in which known ways a judge is biased: each effect with its 95 % interval over queries.

    The reports, with copies of half and twice their length, are an experiment of their own, EXP/lab/bias. The findings
    are kept in EXP/lab/bias.json. The exit code is 3 when a judge gave no usable answer somewhere, or the cap was
    reached.
    """
    from drretail.api.lab.made_reports import bias_with, estimate_bias
    from drretail.cli.lab.kept import print_estimate, print_kept
    from drretail.viewer.terminal.printed_bias import print_bias

    if planned.estimate:
        print_estimate(estimate_bias(options, quiet=output.quiet), output)
        return
    made = bias_with(options, quiet=output.quiet)
    print_kept(made, lambda: print_bias(made.finding), output)
