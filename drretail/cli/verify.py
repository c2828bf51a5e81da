"""``drretail verify``: whether an experiment's folder can be trusted."""

from drretail.api.options.verify import VerifyOptions
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.options.parameters import grouped
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_text

MOST_SHOWN = 5
"""Files of a check that are named; --json names all."""
_STATES = {"pass": "pass", "fail": "FAIL", "not_checkable": "not checkable"}


@grouped
def verify(options: VerifyOptions, output: flags.Output) -> None:
    """Makes the runs, tool calls, verdicts and scores of an experiment again, and says what is not as the folder says.

    Nothing is sent, and nothing in the folder changes. Each check passes, fails, or can't be made; docs/reliability.md
    lists what no folder can show. The exit code is 3 when a check fails.
    """
    from drretail.api.verify import verify_with

    found = verify_with(options, quiet=output.quiet)
    if output.as_json:
        print_json(found.model_dump(mode="json", exclude_none=True) | {"passes": found.passes})
    else:
        for check in found.checks:
            print_text(f"{_STATES[check.state]:14} {check.title} ({check.checked:,})")
            for mismatch in (*check.failed[:MOST_SHOWN], *check.unchecked[:MOST_SHOWN]):
                print_text(f"{'':15}{mismatch.line}")
            more = max(0, len(check.failed) - MOST_SHOWN) + max(0, len(check.unchecked) - MOST_SHOWN)
            if more:
                print_text(f"{'':15}and {more:,} more: --json names all")
        world = "" if found.world_fingerprint is None else f" World {found.world_fingerprint[:12]}."
        open_checks = sum(check.state == "not_checkable" for check in found.checks)
        left = f" {counted(open_checks, 'check')} could not be made everywhere." if open_checks else ""
        fails = counted(len(found.failures), "thing fails", "things fail") if found.failures else "Nothing fails"
        print_text("", f"{fails}.{left}{world}")
    exit_code(len(found.failures))
