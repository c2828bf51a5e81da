"""``drretail export``: an experiment in the forms that other programs read."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags


def export(
    experiment: flags.Experiment,
    form: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORM",
            help="chat, drb, csv, parquet, dataset, otel, sandbox, inspect, a plugin's, or module:attribute.",
        ),
    ],
    to: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="Default: named by its form, in EXP/exports/.")
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="LABEL", help="Only this system's runs; may be given again."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", metavar="RULE", help="Only runs that keep it: 'FP >= 0.8', 'overall > 6'; may be given again."
        ),
    ] = None,
    floors: Annotated[bool, typer.Option("--floors", help="Null agents and the oracle, too.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Runs without a report, too.")] = False,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Pseudonyms for users, no names nor addresses: chat, csv, parquet, dataset."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace what stands there.")] = False,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Writes runs, reports and scores as chat JSONL for fine-tuning, as deep_research_bench takes reports, as CSV or
    Parquet, as a dataset folder, or as OpenTelemetry spans.

    A rule holds where every judge that scored the report says so. What was left out is counted.
    """
    from drretail.exports.formats import export as write
    from drretail.exports.formats import load_form
    from drretail.exports.selection import Selection, read_rule
    from drretail.progress import busy
    from drretail.viewer.output import print_json, say

    path = to or experiment / "exports" / load_form(form).name
    rules = [read_rule(text) for text in where or ()]
    with busy("exporting", quiet=quiet):
        selection = Selection.of(experiment, system or (), rules, floors=floors, failed=failed, redact=redact)
        written = write(selection, form, path, force=force)
    left = {why: count for why, count in sorted(selection.left_out.items()) if count}
    if as_json:
        print_json({"path": str(path), "written": written, "left_out": left})
        return
    if left and not quiet:
        say(f"Left out: {', '.join(f'{count:,} runs {why}' for why, count in left.items())}.")
    typer.echo(f"{written} → {path}")
