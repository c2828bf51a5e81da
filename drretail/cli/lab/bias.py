"""``drretail lab bias``: known ways in which judges are biased, measured on this one."""

from dataclasses import replace
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
    from drretail.eval.lab.bias.probe import Case, asked_folder
    from drretail.eval.lab.bias.probed_reports import bias_folder, choose_reports, make_copies
    from drretail.eval.lab.bias.probing import families_of, named_probes
    from drretail.eval.pairwise.pairs import pair_name
    from drretail.viewer.output import say

    wanted = named_probes(probes)
    reports, folder = choose_reports(experiment, limit=limit, seed=made.seed), bias_folder(experiment)
    pairs = [pair_name(it) for it in reports.pairs]
    bench = Bench.of(["quality"], by_whom, estimate=made.estimate, quiet=output.quiet)
    bench = replace(bench, names=families_of(wanted, with_pairs=bool(pairs)))
    make_copies(experiment, reports, with_lengths=any(it.with_lengths for it in wanted))
    today = datetime.now(UTC).date().isoformat()
    cases = [Case(experiment, folder, it, reports, made.seed, today, pin, made.estimate) for it in bench.judges]
    floors = any(it.with_floors for it in wanted)
    if made.estimate:
        more = _estimates(cases, wanted)
        bench.print_estimate(folder, as_json=output.as_json, pairs=pairs, rate_floors=floors, more=more)
        return
    allowance = bench.allowance([folder, asked_folder(folder)], cap)
    retry, quiet = made.retry_failed, output.quiet
    left = 0
    if bench.names:
        left = bench.score(folder, None, allowance, retry_failed=retry, quiet=quiet, pairs=pairs, rate_floors=floors)
    left += _asked(cases, wanted, allowance, retry_failed=retry, quiet=quiet)
    left += _show(experiment, cases, wanted, as_json=output.as_json)
    if not quiet and not output.as_json:
        say(f"The reports and their copies are an experiment of their own: drretail view {folder}.")
    exit_code(left)


def _show(experiment: Path, cases: "Sequence[Case]", probes: "Sequence[Probe]", *, as_json: bool) -> int:
    """Keeps and prints what was found; gives how many judgements have no answer of use."""
    from drretail.eval.lab.bias.probe import asked_folder
    from drretail.eval.lab.bias.probing import bias_found, probe_found
    from drretail.eval.lab.kept_findings import VOTES, keep, verdict_folders
    from drretail.viewer.output import print_json
    from drretail.viewer.terminal.printed_bias import print_bias

    rows = [probe_found(case, probe) for case in cases for probe in probes]
    found = bias_found(cases[0].reports, rows, experiment / "lab" / "bias.json")
    within = cases[0].folder.relative_to(experiment)
    own = [it for place in (within, asked_folder(within)) for it in verdict_folders(experiment, within=place)]
    document = keep(experiment, "bias", found, [VOTES, *verdict_folders(experiment, "quality"), *own])
    if as_json:
        print_json(document)
    else:
        print_bias(found)
    return sum(row.failed + row.unasked for row in rows)


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
