"""What all commands of ``lab`` print in one way: findings, notes, estimates."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from drretail.cli.options import flags
from drretail.cli.options.command import exit_code

if TYPE_CHECKING:
    from drretail.api.lab.bench import Kept, LabEstimate


def print_kept(made: "Kept[Any]", print_finding: Callable[[], None], output: flags.Output) -> None:
    """The finding as a table or as JSON, what may be done next, and what is left; ends with 3 where answers lack."""
    from drretail.viewer.output import print_json, say

    if output.as_json:
        print_json(made.document)
    else:
        print_finding()
    if made.hint and not output.quiet and not output.as_json:
        say(made.hint)
    for sentence in made.notes:
        say(sentence)
    exit_code(made.left)


def print_estimate(
    found: "LabEstimate", output: flags.Output, title: str | None = None, what: Sequence[str] = ("what", "to judge")
) -> None:
    """What a command is likely to take."""
    from drretail.cli.spending import show_estimates

    title = title or f"What is left to judge in {found.folder}"
    show_estimates(title, what, found.estimates, found.prices, as_json=output.as_json)
