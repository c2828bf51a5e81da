"""``drretail lab plant``: known errors in good reports, and who finds them."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.lab.made_reports import Bench, MadeReports
from drretail.cli.options import flags
from drretail.cli.options.groups import grouped


@grouped
def plant(
    experiment: flags.Experiment,
    by_whom: flags.Judges,
    made: MadeReports,
    cap: flags.JudgingCap,
    output: flags.Output,
    per_kind: Annotated[
        int, typer.Option("--per-kind", min=1, metavar="N", help="Copies with an error of each kind, at most.")
    ] = 10,
    given: Annotated[
        Path | None, typer.Option("--given", metavar="DIR", help="Copies that somebody else made, instead.")
    ] = None,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="LABEL", help="The system whose reports are copied.", show_default="all"),
    ] = None,
    world: flags.MovedWorld = None,
) -> None:
    """Makes copies of good reports with one error each, and counts by kind which of them checks and judges find.

    The copies are an experiment of their own, EXP/lab/planted; judging them costs as much as any reports. The exit code
    is 3 when a judge gave no usable answer somewhere, or the cap was reached.
    """
    from drretail.api.judges import world_of
    from drretail.cli.options.systems import exit_code
    from drretail.eval.lab.kept_findings import keep, verdict_folders
    from drretail.eval.lab.opinions import judge_name
    from drretail.eval.lab.plant.copies import make_copies, planted_folder
    from drretail.eval.lab.plant.recall import CHECKS, FAITHFULNESS, recall_of
    from drretail.progress import choose_progress
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_trials import print_planted

    bench = Bench.of([CHECKS, FAITHFULNESS], by_whom, estimate=made.estimate, quiet=output.quiet)
    folder = planted_folder(experiment)
    with world_of(experiment, world, quiet=output.quiet) as shop:
        store = None if shop is None else shop.store
        with choose_progress("none" if output.quiet else None).track("planting errors") as bar:
            errors = make_copies(experiment, store, seed=made.seed, per_kind=per_kind, of=of, given=given, bar=bar)
        if made.estimate:
            bench.print_estimate(folder, as_json=output.as_json)
            return
        allowance = bench.allowance([folder], cap)
        left = bench.score(folder, store, allowance, retry_failed=made.retry_failed, quiet=output.quiet)
    found = recall_of(folder, errors, [judge_name(judge.ref, "default") for judge in bench.judges])
    document = keep(experiment, "plant", found, verdict_folders(experiment, within=folder.relative_to(experiment)))
    if output.as_json:
        print_json(document)
    else:
        print_planted(found)
        if not output.quiet:
            say(f"The copies are an experiment of their own: {folder}; what was planted where: planted.json in it.")
    exit_code(left + sum(it.failed + it.unasked for it in found.everything.found.values()))
