"""``drretail lab``: is the judge any good?"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from drretail.api.options.lab import (
    AgreeOptions,
    BiasOptions,
    CalibrateOptions,
    CardOptions,
    CorrectOptions,
    ExploitsOptions,
    PlantOptions,
    SampleOptions,
)
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.options.parameters import grouped
from drretail.cli.spending import show_estimates
from drretail.progress import busy
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, say

if TYPE_CHECKING:
    from drretail.api.lab.judging import LabEstimate, LabResult

lab_app = typer.Typer(no_args_is_help=True, help="Is the judge any good?")
F = TypeVar("F")


@lab_app.command("card")
@grouped
def card(options: CardOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Asks a judge about claims that people labelled, as score asks it, and says how often it is right.

    Files: AttributionBench, WiCE or LLM-AggreFact as JSON lines (also gzipped), or a CSV with the columns claim,
    source (source_2 …), label, and if there is one question. The card is kept in EXP/lab/cards and stands beside the
    judge's scores from the next drretail score on. The exit code is 3 where a judge gave no usable answer.
    """
    from drretail.api.lab import questions as api
    from drretail.viewer.terminal.printed_lab import print_card

    if planned.estimate:
        _print_estimate(api.estimate_card(options, quiet=output.quiet), output)
    else:
        made = api.card_with(options, quiet=output.quiet)
        _print_result(made, lambda rows: [print_card(row) for row in rows], output)


@lab_app.command("sample")
@grouped
def sample(options: SampleOptions) -> None:
    """Draws claims to be labelled: by seed, as many of each system, and of each verdict in proportion with a floor.

    They are put into the plan of ``view``, whose pairs and reports stay as they are, and into a sheet to fill in by
    hand (EXP/lab/sample.csv), which doesn't say what the judge ruled, nor whose the claim is. What was drawn once
    stays: a larger N, and another seed, add to it. With --uncited sheet and view ask of each claim, too, whether it is
    one and names a source: yes, no, or no claim.
    """
    from drretail.api.lab import sample as draw
    from drretail.api.option import keywords

    drawn, experiment = draw(**keywords(options)), options.experiment
    say(
        f"{counted(drawn.claims, 'claim')} in {drawn.path}: label full, partial, none or contradicted; blank: no label."
    )
    if options.uncited:
        say(f"And {drawn.uncited:,} without a verdict. Of all, the column cited: yes, no or no claim.")
    by_system = ", ".join(f"{system} {count:,}" for system, count in drawn.by_system.items())
    say(f"By system: {by_system}. lab correct needs {counted(drawn.needed, 'label')} of each.")
    if drawn.claims < options.n:
        say(f"There are no more than {drawn.claims:,} claims with a verdict.")
    say(f"In the browser: drretail view {experiment} --plan {options.n}. Then: drretail lab correct {experiment}; of")
    say(f"the sheet once it is filled in: drretail lab correct {experiment} --labels {drawn.path}.")


@lab_app.command("correct")
@grouped
def correct(options: CorrectOptions, output: flags.Output) -> None:
    """FP, FR and win rates as people would give them, from their labels and all verdicts, with 95 % intervals.

    A system needs 20 labels, two systems 20 votes on their pairs; below that it says how many are missing. FR is there
    where people said what is cited (lab sample --uncited). Labels are those of ``view`` and of --labels. Nothing is
    asked of any model. The result is kept in EXP/lab/correct.json.
    """
    from drretail.api.lab.people import correct_with
    from drretail.viewer.terminal.printed_lab import print_correction

    _print_result(correct_with(options), print_correction, output)


@lab_app.command("agree")
@grouped
def agree(options: AgreeOptions, output: flags.Output) -> None:
    """Says how far raters agree: people's answers in ``view`` or in CSV, and judges' verdicts on the same.

    A file has the columns item, rater, value, and may have dimension, query and system; or an item per row, with
    --raters. Nothing is asked of any model. The rows are kept in EXP/lab/agree.json.
    """
    from drretail.api.lab.people import agree_with
    from drretail.viewer.terminal.printed_lab import print_agreement

    with busy("comparing raters", quiet=output.quiet):
        made = agree_with(options)
    _print_result(made, print_agreement, output)


@lab_app.command("calibrate")
@grouped
def calibrate(options: CalibrateOptions, output: flags.Output) -> None:
    """Compares versions of a judge with people, and freezes the nearest.

    Versions are what one model rated when it was told different prompts (score EXP --prompts DIR, once for each DIR).
    Half of the queries, by seed, choose; the figure to report is that of the other half. The choice is kept in
    EXP/lab/calibrate.json with the hash of its prompts. Nothing is asked of any model.
    """
    from drretail.api.lab.people import calibrate_with
    from drretail.viewer.terminal.printed_lab import print_calibration

    with busy("comparing versions", quiet=output.quiet):
        made, was_chosen = calibrate_with(options)
    _print_result(made, lambda finding: print_calibration(finding, was_chosen=was_chosen), output)


@lab_app.command("plant")
@grouped
def plant(options: PlantOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Makes copies of good reports with one error each, and counts by kind which of them checks and judges find.

    The copies are an experiment of their own, EXP/lab/planted; judging them costs as much as any reports. The exit code
    is 3 when a judge gave no usable answer somewhere, or the cap was reached.
    """
    from drretail.api.lab import derived_reports as api
    from drretail.viewer.terminal.printed_lab import print_planted

    if planned.estimate:
        _print_estimate(api.estimate_plant(options, quiet=output.quiet), output)
    else:
        _print_result(api.plant_with(options, quiet=output.quiet), print_planted, output)


@lab_app.command("exploits")
@grouped
def exploits(options: ExploitsOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Makes reports that deserve nothing of each honest one, scores both, and concludes which of them are caught.

    They are an experiment of their own, EXP/lab/exploits. An exploit is caught where, over all queries, it is below the
    honest reports in a primary headline and above them in none. The exit code is 3 when a judge gave no
    usable answer somewhere, or the cap was reached.
    """
    from drretail.api.lab import derived_reports as api
    from drretail.viewer.terminal.printed_lab import print_exploits

    if planned.estimate:
        _print_estimate(api.estimate_exploits(options, quiet=output.quiet), output)
    else:
        _print_result(api.exploits_with(options, quiet=output.quiet), print_exploits, output)


@lab_app.command("bias")
@grouped
def bias(options: BiasOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Measures in which known ways a judge is biased: each effect with its 95 % interval over queries.

    The reports, with copies of half and twice their length, are an experiment of their own, EXP/lab/bias. The findings
    are kept in EXP/lab/bias.json. The exit code is 3 when a judge gave no usable answer somewhere, or the cap was
    reached.
    """
    from drretail.api.lab import derived_reports as api
    from drretail.viewer.terminal.printed_lab import print_bias

    if planned.estimate:
        _print_estimate(api.estimate_bias(options, quiet=output.quiet), output)
    else:
        _print_result(api.bias_with(options, quiet=output.quiet), print_bias, output)


def _print_result(made: "LabResult[F]", print_finding: Callable[[F], Any], output: flags.Output) -> None:
    """The finding as a table or as JSON, what may be done next, and what is left; ends with 3 where answers lack."""

    if output.as_json:
        print_json(made.document)
    else:
        print_finding(made.finding)
    if made.hint and not output.quiet and not output.as_json:
        say(made.hint)
    for sentence in made.notes:
        say(sentence)
    exit_code(made.left)


def _print_estimate(found: "LabEstimate", output: flags.Output) -> None:
    show_estimates(found.title, found.columns, found.estimates, found.prices, as_json=output.as_json)
