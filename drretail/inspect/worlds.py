"""The worlds of this process: each is opened once, and stays open until the process ends.

Samples run side by side, and scorers that are called by name alone have no place to close one.
"""

from functools import cache

from drretail.api.worlds import chosen_web, open_world
from drretail.env.world import World
from drretail.settings import read_settings


@cache
def world_at(spec: str, web: str | None = None) -> World:
    """The world of that spec with that web; the same one each time. Raises UserError when there is none."""
    return open_world(spec, web=chosen_web(read_settings(web=web)))
