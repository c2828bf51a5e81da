"""``download``: the official raw files, for ``ingest``."""

from pathlib import Path
from typing import Any

from drretail import __version__
from drretail.addons.downloads.options import DownloadOptions
from drretail.api.option import accepts
from drretail.api.options.shared import split_names
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import table_of


@accepts(DownloadOptions)
def download(options: DownloadOptions) -> Result[Any]:
    """The report on the files that were downloaded."""
    import httpx2

    from drretail.addons.downloads.download import download_files, wanted_files

    wanted = wanted_files(split_names(options.categories), options.preset, options.mirror)
    # Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
    headers, timeout = {"User-Agent": f"drretail/{__version__}"}, httpx2.Timeout(60.0, connect=20.0)
    with httpx2.Client(follow_redirects=True, timeout=timeout, headers=headers) as client:
        report = download_files(wanted, Path(options.to), client, choose_progress(), parallel=options.parallel)
    rows = [(file.name, file.category, file.size, file.state) for file in report.files]
    table = table_of(f"Files in {report.folder}", ["file", "category", "bytes", ""], rows)
    document = report.model_dump(mode="json", exclude={"format", "account"})
    return Result(report, document, [table], path=Path(options.to), accounts=[report.account])
