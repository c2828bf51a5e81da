"""``drretail sandbox check``: what is wrong with a sandbox, and whether a model finds its tasks fit."""

from collections.abc import Sequence

import typer

from drretail.api.options.sandboxes import CheckOptions
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code, formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def check(options: CheckOptions, output: flags.Progress) -> None:
    """Says what is wrong with a sandbox; ends with 3 when something is.

    Sizes, labels and gold always; with --model whether each query guides without telling, takes several sources,
    asks for what is to be found out, and can be read in one way.
    """
    from drretail.api.sandboxes import check_with
    from drretail.cli.sandboxes.spent import spent_line

    found = check_with(options, quiet=output.quiet)
    if found.spent is not None:
        typer.echo(spent_line(found.spent, quiet=output.quiet))
    for query_id, faults in found.faults.items():
        for fault in faults:
            typer.echo(f"{query_id}: {fault}")
    typer.echo(_rate([not faults for faults in found.faults.values()]))
    if found.kept is not None:
        typer.echo(f"{found.kept}: {len(found.passing)} tasks.")
    exit_code(len(found.faults) - len(found.passing))


def _rate(passes: Sequence[bool]) -> str:
    """How many pass, with the interval of the share."""
    from drretail.stats.intervals import share_interval
    from drretail.tables.figures import percent

    share = share_interval([float(it) for it in passes])
    told = f"{sum(passes)} of {len(passes)} queries pass"
    if share.value is None or share.low is None or share.high is None:
        return f"{told}."
    return f"{told}: {percent(share.value)}, 95 % interval {percent(share.low)} to {percent(share.high)}."
