"""``drretail lab card``: judges on claims that people labelled."""

from drretail.api.options.lab import CardOptions
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code, formerly
from drretail.cli.options.parameters import grouped


@formerly({"--retry-failed": "--retry failed"})
@grouped
def card(options: CardOptions, planned: flags.Planned, output: flags.Output) -> None:
    """Asks a judge about claims that people labelled, as score asks it, and says how often it is right.

    Files: AttributionBench, WiCE or LLM-AggreFact as JSON lines (also gzipped), or a CSV with the columns claim,
    source (source_2 …), label, and if there is one question. The card is kept in EXP/lab/cards and stands beside the
    judge's scores from the next drretail score on. The exit code is 3 where a judge gave no usable answer.
    """
    from drretail.api.lab.questions import card_with, estimate_card
    from drretail.cli.lab.kept import print_estimate
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_card import print_card

    if planned.estimate:
        print_estimate(estimate_card(options, quiet=output.quiet), output, "Claims left to judge")
        return
    made = card_with(options, quiet=output.quiet)
    if output.as_json:
        print_json({"cards": [each.model_dump(mode="json", exclude_none=True) for each in made.cards]})
    else:
        for each in made.cards:
            print_card(each)
        say(f"Kept in {', '.join(map(str, made.paths))}; drretail score puts it beside every FP of the judge.")
    if made.closing is not None:
        say(made.closing)
    exit_code(made.left)
