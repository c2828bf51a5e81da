"""``drretail lab plant``: known errors in good reports, and who finds them."""

from drretail.api.options.lab import PlantOptions
from drretail.cli.options import flags
from drretail.cli.options.command import formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def plant(options: PlantOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Makes copies of good reports with one error each, and counts by kind which of them checks and judges find.

    The copies are an experiment of their own, EXP/lab/planted; judging them costs as much as any reports. The exit code
    is 3 when a judge gave no usable answer somewhere, or the cap was reached.
    """
    from drretail.api.lab.made_reports import estimate_plant, plant_with
    from drretail.cli.lab.kept import print_estimate, print_kept
    from drretail.viewer.terminal.printed_trials import print_planted

    if planned.estimate:
        print_estimate(estimate_plant(options, quiet=output.quiet), output)
        return
    made = plant_with(options, quiet=output.quiet)
    print_kept(made, lambda: print_planted(made.finding), output)
