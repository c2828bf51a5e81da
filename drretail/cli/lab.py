"""``drretail lab``: how reliable a judge is."""

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
from drretail.viewer.output import print_json, remark, say

if TYPE_CHECKING:
    from drretail.api.lab.judging import LabEstimate, LabResult

lab_app = typer.Typer(no_args_is_help=True, help="Measures how good the judge is.")
F = TypeVar("F")


@lab_app.command("card")
@grouped
def card(options: CardOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Measures how often a judge agrees with people's labels of claims.

    Files: AttributionBench, WiCE or LLM-AggreFact as JSON lines, or a CSV with claim, source, label. `drretail score`
    shows the result (EXP/lab/cards). Exit code 3: a judge gave no usable answer.
    """
    from drretail.api.lab import people as api
    from drretail.viewer.terminal.printed_lab import print_card

    if planned.estimate:
        _print_estimate(api.estimate_card(options), output)
    else:
        made = api.card_with(options)
        _print_result(made, lambda rows: [print_card(row) for row in rows], output)


@lab_app.command("sample")
@grouped
def sample(options: SampleOptions) -> None:
    """Draws claims for people to label.

    People label them blind, in `drretail view` or in a sheet (EXP/lab/sample.csv). A larger N adds claims.
    """
    from drretail.api.lab import sample as draw
    from drretail.api.option import keywords

    drawn, experiment = draw(**keywords(options)), options.experiment
    say(
        f"{counted(drawn.claims, 'claim')} in {drawn.path}: label full, partial, none or contradicted; blank: no label."
    )
    if options.uncited:
        say(f"{drawn.uncited:,} more have no verdict. For all claims, fill in the column cited: yes, no or no claim.")
    by_system = ", ".join(f"{system} {count:,}" for system, count in drawn.by_system.items())
    say(f"By system: {by_system}. lab correct needs {counted(drawn.needed, 'label')} of each.")
    if drawn.claims < options.n:
        say(f"That is fewer than the {options.n:,} asked for: no other claim has a verdict.")
    say(f"In the browser: drretail view {experiment} --plan {options.n}. Then: drretail lab correct {experiment}.")
    say(f"Or fill in the sheet. Then: drretail lab correct {experiment} --labels {drawn.path}.")


@lab_app.command("correct")
@grouped
def correct(options: CorrectOptions, output: flags.Output) -> None:
    """Corrects FP, FR and win rates by people's labels.

    Labels come from `drretail view` and --labels: at least 20 per system, or 20 votes per pair. FR needs `lab sample
    --uncited`.
    """
    from drretail.api.lab.people import correct_with
    from drretail.api.options.shared import folder_of
    from drretail.experiment import read_definition
    from drretail.viewer.terminal.printed_lab import print_correction

    made, systems = correct_with(options), read_definition(folder_of(options.experiment)).systems
    _print_result(made, lambda correction: print_correction(correction, systems), output)


@lab_app.command("agree")
@grouped
def agree(options: AgreeOptions, output: flags.Output) -> None:
    """Measures how far people and judges agree.

    Answers come from `drretail view`, a filled sheet of `lab sample`, or a CSV. The CSV's columns are item, rater and
    value, or item and one column per rater (--raters).
    """
    from drretail.api.lab.people import agree_with
    from drretail.viewer.terminal.printed_lab import print_agreement

    with busy("comparing raters"):
        made = agree_with(options)
    _print_result(made, print_agreement, output)


@lab_app.command("calibrate")
@grouped
def calibrate(options: CalibrateOptions, output: flags.Output) -> None:
    """Chooses the version of a judge's prompts that is nearest to people's ratings.

    First score EXP with each version (`score EXP --prompts DIR`). Half of the queries choose the version; the
    other half measure how far it agrees with people.
    """
    from drretail.api.lab.people import calibrate_with
    from drretail.viewer.terminal.printed_lab import print_calibration

    with busy("comparing versions"):
        made, was_chosen = calibrate_with(options)
    _print_result(made, lambda finding: print_calibration(finding, was_chosen=was_chosen), output)


@lab_app.command("plant")
@grouped
def plant(options: PlantOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Plants one error in each copy of good reports, and counts the errors that checks and judges find.

    The copies are in EXP/lab/planted. Exit code 3: a judge gave no usable answer, or a --max option was reached.
    """
    from drretail.api.lab import derived_reports as api
    from drretail.viewer.terminal.printed_lab import print_planted

    if planned.estimate:
        _print_estimate(api.estimate_plant(options), output)
    else:
        _print_result(api.plant_with(options), print_planted, output)


@lab_app.command("exploits")
@grouped
def exploits(options: ExploitsOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Makes worthless reports from honest ones, and shows which of them the scores catch.

    A kind of worthless report is caught if a main score (FP, quality, error-free share, feasible) is below that of
    the honest reports, and none is above. The reports are in EXP/lab/exploits. Exit code 3: a judge gave no usable
    answer, or a --max option was reached.
    """
    from drretail.api.lab import derived_reports as api
    from drretail.viewer.terminal.printed_lab import print_exploits

    if planned.estimate:
        _print_estimate(api.estimate_exploits(options), output)
    else:
        _print_result(api.exploits_with(options), print_exploits, output)


@lab_app.command("bias")
@grouped
def bias(options: BiasOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Measures known biases of a judge.

    The judged reports are in EXP/lab/bias. Exit code 3: a judge gave no usable answer, or a --max option was reached.
    """
    from drretail.api.lab import derived_reports as api
    from drretail.viewer.terminal.printed_lab import print_bias

    if planned.estimate:
        _print_estimate(api.estimate_bias(options), output)
    else:
        _print_result(api.bias_with(options), print_bias, output)


def _print_result(made: "LabResult[F]", print_finding: Callable[[F], Any], output: flags.Output) -> None:
    """Prints the finding as a table or as JSON, then the hint and what is left. Ends with 3 if answers are missing."""
    if output.as_json:
        print_json(made.document)
    else:
        print_finding(made.finding)
    if made.hint and not output.as_json:
        remark(made.hint)
    for sentence in made.notes:
        say(sentence)
    exit_code(made.left)


def _print_estimate(found: "LabEstimate", output: flags.Output) -> None:
    show_estimates(found.title, found.columns, found.estimates, found.prices, as_json=output.as_json)
