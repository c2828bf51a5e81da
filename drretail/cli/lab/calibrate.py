"""``drretail lab calibrate``: which version of a judge is nearest to people."""

from drretail.api.options.lab import CalibrateOptions
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped


@grouped
def calibrate(options: CalibrateOptions, output: flags.Output) -> None:
    """Compares versions of a judge with people, and freezes the nearest.

    Versions are what one model rated when it was told different prompts (score EXP --prompts DIR, once for each DIR).
    Half of the queries, by seed, choose; the figure to report is that of the other half. The choice is kept in
    EXP/lab/calibrate.json with the hash of its prompts. Nothing is asked of any model.
    """
    from drretail.api.lab.people import calibrate_with
    from drretail.cli.lab.kept import print_kept
    from drretail.progress import busy
    from drretail.viewer.terminal.printed_calibration import print_calibration

    with busy("comparing versions", quiet=output.quiet):
        made, was_chosen = calibrate_with(options)
    print_kept(made, lambda: print_calibration(made.finding, was_chosen=was_chosen), output)
