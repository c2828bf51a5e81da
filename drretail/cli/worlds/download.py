"""`drretail download`: the official raw files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from drretail.cli.options.flags import Json, Quiet

Categories = Annotated[
    list[str] | None, typer.Argument(metavar="CATEGORY…", help="File stems of the dataset, such as Pet_Supplies.")
]


def download(
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="Where the files go.")],
    categories: Categories = None,
    preset: Annotated[
        Literal["paper", "ten"] | None, typer.Option("--preset", help="The paper's eight or ten categories.")
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option("--mirror", metavar="NAME|URL", help="ucsd, datarepo, huggingface, or a copy of the same tree."),
    ] = None,
    parallel: Annotated[int, typer.Option("--parallel", min=1, max=16, help="This many files at once.")] = 2,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the addresses, fetch nothing.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fetch product and review files of Amazon Reviews 2023; what broke off goes on."""
    from drretail.data_ingest.download.addresses import wanted_files
    from drretail.tables.table import table_of
    from drretail.viewer.output import print_json, print_table

    wanted = wanted_files(categories or [], preset, mirror)
    if dry_run:
        if as_json:
            print_json({"files": [{"category": file.category, "urls": list(file.urls)} for file in wanted]})
        else:
            print_table(
                table_of("", ["category", "address"], [(file.category, url) for file in wanted for url in file.urls])
            )
        return
    import httpx2

    from drretail import __version__
    from drretail.data_ingest.download.download import download as run
    from drretail.progress import choose_progress

    # Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    headers = {"User-Agent": f"drretail/{__version__}"}
    with httpx2.Client(follow_redirects=True, timeout=httpx2.Timeout(60.0, connect=20.0), headers=headers) as client:
        report = run(wanted, to, client, choose_progress("none" if quiet else None), parallel=parallel)
    if as_json:
        print_json(report.model_dump(mode="json", exclude={"format"}))
    else:
        rows = [(file.name, file.category, file.size, file.state) for file in report.files]
        print_table(table_of(f"Files in {report.folder}", ["file", "category", "bytes", ""], rows))
