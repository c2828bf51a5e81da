"""``drretail try``."""

from dataclasses import replace

from drretail.addons.gym.options import TryOptions
from drretail.api.option import keywords
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.viewer.output import print_json, print_rows, print_text


def try_command(options: TryOptions, output: flags.Output) -> None:
    """Runs an agent on one query: its steps, what is wrong, its reward, and the same of last time.

    Each trial is an experiment of its own in DIR/AGENT/QUERY.
    """
    from drretail.addons.gym.trial import try_agent
    from drretail.cli.narration import print_report
    from drretail.cli.run_progress import TerminalObserver
    from drretail.viewer.claims import finding_line

    trial = try_agent(**keywords(replace(options, observer=TerminalObserver())))
    if output.as_json:
        print_json(trial.document)
    else:
        print_report(trial.answer, trial.answer.experiment)
        for finding in trial.findings:
            print_text(finding_line(finding))
        trials = [trial] if trial.before is None else [trial, trial.before]
        rows = [(part, *(each.parts[part] for each in trials)) for part in trial.parts]
        print_rows("Reward", ["", "now", "before"][: 1 + len(trials)], rows)
    exit_code(trial.answer.run.status == "failed")
