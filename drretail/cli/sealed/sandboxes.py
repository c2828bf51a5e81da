"""``drretail sandbox``: sealed webs, one for each query."""

from collections.abc import Mapping, Sequence

import typer

from drretail.api.option import keywords
from drretail.api.options.sandboxes import BuildOptions, CheckOptions, QueriesOptions
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.queries.by_model import say_wrong
from drretail.cli.spending import show_estimates, writing_line
from drretail.tables.figures import counted, percent
from drretail.viewer.output import say


def build(options: BuildOptions, planned: flags.Planned, output: flags.Progress) -> None:
    """Makes a set of web pages for each query: helpful pages, misleading pages and noise.

    After an interruption the same command continues. Exit code 3: tasks failed.
    """
    from drretail.api.sandboxes import build_sandbox, estimate_build

    if planned.estimate:
        show_estimates(estimate_build(**keywords(options)), as_json=False)
        return
    made = build_sandbox(**keywords(options))
    if made.spent is None:
        for sentence in made.notes:
            say(sentence)
        typer.echo(f"{made.folder}: {counted(made.wanted, 'query')}, in {', '.join(made.sizes)}.")
        return
    for query_id, report in made.reports.items():
        typer.echo(f"{query_id}: {report.line}.")
    for sentence in made.notes:
        typer.echo(sentence)
    typer.echo(f"{made.folder}: {made.tasks} of {counted(made.wanted, 'task')}.")
    typer.echo(writing_line(made.spent))
    _end(made.failed)


def queries(options: QueriesOptions, output: flags.Progress) -> None:
    """Writes the queries of a sandbox that was built for drawn users (`sandbox build` without --queries).

    Adds gold (what a good answer says and cites), a checklist and a rubric. Tasks with gold stay unchanged. Exit
    code 3: queries failed.
    """
    from drretail.api.sandboxes import write_sandbox_queries

    made = write_sandbox_queries(**keywords(options))
    if made.spent is None:
        typer.echo(f"{options.folder}: every task has its query and gold.")
        return
    say_wrong(made.wrong)
    typer.echo(f"{options.folder}: {counted(len(made.written), 'query')} written.")
    typer.echo(writing_line(made.spent))
    _end(made.failed)


def check(options: CheckOptions, output: flags.Progress) -> None:
    """Checks a sandbox's sizes, labels and gold. Exit code 3: something is wrong.

    With --model, also checks whether each query is clear and needs several sources.
    """
    from drretail.api.sandboxes import check_sandbox

    found = check_sandbox(**keywords(options))
    if found.spent is not None:
        typer.echo(writing_line(found.spent))
    for query_id, faults in found.faults.items():
        for fault in faults:
            typer.echo(f"{query_id}: {fault}")
    typer.echo(_rate([not faults for faults in found.faults.values()]))
    if found.kept is not None:
        typer.echo(f"{found.kept}: {counted(len(found.passing), 'task')}.")
    exit_code(len(found.faults) - len(found.passing))


def _rate(passes: Sequence[bool]) -> str:
    """How many queries pass, with the 95 % interval of their share."""
    from drretail.stats.intervals import share_interval

    share = share_interval([float(passing) for passing in passes])
    line = f"{sum(passes)} of {len(passes)} queries pass"
    if share.value is None or share.low is None or share.high is None:
        return f"{line}."
    return f"{line}: {percent(share.value)}, 95 % interval {percent(share.low)} to {percent(share.high)}."


def _end(failed: Mapping[str, str]) -> None:
    """Prints on stderr what failed, and ends with 3 if anything did."""
    from drretail.sandboxes.search_based.asker import CAPPED

    for query_id, why in failed.items():
        say(f"{query_id} was left out: {why.rstrip('.')}.")
    capped = {query_id for query_id, why in failed.items() if why.startswith(CAPPED)}
    if capped:
        say("The same command with a higher cap continues from here.")
    if len(capped) < len(failed):
        say("--retry failed asks again where a model failed, and searches again where there were too few pages.")
    exit_code(len(failed))
