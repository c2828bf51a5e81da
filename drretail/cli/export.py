"""``drretail export``: an experiment in the forms that other programs read."""

import typer

from drretail.api.options.export import ExportOptions
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped


@grouped
def export(options: ExportOptions, output: flags.Output) -> None:
    """Writes runs, reports and scores as chat JSONL for fine-tuning, as deep_research_bench takes reports, as CSV or
    Parquet, as a dataset folder, or as OpenTelemetry spans.

    A rule holds where every judge that scored the report says so. What was left out is counted.
    """
    from drretail.api.report import export_with
    from drretail.progress import busy
    from drretail.viewer.output import print_json, say

    with busy("exporting", quiet=output.quiet):
        made = export_with(options)
    if output.as_json:
        print_json({"path": str(made.path), "written": made.written, "left_out": dict(made.left_out)})
        return
    if made.left_out and not output.quiet:
        say(f"Left out: {', '.join(f'{count:,} runs {why}' for why, count in made.left_out.items())}.")
    typer.echo(f"{made.written} → {made.path}")
