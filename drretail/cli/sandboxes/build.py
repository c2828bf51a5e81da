"""``drretail sandbox build``."""

import typer

from drretail.api.options.sandboxes import BuildOptions
from drretail.cli.options import flags
from drretail.cli.options.command import formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def build(options: BuildOptions, planned: flags.Planned, output: flags.Progress) -> None:
    """Makes a web for each query: pages that answer it, pages that mislead, and noise.

    With a search engine a --model chooses what to search for and judges pages. Every call, search and page stands in
    TO/building/journal.jsonl, so that a build that was cut goes on where it stopped; exit code 3 when tasks failed.
    """
    from drretail.api.sandboxes import build_with, estimate_build
    from drretail.cli.sandboxes.spent import end, spent_line
    from drretail.cli.spending import show_estimates
    from drretail.viewer.output import say

    if planned.estimate:
        one, prices = estimate_build(options, quiet=output.quiet)
        show_estimates(f"Tasks to build in {options.to}", ["model", "tasks"], [one], prices, as_json=False)
        return
    made = build_with(options, note=say, quiet=output.quiet)
    if made.spent is None:
        queries = "1 query" if made.wanted == 1 else f"{made.wanted} queries"
        typer.echo(f"{made.folder}: {queries}, in {', '.join(made.sizes)}.")
        return
    for query_id, report in made.reports.items():
        typer.echo(f"{query_id}: {report.line}.")
    for sentence in made.notes:
        typer.echo(sentence)
    typer.echo(f"{made.folder}: {made.tasks} of {made.wanted} tasks.")
    typer.echo(spent_line(made.spent, quiet=output.quiet))
    end(made.failed)
