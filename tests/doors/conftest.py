"""Doors of a session in the tiny shop, opened for a test's own client."""

import asyncio
from collections.abc import Awaitable, Callable

from drretail.doors.doors import Doors, open_doors
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.records.run import CLIENT, Limits
from tests.shop import USER


def at_doors(
    world: World,
    use: Callable[[Doors], Awaitable[None]],
    model: Model | None = None,
    limits: Limits | None = None,
    **settings: object,
) -> Session:
    """The session after a client made use of its doors."""
    session = Session(SessionSettings(world, user_id=USER, **settings))  # pyright: ignore[reportArgumentType]

    async def opened() -> None:
        models = None
        if model is not None:
            models = Models({CLIENT: model}, session.journal, session.trajectory, limits or Limits())
        async with open_doors(session, models, "x") as doors:
            await use(doors)

    asyncio.run(opened())
    return session
