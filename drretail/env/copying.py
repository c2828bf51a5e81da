"""The same world in another place: folders and servers in either direction."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from drretail.env.catalog.formulation import Formulation, formulation_of_index
from drretail.env.generations import writer_lock
from drretail.env.manifest import INDEX_VERSION, Manifest, OrderRow, Origin
from drretail.env.profiles import ProfilePool
from drretail.env.rows import rows_of
from drretail.env.servers.naming import ServerSettings, check_place, is_on_servers, required, world_name
from drretail.env.writing import write_world
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.records.shop import Product


class WriteWorld(Protocol):
    """Makes a world live and returns its manifest; see ``writing.write_world`` and
    ``servers.loading.write_servers``.
    """

    def __call__(
        self,
        *,
        products: Iterable[Product],
        orders: Iterable[OrderRow],
        holdout: Iterable[OrderRow] | None = None,
        seed: int | str,
        pool: ProfilePool,
        progress: Progress | None = None,
        expected: str | None = None,
        formulation: Formulation = ...,
        origin: Origin | None = None,
    ) -> Manifest: ...


@contextmanager
def writer_to(
    spec: str | Path, servers: ServerSettings | None = None, *, materialize_users: bool = False
) -> Generator[WriteWorld]:
    """The function that writes a world to ``spec``, a folder or "servers:NAME", for the time of a ``with`` block.

    Meanwhile no other process can write the folder. Raises UserError if another process is writing it, if a server
    cannot be used or written to, and for ``materialize_users`` in a folder.
    """
    check_place(spec)
    if not is_on_servers(spec):
        if materialize_users:
            raise UserError("materialize_users is for worlds on servers: a folder always derives its profiles.")
        with writer_lock(Path(spec)):
            yield partial(write_world, Path(spec), is_locked=True)
        return
    name = world_name(str(spec))
    # The clients take long to load.
    from drretail.env.servers.clients import connect
    from drretail.env.servers.loading import check_ready, write_servers

    with connect(required(servers, spec), name, loading=True) as opened:
        check_ready(opened)
        yield partial(write_servers, opened, materialize_users=materialize_users)


def copy_world(
    source: str | Path,
    target: str | Path,
    *,
    servers: ServerSettings | None = None,
    materialize_users: bool = False,
    progress: Progress | None = None,
) -> Manifest:
    """Makes the world at ``source`` live at ``target`` too; both are folders or "servers:NAME".

    "servers:NAME" needs ``servers``. The fingerprint is computed anew from the rows, and the copy goes live only if it
    is the source's. Permanent profile changes are not copied. Raises UserError if there is no source, if the source is
    damaged, and if the target cannot be written.
    """
    if _place(source) == _place(target):
        raise UserError(f"{source} and {target} are the same world: give the copy a place of its own.")
    with (
        rows_of(source, servers) as rows,
        writer_to(target, servers, materialize_users=materialize_users) as write,
    ):
        try:
            manifest = rows.manifest
            return write(
                products=rows.products,
                orders=rows.orders,
                holdout=rows.holdout,
                seed=manifest.seed,
                pool=rows.pool,
                progress=progress,
                expected=manifest.fingerprint,
                formulation=formulation_of_index(manifest.versions.get(INDEX_VERSION, ""), "The world"),
                origin=manifest.origin,
            )
        except (KeyError, TypeError, ValueError) as problem:  # an undamaged world has no row that is refused
            raise UserError(
                f"The world {source} is damaged ({type(problem).__name__}): `drretail world check {source}` tells "
                "more. Nothing went live."
            ) from problem


def _place(spec: str | Path) -> str:
    return str(spec) if is_on_servers(spec) else str(Path(spec).absolute())
