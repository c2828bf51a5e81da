"""The options of ``download``; the record's docstring is the command's help."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options.shops import Preset, To


@dataclass(frozen=True, slots=True)
class DownloadOptions:
    """Downloads product and review files of Amazon Reviews 2023. Continues interrupted downloads."""

    to: To
    categories: Annotated[
        Iterable[str],
        Option(
            "Categories as the dataset names them, such as Pet_Supplies.",
            argument=True,
            metavar="CATEGORY…",
            type=list[str],
        ),
    ] = ()
    _: KW_ONLY
    preset: Annotated[Preset | None, Option("paper: the paper's eight categories. ten: these and two more.")] = None
    mirror: Annotated[
        str | None, Option("The source: ucsd, datarepo, huggingface, or the URL of a copy.", metavar="NAME|URL")
    ] = None
    parallel: Annotated[int, Option("The number of downloads at the same time.", min=1, max=16)] = 2
