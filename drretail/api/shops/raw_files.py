"""``download`` and ``synth``: Amazon's product and review files, or made-up ones in their form."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.api.option import accepts
from drretail.api.options.shared import names_in, texts_in
from drretail.api.options.shops import DownloadOptions, SynthOptions
from drretail.api.worlds import place_of, server_settings
from drretail.errors import UserError
from drretail.progress import choose_progress
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of

if TYPE_CHECKING:
    from drretail.env.manifest import Manifest


@accepts(SynthOptions)
def synth(options: SynthOptions) -> Result[Any]:
    """The report on the files that were written, or the manifest of the world that was copied under other names.

    Raises UserError for options that a copy does not have.
    """
    from drretail.data_ingest.synth.shop import write_shop

    to, products, reviews = Path(options.to), options.products, options.reviews
    if options.perturb is not None:
        if options.plain or options.category or (products, reviews) != (None, None):
            raise UserError("--perturb takes the world as it is: leave out --products, --reviews and --category.")
        return _perturb(options.perturb, to, options.seed)
    report = write_shop(
        to,
        products=400 if products is None else products,
        reviews=6000 if reviews is None else reviews,
        seed=options.seed,
        categories=texts_in(options.category),
        plain=options.plain,
        progress=choose_progress(),
    )
    files = [(file.name, file.rows, file.bytes) for file in report.files]
    tables = [table_of(f"A made-up shop in {to}", ["file", "rows", "bytes"], files)]
    if report.quirks:
        tables.append(table_of("Quirks", ["what happened to a row", "rows"], list(report.quirks.items())))
    return Result(report, report.model_dump(mode="json"), tables, path=to)


def _perturb(world: str, to: Path, seed: str) -> "Result[Manifest]":
    from drretail.data_ingest.perturb.perturbed_world import MAPPING, perturb_world

    source, progress = place_of(world), choose_progress()
    manifest, mapping = perturb_world(source, to, seed, servers=server_settings(), progress=progress)
    document: dict[str, Any] = {
        "world": str(to),
        "fingerprint": manifest.fingerprint,
        "perturbed_from": mapping.perturbed_from,
        "seed": seed,
        "counts": manifest.counts.model_dump(),
        "names": len(mapping.brands),
        "mapping": str(to / MAPPING),
    }
    lines = [
        manifest.headline,
        f"World {to}, fingerprint {manifest.fingerprint}, made of {mapping.perturbed_from[:12]} by seed {seed}",
        f"To adapt queries to it: drretail queries carry FILE --world {to} --to FILE2",
    ]
    return Result(manifest, document, lines, path=to)


@accepts(DownloadOptions)
def download(options: DownloadOptions) -> Result[Any]:
    """The report on the files that were downloaded, or with ``dry_run`` the files with their addresses."""
    from drretail.data_ingest.download.download import wanted_files

    wanted = wanted_files(names_in(options.categories), options.preset, options.mirror)
    if options.dry_run:
        files = [{"category": file.category, "urls": list(file.urls)} for file in wanted]
        # No table: it would break long addresses.
        return Result(wanted, {"files": files}, [url for file in wanted for url in file.urls])
    import httpx2

    from drretail import __version__
    from drretail.data_ingest.download.download import download as fetch

    # Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    headers, timeout = {"User-Agent": f"drretail/{__version__}"}, httpx2.Timeout(60.0, connect=20.0)
    with httpx2.Client(follow_redirects=True, timeout=timeout, headers=headers) as client:
        report = fetch(wanted, Path(options.to), client, choose_progress(), parallel=options.parallel)
    rows = [(file.name, file.category, file.size, file.state) for file in report.files]
    table = table_of(f"Files in {report.folder}", ["file", "category", "bytes", ""], rows)
    return Result(report, report.model_dump(mode="json", exclude={"format"}), [table], path=Path(options.to))
