"""What the commands of ``sandbox`` print in one way: what a model took, and which tasks failed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from drretail.cli.options.command import exit_code

if TYPE_CHECKING:
    from drretail.api.sandboxes import Spent


def spent_line(spent: "Spent", *, quiet: bool) -> str:
    """Calls, tokens and dollars in a line; unless ``quiet``, of which day the prices are on stderr."""
    from drretail.cli.queries.by_model import QueryWriter

    return QueryWriter(spent.model, spent.prices).line(spent.usage, spent.served, quiet=quiet)


def end(failed: Mapping[str, str]) -> None:
    """Names what failed on stderr, and ends with 3 where anything did."""
    from drretail.sandboxes.found.asking import CAPPED
    from drretail.viewer.output import say

    for query_id, why in failed.items():
        say(f"{query_id} was left out: {why.rstrip('.')}.")
    capped = {query_id for query_id, why in failed.items() if why.startswith(CAPPED)}
    if capped:
        say("The same command with a higher cap goes on from here.")
    if len(capped) < len(failed):
        say("--retry failed asks anew what failed, and tries again where pages were not enough.")
    exit_code(len(failed))
