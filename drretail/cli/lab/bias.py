"""``drretail lab bias``: known ways in which judges are biased, measured on this one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.lab.made_reports import Bench, MadeReports
from drretail.cli.options import flags
from drretail.cli.options.groups import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from drretail.eval.judging.spending import Allowance
    from drretail.eval.lab.bias.probe import Case, Probe
    from drretail.llm.estimates import Estimate


@grouped
def bias(
    experiment: flags.Experiment,
    by_whom: flags.Judges,
    made: MadeReports,
    cap: flags.JudgingCap,
    output: flags.Output,
    probes: Annotated[
        str | None,
        typer.Option(
            "--probes",
            metavar="A,B",
            help="Of position, length, own_family, justification, drift, scale_use, joint.",
            show_default="all",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, metavar="N", help="Reports, by lot in whole queries; 0: all.")
    ] = 40,
    pin: Annotated[
        Path | None, typer.Option("--pin", metavar="FILE", help="Where drift's set is frozen at its first use.")
    ] = None,
) -> None:
    """Measures in which known ways a judge is biased: each effect with its 95 % interval over queries.

    The reports, with copies of half and twice their length, are an experiment of their own, EXP/lab/bias. The findings
    are kept in EXP/lab/bias.json. The exit code is 3 when a judge gave no usable answer somewhere, or the cap was
    reached.
    """
    from datetime import UTC, datetime

    from drretail.cli.options.systems import exit_code
    from drretail.eval.lab.bias.copies import bias_folder, choose_reports, make_copies
    from drretail.eval.lab.bias.probe import Case, asked_folder
    from drretail.eval.lab.bias.probing import bias_found, families_of, named_probes, pairs_of, probe_found
    from drretail.eval.lab.kept_findings import VOTES, keep, verdict_folders
    from drretail.eval.registry import PAIRWISE
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_bias import print_bias

    wanted = named_probes(probes)
    reports, folder = choose_reports(experiment, limit=limit, seed=made.seed), bias_folder(experiment)
    pairs = pairs_of(reports)
    families = [it for it in families_of(wanted) if pairs or it != PAIRWISE]
    bench = Bench.of(families, by_whom, estimate=made.estimate, quiet=output.quiet)
    make_copies(experiment, reports, with_lengths=any(it.with_lengths for it in wanted))
    today = datetime.now(UTC).date().isoformat()
    cases = [
        Case(experiment, folder, it, reports, made.seed, today, pin, only_estimated=made.estimate)
        for it in bench.judges
    ]
    with_floors = any(it.with_floors for it in wanted)
    if made.estimate:
        more = _estimates(cases, wanted)
        bench.print_estimate(folder, as_json=output.as_json, pairs=pairs, rate_floors=with_floors, more=more)
        return
    allowance = bench.allowance([folder, asked_folder(folder)], cap)
    left = 0
    if families:
        left = bench.score(
            folder,
            None,
            allowance,
            retry_failed=made.retry_failed,
            quiet=output.quiet,
            pairs=pairs,
            rate_floors=with_floors,
        )
    left += _asked(cases, wanted, allowance, retry_failed=made.retry_failed, quiet=output.quiet)
    rows = [probe_found(case, probe) for case in cases for probe in wanted]
    found = bias_found(reports, rows, experiment / "lab" / "bias.json")
    within = folder.relative_to(experiment)
    asked = verdict_folders(experiment, within=asked_folder(within))
    rests_on = [VOTES, *verdict_folders(experiment, "quality"), *verdict_folders(experiment, within=within), *asked]
    document = keep(experiment, "bias", found, rests_on)
    if output.as_json:
        print_json(document)
    else:
        print_bias(found)
        if not output.quiet:
            say(f"The reports and their copies are an experiment of their own: drretail view {folder}.")
    exit_code(left)


def _estimates(cases: "Sequence[Case]", probes: "Sequence[Probe]") -> "list[Estimate]":
    from drretail.eval.lab.bias.probing import estimate_probe

    found = (estimate_probe(case, probe) for case in cases for probe in probes)
    return [it for it in found if it is not None]


def _asked(
    cases: "Sequence[Case]",
    probes: "Sequence[Probe]",
    allowance: "Allowance | None",
    *,
    retry_failed: bool,
    quiet: bool,
) -> int:
    """Asks the probes' own questions; gives how many answers are missing or of no use."""
    from drretail.eval.judging.spending import Allowance
    from drretail.eval.lab.bias.probe import ask
    from drretail.eval.lab.bias.probing import has_opinions
    from drretail.event_loop import run_loop
    from drretail.experiment import locked
    from drretail.progress import choose_progress
    from drretail.viewer.output import say

    allowance = allowance or Allowance()
    told, failed = allowance.closing, 0
    asked = [(case, probe) for case in cases if has_opinions(case) for probe in probes]
    with choose_progress("none" if quiet else None).track("probing", len(asked)) as bar:
        for case, probe in asked:
            with locked(case.folder):
                again = "failed" if retry_failed else "nothing"
                failed += run_loop(ask(case, probe, again=again, allowance=allowance))
                probe.keep(case)
            bar.advance()
    if allowance.closing is not None and told is None:
        say(allowance.closing)
        failed += 1
    if failed:
        say(f"Of the probes' own questions {failed:,} have no answer of use: --retry-failed asks again.")
    return failed
