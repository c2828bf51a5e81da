"""``drretail lab agree``: judges against people, and people against each other."""

from drretail.api.options.lab import AgreeOptions
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped


@grouped
def agree(options: AgreeOptions, output: flags.Output) -> None:
    """Says how far raters agree: people's answers in ``view`` or in CSV, and judges' verdicts on the same.

    A file has the columns item, rater, value, and may have dimension, query and system; or an item per row, with
    --raters. Nothing is asked of any model. The rows are kept in EXP/lab/agree.json.
    """
    from drretail.api.lab.people import agree_with
    from drretail.cli.lab.kept import print_kept
    from drretail.progress import busy
    from drretail.viewer.terminal.printed_agreement import print_agreement

    with busy("comparing raters", quiet=output.quiet):
        made = agree_with(options)
    print_kept(made, lambda: print_agreement(made.finding), output)
