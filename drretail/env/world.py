"""The world that agents live in: a shop's store and catalog, a web, and the world's manifest.

An embedded world is a folder (manifest.py says how it survives a crash):

    CURRENT                   the name of the live generation
    gen-<fingerprint12>/      manifest.json, shop.sqlite, index/
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from drretail.env.catalog.base import Catalog
from drretail.env.catalog.formulation import formulation_of_index
from drretail.env.catalog.tantivy import TantivyCatalog
from drretail.env.manifest import (
    DATABASE_FILE,
    INDEX_FOLDER,
    INDEX_VERSION,
    CategoryCounts,
    Counts,
    Manifest,
    OrderRow,
    SourceFile,
    check_index_files,
    former_generation,
    live_generation,
    read_manifest,
)
from drretail.env.naming import ServerSettings, is_on_servers, required
from drretail.env.store.base import Store
from drretail.env.store.sqlite import SqliteStore
from drretail.env.users import ProfilePool, default_pool
from drretail.env.web.base import Web
from drretail.env.web.sandbox import SandboxWeb, default_corpus, pages_of_shop
from drretail.errors import NotFound, UserError

__all__ = [
    "CategoryCounts",
    "Counts",
    "Manifest",
    "OrderRow",
    "ProfilePool",
    "SourceFile",
    "World",
    "default_pool",
    "world_at",
]


@dataclass(frozen=True, slots=True)
class World:
    """Everything that tools may look at. Safe to use from several threads; close it, or use it in ``with``."""

    store: Store
    """Products, users and orders by id."""
    catalog: Catalog
    """Searches the products."""
    web: Web
    """The web that ``web_search`` searches."""
    manifest: Manifest
    """The world's origin, its counts and its fingerprint."""
    folder: Path | None = None
    """The folder of an embedded world; None for any other."""
    servers: str | None = None
    """The "servers:NAME" of a world on servers; None for any other."""
    settings: ServerSettings | None = field(default=None, repr=False)
    """How its servers are reached; None for any other."""

    def open_former(self) -> "World | None":
        """The generation that is kept beside the live one, as a world to close; None if there is none."""
        if self.servers is not None:
            with suppress(UserError):
                return _on_servers(self.servers, self.settings, self.web, former=True)
            return None
        former = None if self.folder is None else former_generation(self.folder)
        return None if self.folder is None or former is None else _embedded(self.folder, former, self.web)

    def check_user(self, user_id: str | None) -> None:
        """Raises UserError if the shop has no such user."""
        if user_id is None:
            return
        try:
            self.store.user(user_id)
        except NotFound:
            some = [row.user_id for row in self.store.sample_users("0", 3)]
            hint = f"Some who are: {', '.join(some)}." if some else "This shop has no users: name none."
            raise UserError(f"The shop has no user {user_id!r}. {hint}") from None

    def close(self) -> None:
        """Closes the store and the catalog, including connections to servers."""
        self.catalog.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def world_at(spec: str | Path, *, web: Web | None = None, servers: ServerSettings | None = None) -> World:
    """The world in a folder, or "servers:NAME" on the servers, pinned to the generation that is live now.

    ``web`` defaults to the sandbox with the pages that ship with drretail. ``servers`` is required for "servers:NAME":
    only commands and ``drretail.open_world`` read the settings. Raises UserError if there is no world, if it is damaged
    or of another format, and if a server cannot be used.
    """
    web = default_corpus() if web is None else web
    if is_on_servers(spec):
        world = _on_servers(str(spec), required(servers, spec), web)
    else:
        world = _embedded(Path(spec), live_generation(Path(spec)), web)
    if isinstance(web, SandboxWeb):  # as it is on the shop's today; the open web stays unchanged
        web = pages_of_shop(web, world.manifest).as_of(world.manifest.now.date())
    return replace(world, web=web)


def _on_servers(spec: str, settings: ServerSettings | None, web: Web, *, former: bool = False) -> World:
    # The clients take 0.4 s to load; an embedded world should not wait for them.
    from drretail.env.servers.generations import open_servers

    store, catalog, manifest = open_servers(spec, required(settings, spec), former=former)
    return World(store, catalog, web, manifest, servers=spec, settings=settings)


def _embedded(folder: Path, generation: Path, web: Web) -> World:
    manifest = read_manifest(generation)
    formulation = formulation_of_index(manifest.versions.get(INDEX_VERSION, ""), f"The world at {folder}")
    check_index_files(generation)
    store = SqliteStore(generation / DATABASE_FILE, manifest.seed)
    try:
        catalog = TantivyCatalog(generation / INDEX_FOLDER, formulation)
    except UserError:
        store.close()
        raise
    return World(store, catalog, web, manifest, folder=folder)
