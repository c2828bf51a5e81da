"""Where a world can be written to: a folder, or servers; both are written alike."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from drretail.env.manifest import CategoryCounts, Manifest, OrderRow, SourceFile
from drretail.env.profiles import ProfilePool
from drretail.env.servers.naming import check_place, is_on_servers, world_name
from drretail.env.servers.settings import ServerSettings, required
from drretail.env.writing import write_world
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.records.shop import Product


class WriteWorld(Protocol):
    """Makes a world live and gives its manifest; see ``writing.write_world`` and ``servers.loading.write_servers``."""

    def __call__(
        self,
        *,
        products: Iterable[Product],
        orders: Iterable[OrderRow],
        holdout: Iterable[OrderRow] | None = None,
        seed: int | str,
        pool: ProfilePool,
        since: date | None = None,
        parameters: Mapping[str, Any] | None = None,
        categories: Iterable[CategoryCounts] = (),
        sources: Iterable[SourceFile] = (),
        versions: Mapping[str, str] | None = None,
        progress: Progress | None = None,
        expected: str | None = None,
    ) -> Manifest: ...


@contextmanager
def writer_to(
    spec: str | Path, servers: ServerSettings | None = None, *, materialize_users: bool = False
) -> Generator[WriteWorld]:
    """What writes a world to ``spec``, a folder or "servers:NAME", for the time of a ``with`` block.

    Raises UserError when a server cannot be used or written to, and for ``materialize_users`` in a folder.
    """
    check_place(spec)
    if not is_on_servers(spec):
        if materialize_users:
            raise UserError("--materialize-users is for worlds on servers: a folder always derives its profiles.")
        yield partial(write_world, Path(spec))
        return
    name = world_name(str(spec))
    # The clients take long to load.
    from drretail.env.servers.connecting import connect
    from drretail.env.servers.loading import check_ready, write_servers

    with connect(required(servers, spec), name, loading=True) as opened:
        check_ready(opened)
        yield partial(write_servers, opened, materialize_users=materialize_users)
