"""The worlds that a place keeps, a folder or "servers:NAME": the live one, and the one before it."""

from dataclasses import dataclass
from pathlib import Path

from drretail.env.generations import former_generation, live_generation, make_live, writer_lock
from drretail.env.manifest import Manifest, read_manifest
from drretail.env.servers.naming import ServerSettings, check_place, is_on_servers, required
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import open_world
from drretail.errors import UserError


@dataclass(frozen=True, slots=True)
class Kept:
    """The manifests of one place's worlds."""

    live: Manifest
    before: Manifest | None = None
    materialized: bool = False
    """True if users' profiles are written out; a folder always derives them."""


def find_kept(spec: str | Path, servers: ServerSettings | None = None) -> Kept | None:
    """The worlds at ``spec``; None if there is no world, or its manifest is too damaged to read.

    Raises UserError if the world has another format, or a server cannot be used.
    """
    check_place(spec)
    if is_on_servers(spec):
        from drretail.env.servers.reading import kept_on_servers  # the clients take long to load

        found = kept_on_servers(str(spec), required(servers, spec))
        return None if found is None else Kept(*found)
    try:
        live = read_manifest(live_generation(Path(spec)))
    except UserError:
        return None
    former = former_generation(Path(spec))
    try:
        return Kept(live, None if former is None else read_manifest(former))
    except UserError:
        return Kept(live)


def opens(spec: str | Path, servers: ServerSettings | None = None) -> bool:
    """True if the live world can be opened; its rows are not read."""
    try:
        open_world(spec, servers=servers, web=SandboxWeb([])).close()
    except UserError:
        return False
    return True


def use_world(spec: str | Path, wanted: str | None = None, servers: ServerSettings | None = None) -> Manifest:
    """Makes the generation before the live one live again, and returns its manifest. The other one is kept.

    ``wanted`` is its name or the beginning of its fingerprint. It may be left out, since only two are kept. A wanted
    generation that is already live stays live. Raises UserError if there is no such generation.
    """
    kept = find_kept(spec, servers)
    if kept is None:
        raise UserError(f"There is no world at {spec}: make one with `drretail ingest`.")
    if wanted is not None and _is_named(kept.live, wanted):
        return kept.live
    if kept.before is None or (wanted is not None and not _is_named(kept.before, wanted)):
        also = "no other" if kept.before is None else f"{kept.before.generation} from before"
        name = "" if wanted is None else f" {wanted!r}"
        raise UserError(f"{spec} keeps no former generation{name}: {kept.live.generation} is live, and {also}.")
    if is_on_servers(spec):
        from drretail.env.servers.loading import use_former

        use_former(str(spec), required(servers, spec), kept.before.fingerprint)
    else:
        with writer_lock(Path(spec)):
            make_live(Path(spec), kept.before.generation)
    return kept.before


def _is_named(manifest: Manifest, wanted: str) -> bool:
    return len(wanted) > len("gen-") and manifest.fingerprint.startswith(wanted.removeprefix("gen-"))
