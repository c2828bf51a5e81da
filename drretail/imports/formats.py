"""The forms by name: built-in ones, plugins (entry points of drretail.imports), and ``module:attribute``."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drretail.imports.material import Material
from drretail.plugins import Plugins


@dataclass(frozen=True, slots=True)
class Format:
    """One form: what it looks like, in a line, and what reads a file or folder of it.

    ``read`` raises UserError for what is none of it.
    """

    described: str
    read: Callable[[Path], Material]


FORMATS = {
    "drb": "drretail.imports.drb:FORMAT",
    "drg": "drretail.imports.drg:FORMAT",
    "reporteval": "drretail.imports.reporteval:FORMAT",
    "dr3": "drretail.imports.dr3:FORMAT",
    "liveresearch": "drretail.imports.liveresearch:FORMAT",
    "deepshop": "drretail.imports.deepshop:FORMAT",
    "agenticshop": "drretail.imports.agenticshop:FORMAT",
    "pdr": "drretail.imports.pdr:FORMAT",
    "markdown": "drretail.imports.markdown:FORMAT",
}
PLUGINS = Plugins("import format", FORMATS, "drretail.imports")


def load_format(name: str) -> Format:
    """The form of that name. Raises UnknownName, or UserError for a place that holds no Format."""
    place, found = PLUGINS.load(name)
    if not isinstance(found, Format):
        raise PLUGINS.refused(place, found, "a drretail.imports.formats.Format")
    return found
