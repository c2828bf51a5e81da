"""``drretail download`` and ``synth``: Amazon's product and review files, or made-up ones in their form."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from drretail.api.option import Option
from drretail.api.worlds import place_of, server_settings
from drretail.cli.options import flags as options
from drretail.errors import UserError
from drretail.progress import choose_progress
from drretail.viewer.output import print_json, print_rows


def synth(
    to: options.To,
    output: options.Output,
    products: Annotated[int | None, Option("The number of products.", min=1, default="400")] = None,
    reviews: Annotated[int | None, Option("The number of reviews.", min=0, default="6000")] = None,
    category: Annotated[list[str] | None, Option("A category to make.")] = None,
    plain: Annotated[bool, Option("Make files without the faults of real ones.")] = False,
    perturb: Annotated[
        str | None, Option("Copy this world with other brands, ids, prices and ratings.", metavar="WORLD")
    ] = None,
    seed: options.Seed = "42",
) -> None:
    """Writes made-up product and review files in the format of the real ones.

    With --perturb, copies a world with new names and values that no model knows. `drretail queries carry` adapts the
    queries.
    """
    from drretail.data_ingest.synth.shop import write_shop

    if perturb is not None:
        if plain or category or (products, reviews) != (None, None):
            raise UserError("--perturb takes the world as it is: leave out --products, --reviews, --category, --plain.")
        _perturb(perturb, to, seed, as_json=output.as_json)
        return
    report = write_shop(
        to,
        products=400 if products is None else products,
        reviews=6000 if reviews is None else reviews,
        seed=seed,
        categories=category or [],
        plain=plain,
        progress=choose_progress(),
    )
    if output.as_json:
        print_json(report.model_dump(mode="json"))
        return
    print_rows(f"A made-up shop in {to}", ["file", "rows", "bytes"], [(f.name, f.rows, f.bytes) for f in report.files])
    if report.quirks:
        print_rows("Quirks", ["what happened to a row", "rows"], list(report.quirks.items()))


def _perturb(world: str, to: Path, seed: str, *, as_json: bool) -> None:
    from drretail.data_ingest.perturb.perturbed_world import MAPPING, perturb_world

    progress = choose_progress()
    source = place_of(world)
    manifest, mapping = perturb_world(source, to, seed, servers=server_settings(), progress=progress)
    if as_json:
        print_json(
            {
                "world": str(to),
                "fingerprint": manifest.fingerprint,
                "perturbed_from": mapping.perturbed_from,
                "seed": seed,
                "counts": manifest.counts.model_dump(),
                "names": len(mapping.brands),
                "mapping": str(to / MAPPING),
            }
        )
        return
    typer.echo(manifest.headline)
    typer.echo(f"World {to}, fingerprint {manifest.fingerprint}, made of {mapping.perturbed_from[:12]} by seed {seed}")
    typer.echo(f"To adapt queries to it: drretail queries carry FILE --world {to} --to FILE2")


Categories = Annotated[
    list[str] | None,
    Option("Categories as the dataset names them, such as Pet_Supplies.", argument=True, metavar="CATEGORY…"),
]


def download(
    to: Annotated[Path, Option("The folder for the files.", metavar="FOLDER")],
    output: options.Output,
    categories: Categories = None,
    preset: Annotated[
        Literal["paper", "ten"] | None, Option("paper: the paper's eight categories. ten: these and two more.")
    ] = None,
    mirror: Annotated[
        str | None, Option("The source: ucsd, datarepo, huggingface, or the URL of a copy.", metavar="NAME|URL")
    ] = None,
    parallel: Annotated[int, Option("The number of downloads at the same time.", min=1, max=16)] = 2,
    dry_run: Annotated[bool, Option("Print the addresses. Download nothing.")] = False,
) -> None:
    """Downloads product and review files of Amazon Reviews 2023. Continues interrupted downloads."""
    from drretail.data_ingest.download.download import wanted_files

    wanted = wanted_files(categories or [], preset, mirror)
    if dry_run:
        if output.as_json:
            print_json({"files": [{"category": file.category, "urls": list(file.urls)} for file in wanted]})
        else:
            for url in (url for file in wanted for url in file.urls):
                typer.echo(url)  # no table: it would break long addresses
        return
    import httpx2

    from drretail import __version__
    from drretail.data_ingest.download.download import download as run

    # Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    headers = {"User-Agent": f"drretail/{__version__}"}
    with httpx2.Client(follow_redirects=True, timeout=httpx2.Timeout(60.0, connect=20.0), headers=headers) as client:
        report = run(wanted, to, client, choose_progress(), parallel=parallel)
    if output.as_json:
        print_json(report.model_dump(mode="json", exclude={"format"}))
    else:
        rows = [(file.name, file.category, file.size, file.state) for file in report.files]
        print_rows(f"Files in {report.folder}", ["file", "category", "bytes", ""], rows)
