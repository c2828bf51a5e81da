"""``serve``: the doors of one session, for trying an agent or a page by hand."""

import asyncio
from importlib.util import find_spec

from drretail.agents.information import instructions
from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.observer import SILENT, Observer
from drretail.api.options.shops import ServeOptions
from drretail.api.settings import read_settings
from drretail.api.systems import opened_models
from drretail.api.worlds import web_of, world_of
from drretail.env.session import Session, SessionSettings
from drretail.errors import UserError, install_line
from drretail.event_loop import meant_to_end, run_loop
from drretail.llm.models import Models
from drretail.records.run import CLIENT
from drretail.viewer.drawing.result import Result


@accepts(ServeOptions)
def serve_doors(options: ServeOptions) -> Result[None]:
    """Serves the services, the shop and the model of one session until Ctrl-C. Nothing is recorded."""
    if find_spec("mcp") is None or find_spec("cryptography") is None:
        raise UserError(f"The gateway needs doors: {install_line('doors')}.")
    settings = read_settings(web=options.web if isinstance(options.web, str) else None)
    observer = options.observer or SILENT
    with world_of(options.world, web_of(options.world, options.web, settings)) as world:
        world.check_user(options.user)
        session = Session(SessionSettings(world, options.user, tool_timeout=settings.tool_timeout))
        models = None
        if options.model is not None or settings.model is not None:
            opener = Opener(settings, options.base_url, tell=observer.waiting)
            opened = opened_models(options.model, None, opener, [], observer)
            models = Models({CLIENT: next(iter(opened.values()))}, session.journal, session.trajectory)
        with meant_to_end():
            run_loop(_served(session, models, options.port, observer))
    return Result(None, {})


async def _served(session: Session, models: Models | None, port: int, observer: Observer) -> None:
    from drretail.doors.doors import open_doors

    async with open_doors(session, models, instructions(session), port=port) as doors:
        lines = [f"export {name}='{text}'" for name, text in doors.environment("proxy").items()]
        observer.serving(f"{doors.place.here}/", *lines)
        observer.note("The first line is the shop's page. Only this machine is answered. Ctrl-C stops it.")
        await asyncio.Event().wait()
