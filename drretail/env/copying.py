"""copy_world, the writer for any place, and the manifest of the world that is live there."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from drretail.env.folder import open_world_rows, write_world
from drretail.env.manifest import (
    Manifest,
    WorldRows,
    live_generation,
    read_manifest,
    writer_lock,
)
from drretail.env.naming import ServerSettings, is_on_servers, required, world_name
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import world_at
from drretail.errors import UserError
from drretail.progress import Progress


def find_live(spec: str | Path, servers: ServerSettings | None = None) -> Manifest | None:
    """The manifest of the live world at ``spec``; None if there is no world, or it cannot be read."""
    with suppress(UserError):
        if is_on_servers(spec):
            with world_at(spec, servers=servers, web=SandboxWeb([])) as world:
                return world.manifest
        return read_manifest(live_generation(Path(spec)))
    return None


def opens(spec: str | Path, servers: ServerSettings | None = None) -> bool:
    """True if the live world can be opened; its rows are not read."""
    try:
        world_at(spec, servers=servers, web=SandboxWeb([])).close()
    except UserError:
        return False
    return True


WriteWorld = Callable[[WorldRows, Progress | None], Manifest]
"""Makes a world live and returns its manifest: ``folder.write_world`` or ``servers.loading.write_servers``."""


@contextmanager
def writer_to(spec: str | Path, servers: ServerSettings | None = None) -> Generator[WriteWorld]:
    """The function that writes a world to ``spec``, a folder or "servers:NAME", for the time of a ``with`` block.

    Meanwhile no other process can write the folder. Raises UserError if another process is writing it, or if a
    server cannot be used or written to.
    """
    if not is_on_servers(spec):
        with writer_lock(Path(spec)):
            yield partial(write_world, Path(spec), is_locked=True)
        return
    name = world_name(str(spec))
    # The clients take long to load.
    from drretail.env.clients import connect
    from drretail.env.servers.loading import check_ready, write_servers

    with connect(required(servers, spec), name, loading=True) as opened:
        check_ready(opened)
        yield partial(write_servers, opened)


def copy_world(
    source: str | Path,
    target: str | Path,
    *,
    servers: ServerSettings | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Makes the world at ``source`` live at ``target`` too; both are folders or "servers:NAME".

    "servers:NAME" needs ``servers``. The fingerprint is computed anew from the rows, and the copy goes live only if it
    is the source's. Raises UserError if there is no source, if the source is
    damaged, and if the target cannot be written.
    """
    if _place(source) == _place(target):
        raise UserError(f"{source} and {target} are the same world: give the copy a place of its own.")
    with open_world_rows(source, servers) as rows, writer_to(target, servers) as write:
        try:
            return write(rows, progress)
        except (KeyError, TypeError, ValueError) as problem:  # an undamaged world has no row that is refused
            raise UserError(
                f"The world {source} is damaged ({type(problem).__name__}): `drretail world check {source}` tells "
                "more. Nothing went live."
            ) from problem


def _place(spec: str | Path) -> str:
    return str(spec) if is_on_servers(spec) else str(Path(spec).absolute())
