"""An experiment's page and text, whole, from its folder."""

from pathlib import Path

from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import page_of
from drretail.viewer.text_report import text_of


def render_page(experiment: Path) -> str:
    return page_of(read_view(experiment))


def render_text(experiment: Path) -> str:
    return text_of(read_view(experiment))
