"""The same world in another place: folders and servers in either direction."""

from pathlib import Path

from drretail.env.manifest import Manifest
from drretail.env.rows import WorldRows, rows_of
from drretail.env.servers.naming import is_on_servers
from drretail.env.servers.settings import ServerSettings
from drretail.env.targets import WriteWorld, writer_to
from drretail.errors import UserError
from drretail.progress import Progress

# What a world is kept in says so itself; the source's is no longer of interest.
KEEPERS = frozenset({"tantivy", "mongodb", "elasticsearch"})


def copy_world(
    source: str | Path,
    target: str | Path,
    *,
    servers: ServerSettings | None = None,
    materialize_users: bool = False,
    progress: Progress | None = None,
) -> Manifest:
    """Makes the world at ``source`` live at ``target`` as well; both are folders or "servers:NAME".

    The latter needs ``servers``. The fingerprint is computed anew from the rows; the copy goes live only with the
    source's. Profiles that were changed for good are not copied. Raises UserError where there is no source, where it is
    damaged, and where the target cannot be written.
    """
    if _place(source) == _place(target):
        raise UserError(f"{source} and {target} are the same world: give the copy a place of its own.")
    with (
        rows_of(source, servers) as rows,
        writer_to(target, servers, materialize_users=materialize_users) as write,
    ):
        try:
            return write_rows(write, rows, progress)
        except (KeyError, TypeError, ValueError) as problem:  # no row of a whole world is refused
            raise UserError(
                f"The world {source} is damaged ({type(problem).__name__}): `drretail world check {source}` tells "
                "more. Nothing went live."
            ) from problem


def write_rows(write: WriteWorld, rows: WorldRows, progress: Progress | None) -> Manifest:
    manifest = rows.manifest
    return write(
        products=rows.products,
        orders=rows.orders,
        holdout=rows.holdout,
        seed=manifest.seed,
        pool=rows.pool,
        since=manifest.since,
        parameters=manifest.parameters,
        categories=manifest.categories,
        sources=manifest.sources,
        versions={name: version for name, version in manifest.versions.items() if name not in KEEPERS},
        progress=progress,
        expected=manifest.fingerprint,
    )


def _place(spec: str | Path) -> str:
    return str(spec) if is_on_servers(spec) else str(Path(spec).absolute())
