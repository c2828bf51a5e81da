"""Plots as SVG and PNG files."""

from collections.abc import Sequence
from pathlib import Path

from drretail.errors import UserError, install_line
from drretail.files import write_atomically
from drretail.viewer.plots.drawing import Plot

PIXELS = 2
"""To a unit of the image: sharp in print and on fine screens."""


def write_plots(plots: Sequence[Plot], folder: Path) -> list[Path]:
    """Every plot as NAME.svg and NAME.png in this folder, which is made; the files' paths.

    Raises UserError where the extra ``plots`` is not installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise UserError(f"PNG files need one more package: {install_line('resvg-py')}.") from error
    written: list[Path] = []
    folder.mkdir(parents=True, exist_ok=True)
    for plot in plots:
        svg, png = (folder / f"{plot.name}.{kind}" for kind in ("svg", "png"))
        text = plot.standalone()
        write_atomically(svg, text)
        write_atomically(png, bytes(svg_to_bytes(svg_string=text, zoom=PIXELS)))
        written += [svg, png]
    return written
