"""``download`` and ``synth``: Amazon's product and review files, or made-up ones in their form."""

from pathlib import Path
from typing import Any

from drretail.api.option import accepts
from drretail.api.options.shared import names_in, texts_in
from drretail.api.options.shops import DownloadOptions, SynthOptions
from drretail.progress import choose_progress
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of


@accepts(SynthOptions)
def synth(options: SynthOptions) -> Result[Any]:
    """The report on the files that were written."""
    from drretail.data_ingest.synth.shop import write_shop

    to = Path(options.to)
    report = write_shop(
        to,
        products=options.products,
        reviews=options.reviews,
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
