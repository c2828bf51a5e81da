"""``drretail sandbox queries``: queries for tasks that were built without one."""

import typer

from drretail.api.options.sandboxes import QueriesOptions
from drretail.cli.options import flags
from drretail.cli.options.command import formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def queries(options: QueriesOptions, output: flags.Progress) -> None:
    """Writes the query of each task backwards from its pages and files, with gold, checklist and rubric.

    Tasks with gold stay as they are. Every call stands in the folder's journal; exit code 3 when queries failed.
    """
    from drretail.api.sandboxes import queries_with
    from drretail.cli.queries.by_model import say_wrong
    from drretail.cli.sandboxes.spent import end, spent_line

    made = queries_with(options, quiet=output.quiet)
    if made.spent is None:
        typer.echo(f"{options.folder}: every task has its query and gold.")
        return
    if not output.quiet:
        say_wrong(made.wrong)
    typer.echo(f"{options.folder}: {len(made.written)} queries written.")
    typer.echo(spent_line(made.spent, quiet=output.quiet))
    end(made.failed)
