"""``drretail ask``: one question, live progress, then the cited report."""

from dataclasses import replace
from pathlib import Path

from drretail.api.option import keywords
from drretail.api.options.ask import AskOptions
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.options.parameters import grouped


@grouped
def ask(options: AskOptions, output: flags.Output) -> None:
    """Answers one question with a researched, cited report.

    The report goes to stdout; what is looked up and found is shown on stderr as it happens.
    """
    from drretail.api.ask import ask as ask_question
    from drretail.cli.narration import print_report, report_document
    from drretail.cli.run_progress import TerminalObserver
    from drretail.viewer.output import print_json

    recorded = ask_question(**keywords(replace(options, observer=TerminalObserver(quiet=output.quiet))))
    if output.as_json:
        print_json(report_document(recorded))
    else:
        print_report(recorded, None if options.to is None else Path(options.to))
    exit_code(recorded.run.status == "failed")
