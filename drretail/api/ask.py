"""``ask``: one question, as ``drretail ask`` does it."""

from pathlib import Path

from drretail.agents.running.single_question import ask_once, question_as_query
from drretail.api.models import Opener
from drretail.api.observer import SILENT
from drretail.api.option import accepts
from drretail.api.options.run import AskOptions
from drretail.api.options.shared import texts_in
from drretail.api.recorded import RecordedAnswer
from drretail.api.systems import named_systems, runner_of, several, tool_options
from drretail.api.webs import web_of
from drretail.api.worlds import check_sandbox_web, check_user, world_of
from drretail.env.web.sandbox import cautions
from drretail.env.world import World
from drretail.errors import UserError
from drretail.settings import read_settings


@accepts(AskOptions)
def ask(options: AskOptions) -> RecordedAnswer:
    """The answer to one question: its run and the researched, cited report; kept in ``to``, if that is given.

    Raises UserError for a wrong name, user or world. A run that fails is recorded, not raised.
    """
    observer = options.observer or SILENT
    if any(len(several(names)) > 1 for names in (options.size, options.compose)):
        raise UserError("A question is answered once: name one --size and one --compose.")
    settings = read_settings(web=options.web if isinstance(options.web, str) else None)
    web = web_of(options.world, options.web, settings)
    tools = tool_options(options)
    opener = Opener(settings, texts_in(options.base_url), tell=observer.waiting)
    with world_of(options.world, web, quiet=observer.quiet) as world:
        check_user(world, options.user)
        query = question_as_query(options.question, options.user, world)
        check_sandbox_web(world, [query])
        (system,) = named_systems(options, [options.agent], tools, world, opener, observer)
        if system.agent.sees_reference:
            raise UserError(
                f"The agent {system.system.agent} is told the best basket of a benchmark's query: use it with "
                "`drretail run`."
            )
        if "web" not in tools.get("without", ()):
            for sentence in cautions(world.web, world.manifest):
                observer.note(sentence)
        spec = str(world.folder or world.servers) if isinstance(options.world, World) else str(options.world)
        runner = runner_of(world, settings, spec, files=options.files)
        folder = None if options.to is None else Path(options.to)
        with observer.answer(runner):
            recorded = ask_once(runner, system, query, folder)
    return RecordedAnswer(recorded.run, recorded.evidence)
