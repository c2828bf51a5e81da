"""``drretail ask``: one question, live progress, then the cited report."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.options.systems import caution, exit_code, narrated, suts
from drretail.errors import UserError


@grouped
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What the shopper wants to know.")],
    models: flags.Models,
    options: flags.Options,
    sources: flags.Sources,
    output: flags.Output,
    world: flags.World = "demo",
    user: Annotated[str | None, typer.Option("--user", metavar="ID", help="The shopper who asks.")] = None,
    agent: Annotated[str, typer.Option("--agent", help="Who answers.")] = "react",
    preset: flags.Preset = None,
    web: flags.Web = None,
    to: Annotated[Path | None, typer.Option("--to", help="Keep the run in this experiment folder.")] = None,
) -> None:
    """Answers one question with a researched, cited report.

    The report goes to stdout; what is looked up and found is told on stderr as it happens.
    """
    from drretail.agents.running.single_question import ask_once, question_as_query
    from drretail.api.models import Opener
    from drretail.api.run import runner_of
    from drretail.api.webs import chosen_web
    from drretail.api.worlds import check_sealed, check_user, opened_world
    from drretail.cli.narration import print_report, report_document
    from drretail.progress import Waits, choose_progress
    from drretail.settings import read_settings
    from drretail.viewer.output import print_json

    settings = read_settings(web=web)
    parts = sources.parts()
    if any(len(names) > 1 for names in parts.values()):
        raise UserError("A question is answered once: name one --size and one --compose.")
    with opened_world(world, quiet=output.quiet, web=chosen_web(settings)) as shop:
        check_user(shop, user)
        query = question_as_query(question, user, shop)
        check_sealed(shop, [query])
        chosen = options.of_system(preset, sources)
        opener = Opener(settings, models.base_url or [], tell=Waits(quiet=output.quiet))
        given = {"options": chosen, "scope": options.scope or "own", **parts}
        (system,) = suts([agent], models.model or [], shop, opener, models.model_profile, options.prompts, **given)
        if system.agent.sees_reference:
            raise UserError(
                f"The agent {agent} is told the best basket of a benchmark's query: use it with `drretail run`."
            )
        caution(shop, chosen.get("without", ()))
        progress = choose_progress("none" if output.quiet else None)
        runner = narrated(runner_of(shop, settings, world), quiet=output.quiet, progress=progress)
        runner.files = sources.files
        with progress.busy("answering"):  # one call of a model may take a minute
            recorded = ask_once(runner, system, query, to)
    if output.as_json:
        print_json(report_document(recorded))
    else:
        print_report(recorded, to)
    exit_code(recorded.run.status == "failed")
