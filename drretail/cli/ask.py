"""``drretail ask``: one question, live progress, then the cited report."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags as options


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What the shopper wants to know.")],
    world: options.World = "demo",
    user: Annotated[str | None, typer.Option("--user", metavar="ID", help="The shopper who asks.")] = None,
    agent: Annotated[str, typer.Option("--agent", help="Who answers.")] = "react",
    model: options.Model = None,
    model_profile: options.ModelProfile = None,
    base_url: options.BaseUrl = None,
    without: options.Without = None,
    preset: options.Preset = None,
    web: options.Web = None,
    to: Annotated[Path | None, typer.Option("--to", help="Keep the run in this experiment folder.")] = None,
    scope_to_user: Annotated[bool, typer.Option("--scope-to-user", help="Tools refuse other users' data.")] = False,
    redact: options.Redact = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Answers one question with a researched, cited report.

    The report goes to stdout; what is looked up and found is told on stderr as it happens.
    """
    from drretail.agents.running.single_question import ask_once, question_as_query
    from drretail.cli.narration import print_report, report_document
    from drretail.cli.options.models import Opener
    from drretail.cli.options.systems import check_user, exit_code, narrated_runner, suts, system_options
    from drretail.cli.options.webs import chosen_web
    from drretail.cli.options.worlds import opened_world
    from drretail.errors import UserError
    from drretail.settings import read_settings
    from drretail.viewer.output import print_json

    settings = read_settings(web=web)
    with opened_world(world, quiet=quiet, web=chosen_web(settings)) as shop:
        check_user(shop, user)
        chosen = system_options(without, preset, scope_to_user=scope_to_user, redact=redact)
        opener = Opener(settings, base_url or [])
        (sut,) = suts([agent], model or [], shop, opener, model_profile, options=chosen)
        if sut.agent.sees_reference:
            raise UserError(
                f"The agent {agent} is told the best basket of a benchmark's query: use it with `drretail run`."
            )
        runner = narrated_runner(shop, world, settings, quiet=quiet)
        recorded = ask_once(runner, sut, question_as_query(question, user, shop), to)
    if as_json:
        print_json(report_document(recorded))
    else:
        print_report(recorded, to)
    exit_code(recorded.run.status == "failed")
