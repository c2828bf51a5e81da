"""The options of ``import``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Makes an experiment from reports: Markdown, Word, PDF, chat logs, and four benchmarks' files.

    drretail/addons/imports/README.md lists the files of each FORMAT. Word and PDF need the extra `documents`.

    A second import into the same folder adds systems.
    """

    form: Annotated[
        str,
        Option(
            "drb, reporteval, dr3, pdr, chat, markdown (also for Word and PDF files).",
            argument=True,
            metavar="FORMAT",
        ),
    ]
    path: Annotated[
        str | Path, Option("A file (it may be compressed), or a folder of them.", argument=True, metavar="PATH")
    ]
    to: Annotated[
        str | Path, Option("The experiment's folder; or FILE.jsonl, to import only the questions.", metavar="EXP")
    ]
    _: KW_ONLY
    system: Annotated[
        str | None,
        Option(
            "The system that wrote the reports (default: the file of rows, or the folder of reports).", metavar="NAME"
        ),
    ] = None
    model: Annotated[str | None, Option("The model that wrote the reports.", metavar="PROVIDER:MODEL")] = None
    pages: Annotated[
        str | Path | None,
        Option("The cited pages: a JSONL file, or a folder with an index.jsonl of {url, file}.", metavar="PATH"),
    ] = None
    world: Annotated[
        "str | Path | research.OpenWorld | None",
        Option("The shop whose records are used to check claims about products.", short="-w", metavar="W", type=str),
    ] = None
    redact: Annotated[
        bool, Option("Remove personal data (e-mail, phone, IBAN, card, street) before anything is written.")
    ] = False
    names: shared.Names = None
