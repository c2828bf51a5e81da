"""``world``: shows, checks and copies worlds."""

from pathlib import Path

from drretail.api.option import accepts
from drretail.api.options.shops import CheckWorldOptions, CopyOptions, InfoOptions
from drretail.api.settings import server_settings
from drretail.api.worlds import open_world, world_place
from drretail.env.copying import copy_world
from drretail.env.folder import check_world
from drretail.env.manifest import CHECKSUMS, Manifest, live_generation, read_manifest
from drretail.env.naming import is_on_servers
from drretail.records.account import Account
from drretail.records.evidence import Finding
from drretail.viewer.drawing.progress import busy, choose_progress
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import Cell, Table, table_of

# What the paper reports of its own database (App. A.2).
PAPER = {"products": 80_000, "users": 1_800_000, "orders": 4_300_000}

MENDED = (
    "Make it again with `drretail ingest … --force`, or copy a whole one into another place with `drretail world copy`."
)


@accepts(InfoOptions)
def info(options: InfoOptions) -> Result[Manifest]:
    """The world's manifest, even of a damaged one."""
    world, place = str(options.world), world_place(str(options.world))
    manifest = _manifest(place)
    document = {**manifest.model_dump(mode="json", exclude={"format"}), "paper": PAPER}
    counts = manifest.counts.model_dump()
    shares = [(name, counts[name], paper, _share(counts[name], paper)) for name, paper in PAPER.items()]
    parts: list[Table | str] = [
        manifest.headline,
        table_of(f"World {world}", ["", "here", "in the paper", "share of it"], shares),
        table_of(
            "Categories",
            ["category", "products", "share", "orders", "share", "users"],
            [
                (
                    row.name,
                    row.products,
                    _share(row.products, counts["products"]),
                    row.orders,
                    _share(row.orders, counts["orders"]),
                    row.users,
                )
                for row in manifest.categories
                if row.products
            ],
        ),
    ]
    if manifest.sources:
        sources = [(source.name, source.size, source.sha256[:16]) for source in manifest.sources]
        parts.append(table_of("Made from", ["file", "bytes", "sha256"], sources))
    chosen = ", ".join(f"{name} {value}" for name, value in manifest.parameters.items() if value is not None)
    parts += [
        f"fingerprint  {manifest.fingerprint}",
        f"now          {manifest.now.date()} (the shop's today)",
        f"since        {manifest.since or '–'}",
        f"seed         {manifest.seed}",
        f"parameters   {chosen or '–'}",
        f"versions     {', '.join(f'{name} {value}' for name, value in manifest.versions.items())}",
    ]
    return Result(manifest, document, parts)


@accepts(CheckWorldOptions)
def check(options: CheckWorldOptions) -> Result[list[Finding]]:
    """What differs between the world's data and its manifest."""
    place, notes = world_place(str(options.world)), list[str]()
    with busy("reading rows and files"):
        if is_on_servers(place):
            from drretail.env.servers.checking import check_servers

            findings = check_servers(place, server_settings())
        else:
            findings = check_world(Path(place))
    if not is_on_servers(place) and not (live_generation(Path(place)) / CHECKSUMS).is_file():
        notes.append("The world's files have no SHA256SUMS: their rows were compared, but not every byte.")
    part: Table | str = "" if findings else f"ok {_manifest(place).fingerprint}"
    if findings:
        notes.append(MENDED)
        rows = [(finding.severity, finding.code, finding.text, finding.found) for finding in findings]
        part = table_of(f"World {options.world}", ["severity", "what", "said", "found"], rows)
    document = {
        "ok": not findings,
        "findings": [finding.model_dump(mode="json") for finding in findings],
    }
    return Result(findings, document, [part], notes=notes, left=len(findings))


@accepts(CopyOptions)
def copy(options: CopyOptions) -> Result[Manifest]:
    """The copy's manifest. Raises UserError if the copy's fingerprint differs."""
    to, place = str(options.to), world_place(str(options.world))
    before = _manifest(place).counts
    manifest = copy_world(place, to, servers=server_settings(), progress=choose_progress())
    document = {"world": to, "fingerprint": manifest.fingerprint, "counts": manifest.counts.model_dump()}
    units = {"product": "products", "user": "users", "order": "orders"}
    accounts = [
        Account("world copy", unit, getattr(before, name), getattr(manifest.counts, name))
        for unit, name in units.items()
        if getattr(before, name) or getattr(manifest.counts, name)
    ]
    return Result(manifest, document, [f"World {to}, fingerprint {manifest.fingerprint}"], accounts=accounts)


def _manifest(place: str) -> Manifest:
    """The manifest of a world, in a folder even of a damaged one."""
    if is_on_servers(place):
        with open_world(place) as world:
            return world.manifest
    return read_manifest(live_generation(Path(place)))


def _share(part: int, whole: int) -> Cell:
    return Cell(part / whole if whole else None, "percent")
