"""``drretail lab``: how reliable a judge is."""

from typing import TYPE_CHECKING, Any

import typer

from drretail.api.option import keywords
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
from drretail.cli.spending import show_estimates
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, remark, say

if TYPE_CHECKING:
    from drretail.api.lab.judging import LabResult

lab_app = typer.Typer(no_args_is_help=True, help="Measures how good the judge is.")


@lab_app.command("card")
def card(options: CardOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Measures how often a judge agrees with people's labels of claims.

    Files: AttributionBench, WiCE or LLM-AggreFact as JSON lines, or a CSV with claim, source, label. `drretail score`
    shows the result (EXP/lab/cards). Exit code 3: a judge gave no usable answer.
    """
    _show("card", options, output, planned)


@lab_app.command("sample")
def sample(options: SampleOptions) -> None:
    """Draws claims for people to label.

    People label them blind, in `drretail view` or in a sheet (EXP/lab/sample.csv). A larger N adds claims.
    """
    from drretail.api.lab import sample as draw

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
def correct(options: CorrectOptions, output: flags.Output) -> None:
    """Corrects FP, FR and win rates by people's labels.

    Labels come from `drretail view` and --labels: at least 20 per system, or 20 votes per pair. FR needs `lab sample
    --uncited`.
    """
    _show("correct", options, output)


@lab_app.command("agree")
def agree(options: AgreeOptions, output: flags.Output) -> None:
    """Measures how far people and judges agree.

    Answers come from `drretail view`, a filled sheet of `lab sample`, or a CSV. The CSV's columns are item, rater and
    value, or item and one column per rater (--raters).
    """
    _show("agree", options, output)


@lab_app.command("calibrate")
def calibrate(options: CalibrateOptions, output: flags.Output) -> None:
    """Chooses the version of a judge's prompts that is nearest to people's ratings.

    First score EXP with each version (`score EXP --prompts DIR`). Half of the queries choose the version; the
    other half measure how far it agrees with people.
    """
    _show("calibrate", options, output)


@lab_app.command("plant")
def plant(options: PlantOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Plants one error in each copy of good reports, and counts the errors that checks and judges find.

    The copies are in EXP/lab/planted. Exit code 3: a judge gave no usable answer, or a --max option was reached.
    """
    _show("plant", options, output, planned)


@lab_app.command("exploits")
def exploits(options: ExploitsOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Makes worthless reports from honest ones, and shows which of them the scores catch.

    A kind of worthless report is caught if a main score (FP, quality, error-free share, feasible) is below that of
    the honest reports, and none is above. The reports are in EXP/lab/exploits. Exit code 3: a judge gave no usable
    answer, or a --max option was reached.
    """
    _show("exploits", options, output, planned)


@lab_app.command("bias")
def bias(options: BiasOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Measures known biases of a judge.

    The judged reports are in EXP/lab/bias. Exit code 3: a judge gave no usable answer, or a --max option was reached.
    """
    _show("bias", options, output, planned)


def _show(command: str, options: Any, output: flags.Output, planned: flags.Planned | None = None) -> None:
    """Prints what the command's function finds as tables or as JSON, then the hint and what is left; with --estimate
    what it would cost. Ends with 3 if answers are missing.
    """
    from drretail.api import lab

    if planned is not None and planned.estimate:
        show_estimates(lab.ESTIMATES[command](**keywords(options)), as_json=output.as_json)
        return
    made: LabResult[Any] = getattr(lab, command)(**keywords(options))
    if output.as_json:
        print_json(made.document)
    else:
        made.show()
        if made.hint:
            remark(made.hint)
    for sentence in made.notes:
        say(sentence)
    exit_code(made.left)
