"""``drretail lab correct`` and ``lab sample``: few labels by people make a judge's scores those of people."""

from drretail.api.options.lab import CorrectOptions, SampleOptions
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped


@grouped
def correct(options: CorrectOptions, output: flags.Output) -> None:
    """FP, FR and win rates as people would give them, from their labels and all verdicts, with 95 % intervals.

    A system needs 20 labels, two systems 20 votes on their pairs; below that it says how many are missing. FR is there
    where people said what is cited (lab sample --uncited). Labels are those of ``view`` and of --labels. Nothing is
    asked of any model. The result is kept in EXP/lab/correct.json.
    """
    from drretail.api.lab.people import correct_with
    from drretail.cli.lab.kept import print_kept
    from drretail.viewer.terminal.printed_correction import print_correction

    made = correct_with(options)
    print_kept(made, lambda: print_correction(made.finding), output)


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
    from drretail.viewer.output import say

    drawn, experiment = draw(**keywords(options)), options.experiment
    say(f"{drawn.claims:,} claims in {drawn.path}: label full, partial, none or contradicted; a blank is no label.")
    if options.uncited:
        say(f"And {drawn.uncited:,} without a verdict. Of all, the column cited: yes, no or no claim.")
    by_system = ", ".join(f"{system} {count:,}" for system, count in drawn.by_system.items())
    say(f"By system: {by_system}. lab correct needs {drawn.needed} labels of each.")
    if drawn.claims < options.n:
        say(f"There are no more than {drawn.claims:,} claims with a verdict.")
    say(f"In the browser: drretail view {experiment} --plan {options.n}. Then: drretail lab correct {experiment}; of")
    say(f"the sheet once it is filled in: drretail lab correct {experiment} --labels {drawn.path}.")
