"""The options of ``demo``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """Makes up a shop, answers shoppers' questions, judges the answers and writes a page.

    The agents and the judge replay recorded answers of a language model. The tools really run. No key or download is
    needed.
    """

    to: Annotated[str | Path, Option("The folder for the demo's files.", type=Path)] = Path("drretail-demo")
